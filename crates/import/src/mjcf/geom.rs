//! Geoms: mass properties and shapes.

use super::compiler::Compiler;
use super::defaults::Spec;
use super::fit::FittedBox;
use super::mesh_solid::MeshSolid;
use crate::frame::{Pose, of_z};
use crate::robot::Form;
use crate::solids::SolidKind;
use ballesta::math::elementary::pow;
use ballesta::math::{Mat3, Vec3};
use std::f64::consts::PI;

/// Shape of a geom in the axes of its frame; half lengths in m.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Solid {
    Sphere(f64),
    /// Radius, half length of the straight part.
    Capsule(f64, f64),
    /// Radius, half length.
    Cylinder(f64, f64),
    Ellipsoid([f64; 3]),
    Box([f64; 3]),
    Mesh,
    /// Half lengths; 0 if infinite. It has no mass, nor does a height field.
    Plane([f64; 2]),
    HeightField,
}

/// Exponent of the area of an ellipsoid.
const THOMSEN: f64 = 1.6075;
/// Thickness of the skin of an ellipsoid, m.
const SKIN: f64 = 1e-6;

/// A geom in its given frame.
pub struct Geom {
    pub solid: Solid,
    pub pose: Pose,
}

/// Mass and inertia about the origin of the frame, its axes.
pub struct MassProperties {
    pub mass: f64,
    pub com: Vec3,
    pub inertia: Mat3,
}

/// Geom types that can be fitted to a mesh.
pub const FITTED: [&str; 5] = ["sphere", "capsule", "cylinder", "ellipsoid", "box"];

/// The frame between both ends of `fromto`, with half their distance; `None` without `fromto`.
pub fn between(spec: &Spec) -> Option<(Pose, f64)> {
    let [a, b, c, d, e, f] = spec.numbers::<6>("fromto")?;
    let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
    let Some(turn) = of_z(&(from - to)) else {
        spec.wrong("fromto", "the two end points coincide", "give two different points");
        return None;
    };
    Some((Pose { turn, at: 0.5 * (from + to) }, 0.5 * (from - to).norm()))
}

/// Reads type, sizes and position of a geom. If it is fitted to a mesh, `fit` gives the sizes.
pub fn read(spec: &Spec, compiler: &Compiler, fit: Option<&FittedBox>) -> Option<Geom> {
    let kind = spec.text("type").unwrap_or("sphere");
    let mut pose = compiler.pose(spec);
    let mut size = spec.list("size").unwrap_or_default();
    let mut half = None;
    let factor = spec.number("fitscale").unwrap_or(1.0);
    if spec.has("fromto") {
        let (found, length) = between(spec)?;
        if spec.has("mesh") {
            spec.wrong("fromto", "fromto is not supported for a geom with a mesh", "give pos and an orientation");
        }
        (pose, half) = (found, Some(length));
    }
    if let Some(fit) = fit {
        pose = pose.then(&fit.pose);
        size = fit.sizes(kind, factor);
    }
    let is_ball = kind == "capsule" && fit.is_some() && size[1] == 0.0;
    let kind = if is_ball { "sphere" } else { kind };
    let given = |index: usize| size.get(index).copied().filter(|size| *size > 0.0);
    let length = |index: usize| half.or(given(index));
    let solid = match kind {
        "sphere" => given(0).map(Solid::Sphere),
        "capsule" => given(0).zip(length(1)).map(|(r, l)| Solid::Capsule(r, l)),
        "cylinder" => given(0).zip(length(1)).map(|(r, l)| Solid::Cylinder(r, l)),
        "ellipsoid" | "box" => {
            // Between two points, width and thickness are equal.
            let second = given(if half.is_some() { 0 } else { 1 });
            let sizes = given(0).zip(second).zip(length(2)).map(|((x, y), z)| [x, y, z]);
            sizes.map(|sizes| if kind == "box" { Solid::Box(sizes) } else { Solid::Ellipsoid(sizes) })
        }
        "plane" => Some(Solid::Plane([0, 1].map(|k| given(k).unwrap_or_default()))),
        "hfield" => Some(Solid::HeightField),
        "mesh" | "sdf" => Some(Solid::Mesh),
        other => {
            let cure = "write sphere, capsule, cylinder, ellipsoid, box, mesh, plane or hfield";
            spec.wrong("type", format!("unknown geom type \"{other}\""), cure);
            return None;
        }
    };
    if fit.is_none() && FITTED.contains(&kind) && spec.has("mesh") {
        // The mesh cannot be read.
        return Some(Geom { solid: Solid::Mesh, pose });
    }
    if solid.is_none() {
        let cure = "give positive half lengths in m: sphere 1, capsule and cylinder 2, box and ellipsoid 3";
        spec.wrong("size", format!("size {size:?} does not define a {kind}"), cure);
    }
    solid.map(|solid| Geom { solid, pose })
}

