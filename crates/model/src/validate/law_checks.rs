//! Cables, freewheels, limits of rotations, efforts by a formula; each function one item of a table, by the rows of
//! [`crate::elements`].

use super::check::{Check, Use};
use super::constraints::distance;
use crate::expression::{self, Dimension, Formula};
use crate::parameters::NumberSource;
use crate::schema::{BallStop, Cable, CableSense, Expression, ExpressionVariable, Freewheel};
use crate::schema::{Model, Number};
use ballesta_solver::joint::coordinates::Coordinate;

const NOT_NEGATIVE: &str = "write 0 or more";

pub(super) fn cable(check: &mut Check, item: &str, cable: &Cable) {
    // One body per point, one number of strands per section.
    for (index, body) in cable.bodies.iter().enumerate() {
        check.attachable(&format!("{item}.bodies[{index}]"), body);
    }
    let (bodies, points) = (cable.bodies.len(), cable.points.len());
    if points < 2 {
        check.report(format!("{item}.points"), format!("found {points} points"), "give at least two points");
        return;
    }
    if bodies != points {
        let found = format!("{bodies} bodies for {points} points");
        check.report(format!("{item}.bodies"), found, "name the body of each point");
        return;
    }
    let places: Vec<_> =
        cable.points.iter().enumerate().map(|(i, place)| check.place(&format!("{item}.points[{i}]"), place)).collect();
    let strands = cable.strands.clone().unwrap_or_else(|| vec![1.0; points - 1]);
    let key = format!("{item}.strands");
    if strands.len() != points - 1 {
        let found = format!("{} numbers for {} sections", strands.len(), points - 1);
        check.report(key, found, "give the number of strands between each pair of consecutive points");
        return;
    }
    if let Some(wrong) = strands.iter().position(|strands| *strands < 0.0) {
        check.report(format!("{key}[{wrong}]"), format!("found {}", strands[wrong]), NOT_NEGATIVE);
    }
    let sections = || cable.bodies.windows(2).zip(&strands).enumerate().filter(|(_, (_, strands))| **strands > 0.0);
    if sections().all(|(_, (bodies, _))| bodies[0] == bodies[1]) {
        let expected = "let a section run from one body to another, with a number of strands above 0";
        check.report(format!("{item}.bodies"), "the length of the cable does not depend on the motion", expected);
    }
    for (j, (bodies, _)) in sections() {
        if let (Some(a), Some(b)) = (places[j], places[j + 1])
            && bodies[0] != bodies[1]
            && a == b
        {
            let found = format!("points {} and {} of the cable are at the same place", j + 1, j + 2);
            check.report(format!("{item}.points[{}]", j + 1), found, "the section needs a direction: move one of them");
        }
    }
    // The law.
    for (name, number) in [("stiffness", &cable.stiffness), ("damping", &cable.damping)] {
        check.not_negative(&format!("{item}.{name}"), number, Use::Coefficient, NOT_NEGATIVE);
    }
    let free = format!("{item}.free_length");
    if let Some(length) = check.optional(&free, &cable.free_length, Use::Signal)
        && length < 0.0
    {
        check.report(free, format!("found {length}"), "a length is positive, or 0");
    }
    check.number(&format!("{item}.value"), &cable.value, Use::Signal);
    check.number(&format!("{item}.gain"), &cable.gain, Use::Coefficient);
    let limits = [("min_tension", &cable.min_tension), ("max_tension", &cable.max_tension)]
        .map(|(name, limit)| check.optional(&format!("{item}.{name}"), limit, Use::Coefficient));
    if let [Some(least), Some(most)] = limits
        && least >= most
    {
        let found = format!("min_tension {least} is not below max_tension {most}");
        check.report(format!("{item}.min_tension"), found, "write a smaller `min_tension`");
    }
    let zero = |number: &Number| *number == Number::Value(0.0);
    if zero(&cable.stiffness) && zero(&cable.damping) && zero(&cable.value) && limits == [None, None] {
        check.report(item, "the cable has no tension", "add `stiffness`, `damping` or `value`");
    }
    if cable.acts != CableSense::Tension && zero(&cable.stiffness) && zero(&cable.damping) {
        let found = "`acts` needs a stiffness or a damping";
        check.report(format!("{item}.acts"), found, "remove it; `value` acts in both senses");
    }
}

