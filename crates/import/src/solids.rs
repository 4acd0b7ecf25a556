//! Contact solids, the law of every pair, and the smallest set of contacts with exactly these pairs.
//!
//! # Law
//!
//! In MuJoCo the compliance of a contact depends on the mobility a of both bodies in the zero position, the sum of
//! their accelerations per force ([`Robot::body_mobilities`]). With `solref` T and ζ and the impedance d(δ) of
//! `solimp`, which grows with the depth δ to d_max, the force of a point of contact at rest is
//!
//! ```text
//!     f(δ) = d² δ/((1 − d) a d_max² T² ζ²).
//! ```
//!
//! Here the stiffness is k = F/δ with the depth of the load F on a point: the weight of the lighter side with all
//! connected bodies, divided by the number of points, and by up to four for solids that touch the same solid. A round
//! solid has one point, a cylinder three, another solid with faces four. At most
//!
//! ```text
//!     k = m₁ (π/(10 h))²,
//! ```
//!
//! so that an impact that stops m₁, the reduced mass of both bodies including all bodies fixed to them, lasts ten
//! steps. On a face of the area A the pressure per depth is κ = 4 k/A or 3 k/A. For a hull on a plane, A is the
//! geometric mean of its largest face and of the mean area of the part that the plane covers in the zero position. The
//! force of spheres and capsules is π κ R δ². Their κ gives the same depth under F, limited to ten steps per impact at
//! 1 m/s,
//!
//! ```text
//!     κ = k²/(π R F),      κ ≤ 81 m₁/(2 π R (10 h)³ · 1 m/s).
//! ```
//!
//! Restitution: fraction of the speed after an impact on a spring with the damping ratio ζ that cannot pull; e⁻² for
//! ζ = 1. T. Schwager, T. Pöschel, Coefficient of restitution and linear-dashpot model revisited, Granular Matter 9
//! (2007) 465.
//!
//! # Contacts
//!
//! Pairs with one law, κ rounded to twelve values per decade, are grouped into contacts whose `solids` each
//! touch each of `others`. Each group takes the remaining solid with most pairs, and all others that touch the same
//! solids.

use crate::frame::Pose;
use crate::hull;
use crate::robot::{Joint, Robot};
use crate::xml::{Files, XmlPosition};
use ballesta::math::{Vec3, elementary::exp, elementary::ln, has_hull, larger};
use ballesta::model::schema::JointKind as Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

/// Smallest number of steps of an impact, and its speed in m/s.
const STEPS: f64 = 10.0;
const SPEED: f64 = 1.0;
/// Range of restitutions of a contact.
const RESTITUTION: [f64; 2] = [0.05, 1.0];
/// Largest number of pairs of one contact.
const MAX_PAIRS: usize = 256;
/// Largest number of corners of the hull of a mesh: 2 · 34 − 4 triangles are the largest number of faces.
const MAX_HULL_CORNERS: usize = 34;
/// Largest shift of a corner of a hull as a fraction of its size, and number of attempts.
const HULL_TOLERANCE: f64 = 1e-6;
const HULL_ATTEMPTS: usize = 8;
/// Number of points of an ellipsoid, of which the hull is taken.
const ELLIPSOID_POINTS: usize = 1000;
/// Solids with this number of pairs among them.
const MAX_MUTUAL_SOLIDS: usize = 23;
/// Acceleration in m/s² for models without gravity.
const USUAL_GRAVITY: f64 = 9.81;
/// Largest number of solids that share the weight.
const MAX_SHARES: usize = 4;
/// Range of impedances in MuJoCo.
const IMPEDANCES: [f64; 2] = [0.0001, 0.9999];
/// Smallest and largest depth of a contact at rest, m, and the number of bisections between them.
const DEPTHS: [f64; 2] = [1e-9, 1.0];
const BISECTIONS: usize = 60;

/// A solid on a body.
pub struct Solid {
    pub name: String,
    pub body: String,
    pub pose: Pose,
    pub kind: SolidKind,
}

/// Shape, lengths in m, in its frame.
pub enum SolidKind {
    /// z ≤ 0.
    Plane,
    Sphere(f64),
    /// Radius, length along z without the half spheres.
    Capsule([f64; 2]),
    /// Radius, length along z.
    Cylinder([f64; 2]),
    Box([f64; 3]),
    /// Points of the convex hull.
    Hull(Vec<Vec3>),
}

