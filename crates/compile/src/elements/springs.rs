//! Springs, bushings and bump stops from their tables.

use super::{Lookup, marker};
use ballesta_model::schema;
use ballesta_solver::force::bump_stop::{Law, On};
use ballesta_solver::force::bushing::triad;
use ballesta_solver::force::{Breaking, BumpStop, Bushing, Characteristic, Coefficient, JointSpring, Spring, Table};
use ballesta_solver::math::Vec3;

/// Builds the spring of a validated table.
pub fn spring(spring: &schema::Spring, lookup: &dyn Lookup) -> Spring {
    let end = |i: usize| marker(lookup, &spring.bodies[i], &spring.points[i]);
    let free_length = match &spring.free_length {
        Some(number) => lookup.coefficient(number),
        None => Coefficient::Value((lookup.place(&spring.points[1]) - lookup.place(&spring.points[0])).norm()),
    };
    Spring {
        name: spring.name.clone(),
        ends: [end(0), end(1)],
        stiffness: Characteristic::new(lookup.coefficient(&spring.stiffness), spring.force_table.as_deref()),
        damping: Characteristic::new(lookup.coefficient(&spring.damping), spring.damping_table.as_deref()),
        free_length,
        preload: lookup.coefficient(&spring.preload),
    }
}

/// Builds the joint spring of a validated table.
pub fn joint_spring(spring: &schema::JointSpring, lookup: &dyn Lookup) -> JointSpring {
    JointSpring {
        name: spring.name.clone(),
        coordinate: lookup.coordinate(&spring.joint, spring.coordinate.as_deref()),
        stiffness: Characteristic::new(lookup.coefficient(&spring.stiffness), spring.force_table.as_deref()),
        damping: Characteristic::new(lookup.coefficient(&spring.damping), spring.damping_table.as_deref()),
        free_position: lookup.coefficient(&spring.free_position),
        preload: lookup.coefficient(&spring.preload),
    }
}

/// Time constant of breaking if the file omits it: s, and steps, which resolve the loss of energy.
const BREAK_TIME: (f64, f64) = (1e-3, 2.0);

/// Builds the bushing of a validated table.
pub fn bushing(bushing: &schema::Bushing, lookup: &dyn Lookup) -> Bushing {
    let direction = |vector: &schema::Vector| Vec3::from(vector.each_ref().map(|number| lookup.number(number)));
    let end = |i: usize| marker(lookup, &bushing.bodies[i], &bushing.point);
    let six = |numbers: &[schema::Number; 6]| {
        let at = |i: usize| lookup.coefficient(&numbers[i]);
        [[at(0), at(1), at(2)], [at(3), at(4), at(5)]]
    };
    let none = [[Coefficient::Value(0.0); 3]; 2];
    let usual = || f64::max(BREAK_TIME.0, BREAK_TIME.1 * lookup.step());
    let breaks = bushing.break_force.is_some() || bushing.break_torque.is_some();
    Bushing {
        name: bushing.name.clone(),
        ends: [end(0), end(1)],
        axes: triad(bushing.axis.as_ref().map(direction), bushing.second_axis.as_ref().map(direction)),
        stiffness: six(&bushing.stiffness),
        damping: bushing.damping.as_ref().map_or(none, six),
        preload: bushing.preload.as_ref().map_or(none, six),
        breaking: breaks.then(|| Breaking {
            force: bushing.break_force.as_ref().map(|force| lookup.coefficient(force)),
            torque: bushing.break_torque.as_ref().map(|torque| lookup.coefficient(torque)),
            time: bushing.break_time.as_ref().map_or_else(usual, |time| lookup.number(time)),
            state: 0,
        }),
    }
}

/// Builds the bump stop of a validated table.
pub fn bump_stop(stop: &schema::BumpStop, lookup: &dyn Lookup) -> BumpStop {
    let on = match (&stop.joint, &stop.bodies, &stop.points) {
        (None, Some(bodies), Some(points)) => On::Points([0, 1].map(|i| marker(lookup, &bodies[i], &points[i]))),
        (joint, ..) => {
            On::Coordinate(lookup.coordinate(joint.as_deref().unwrap_or_default(), stop.coordinate.as_deref()))
        }
    };
    let law = match (&stop.force_table, &stop.stiffness) {
        (Some(rows), _) => Law::Table(Table::new(rows)),
        (None, stiffness) => Law::Power(
            stiffness.as_ref().map_or(Coefficient::Value(0.0), |number| lookup.coefficient(number)),
            lookup.coefficient(&stop.exponent),
        ),
    };
    BumpStop {
        name: stop.name.clone(),
        on,
        lower: stop.lower.as_ref().map(|number| lookup.coefficient(number)),
        upper: stop.upper.as_ref().map(|number| lookup.coefficient(number)),
        law,
        damping: lookup.coefficient(&stop.damping),
        damping_depth: lookup.coefficient(&stop.damping_depth),
    }
}
