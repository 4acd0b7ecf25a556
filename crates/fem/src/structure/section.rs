//! Properties of cross sections in the element's axes y, z through the centroid.
//!
//! Rectangle: shear areas 5/6 A; torsion constant by Saint-Venant's series. Circular tube: shear area of Cowper (J.
//! Appl. Mech. 33, 1966, p. 335) for the Poisson's ratio of the material. I section: shear areas of the web between the
//! centres of the flanges (along z) and 5/6 of both flanges (along y); torsion constant of thin open profiles. No
//! warping stiffness.

use super::structure_schema::{Point, Section, Shape};
use ballesta::math::elementary::{exp, tanh};
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
    let normal = |point: &Point| {
        let bending = [per(point.z, properties.inertia_y), per(-point.y, properties.inertia_z)];
        [1.0 / properties.area, 0.0, 0.0, 0.0, bending[0], bending[1]]
    };
    section.points.iter().map(|point| StressPoint::normal(&point.name, normal(point))).collect()
}

/// Shear stresses xy and xz at a point of the surface on the face towards x, per N, Vy, Vz, T, My, Mz; `None` for
/// shapes and points without a closed form.
///
/// Circular tubes and bars: torsion T r/J; transverse forces k V/A cos α along the surface, where α is the angle of the
/// force from the tangent and k V/A is the mean stress in the neutral axis (4/3 for a bar, 2 for a thin tube).
/// Rectangles: at the middle of a side, torsion by Saint-Venant's series and 3V/2A for the force along the side; at the
/// corners no shear stress. Source: S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, sections 109 and 111; S. P.
/// Timoshenko, Strength of Materials I, section 26.
pub fn shear_rows(section: &Section, properties: &Properties, point: &Point) -> Option<[[f64; 6]; 2]> {
    let (y, z) = (point.y, point.z);
    let mut rows = [[0.0; 6]; 2];
    match section.shape {
        Shape::Tube => {
            let outer = section.outer_diameter? / 2.0;
            let inner = outer - section.thickness?;
            let ring = 4.0 / 3.0 * (outer * outer + outer * inner + inner * inner) / (outer * outer + inner * inner);
            // The tangent, for positive torsion.
            let tangent = [-z / outer, y / outer];
            for (row, direction) in rows.iter_mut().zip(tangent) {
                row[1] = ring / properties.area * tangent[0] * direction;
                row[2] = ring / properties.area * tangent[1] * direction;
                row[3] = outer / properties.torsion * direction;
            }
        }
        Shape::Rectangle => {
            let (width, height) = (section.width?, section.height?);
            let on = |place: f64, size: f64| place.abs() == 0.5 * size;
            match (on(y, width), on(z, height)) {
                (true, true) => {}
                (true, false) if z == 0.0 => {
                    rows[1][2] = 1.5 / properties.area;
                    rows[1][3] = side_torsion(height, width) / properties.torsion * y.signum();
                }
                (false, true) if y == 0.0 => {
                    rows[0][1] = 1.5 / properties.area;
                    rows[0][3] = -side_torsion(width, height) / properties.torsion * z.signum();
                }
                _ => return None,
            }
        }
        Shape::I | Shape::Given => return None,
    }
    Some(rows)
}

/// Catalan's constant Σ (−1)ᵏ/(2k + 1)².
const CATALAN: f64 = 0.915_965_594_177_219;

