//! Contact of round solids: spheres and capsules, which are all points within a radius of a point or a line.
//!
//! The second solid is round. Against a solid with faces its ends touch as spheres do, at the nearest point of the
//! surface; a capsule's line touches the edges as well, where it is nearest to each. Against another round solid the
//! ends touch the other's line, and the two lines where they are nearest. A cylinder is touched by the ends and by the
//! point of the line that is nearest to it ([`on_cylinder`]). The contact of two lines is weighted by sin² of the angle
//! between them: the nearest points of parallel lines are not determined, and the ends carry the whole load.
//!
//! Each place with the depth δ is a paraboloid on a bed of springs: with the radius R of the round solid, or
//! R₁ R₂/(R₁ + R₂) of two, it stores π R δ³/3, pushes with π R δ², and its patch has the radius √(2 R δ).

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::Patch;
use super::cylinder::Cylinder;
use crate::force::contact::ContactShape;
use crate::math::hull::Polytope;
use crate::math::scalar::{Scalar, lift, norm};
use crate::math::{Mat3, Vec3, at_least, divisor, within};
use core::f64::consts::PI;

/// Number of bisections of a line on a cylinder.
const BISECTIONS: usize = 54;
/// Step of the second difference of the distance, as a fraction of the line.
const DIFFERENCE: f64 = 1e-5;
/// Largest change of the slope of the distance over the last bisection at which the distance counts as smooth.
const SMOOTH: f64 = 1e-6;

/// The line of a round solid, m: both its ends, the same ones of a sphere.
pub(super) type Line<S> = [Vec3<S>; 2];

/// Sums over the contact points of two solids, in the axes of the first; for a pressure of 1 Pa per m of depth.
struct Places<S> {
    energy: S,
    force: Vec3<S>,
    /// About the origin.
    moment: Vec3<S>,
    /// Sums of the force, of its points and their squares, of the slope of the force, and of the squared patch radii.
    weight: S,
    points: Vec3<S>,
    squares: Mat3<S>,
    slope: S,
    radii: S,
    /// The smallest distance, m.
    distance: S,
}

impl<S: Scalar> Places<S> {
    fn new() -> Self {
        let zero = S::zero();
        Places {
            energy: zero,
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
            weight: zero,
            points: Vec3::zeros(),
            squares: Mat3::zeros(),
            slope: zero,
            radii: zero,
            distance: S::from_f64(f64::INFINITY),
        }
    }

    /// A point C that pushes the second solid along `n`; `share` is the weight. The energy for a share of 1.
    fn add(&mut self, p_C: Vec3<S>, n: Vec3<S>, distance: S, radius: f64, share: S) -> S {
        if distance < self.distance {
            self.distance = distance;
        }
        if !(distance < 0.0) {
            return S::zero();
        }
        // A paraboloid: U = π R δ³/3, N = π R δ², N′ = 2 π R δ with δ = −distance.
        let slope = distance * (-2.0 * PI * radius) * share;
        let push = distance * distance * (PI * radius) * share;
        let energy = distance * distance * distance * (-PI * radius / 3.0);
        self.energy += energy * share;
        self.force += n * push;
        self.moment += p_C.cross(&n) * push;
        self.weight += push;
        self.points += p_C * push;
        self.squares += p_C * p_C.transpose() * push;
        self.slope += slope;
        self.radii += distance * push * (-2.0 / 3.0 * radius);
        energy
    }

    /// Only a force on the second solid along `n`.
    fn add_force(&mut self, p_C: Vec3<S>, n: Vec3<S>, push: S) {
        self.force += n * push;
        self.moment += p_C.cross(&n) * push;
    }

    /// Two lines with radii `near` and `far`, the first of which may be the edge of a solid.
    fn lines(&mut self, first: &Line<S>, second: &Line<S>, radii: [f64; 2]) {
        let [a, b] = [first, second].map(|line| line[1] - line[0]);
        let (a, b) = (a / norm(&a), b / norm(&b));
        let [p, q] = nearest(first, second);
        let cosine = a.dot(&b);
        let energy = self.between(p, q, radii, S::one() - cosine * cosine);
        self.moment += a.cross(&b) * (energy * cosine * -2.0);
    }

