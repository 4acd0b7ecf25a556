//! Powertrain and brake lines.

use super::check::{Check, Use};
use super::driver::given_input;
use crate::schema::{BrakeLine, Clutch, CoupledCoordinate, Engine, Gearbox, Number, Shifts, TorqueConverter};

fn positive(check: &mut Check, key: String, number: &Number) {
    if let Some(value) = check.number(&key, number, Use::Fixed)
        && value <= 0.0
    {
        check.report(key, format!("found {value}"), "write a number above 0");
    }
}

/// Checks a number whose sign is the direction of a coordinate.
pub(super) fn not_zero(check: &mut Check, key: String, number: &Number) {
    if check.number(&key, number, Use::Fixed) == Some(0.0) {
        check.report(key, "found 0", "write a positive number, or a negative number if positive speed is backwards");
    }
}

pub(super) fn brake_line(check: &mut Check, item: &str, line: &BrakeLine) {
    let key = |name: &str| format!("{item}.{name}");
    // Coordinate of the wheel, and the signals of the line.
    check.coordinate(item, &line.joint, &line.coordinate);
    check.number(&key("demand"), &line.demand, Use::Signal);
    check.number(&key("valve"), &line.valve, Use::Signal);
    check.number(&key("gain"), &line.gain, Use::Fixed);
    given_input(check, key("input"), &line.input);
    // An input that two elements set would have an undefined value.
    let model = check.model;
    let drivers = model.drivers.iter().flat_map(|driver| {
        let pedals = [&driver.steer, &driver.target].into_iter().flatten();
        pedals.chain(driver.brakes.iter().map(|brake| &brake.input))
    });
    let lines = model.brake_lines.iter().take_while(|other| other.name != line.name).map(|other| &other.input);
    if drivers.chain(lines).any(|input| *input == line.input) {
        let found = format!("\"{}\" is already set by another line or a driver", line.input);
        check.report(
            key("input"),
            found,
            "a driver must set the `demand` of a line, and only one line may set each \
                                           brake",
        );
    }
    // Reading the own output would be an algebraic loop.
    if Number::Parameter(line.input.clone()) == line.demand || Number::Parameter(line.input.clone()) == line.valve {
        let found = format!("the line both reads and sets \"{}\"", line.input);
        check.report(key("input"), found, "name the input of a brake");
    }
    // Time constant, speed limit and rates are positive.
    positive(check, key("time"), &line.time);
    positive(check, key("min_speed"), &line.min_speed);
    for (name, number) in [("build_rate", &line.build_rate), ("release_rate", &line.release_rate)] {
        number.iter().for_each(|number| positive(check, key(name), number));
    }
    slip_control(check, item, line);
}

/// All keys of the slip control, or none.
fn slip_control(check: &mut Check, item: &str, line: &BrakeLine) {
    let key = |name: &str| format!("{item}.{name}");
    // Slip control needs the speed of the vehicle at the wheel, the wheel radius and slip limits.
    let given = [
        ("body", line.body.is_some()),
        ("point", line.point.is_some()),
        ("radius", line.radius.is_some()),
        ("slip", line.slip.is_some()),
    ];
    let count = given.iter().filter(|(_, is)| *is).count();
    if let Some((missing, _)) = given.iter().find(|(_, is)| !is).filter(|_| count > 0) {
        let found = format!("the slip control has no `{missing}`");
        check.report(item, found, "give all of `body`, `point`, `radius` and `slip`, or none");
    }
    line.body.iter().for_each(|body| check.moving_body(&key("body"), body));
    if let Some(point) = &line.point {
        check.place(&key("point"), point);
    }
    if let Some(axis) = &line.axis {
        check.direction(&key("axis"), axis);
    }
    line.radius.iter().for_each(|radius| not_zero(check, key("radius"), radius));
    // Slips are fractions between 0 and 1 in ascending order.
    if let Some(slip) = &line.slip {
        let [least, most] = [0, 1].map(|k| check.number(&key(&format!("slip[{k}]")), &slip[k], Use::Fixed));
        if let (Some(least), Some(most)) = (least, most)
            && !(0.0 <= least && least < most && most <= 1.0)
        {
            let expected = "write two slips between 0 and 1, the smaller slip first";
            check.report(key("slip"), format!("found {least} and {most}"), expected);
        }
    }
}