/// Two solids that touch each other.
pub struct ContactPair {
    /// Indices of the solids.
    pub solids: [usize; 2],
    pub law: Law,
}

/// Contact parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Law {
    pub friction: f64,
    /// Arms of rolling resistance, m.
    pub spinning: f64,
    pub rolling: f64,
    pub impedance: Impedance,
    /// T² ζ², s²; positive.
    pub squared: f64,
    /// ζ.
    pub damping_ratio: f64,
}

/// `solimp` of MuJoCo: the impedance at no depth, the largest impedance, the width in m of the transition, its midpoint
/// as a fraction of the width, and its power.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Impedance(pub [f64; 5]);

impl Impedance {
    /// MuJoCo's default.
    pub const USUAL: Impedance = Impedance([0.9, 0.95, 0.001, 0.5, 2.0]);

    /// d at a depth in m.
    fn at(&self, depth: f64) -> f64 {
        let Impedance([start, end, width, middle, power]) = *self;
        let bounded = |impedance: f64| impedance.clamp(IMPEDANCES[0], IMPEDANCES[1]);
        let (start, end) = (bounded(start), bounded(end));
        let (middle, power) = (bounded(middle), larger(power, 1.0));
        let part = if width > 0.0 { (depth / width).min(1.0) } else { 1.0 };
        let raised = |x: f64, power: f64| if x > 0.0 { exp(power * ln(x)) } else { 0.0 };
        let grown = if part <= middle {
            raised(part, power) / raised(middle, power - 1.0)
        } else {
            1.0 - raised(1.0 - part, power) / raised(1.0 - middle, power - 1.0)
        };
        start + grown * (end - start)
    }
}

impl Law {
    /// The law of MuJoCo's default parameters.
    pub const USUAL: Law = Law {
        friction: 1.0,
        spinning: 0.0,
        rolling: 0.0,
        impedance: Impedance::USUAL,
        squared: 4e-4,
        damping_ratio: 1.0,
    };

    /// Stiffness F/δ in N/m of a point of contact at rest under the load F in N, for the mobility a of both bodies in
    /// 1/kg.
    pub fn stiffness(&self, load: f64, mobility: f64) -> f64 {
        let largest = self.impedance.at(f64::INFINITY);
        let force = |depth: f64| {
            let d = self.impedance.at(depth);
            d * d * depth / ((1.0 - d) * mobility * largest * largest * self.squared)
        };
        // f(δ) grows with δ.
        let [mut low, mut high] = DEPTHS;
        for _ in 0..BISECTIONS {
            let middle = (low * high).sqrt();
            if force(middle) < load { low = middle } else { high = middle }
        }
        load / high
    }
}

/// The convex hull of points of a body for contacts, with fewer corners if it has too many; `None` without volume.
pub fn contact_hull(files: &Files, place: XmlPosition, points: Vec<Vec3>) -> Option<SolidKind> {
    if let Some(points) = sound_hull(&points) {
        return Some(SolidKind::Hull(points));
    }
    let (few, gap) = hull::farthest(&points, MAX_HULL_CORNERS);
    let few = sound_hull(&few)?;
    // One digit, rounded up; corners move by up to a millionth of the size.
    let gap = larger(gap, 1e-9);
    let unit = 10f64.powi((1e3 * gap).log10().floor() as i32);
    let gap = crate::write::short((1e3 * gap / unit).ceil() * unit);
    files.note(
        place,
        format!("contact of a shape with many corners: a hull of up to {MAX_HULL_CORNERS}, at most {gap} mm inside"),
    );
    Some(SolidKind::Hull(few))
}

