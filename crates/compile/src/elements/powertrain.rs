//! Powertrain, driver and wheel ports from their tables.

use super::{Lookup, marker};
use ballesta_model::{schema, wheel_ports};
use ballesta_solver::force::vehicle::brake_line::SlipControl;
use ballesta_solver::force::vehicle::clutch::Gears;
use ballesta_solver::force::vehicle::driver::Leg;
use ballesta_solver::force::vehicle::gearbox::Schedule;
use ballesta_solver::force::vehicle::*;
use ballesta_solver::force::{Bristle, Coefficient, Table};
use ballesta_solver::math::Vec3;

/// Builds the speed control of a validated table.
pub fn speed_control(control: &schema::SpeedControl, lookup: &dyn Lookup) -> SpeedControl {
    let axis = control
        .axis
        .as_ref()
        .map_or(Vec3::x(), |axis| Vec3::from(axis.each_ref().map(|number| lookup.number(number))).normalize());
    let equal = 1.0 / control.drives.len().max(1) as f64;
    let drive = |drive: &schema::DrivenCoordinate| {
        let share = drive.share.as_ref().map_or(equal, |share| lookup.number(share));
        (lookup.coordinate(&drive.joint, drive.coordinate.as_deref()), share)
    };
    let upper = control.max_torque.as_ref().map(|number| lookup.number(number)).unwrap_or(f64::MAX);
    let lower = control.min_torque.as_ref().map(|number| lookup.number(number)).unwrap_or(-upper);
    SpeedControl {
        name: control.name.clone(),
        point: marker(lookup, &control.body, &control.point),
        axis,
        target: lookup.coefficient(&control.target),
        proportional: lookup.coefficient(&control.proportional),
        integral: lookup.coefficient(&control.integral),
        limits: [lower, upper].map(Coefficient::Value),
        drives: control.drives.iter().map(drive).collect(),
        state: 0,
    }
}

/// Builds the driver of a validated table.
pub fn driver(driver: &schema::Driver, lookup: &dyn Lookup) -> Driver {
    // An absent limit is unlimited.
    let number = |number: &schema::Number| lookup.number(number);
    let optional = |number: &Option<schema::Number>| number.as_ref().map_or(f64::MAX, |n| lookup.number(n));
    let input = |name: &String| lookup.input(name);
    let axis = driver.axis.as_ref();
    let rows = |rows: &[[schema::Number; 2]]| rows.iter().map(|row| row.each_ref().map(number)).collect();
    let stop = |stop: &schema::Stop| [number(&stop.at), optional(&stop.hold)];
    let sense = |reverse: bool| if reverse { -1.0 } else { 1.0 };
    // Each leg of the path starts at the end of the previous leg.
    let path = lookup.path(&driver.curve);
    let mut legs = vec![Leg { path, from: 0.0, sense: sense(driver.reverse), speed: f64::MAX, hold: 1.0 }];
    for leg in &driver.legs {
        let from = legs.last().map_or(0.0, Leg::end);
        let (path, sense) = (lookup.path(&leg.curve), sense(leg.reverse));
        legs.push(Leg { path, from, sense, speed: optional(&leg.speed), hold: number(&leg.hold) });
    }
    // Steering, speed control and braking.
    Driver {
        name: driver.name.clone(),
        point: marker(lookup, &driver.body, &driver.point),
        axis: axis.map_or(Vec3::x(), |axis| Vec3::from(axis.each_ref().map(number)).normalize()),
        legs,
        steer: driver.steer.as_ref().and_then(input),
        ratio: number(&driver.steering_ratio),
        wheelbase: number(&driver.wheelbase),
        understeer: number(&driver.understeer),
        preview: number(&driver.preview),
        lead: number(&driver.lead),
        steering_lag: number(&driver.steering_lag),
        steering_limits: [optional(&driver.max_angle), optional(&driver.max_rate)],
        target: driver.target.as_ref().and_then(input),
        speed: lookup.coefficient(&driver.speed),
        limits: rows(&driver.limits),
        stops: driver.stops.iter().map(stop).collect(),
        accelerations: [number(&driver.acceleration), number(&driver.deceleration)],
        brakes: driver.brakes.iter().filter_map(|b| Some((input(&b.input)?, number(&b.gain)))).collect(),
        full_braking: number(&driver.full_braking),
        brake_lag: number(&driver.brake_lag),
        state: 0,
    }
}

/// Builds the brake line of a validated table.
pub fn brake_line(line: &schema::BrakeLine, lookup: &dyn Lookup) -> BrakeLine {
    let number = |number: &schema::Number| lookup.number(number);
    let axis = line.axis.as_ref();
    let axis = axis.map_or(Vec3::x(), |axis| Vec3::from(axis.each_ref().map(number)).normalize());
    let slip = match (&line.body, &line.point, &line.radius, &line.slip) {
        (Some(body), Some(point), Some(radius), Some(slip)) => Some(SlipControl {
            point: marker(lookup, body, point),
            axis,
            radius: number(radius),
            slip: slip.each_ref().map(number),
            slowest: number(&line.min_speed),
        }),
        _ => None,
    };
    BrakeLine {
        name: line.name.clone(),
        coordinate: lookup.coordinate(&line.joint, line.coordinate.as_deref()),
        demand: lookup.coefficient(&line.demand),
        valve: lookup.coefficient(&line.valve),
        input: lookup.input(&line.input),
        gain: number(&line.gain),
        time: number(&line.time),
        rates: [&line.build_rate, &line.release_rate].map(|rate| rate.as_ref().map_or(f64::MAX, number)),
        slip,
        state: 0,
    }
}