pub(super) fn freewheel(check: &mut Check, item: &str, freewheel: &Freewheel) {
    check.coordinate(item, &freewheel.joint, &freewheel.coordinate);
    let key = format!("{item}.sense");
    if let Some(sense) = check.number(&key, &freewheel.sense, Use::Fixed)
        && sense.abs() != 1.0
    {
        check.report(key, format!("found {sense}"), "write 1 (free towards positive coordinates) or -1");
    }
    check.not_negative(&format!("{item}.damping"), &freewheel.damping, Use::Coefficient, NOT_NEGATIVE);
    positive(check, &format!("{item}.stiffness"), &freewheel.stiffness, Use::Coefficient, "give a positive stiffness");
    positive(check, &format!("{item}.time"), &freewheel.time, Use::Fixed, "give a positive time in s");
}

pub(super) fn ball_stop(check: &mut Check, item: &str, stop: &BallStop) {
    check.two_bodies(item, &stop.bodies, "the stop");
    let twists = [&stop.swing, &stop.twist_lower, &stop.twist_upper];
    match &stop.axis {
        Some(axis) => {
            check.direction(&format!("{item}.axis"), axis);
        }
        None if twists.iter().any(|limit| limit.is_some()) => {
            check.report(item, "swing and twist need `axis`", "add `axis`, the axis of the twist");
        }
        None => {}
    }
    if stop.rotation.is_none() && twists.iter().all(|limit| limit.is_none()) {
        check.report(item, "the stop has no limit", "add `swing`, `twist_lower`, `twist_upper` or `rotation`");
    }
    let pi = core::f64::consts::PI;
    for (name, limit, range) in [
        ("swing", &stop.swing, [0.0, pi]),
        ("twist_lower", &stop.twist_lower, [-pi, 0.0]),
        ("twist_upper", &stop.twist_upper, [0.0, pi]),
        ("rotation", &stop.rotation, [0.0, pi]),
    ] {
        let key = format!("{item}.{name}");
        if let Some(value) = check.optional(&key, limit, Use::Coefficient)
            && !(range[0] <= value && value <= range[1])
        {
            let expected = format!("write an angle in rad from {:.4} to {:.4}", range[0], range[1]);
            check.report(key, format!("found {value}"), expected);
        }
    }
    check.not_negative(&format!("{item}.damping"), &stop.damping, Use::Coefficient, NOT_NEGATIVE);
    positive(check, &format!("{item}.stiffness"), &stop.stiffness, Use::Coefficient, "give a positive stiffness");
}

fn positive(check: &mut Check, key: &str, number: &Number, usage: Use, expected: &str) {
    if let Some(value) = check.number(key, number, usage)
        && value <= 0.0
    {
        check.report(key, format!("found {value}"), expected);
    }
}

pub(super) fn expression(check: &mut Check, item: &str, law: &Expression) {
    check.number(&format!("{item}.gain"), &law.gain, Use::Coefficient);
    // On a coordinate or between points.
    let unit = match (&law.joint, &law.bodies, &law.points) {
        (Some(joint), None, None) => {
            let found = check.coordinate(item, joint, &law.coordinate);
            found.map(|(_, coordinate)| coordinate.measure.effort_unit())
        }
        (None, Some(bodies), Some(points)) => {
            check.two_bodies(item, bodies, "the tension");
            distance(check, item, points, "the force acts along the line between the points");
            if law.coordinate.is_some() {
                check.report(format!("{item}.coordinate"), "`coordinate` needs `joint`", "remove it");
            }
            Some("N")
        }
        _ => {
            let expected = "give `joint` (and `coordinate` if it has several), or `bodies` and `points`";
            check.report(item, "the expression has no joint and no points", expected);
            None
        }
    };
    let mut known = built_in(law);
    let mut complete = true;
    for (index, variable) in law.variables.iter().enumerate() {
        let key = format!("{item}.variables[{index}]");
        if known.iter().any(|(name, _)| *name == variable.name) {
            let found = format!("the name \"{}\" occurs twice, or is a name of every formula", variable.name);
            check.report(format!("{key}.name"), found, "choose another name");
            complete = false;
        }
        let dimension = match self::variable(check, &key, variable, law) {
            Some(dimension) => dimension,
            None => {
                complete = false;
                None
            }
        };
        known.push((&variable.name, dimension));
    }
    if !complete {
        return;
    }
    let key = format!("{item}.effort");
    match expression::parse(&law.effort, &known) {
        Err(fault) => check.report(key, fault.found, fault.expected),
        Ok(Formula { dimension: Some(found), .. }) => {
            if let Some(unit) = unit
                && expression::dimension(unit) != Some(found)
            {
                let found = format!("the formula gives {}", expression::symbol(found));
                let expected = format!("write an effort in `{unit}`; numbers may have a unit, `120[N/m]`");
                check.report(key, found, expected);
            }
        }
        Ok(_) => {}
    }
}

