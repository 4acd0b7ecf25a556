//! Bushing: an elastic joint with three translational and three rotational stiffnesses, valid for large angles.
//!
//! # Frames
//!
//! Frame A is fixed in the first body, frame B in the second. Both have the bushing's axes, and in the design position
//! they coincide. With R_WA, R_WB from the poses of the bodies:
//!
//! ```text
//!     x = R_WAᵀ (B₀ − A₀)                    translation of B's origin in A, m
//!     R = R_WAᵀ R_WB = exp(θ̃)               rotation of B in A; θ: its rotation vector, |θ| ≤ π, rad
//!     ẋ = R_WAᵀ (v_B₀ − v_A₀ − ω_A × (B₀ − A₀))
//!     ω = R_WAᵀ (ω_B − ω_A)                   relative angular velocity in A
//! ```
//!
//! # Law
//!
//! On the second body, in the axes of A, with diagonal K_x, K_θ, C_x, C_θ and preload f₀, t₀:
//!
//! ```text
//!     force at B₀:   f = f₀ − K_x x − C_x ẋ
//!     torque:        t = Tᵀ (t₀ − K_θ θ) − C_θ ω
//! ```
//!
//! On the first body −f acts *at the point of space where B₀ is now* (not at A₀), and −t. So action equals reaction
//! without a residual moment at any deformation; its power on both bodies is f · ẋ + t · ω.
//!
//! T is the exact tangent map of the rotation vector, θ̇ = T(θ) ω for ω in the axes of A (the inverse of the left
//! Jacobian of SO(3)):
//!
//! ```text
//!     T  = 1 − ½ θ̃ + γ θ̃²,    Tᵀ = 1 + ½ θ̃ + γ θ̃²,    γ = (1 − (|θ|/2) cot(|θ|/2)) / |θ|²,
//!     γ  = 1/12 + |θ|²/720 + |θ|⁴/30240 + |θ|⁶/1209600 + …   for small |θ|.
//! ```
//!
//! For rotations about one bushing axis, and for equal rotational stiffnesses, Tᵀ K_θ θ = K_θ θ. For small angles it is
//! the usual linear bushing. Unlike roll, pitch and yaw, the law has no order of rotations that would prefer an axis.
//!
//! # Energy
//!
//! Potential ½ x·K_x x − f₀·x + ½ θ·K_θ θ − t₀·θ, zero in the undeformed state. Its rate is −f·ẋ − t·ω without damping,
//! because θ̇ = T ω: the law conserves energy for every motion, also for large angles and unequal stiffnesses. For the
//! same reason the preload torque is t₀ at θ = 0 and Tᵀ t₀ elsewhere; a torque fixed in A would not have a potential.
//! Dissipated power ẋ·C_x ẋ + ω·C_θ ω.
//!
//! # Breaking
//!
//! A bushing with a breaking force or torque has the damage d as a state, from 0 (whole) to 1 (broken). All loads and
//! the potential have the factor 1 − d. Once the force or the torque on the second body, without this factor, reaches
//! its limit, d grows at the rate (1 − d)/τ; beyond d = 0.01 it continues by itself. The energy that was stored is
//! dissipated.
//!
//! # Limits
//!
//! * The rotation vector is unique for |θ| < π. At |θ| = π it changes its sign and the elastic torque jumps (the
//!   elastic energy does not, unless there is a preload torque). Everything stays finite there. A bushing is meant for
//!   angles well below that; for more than half a turn about one axis use a joint and a joint spring.
//! * The law is not symmetric in the two bodies: exchanging them changes the load by terms of second order in the
//!   deformation.
//! * Stiffnesses are diagonal in the bushing's axes and do not couple.
//!
//! # Choosing the parameters
//!
//! Static test curves give K along and about each axis. The axes belong to the rubber part; the first, `axis`, is
//! usually the axis of the sleeve. `second_axis` is needed only if the two radial directions differ. A loss factor η
//! measured at the circular frequency Ω corresponds to C = η K / Ω. Bushings are often the stiffest part of a
//! mechanism: an explicit fixed step h needs about h √(k/m) < 1 and h c/m < 1 for the masses (inertias) on them.
//!
//! # Tests
//!
//! Below, with `check.rs`: force and torque = −gradient of the potential up to |θ| near π, balance of powers, action =
//! reaction, invariances, values by hand, series against closed form, no rotation and half a turn.
//!
//! # References
//!
//! A. Iserles, H. Z. Munthe-Kaas, S. P. Nørsett, A. Zanna, *Lie-group methods*, Acta Numerica 9 (2000) (the inverse of
//! dexp). J. Solà, J. Deray, D. Atchuthan, *A micro Lie theory for state estimation in robotics*, arXiv:1812.01537,
//! appendix on SO(3) (inverse of the left Jacobian in closed form).

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::{
    Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, Surroundings, Tangent, Values,
};
use crate::force::tyre::Patch;
use crate::math::elementary::atan2;
use crate::math::rotation::{self, complement};
use crate::math::scalar::{Scalar, lift_matrix, norm};
use crate::math::spatial::BodyMotion;
use crate::math::{Mat3, Vec3, within};
use alloc::string::String;
use core::ops::Range;

