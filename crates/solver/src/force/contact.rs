//! Contact of points, or spheres around them, with a road or with a plane, sphere, capsule, cylinder or box of another
//! body.
//!
//! # Law
//!
//! Every sphere (radius R, 0 for a point) has its centre at the distance d from the surface, positive outside, along
//! the outward unit normal n. Its penetration is δ = R − d > 0 at the rate δ̇ = −n · v, with the velocity v of its body
//! relative to the surface at the point of contact, in the middle of the depth. The surface pushes it along n with
//!
//! ```text
//!     N = max(0, k δⁿ (1 + χ δ̇)).
//! ```
//!
//! A tangential spring of stiffness k_t with the damping c_t = k_t τ holds the sphere and slides at μ N. v_t is the
//! part of v perpendicular to n. The deflection u of the spring has three states in the frame of the surface's body;
//! only the part u_t perpendicular to n acts:
//!
//! ```text
//!     p = k_t u_t + c_t v_t,      f = p, u̇ = v_t          where |p| ≤ μ N (it sticks),
//!                                 f = μ N p/|p|, u̇ = (f − k_t u_t)/c_t   beyond (it slides),
//! ```
//!
//! and −f acts on the sphere. A sticking contact does not creep, even if N varies. Out of contact the spring relaxes
//! with the time constant τ.
//!
//! χ follows from the restitution e at the impact speed V. A free mass that approaches at V leaves at e V if d = χ V
//! solves
//!
//! ```text
//!     ln((1 + d)/(1 − e d)) = d (1 + e),
//! ```
//!
//! the integral of v dv/(1 + χ v) over the impact, for any n. N does not become negative in such an impact.
//!
//! # Energy
//!
//! Stored: k δⁿ⁺¹/(n + 1) and ½ k_t u². Dissipated: (N − k δⁿ) δ̇ ≥ 0, and f · (v_t − u̇) + c_t u̇² ≥ 0, in the air
//! c_t u̇².
//! A sphere of the radius R over a curved road has its distance from the tangent plane below its centre: d and n are
//! right up to δ and R times the curvature, and so is the balance.
//!
//! # Limits
//!
//! Only the spheres make contact: if a box has points only at its corners, its edges pass through other edges
//! ([`super::solids`] has edges). Inside a box the nearest face pushes, so depths must be less than half its thickness.
//! A point on the other side at the next evaluation is not detected: a run warns if speed times step exceeds this
//! distance. An impact lasts about π √(m/k) for n = 1; a step that is to follow it is a tenth of that.
//!
//! # Source
//!
//! K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Appl. Mech. 42
//! (1975) 440-445; the exact χ: H. M. Lankarani, P. E. Nikravesh give its approximation 3 (1 − e²)/4 V for e near 1,
//! J. Mech. Des. 112 (1990) 369-376. Friction: the spring, damper and slider of P. A. Cundall, O. D. L. Strack,
//! Géotechnique 29 (1979) 47-65.
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, powers, frames, normals of every surface, the equation of χ.
//! tests/motion/contact_motion.rs: restitution, a block on a slope, rolling, a rest.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use alloc::{string::String, sync::Arc, vec::Vec};

use core::ops::Range;

use super::road::Road;
use super::{
    BodyIx, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, Surroundings,
    Tangent, Values,
};
use crate::force::tyre::Patch;
use crate::math::elementary::{ln, pow, pow_of};
use crate::math::rotation::complement;
use crate::math::scalar::{Scalar, lift, lift_matrix, norm};
use crate::math::{Mat3, Vec3, at_least, divisor, maximum, within};

/// Spheres of a body and a surface of another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Contact {
    /// Name in the model file.
    pub name: String,
    /// The body with the surface.
    pub on: BodyIx,
    /// The surface.
    pub surface: ContactSurface,
    /// Centres of the spheres.
    pub points: Vec<Marker>,
    /// R, m.
    pub radius: f64,
    /// k, N/mⁿ.
    pub stiffness: Coefficient,
    /// n.
    pub exponent: Coefficient,
    /// χ, s/m.
    pub loss: f64,
    /// V, m/s.
    pub speed: f64,
    /// μ.
    pub friction: Coefficient,
    /// k_t, N/m.
    pub tangential: f64,
    /// τ, s.
    pub time: f64,
    /// Index of the first state among the auxiliary states: u of every point.
    pub first: usize,
}

