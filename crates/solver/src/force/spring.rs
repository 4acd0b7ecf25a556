//! Translational spring-damper between points of two bodies.
//!
//! # Frames
//!
//! Point P is fixed in the first body, point Q in the second. All vectors are in world axes; r = PQ is formed from the
//! points' positions relative to their branches' reference points, so it remains accurate far from the world's origin.
//!
//! # Law
//!
//! With length l = |r|, direction u = r / l, elongation e = l − l₀ and its rate ė = u · (v_Q − v_P), the tension is
//!
//! ```text
//!     T = k e + T₀ + c ė          (k e and c ė may each be a table: linear between rows and beyond them)
//! ```
//!
//! Force on the first body at P: T u; on the second at Q: −T u. Both are on the line PQ, so there is no net moment.
//!
//! # Energy
//!
//! Potential ½ k e² + T₀ e, or ∫₀ᵉ table + T₀ e: zero at the free length l₀, also with a preload (then it is not a
//! minimum there). Dissipated power: c ė².
//!
//! # Limits
//!
//! At l = 0 the line has no direction. The force and ė are set to zero there, the mean of the limits over all
//! directions. For l₀ = 0 and T₀ = 0 this is the continuous value. Otherwise the force jumps when one end passes
//! through the other; use a bushing for such a model. The free length may be zero.
//!
//! # Choosing the parameters
//!
//! The default free length is the distance between the points in the design position. A spring that carries the load F
//! in the design position has either `preload = F`, or `free_length` = design length − F/k; they differ only if k is
//! changed later. For mass m on the spring, c = 2 ζ √(k m) gives the damping ratio ζ; an explicit fixed step h needs
//! about h √(k/m) < 1 and h c/m < 1.
//!
//! # Tests
//!
//! Below, with `check.rs`: force = −gradient of the potential, balance of powers, action = reaction, invariances,
//! values by hand, zero length.

use super::line::Line;
use super::{
    Characteristic, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, Surroundings,
    Tangent,
};
use crate::math::Vec3;
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Spring-damper along the line between two points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Spring {
    /// Name in the model file.
    pub name: String,
    /// The two ends.
    pub ends: [Marker; 2],
    /// Tension over elongation, N over m.
    pub stiffness: Characteristic,
    /// Tension over the rate of elongation, N over m/s.
    pub damping: Characteristic,
    /// Length at which the elongation is zero, m.
    pub free_length: Coefficient,
    /// Tension added at every length, N.
    pub preload: Coefficient,
}

/// Quantities of a spring or joint spring for outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringReadout<S = f64> {
    /// Length of a spring (m), deflection of a joint spring (rad or m).
    pub length: S,
    /// Its rate (m/s, rad/s).
    pub speed: S,
    /// Force of the element including its damper, tension positive (N, N m).
    pub force: S,
}

impl Spring {
    fn elastic<S: Scalar>(&self, s: &Surroundings<S>, length: S) -> S {
        self.stiffness.value(s, length - s.value(&self.free_length)) + s.value(&self.preload)
    }
}

impl ForceLaw for Spring {
    /// Adds the tension on both ends, and the damper's power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let line = Line::between(&self.ends, s);
        let damping = self.damping.value(s, line.speed);
        line.add_tension(&self.ends, self.elastic(s, line.length) + damping, loads);
        loads.dissipated_power += damping * line.speed;
    }

    /// Stored energy, J; zero at the free length.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let elongation = Line::between(&self.ends, s).length - s.value(&self.free_length);
        self.stiffness.integral(s, elongation) + s.value(&self.preload) * elongation
    }

    /// Length, its rate, and tension.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let line = Line::between(&self.ends, s);
        let force = self.elastic(s, line.length) + self.damping.value(s, line.speed);
        SpringReadout { length: line.length, speed: line.speed, force }
    }
}

impl ForceElement for Spring {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    /// Along the line k and c; across it the tension turns with the line, T / l.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let line = Line::between(&self.ends, s);
        let stiffness = self.stiffness.slope(s, line.length - s.value(&self.free_length));
        let tension = self.elastic(s, line.length);
        line.visit_tangents(&self.ends, [stiffness, self.damping.slope(s, line.speed), tension], visit);
        if line.length == 0.0 && tension == 0.0 {
            let bodies = self.ends.map(|end| end.body);
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let direction = Direction::force(bodies, &line.ends, &axis);
                visit(&Tangent { direction, stiffness, damping: 0.0 });
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.ends.map(|end| end.body));
        list.add_coefficients([&self.stiffness, &self.damping].into_iter().filter_map(|c| c.coefficient()));
        list.add_coefficients([self.free_length, self.preload]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element, Table};

    fn spring() -> Spring {
        let ends = [
            Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
        ];
        Spring {
            name: "spring".into(),
            ends,
            stiffness: Characteristic::Linear(Coefficient::Value(120.0)),
            damping: Characteristic::Linear(Coefficient::Value(7.0)),
            free_length: Coefficient::Value(0.8),
            preload: Coefficient::Value(15.0),
        }
    }