/// Six-component elastic joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Bushing {
    /// Name in the model file.
    pub name: String,
    /// Origins of A (first body) and B (second body).
    pub ends: [Marker; 2],
    /// Axes of A and of B in their bodies' frames: columns, right-handed, of unit length.
    pub axes: Mat3,
    /// Translational (N/m) and rotational (N m/rad) stiffness.
    pub stiffness: [[Coefficient; 3]; 2],
    /// Translational (N s/m) and rotational (N m s/rad) damping.
    pub damping: [[Coefficient; 3]; 2],
    /// Force (N) and torque (N m) on the second body in the undeformed state.
    pub preload: [[Coefficient; 3]; 2],
    /// Limits at which it breaks.
    pub breaking: Option<Breaking>,
}

/// Loads at which a bushing breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Breaking {
    /// Largest force, N.
    pub force: Option<Coefficient>,
    /// Largest torque, N m.
    pub torque: Option<Coefficient>,
    /// τ, time constant of breaking, s.
    pub time: f64,
    /// Index of d among the auxiliary states.
    pub state: usize,
}

/// Damage beyond which breaking continues without a load.
const LATCH: f64 = 0.01;

impl Breaking {
    /// d.
    fn damage<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        within(s.auxiliary[self.state], 0.0, 1.0)
    }

    /// ḋ under a force and a torque of the whole bushing: a load that falls with the damage would hold it at the limit.
    fn rate<S: Scalar>(&self, s: &Surroundings<S>, force: &Vec3<S>, torque: &Vec3<S>) -> S {
        let reached = |load: &Vec3<S>, limit: &Option<Coefficient>| {
            limit.as_ref().is_some_and(|limit| norm(load) >= s.value(limit))
        };
        let damage = s.auxiliary[self.state];
        let breaks = damage > LATCH || reached(force, &self.force) || reached(torque, &self.torque);
        if breaks && damage < 1.0 { (S::one() - damage) / self.time } else { S::zero() }
    }
}

/// Quantities of a bushing for outputs; all except `axes` are in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BushingReadout<S = f64> {
    /// R_WA: turns components along the bushing's axes (on the first body) into world axes.
    pub axes: Mat3<S>,
    /// Translation of B's origin from A's, m.
    pub deformation: Vec3<S>,
    /// Rotation vector from A to B, rad.
    pub rotation: Vec3<S>,
    /// Force on the second body at B's origin, N.
    pub force: Vec3<S>,
    /// Torque on the second body, N m.
    pub torque: Vec3<S>,
}

/// Relative motion of B in A, in the axes of A where no other axes are named.
struct Deformation<S> {
    /// Axes of A in W.
    R_WA: Mat3<S>,
    /// Position of B's origin relative to the o of each body, world axes.
    p_oB_W: [Vec3<S>; 2],
    /// Vector from A's origin to B's origin, world axes.
    p_AB_W: Vec3<S>,
    /// x.
    p_AB: Vec3<S>,
    /// θ.
    theta_A: Vec3<S>,
    /// γ of θ.
    gamma: S,
    /// ẋ.
    v_rel_A: Vec3<S>,
    /// ω.
    w_rel_A: Vec3<S>,
}

