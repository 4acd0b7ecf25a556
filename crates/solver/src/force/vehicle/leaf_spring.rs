//! Leaf spring: multi-leaf characteristic with friction between the leaves, at the seat of an axle on a frame.
//!
//! # Frames
//!
//! A₀ and B₀ are the points of frame and axle at the seat; they coincide in the design position. Fixed in the frame are
//! the axes a_x (along the leaves), a_y (along the axle beam) and a_z (`axis`); fixed in the axle is b_x, equal to a_x
//! in the design position. With d = B₀ − A₀,
//!
//! ```text
//!     x = (a_x, a_y, a_z)ᵀ d,    δ = x_z  (deflection, positive when the load rises),    ψ = a_z · b_x  (wind-up).
//! ```
//!
//! # Law
//!
//! ```text
//!     F = N(δ) + c δ̇ + F_c(δ) f(ζ, δ̇) + ½ β F_c'(δ) ζ²          against δ
//!     N(δ) = load + k δ (or table) + k_h r(δ − δ_h),            F_c = F_0 + μ |N(δ)|
//!     F_i = k_i x_i + c_i ẋ_i,  i = x, y                          against x_i
//!     M = k_ψ ψ + c_ψ ψ̇                                           against ψ, a couple about b_x × a_z
//! ```
//!
//! f and the state ζ are defined in [`crate::force::bristle`] (e = 0) with travel β: after a reversal the force changes
//! from one branch N ± F_c to the other exponentially with β. That is Fancher's law F' = (N ± F_e − F) |δ̇|/β with F_e
//! = F_c + k β: in his law the whole force lags, not only the friction. r is the ramp max(0, u), rounded by a parabola
//! over |u| ≤ w. The force acts on the axle at B₀; the reaction acts on the frame at the point of space where B₀ is
//! now.
//!
//! # Energy
//!
//! Potential ∫N dδ + ½ β F_c ζ² + ½ Σ k_i x_i² + ½ k_ψ ψ², zero in the design position with ζ = 0. Where friction
//! follows the load, the stored energy of the bristles depends on δ too; the last term of F is its slope (of relative
//! size β/δ_static to the friction). So the dissipated power is exactly F_c (τ v² + β |v| ζ²)/(β + τ |v|) + c v² + … ≥
//! 0.
//!
//! # Limits
//!
//! ψ is the sine of the wind-up angle. A single spring has no stiffness against roll and yaw of the axle; two springs
//! at a distance provide it. No coupling between wind-up and deflection, no tension of the leaves. Stability of
//! explicit steps: [`crate::force::bristle`] with F_c/β as stiffness.
//!
//! # Source
//!
//! P. S. Fancher, R. D. Ervin, C. C. MacAdam, C. B. Winkler, Measurement and representation of the mechanical
//! properties of truck leaf springs, SAE 800905 (1980).

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::force::{
    Bristle, Characteristic, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity,
    SpringReadout, Surroundings, Tangent,
};
use crate::math::scalar::{Scalar, lift_matrix};
use crate::math::spatial::BodyMotion;
use crate::math::{Mat3, Vec3};
use alloc::string::String;
use core::ops::Range;

/// Leaf spring at the seat of an axle.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LeafSpring {
    /// Name in the model file.
    pub name: String,
    /// The seat on the frame (A₀) and on the axle (B₀).
    pub seats: [Marker; 2],
    /// Columns a_x, a_y, a_z in the frame's B; b_x in the axle's B is the first too.
    pub axes: Mat3,
    /// Force over δ, N over m, without `load`.
    pub stiffness: Characteristic,
    /// Force at δ = 0, N.
    pub load: Coefficient,
    /// c, N s/m.
    pub damping: Coefficient,
    /// k_h in N/m and δ_h in m.
    pub helper: [Coefficient; 2],
    /// w, m.
    pub helper_transition: f64,
    /// F_0 in N and μ.
    pub friction: [Coefficient; 2],
    /// β and τ.
    pub bristle: Bristle,
    /// k_x, k_y in N/m.
    pub side_stiffness: [Coefficient; 2],
    /// c_x, c_y in N s/m.
    pub side_damping: [Coefficient; 2],
    /// k_ψ in N m/rad and c_ψ in N m s/rad.
    pub wind_up: [Coefficient; 2],
    /// Index of ζ among the auxiliary states.
    pub state: usize,
}