/// Points with a valid hull, moved by up to a millionth of their size if necessary. Numbers of 32 bits leave the
/// corners of a flat face almost, but not exactly, in one plane.
fn sound_hull(points: &[Vec3]) -> Option<Vec<Vec3>> {
    let size = points.iter().map(|point| (point - points[0]).amax()).fold(0.0, larger);
    let unit = HULL_TOLERANCE * size;
    let moved = |attempt: usize| -> Vec<Vec3> {
        let place = |(index, point): (usize, &Vec3)| match attempt {
            0 => *point,
            // On a grid, faces across an axis become flat.
            1 => point.map(|value| (value / unit).round() * unit),
            // Fractions of multiples of the golden ratio: no four points stay in one plane.
            _ => {
                let fraction = |axis: usize| (0.6180339887498949 * ((3 * index + axis) * attempt) as f64).fract() - 0.5;
                point + Vec3::new(fraction(1), fraction(2), fraction(3)) * unit
            }
        };
        points.iter().enumerate().map(place).collect()
    };
    (0..HULL_ATTEMPTS).map(moved).find(|points| has_hull(points))
}

/// Points of an ellipsoid with these half lengths.
pub fn ellipsoid(pose: &Pose, halves: [f64; 3]) -> Vec<Vec3> {
    hull::directions(ELLIPSOID_POINTS).map(|way| pose.point(&way.component_mul(&Vec3::from(halves)))).collect()
}

impl Solid {
    /// z of its lowest point, m.
    pub fn lowest(&self) -> f64 {
        let up = self.pose.turn.row(2);
        let middle = self.pose.at.z;
        match &self.kind {
            SolidKind::Plane => f64::INFINITY,
            SolidKind::Sphere(radius) => middle - radius,
            SolidKind::Capsule([radius, length]) => middle - 0.5 * length * up[2].abs() - radius,
            SolidKind::Cylinder([radius, length]) => {
                let sine = larger(1.0 - up[2] * up[2], 0.0).sqrt();
                middle - 0.5 * length * up[2].abs() - radius * sine
            }
            SolidKind::Box(size) => middle - (0..3).map(|k| 0.5 * size[k] * up[k].abs()).sum::<f64>(),
            SolidKind::Hull(points) => points.iter().map(|point| point.z).fold(f64::INFINITY, f64::min),
        }
    }
}

/// A contact of the model file.
#[derive(Clone)]
pub struct Contact {
    pub name: String,
    pub solids: Vec<usize>,
    /// Empty if `solids` touch each other.
    pub others: Vec<usize>,
    pub law: Law,
    /// N/m³.
    pub stiffness: f64,
    pub restitution: f64,
    /// N/m.
    pub tangential: f64,
    /// Largest weight of a lighter side, N, and the largest depth at one point under it, m.
    pub weight: f64,
    pub depth: f64,
}

/// Stiffness of a pair, and its depth under a weight, N.
struct ContactStiffness {
    stiffness: f64,
    tangential: f64,
    weight: f64,
    depth: f64,
}

impl SolidKind {
    /// Radius of a round solid.
    fn radius(&self) -> Option<f64> {
        match self {
            SolidKind::Sphere(radius) | SolidKind::Capsule([radius, _]) => Some(*radius),
            _ => None,
        }
    }

    /// Area of its largest face, m²; for a hull the largest face of its bounding box.
    fn face(&self) -> Option<f64> {
        let largest = |[x, y, z]: [f64; 3]| x * y * z / x.min(y).min(z);
        match self {
            SolidKind::Cylinder([radius, _]) => Some(PI * radius * radius),
            SolidKind::Box(size) => Some(largest(*size)),
            SolidKind::Hull(points) => {
                let size = [0, 1, 2].map(|k| {
                    let along = points.iter().map(|point| point[k]);
                    along.clone().fold(f64::NEG_INFINITY, larger) - along.fold(f64::INFINITY, f64::min)
                });
                Some(largest(size))
            }
            _ => None,
        }
    }
}

