//! `ballesta manoeuvre`: bits, measures of the van and the truck, refusals.

use super::*;
use ballesta::math::larger;
use std::collections::BTreeMap;

/// The measures of the only run of `answer`.
fn measures(found: &Value) -> BTreeMap<String, f64> {
    let all = found["runs"][0]["measures"].as_array().expect("measures");
    let of =
        |one: &Value| (one["name"].as_str().expect("a name").to_string(), one["value"].as_f64().unwrap_or(f64::NAN));
    all.iter().map(of).collect()
}

fn driven(words: &[&str]) -> Value {
    let answer = ballesta(["manoeuvre"].iter().chain(words).chain(&["--json"]).copied());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let found = answer.json();
    for run in found["runs"].as_array().expect("runs") {
        assert!(run["judgement"]["warning"].is_null(), "{run}");
    }
    found
}

/// Columns of a CSV by their names.
fn columns(path: &str) -> BTreeMap<String, Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    (0..names.len()).map(|k| (names[k].to_string(), rows.iter().map(|row| row[k]).collect())).collect()
}

#[test]
fn a_manoeuvre_drives_as_the_file_of_its_inputs() {
    let folder = Folder::new("manoeuvre-inputs");
    let (csv, plain) = (folder.path("a.csv"), folder.path("b.csv"));
    let found = driven(&["models/van", "step_steer", "--speed", "20", "--stop", "2", "--csv", &csv]);
    let angle = found["runs"][0]["amplitude_rad"].as_f64().unwrap();
    let inputs = format!("time,target_speed,steering_wheel.angle\n0,20,0\n1,20,0\n1.2,20,{angle}\n2,20,{angle}\n");
    let inputs = folder.file("in.csv", &inputs);
    let run = ["run", "models/van", "--inputs", &inputs, "--stop", "2", "--csv", &plain, "--quiet"];
    assert_eq!(ballesta(run).code, 0);
    let (of_manoeuvre, of_run) = (columns(&csv), columns(&plain));
    for (name, series) in &of_run {
        let size = series.iter().fold(1.0, |most, value| larger(most, value.abs()));
        let pairs = series.iter().zip(&of_manoeuvre[name]);
        let off = pairs.fold(0.0, |most, (a, b)| larger(most, (a - b).abs()));
        // The lines between the points differ by rounding.
        assert!(off <= 1e-9 * size, "{name}: {off}");
    }
    let of = |name: &str| &of_manoeuvre[name];
    assert_eq!(of("manoeuvre.y"), of("chassis.position.y"));
    assert!((of("manoeuvre.steer").last().unwrap() - angle).abs() < 1e-12);
}

#[test]
fn equal_manoeuvres_with_a_driver_give_equal_bytes() {
    let folder = Folder::new("manoeuvre-bits");
    let [first, second] = ["a.csv", "b.csv"].map(|name| {
        let path = folder.path(name);
        driven(&["models/van", "obstacle_avoidance", "--stop", "5", "--csv", &path]);
        fs::read(path).unwrap()
    });
    assert!(first == second && first.len() > 10_000);
}

#[test]
fn slow_steering_finds_the_gains_of_the_single_track_model_and_those_of_trimming() {
    use ballesta_vehicle::manoeuvre::ManoeuvreVehicle;
    let circle = measures(&driven(&["models/van", "steady_circle"]));
    let (speed, wheelbase, ratio) = (22.2222, 3.3, 18.5);
    let near = |name: &str, wanted: f64| {
        let found = circle[name];
        assert!((found / wanted - 1.0).abs() < 0.02, "{name}: {found}, wanted {wanted}");
    };
    // Single-track model: yaw rate/road wheel angle = v/(l + K v²), K from the slope of the road wheel angle alone.
    let understeer = circle["understeer gradient"].to_radians() / 9.81;
    assert!((1.0..5.0).contains(&circle["understeer gradient"]), "{circle:?}");
    near("yaw rate gain", speed / (wheelbase + understeer * speed * speed) / ratio);
    near("lateral acceleration gain", speed * circle["yaw rate gain"]);
    // A steady circle of 0.8 m/s², found by equations of equilibrium without a run.
    let path = Path::new(ROOT).join("models/van");
    let document = ballesta_run::model::open(&path).unwrap();
    let subject = ManoeuvreVehicle::new(document, "models/van", &[], speed).unwrap();
    let angle = subject.angle_of(0.8, speed).unwrap();
    near("lateral acceleration gain", 0.8 / angle);
    near("yaw rate gain", speed * subject.steady(angle, speed).unwrap().curvature() / angle);
}

#[test]
fn a_driver_who_keeps_to_a_circle_finds_the_understeer_of_slow_steering() {
    let ring = measures(&driven(&["models/van", "constant_radius"]));
    let slow = measures(&driven(&["models/van", "steady_circle"]));
    let [found, wanted] = [&ring, &slow].map(|found| found["understeer gradient"]);
    assert!((found / wanted - 1.0).abs() < 0.05, "{found} {wanted}");
    assert!(ring["largest distance from the circle"] < 0.6, "{ring:?}");
    // 20 m/s on 100 m.
    assert!((ring["lateral acceleration at the end"] - 4.0).abs() < 0.05, "{ring:?}");
}