impl Bushing {
    /// Deformation and load.
    pub(crate) fn measure<S: Scalar>(&self, s: &Surroundings<S>) -> BushingReadout<S> {
        let deformation = self.deformation(s);
        let (f_B_A, t_B_A) = self.load_on_second(s, &deformation);
        let R_WA = deformation.R_WA;
        BushingReadout {
            axes: R_WA,
            deformation: deformation.p_AB_W,
            rotation: R_WA * deformation.theta_A,
            force: R_WA * f_B_A,
            torque: R_WA * t_B_A,
        }
    }

    fn deformation<S: Scalar>(&self, s: &Surroundings<S>) -> Deformation<S> {
        let [a, b] = &self.ends;
        let (first, second) = (s.body(a.body), s.body(b.body));
        // The axes of A in the first body; R_2B has the same entries, because A and B coincide in the design position.
        let R_1A = lift_matrix::<S>(&self.axes);
        let R_WA = first.rotation * R_1A;
        // B₀ − A₀, and B₀ relative to the o of both bodies.
        let (p_oA_W, p_oB_W) = (first.point(&a.point), second.point(&b.point));
        let p_AB_W = BodyMotion::between(first, &p_oA_W, second, &p_oB_W);
        let p_oB_W = [p_oA_W + p_AB_W, p_oB_W];
        // θ and γ of R = R_WAᵀ R_WB.
        let (theta_A, gamma) = rotation_vector(&R_WA.tr_mul(&(second.rotation * R_1A)));
        Deformation {
            R_WA,
            p_oB_W,
            p_AB_W,
            p_AB: R_WA.tr_mul(&p_AB_W),
            theta_A,
            gamma,
            // Relative to the first body's material at the same point, so that ẋ contains no part from the rotation of
            // A.
            v_rel_A: R_WA.tr_mul(&(second.velocity.at(&p_oB_W[1]) - first.velocity.at(&p_oB_W[0]))),
            w_rel_A: R_WA.tr_mul(&(second.velocity.ang - first.velocity.ang)),
        }
    }

    /// Force at B's origin and torque on the second body, axes of A.
    fn load_on_second<S: Scalar>(&self, s: &Surroundings<S>, d: &Deformation<S>) -> (Vec3<S>, Vec3<S>) {
        let (force, torque) = self.load_when_whole(s, d);
        self.damaged(s, force, torque)
    }

    /// A load of the whole bushing, reduced by its damage.
    fn damaged<S: Scalar>(&self, s: &Surroundings<S>, force: Vec3<S>, torque: Vec3<S>) -> (Vec3<S>, Vec3<S>) {
        match &self.breaking {
            Some(breaking) => {
                let whole = S::one() - breaking.damage(s);
                (force * whole, torque * whole)
            }
            None => (force, torque),
        }
    }

    fn load_when_whole<S: Scalar>(&self, s: &Surroundings<S>, d: &Deformation<S>) -> (Vec3<S>, Vec3<S>) {
        let elastic =
            |i: usize, x: &Vec3<S>| s.values(&self.preload[i]) - s.values(&self.stiffness[i]).component_mul(x);
        let damping = |i: usize, v: &Vec3<S>| s.values(&self.damping[i]).component_mul(v);
        let f_B_A = elastic(0, &d.p_AB) - damping(0, &d.v_rel_A);
        let gradient = elastic(1, &d.theta_A);
        let theta_x_g = d.theta_A.cross(&gradient);
        let t_B_A =
            gradient + theta_x_g * S::from_f64(0.5) + d.theta_A.cross(&theta_x_g) * d.gamma - damping(1, &d.w_rel_A);
        (f_B_A, t_B_A)
    }
}

impl Bushing {
    fn energy_when_whole<S: Scalar>(&self, s: &Surroundings<S>, deformation: &Deformation<S>) -> S {
        let energy = |i: usize, d: &Vec3<S>| {
            d.dot(&s.values(&self.stiffness[i]).component_mul(d)) * 0.5 - s.values(&self.preload[i]).dot(d)
        };
        energy(0, &deformation.p_AB) + energy(1, &deformation.theta_A)
    }
}

