//! Controls and measurements of a manoeuvre.

use super::check::Check;
use crate::document::nearest::did_you_mean;
use crate::schema::{Model, Number, Vehicle};

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    let Some(vehicle) = &model.vehicle else { return };
    check.moving_body("vehicle.body", &vehicle.body);
    for (index, body) in vehicle.towed.iter().enumerate() {
        check.moving_body(&format!("vehicle.towed[{index}]"), body);
    }
    if let Some(point) = &vehicle.point {
        check.place("vehicle.point", point);
    }
    let unused = model.unused();
    let held: Vec<&str> = held_speeds(model);
    let read = |name: &&str| !unused.inputs.iter().any(|other| other == name);
    // Candidates for the name: inputs that are read and have no other purpose.
    let taken = |name: &&str| held.contains(name) || driven(vehicle, name);
    let inputs = || model.inputs.iter().map(|input| input.name.as_str());
    let free: Vec<&str> = inputs().filter(read).filter(|name| !taken(name)).collect();
    let steer = ("vehicle.steer".to_string(), &vehicle.steer, Some("rad"), &free);
    let target = ("vehicle.target".to_string(), &vehicle.target, Some("m/s"), &held);
    let brakes = vehicle.brakes.keys().map(|name| (format!("vehicle.brakes.{name}"), name, None, &free));
    for (key, name, unit, meant) in [steer, target].into_iter().chain(brakes) {
        let Some(input) = model.inputs.iter().find(|input| input.name == *name) else {
            check.report(key, format!("there is no input \"{name}\""), did_you_mean(name, meant));
            continue;
        };
        if !read(&name.as_str()) {
            check.report(key, format!("the input \"{name}\" is not used"), did_you_mean(name, meant));
        } else {
            in_unit(check, &key, name, &input.unit, unit);
        }
    }
    match model.parameters.iter().find(|parameter| parameter.name == vehicle.speed) {
        Some(parameter) => in_unit(check, "vehicle.speed", &vehicle.speed, &parameter.unit, Some("m/s")),
        None => {
            let found = format!("there is no parameter \"{}\"", vehicle.speed);
            let read = model.parameters.iter().filter(|parameter| !unused.parameters.contains(&parameter.name));
            let speeds = read.filter(|parameter| parameter.unit.as_deref().is_none_or(|unit| unit == "m/s"));
            let speeds: Vec<&str> = speeds.map(|parameter| parameter.name.as_str()).collect();
            check.report("vehicle.speed", found, did_you_mean(&vehicle.speed, &speeds));
        }
    }
    for (key, value) in [("wheelbase", vehicle.wheelbase), ("steering_ratio", vehicle.steering_ratio)] {
        if let Some(value) = value.filter(|value| *value <= 0.0) {
            check.report(format!("vehicle.{key}"), format!("found {value}"), "give a positive number");
        }
    }
    if let Some([front, rear, width]) = vehicle.outline.filter(|[front, rear, width]| front <= rear || *width <= 0.0) {
        let found = format!("found front x = {front} m, rear x = {rear} m, width {width} m");
        check.report(
            "vehicle.outline",
            found,
            "write [front x, rear x, width] in m, with front x > rear x and width > 0",
        );
    }
}

/// Inputs that set the target speed of `[[speed_control]]`.
fn held_speeds(model: &Model) -> Vec<&str> {
    let targets = model.speed_controls.iter().map(|control| &control.target);
    let names = targets.filter_map(|target| match target {
        Number::Parameter(name) => Some(name.as_str()),
        Number::Value(_) => None,
    });
    names.filter(|name| model.inputs.iter().any(|input| input.name == *name)).collect()
}

/// Whether `[vehicle]` uses the input for another purpose.
fn driven(vehicle: &Vehicle, name: &str) -> bool {
    vehicle.steer == name || vehicle.target == name || vehicle.brakes.contains_key(name)
}

/// Reports a unit that differs from the unit of the quantity in a manoeuvre.
fn in_unit(check: &mut Check, key: &str, name: &str, unit: &Option<String>, wanted: Option<&str>) {
    if let (Some(unit), Some(wanted)) = (unit.as_deref(), wanted)
        && unit != wanted
    {
        check.report(key, format!("\"{name}\" is in {unit}"), format!("name one in {wanted}"));
    }
}