/// The surface.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum ContactSurface {
    /// A road, with the world coordinates of the model's origin.
    Road(Arc<Road>, Vec3),
    /// A solid with its position and axes in the frame of its body.
    Shape(ContactShape, Vec3, Mat3),
}

/// A solid in its local axes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum ContactShape {
    /// z ≤ 0.
    Plane,
    /// Radius.
    Sphere(f64),
    /// Radius, half the length of its axis along z.
    Capsule(f64, f64),
    /// Radius, half its length along z.
    Cylinder(f64, f64),
    /// Half the edge lengths.
    Box(Vec3),
}

/// Quantities of a contact for outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReadout<S = f64> {
    /// Force on the body with the points, world axes, N.
    pub force: Vec3<S>,
    /// Sum of the normal forces, N.
    pub normal: S,
    /// The smallest distance between a sphere and the surface, m; negative where one is pressed in.
    pub distance: S,
}

impl<S: Scalar> ContactReadout<S> {
    pub(crate) fn write(&self, values: &mut Values<S>) {
        values.set_vector(Quantity::Force, self.force);
        values.set(Quantity::NormalForce, self.normal);
        values.set(Quantity::Distance, self.distance);
    }
}

/// One sphere at one instant. A is the body with the surface, B the body with the sphere, P the centre of the sphere, C
/// the point of contact, F the frame of the shape.
struct Touch<S> {
    /// Distance between sphere and surface, m.
    distance: S,
    /// n, world axes.
    n_W: Vec3<S>,
    /// C from the o of A and from the o of B, world axes, m.
    p_oC_W: [Vec3<S>; 2],
    /// v, world axes, m/s.
    v_rel_W: Vec3<S>,
    /// k δⁿ, N.
    elastic: S,
    /// N.
    push: S,
    /// f, N, and u̇, m/s, world axes.
    f_t_W: Vec3<S>,
    u_dot_W: Vec3<S>,
    sticks: bool,
}

/// Signed distance and normal of a solid of revolution or a box from the distances of a point outside in `N`
/// directions, each with its unit vector. The nearest feature is a corner or edge if several distances are positive,
/// else the nearest face.
fn outside<S: Scalar, const N: usize>(beyond: [S; N], directions: [Vec3<S>; N]) -> (S, Vec3<S>) {
    let mut out = Vec3::zeros();
    let mut nearest = 0;
    for k in 0..N {
        out += directions[k] * at_least(beyond[k], 0.0);
        if beyond[k] > beyond[nearest] {
            nearest = k;
        }
    }
    let distance = norm(&out);
    if distance > 0.0 { (distance, out / divisor(distance)) } else { (beyond[nearest], directions[nearest]) }
}

/// Signed distance and normal of a sphere around the origin; at the centre the normal is z.
fn from_middle<S: Scalar>(p: Vec3<S>, radius: f64) -> (S, Vec3<S>) {
    let r = norm(&p);
    if r > 0.0 { (r - radius, p / divisor(r)) } else { (S::from_f64(-radius), lift(&Vec3::z())) }
}