#[test]
fn the_van_passes_the_double_lane_change_and_the_sine_with_dwell() {
    let change = driven(&["models/van", "double_lane_change"]);
    let found = measures(&change);
    assert!(found["outside of the lanes"] < 0.0, "{found:?}");
    assert!((3.0..7.0).contains(&found["largest lateral acceleration"].abs()), "{found:?}");
    // At 8 m/s the run ends before the second lane.
    let slow = driven(&["models/van", "double_lane_change", "--speed", "8"]);
    let lanes =
        slow["runs"][0]["measures"].as_array().unwrap().iter().find(|one| one["name"] == "outside of the lanes");
    let lanes = lanes.expect("the measure");
    assert_eq!((&lanes["value"], &lanes["verdict"]), (&Value::Null, &Value::from("fails")), "{lanes}");
    assert_eq!(lanes["reason"], "the vehicle does not pass all lanes");
    let sine = driven(&["models/van", "sine_with_dwell", "--factor", "3"]);
    let found = measures(&sine);
    assert!((1.7..1.9).contains(&found["lateral displacement after 1.07 s"]), "{found:?}");
    assert!(sine["runs"][0]["measures"].as_array().unwrap().iter().all(|one| one["passes"] != false), "{sine}");
}

#[test]
fn events_turn_the_steering_back() {
    let found = driven(&["models/van", "fishhook", "--factor", "2"]);
    let run = &found["runs"][0];
    let event = run["events_s"]["roll rests"].as_f64().expect("it comes");
    assert!((1.1..2.5).contains(&event), "{event}");
    let measured = measures(&found);
    assert!(measured["roll at the turn back"] > 0.0 && measured["largest roll after it"] < 0.0, "{measured:?}");
}

#[test]
fn the_trailer_of_the_truck_answers_with_more_than_the_tractor() {
    let found = measures(&driven(&["models/truck", "rearward_amplification", "--stop", "8"]));
    assert!((0.8..2.0).contains(&found["rearward amplification"]), "{found:?}");
}

#[test]
fn what_a_vehicle_lacks_is_said_at_its_place() {
    let folder = Folder::new("manoeuvre-refused");
    let rail = folder.file("rail.toml", RAIL);
    let refused = |words: &[&str], code: i32, parts: &[&str]| {
        let answer = ballesta(["manoeuvre"].iter().chain(words).copied());
        assert_eq!(answer.code, code, "{words:?}: {}", answer.stderr);
        assert!(parts.iter().all(|part| answer.stderr.contains(part)), "{words:?}: {}", answer.stderr);
    };
    refused(&[&rail, "step_steer"], 1, &["rail.toml", "add [vehicle]"]);
    refused(&["models/van", "rearward_amplification"], 1, &["rearward_amplification:", "towed1", "`towed`"]);
    refused(&["models/van", "step_stear"], 2, &["step_steer"]);
    refused(&["models/van", "sine_with_dwell", "--csv", "x.csv"], 2, &["11", "--factor"]);
    refused(&["models/van", "step_steer", "--set", "speed=3"], 2, &["--speed"]);
    refused(&["models/van", "models/van/model.toml"], 2, &["is a model, not a manoeuvre"]);
    refused(&["--print", "fishhok"], 2, &["`fishhook`"]);
    let own = ballesta(["manoeuvre", "--print", "step_steer"]).stdout.replace("\"steer\"", "\"stear\"");
    let own = folder.file("own.toml", &own);
    refused(&["models/van", &own], 1, &["own.toml:10:", "\"stear\"", "did you mean"]);
    let circle = ballesta(["manoeuvre", "models/van", "step_steer", "--speed", "40"]);
    assert!(circle.code == 0 || circle.stderr.contains("steady circle"), "{}", circle.stderr);
}

#[test]
fn signals_that_the_step_samples_too_coarsely_are_warned_of_or_refused() {
    let folder = Folder::new("manoeuvre-sampling");
    let sine = ballesta(["manoeuvre", "--print", "sine_steer"]).stdout;
    let drive = |frequency: &str| {
        let text = sine.replace("frequency = 0.5", &format!("frequency = {frequency}"));
        ballesta(["manoeuvre", "models/van", &folder.file("sine.toml", &text), "--stop", "2"])
    };
    assert!(!drive("10").stderr.contains("steps per period"));
    let coarse = drive("20");
    assert_eq!(coarse.code, 0, "{}", coarse.stderr);
    let said = "signal of `steer`: 20 Hz, 5 steps per period with the `step` of 0.01 s";
    assert!(coarse.stderr.contains(said) && coarse.stderr.contains("at most 0.005 s"), "{}", coarse.stderr);
    let aliased = drive("99");
    assert_eq!(aliased.code, 1, "{}", aliased.stderr);
    assert!(aliased.stderr.contains("sine.toml:9:33: error: signal[0].sine.frequency"), "{}", aliased.stderr);
}