impl Solid {
    /// Volume in m³, and the inertia of density 1 about the middle.
    fn volume(self) -> Option<(f64, Vec3)> {
        Some(match self {
            Solid::Sphere(r) => {
                let volume = 4.0 / 3.0 * PI * r * r * r;
                (volume, Vec3::repeat(0.4 * volume * r * r))
            }
            Solid::Cylinder(r, h) => {
                let volume = 2.0 * PI * r * r * h;
                let across = volume * (0.25 * r * r + h * h / 3.0);
                (volume, Vec3::new(across, across, 0.5 * volume * r * r))
            }
            Solid::Capsule(r, h) => {
                let (middle, ends) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
                // The centre of mass of a half sphere is 3/8 r from its plane.
                let across = middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * r * h);
                (middle + ends, Vec3::new(across, across, (0.5 * middle + 0.4 * ends) * r * r))
            }
            Solid::Ellipsoid([x, y, z]) => {
                let volume = 4.0 / 3.0 * PI * x * y * z;
                (volume, 0.2 * volume * Vec3::new(y * y + z * z, x * x + z * z, x * x + y * y))
            }
            Solid::Box([x, y, z]) => {
                let volume = 8.0 * x * y * z;
                (volume, volume / 3.0 * Vec3::new(y * y + z * z, x * x + z * z, x * x + y * y))
            }
            Solid::Mesh | Solid::Plane(_) | Solid::HeightField => return None,
        })
    }

    /// Area in m², and the inertia of the surface with density 1 about the middle.
    fn shell(self) -> Option<(f64, Vec3)> {
        Some(match self {
            Solid::Sphere(r) => {
                let area = 4.0 * PI * r * r;
                (area, Vec3::repeat(2.0 / 3.0 * area * r * r))
            }
            Solid::Cylinder(r, h) => {
                let (side, ends) = (4.0 * PI * r * h, 2.0 * PI * r * r);
                let across = side * (0.5 * r * r + h * h / 3.0) + ends * (0.25 * r * r + h * h);
                (side + ends, Vec3::new(across, across, (side + 0.5 * ends) * r * r))
            }
            Solid::Capsule(r, h) => {
                let (side, ends) = (4.0 * PI * r * h, 4.0 * PI * r * r);
                // The centre of mass of a half sphere is r/2 from its plane.
                let across = side * (0.5 * r * r + h * h / 3.0) + ends * (2.0 / 3.0 * r * r + h * h + r * h);
                (side + ends, Vec3::new(across, across, (side + 2.0 / 3.0 * ends) * r * r))
            }
            Solid::Box([x, y, z]) => {
                // Second moments of the pairs of faces: half lengths inside a face, distance across it.
                let pairs = [8.0 * y * z, 8.0 * x * z, 8.0 * x * y];
                let squares = [x * x, y * y, z * z];
                let total: f64 = pairs.iter().sum();
                let along = |k: usize| squares[k] * (pairs[k] + (total - pairs[k]) / 3.0);
                let [xx, yy, zz] = [0, 1, 2].map(along);
                (total, Vec3::new(yy + zz, xx + zz, xx + yy))
            }
            Solid::Ellipsoid(halves) => {
                // K. Thomsen's area, and the difference of two solids, as in MuJoCo.
                let power = |x: f64, y: f64| pow(x * y, THOMSEN);
                let [x, y, z] = halves;
                let area = 4.0 * PI * pow((power(x, y) + power(x, z) + power(y, z)) / 3.0, 1.0 / THOMSEN);
                let (inner, outer) = (self.volume()?, Solid::Ellipsoid(halves.map(|half| half + SKIN)).volume()?);
                (area, (outer.1 - inner.1) * (area / (outer.0 - inner.0)))
            }
            Solid::Mesh | Solid::Plane(_) | Solid::HeightField => return None,
        })
    }

    /// Appearance.
    pub fn form(self) -> Option<Form> {
        Some(match self {
            Solid::Sphere(r) => Form::Sphere(r),
            Solid::Capsule(r, h) => Form::Capsule([r, 2.0 * h]),
            Solid::Cylinder(r, h) => Form::Cylinder([r, 2.0 * h]),
            Solid::Box(halves) => Form::Box(halves.map(|half| 2.0 * half)),
            Solid::Ellipsoid(_) | Solid::Mesh | Solid::Plane(_) | Solid::HeightField => return None,
        })
    }

    /// Shape for contacts.
    pub fn touching(self) -> Option<SolidKind> {
        Some(match self {
            Solid::Sphere(r) => SolidKind::Sphere(r),
            Solid::Capsule(r, h) => SolidKind::Capsule([r, 2.0 * h]),
            Solid::Cylinder(r, h) => SolidKind::Cylinder([r, 2.0 * h]),
            Solid::Box(halves) => SolidKind::Box(halves.map(|half| 2.0 * half)),
            Solid::Plane(_) => SolidKind::Plane,
            Solid::Ellipsoid(_) | Solid::Mesh | Solid::HeightField => return None,
        })
    }
}