impl ContactShape {
    /// Distance of a point from the surface, negative inside, and the unit normal there.
    pub(super) fn nearest<S: Scalar>(&self, p: &Vec3<S>) -> (S, Vec3<S>) {
        let sign = |x: S| if x < 0.0 { S::from_f64(-1.0) } else { S::one() };
        let (zero, z) = (S::zero(), lift::<S>(&Vec3::z()));
        match *self {
            ContactShape::Plane => (p.z, z),
            ContactShape::Sphere(radius) => from_middle(*p, radius),
            ContactShape::Capsule(radius, half) => {
                from_middle(Vec3::new(p.x, p.y, p.z - within(p.z, -half, half)), radius)
            }
            ContactShape::Cylinder(radius, half) => {
                let (across, out) = from_middle(Vec3::new(p.x, p.y, zero), radius);
                let out = if out.z != 0.0 { lift(&Vec3::x()) } else { out };
                outside([across, p.z.abs() - half], [out, z * sign(p.z)])
            }
            ContactShape::Box(half) => {
                let beyond = [p.x.abs() - half.x, p.y.abs() - half.y, p.z.abs() - half.z];
                let signs = [sign(p.x), sign(p.y), sign(p.z)];
                let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
                outside(beyond, [0, 1, 2].map(|k| lift::<S>(&axes[k]) * signs[k]))
            }
        }
    }
}

/// χ, s/m, from restitution and impact speed.
pub fn loss(restitution: f64, speed: f64) -> f64 {
    // The sides differ by less than 0 between 0 and the solution, by more beyond: up to 1/e the logarithm grows
    // without bound.
    let excess = |d: f64| ln((1.0 + d) / (1.0 - restitution * d)) - d * (1.0 + restitution);
    if restitution >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0 / restitution);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    low / speed
}

impl Contact {
    /// For one sphere: distance of the centre from the surface, normal and friction factor; world axes.
    fn place<S: Scalar>(&self, s: &Surroundings<S>, marker: &Marker) -> (S, Vec3<S>, S) {
        let (on, body) = (s.body(self.on), s.body(marker.body));
        let p_oP_W = marker.position(s) + (body.reference - on.reference);
        match &self.surface {
            ContactSurface::Road(road, origin) => {
                let p_WP = p_oP_W + on.reference + lift(origin);
                let surface = road.surface(p_WP.x, p_WP.y);
                let n_W = Vec3::new(-surface.slope_x, -surface.slope_y, S::one());
                let n_W = n_W / norm(&n_W);
                ((p_WP.z - surface.height) * n_W.z, n_W, surface.friction)
            }
            ContactSurface::Shape(solid, p_AF, R_AF) => {
                let R_WF = on.rotation * lift_matrix(R_AF);
                let p_FP_W = p_oP_W - on.position - on.rotation * lift::<S>(p_AF);
                let (distance, n_F) = solid.nearest(&R_WF.tr_mul(&p_FP_W));
                (distance, R_WF * n_F, S::one())
            }
        }
    }

    /// One sphere with the number `index`.
    fn touch<S: Scalar>(&self, s: &Surroundings<S>, index: usize) -> Touch<S> {
        let marker = &self.points[index];
        let (on, body) = (s.body(self.on), s.body(marker.body));
        let (d, n_W, grip) = self.place(s, marker);
        let distance = d - self.radius;
        // The point of contact is in the middle of the depth, relative to the o of both bodies.
        let p_oC_W = marker.position(s) - n_W * ((d + self.radius) * 0.5);
        let p_oC_W = [p_oC_W + (body.reference - on.reference), p_oC_W];
        let v_rel_W = body.velocity.at(&p_oC_W[1]) - on.velocity.at(&p_oC_W[0]);
        // δ and δ̇ = −n · v; N = max(0, k δⁿ (1 + χ δ̇)).
        let (depth, rate) = (-distance, -n_W.dot(&v_rel_W));
        let (mut elastic, mut push) = (S::zero(), S::zero());
        if depth > 0.0 {
            elastic = s.value(&self.stiffness) * pow_of(depth, s.value(&self.exponent));
            push = maximum(S::zero(), elastic * (rate * self.loss + 1.0));
        }
        // Deflection u of the tangential spring; its states are in the axes of A.
        let u_A = Vec3::from([0, 1, 2].map(|k| s.auxiliary[self.first + 3 * index + k]));
        let u_W = on.rotation * u_A;
        let limit = push * at_least(s.value(&self.friction), 0.0) * grip;
        // Out of contact the spring relaxes: u̇ = −u/τ.
        let (mut f_t_W, mut u_dot_W, mut sticks) = (Vec3::zeros(), u_W * S::from_f64(-1.0 / self.time), false);
        if limit > 0.0 {
            // v_t = v + δ̇ n; p = k_t u_t + c_t v_t.
            let v_t_W = v_rel_W + n_W * rate;
            let stiffness = S::from_f64(self.tangential);
            let damping = stiffness * self.time;
            let f_spring_W = (u_W - n_W * n_W.dot(&u_W)) * stiffness;
            let f_stick_W = f_spring_W + v_t_W * damping;
            let size = norm(&f_stick_W);
            // It sticks where |p| ≤ μ N, else it slides: f = μ N p/|p|, u̇ = (f − k_t u_t)/c_t.
            sticks = size <= limit;
            f_t_W = if sticks { f_stick_W } else { f_stick_W * (limit / divisor(size)) };
            u_dot_W = if sticks { v_t_W } else { (f_t_W - f_spring_W) / divisor(damping) };
        }
        Touch { distance, n_W, p_oC_W, v_rel_W, elastic, push, f_t_W, u_dot_W, sticks }
    }