/// Shear stress per G θ′ at the middle of the side `side` of a rectangle, whose other side is `across`, m. The series
/// converge fast for long sides (b (1 − 8/π² Σ 1/(n² cosh(nπa/2b)))) and for short ones (8a/π² Σ ± tanh(nπb/2a)/n²).
fn side_torsion(side: f64, across: f64) -> f64 {
    let odd = || (0..20).rev().map(|k| (f64::from(2 * k + 1), if k % 2 == 0 { 1.0 } else { -1.0 }));
    if side >= across {
        let cosh = |x: f64| 0.5 * (exp(x) + exp(-x));
        let terms = odd().map(|(n, _)| 1.0 / (n * n * cosh(n * PI * side / (2.0 * across))));
        return across * (1.0 - 8.0 / (PI * PI) * terms.sum::<f64>());
    }
    // tanh(x) = 1 − 2/(exp(2x) + 1).
    let terms = odd().map(|(n, sign)| sign * 2.0 / (n * n * (exp(n * PI * across / side) + 1.0)));
    8.0 * side / (PI * PI) * (CATALAN - terms.sum::<f64>())
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
    fn shear_stresses_of_torsion_agree_with_timoshenkos_table() {
        // Timoshenko & Goodier, Theory of Elasticity, section 109: largest stress T/(k₂ a b²) at the long side.
        for (ratio, k) in [(1.0, 0.208), (1.5, 0.231), (2.0, 0.246), (3.0, 0.267), (10.0, 0.312), (1e6, 1.0 / 3.0)] {
            let (a, b) = (0.3 * ratio, 0.3);
            let found = rectangle_torsion(a, b) / (side_torsion(a, b) * a * b * b);
            assert!((found - k).abs() < 6e-4, "{ratio}: {found}");
        }
        // At the short side 0.743 of it for a strip (8 C/π²), and the series agree for a square.
        assert!((side_torsion(0.3, 1e4) / side_torsion(1e4, 0.3) - 0.742_454).abs() < 1e-6);
        let below = 0.3 * (1.0 - 1e-13);
        assert!((side_torsion(below, 0.3) / side_torsion(0.3, below) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn shear_stresses_have_the_internal_forces_as_resultants() {
        let section = |shape: &str| -> Section { toml::from_str(shape).expect("a section") };
        let point = |y: f64, z: f64| Point { name: "p".into(), y, z };
        // A tube: T = ∫ r τ dA of the thin ring, V by ∫ τ dA along V.
        let ring = section("name = \"t\"\nshape = \"tube\"\nouter_diameter = 0.1\nthickness = 1e-7");
        let of_ring = properties(&ring, 0.3);
        let count = 64;
        let mut sums = [[0.0; 3]; 3];
        for k in 0..count {
            let angle = 2.0 * PI * f64::from(k) / f64::from(count);
            let (y, z) = (0.05 * angle.cos(), 0.05 * angle.sin());
            let [xy, xz] = shear_rows(&ring, &of_ring, &point(y, z)).expect("a tube");
            for (force, sum) in sums.iter_mut().enumerate() {
                let (xy, xz) = (xy[1 + force], xz[1 + force]);
                let part = of_ring.area / f64::from(count);
                sum[0] += part * xy;
                sum[1] += part * xz;
                sum[2] += part * (y * xz - z * xy);
            }
        }
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            assert!((sums[i][j] - f64::from(u8::from(i == j))).abs() < 1e-5, "{sums:?}");
        }
        // A solid bar: 16 T/(π d³) and 4 V/(3 A).
        let bar = section("name = \"b\"\nshape = \"tube\"\nouter_diameter = 0.1\nthickness = 0.05");
        let [xy, xz] = shear_rows(&bar, &properties(&bar, 0.3), &point(0.05, 0.0)).expect("a bar");
        let area = PI * 0.01 / 4.0;
        assert!((xz[3] * PI * 1e-3 / 16.0 - 1.0).abs() < 1e-14 && (xz[2] * area * 0.75 - 1.0).abs() < 1e-14);
        assert!(xy.iter().chain([&xz[1]]).all(|entry| *entry == 0.0), "{xy:?} {xz:?}");
        // A rectangle: signs at the four sides, nothing at the corners, nothing known elsewhere.
        let plate = section("name = \"r\"\nshape = \"rectangle\"\nwidth = 0.04\nheight = 0.02");
        let of_plate = properties(&plate, 0.3);
        let rows = |y, z| shear_rows(&plate, &of_plate, &point(y, z));
        assert_eq!(rows(0.02, -0.01), Some([[0.0; 6]; 2]));
        assert_eq!(rows(0.02, 0.001), None);
        let [top, bottom] = [0.01, -0.01].map(|z| rows(0.0, z).expect("a side"));
        let [left, right] = [0.02, -0.02].map(|y| rows(y, 0.0).expect("a side"));
        assert!(top[0][3] < 0.0 && bottom[0][3] == -top[0][3] && left[1][3] > 0.0 && right[1][3] == -left[1][3]);
        assert!(top[0][3].abs() > left[1][3], "the stress is largest at the long side");
        assert_eq!((top[0][1], left[1][2]), (1.5 / 8e-4, 1.5 / 8e-4));
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
