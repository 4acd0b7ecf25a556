//! Stiffness and damping of a force element at an instant, as a sum of directions.
//!
//! With the direction's pair of unit wrenches (or its coordinate), its speed is ė = Σ w · Z; an elongation δe adds k δe
//! and a speed δė adds c δė to the load against it. So every direction adds the rank-one matrices k g gᵀ and c g gᵀ to
//! the stiffness and damping of the mechanism, with g the projection of its wrenches to the coordinates: symmetric, and
//! positive semidefinite for k, c ≥ 0. The geometric stiffness from the rotation of directions with the bodies is not
//! included.

use super::{BodyIx, CoordinateIx};
use crate::math::Vec3;
#[cfg(test)]
use crate::math::spatial::BodyMotion;
use crate::math::spatial::Wrench;

/// Bodies or coordinate of a direction of stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// Two bodies relative to each other: opposite unit wrenches, each about the o of its body, world axes.
    Bodies([BodyIx; 2], [Wrench; 2]),
    /// Three bodies relative to each other: unit wrenches in equilibrium, each about the o of its body, world axes.
    Three([BodyIx; 3], [Wrench; 3]),
    /// A joint coordinate.
    Coordinate(CoordinateIx),
}

/// Stiffness and damping in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// The direction.
    pub direction: Direction,
    /// k: N/m, or N m/rad.
    pub stiffness: f64,
    /// c: N s/m, or N m s/rad.
    pub damping: f64,
}

impl Direction {
    /// A unit force along `axis` at the points `r` (each from the o of its body).
    pub(super) fn force(bodies: [BodyIx; 2], r: &[Vec3; 2], axis: &Vec3) -> Direction {
        Direction::Bodies(bodies, [Wrench::at(&r[0], -axis), Wrench::at(&r[1], *axis)])
    }

    /// A unit couple about `axis`.
    pub(super) fn couple(bodies: [BodyIx; 2], axis: &Vec3) -> Direction {
        Direction::Bodies(bodies, [Wrench::couple(-axis), Wrench::couple(*axis)])
    }

    /// Bodies and their wrenches, zero for missing entries; `None` for a coordinate.
    pub fn ends(&self) -> [(usize, Wrench); 3] {
        let none = Wrench::zero();
        match self {
            Direction::Bodies(on, [first, second]) => [(on[0].0, *first), (on[1].0, *second), (on[1].0, none)],
            Direction::Three(on, wrenches) => [0, 1, 2].map(|end| (on[end].0, wrenches[end])),
            Direction::Coordinate(_) => [(0, none); 3],
        }
    }

    /// ė: speed in this direction, for tests of powers.
    #[cfg(test)]
    pub fn speed(&self, bodies: &[BodyMotion], v: &[f64]) -> f64 {
        match self {
            Direction::Bodies(on, wrenches) => (0..2).map(|end| bodies[on[end].0].velocity.dot(&wrenches[end])).sum(),
            Direction::Three(on, wrenches) => (0..3).map(|end| bodies[on[end].0].velocity.dot(&wrenches[end])).sum(),
            Direction::Coordinate(coordinate) => v[coordinate.velocity],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{Bushing, Characteristic, Coefficient, Element, JointSpring, Marker, Spring};
    use crate::math::Mat3;

    fn three(a: f64, b: f64, c: f64) -> [Coefficient; 3] {
        [a, b, c].map(Coefficient::Value)
    }

    fn ends() -> [Marker; 2] {
        [
            Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
        ]
    }

    fn elements() -> [Element; 3] {
        let linear = |value: f64| Characteristic::Linear(Coefficient::Value(value));
        [
            Element::Spring(Spring {
                name: "spring".into(),
                ends: ends(),
                stiffness: linear(50.0),
                damping: linear(7.0),
                free_length: Coefficient::Value(0.4),
                preload: Coefficient::Value(0.0),
            }),
            Element::JointSpring(JointSpring {
                name: "joint spring".into(),
                coordinate: CoordinateIx { position: 2, velocity: 1 },
                stiffness: linear(40.0),
                damping: linear(3.0),
                free_position: Coefficient::Value(0.25),
                preload: Coefficient::Value(0.0),
            }),
            Element::Bushing(Box::new(Bushing {
                name: "bushing".into(),
                ends: ends(),
                axes: Mat3::identity(),
                stiffness: [three(100.0, 70.0, 30.0), three(20.0, 9.0, 4.0)],
                damping: [three(3.0, 2.0, 1.0), three(0.7, 0.5, 0.3)],
                preload: [three(0.0, 0.0, 0.0); 2],
                breaking: None,
            })),
        ]
    }

    /// Σ k ė² and Σ c ė².
    fn squares(element: &Element, scene: &Scene) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        element.visit_tangents(&scene.surroundings(), &mut |tangent| {
            let speed = tangent.direction.speed(&scene.bodies, &scene.v);
            sums.0 += tangent.stiffness * speed * speed;
            sums.1 += tangent.damping * speed * speed;
        });
        sums
    }

    #[test]
    fn damping_in_all_directions_takes_the_power_of_the_dampers() {
        for element in elements() {
            for seed in 0..20 {
                let scene = Scene::random(seed);
                let power = scene.loads(&element).dissipated_power;
                elements::close(squares(&element, &scene).1, power, 1e-12 * (1.0 + power));
            }
        }
    }

    #[test]
    fn stiffness_in_all_directions_is_the_curvature_of_the_potential_in_the_undeformed_state() {
        for element in elements() {
            for seed in 0..20 {
                let mut scene = Scene::random(seed);
                // Undeformed: same rotation, ends where the element has no load.
                scene.q[2] = 0.25;
                scene.bodies[2].rotation = scene.bodies[1].rotation;
                scene.bodies[2].reference = scene.bodies[1].reference;
                let [a, b] = ends();
                let apart = if matches!(element, Element::Spring(_)) { Vec3::x() * 0.4 } else { Vec3::zeros() };
                scene.bodies[2].position = scene.bodies[1].point(&a.point) + apart - scene.bodies[2].rotation * b.point;
                let potential = |dt: f64| element.potential(&scene.moved(dt).surroundings());
                let step = 1e-4;
                let curvature = (potential(step) - 2.0 * potential(0.0) + potential(-step)) / (step * step);
                elements::close(squares(&element, &scene).0, curvature, 1e-5 * (1.0 + curvature));
            }
        }
    }

    #[test]
    fn tension_of_a_spring_resists_motion_across_its_line() {
        let [Element::Spring(spring), ..] = elements() else { panic!("not a spring") };
        let spring = Spring { free_length: Coefficient::Value(0.0), ..spring };
        // A spring with zero free length acts like three springs along the axes, at any length.
        for length in [0.0, 1e-9, 0.7] {
            let mut scene = Scene::at_rest();
            let [a, b] = ends();
            scene.bodies[2].position = a.point - b.point + Vec3::new(0.0, length, 0.0);
            scene.bodies[2].velocity.lin = Vec3::new(1.0, 2.0, 3.0);
            elements::close(squares(&Element::Spring(spring.clone()), &scene).0, 50.0 * 14.0, 1e-5);
        }
    }
}