    /// For one sphere: n, the contact point relative to the o of both bodies, and the rate of the distance; world axes.
    pub fn approach(&self, s: &Surroundings, index: usize) -> (Vec3, [Vec3; 2], f64) {
        let touch = self.touch(s, index);
        (touch.n_W, touch.p_oC_W, touch.n_W.dot(&touch.v_rel_W))
    }

    /// The largest displacement in a step of `h` seconds among the spheres within reach, as a multiple of the thickness
    /// of the surface; the speed, m/s, and the thickness, m. `None` for a road or plane, which have no other side.
    pub fn fastest(&self, s: &Surroundings, h: f64) -> Option<(f64, f64, f64)> {
        let ContactSurface::Shape(solid, ..) = &self.surface else { return None };
        let thickness = match *solid {
            ContactShape::Plane => return None,
            ContactShape::Sphere(radius) | ContactShape::Capsule(radius, _) => 2.0 * radius,
            ContactShape::Cylinder(radius, half) => 2.0 * f64::min(radius, half),
            ContactShape::Box(half) => 2.0 * half.min(),
        };
        let mut most: Option<(f64, f64, f64)> = None;
        for index in 0..self.points.len() {
            let touch = self.touch(s, index);
            let speed = touch.v_rel_W.norm();
            let share = speed * h / thickness;
            if touch.distance <= speed * h && most.is_none_or(|(most, ..)| share > most) {
                most = Some((share, speed, thickness));
            }
        }
        most
    }

    /// Values of the outputs.
    pub(crate) fn measure<S: Scalar>(&self, s: &Surroundings<S>) -> ContactReadout<S> {
        let mut readout =
            ContactReadout { force: Vec3::zeros(), normal: S::zero(), distance: S::from_f64(f64::INFINITY) };
        for touch in (0..self.points.len()).map(|index| self.touch(s, index)) {
            readout.force += touch.n_W * touch.push - touch.f_t_W;
            readout.normal += touch.push;
            if touch.distance < readout.distance {
                readout.distance = touch.distance;
            }
        }
        readout
    }

    /// See [`Element::touching`](super::Element::touching).
    pub(crate) fn touching(&self, k: usize) -> Option<[BodyIx; 2]> {
        self.points.get(k).map(|marker| [self.on, marker.body])
    }

    /// See [`Element::push_at`](super::Element::push_at).
    pub(crate) fn push_at(&self, s: &Surroundings, k: usize) -> Option<(Vec3, Vec3)> {
        let touch = self.touch(s, k);
        let force = touch.n_W * touch.push - touch.f_t_W;
        (touch.push > 0.0).then_some((force, touch.p_oC_W[0] + s.body(self.on).reference))
    }
}