impl ForceLaw for Bushing {
    /// Adds the load on both bodies, and the dampers' power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let [a, b] = &self.ends;
        let deformation = self.deformation(s);
        let (whole_f, whole_t) = self.load_when_whole(s, &deformation);
        let (f_B_A, t_B_A) = self.damaged(s, whole_f, whole_t);
        let (f_B_W, t_B_W) = (deformation.R_WA * f_B_A, deformation.R_WA * t_B_A);
        loads.add_force(b.body, &deformation.p_oB_W[1], f_B_W);
        loads.add_torque(b.body, t_B_W);
        loads.add_force(a.body, &deformation.p_oB_W[0], -f_B_W);
        loads.add_torque(a.body, -t_B_W);
        let [damping, spin_damping] = &self.damping;
        let damped = deformation.v_rel_A.dot(&s.values(damping).component_mul(&deformation.v_rel_A))
            + deformation.w_rel_A.dot(&s.values(spin_damping).component_mul(&deformation.w_rel_A));
        let Some(breaking) = &self.breaking else {
            loads.dissipated_power += damped;
            return;
        };
        // The energy stored so far is lost as the bushing breaks.
        let rate = breaking.rate(s, &whole_f, &whole_t);
        loads.rates[breaking.state] = rate;
        let damage = breaking.damage(s);
        loads.dissipated_power += damped * (S::one() - damage);
        if s.auxiliary[breaking.state] >= 0.0 {
            loads.dissipated_power += self.energy_when_whole(s, &deformation) * rate;
        }
    }

    /// Stored energy, J; zero in the undeformed state.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let energy = self.energy_when_whole(s, &self.deformation(s));
        match &self.breaking {
            Some(breaking) => energy * (S::one() - breaking.damage(s)),
            None => energy,
        }
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        let readout = self.measure(s);
        values.set_own_vector(Quantity::Deformation, readout.axes.tr_mul(&readout.deformation));
        values.set_vector(Quantity::Force, readout.force);
        values.set_vector(Quantity::Torque, readout.torque);
    }
}

impl ForceElement for Bushing {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[Quantity::Deformation, Quantity::Force, Quantity::Torque]
    }

    /// K_x and C_x along the axes of A at B's origin; Tᵀ K_θ T in three couples along the columns of Tᵀ; C_θ about the
    /// axes.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let d = self.deformation(s);
        let bodies = self.ends.map(|end| end.body);
        let whole = self.breaking.as_ref().map_or(1.0, |breaking| 1.0 - breaking.damage(s));
        let [stiffness, spin_stiffness] = self.stiffness.each_ref().map(|three| s.values(three) * whole);
        let [damping, spin_damping] = self.damping.each_ref().map(|three| s.values(three) * whole);
        for k in 0..3 {
            let axis: Vec3 = d.R_WA.column(k).into();
            let direction = Direction::force(bodies, &d.p_oB_W, &axis);
            visit(&Tangent { direction, stiffness: stiffness[k], damping: damping[k] });
            let mut unit = Vec3::zeros();
            unit[k] = 1.0;
            let once = d.theta_A.cross(&unit);
            let gradient = d.R_WA * (unit + once * 0.5 + d.theta_A.cross(&once) * d.gamma);
            let direction = Direction::couple(bodies, &gradient);
            visit(&Tangent { direction, stiffness: spin_stiffness[k], damping: 0.0 });
            let direction = Direction::couple(bodies, &axis);
            visit(&Tangent { direction, stiffness: 0.0, damping: spin_damping[k] });
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.ends.map(|end| end.body));
        list.add_coefficients([self.stiffness, self.damping, self.preload].into_iter().flatten().flatten());
        let limits = self.breaking.iter().flat_map(|breaking| [breaking.force, breaking.torque]);
        list.add_coefficients(limits.flatten());
    }

    fn states(&self) -> Range<usize> {
        self.breaking.map_or(0..0, |breaking| breaking.state..breaking.state + 1)
    }

    fn place_states(&mut self, first: usize) {
        if let Some(breaking) = &mut self.breaking {
            breaking.state = first;
        }
    }
}

/// Below this tan(|θ|/2) series are used: their first omitted terms are then below 1e-16 of the sum.
const SMALL_HALF_ANGLE: f64 = 0.03;