/// The seat at one instant. A has the axes of the seat on the frame.
struct Seat<S> {
    /// B₀ from the o of the frame and from the o of the axle, world axes.
    p_oB_W: [Vec3<S>; 2],
    /// Columns a_x, a_y, a_z.
    R_WA: Mat3<S>,
    /// x and ẋ.
    p_AB_A: Vec3<S>,
    v_rel_A: Vec3<S>,
    /// b_x × a_z, world axes.
    wind_up_axis_W: Vec3<S>,
    wind_up: S,
    wind_up_rate: S,
}

/// Forces against δ at one instant.
struct Vertical<S> {
    /// N and its slope.
    nominal: (S, S),
    /// F_c and its slope.
    friction: (S, S),
    /// F.
    force: S,
    /// Lost power, W.
    loss: S,
}

impl LeafSpring {
    fn seat<S: Scalar>(&self, s: &Surroundings<S>) -> Seat<S> {
        let [frame, axle] = self.seats.map(|seat| s.body(seat.body));
        let [p_oA_W, p_oB_W] = [frame.point(&self.seats[0].point), axle.point(&self.seats[1].point)];
        let p_AB_W = BodyMotion::between(frame, &p_oA_W, axle, &p_oB_W);
        // F is the frame's body; b_x in the axle has the entries of a_x in F.
        let R_FA = lift_matrix::<S>(&self.axes);
        let R_WA = frame.rotation * R_FA;
        let p_oB_W = [p_oA_W + p_AB_W, p_oB_W];
        let v_rel_W = axle.velocity.at(&p_oB_W[1]) - frame.velocity.at(&p_oB_W[0]);
        let b_x_W = axle.rotation * R_FA.column(0);
        let a_z_W: Vec3<S> = R_WA.column(2).into();
        let wind_up_axis_W = b_x_W.cross(&a_z_W);
        Seat {
            p_oB_W,
            R_WA,
            p_AB_A: R_WA.tr_mul(&p_AB_W),
            v_rel_A: R_WA.tr_mul(&v_rel_W),
            wind_up_axis_W,
            wind_up: a_z_W.dot(&b_x_W),
            wind_up_rate: (axle.velocity.ang - frame.velocity.ang).dot(&wind_up_axis_W),
        }
    }

    /// N(δ) and its slope.
    fn nominal<S: Scalar>(&self, s: &Surroundings<S>, deflection: S) -> (S, S) {
        let [stiffness, start] = self.helper.each_ref().map(|c| s.value(c));
        let (ramp, rise, _) = ramp(deflection - start, self.helper_transition);
        (
            s.value(&self.load) + self.stiffness.value(s, deflection) + stiffness * ramp,
            self.stiffness.slope(s, deflection) + stiffness * rise,
        )
    }

    fn friction<S: Scalar>(&self, s: &Surroundings<S>, nominal: (S, S)) -> (S, S) {
        let [constant, share] = self.friction.each_ref().map(|c| s.value(c));
        (constant + share * nominal.0.abs(), share * nominal.1 * if nominal.0 < 0.0 { -1.0 } else { 1.0 })
    }

    fn vertical<S: Scalar>(&self, s: &Surroundings<S>, deflection: S, speed: S) -> Vertical<S> {
        let state = s.auxiliary[self.state];
        let nominal = self.nominal(s, deflection);
        let friction = self.friction(s, nominal);
        let bristle = &self.bristle;
        let damping = s.value(&self.damping) * speed;
        let rubbing = friction.0 * bristle.share(speed, state, S::one()) + friction.1 * bristle.stored(state);
        let loss = damping * speed + friction.0 * bristle.loss(speed, state, S::one());
        Vertical { nominal, friction, force: nominal.0 + damping + rubbing, loss }
    }
}

