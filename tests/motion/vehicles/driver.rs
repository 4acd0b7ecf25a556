//! Drivers who are part of the model: `driven.toml` of van and truck.

use crate::check::larger;
use crate::models;
use ballesta::simulate::Simulator;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn file(model: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(model)
}

/// A vehicle, and what is read of it.
pub(super) struct Driven(Simulator);

impl Driven {
    /// The van, trimmed at `speed` m/s on a road that rises by `slope`; `change` edits the text of the file.
    fn new(speed: f64, slope: f64, change: impl Fn(String) -> String) -> Driven {
        Driven::of("van/driven.toml", speed, slope, change)
    }

    fn of(model: &str, speed: f64, slope: f64, change: impl Fn(String) -> String) -> Driven {
        let text = change(std::fs::read_to_string(file(model)).expect("the model"));
        Driven::text(model, &text, &[("speed", speed), ("slope", slope)])
    }

    /// With other values of parameters.
    pub(super) fn with(model: &str, set: &[(&str, f64)]) -> Driven {
        Driven::text(model, &std::fs::read_to_string(file(model)).expect("the model"), set)
    }

    pub(super) fn text(model: &str, text: &str, set: &[(&str, f64)]) -> Driven {
        let file = file(model);
        let document = models::parse(text, file.to_str().expect("a path"));
        let value = |name: &str| set.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        let values: Vec<f64> = document.model.parameters.iter().map(|p| value(&p.name).unwrap_or(p.value)).collect();
        let system = models::compiled_with(&document, &values);
        let mut simulator = Simulator::new(Arc::new(system));
        simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{}", simulator.describe(&fault)));
        Driven(simulator)
    }

    pub(super) fn get<const N: usize>(&mut self, names: [&str; N]) -> [f64; N] {
        let outputs = &self.0.system().clone();
        let mut values = vec![0.0; outputs.interface().outputs.len()];
        self.0.outputs(&mut values).expect("outputs");
        names.map(|name| values[outputs.interface().outputs.iter().position(|o| o.name == name).expect("an output")])
    }

    pub(super) fn set(&mut self, name: &str, value: f64) {
        let index = self.0.system().interface().inputs.iter().position(|input| input.name == name).expect("an input");
        self.0.set_input(index, value);
    }

    /// Runs to `stop` s; `see` gets the time and `names` every 10 ms.
    pub(super) fn run<const N: usize>(&mut self, stop: f64, names: [&str; N], mut see: impl FnMut(f64, [f64; N])) {
        let first = (100.0 * self.0.time()).round() as usize;
        for k in first + 1..=(100.0 * stop).round() as usize {
            let time = 0.01 * k as f64;
            self.0.advance(time).unwrap_or_else(|fault| panic!("{}", self.0.describe(&fault)));
            let values = self.get(names);
            see(time, values);
        }
    }
}

/// With stops at these places instead of those of the file.
fn stops(at: &[(f64, Option<f64>)]) -> impl Fn(String) -> String {
    let hold = |hold: &Option<f64>| hold.map_or(String::new(), |hold| format!("hold = {hold:?}\n"));
    let stops: String = at.iter().map(|(at, time)| format!("[[driver.stop]]\nat = {at:?}\n{}\n", hold(time))).collect();
    move |text| {
        let (first, end) = (text.find("[[driver.stop]]").expect("a stop"), text.find("[[output]]").expect("outputs"));
        format!("{}{stops}{}", &text[..first], &text[end..])
    }
}

const PLACE: [&str; 5] =
    ["chassis.position.x", "chassis.position.y", "chassis.angles.yaw", "pilot.path_error", "pilot.path_position"];