    /// Two points P and Q with spheres around them; P may have none.
    fn between(&mut self, p_P: Vec3<S>, p_Q: Vec3<S>, radii: [f64; 2], share: S) -> S {
        let p_PQ = p_Q - p_P;
        let length = norm(&p_PQ);
        let n = if length > 0.0 { p_PQ / divisor(length) } else { lift(&Vec3::z()) };
        let p_C = (p_P + p_Q + n * S::from_f64(radii[0] - radii[1])) * S::from_f64(0.5);
        let radius = if radii[0] > 0.0 { radii[0] * radii[1] / (radii[0] + radii[1]) } else { radii[1] };
        self.add(p_C, n, length - radii[0] - radii[1], radius, share)
    }

    fn patch(&self) -> Patch<S> {
        let touches = self.weight > 0.0;
        let weight = if touches { self.weight } else { S::one() };
        let centre = self.points / weight;
        let size = norm(&self.force);
        let normal = if size > 0.0 { self.force / divisor(size) } else { lift(&Vec3::z()) };
        Patch {
            energy: self.energy,
            force: self.force,
            moment: self.moment - centre.cross(&self.force),
            centre,
            weight: self.weight,
            second: self.squares - centre * centre.transpose() * self.weight,
            normals: [normal; 2],
            slope: self.slope,
            radius_squared: self.radii / weight,
            distance: self.distance,
        }
    }
}

/// The point of a line segment nearest to `p`.
pub(super) fn foot<S: Scalar>(line: &Line<S>, p: &Vec3<S>) -> Vec3<S> {
    let d = line[1] - line[0];
    let squared = d.dot(&d);
    if !(squared > 0.0) {
        return line[0];
    }
    line[0] + d * within(d.dot(&(p - line[0])) / divisor(squared), 0.0, 1.0)
}

/// The nearest points of two line segments.
pub(super) fn nearest<S: Scalar>(first: &Line<S>, second: &Line<S>) -> [Vec3<S>; 2] {
    let (a, b, r) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let (aa, bb, ab, ar, br) = (a.dot(&a), b.dot(&b), a.dot(&b), a.dot(&r), b.dot(&r));
    let across = aa * bb - ab * ab;
    let t = if across > aa * bb * 1e-14 { within((ab * br - ar * bb) / divisor(across), 0.0, 1.0) } else { S::zero() };
    // The foot of that point on the second line, and the foot of this on the first.
    let q = foot(second, &(first[0] + a * t));
    [foot(first, &q), q]
}

/// No contact point.
pub(super) fn nothing<S: Scalar>() -> Patch<S> {
    Places::new().patch()
}

/// A round solid on a solid with faces; `surface`: its simpler form, if any.
pub(super) fn on_faces<S: Scalar>(
    first: (&Polytope, Option<ContactShape>),
    second: &Line<S>,
    radius: f64,
    sphere: bool,
) -> Patch<S> {
    let mut places = Places::new();
    for end in &second[..if sphere { 1 } else { 2 }] {
        let (distance, n) = match first.1 {
            Some(surface) => surface.nearest(end),
            None => first.0.nearest(end),
        };
        let p_C = end - n * ((distance + radius) * 0.5);
        places.add(p_C, n, distance - radius, radius, S::one());
    }
    if !sphere {
        for edge in &first.0.edges {
            let line = edge.ends.map(|end| lift(&first.0.corners[end]));
            places.lines(&line, second, [0.0, radius]);
        }
    }
    places.patch()
}

