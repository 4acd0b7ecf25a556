//! Drivers that follow a path.

use super::check::{Check, Use};
use super::powertrain_checks::not_zero;
use crate::document::nearest::did_you_mean;
use crate::schema::{Driver, Number, Place};

/// Smallest distance between two stops, m: a stop is recognised within half of it.
const MIN_STOP_DISTANCE: f64 = 2.0;

/// Largest distance between the start of a leg and the end of the previous leg, m.
const MAX_LEG_GAP: f64 = 0.1;

/// `[[driver]]`
pub(super) fn driver(check: &mut Check, item: &str, driver: &Driver) {
    let key = |name: &str| format!("{item}.{name}");
    check.moving_body(&key("body"), &driver.body);
    check.place(&key("point"), &driver.point);
    if let Some(axis) = &driver.axis {
        check.direction(&key("axis"), axis);
    }
    path(check, item, driver);
    let brakes = driver.brakes.iter().enumerate().map(|(k, brake)| (key(&format!("brakes[{k}].input")), &brake.input));
    let pedals = [("steer", &driver.steer), ("target", &driver.target)];
    let given = pedals.iter().filter_map(|(name, input)| Some((key(name), input.as_ref()?)));
    // The inputs that previous drivers set, then the inputs of this driver.
    let others = check.model.drivers.iter().take_while(|other| other.name != driver.name);
    let mut taken: Vec<&String> = others
        .flat_map(|other| {
            [&other.steer, &other.target].into_iter().flatten().chain(other.brakes.iter().map(|b| &b.input))
        })
        .collect();
    for (key, name) in given.chain(brakes) {
        given_input(check, key.clone(), name);
        if taken.contains(&name) {
            check.report(key, format!("a driver already sets \"{name}\""), "name every input only once");
        }
        taken.push(name);
    }
    for (name, number) in [
        ("wheelbase", &driver.wheelbase),
        ("preview", &driver.preview),
        ("steering_lag", &driver.steering_lag),
        ("acceleration", &driver.acceleration),
        ("deceleration", &driver.deceleration),
        ("full_braking", &driver.full_braking),
        ("brake_lag", &driver.brake_lag),
    ] {
        positive(check, key(name), number);
    }
    not_zero(check, key("steering_ratio"), &driver.steering_ratio);
    for (name, number) in [("max_angle", &driver.max_angle), ("max_rate", &driver.max_rate)] {
        number.iter().for_each(|number| positive(check, key(name), number));
    }
    check.not_negative(&key("lead"), &driver.lead, Use::Fixed, "write 0 or more");
    check.number(&key("understeer"), &driver.understeer, Use::Fixed);
    check.not_negative(&key("speed"), &driver.speed, Use::Signal, "write 0 or more; use `reverse` to drive backwards");
    let row = |k: usize, column: usize| key(&format!("limits[{k}][{column}]"));
    let mut places = Vec::new();
    for (k, [place, limit]) in driver.limits.iter().enumerate() {
        places.push((row(k, 0), place));
        positive(check, row(k, 1), limit);
    }
    ascending(check, &places, 0.0, "list the positions along the path in increasing order");
    let places: Vec<(String, &Number)> =
        driver.stops.iter().enumerate().map(|(k, stop)| (key(&format!("stop[{k}].at")), &stop.at)).collect();
    ascending(
        check,
        &places,
        MIN_STOP_DISTANCE,
        "list the positions along the path in increasing order, at least 2 m apart",
    );
    for (k, stop) in driver.stops.iter().enumerate() {
        if let Some(hold) = &stop.hold {
            positive(check, key(&format!("stop[{k}].hold")), hold);
        }
    }
    for (k, brake) in driver.brakes.iter().enumerate() {
        check.number(&key(&format!("brakes[{k}].gain")), &brake.gain, Use::Fixed);
    }
    let stops = if driver.stops.is_empty() { "leg" } else { "stop" };
    if !(driver.stops.is_empty() && driver.legs.is_empty()) && driver.brakes.is_empty() {
        check.report(key(stops), "a driver without `brakes` cannot stop", "name the inputs of the brakes");
    }
}

/// The curves of the path.
fn path(check: &mut Check, item: &str, driver: &Driver) {
    let model = check.model;
    // The path is the curve of the driver, followed by the curves of its legs.
    let known: Vec<&str> = model.curves.iter().map(|curve| curve.name.as_str()).collect();
    let legs = driver.legs.iter().enumerate().map(|(k, leg)| (format!("{item}.leg[{k}].curve"), &leg.curve));
    let mut end: Option<Place> = None;
    for (key, name) in std::iter::once((format!("{item}.curve"), &driver.curve)).chain(legs) {
        let Some(curve) = model.curves.iter().find(|curve| curve.name == *name) else {
            check.report(key, format!("there is no curve \"{name}\""), did_you_mean(name, &known));
            continue;
        };
        // Several legs need curves with ends that meet.
        if driver.legs.is_empty() {
            continue;
        }
        let points = curve.points.as_deref().unwrap_or_default();
        let (Some(first), Some(last), false) = (points.first(), points.last(), curve.closed) else {
            check.report(key, format!("\"{name}\" has no ends"), "name a curve through `points` that is not closed");
            break;
        };
        if let Some(before) = end.replace(last.clone())
            && let [Some(before), Some(begin)] = [before, first.clone()].map(|place| check.place(&key, &place))
            && (begin - before).norm() > MAX_LEG_GAP
        {
            let found = format!("\"{name}\" begins {:.3} m from the end of the previous leg", (begin - before).norm());
            check.report(key, found, "start it at that end");
        }
    }
    // Stops and speeds of the legs.
    for (k, leg) in driver.legs.iter().enumerate() {
        positive(check, format!("{item}.leg[{k}].hold"), &leg.hold);
        leg.speed.iter().for_each(|speed| positive(check, format!("{item}.leg[{k}].speed"), speed));
    }
}

/// An input that a driver can set: it starts at 0, and no motion must be consistent with it.
pub(super) fn given_input(check: &mut Check, key: String, name: &str) {
    let model = check.model;
    let inputs: Vec<&str> = model.inputs.iter().map(|input| input.name.as_str()).collect();
    let Some(found) = model.inputs.iter().find(|input| input.name == *name) else {
        return check.report(key, format!("there is no input \"{name}\""), did_you_mean(name, &inputs));
    };
    if found.start != 0.0 {
        let expected = "start the input at 0; external values are added to the internal value";
        return check.report(key, format!("\"{name}\" starts at {}", found.start), expected);
    }
    let consistent = |guided: &&crate::schema::Guided| {
        guided.inputs.as_ref().is_some_and(|inputs| inputs.iter().any(|input| input == name))
    };
    if let Some(guided) = model.guided.iter().find(consistent) {
        let found = format!("\"{name}\" is one of three consistent inputs of \"{}\"", guided.name);
        check.report(key, found, "prescribe the coordinate by `input` and `filter_frequency`");
    }
}

fn positive(check: &mut Check, key: String, number: &Number) {
    if let Some(value) = check.number(&key, number, Use::Fixed)
        && value <= 0.0
    {
        check.report(key, format!("found {value}"), "write a number above 0");
    }
}

/// Reports a position that is not beyond the previous one by more than 0 and at least by `apart`.
fn ascending(check: &mut Check, places: &[(String, &Number)], apart: f64, expected: &str) {
    let mut before = f64::NEG_INFINITY;
    for (key, place) in places {
        let Some(value) = check.number(key, place, Use::Fixed) else { continue };
        if !(value > before && value - before >= apart) {
            check.report(key, format!("{value} follows {before}"), expected);
        }
        before = value;
    }
}