pub(super) fn engine(check: &mut Check, item: &str, engine: &Engine) {
    let key = |name: &str| format!("{item}.{name}");
    // Torque map over speed and throttle, with ascending grids.
    check.coordinate(item, &engine.joint, &engine.coordinate);
    check.number(&key("throttle"), &engine.throttle, Use::Signal);
    for (name, numbers) in [("speeds", &engine.speeds), ("throttles", &engine.throttles)] {
        if numbers.len() < 2 {
            check.report(key(name), format!("found {} numbers", numbers.len()), "give at least two numbers");
        }
        ascending(check, &key(name), numbers);
    }
    // The first column is the drag torque.
    if let Some(first) = engine.throttles.first().filter(|first| **first != 0.0) {
        check.report(
            key("throttles[0]"),
            format!("found {first}"),
            "begin with throttle 0, which gives the engine's drag",
        );
    }
    // The map has one row per speed and one column per throttle.
    let (rows, columns) = (engine.speeds.len(), engine.throttles.len());
    if engine.torques.len() != rows {
        let found = format!("{} rows for {rows} speeds", engine.torques.len());
        check.report(key("torques"), found, "give one row per speed");
    }
    for (k, row) in engine.torques.iter().enumerate().filter(|(_, row)| row.len() != columns) {
        let found = format!("{} torques for {columns} throttles", row.len());
        check.report(key(&format!("torques[{k}]")), found, "give one torque per throttle");
    }
    // Idle control, ratio to the coordinate and time constant of the torque.
    engine.idle_speed.iter().for_each(|speed| positive(check, key("idle_speed"), speed));
    engine.ratio.iter().for_each(|ratio| not_zero(check, key("ratio"), ratio));
    positive(check, key("idle_throttle"), &engine.idle_throttle);
    positive(check, key("time"), &engine.time);
}

/// Reports a number that is not larger than the one before it.
fn ascending(check: &mut Check, key: &str, numbers: &[f64]) {
    for (k, pair) in numbers.windows(2).enumerate().filter(|(_, pair)| !(pair[1] > pair[0])) {
        let found = format!("{} follows {}", pair[1], pair[0]);
        check.report(format!("{key}[{}]", k + 1), found, "list the numbers in increasing order");
    }
}

/// Coordinates with their ratios, each once.
fn coordinates(check: &mut Check, item: &str, on: &[CoupledCoordinate]) {
    let key = |k: usize| format!("{item}.coordinates[{k}]");
    for (k, one) in on.iter().enumerate() {
        check.coordinate(&key(k), &one.joint, &one.coordinate);
        if check.optional(&format!("{}.ratio", key(k)), &one.ratio, Use::Fixed) == Some(0.0) {
            check.report(format!("{}.ratio", key(k)), "found 0", "remove the coordinate or give it a ratio");
        }
        if on[..k].iter().any(|other| (&other.joint, &other.coordinate) == (&one.joint, &one.coordinate)) {
            let found = format!("\"{}\" is named twice", one.joint);
            check.report(format!("{}.joint", key(k)), found, "name each coordinate only once");
        }
    }
}

pub(super) fn clutch(check: &mut Check, item: &str, clutch: &Clutch) {
    let key = |name: &str| format!("{item}.{name}");
    // A clutch connects two shafts; the signs of the ratios define the slip.
    coordinates(check, item, &clutch.coordinates);
    if clutch.coordinates.is_empty() {
        check.report(key("coordinates"), "no shafts are connected", "name the coordinates of two shafts");
    }
    let without = clutch.coordinates.iter().filter(|on| on.ratio.is_none()).count();
    if clutch.coordinates.len() > 1 && without > 0 {
        let expected = "give every coordinate a `ratio`: 1 and -1 if both shafts rotate in the same direction";
        check.report(key("coordinates"), format!("{without} coordinates have no ratio"), expected);
    }
    // Torque capacity and engagement can follow inputs.
    check.number(&key("torque"), &clutch.torque, Use::Signal);
    check.number(&key("engagement"), &clutch.engagement, Use::Signal);
    // A torque bias distributes the torque of a differential between two equal outputs.
    if let Some(bias) = check.optional(&key("bias"), &clutch.bias, Use::Fixed) {
        if bias < 1.0 {
            check.report(key("bias"), format!("found {bias}"), "write 1 or more; 1 is an open differential");
        }
        let ratios: Vec<_> =
            clutch.coordinates.iter().map(|on| on.ratio.as_ref().and_then(|r| check.value(r))).collect();
        let one_size = |second: f64, third: f64| second == third || second == -third;
        if !matches!(ratios[..], [_, Some(second), Some(third)] if one_size(second, third)) {
            let found = "a torque bias needs the two outputs of a differential";
            let expected = "give three coordinates: the input, and two outputs with equal or opposite ratios";
            check.report(key("bias"), found, expected);
        }
    }
    // Viscous part and the regularization of dry friction.
    check.not_negative(
        &key("viscous"),
        &clutch.viscous,
        Use::Coefficient,
        "write 0 or more; the torque bias opposes the slip",
    );
    positive(check, key("presliding"), &clutch.presliding);
    positive(check, key("time"), &clutch.time);
}