/// Largest distance from the path over the double lane change, m, and the least clearance between the corners of a van
/// 2.0 m wide, with overhangs of 1.0 m and 1.3 m, and the cones of ISO 3888-1, which stand from x = 30 m on.
fn lane_change(speed: f64) -> [f64; 2] {
    let left = (1.1 * 2.0 + 0.25) / 2.0;
    let lanes =
        [(30.0, 45.0, -left, left), (75.0, 100.0, left + 3.5 - 2.65, left + 3.5), (125.0, 155.0, left - 2.85, left)];
    let (mut worst, mut clearance) = (0.0f64, f64::INFINITY);
    Driven::new(speed, 0.0, |text| text).run(185.0 / speed, PLACE, |_, [x, y, yaw, error, _]| {
        worst = larger(worst, error.abs());
        for (dx, dy) in [(2.8622, 1.0), (2.8622, -1.0), (-2.7378, 1.0), (-2.7378, -1.0)] {
            let [cx, cy] = [x + yaw.cos() * dx - yaw.sin() * dy, y + yaw.sin() * dx + yaw.cos() * dy];
            for (_, _, low, high) in lanes.iter().filter(|(from, to, ..)| (*from..*to).contains(&cx)) {
                clearance = clearance.min((cy - low).min(high - cy));
            }
        }
    });
    [worst, clearance]
}

#[test]
fn a_double_lane_change_is_driven_along_its_path_and_between_the_cones() {
    let [worst, clearance] = lane_change(80.0 / 3.6);
    assert!(worst < 0.1 && clearance > 0.03, "80 km/h: {worst} m, {clearance} m");
    let [worst, clearance] = lane_change(30.0 / 3.6);
    assert!(worst < 0.05 && clearance > 0.05, "30 km/h: {worst} m, {clearance} m");
}

#[test]
fn he_stops_at_lines_waits_and_goes_on() {
    let mut driven = Driven::new(15.0, 0.0, stops(&[(60.0, Some(2.0)), (100.0, None)]));
    let (mut stood, mut at, mut last) = (0.0, f64::NAN, [0.0; 3]);
    let names = ["pilot.path_position", "chassis.velocity.x", "pilot.brake_demand"];
    driven.run(30.0, names, |_, [place, speed, brake]| {
        if speed.abs() < 5e-2 && place < 80.0 {
            (stood, at) = (stood + 0.01, place);
        }
        last = [place, speed, brake];
    });
    assert!((at - 60.0).abs() < 0.05 && (1.9..2.5).contains(&stood), "{at} m, {stood} s");
    assert!((last[0] - 100.0).abs() < 0.05 && last[1].abs() < 1e-4 && last[2] > 0.999, "{last:?}");
}

#[test]
fn on_a_slope_of_20_percent_he_stops_at_the_line_and_the_van_rests_for_a_minute() {
    for slope in [0.2, 0.05] {
        let mut driven = Driven::new(8.0, slope, stops(&[(40.0, None)]));
        let mut places = [f64::NAN; 2];
        driven.run(80.0, ["pilot.path_position"], |time, [place]| {
            if time == 20.0 {
                places[0] = place;
            }
            places[1] = place;
        });
        assert!((places[0] - 40.0).abs() < 0.05, "{slope}: {places:?}");
        assert!((places[1] - places[0]).abs() < 1e-3, "{slope}: {places:?}");
    }
}

#[test]
fn standing_at_the_start_he_holds_the_van_on_a_slope_of_20_percent_until_he_may_go() {
    for slope in [0.2, -0.2] {
        let goes = |text: String| text.replace("speed = \"speed\"", "speed = 8");
        let stops = stops(&[(7.9, Some(2.0)), (40.0, None)]);
        let mut driven = Driven::new(0.0, slope, |text| stops(goes(text)));
        let [start] = driven.get(["pilot.path_position"]);
        let (mut held, mut back, mut end) = (0.0f64, 0.0f64, f64::NAN);
        driven.run(30.0, ["pilot.path_position"], |time, [place]| {
            held = if time <= 2.0 { larger(held, (place - start).abs()) } else { held };
            (back, end) = (larger(back, start - place), place);
        });
        assert!(held < 0.03 && back < 0.3 && (end - 40.0).abs() < 0.05, "{slope}: {held} {back} {end}");
    }
}