/// The nearest of the values 1, 1.2, 1.5, … 8.2 times a power of ten (series E12 of IEC 60063).
fn rounded(value: f64) -> f64 {
    const SERIES: [f64; 13] = [1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2, 10.0];
    let text = format!("{value:e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa: f64 = mantissa.parse().unwrap_or(1.0);
    let off = |step: f64| if step > mantissa { step / mantissa } else { mantissa / step };
    let nearest = SERIES.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(1.0);
    format!("{nearest}e{power}").parse().unwrap_or(value)
}

/// Fraction of its speed with which a mass leaves a spring and damper that only push.
fn restitution(ratio: f64) -> f64 {
    let found = if ratio < 1.0 {
        let root = (1.0 - ratio * ratio).sqrt();
        let angle = (2.0 * ratio * root).atan2(2.0 * ratio * ratio - 1.0);
        exp(-ratio / root * angle)
    } else if ratio > 1.0 {
        let root = (ratio * ratio - 1.0).sqrt();
        exp(-ratio / root * ln((ratio + root) / (ratio - root)))
    } else {
        exp(-2.0)
    };
    let [least, most] = RESTITUTION;
    // Two digits are enough for a rule of thumb.
    (found.clamp(least, most) * 100.0).round() / 100.0
}

/// Mean area in m² of the part of a hull that a plane covers to the depth in m, in the zero position; `None` for other
/// pairs.
fn hull_on_plane(solids: [&Solid; 2], depth: f64) -> Option<f64> {
    let [one, two] = solids;
    let (plane, hull) = if matches!(one.kind, SolidKind::Plane) { (one, two) } else { (two, one) };
    let (SolidKind::Plane, SolidKind::Hull(points)) = (&plane.kind, &hull.kind) else { return None };
    let points: Vec<Vec3> = points.iter().map(|point| hull.pose.point(point)).collect();
    let area = hull::volume_below(&points, &(plane.pose.turn * Vec3::z()), depth) / depth;
    Some(area).filter(|area| *area > 0.0)
}

impl Robot {
    /// First body on the path to the ground whose joint does not constrain `body`.
    fn root<'r>(&'r self, body: &'r str, holds: impl Fn(&Joint) -> bool) -> &'r str {
        let mut at = body;
        // In a tree the number of steps is at most the number of joints.
        for _ in 0..self.joints.len() {
            let above = self.joints.iter().find(|joint| !joint.is_closure && joint.bodies[1] == at);
            let Some(joint) = above.filter(|joint| holds(joint)) else { break };
            at = &joint.bodies[0];
        }
        at
    }

    /// Masses that move with each body, kg: of bodies fixed to it, and of all connected bodies; infinite for bodies
    /// fixed to the ground.
    fn masses(&self) -> BTreeMap<&str, [f64; 2]> {
        let fixed = |joint: &Joint| joint.kind == Kind::Fixed;
        let hangs = |joint: &Joint| joint.kind == Kind::Fixed || joint.bodies[0] != "ground";
        let names = self.bodies.iter().map(|body| body.name.as_str()).chain(["ground"]);
        let roots: BTreeMap<&str, [&str; 2]> =
            names.map(|name| (name, [self.root(name, fixed), self.root(name, hangs)])).collect();
        let mut sums: [BTreeMap<&str, f64>; 2] = Default::default();
        for body in &self.bodies {
            for (sum, root) in sums.iter_mut().zip(roots[body.name.as_str()]) {
                *sum.entry(root).or_insert(0.0) += body.mass;
            }
        }
        let mass = |sum: &BTreeMap<&str, f64>, root: &str| match root {
            "ground" => f64::INFINITY,
            _ => sum.get(root).copied().unwrap_or_default(),
        };
        roots.into_iter().map(|(name, [one, two])| (name, [mass(&sums[0], one), mass(&sums[1], two)])).collect()
    }

    /// The stiffness of a pair, and its effect.
    fn pressed(
        &self,
        touching: &ContactPair,
        masses: &BTreeMap<&str, [f64; 2]>,
        mobilities: &BTreeMap<&str, f64>,
    ) -> ContactStiffness {
        let solids = touching.solids.map(|solid| &self.solids[solid]);
        let [one, two] = solids.map(|solid| masses.get(solid.body.as_str()).copied().unwrap_or([0.0; 2]));
        let whole = f64::min(one[1], two[1]);
        // 1/m₁ = 1/m + 1/m of both bodies; for a body without mass, the mass of all connected bodies.
        let light = 1.0 / (1.0 / one[0] + 1.0 / two[0]);
        let light = if light > 0.0 { light } else { whole };
        let gravity = Some(self.gravity.norm()).filter(|gravity| *gravity > 0.0).unwrap_or(USUAL_GRAVITY);
        let (weight, lasts) = (whole * gravity, STEPS * self.design_step());
        let mobility: f64 = solids.iter().filter_map(|solid| mobilities.get(solid.body.as_str())).sum();
        let mobility = if mobility > 0.0 { mobility } else { 1.0 / whole };
        let share = weight / self.shares(touching, masses) as f64;
        let most = light * (PI / lasts) * (PI / lasts);
        let curvature: f64 = solids.iter().filter_map(|solid| solid.kind.radius()).map(|radius| 1.0 / radius).sum();
        let (stiffness, depth) = if curvature > 0.0 {
            let wanted = touching.law.stiffness(share, mobility).powi(2) * curvature / (PI * share);
            let resolved = 81.0 * light * curvature / (2.0 * PI * lasts * lasts * lasts * SPEED);
            let stiffness = rounded(f64::min(wanted, resolved));
            (stiffness, (weight * curvature / (PI * stiffness)).sqrt())
        } else {
            let points = self.points(touching);
            let wanted = f64::min(points * touching.law.stiffness(share / points, mobility), most);
            let area = solids.iter().filter_map(|solid| solid.kind.face()).fold(f64::INFINITY, f64::min);
            // A foot may turn from the zero position.
            let area = hull_on_plane(solids, share / wanted).map_or(area, |covered| (covered * area).sqrt());
            let stiffness = rounded(wanted / area);
            (stiffness, weight / (stiffness * area))
        };
        ContactStiffness { stiffness, tangential: f64::min(weight / depth, most), weight, depth }
    }

    /// Number of points at which two solids with faces touch in MuJoCo.
    fn points(&self, touching: &ContactPair) -> f64 {
        let is_cylinder = |solid: &usize| matches!(self.solids[*solid].kind, SolidKind::Cylinder(_));
        if touching.solids.iter().any(is_cylinder) { 3.0 } else { 4.0 }
    }

    /// Number of solids of the lighter side that touch the heavier of two solids, at most [`MAX_SHARES`].
    fn shares(&self, touching: &ContactPair, masses: &BTreeMap<&str, [f64; 2]>) -> usize {
        let whole = |solid: usize| masses.get(self.solids[solid].body.as_str()).map_or(0.0, |mass| mass[1]);
        let [one, two] = touching.solids;
        let heavy = if whole(one) > whole(two) { one } else { two };
        let is_on = |pair: &&ContactPair| pair.solids.contains(&heavy);
        self.touching.iter().filter(is_on).take(MAX_SHARES).count().max(1)
    }

    /// Contacts with all pairs.
    pub fn contacts(&self) -> Vec<Contact> {
        let (masses, mobilities) = (self.masses(), self.body_mobilities());
        // The bits of positive numbers have the order of the numbers.
        let mut laws: BTreeMap<[u64; 5], Vec<(&ContactPair, ContactStiffness)>> = BTreeMap::new();
        for touching in &self.touching {
            let pressed = self.pressed(touching, &masses, &mobilities);
            let law = &touching.law;
            let damping = restitution(law.damping_ratio);
            let key = [pressed.stiffness, law.friction, law.spinning, law.rolling, damping].map(f64::to_bits);
            laws.entry(key).or_default().push((touching, pressed));
        }
        let is_free = |name: &String| {
            !self.names.elements.contains(name) && !self.names.variables.contains(&format!("{name}.normal_force"))
        };
        let mut names = (1..).map(|number| format!("contact_{number}")).filter(is_free);
        let mut contacts = Vec::new();
        for pairs in laws.values() {
            let Some((first, pressed)) = pairs.first() else { continue };
            let tangential = pairs.iter().map(|(_, pressed)| pressed.tangential).fold(f64::INFINITY, f64::min);
            let most =
                |of: fn(&ContactStiffness) -> f64| pairs.iter().map(|(_, pressed)| of(pressed)).fold(0.0, larger);
            for [solids, others] in self.grouped(pairs.iter().map(|(touching, _)| touching.solids).collect()) {
                let (law, stiffness) = (first.law, pressed.stiffness);
                let restitution = restitution(law.damping_ratio);
                let (weight, depth) = (most(|pressed| pressed.weight), most(|pressed| pressed.depth));
                let name = names.next().unwrap_or_default();
                contacts.push(Contact { name, solids, others, law, stiffness, restitution, tangential, weight, depth });
            }
        }
        contacts
    }

    /// Pairs as lists of solids: each of the first touches each of the second, or all of the first touch each other if
    /// the second is empty. Pairs of solids on one body may be included, because they do not touch anyway.
    fn grouped(&self, pairs: Vec<[usize; 2]>) -> Vec<[Vec<usize>; 2]> {
        let mut left: BTreeSet<[usize; 2]> = pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let mut groups = Vec::new();
        while !left.is_empty() {
            let touch = |a: usize, b: usize| left.contains(&[a.min(b), a.max(b)]);
            let may = |a: usize, b: usize| touch(a, b) || self.solids[a].body == self.solids[b].body;
            let solids: BTreeSet<usize> = left.iter().flatten().copied().collect();
            let count = |a: usize| solids.iter().filter(|b| touch(a, **b)).count();
            // The solid with most pairs; of several, the first.
            let Some(first) = solids.iter().copied().rev().max_by_key(|solid| count(*solid)) else { break };
            let others: Vec<usize> = solids.iter().copied().filter(|other| touch(first, *other)).collect();
            let alike = |solid: &usize| {
                let all = others.iter().all(|other| may(*solid, *other));
                !others.contains(solid) && all && others.iter().any(|other| touch(*solid, *other))
            };
            let some: Vec<usize> = solids.iter().copied().filter(alike).take(MAX_PAIRS).collect();
            let mut circle = vec![first];
            for other in &others {
                if circle.len() < MAX_MUTUAL_SOLIDS && circle.iter().all(|known| may(*known, *other)) {
                    circle.push(*other);
                }
            }
            let others: Vec<usize> = others.into_iter().take((MAX_PAIRS / some.len()).max(1)).collect();
            let between =
                |[a, b]: &[usize; 2]| some.contains(a) && others.contains(b) || some.contains(b) && others.contains(a);
            let within = |pair: &[usize; 2]| pair.iter().all(|solid| circle.contains(solid));
            let counts = [left.iter().filter(|pair| within(pair)).count(), left.iter().filter(|p| between(p)).count()];
            if counts[0] > counts[1] {
                left = left.iter().copied().filter(|pair| !within(pair)).collect();
                groups.push([circle, Vec::new()]);
            } else {
                left = left.iter().copied().filter(|pair| !between(pair)).collect();
                groups.push([some, others]);
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stiffness_is_rounded_to_the_nearest_of_twelve_values_per_decade() {
        for (value, wanted) in [(1.0, 1.0), (1.95e6, 1.8e6), (2.02e6, 2.2e6), (4.999e-3, 4.7e-3), (9.5e9, 1e10)] {
            assert_eq!(rounded(value), wanted);
        }
    }

    #[test]
    fn points_of_single_precision_on_flat_faces_have_a_hull() {
        // A prism over a polygon, turned and rounded to 32 bits like the points of an STL file.
        let turn = ballesta::math::rotation::about(&Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
        for corners in [5, 8, 11, 17] {
            let corner = |k: usize| {
                let angle = 2.0 * PI * (k % corners) as f64 / corners as f64;
                let point = Vec3::new(angle.cos(), angle.sin(), if k < corners { -0.3 } else { 0.3 });
                (turn * point).map(|value| f64::from(value as f32))
            };
            let points: Vec<Vec3> = (0..2 * corners).map(corner).collect();
            let sound = sound_hull(&points).expect("a hull");
            assert!(points.iter().zip(&sound).all(|(a, b)| (a - b).norm() < 2e-6));
        }
    }

    #[test]
    fn a_damped_spring_that_only_pushes_leaves_its_restitution() {
        // m x'' = −max(0, k x + c x') with m = k = 1, in small steps.
        for ratio in [0.0, 0.3, 0.7, 1.0, 1.3] {
            let (mut x, mut v, h) = (0.0_f64, -1.0_f64, 1e-5);
            loop {
                let force = -x - 2.0 * ratio * v;
                if force <= 0.0 && v > 0.0 {
                    break;
                }
                v += h * force.max(0.0);
                x += h * v;
            }
            assert!((v - restitution(ratio)).abs() < 0.006, "{ratio}: {v} {}", restitution(ratio));
        }
    }
}