pub(super) fn gearbox(check: &mut Check, item: &str, gearbox: &Gearbox) {
    let key = |name: &str| format!("{item}.{name}");
    coordinates(check, item, &gearbox.coordinates);
    if gearbox.ratios.is_empty() {
        check.report(key("ratios"), "the gearbox has no gears", "give the ratios, starting with the first gear");
    }
    for (k, ratio) in gearbox.ratios.iter().enumerate() {
        positive(check, key(&format!("ratios[{k}]")), ratio);
    }
    gearbox.reverse.iter().for_each(|ratio| positive(check, key("reverse"), ratio));
    gearbox.shifts.iter().for_each(|own| shifts(check, &key("shifts"), own, gearbox.ratios.len()));
    check.number(&key("gear"), &gearbox.gear, Use::Signal);
    check.not_negative(&key("torque"), &gearbox.torque, Use::Coefficient, "write 0 or more");
    positive(check, key("presliding"), &gearbox.presliding);
    positive(check, key("time"), &gearbox.time);
}

fn shifts(check: &mut Check, item: &str, shifts: &Shifts, gears: usize) {
    let key = |name: &str| format!("{item}.{name}");
    check.number(&key("throttle"), &shifts.throttle, Use::Signal);
    positive(check, key("time"), &shifts.time);
    if shifts.throttles.is_empty() {
        check.report(
            key("throttles"),
            "the list of throttles is empty",
            "give at least one throttle, and a column for each",
        );
    }
    ascending(check, &key("throttles"), &shifts.throttles);
    let columns = shifts.throttles.len();
    for (name, rows) in [("up", &shifts.up), ("down", &shifts.down)] {
        if rows.len() + 1 != gears {
            let found = format!("{} rows for {gears} gears", rows.len());
            check.report(key(name), found, "give a row for every gear except the last");
        }
        for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.len() != columns) {
            let found = format!("{} speeds for {columns} throttles", row.len());
            check.report(key(&format!("{name}[{k}]")), found, "give one speed per throttle");
        }
    }
    for (k, (up, down)) in shifts.up.iter().zip(&shifts.down).enumerate() {
        if let Some((up, down)) = up.iter().zip(down).find(|(up, down)| !(up > down)) {
            let found = format!("the gearbox shifts down at {down} and up at {up}, so it would shift back and forth");
            check.report(key(&format!("down[{k}]")), found, "shift down at a lower speed than up");
        }
    }
}

pub(super) fn torque_converter(check: &mut Check, item: &str, converter: &TorqueConverter) {
    coordinates(check, item, &converter.coordinates);
    let key = format!("{item}.table");
    if converter.table.len() < 2 {
        check.report(&key, format!("found {} rows", converter.table.len()), "give at least two rows");
    }
    let ratios: Vec<f64> = converter.table.iter().map(|row| row[0]).collect();
    ascending(check, &key, &ratios);
    for (k, [ratio, capacity, multiplied]) in converter.table.iter().enumerate() {
        let lost = 1.0 - ratio * multiplied;
        if lost * capacity < 0.0 {
            let found = format!("the converter would generate power: efficiency {}", ratio * multiplied);
            let expected = "speed ratio times torque ratio must be at most 1 where the pump drives, and at least 1 \
                            where the turbine drives (a negative second number)";
            check.report(format!("{key}[{k}]"), found, expected);
        }
    }
}