impl ForceLaw for Contact {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        for (index, marker) in self.points.iter().enumerate() {
            let touch = self.touch(s, index);
            let place = self.first + 3 * index;
            let rate = s.body(self.on).rotation.tr_mul(&touch.u_dot_W);
            loads.rates[place..place + 3].copy_from_slice(rate.as_slice());
            let damping = self.tangential * self.time;
            if touch.push > 0.0 {
                let f_B_W = touch.n_W * touch.push - touch.f_t_W;
                loads.add_force(self.on, &touch.p_oC_W[0], -f_B_W);
                loads.add_force(marker.body, &touch.p_oC_W[1], f_B_W);
            }
            let speed = touch.n_W.dot(&touch.v_rel_W);
            let v_t_W = touch.v_rel_W - touch.n_W * speed;
            loads.dissipated_power += (touch.elastic - touch.push) * speed
                + touch.f_t_W.dot(&(v_t_W - touch.u_dot_W))
                + touch.u_dot_W.dot(&touch.u_dot_W) * damping;
        }
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let mut energy = S::zero();
        for (index, marker) in self.points.iter().enumerate() {
            let depth = S::from_f64(self.radius) - self.place(s, marker).0;
            if depth > 0.0 {
                let order = s.value(&self.exponent) + 1.0;
                energy += s.value(&self.stiffness) * pow_of(depth, order) / order;
            }
            for k in 0..3 {
                let u = s.auxiliary[self.first + 3 * index + k];
                energy += u * u * (0.5 * self.tangential);
            }
        }
        energy
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        self.measure(s).write(values);
    }
}

