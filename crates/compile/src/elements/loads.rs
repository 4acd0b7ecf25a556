//! Applied forces, drives and dry friction from their tables.

use super::{Lookup, marker};
use ballesta_model::schema;
use ballesta_solver::force::{Bristle, Coefficient, Drive, Feedback, Force, Friction, LoadFriction, Torque};

/// Default of `load_time`, s.
const LOAD_TIME: f64 = 1e-3;

/// Builds the force of a validated table.
pub fn force(force: &schema::Force, lookup: &dyn Lookup) -> Force {
    Force {
        name: force.name.clone(),
        point: marker(lookup, &force.body, &force.point),
        value: force.value.each_ref().map(|signal| lookup.coefficient(signal)),
        axes: force.axes,
    }
}

/// Builds the torque of a validated table.
pub fn torque(torque: &schema::Torque, lookup: &dyn Lookup) -> Torque {
    Torque {
        name: torque.name.clone(),
        body: lookup.body(&torque.body),
        value: torque.value.each_ref().map(|signal| lookup.coefficient(signal)),
        axes: torque.axes,
    }
}

/// Builds the drive of a validated table.
pub fn drive(drive: &schema::Drive, lookup: &dyn Lookup) -> Drive {
    Drive {
        name: drive.name.clone(),
        coordinate: lookup.coordinate(&drive.joint, drive.coordinate.as_deref()),
        value: lookup.coefficient(&drive.value),
        gain: lookup.coefficient(&drive.gain),
        feedback: drive.has_feedback().then(|| Feedback {
            offset: lookup.coefficient(&drive.offset),
            position_gain: lookup.coefficient(&drive.position_gain),
            speed_gain: lookup.coefficient(&drive.speed_gain),
        }),
        limits: [&drive.min_effort, &drive.max_effort].map(|limit| limit.as_ref().map(|n| lookup.coefficient(n))),
    }
}

/// Builds the friction of a validated table.
pub fn friction(friction: &schema::Friction, lookup: &dyn Lookup) -> Friction {
    let coulomb = lookup.coefficient(&friction.coulomb);
    let coefficient = |number: &Option<schema::Number>| number.as_ref().map(|number| lookup.coefficient(number));
    let breakaway = coefficient(&friction.breakaway).unwrap_or(coulomb);
    let travel = friction.presliding.as_ref().map(|number| lookup.number(number));
    let number = |number: &Option<schema::Number>| number.as_ref().map(|number| lookup.number(number));
    let dry = [coulomb, breakaway].iter().any(|force| *force != Coefficient::Value(0.0));
    let load = friction.coefficient.as_ref().map(|sliding| {
        let (joint, rotation) = lookup.joint_coordinate(&friction.joint, friction.coordinate.as_deref());
        let sliding = lookup.coefficient(sliding);
        let radius = if rotation { number(&friction.radius).unwrap_or_default() } else { 1.0 };
        LoadFriction {
            joint,
            coefficient: sliding,
            static_coefficient: coefficient(&friction.static_coefficient).unwrap_or(sliding),
            rotation,
            radius,
            thrust_radius: number(&friction.thrust_radius).unwrap_or_default(),
            bearing_distance: number(&friction.bearing_distance),
            nominal: radius * number(&friction.nominal_load).unwrap_or_default(),
            time: number(&friction.load_time).unwrap_or(LOAD_TIME),
        }
    });
    Friction {
        name: friction.name.clone(),
        coordinate: lookup.coordinate(&friction.joint, friction.coordinate.as_deref()),
        coulomb,
        breakaway,
        stribeck_speed: coefficient(&friction.stribeck_speed).unwrap_or(Coefficient::Value(0.0)),
        viscous: lookup.coefficient(&friction.viscous),
        bristle: travel
            .filter(|_| dry || load.is_some())
            .map(|travel| Bristle::sharp(travel, lookup.number(&friction.time))),
        load,
        state: 0,
    }
}