/// Rotation vector θ of a rotation matrix, |θ| ≤ π, and γ of the tangent map T(θ).
fn rotation_vector<S: Scalar>(r: &Mat3<S>) -> (Vec3<S>, S) {
    let [w, x, y, z] = rotation::quaternion(r);
    let axis = Vec3::new(x, y, z);
    // sin and cos of half the angle, with a common factor near 1 that drops out.
    let sine = norm(&axis);
    let half = atan2(sine, w);
    if sine < w * SMALL_HALF_ANGLE {
        // θ = axis · 2 atan(√t) / (√t w).
        let t = (sine / w) * (sine / w);
        let c = S::from_f64;
        let stretch =
            c(1.0) - t * (c(1.0 / 3.0) - t * (c(1.0 / 5.0) - t * (c(1.0 / 7.0) - t * (c(1.0 / 9.0) - t / 11.0))));
        let angle_squared = half * 4.0 * half;
        let gamma =
            angle_squared * (angle_squared * (angle_squared / 1_209_600.0 + 1.0 / 30240.0) + 1.0 / 720.0) + 1.0 / 12.0;
        (axis * (stretch * 2.0 / w), gamma)
    } else {
        let angle = half * 2.0;
        let gamma = (S::one() - half * w / sine) / (angle * angle);
        (axis * (angle / sine), gamma)
    }
}