#[test]
fn what_comes_from_outside_is_added_and_he_steers_against_it() {
    let mut driven = Driven::new(8.0, 0.0, |text| text);
    driven.set("steering_wheel.angle", 0.2);
    driven.run(0.1, ["steering.rack"], |_, _| ());
    let [pushed] = driven.get(["steering.rack"]);
    let names = ["steering.rack", "pilot.path_error", "pilot.steering_angle"];
    let (mut worst, mut last) = (0.0f64, [0.0; 3]);
    driven.run(2.5, names, |_, values| (worst, last) = (larger(worst, values[1].abs()), values));
    // On its way to 0.2 rad · -6.9 mm/rad, while he begins to steer against it.
    assert!(pushed < -3e-4, "{pushed}");
    assert!(worst < 0.1 && (last[2] + 0.2).abs() < 0.03, "{worst} {last:?}");
}

#[test]
fn a_run_goes_on_from_a_stored_state_with_the_same_bits() {
    let mut driven = Driven::new(20.0, 0.0, |text| text);
    driven.run(3.0, PLACE, |_, _| ());
    let stored = driven.0.state().clone();
    driven.run(4.0, PLACE, |_, _| ());
    let ends = driven.0.state().to_bytes();
    let mut other = Driven::new(20.0, 0.0, |text| text);
    other.0.set_state(&stored);
    other.run(4.0, PLACE, |_, _| ());
    assert_eq!(other.0.state().to_bytes(), ends);
}

#[test]
fn a_tractor_with_semitrailer_changes_the_lane_and_stops_at_lines() {
    let mut truck = Driven::of("truck/driven.toml", 20.0, 0.0, |text| text);
    let names = ["pilot.path_position", "pilot.path_error", "tractor.velocity.x", "trailer.y", "energy_balance"];
    let [.., start] = truck.get(names);
    let (mut worst, mut at, mut last) = (0.0f64, f64::NAN, [0.0; 5]);
    truck.run(45.0, names, |_, values| {
        worst = larger(worst, values[1].abs());
        at = if values[2].abs() < 5e-2 && values[0] < 270.0 { values[0] } else { at };
        last = values;
    });
    let [place, _, speed, trailer, balance] = last;
    assert!(worst < 0.15 && (trailer - 3.5).abs() < 0.1, "{worst} m, trailer at {trailer} m");
    assert!((at - 250.0).abs() < 0.05 && (place - 290.0).abs() < 0.05 && speed.abs() < 1e-4, "{at} {place} {speed}");
    assert!((balance - start).abs() < 1e-3, "{} J", balance - start);
}

#[test]
fn he_turns_in_three_legs_and_reverses_into_a_bay() {
    let mut van = Driven::with("van/parking.toml", &[]);
    let names = [
        "pilot.path_position",
        "pilot.path_error",
        "chassis.velocity.x",
        "rear_axle.x",
        "rear_axle.y",
        "chassis.angles.yaw",
    ];
    let (mut worst, mut halts, mut stood, mut last) = (0.0f64, Vec::new(), 0.0, [0.0; 6]);
    van.run(78.0, names, |_, values| {
        worst = larger(worst, values[1].abs());
        stood = if values[2].abs() < 0.02 && values[0] > 1.0 { stood + 0.01 } else { 0.0 };
        if stood > 0.195 && halts.last().is_none_or(|halt| values[0] > halt + 1.0) {
            halts.push(values[0]);
        }
        last = values;
    });
    assert!(worst < 0.1, "{worst} m from the path");
    assert_eq!(halts.len(), 4, "{halts:?}");
    // Ends of the legs by the lengths of their points.
    for (place, end) in halts.iter().zip([15.847, 27.945, 57.267, 79.401]) {
        assert!((place - end).abs() < 0.05, "{place} {end}");
    }
    let [.., x, y, yaw] = last;
    assert!((x + 5.300).hypot(y - 16.899) < 0.05, "{x} {y}");
    assert!((yaw - 1.5 * std::f64::consts::PI).abs() < 0.02 && last[2].abs() < 1e-4, "{yaw} {last:?}");
}
