//! Inputs, parameters, outputs.

use super::check::{Check, Use, word};
use crate::document::nearest::{did_you_mean, list};
use crate::elements;
use crate::flexible_names::elastic_modes;
use crate::outputs::{RULES, Rule, Size, Target, wrong_words};
use crate::schema::{Axes, Component, Output, Quantity};
use crate::units::{UNITS, find};
use ballesta_solver::system::ScalarKind;

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    for (index, input) in model.inputs.iter().enumerate() {
        let item = format!("input[{index}]");
        unit(check, &format!("{item}.unit"), &input.unit);
        limits(check, &item, ("start", input.start), input.min, input.max);
    }
    for (index, parameter) in model.parameters.iter().enumerate() {
        let item = format!("parameter[{index}]");
        unit(check, &format!("{item}.unit"), &parameter.unit);
        limits(check, &item, ("value", parameter.value), parameter.min, parameter.max);
    }
    for (index, output) in model.outputs.iter().enumerate() {
        self::output(check, &format!("output[{index}]"), output);
    }
}

fn limits(check: &mut Check, item: &str, (key, value): (&str, f64), min: Option<f64>, max: Option<f64>) {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        check.report(format!("{item}.min"), format!("min {min} exceeds max {max}"), "write `min` below `max`");
    } else if let Some(min) = min.filter(|min| value < *min) {
        check.report(format!("{item}.{key}"), format!("{value} is below min {min}"), "keep within the limits");
    } else if let Some(max) = max.filter(|max| value > *max) {
        check.report(format!("{item}.{key}"), format!("{value} is above max {max}"), "keep within the limits");
    }
}

fn unit(check: &mut Check, key: &str, unit: &Option<String>) {
    if let Some(symbol) = unit.as_deref().filter(|symbol| find(symbol).is_none()) {
        let known: Vec<&str> = UNITS.iter().map(|unit| unit.symbol).collect();
        check.report(key, format!("there is no unit \"{symbol}\""), did_you_mean(symbol, &known));
    }
}

fn output(check: &mut Check, item: &str, output: &Output) {
    // An output reads one quantity of one target.
    let targets = output.targets();
    let quantity = word(output.quantity);
    if targets.len() > 1 {
        let keys: Vec<&str> = targets.iter().map(|(target, _)| target.key()).collect();
        let found = format!("the output has several targets: {}", list(&keys));
        check.report(item, found, "keep one of them");
        return;
    }
    if flexible_keys(check, item, output) {
        return;
    }
    let (target, name) = targets.first().copied().unwrap_or((Target::System, ""));
    // The table of rules determines which keys the quantity of this target has.
    let Some(rule) = output.rule() else {
        return unfit(check, item, target, output.quantity);
    };
    let key = format!("{item}.{}", target.key());
    refer(check, item, &key, rule, output, name);
    // `coordinate` selects one coordinate of a joint with several coordinates.
    if output.coordinate.is_some()
        && !needs_coordinate(rule)
        && (target != Target::Constraint || output.joint.is_none())
    {
        let found = format!("`coordinate` does not apply to `{quantity}` of a {}", target.key());
        check.report(format!("{item}.coordinate"), found, "remove it");
    }
    // Only motions of a body have a point; the ground has no default point.
    let pointed = matches!(rule.quantity, Quantity::Position | Quantity::Velocity | Quantity::Acceleration);
    let pointed = pointed && target == Target::Body;
    match &output.point {
        Some(_) if !pointed => {
            let found = format!("`point` does not apply to `{quantity}`");
            check.report(format!("{item}.point"), found, "remove it");
        }
        Some(place) => {
            check.place(&format!("{item}.point"), place);
        }
        None if pointed && name == "ground" => {
            check.report(format!("{item}.point"), "the ground has no centre of mass", "add `point`");
        }
        None => {}
    }
    // Components: `x`, `y` and `z` of vectors, and `w` only of quaternions.
    match (rule.size, output.component) {
        (Size::Scalar, Some(_)) => {
            let found = format!("`{quantity}` is a single number");
            check.report(format!("{item}.component"), found, "remove `component`");
        }
        (Size::Vector | Size::Forces | Size::Moments, Some(Component::W)) => {
            let found = format!("`{quantity}` is a vector and has no component `w`");
            check.report(format!("{item}.component"), found, "write `x`, `y` or `z`");
        }
        _ => {}
    }
    low_pass(check, item, output, rule);
    if output.axes != Axes::World && !rule.axes {
        let found = format!("`axes` does not apply to `{quantity}` of {}", of(target));
        check.report(format!("{item}.axes"), found, "remove it");
    }
}