    fn tabular() -> Spring {
        let force = Table::new(&[[-1.0, -300.0], [-0.1, -20.0], [0.2, 30.0], [1.0, 400.0]]);
        let damping = Table::new(&[[-2.0, -9.0], [0.0, 0.0], [1.0, 12.0], [2.0, 15.0]]);
        Spring { stiffness: Characteristic::Table(force), damping: Characteristic::Table(damping), ..spring() }
    }

    #[test]
    fn force_is_the_negative_gradient_of_the_potential() {
        elements::force_is_the_negative_gradient(&Element::Spring(spring()));
        elements::force_is_the_negative_gradient(&Element::Spring(tabular()));
    }

    #[test]
    fn powers_balance_and_the_damper_takes_power() {
        elements::powers_balance(&Element::Spring(spring()));
        elements::powers_balance(&Element::Spring(tabular()));
        elements::dissipates(&Element::Spring(spring()));
        elements::dissipates(&Element::Spring(tabular()));
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        elements::action_equals_reaction(&Element::Spring(spring()));
        elements::independent_of_world_frame(&Element::Spring(spring()));
        elements::independent_of_common_motion(&Element::Spring(spring()));
        elements::independent_of_reference_points(&Element::Spring(spring()));
        elements::exact_far_from_the_origin(&Element::Spring(spring()));
    }

    #[test]
    fn speed_of_the_readout_is_the_rate_of_its_length() {
        let (scene, step) = (Scene::random(8), 1e-5);
        let length = |dt: f64| spring().readout(&scene.moved(dt).surroundings()).length;
        let rate = (length(step) - length(-step)) / (2.0 * step);
        assert!(rate.abs() > 0.1);
        elements::close(spring().readout(&scene.surroundings()).speed, rate, 1e-8);
    }

    #[test]
    fn tunable_coefficients_are_read_at_every_evaluation() {
        let mut scene = Scene::at_rest();
        scene.bodies[1].position = Vec3::new(2.0, 0.0, 0.0);
        let spring = Spring {
            ends: [Marker { body: BodyIx(0), point: Vec3::zeros() }, Marker { body: BodyIx(1), point: Vec3::zeros() }],
            stiffness: Characteristic::Linear(Coefficient::Parameter(0)),
            free_length: Coefficient::Parameter(1),
            preload: Coefficient::Input(0),
            ..spring()
        };
        (scene.parameters, scene.inputs) = (vec![100.0, 1.5], vec![7.0, 0.0]);
        elements::close(spring.readout(&scene.surroundings()).force, 57.0, 1e-13);
        (scene.parameters, scene.inputs) = (vec![10.0, 1.0], vec![-2.0, 0.0]);
        elements::close(spring.readout(&scene.surroundings()).force, 8.0, 1e-13);
    }

    #[test]
    fn spring_to_ground_has_the_tension_computed_by_hand() {
        let mut scene = Scene::at_rest();
        scene.bodies[1].position = Vec3::new(3.0, 0.0, 4.0);
        scene.bodies[1].velocity.lin = Vec3::new(0.6, 5.0, 0.8);
        let spring = Spring {
            ends: [Marker { body: BodyIx(0), point: Vec3::zeros() }, Marker { body: BodyIx(1), point: Vec3::zeros() }],
            free_length: Coefficient::Value(4.0),
            ..spring()
        };
        // l = 5, e = 1, ė = (0.6·3 + 0.8·4)/5 = 1: T = 120 + 15 + 7.
        let readout = spring.readout(&scene.surroundings());
        elements::close(readout.length, 5.0, 1e-15);
        elements::close(readout.speed, 1.0, 1e-15);
        elements::close(readout.force, 142.0, 1e-12);
        let loads = scene.loads(&Element::Spring(spring.clone()));
        elements::close_vector(&loads.wrenches[1].force, &(Vec3::new(0.6, 0.0, 0.8) * -142.0), 1e-12);
        elements::close_vector(&loads.wrenches[0].force, &(Vec3::new(0.6, 0.0, 0.8) * 142.0), 1e-12);
        elements::close(loads.dissipated_power, 7.0, 1e-12);
        elements::close(spring.potential(&scene.surroundings()), 75.0, 1e-12);
    }

    #[test]
    fn potential_vanishes_at_the_free_length() {
        let scene = Scene::random(3);
        for spring in [spring(), tabular()] {
            let length = spring.readout(&scene.surroundings()).length;
            let spring = Spring { free_length: Coefficient::Value(length), ..spring };
            assert_eq!(spring.potential(&scene.surroundings()), 0.0);
        }
    }

    #[test]
    fn spring_of_zero_length_has_no_force_and_no_nan() {
        let mut scene = Scene::at_rest();
        scene.bodies[1].velocity.lin = Vec3::new(1.0, 2.0, 3.0);
        let ends = [Marker { body: BodyIx(0), point: Vec3::zeros() }, Marker { body: BodyIx(1), point: Vec3::zeros() }];
        let spring = Spring { ends, ..spring() };
        let loads = scene.loads(&Element::Spring(spring.clone()));
        assert_eq!(loads.wrenches[1].force, Vec3::zeros());
        assert_eq!(loads.dissipated_power, 0.0);
        assert_eq!(spring.readout(&scene.surroundings()).speed, 0.0);
        elements::close(spring.potential(&scene.surroundings()), 0.5 * 120.0 * 0.64 - 15.0 * 0.8, 1e-12);
    }
}