impl ForceLaw for LeafSpring {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let seat = self.seat(s);
        let (x, rate) = (seat.p_AB_A, seat.v_rel_A);
        let vertical = self.vertical(s, x.z, rate.z);
        let mut f_A = Vec3::new(S::zero(), S::zero(), vertical.force);
        let mut loss = vertical.loss;
        for i in 0..2 {
            let damping = s.value(&self.side_damping[i]) * rate[i];
            f_A[i] = s.value(&self.side_stiffness[i]) * x[i] + damping;
            loss += damping * rate[i];
        }
        let f_W = seat.R_WA * f_A;
        let damping = s.value(&self.wind_up[1]) * seat.wind_up_rate;
        let t_W = seat.wind_up_axis_W * (s.value(&self.wind_up[0]) * seat.wind_up + damping);
        let [frame, axle] = self.seats.map(|seat| seat.body);
        loads.add_force(frame, &seat.p_oB_W[0], f_W);
        loads.add_force(axle, &seat.p_oB_W[1], -f_W);
        loads.add_torque(frame, t_W);
        loads.add_torque(axle, -t_W);
        loads.dissipated_power += loss + damping * seat.wind_up_rate;
        loads.rates[self.state] = self.bristle.rate(rate.z, s.auxiliary[self.state], S::one());
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let seat = self.seat(s);
        let deflection = seat.p_AB_A.z;
        let [stiffness, start] = self.helper.each_ref().map(|c| s.value(c));
        let ramp = |u: S| ramp(u, self.helper_transition).2;
        let nominal = s.value(&self.load) * deflection
            + self.stiffness.integral(s, deflection)
            + stiffness * (ramp(deflection - start) - ramp(-start));
        let friction = self.friction(s, self.nominal(s, deflection)).0;
        let side = |i: usize| s.value(&self.side_stiffness[i]) * 0.5 * seat.p_AB_A[i] * seat.p_AB_A[i];
        let wind_up = s.value(&self.wind_up[0]) * 0.5 * seat.wind_up * seat.wind_up;
        nominal + friction * self.bristle.stored(s.auxiliary[self.state]) + side(0) + side(1) + wind_up
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let seat = self.seat(s);
        let force = self.vertical(s, seat.p_AB_A.z, seat.v_rel_A.z).force;
        SpringReadout { length: seat.p_AB_A.z, speed: seat.v_rel_A.z, force }
    }
}

impl ForceElement for LeafSpring {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let seat = self.seat(s);
        let bodies = self.seats.map(|seat| seat.body);
        let vertical = self.vertical(s, seat.p_AB_A.z, seat.v_rel_A.z);
        let (stiff, damped) = self.bristle.tangent(seat.v_rel_A.z, s.auxiliary[self.state], 1.0);
        let laws = [
            (s.value(&self.side_stiffness[0]), s.value(&self.side_damping[0])),
            (s.value(&self.side_stiffness[1]), s.value(&self.side_damping[1])),
            (vertical.nominal.1 + vertical.friction.0 * stiff, s.value(&self.damping) + vertical.friction.0 * damped),
        ];
        for (i, (stiffness, damping)) in laws.into_iter().enumerate() {
            let direction = Direction::force(bodies, &seat.p_oB_W, &seat.R_WA.column(i).into());
            visit(&Tangent { direction, stiffness, damping });
        }
        let [stiffness, damping] = self.wind_up.each_ref().map(|c| s.value(c));
        visit(&Tangent { direction: Direction::couple(bodies, &seat.wind_up_axis_W), stiffness, damping });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.seats.map(|seat| seat.body));
        list.add_coefficients(self.stiffness.coefficient());
        list.add_coefficients([self.load, self.damping]);
        let pairs = [self.helper, self.friction, self.side_stiffness, self.side_damping, self.wind_up];
        list.add_coefficients(pairs.into_iter().flatten());
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }

    /// At rest in the middle between the branches.
    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        auxiliary[self.state] = self.bristle.steady(self.seat(s).v_rel_A.z, 1.0);
    }
}