/// Reports incompatible keys of parts of flexible bodies; `true` if there was one.
fn flexible_keys(check: &mut Check, item: &str, output: &Output) -> bool {
    let parts =
        [("section", output.section.is_some()), ("node", output.node.is_some()), ("mode", output.mode.is_some())];
    let parts: Vec<&str> = parts.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
    let (found, expected) = match (parts.as_slice(), &output.flexible_body) {
        ([key, ..], None) => (format!("`{key}` needs `flexible_body`"), "add `flexible_body`, its name"),
        ([_, _, ..], Some(_)) => (format!("the output has several targets: {}", list(&parts)), "keep one of them"),
        (parts, _)
            if output.stress_point.is_some() && (*parts != ["section"] || output.quantity != Quantity::Stress) =>
        {
            let found = "`stress_point` applies only to `section` with the quantity `stress`".to_string();
            check.report(format!("{item}.stress_point"), found, "remove it");
            return true;
        }
        _ => return false,
    };
    check.report(item, found, expected);
    true
}

/// The filter of an output: only for real numbers that can be averaged, with a positive frequency and one or three
/// poles.
fn low_pass(check: &mut Check, item: &str, output: &Output, rule: &Rule) {
    let Some(filter) = &output.low_pass else { return };
    let key = format!("{item}.low_pass");
    let countable = rule.kind != ScalarKind::Real || rule.quantity.is_of_the_run();
    if countable || rule.size == Size::Quaternion {
        let found = format!("`{}` cannot be filtered", word(rule.quantity));
        check.report(&key, found, "remove `low_pass`; a low-pass filter needs real numbers or vectors");
    }
    let cutoff = format!("{key}.cutoff_hz");
    if let Some(frequency) = check.number(&cutoff, &filter.cutoff_hz, Use::Fixed)
        && frequency <= 0.0
    {
        check.report(cutoff, format!("found {frequency}"), "give a positive frequency in Hz");
    }
    if !matches!(filter.order, 1 | 3) {
        check.report(format!("{key}.order"), format!("found {}", filter.order), "write 1 or 3");
    }
}

/// Whether the output reads a scalar coordinate that its key `coordinate` selects.
fn needs_coordinate(rule: &Rule) -> bool {
    rule.target == Target::Joint && rule.size == Size::Scalar
}

/// A quantity that the target does not have.
fn unfit(check: &mut Check, item: &str, target: Target, quantity: Quantity) {
    let found = match target {
        Target::System => format!("`{}` is not a quantity of the whole system", word(quantity)),
        _ => format!("`{}` is not a quantity of {}", word(quantity), of(target)),
    };
    let of_quantity: Vec<&str> =
        RULES.iter().filter(|rule| rule.quantity == quantity).map(|rule| rule.target.key()).collect();
    let expected = match (target, of_quantity.as_slice()) {
        (_, ["system"]) => "remove the target; the quantity belongs to the whole system".to_string(),
        (Target::System, keys) => format!("add the target, one of {}", list(keys)),
        _ => wrong_words::instead_of(target, &word(quantity)),
    };
    check.report(format!("{item}.quantity"), found, expected);
}

fn of(target: Target) -> String {
    match target {
        Target::System => "the whole system".to_string(),
        Target::Guided => "a prescribed motion".to_string(),
        Target::FlexibleBody => "a flexible body as a whole".to_string(),
        _ => format!("a {}", target.key()),
    }
}

/// Looks up the names in the output.
fn refer(check: &mut Check, item: &str, key: &str, rule: &Rule, output: &Output, name: &str) {
    // Names are looked up in the tables that have the quantity of the output.
    let model = check.model;
    let known: Vec<&str> = match rule.target {
        Target::System => return,
        Target::Joint if needs_coordinate(rule) => {
            check.coordinate(item, name, &output.coordinate);
            return;
        }
        Target::Joint => {
            check.joint(key, name);
            return;
        }
        Target::Body => {
            check.body(key, name);
            return;
        }
        Target::Spring
        | Target::Bushing
        | Target::Tyre
        | Target::Drive
        | Target::Contact
        | Target::AerodynamicDrag
        | Target::Driver => {
            // Several kinds of elements can have the same target; quantities of their own restrict the tables.
            let some = elements::TABLES.iter().any(|table| table.own_quantities.contains(&rule.quantity));
            let read = elements::TABLES.iter().filter(|table| table.read_by == Some(rule.target));
            let read = read.filter(|table| !some || table.own_quantities.contains(&rule.quantity));
            read.flat_map(|table| (table.names)(model)).collect()
        }
        Target::Guided => model.guided.iter().map(|guided| guided.name.as_str()).collect(),
        Target::Constraint => return constraint(check, item, key, output, name),
        Target::FlexibleBody | Target::Section | Target::Node | Target::Mode => {
            return flexible(check, item, output, name);
        }
    };
    // An unknown name is reported with the nearest known name.
    if !known.contains(&name) {
        let found = format!(
            "there is no {} \"{name}\"",
            rule.target.key().replace("guided", "prescribed motion").replace('_', " ")
        );
        check.report(key, found, did_you_mean(name, &known));
    }
}