/// A capsule or sphere on a cylinder. The ends of a capsule touch as spheres do, and so does the point of its line that
/// is nearest to the cylinder, with the weight x₀ x₁/((x₀ + r)(x₁ + r)). x₀ and x₁ are its depths relative to both
/// ends. If the line is along the barrel, or nearest at an end, the ends carry the whole load.
pub(super) fn on_cylinder<S: Scalar>(cylinder: &Cylinder, second: &Line<S>, radius: f64, sphere: bool) -> Patch<S> {
    let surface = ContactShape::Cylinder(cylinder.radius, cylinder.half);
    let mut places = Places::new();
    // The ends touch as spheres do.
    let ends = second.map(|end| (surface.nearest(&end), end));
    for ((distance, normal), end) in &ends[..if sphere { 1 } else { 2 }] {
        let p_C = end - normal * ((*distance + radius) * 0.5);
        places.add(p_C, *normal, *distance - radius, radius, S::one());
    }
    if sphere {
        return places.patch();
    }
    let d = second[1] - second[0];
    // Slope of the distance along the line.
    let slope = |t: f64| {
        let point = |k: usize| second[0][k].value() + d[k].value() * t;
        surface.nearest(&Vec3::new(point(0), point(1), point(2))).1.dot(&d.map(S::value))
    };
    // The distance is convex along the line.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    // The nearest point of the line, and its distance and normal.
    let mut point = second[0] + d * S::from_f64(low);
    let (mut distance, mut normal) = surface.nearest(&point);
    let slopes = [low, high].map(slope);
    let jump = slopes[1] - slopes[0];
    if jump * jump > SMOOTH * SMOOTH * d.dot(&d).value() {
        // Inside of the cylinder, at a point at which another face becomes the nearest: both faces act, so that the
        // line has no slope. The point moves with its derivatives so that the depths of both remain equal.
        let (other, _) = surface.nearest(&(second[0] + d * S::from_f64(high)));
        let moved = (distance - other) / S::from_f64(jump);
        let on_line = |t: f64| second[0] + d * (moved - moved.value() + t);
        point = on_line(low);
        let [(depth, before), (_, after)] = [point, on_line(high)].map(|p| surface.nearest(&p));
        let share = after.dot(&d) / (after.dot(&d) - before.dot(&d));
        (distance, normal) = (depth, before * share + after * (-share + 1.0));
    } else if low > DIFFERENCE && low < 1.0 - DIFFERENCE {
        // One step of Newton, for the derivatives.
        let bend = (slope(low + DIFFERENCE) - slope(low - DIFFERENCE)) / (2.0 * DIFFERENCE);
        let change = normal.dot(&d);
        if change.value().abs() < DIFFERENCE * bend {
            point -= d * (change / bend);
            (distance, normal) = surface.nearest(&point);
        }
    }
    // The nearest point touches with the weight x₀ x₁/((x₀ + r)(x₁ + r)).
    let higher = ends.map(|((of_end, _), _)| at_least(of_end - distance, 0.0));
    let shares = higher.map(|x| x / (x + radius));
    let p_C = point - normal * ((distance + radius) * 0.5);
    let energy = places.add(p_C, normal, distance - radius, radius, shares[0] * shares[1]);
    for k in 0..2 {
        // The weight grows with the distance of an end.
        let wider = higher[k] + radius;
        let pull = energy * shares[1 - k] * (S::from_f64(radius) / (wider * wider));
        places.add_force(p_C, normal, pull);
        let ((distance, normal), end) = &ends[k];
        places.add_force(end - normal * ((*distance + radius) * 0.5), *normal, -pull);
    }
    places.patch()
}

/// Two round solids: their lines, their radii, and which are spheres.
pub(super) fn on_round<S: Scalar>(lines: [&Line<S>; 2], radii: [f64; 2], spheres: [bool; 2]) -> Patch<S> {
    let mut places = Places::new();
    for end in &lines[1][..if spheres[1] { 1 } else { 2 }] {
        places.between(foot(lines[0], end), *end, radii, S::one());
    }
    if !spheres[1] {
        for end in &lines[0][..if spheres[0] { 1 } else { 2 }] {
            places.between(*end, foot(lines[1], end), radii, S::one());
        }
    }
    if spheres == [false; 2] {
        places.lines(lines[0], lines[1], radii);
    }
    places.patch()
}

impl Polytope {
    /// Distance of a point from the surface, negative inside, and the unit normal there.
    pub(super) fn nearest<S: Scalar>(&self, p: &Vec3<S>) -> (S, Vec3<S>) {
        let height = |face: usize, p: &Vec3<S>| lift::<S>(&self.faces[face].normal).dot(p) - self.faces[face].offset;
        let count = self.faces.len();
        let mut highest = 0;
        for face in 0..count {
            let above = height(face, p);
            if above > height(highest, p) {
                highest = face;
            }
            let below = p - lift::<S>(&self.faces[face].normal) * above;
            if above > 0.0 && (0..count).all(|other| other == face || !(height(other, &below) > 0.0)) {
                return (above, lift(&self.faces[face].normal));
            }
        }
        let mut nearest = (height(highest, p), lift(&self.faces[highest].normal));
        if nearest.0 > 0.0 {
            let mut least = S::from_f64(f64::INFINITY);
            for edge in &self.edges {
                let p_FP = p - foot(&edge.ends.map(|end| lift(&self.corners[end])), p);
                let squared = p_FP.dot(&p_FP);
                if squared < least {
                    least = squared;
                    let length = squared.sqrt();
                    nearest = if length > 0.0 { (length, p_FP / divisor(length)) } else { (length, nearest.1) };
                }
            }
        }
        nearest
    }
}