impl ForceElement for Contact {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_CONTACTS
    }

    /// Stiffness and damping along the normal while the surface pushes, and along the surface while the sphere sticks.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        for (index, marker) in self.points.iter().enumerate() {
            let touch = self.touch(s, index);
            if !(touch.push > 0.0) {
                continue;
            }
            // Direction of a force at C along an axis.
            let mut show = |axis: &Vec3, stiffness: f64, damping: f64| {
                let direction = Direction::force([self.on, marker.body], &touch.p_oC_W, axis);
                visit(&Tangent { direction, stiffness, damping });
            };
            // ∂N/∂δ = k n δⁿ⁻¹ (1 + χ δ̇) and ∂N/∂δ̇ = k χ δⁿ along the normal.
            let (exponent, rate) = (s.value(&self.exponent), -touch.n_W.dot(&touch.v_rel_W));
            let slope = s.value(&self.stiffness) * exponent * pow(-touch.distance, exponent - 1.0);
            show(&touch.n_W, slope * at_least(1.0 + self.loss * rate, 0.0), touch.elastic * self.loss);
            // k_t and c_t in both tangential directions while it sticks.
            if touch.sticks {
                let tangents = complement(&touch.n_W);
                for axis in [tangents.0, tangents.1] {
                    show(&axis, self.tangential, self.tangential * self.time);
                }
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.on]);
        list.add_bodies(self.points.first().map(|marker| marker.body));
        list.add_coefficients([self.stiffness, self.exponent, self.friction]);
    }

    /// u of every point.
    fn states(&self) -> Range<usize> {
        self.first..self.first + 3 * self.points.len()
    }

    /// Sticking displacements are fractions of a millimetre.
    fn state_size(&self) -> (&'static str, f64) {
        ("m", 1e-3)
    }

    fn place_states(&mut self, first: usize) {
        self.first = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    const SOLIDS: [ContactShape; 5] = [
        ContactShape::Plane,
        ContactShape::Sphere(1.1),
        ContactShape::Capsule(0.7, 0.5),
        ContactShape::Cylinder(1.0, 0.8),
        ContactShape::Box(Vec3::new(1.2, 0.7, 0.9)),
    ];

    fn contact(surface: ContactSurface, friction: f64) -> Contact {
        Contact {
            name: "contact".into(),
            on: BodyIx(1),
            surface,
            points: vec![Marker { body: BodyIx(2), point: Vec3::new(0.3, -0.2, 0.5) }],
            radius: 1.2,
            stiffness: Coefficient::Value(20.0),
            exponent: Coefficient::Value(1.5),
            loss: 0.3,
            speed: 1.0,
            friction: Coefficient::Value(friction),
            tangential: 3.0,
            time: 0.05,
            first: 0,
        }
    }

    fn all(friction: f64) -> Vec<Element> {
        let axes = crate::math::rotation::about(&Vec3::new(0.6, 0.0, 0.8), 0.7);
        SOLIDS
            .map(|solid| ContactSurface::Shape(solid, Vec3::new(0.1, 0.2, -0.3), axes))
            .into_iter()
            .map(|surface| Element::Contact(Box::new(contact(surface, friction))))
            .collect()
    }

    #[test]
    fn force_is_the_negative_gradient_and_powers_balance_on_every_solid() {
        for friction in [0.0, 0.4] {
            for element in all(friction) {
                if friction == 0.0 {
                    elements::force_is_the_negative_gradient(&element);
                }
                elements::powers_balance(&element);
                elements::dissipates(&element);
                elements::action_equals_reaction(&element);
                elements::independent_of_world_frame(&element);
                elements::independent_of_common_motion(&element);
                elements::independent_of_reference_points(&element);
            }
        }
    }

    #[test]
    fn distances_are_those_to_the_nearest_point_of_the_surface() {
        let mut random = crate::check::numbers::Random(3);
        for solid in SOLIDS {
            for _ in 0..2000 {
                let p = 2.0 * Vec3::new(random.number(), random.number(), random.number());
                let (distance, normal) = solid.nearest(&p);
                assert!((normal.norm() - 1.0).abs() < 1e-14);
                // The foot is on the surface, and no point of the surface is nearer: the distance changes by at most
                // the displacement.
                let foot = p - normal * distance;
                assert!(solid.nearest(&foot).0.abs() < 1e-14, "{solid:?} {p}");
                let step = 0.3 * Vec3::new(random.number(), random.number(), random.number());
                assert!((solid.nearest(&(p + step)).0 - distance).abs() <= step.norm() + 1e-14);
            }
        }
    }

    #[test]
    fn loss_solves_its_equation_and_is_near_the_published_approximation_for_elastic_impacts() {
        for restitution in [0.1, 0.3, 0.5, 0.8, 0.95] {
            let d = 2.0 * loss(restitution, 2.0);
            let excess = ((1.0 + d) / (1.0 - restitution * d)).ln() - d * (1.0 + restitution);
            assert!(d > 1e-3 && excess.abs() < 1e-9, "{restitution}: {d}, {excess:e}");
        }
        assert_eq!(loss(1.0, 2.0), 0.0);
        // χ V = 3 (1 − e²)/4 to first order in 1 − e.
        elements::close(loss(0.999, 1.0), 0.75 * (1.0 - 0.999 * 0.999), 3e-6);
    }

    #[test]
    fn a_point_pressed_into_a_plane_meets_the_force_computed_by_hand() {
        let mut element = contact(ContactSurface::Shape(ContactShape::Plane, Vec3::zeros(), Mat3::identity()), 0.5);
        (element.radius, element.points[0].point) = (0.0, Vec3::zeros());
        let mut scene = Scene::at_rest();
        scene.bodies[2].position.z = -0.04;
        scene.bodies[2].velocity.lin = Vec3::new(3.0, 0.0, -2.0);
        let loads = scene.loads(&Element::Contact(Box::new(element)));
        let normal = 20.0 * 0.04 * 0.2 * 1.6;
        elements::close_vector(&loads.wrenches[2].force, &Vec3::new(-0.5 * normal, 0.0, normal), 1e-12);
        elements::close(loads.rates[0], 0.5 * normal / 0.15, 1e-12);
        let sliding = 0.5 * normal * (3.0 - loads.rates[0]) + 0.15 * loads.rates[0] * loads.rates[0];
        elements::close(loads.dissipated_power, 0.6 * 20.0 * 0.04 * 0.2 * 2.0 + sliding, 1e-12);
    }
}