/// A flexible body, and the part of it that the output names.
fn flexible(check: &mut Check, item: &str, output: &Output, name: &str) {
    let bodies = &check.model.flexible_bodies;
    let Some(index) = bodies.iter().position(|body| body.name == name) else {
        let known: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        let found = format!("there is no flexible body \"{name}\"");
        return check.report(format!("{item}.flexible_body"), found, did_you_mean(name, &known));
    };
    if output.quantity == Quantity::Stress && output.stress_point.is_none() {
        let expected = "add `stress_point`, the name of a point of the section";
        check.report(format!("{item}.stress_point"), "`stress` needs `stress_point`", expected);
    }
    let Some(rom) = check.rom(index) else { return };
    let mut part = |key: &str, wanted: &Option<String>, known: Vec<&str>, of: &str| {
        if let Some(wanted) = wanted.as_deref().filter(|wanted| !known.contains(wanted)) {
            let expected = match (known.as_slice(), key) {
                ([], "stress_point") => format!("{of} has none"),
                // The names are names of outputs of the structure, not of its nodes.
                ([], _) => format!(
                    "add an `[[output]]` with a name and the {key} to the structure file, reduce the structure again, \
                     and use that name"
                ),
                (known, _) => did_you_mean(wanted, known),
            };
            let found = format!("{of} has no {} \"{wanted}\"", key.replace('_', " "));
            check.report(format!("{item}.{key}"), found, expected);
        }
    };
    let body = format!("the reduced-order model of \"{name}\"");
    part("section", &output.section, rom.sections.iter().map(|section| section.name.as_str()).collect(), &body);
    part("node", &output.node, rom.nodes.iter().map(|node| node.name.as_str()).collect(), &body);
    if let Some(section) = rom.sections.iter().find(|section| output.section.as_ref() == Some(&section.name)) {
        let points = section.points.iter().map(|point| point.name.as_str()).collect();
        part("stress_point", &output.stress_point, points, &format!("section \"{}\"", section.name));
    }
    let kept = bodies[index].modes.unwrap_or(usize::MAX).min(elastic_modes(rom));
    if let Some(mode) = output.mode.filter(|mode| !(1..=kept).contains(mode)) {
        let expected = match kept {
            0 => "the body is rigid".to_string(),
            _ => format!("write a mode number from 1 to {kept}; the body keeps no higher modes"),
        };
        check.report(format!("{item}.mode"), format!("found {mode}"), expected);
    }
}

/// Constraints have different quantities; for a coupler, `joint` and `coordinate` select the coordinate.
fn constraint(check: &mut Check, item: &str, key: &str, output: &Output, name: &str) {
    // Couplings act on coordinates, all others act at points of bodies.
    let model = check.model;
    let couplings = model.couplers.iter().map(|item| &item.name).chain(model.racks.iter().map(|item| &item.name));
    let couplings: Vec<&str> = couplings.map(String::as_str).collect();
    let points = model.points_on_line.iter().map(|item| &item.name);
    let points = points.chain(model.points_in_plane.iter().map(|item| &item.name));
    let points = points.chain(model.curves_on_curves.iter().map(|item| &item.name));
    let others = model.rods.iter().map(|item| &item.name).chain(points).map(String::as_str);
    let known: Vec<&str> = others.chain(couplings.iter().copied()).collect();
    if !known.contains(&name) {
        check.report(key, format!("there is no constraint \"{name}\""), did_you_mean(name, &known));
        return;
    }
    // Quantities that do not exist for the kind of constraint.
    let couples = couplings.contains(&name);
    match output.quantity {
        Quantity::ReactionForce if couples => {
            let found = format!("constraint \"{name}\" acts on coordinates, not at a point");
            check.report(format!("{item}.quantity"), found, "write `force`, `power` or `gap`");
        }
        Quantity::TangentialForce | Quantity::FrictionAngle
            if !model.curves_on_curves.iter().any(|item| item.name == name) =>
        {
            let found = format!("constraint \"{name}\" is not a curve on a curve");
            check.report(format!("{item}.quantity"), found, "write `force`, `reaction_force` or `gap`");
        }
        Quantity::Power if !couples => {
            let found = format!("constraint \"{name}\" acts on bodies, not on coordinates");
            check.report(format!("{item}.quantity"), found, "write `force`, `reaction_force` or `gap`");
        }
        _ => {}
    }
    // `joint` selects one of the coupled coordinates, for the force or the power of a coupler.
    let Some(joint) = &output.joint else { return };
    let of_coordinate = matches!(output.quantity, Quantity::Force | Quantity::Power);
    let key = format!("{item}.joint");
    match model.coupled_places(output).len() {
        _ if !couples || !of_coordinate => {
            let found = format!("`joint` does not apply to `{}` of constraint \"{name}\"", word(output.quantity));
            check.report(
                key,
                found,
                "remove `joint`; it selects the coordinate for the `force` or `power` of a \
                                      coupler",
            );
        }
        0 => {
            let mut on: Vec<&str> = model.coupled_by(name).into_iter().map(|(joint, _)| joint).collect();
            on.dedup();
            let found = match &output.coordinate {
                Some(coordinate) => format!("\"{name}\" does not couple `{coordinate}` of joint \"{joint}\""),
                None => format!("\"{name}\" does not couple joint \"{joint}\""),
            };
            check.report(key, found, did_you_mean(joint, &on));
        }
        1 => {}
        _ => {
            let found = format!("\"{name}\" couples several coordinates of joint \"{joint}\"");
            check.report(key, found, "add `coordinate`, the name of the coordinate to read");
        }
    }
}