/// Columns a_x, a_y, a_z from the direction of deflection and the direction of the axle beam.
pub fn axes(up: &Vec3, lateral: &Vec3) -> Mat3 {
    let up = up.normalize();
    let lateral = (lateral - up * up.dot(lateral)).normalize();
    Mat3::from_columns(&[lateral.cross(&up), lateral, up])
}

/// max(0, u), rounded over |u| ≤ w; its slope; its integral.
fn ramp<S: Scalar>(u: S, w: f64) -> (S, S, S) {
    if u <= -w {
        (S::zero(), S::zero(), S::zero())
    } else if u >= w {
        (u, S::one(), (u * u - w * w) * 0.5 + 2.0 / 3.0 * w * w)
    } else {
        let over = u + w;
        (over * over / (4.0 * w), over / (2.0 * w), over * over * over / (12.0 * w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element, Table};
    use crate::math::larger;

    const NONE: Coefficient = Coefficient::Value(0.0);

    fn value(values: [f64; 2]) -> [Coefficient; 2] {
        values.map(Coefficient::Value)
    }

    fn frictionless() -> LeafSpring {
        LeafSpring {
            name: "leaves".into(),
            seats: [
                Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
                Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
            ],
            axes: axes(&Vec3::new(0.1, 0.2, 2.0), &Vec3::new(0.3, 1.0, 0.0)),
            stiffness: Characteristic::Linear(Coefficient::Value(100.0)),
            load: Coefficient::Value(30.0),
            damping: Coefficient::Value(4.0),
            helper: value([50.0, 0.2]),
            helper_transition: 0.1,
            friction: [NONE; 2],
            bristle: Bristle::gradual(0.3, 0.1),
            side_stiffness: value([70.0, 60.0]),
            side_damping: value([3.0, 2.0]),
            wind_up: value([40.0, 1.5]),
            state: 2,
        }
    }

    fn with_friction() -> LeafSpring {
        LeafSpring { friction: value([20.0, 0.2]), ..frictionless() }
    }

    fn tabular() -> LeafSpring {
        let table = Table::new(&[[-1.0, -90.0], [0.0, 0.0], [0.5, 80.0], [1.0, 200.0]]);
        LeafSpring { stiffness: Characteristic::Table(table), ..with_friction() }
    }

    fn element(spring: LeafSpring) -> Element {
        Element::LeafSpring(Box::new(spring))
    }

    #[test]
    fn force_without_friction_is_the_negative_gradient_of_the_potential() {
        elements::force_is_the_negative_gradient(&element(frictionless()));
    }

    #[test]
    fn powers_balance_with_the_energy_of_the_bristles_and_friction_only_takes() {
        for spring in [frictionless(), with_friction(), tabular()] {
            elements::powers_balance(&element(spring.clone()));
            elements::dissipates(&element(spring));
        }
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        for spring in [with_friction(), tabular()] {
            elements::action_equals_reaction(&element(spring.clone()));
            elements::independent_of_world_frame(&element(spring.clone()));
            elements::independent_of_common_motion(&element(spring.clone()));
            elements::independent_of_reference_points(&element(spring.clone()));
            elements::exact_far_from_the_origin(&element(spring));
        }
    }

    #[test]
    fn loop_of_slow_motion_encloses_twice_the_friction_times_the_stroke() {
        // Up and down once by ±40 mm with β = 1 mm: the corners take 2 F_c β each.
        let spring = LeafSpring {
            friction: value([500.0, 0.0]),
            damping: NONE,
            bristle: Bristle::gradual(0.001, 0.0),
            ..frictionless()
        };
        let mut scene = Scene::at_rest();
        let (amplitude, step, mut work, mut peak) = (0.04, 1e-6, 0.0, 0.0f64);
        for turn in 0..4 {
            let speed = if turn % 2 == 0 { 1.0 } else { -1.0 };
            for k in 0..(2.0 * amplitude / step) as usize {
                let deflection = speed * (step * (k as f64 + 0.5) - amplitude);
                let force = spring.vertical(&scene.surroundings(), deflection, speed);
                let rubbing = force.force - force.nominal.0;
                if turn >= 2 {
                    work += rubbing * speed * step;
                    peak = larger(peak, rubbing.abs());
                }
                scene.auxiliary[2] += step * spring.bristle.rate(speed, scene.auxiliary[2], 1.0);
            }
        }
        elements::close(peak, 500.0, 1e-6);
        let expected = 4.0 * 500.0 * amplitude - 4.0 * 500.0 * 0.001;
        elements::close(work, expected, 2e-3 * expected);
    }

    #[test]
    fn constant_stiffness_gives_fanchers_force_with_his_envelope() {
        // F' = (N ± F_e − F) |δ̇|/β with F_e = F_c + k β, integrated separately.
        let (k, beta, fc) = (100.0, 0.3, 20.0);
        let spring = LeafSpring {
            friction: value([fc, 0.0]),
            helper: [NONE; 2],
            damping: NONE,
            bristle: Bristle::gradual(beta, 0.0),
            ..frictionless()
        };
        let mut scene = Scene::at_rest();
        let (step, mut deflection, mut force) = (1e-5, 0.0, 30.0);
        for turn in 0..3 {
            let speed: f64 = if turn % 2 == 0 { 1.0 } else { -1.0 };
            for _ in 0..50_000 {
                let envelope = 30.0 + k * deflection + speed * (fc + k * beta);
                force += step * (envelope - force) / beta;
                scene.auxiliary[2] += step * spring.bristle.rate(speed, scene.auxiliary[2], 1.0);
                deflection += step * speed;
            }
            elements::close(spring.vertical(&scene.surroundings(), deflection, speed).force, force, 0.01);
        }
    }

    #[test]
    fn wind_up_and_side_forces_are_those_computed_by_hand() {
        let spring = LeafSpring {
            axes: Mat3::identity(),
            seats: [Marker { body: BodyIx(0), point: Vec3::zeros() }, Marker { body: BodyIx(1), point: Vec3::zeros() }],
            ..frictionless()
        };
        let mut scene = Scene::at_rest();
        scene.bodies[1].position = Vec3::new(0.01, 0.02, 0.05);
        scene.bodies[1].rotation = crate::math::rotation::about(&Vec3::y(), 0.1);
        let loads = scene.loads(&element(spring.clone())).wrenches[1];
        elements::close_vector(&loads.force, &Vec3::new(-0.7, -1.2, -35.0), 1e-12);
        let moment = loads.moment - scene.bodies[1].position.cross(&loads.force);
        elements::close_vector(&moment, &Vec3::new(0.0, -40.0 * 0.1f64.sin() * 0.1f64.cos(), 0.0), 1e-12);
        assert_eq!(spring.readout(&scene.surroundings()).length, 0.05);
    }

    #[test]
    fn helper_leaf_sets_in_smoothly_and_adds_its_stiffness() {
        for (u, value, slope) in [(-0.2, 0.0, 0.0), (0.0, 0.025, 0.5), (0.3, 0.3, 1.0)] {
            let found = ramp(u, 0.1);
            elements::close(found.0, value, 1e-15);
            elements::close(found.1, slope, 1e-15);
        }
        assert_eq!((ramp(0.5, 0.0).0, ramp(-0.5, 0.0).0, ramp(0.0, 0.0).1), (0.5, 0.0, 0.0));
    }
}