/// Names that every formula of a table knows.
pub fn built_in(law: &Expression) -> Vec<(&str, Dimension)> {
    let all = [("time", "s"), ("length", "m"), ("speed", "m/s")];
    let count = if law.points.is_some() { 3 } else { 1 };
    all[..count].iter().map(|(name, unit)| (*name, expression::dimension(unit))).collect()
}

/// The formula of a validated table.
pub fn formula(model: &Model, law: &Expression) -> Option<Formula> {
    let mut known = built_in(law);
    for variable in &law.variables {
        let dimension = match &variable.joint {
            Some(joint) => {
                let joint = model.joints.iter().find(|other| other.name == *joint)?;
                of_coordinate(joint.kind.coordinate(variable.coordinate.as_deref())?, variable.rate)
            }
            None => variable.value.as_ref().and_then(|value| of_number(model, value)),
        };
        known.push((&variable.name, dimension));
    }
    expression::parse(&law.effort, &known).ok()
}

fn of_coordinate(coordinate: &Coordinate, rate: bool) -> Dimension {
    let measure = coordinate.measure;
    expression::dimension(if rate { measure.speed_unit() } else { measure.position_unit() })
}

/// Dimension of a parameter or input with a unit.
fn of_number(model: &Model, number: &Number) -> Dimension {
    let unit = match model.meaning(number) {
        NumberSource::Parameter(index) => model.parameters[index].unit.as_deref(),
        NumberSource::Input(index) => model.inputs[index].unit.as_deref(),
        _ => None,
    };
    unit.and_then(expression::dimension)
}

/// Checks a variable; `None` if its dimension is not known because of a fault.
fn variable(check: &mut Check, key: &str, variable: &ExpressionVariable, law: &Expression) -> Option<Dimension> {
    let name = &variable.name;
    let fits = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if !fits || name.is_empty() || name == "pi" {
        let expected = "write letters, digits and `_`, and a letter first; `pi` is taken";
        check.report(format!("{key}.name"), format!("found the name \"{name}\""), expected);
        return None;
    }
    if let Some(factor) = &variable.factor {
        check.number(&format!("{key}.factor"), factor, Use::Fixed);
    }
    match (&variable.joint, &variable.value) {
        (Some(_), None) if law.points.is_some() => {
            let found = "a tension between points cannot read a joint";
            check.report(format!("{key}.joint"), found, "use `length` and `speed`, inputs and parameters");
            None
        }
        (Some(joint), None) => {
            let (_, coordinate) = check.coordinate(key, joint, &variable.coordinate)?;
            Some(of_coordinate(coordinate, variable.rate))
        }
        (None, Some(value)) => {
            check.number(&format!("{key}.value"), value, Use::Signal);
            for (given, name) in [
                (variable.coordinate.is_some(), "coordinate"),
                (variable.rate, "rate"),
                (variable.factor.is_some(), "factor"),
            ] {
                if given {
                    check.report(format!("{key}.{name}"), format!("`{name}` needs `joint`"), "remove it");
                }
            }
            Some(of_number(check.model, value))
        }
        _ => {
            let expected = "give `joint` (and `coordinate`, `rate`), or `value`";
            check.report(key, format!("the variable \"{name}\" has no meaning"), expected);
            None
        }
    }
}
