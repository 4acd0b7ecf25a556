//! Properties of cross sections in the element's axes y, z through the centroid.
//!
//! Rectangle: shear areas 5/6 A; torsion constant by Saint-Venant's series. Circular tube: shear area of Cowper (J.
//! Appl. Mech. 33, 1966, p. 335) for the Poisson's ratio of the material. I section: shear areas of the web between the
//! centres of the flanges (along z) and 5/6 of both flanges (along y); torsion constant of thin open profiles. No
//! warping stiffness.

use super::structure_schema::{Point, Section, Shape};
use ballesta::math::elementary::tanh;
use ballesta::rom::rom_schema::StressPoint;
use std::f64::consts::PI;

/// Properties that elements need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Properties {
    /// A, m².
    pub area: f64,
    /// ∫z² dA, m⁴.
    pub inertia_y: f64,
    /// ∫y² dA, m⁴.
    pub inertia_z: f64,
    /// Torsion constant, m⁴.
    pub torsion: f64,
    /// Shear area for forces along y, m².
    pub shear_y: f64,
    /// Shear area for forces along z, m².
    pub shear_z: f64,
}

/// Properties of a section whose keys were checked; `poisson_ratio` of the material. Missing properties are 0.
pub fn properties(section: &Section, poisson_ratio: f64) -> Properties {
    let value = |key: Option<f64>| key.unwrap_or(0.0);
    let (width, height) = (value(section.width), value(section.height));
    match section.shape {
        Shape::Rectangle => rectangle(width, height),
        Shape::Tube => tube(value(section.outer_diameter), value(section.thickness), poisson_ratio),
        Shape::I => i_section(height, width, value(section.web), value(section.flange)),
        Shape::Given => Properties {
            area: value(section.area),
            inertia_y: value(section.inertia_y),
            inertia_z: value(section.inertia_z),
            torsion: value(section.torsion),
            shear_y: value(section.shear_y),
            shear_z: value(section.shear_z),
        },
    }
}

/// The section of a tapered beam: every key is interpolated between two sections with the same keys, at the start (`at`
/// = 0) and the end (1).
pub fn between(start: &Section, end: &Section, at: f64) -> Section {
    let linear = |a: f64, b: f64| a + (b - a) * at;
    let key = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| linear(a, b));
    let points = start.points.iter().zip(&end.points);
    let point = |(a, b): (&Point, &Point)| Point { name: a.name.clone(), y: linear(a.y, b.y), z: linear(a.z, b.z) };
    Section {
        name: start.name.clone(),
        shape: start.shape,
        width: key(start.width, end.width),
        height: key(start.height, end.height),
        web: key(start.web, end.web),
        flange: key(start.flange, end.flange),
        outer_diameter: key(start.outer_diameter, end.outer_diameter),
        thickness: key(start.thickness, end.thickness),
        area: key(start.area, end.area),
        inertia_y: key(start.inertia_y, end.inertia_y),
        inertia_z: key(start.inertia_z, end.inertia_z),
        torsion: key(start.torsion, end.torsion),
        shear_y: key(start.shear_y, end.shear_y),
        shear_z: key(start.shear_z, end.shear_z),
        points: points.map(point).collect(),
    }
}

/// Points of a section with their normal stress per N, Vy, Vz, T, My, Mz: 1/A, z/I_y for My, −y/I_z for Mz. If a second
/// moment is missing, as for bars, its term is omitted.
pub fn stress_points(section: &Section, properties: &Properties) -> Vec<StressPoint> {
    let per = |place: f64, inertia: f64| if inertia > 0.0 { place / inertia } else { 0.0 };
    let point = |point: &Point| StressPoint {
        name: point.name.clone(),
        normal: [
            1.0 / properties.area,
            0.0,
            0.0,
            0.0,
            per(point.z, properties.inertia_y),
            per(-point.y, properties.inertia_z),
        ],
    };
    section.points.iter().map(point).collect()
}

/// A rectangle with sides along y and z, m.
pub fn rectangle(width: f64, height: f64) -> Properties {
    let area = width * height;
    let shear = 5.0 / 6.0 * area;
    Properties {
        area,
        inertia_y: area * height * height / 12.0,
        inertia_z: area * width * width / 12.0,
        torsion: rectangle_torsion(width.max(height), width.min(height)),
        shear_y: shear,
        shear_z: shear,
    }
}

/// Saint-Venant's series for a rectangle a ≥ b: a b³/3 (1 − 192 b/(π⁵ a) Σ tanh(n π a/2b)/n⁵, n odd).
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    // The terms fall with n⁵: beyond n = 2001 the rest is below 1e-15. Small terms first.
    let terms = (0..=1000).rev().map(|k| f64::from(2 * k + 1)).map(|n| tanh(n * PI * a / (2.0 * b)) / n.powi(5));
    a * b.powi(3) / 3.0 * (1.0 - 192.0 * b / (PI.powi(5) * a) * terms.sum::<f64>())
}

fn tube(outer_diameter: f64, thickness: f64, poisson_ratio: f64) -> Properties {
    let outer = outer_diameter / 2.0;
    let inner = outer - thickness;
    let area = PI * (outer * outer - inner * inner);
    let inertia = PI / 4.0 * (outer.powi(4) - inner.powi(4));
    let m = inner / outer;
    let square = (1.0 + m * m).powi(2);
    let nu = poisson_ratio;
    let shear = area * 6.0 * (1.0 + nu) * square / ((7.0 + 6.0 * nu) * square + (20.0 + 12.0 * nu) * m * m);
    Properties { area, inertia_y: inertia, inertia_z: inertia, torsion: 2.0 * inertia, shear_y: shear, shear_z: shear }
}

fn i_section(height: f64, width: f64, web: f64, flange: f64) -> Properties {
    let clear = height - 2.0 * flange;
    Properties {
        area: 2.0 * width * flange + clear * web,
        inertia_y: (width * height.powi(3) - (width - web) * clear.powi(3)) / 12.0,
        inertia_z: (2.0 * flange * width.powi(3) + clear * web.powi(3)) / 12.0,
        torsion: (2.0 * width * flange.powi(3) + clear * web.powi(3)) / 3.0,
        shear_y: 5.0 / 6.0 * 2.0 * width * flange,
        shear_z: web * (height - flange),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torsion_of_rectangles_agrees_with_timoshenkos_table() {
        // Timoshenko & Goodier, Theory of Elasticity, table of k1 in k1 a b³.
        for (ratio, k) in [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (5.0, 0.291), (1e6, 1.0 / 3.0)] {
            let computed = rectangle_torsion(ratio * 0.3, 0.3) / (ratio * 0.3f64.powi(4));
            assert!((computed - k).abs() < 5e-4, "{ratio}: {computed}");
        }
        assert_eq!(rectangle(0.2, 0.1).torsion, rectangle(0.1, 0.2).torsion);
    }

    #[test]
    fn a_tube_without_hole_is_a_solid_bar_and_an_i_section_without_web_cutouts_is_a_rectangle() {
        let (bar, d) = (tube(0.1, 0.05, 0.0), 0.1f64);
        assert!((bar.inertia_y - PI * d.powi(4) / 64.0).abs() < 1e-18);
        assert!((bar.shear_y - 6.0 / 7.0 * bar.area).abs() < 1e-15);
        let (i, solid) = (i_section(0.2, 0.1, 0.1, 0.03), rectangle(0.1, 0.2));
        assert!((i.area - solid.area).abs() < 1e-15);
        assert!((i.inertia_y - solid.inertia_y).abs() < 1e-17 && (i.inertia_z - solid.inertia_z).abs() < 1e-17);
    }
}
