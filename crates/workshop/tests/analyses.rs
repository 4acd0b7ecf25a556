//! Analyses in a page give the results of the commands.

use ballesta::analysis::modal;
use ballesta::simulate::Simulator;
use ballesta_run::check::Check;
use ballesta_run::linearization::LinearizationReport;
use ballesta_run::model::{self, Assignment};
use ballesta_run::modes::ModesReport;
use ballesta_run::operating::Operating;
use ballesta_run::verify::{Options, Verification};
use ballesta_workshop::{Carry, Workshop};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// A workshop with the files of a model without subfolders.
fn workshop(name: &str) -> Workshop {
    let mut workshop = Workshop::default();
    for entry in std::fs::read_dir(folder(name)).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_file() {
            workshop.put(&path.file_name().unwrap().to_string_lossy(), std::fs::read(&path).expect("readable"));
        }
    }
    workshop
}

fn asked(workshop: &Workshop, mut request: Value) -> Result<Value, String> {
    request["main"] = "model.toml".into();
    let answer = workshop.analyse(&request.to_string())?;
    Ok(serde_json::from_str(&answer).expect("JSON"))
}

fn answer(workshop: &Workshop, request: Value) -> Value {
    asked(workshop, request.clone()).unwrap_or_else(|wrong| panic!("{request}: {wrong}"))
}

/// The text that a command prints.
fn printed(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("JSON") + "\n"
}

fn operating(name: &str, set: &[Assignment], trim: bool) -> (Operating, Simulator) {
    let operating = Operating::resolve(&folder(name), set, trim).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    let simulator = operating.start().unwrap_or_else(|wrong| panic!("{name}: {wrong}")).0;
    (operating, simulator)
}

const MODELS: [&str; 5] = ["four_bar", "bushing_mount", "driven_arm", "flexible_four_bar", "wheel_on_hills"];

#[test]
fn modes_are_those_of_the_command_with_a_shape_for_every_oscillation() {
    for name in MODELS {
        for trim in [false, true] {
            let workshop = workshop(name);
            if trim && Operating::resolve(&folder(name), &[], true).unwrap().start().is_err() {
                let wrong = asked(&workshop, json!({"analysis": "modes", "trim": true, "count": 3}));
                assert!(wrong.is_err(), "{name}");
                continue;
            }
            let (_, mut simulator) = operating(name, &[], trim);
            let linear = simulator.linearize().unwrap();
            let modes = modal::modes(&linear).unwrap();
            let expected = printed(&ModesReport::new(simulator.system(), &linear, &modes, trim, 3));
            let own = answer(&workshop, json!({"analysis": "modes", "trim": trim, "count": 3}));
            assert_eq!(own["report"], expected.as_str(), "{name}");
            let oscillations = modes.modes.iter().filter(|mode| mode.oscillates()).take(3);
            let frequencies: Vec<f64> = oscillations.map(|mode| mode.frequency_hz()).collect();
            let drawing = &own["drawing"];
            if frequencies.is_empty() {
                assert!(drawing.is_null(), "{name}");
                continue;
            }
            let shapes = drawing["shapes"].as_array().expect("shapes");
            assert_eq!(shapes.len(), frequencies.len(), "{name}");
            let equal = |shape: &Value, f: f64| (shape["f"].as_f64().unwrap() - f).abs() <= 1e-14 * f;
            assert!(shapes.iter().zip(&frequencies).all(|(shape, &f)| equal(shape, f)), "{name}: {frequencies:?}");
            assert_eq!((&drawing["kind"], &drawing["live"]), (&"modes".into(), &Value::Null));
            let bodies = drawing["bodies"].as_array().expect("bodies").len();
            assert!(shapes.iter().all(|shape| shape["bodies"].as_array().is_some_and(|list| list.len() == bodies)));
        }
    }
}