/// Right-handed triad of unit vectors as columns: the first axis (default x), and the second made perpendicular to it
/// (default: y, or z where the first axis lies within one degree of y).
pub fn triad(first: Option<Vec3>, second: Option<Vec3>) -> Mat3 {
    let unit = |v: Vec3| v.try_normalize(0.0);
    let first = first.and_then(unit).unwrap_or_else(Vec3::x);
    let perpendicular = |v: Vec3, least: f64| unit(v).and_then(|v| (v - first * first.dot(&v)).try_normalize(least));
    let second = second
        .and_then(|v| perpendicular(v, 1e-9))
        .or_else(|| perpendicular(Vec3::y(), 0.0175))
        .or_else(|| perpendicular(Vec3::z(), 0.0175))
        .unwrap_or_else(|| complement(&first).0);
    Mat3::from_columns(&[first, second, first.cross(&second)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};
    use crate::math::larger;
    use crate::math::rotation::{about, skew};
    use std::f64::consts::PI;

    fn six(values: [f64; 6]) -> [[Coefficient; 3]; 2] {
        let [a, b, c, d, e, f] = values.map(Coefficient::Value);
        [[a, b, c], [d, e, f]]
    }

    fn bushing() -> Bushing {
        Bushing {
            name: "mount".into(),
            ends: [
                Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
                Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
            ],
            axes: triad(Some(Vec3::new(1.0, 2.0, -0.5)), None),
            stiffness: six([100.0, 70.0, 30.0, 20.0, 9.0, 4.0]),
            damping: six([3.0, 2.0, 1.0, 0.7, 0.5, 0.3]),
            preload: six([5.0, -3.0, 8.0, 1.0, 2.0, -1.5]),
            breaking: None,
        }
    }

    fn breaking() -> Bushing {
        let limit = |value: f64| Some(Coefficient::Value(value));
        Bushing {
            breaking: Some(Breaking { force: limit(60.0), torque: limit(15.0), time: 0.1, state: 3 }),
            ..bushing()
        }
    }

    #[test]
    fn breaking_begins_at_the_limit_continues_by_itself_and_takes_the_stored_energy() {
        elements::powers_balance(&Element::Bushing(breaking().into()));
        elements::action_equals_reaction(&Element::Bushing(breaking().into()));
        let state = |damage: f64, x: f64| {
            let mut scene = Scene::at_rest();
            scene.bodies[2].position = Vec3::new(0.7, -0.3, 0.3) + Vec3::new(x, 0.0, 0.0);
            scene.auxiliary[3] = damage;
            let element = Element::Bushing(Bushing { preload: six([0.0; 6]), ..breaking() }.into());
            let loads = scene.loads(&element);
            (loads.wrenches[2].force.norm(), loads.rates[3], element.potential(&scene.surroundings()))
        };
        // Whole below the limit and above it, on the way, broken.
        let below = state(0.0, 0.1);
        assert!(below.0 < 60.0 && below.1 == 0.0 && below.2 > 0.0, "{below:?}");
        let above = state(0.0, 2.0);
        assert!(above.0 > 60.0 && above.1 == 10.0, "{above:?}");
        let half = state(0.5, 0.1);
        elements::close(half.0, 0.5 * below.0, 1e-14);
        elements::close(half.2, 0.5 * below.2, 1e-14);
        assert_eq!((half.1, state(1.0, 2.0)), (5.0, (0.0, 0.0, 0.0)));
    }

    /// Between the centres of mass of the ground and body 1, with the axes of W, no preload.
    fn simple() -> Bushing {
        Bushing {
            ends: [Marker { body: BodyIx(0), point: Vec3::zeros() }, Marker { body: BodyIx(1), point: Vec3::zeros() }],
            axes: Mat3::identity(),
            preload: six([0.0; 6]),
            ..bushing()
        }
    }

    #[test]
    fn force_and_torque_are_the_negative_gradient_of_the_potential_at_large_angles() {
        let largest = (0..60).map(|seed| {
            let scene = Scene::random(seed);
            bushing().measure(&scene.surroundings()).rotation.norm()
        });
        let largest = largest.fold(0.0, larger);
        assert!(largest > 2.5, "the scenes reach {largest} rad");
        elements::force_is_the_negative_gradient(&Element::Bushing(Box::new(bushing())));
    }

    #[test]
    fn powers_balance_and_the_dampers_take_power() {
        elements::powers_balance(&Element::Bushing(Box::new(bushing())));
        elements::dissipates(&Element::Bushing(Box::new(bushing())));
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        elements::action_equals_reaction(&Element::Bushing(Box::new(bushing())));
        elements::independent_of_world_frame(&Element::Bushing(Box::new(bushing())));
        elements::independent_of_common_motion(&Element::Bushing(Box::new(bushing())));
        elements::independent_of_reference_points(&Element::Bushing(Box::new(bushing())));
        elements::exact_far_from_the_origin(&Element::Bushing(Box::new(bushing())));
    }

    #[test]
    fn readout_is_the_load_on_the_second_body_at_the_deformed_place() {
        for seed in 0..20 {
            let scene = Scene::random(seed);
            let readout = bushing().measure(&scene.surroundings());
            let load = scene.loads(&Element::Bushing(Box::new(bushing()))).wrenches[2];
            let place = scene.bodies[2].point(&bushing().ends[1].point);
            elements::close_vector(&readout.force, &load.force, 0.0);
            elements::close_vector(&readout.torque, &load.moment_about(&place), 1e-12 * load.force.amax());
            let (first, second) = (scene.bodies[1].rotation, scene.bodies[2].rotation);
            let turn = about(&readout.rotation.normalize(), readout.rotation.norm());
            assert!((turn * first - second).amax() < 1e-14);
        }
    }

    #[test]
    fn undeformed_bushing_carries_its_preload_and_stores_nothing() {
        let mut scene = Scene::at_rest();
        // Move B's origin to A's origin.
        scene.bodies[2].position = Vec3::new(0.7, -0.3, 0.3);
        let readout = bushing().measure(&scene.surroundings());
        elements::close_vector(&readout.deformation, &Vec3::zeros(), 1e-15);
        assert_eq!(readout.rotation, Vec3::zeros());
        elements::close_vector(&readout.axes.tr_mul(&readout.force), &Vec3::new(5.0, -3.0, 8.0), 1e-13);
        elements::close_vector(&readout.axes.tr_mul(&readout.torque), &Vec3::new(1.0, 2.0, -1.5), 1e-14);
        elements::close(bushing().potential(&scene.surroundings()), 0.0, 1e-14);
    }

    #[test]
    fn load_of_a_small_deformation_and_its_rate_is_the_one_computed_by_hand() {
        let mut scene = Scene::at_rest();
        let (x, turn) = (Vec3::new(0.1, -0.2, 0.3), 0.4);
        scene.bodies[1].position = x;
        scene.bodies[1].rotation = about(&Vec3::y(), turn);
        scene.bodies[1].velocity.ang = Vec3::new(1.0, 2.0, 3.0);
        scene.bodies[1].velocity.lin = Vec3::new(4.0, 5.0, 6.0) - scene.bodies[1].velocity.ang.cross(&x);
        let loads = scene.loads(&Element::Bushing(Box::new(simple())));
        let force = Vec3::new(-10.0 - 12.0, 14.0 - 10.0, -9.0 - 6.0);
        let torque = Vec3::new(-0.7, -9.0 * turn - 1.0, -0.9);
        elements::close_vector(&loads.wrenches[1].force, &force, 1e-12);
        elements::close_vector(&loads.wrenches[1].moment_about(&x), &torque, 1e-12);
        elements::close_vector(&loads.wrenches[0].moment_about(&x), &-torque, 1e-12);
        elements::close(loads.dissipated_power, 3.0 * 16.0 + 2.0 * 25.0 + 36.0 + 0.7 + 0.5 * 4.0 + 0.3 * 9.0, 1e-12);
        let energy = 0.5 * (100.0 * 0.01 + 70.0 * 0.04 + 30.0 * 0.09 + 9.0 * turn * turn);
        elements::close(simple().potential(&scene.surroundings()), energy, 1e-13);
    }

    #[test]
    fn rotation_vector_returns_axis_times_angle_from_tiny_to_almost_half_a_turn() {
        let axis = Vec3::new(2.0, -1.0, 0.5).normalize();
        for angle in [0.0, 1e-300, 1e-20, 1e-9, 1e-4, 0.05, 0.0599, 0.0601, 0.5, 2.0, 3.0, PI - 1e-6] {
            let (found, _) = rotation_vector(&about(&axis, angle));
            elements::close_vector(&found, &(axis * angle), 4e-16 * (1.0 + 1.0 / (PI - angle)));
        }
    }

    #[test]
    fn series_and_closed_form_of_the_tangent_map_agree_where_they_meet() {
        // γ from its definition in extended form: (1 − h cot h) / θ² with h = θ/2, at angles on both sides of the
        // switch.
        for angle in [0.04_f64, 0.055, 0.0605, 0.07, 0.2] {
            let (_, gamma) = rotation_vector(&about(&Vec3::z(), angle));
            let half = 0.5 * angle;
            let closed = (1.0 - half / half.tan()) / (angle * angle);
            elements::close(gamma, closed, 4e-16 / (angle * angle));
        }
        let (_, at_rest) = rotation_vector(&Mat3::<f64>::identity());
        assert_eq!(at_rest, 1.0 / 12.0);
    }

    #[test]
    fn tangent_map_gives_the_rate_of_the_rotation_vector() {
        let (axis, spin, step) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.3, -0.5, 0.2), 1e-5);
        for angle in [1e-3, 0.05, 0.07, 1.0, 2.0, 3.0] {
            let r = about(&axis, angle);
            let at = |dt: f64| rotation_vector(&(about(&spin.normalize(), spin.norm() * dt) * r)).0;
            let rate = (at(step) - at(-step)) / (2.0 * step);
            let (theta, gamma) = rotation_vector(&r);
            let tilde = skew(&theta);
            let tangent = Mat3::identity() - tilde * 0.5 + tilde * tilde * gamma;
            elements::close_vector(&rate, &(tangent * spin), 1e-8);
        }
    }

    #[test]
    fn half_a_turn_gives_a_finite_load_and_a_continuous_energy() {
        let mut scene = Scene::at_rest();
        let mut energies = Vec::new();
        for axis in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 0.0).normalize()] {
            for angle in [PI - 1e-12, PI, PI + 1e-12] {
                scene.bodies[1].rotation = about(&axis, angle);
                let loads = scene.loads(&Element::Bushing(Box::new(simple())));
                assert!(loads.wrenches[1].moment.iter().all(|component| component.is_finite()));
                elements::close(simple().measure(&scene.surroundings()).rotation.norm(), PI, 1e-11);
                energies.push(simple().potential(&scene.surroundings()));
            }
        }
        for around in energies.chunks(3) {
            elements::close(around[0], around[1], 1e-9);
            elements::close(around[2], around[1], 1e-9);
        }
    }

    #[test]
    fn axes_of_the_bushing_are_right_handed_and_follow_the_file() {
        assert_eq!(triad(None, None), Mat3::identity());
        let cases = [
            (Some(Vec3::new(0.0, 3.0, 0.0)), None, Vec3::y(), Vec3::z()),
            (Some(Vec3::new(0.0, 0.0, -2.0)), None, -Vec3::z(), Vec3::y()),
            (None, Some(Vec3::new(0.0, 0.0, 5.0)), Vec3::x(), Vec3::z()),
            (Some(Vec3::new(1.0, 1.0, 0.0)), None, Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0)),
        ];
        for (axis, second_axis, first, second) in cases {
            let axes = triad(axis, second_axis);
            elements::close_vector(&axes.column(0).into(), &first.normalize(), 1e-15);
            elements::close_vector(&axes.column(1).into(), &second.normalize(), 1e-15);
            elements::close(axes.determinant(), 1.0, 1e-15);
        }
    }
}