/// Builds the engine of a validated table.
pub fn engine(engine: &schema::Engine, lookup: &dyn Lookup) -> Engine {
    let number = |number: &schema::Number| lookup.number(number);
    Engine {
        name: engine.name.clone(),
        coordinate: lookup.coordinate(&engine.joint, engine.coordinate.as_deref()),
        ratio: engine.ratio.as_ref().map_or(1.0, number),
        speeds: engine.speeds.clone(),
        throttles: engine.throttles.clone(),
        torques: engine.torques.concat(),
        throttle: lookup.coefficient(&engine.throttle),
        idle: [engine.idle_speed.as_ref().map_or(0.0, number), number(&engine.idle_throttle)],
        time: number(&engine.time),
        state: 0,
    }
}

/// Builds the clutch of a validated table.
pub fn clutch(clutch: &schema::Clutch, lookup: &dyn Lookup) -> Clutch {
    let on = clutch.coordinates.iter().map(|on| {
        let ratio = on.ratio.as_ref().map_or(1.0, |ratio| lookup.number(ratio));
        (lookup.coordinate(&on.joint, on.coordinate.as_deref()), ratio)
    });
    Clutch {
        name: clutch.name.clone(),
        on: on.collect(),
        gears: None,
        torque: lookup.coefficient(&clutch.torque),
        engagement: lookup.coefficient(&clutch.engagement),
        viscous: lookup.coefficient(&clutch.viscous),
        bristle: Bristle::sharp(lookup.number(&clutch.presliding), lookup.number(&clutch.time)),
        bias: clutch.bias.as_ref().map(|bias| lookup.number(bias)).map(|bias| (bias - 1.0) / (bias + 1.0)),
        state: 0,
    }
}

/// Builds the gearbox of a validated table.
pub fn gearbox(gearbox: &schema::Gearbox, lookup: &dyn Lookup) -> Clutch {
    let number = |number: &schema::Number| lookup.number(number);
    let on = gearbox.coordinates.iter().zip([1.0, -1.0]).map(|(on, sense)| {
        let ratio = on.ratio.as_ref().map_or(1.0, number);
        (lookup.coordinate(&on.joint, on.coordinate.as_deref()), sense * ratio)
    });
    let schedule = |shifts: &schema::Shifts| Schedule {
        throttle: lookup.coefficient(&shifts.throttle),
        throttles: shifts.throttles.clone(),
        up: shifts.up.clone(),
        down: shifts.down.clone(),
        time: number(&shifts.time),
    };
    Clutch {
        name: gearbox.name.clone(),
        on: on.collect(),
        gears: Some(Gears {
            gear: lookup.coefficient(&gearbox.gear),
            forward: gearbox.ratios.iter().map(number).collect(),
            reverse: gearbox.reverse.as_ref().map_or(0.0, |ratio| -number(ratio)),
            schedule: gearbox.shifts.as_ref().map(schedule),
        }),
        torque: lookup.coefficient(&gearbox.torque),
        engagement: Coefficient::Value(1.0),
        viscous: Coefficient::Value(0.0),
        bristle: Bristle::sharp(number(&gearbox.presliding), number(&gearbox.time)),
        bias: None,
        state: 0,
    }
}

/// Builds the torque converter of a validated table.
pub fn torque_converter(converter: &schema::TorqueConverter, lookup: &dyn Lookup) -> TorqueConverter {
    let rows = &converter.table;
    let column = |k: usize| Table::new(&rows.iter().map(|row| [row[0], row[k]]).collect::<Vec<_>>());
    let end = |row: Option<&[f64; 3]>| row.map_or(0.0, |row| row[0]);
    TorqueConverter {
        name: converter.name.clone(),
        on: converter.coordinates.each_ref().map(|on| {
            let sign = on.ratio.as_ref().map_or(1.0, |ratio| lookup.number(ratio));
            (lookup.coordinate(&on.joint, on.coordinate.as_deref()), sign)
        }),
        range: [end(rows.first()), end(rows.last())],
        capacity: column(1),
        ratio: column(2),
    }
}

/// Builds the wheel port of a validated table.
pub fn wheel_port(port: &schema::WheelPort, lookup: &dyn Lookup) -> WheelPort {
    let input = |vector: &str, axis| {
        lookup.coefficient(&schema::Number::Parameter(wheel_ports::input_name(&port.name, vector, axis)))
    };
    WheelPort {
        name: port.name.clone(),
        wheel: lookup.wheel(&port.joint).body,
        origin: lookup.origin(),
        load: wheel_ports::INPUTS.map(|(vector, ..)| [0, 1, 2].map(|axis| input(vector, axis))),
    }
}