impl Geom {
    /// Whether the geom has a mass.
    pub fn has_mass(&self, spec: &Spec) -> bool {
        let is_solid = !matches!(self.solid, Solid::Plane(_) | Solid::HeightField);
        is_solid && spec.number("mass").map_or(spec.number("density") != Some(0.0), |mass| mass != 0.0)
    }

    /// Mass properties in the frame of the geom; `None` without mass. `mesh`: properties of the mesh, if the geom is a
    /// mesh. A mesh without them was reported before.
    pub fn weight(&self, spec: &Spec, mesh: Option<&MeshSolid>) -> Option<MassProperties> {
        if !self.has_mass(spec) {
            return None;
        }
        let is_shell = spec.text("shellinertia") == Some("true");
        let (measure, centre, inertia) = match (mesh, is_shell) {
            (Some(_), true) => {
                spec.wrong("shellinertia", "a mesh geom with shellinertia", "set inertia=\"shell\" on the mesh");
                return None;
            }
            (Some(mesh), false) => (mesh.measure, mesh.centre, mesh.inertia),
            (None, _) => {
                let found = if is_shell { self.solid.shell() } else { self.solid.volume() };
                let (measure, inertia) = found?;
                (measure, Vec3::zeros(), Mat3::from_diagonal(&inertia))
            }
        };
        let mass = spec.number("mass").unwrap_or(spec.number("density").unwrap_or(1000.0) * measure);
        if mass < 0.0 {
            spec.wrong("mass", format!("the mass is {mass} kg"), "give a positive mass");
        }
        let inertia = self.pose.inertia(&(inertia * (mass / measure)));
        Some(MassProperties { mass, com: self.pose.point(&centre), inertia })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solid, and points inside it.
    type Case = (Solid, Box<dyn Fn(Vec3) -> bool>);

    /// Sums over small cubes.
    fn counted(inside: impl Fn(Vec3) -> bool) -> (f64, Vec3) {
        let n = 200;
        let step = 4.0 / f64::from(n);
        let (mut volume, mut inertia) = (0.0, Vec3::zeros());
        for (i, j, k) in (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k)))) {
            let at = Vec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5) * step - Vec3::repeat(2.0);
            if inside(at) {
                let cube = step * step * step;
                volume += cube;
                let s = at.component_mul(&at);
                inertia += Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * cube;
            }
        }
        (volume, inertia)
    }

    #[test]
    fn volumes_and_inertias_are_those_of_many_small_cubes() {
        let flat = |p: Vec3| (p.x * p.x + p.y * p.y).sqrt();
        let past = |p: Vec3, half: f64| Vec3::new(p.x, p.y, (p.z.abs() - half).max(0.0)).norm();
        let cases: [Case; 5] = [
            (Solid::Sphere(1.5), Box::new(|p| p.norm() < 1.5)),
            (Solid::Capsule(0.8, 1.0), Box::new(move |p| past(p, 1.0) < 0.8)),
            (Solid::Cylinder(0.9, 1.6), Box::new(move |p| flat(p) < 0.9 && p.z.abs() < 1.6)),
            (Solid::Ellipsoid([1.0, 1.4, 1.9]), Box::new(|p| p.component_div(&Vec3::new(1.0, 1.4, 1.9)).norm() < 1.0)),
            (Solid::Box([0.6, 1.0, 1.8]), Box::new(|p| p.x.abs() < 0.6 && p.y.abs() < 1.0 && p.z.abs() < 1.8)),
        ];
        for (solid, inside) in cases {
            let (volume, inertia) = solid.volume().unwrap();
            let (about, summed) = counted(inside);
            assert!((volume / about - 1.0).abs() < 1e-2, "{solid:?}: {volume}, {about}");
            let apart = (inertia.component_div(&summed) - Vec3::repeat(1.0)).norm();
            assert!(apart < 2e-2, "{solid:?}: {inertia:?}, {summed:?}");
        }
    }
}