#[test]
fn the_linearization_at_the_start_and_its_script_are_those_of_the_command() {
    for name in MODELS {
        let (_, mut simulator) = operating(name, &[], false);
        let linear = simulator.linearize().unwrap();
        let modes = modal::modes(&linear).unwrap();
        let expected = LinearizationReport::new(simulator.system().name(), linear, &modes);
        let own = answer(&workshop(name), json!({"analysis": "linearize"}));
        assert_eq!(own["report"], printed(&expected).as_str(), "{name}");
        assert_eq!(own["script"], expected.script().as_str(), "{name}");
    }
}

#[test]
fn a_run_is_linearized_where_it_is_without_the_forces_that_pull_bodies() {
    for name in ["driven_arm", "flexible_four_bar"] {
        let mut workshop = workshop(name);
        workshop.compile("model.toml", Carry::Start).unwrap_or_else(|wrong| panic!("{wrong}"));
        let session = workshop.session().expect("a session");
        (0..20).for_each(|_| session.step().expect("a step"));
        let time = session.time();
        assert!(session.system().interface().inputs.iter().any(|input| input.name.starts_with("pull.")));
        let state: Value =
            serde_json::from_str(&workshop.analyse(r#"{"analysis":"state"}"#).expect("a state")).expect("JSON");
        let own = answer(&workshop, json!({"analysis": "linearize", "state": state}));
        let own: Value = serde_json::from_str(own["report"].as_str().expect("text")).expect("JSON");
        // The same run without these forces.
        let (_, mut simulator) = operating(name, &[], false);
        let document = model::open(&folder(name)).unwrap();
        let step = document.model.experiment.step.unwrap();
        (1..=20).for_each(|point| simulator.advance(f64::from(point) * step).unwrap());
        let linear = simulator.linearize().unwrap();
        let modes = modal::modes(&linear).unwrap();
        let expected: Value =
            serde_json::to_value(LinearizationReport::new(simulator.system().name(), linear, &modes)).unwrap();
        assert!((own["time_s"].as_f64().unwrap() - time).abs() < 1e-12);
        for key in ["states", "inputs", "outputs"] {
            assert_eq!(own[key], expected[key], "{name}: {key}");
        }
        for key in ["a", "b", "c", "d"] {
            let numbers = |of: &Value| -> Vec<f64> {
                let rows = of[key].as_array().unwrap().iter();
                rows.flat_map(|row| row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap())).collect()
            };
            let (own, expected) = (numbers(&own), numbers(&expected));
            assert_eq!(own.len(), expected.len(), "{name}: {key}");
            let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            for (own, expected) in own.iter().zip(&expected) {
                assert!((own - expected).abs() <= 1e-9 * size, "{name}: {key}: {own} {expected}");
            }
        }
    }
}

#[test]
fn a_state_of_another_model_is_refused() {
    let mut other = workshop("four_bar");
    other.compile("model.toml", Carry::Start).unwrap_or_else(|wrong| panic!("{wrong}"));
    let state: Value = serde_json::from_str(&other.analyse(r#"{"analysis":"state"}"#).unwrap()).unwrap();
    let arm = workshop("driven_arm");
    let wrong = asked(&arm, json!({"analysis": "linearize", "state": state})).expect_err("it does not fit");
    assert!(wrong.starts_with("the state belongs to another model"), "{wrong}");
    let odd = json!({"opened": [], "compiled": [], "state": "zé"});
    assert!(asked(&workshop("four_bar"), json!({"analysis": "linearize", "state": odd})).is_err());
    assert_eq!(arm.analyse(r#"{"analysis":"state"}"#), Err("no model is compiled".into()));
}

#[test]
fn an_equilibrium_is_that_of_the_check_and_can_be_drawn() {
    for name in ["bushing_mount", "five_link_suspension", "wheel_on_hills"] {
        let document = model::open(&folder(name)).unwrap();
        let check = Check::new(document, PathBuf::from("model.toml"), &[], true).unwrap_or_else(|e| panic!("{e}"));
        let found = check.answer().unwrap_or_else(|wrong| panic!("{name}: {wrong}")).findings;
        let own = answer(&workshop(name), json!({"analysis": "trim"}));
        assert_eq!(own["report"], printed(found.equilibrium.as_ref().expect("an equilibrium")).as_str(), "{name}");
        assert_eq!((&own["drawing"]["kind"], &own["drawing"]["sliders"]), (&"start".into(), &json!([])));
    }
}

#[test]
fn a_check_is_that_of_the_command() {
    let check = Check::new(model::open(&folder("four_bar")).unwrap(), "model.toml".into(), &[], false);
    let expected = check.unwrap_or_else(|wrong| panic!("{wrong}")).answer().unwrap_or_else(|wrong| panic!("{wrong}"));
    let own = answer(&workshop("four_bar"), json!({"analysis": "check"}));
    assert_eq!(own["report"], printed(&expected.findings).as_str());
}

#[test]
fn a_verification_is_that_of_the_command_apart_from_computing_times() {
    for name in ["four_bar", "slider_crank"] {
        let document = model::open(&folder(name)).unwrap();
        let options = Options {
            stop: Some(0.1),
            step: None,
            tolerance: 1e-3,
            trim: false,
            set: Vec::new(),
            one_integrator: false,
        };
        let verification = Verification::new(document, options, |_| Ok(None)).unwrap_or_else(|e| panic!("{e}"));
        let found = verification.findings(&|_, _| Box::new(|| ())).unwrap_or_else(|wrong| panic!("{wrong}"));
        let own = answer(&workshop(name), json!({"analysis": "verify", "tolerance": 1e-3, "stop": 0.1}));
        let timeless = |report: &str| -> Vec<String> {
            let lines = report.lines().filter(|line| !line.contains("microseconds_per_step"));
            lines.map(str::to_string).collect()
        };
        let own = own["report"].as_str().expect("text");
        assert!(own.contains("microseconds_per_step"));
        let (own, expected) = (timeless(own), timeless(&printed(&found)));
        assert_eq!(own, expected, "{name}");
    }
}

#[test]
fn parameters_are_set_and_errors_are_messages() {
    let document = model::open(&folder("bushing_mount")).unwrap();
    let parameter = document.model.parameters.first().expect("a parameter");
    let set = Assignment { name: parameter.name.clone(), value: 1.1 * parameter.value };
    let (_, mut simulator) = operating("bushing_mount", std::slice::from_ref(&set), false);
    let linear = simulator.linearize().unwrap();
    let modes = modal::modes(&linear).unwrap();
    let expected = printed(&ModesReport::new(simulator.system(), &linear, &modes, false, 4));
    let workshop = workshop("bushing_mount");
    let request = json!({"analysis": "modes", "count": 4, "set": [[set.name, set.value]]});
    assert_eq!(answer(&workshop, request)["report"], expected.as_str());
    let plain = json!({"analysis": "modes", "count": 4});
    assert_ne!(answer(&workshop, plain)["report"], expected.as_str(), "the parameter has no effect");
    for (request, words) in [
        (json!({"analysis": "modes", "set": [["nothing", 1.0]]}), "no such parameter"),
        (json!({"analysis": "verify", "tolerance": 0.0}), "the tolerance 0 is not a positive number"),
        (json!({"analysis": "spectrum"}), "unknown analysis `spectrum`"),
        (json!({"analysis": "modes", "cuont": 3}), "unknown field `cuont`"),
    ] {
        let wrong = asked(&workshop, request).expect_err("it is wrong");
        assert!(wrong.contains(words), "{wrong}");
    }
    let mut broken = Workshop::default();
    broken.put("model.toml", b"[model]\nnam = 'a'\n".to_vec());
    let wrong = asked(&broken, json!({"analysis": "trim"})).expect_err("the text is wrong");
    assert!(wrong.contains("model.toml:2"), "{wrong}");
}
