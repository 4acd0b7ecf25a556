//! What a manoeuvre drives and measures.

use super::check::Check;
use crate::document::nearest::did_you_mean;

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
    let inputs: Vec<&str> = model.inputs.iter().map(|input| input.name.as_str()).collect();
    let parameters: Vec<&str> = model.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let [steer, target] = [("vehicle.steer", &vehicle.steer), ("vehicle.target", &vehicle.target)];
    let brakes = vehicle.brakes.keys().map(|name| (format!("vehicle.brakes.{name}"), name));
    for (key, name) in [steer, target].into_iter().map(|(key, name)| (key.to_string(), name)).chain(brakes) {
        if !inputs.contains(&name.as_str()) {
            check.report(key, format!("there is no input \"{name}\""), did_you_mean(name, &inputs));
        }
    }
    if !parameters.contains(&vehicle.speed.as_str()) {
        let found = format!("there is no parameter \"{}\"", vehicle.speed);
        check.report("vehicle.speed", found, did_you_mean(&vehicle.speed, &parameters));
    }
    for (key, value) in [("wheelbase", vehicle.wheelbase), ("steering_ratio", vehicle.steering_ratio)] {
        if let Some(value) = value.filter(|value| *value <= 0.0) {
            check.report(format!("vehicle.{key}"), format!("found {value}"), "give a positive number");
        }
    }
    if let Some([front, rear, width]) = vehicle.outline.filter(|[front, rear, width]| front <= rear || *width <= 0.0) {
        let found = format!("from x = {front} m to {rear} m, {width} m wide");
        check.report("vehicle.outline", found, "write the foremost x, the rearmost x, and a positive width, in m");
    }
}
