//! Cables, freewheels, limits of rotations, and efforts by a formula from their tables.

use super::{Lookup, marker};
use ballesta_model::schema;
use ballesta_solver::force::bump_stop::On;
use ballesta_solver::force::expression::Reading;
use ballesta_solver::force::{BallStop, Cable, Coefficient, Expression, Freewheel};
use ballesta_solver::math::Vec3;

/// Builds the cable of a validated table.
pub fn cable(cable: &schema::Cable, lookup: &dyn Lookup) -> Cable {
    let strands = cable.strands.clone().unwrap_or_else(|| vec![1.0; cable.points.len().saturating_sub(1)]);
    let places: Vec<Vec3> = cable.points.iter().map(|place| lookup.place(place)).collect();
    let sections = places.windows(2).zip(&strands);
    let designed = sections.map(|(ends, strands)| (ends[1] - ends[0]).norm() * strands).sum();
    let coefficient = |number: &Option<schema::Number>| number.as_ref().map(|number| lookup.coefficient(number));
    Cable {
        name: cable.name.clone(),
        points: cable.bodies.iter().zip(&cable.points).map(|(body, place)| marker(lookup, body, place)).collect(),
        strands,
        acts: cable.acts,
        stiffness: lookup.coefficient(&cable.stiffness),
        damping: lookup.coefficient(&cable.damping),
        free_length: coefficient(&cable.free_length).unwrap_or(Coefficient::Value(designed)),
        value: lookup.coefficient(&cable.value),
        gain: lookup.coefficient(&cable.gain),
        limits: [coefficient(&cable.min_tension), coefficient(&cable.max_tension)],
    }
}

/// Builds the freewheel of a validated table.
pub fn freewheel(freewheel: &schema::Freewheel, lookup: &dyn Lookup) -> Freewheel {
    Freewheel {
        name: freewheel.name.clone(),
        coordinate: lookup.coordinate(&freewheel.joint, freewheel.coordinate.as_deref()),
        sense: lookup.coefficient(&freewheel.sense),
        stiffness: lookup.coefficient(&freewheel.stiffness),
        damping: lookup.coefficient(&freewheel.damping),
        time: lookup.number(&freewheel.time),
        state: 0,
    }
}

/// Builds the limits of a rotation of a validated table.
pub fn ball_stop(stop: &schema::BallStop, lookup: &dyn Lookup) -> BallStop {
    let axis = stop.axis.as_ref().map(|axis| Vec3::from(axis.each_ref().map(|number| lookup.number(number))));
    let coefficient = |number: &Option<schema::Number>| number.as_ref().map(|number| lookup.coefficient(number));
    BallStop {
        name: stop.name.clone(),
        bodies: stop.bodies.each_ref().map(|body| lookup.body(body)),
        axis: axis.and_then(|axis| axis.try_normalize(0.0)).unwrap_or_else(Vec3::z),
        swing: coefficient(&stop.swing),
        twist: [coefficient(&stop.twist_lower), coefficient(&stop.twist_upper)],
        rotation: coefficient(&stop.rotation),
        stiffness: lookup.coefficient(&stop.stiffness),
        damping: lookup.coefficient(&stop.damping),
    }
}

/// Builds the effort by a formula of a validated table.
pub fn expression(law: &schema::Expression, lookup: &dyn Lookup) -> Expression {
    let on = match (&law.joint, &law.bodies, &law.points) {
        (None, Some(bodies), Some(points)) => On::Points([0, 1].map(|i| marker(lookup, &bodies[i], &points[i]))),
        (joint, ..) => {
            On::Coordinate(lookup.coordinate(joint.as_deref().unwrap_or_default(), law.coordinate.as_deref()))
        }
    };
    let mut variables = vec![(Reading::Time, 1.0)];
    if matches!(on, On::Points(_)) {
        variables.extend([(Reading::Length, 1.0), (Reading::LengthRate, 1.0)]);
    }
    variables.extend(law.variables.iter().map(|variable| match (&variable.joint, &variable.value) {
        (Some(joint), _) => {
            let coordinate = lookup.coordinate(joint, variable.coordinate.as_deref());
            let factor = variable.factor.as_ref().map_or(1.0, |factor| lookup.number(factor));
            (if variable.rate { Reading::Speed(coordinate) } else { Reading::Position(coordinate) }, factor)
        }
        (None, value) => {
            let value = value.as_ref().map_or(Coefficient::Value(f64::NAN), |value| lookup.coefficient(value));
            (Reading::Signal(value), 1.0)
        }
    }));
    Expression {
        name: law.name.clone(),
        on,
        gain: lookup.coefficient(&law.gain),
        variables,
        formula: lookup.formula(law),
    }
}
