//! Sessions beside runs: the same bits, whatever was done in between.

use ballesta::compile;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta_live::session::{Kept, Session};
use ballesta_run::Grid;
use ballesta_run::inputs::Inputs;
use ballesta_run::simulation::{Clock, Excitation, simulate_timed};
use std::path::Path;
use std::sync::Arc;

const POINTS: usize = 120;

fn open(name: &str) -> Session {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).join("model.toml");
    let text = std::fs::read_to_string(&file).expect("a model");
    // Its files are in memory, as in a page.
    let files = model::load(&file).expect("a model").files;
    Session::open(&text, "nowhere/model.toml", files).expect("a model")
}

/// Outputs of a run with inputs from a table.
fn run(name: &str, table: &str) -> Vec<Vec<f64>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let document = model::load(&folder).expect("a model");
    let system = Arc::new(compile::compile(&document, &document.model.parameter_values()).expect("a system"));
    let experiment = &document.model.experiment;
    let step = experiment.step.unwrap_or(system.step());
    let grid = Grid { start: experiment.start, step, stop: experiment.start + POINTS as f64 * step };
    let table = (!table.is_empty()).then(|| Inputs::parse(table, "in.csv", system.interface()).expect("inputs"));
    let excitation = Excitation { constants: Vec::new(), table, trim: false };
    let mut rows = Vec::new();
    let mut simulator = Simulator::new(system);
    let ran = simulate_timed(&mut simulator, &grid, &excitation, &mut Clock::default(), |_, outputs, _| {
        rows.push(outputs.to_vec());
        Ok(())
    });
    assert!(ran.is_ok(), "{name}");
    rows
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[test]
fn a_session_without_changes_is_a_run() {
    for name in ["four_bar", "bricard", "van", "flexible_slider_crank", "spinup_beam", "driven_arm"] {
        let expected = run(name, "");
        let mut session = open(name);
        session.begin().expect("a start");
        for (k, row) in expected.iter().enumerate() {
            assert!(same(row, session.outputs()), "{name}, point {k}");
            session.frame();
            session.step().expect("a step");
        }
    }
}

#[test]
fn inputs_of_a_session_are_jumps_of_a_table() {
    let mut session = open("driven_arm");
    let start = 0.4;
    session.begin().expect("a start");
    let mut table = format!("time,yaw.torque\n0,{start}\n");
    let mut rows = vec![session.outputs().to_vec()];
    for k in 1..=POINTS {
        if k % 7 == 0 {
            let (before, after) = (session_value(k - 7, start), session_value(k, start));
            session.set_input(0, after);
            let time = k as f64 * 0.01;
            table += &format!("{time},{before}\n{time},{after}\n");
        }
        session.step().expect("a step");
        rows.push(session.outputs().to_vec());
    }
    let expected = run("driven_arm", &table);
    assert_eq!(rows.len(), expected.len());
    for (k, (own, other)) in rows.iter().zip(&expected).enumerate() {
        assert!(same(own, other), "point {k}");
    }
    // The inputs matter.
    assert!(!same(rows.last().expect("rows"), run("driven_arm", "").last().expect("rows")));
}

/// The torque from point `k` on.
fn session_value(k: usize, start: f64) -> f64 {
    if k < 7 { start } else { start - 0.01 * (k / 7) as f64 }
}

#[test]
fn what_is_gone_back_to_goes_on_as_before() {
    for name in ["truck", "flexible_four_bar", "hammer"] {
        let mut session = open(name);
        session.begin().expect("a start");
        assert_eq!(session.save(), 0);
        let mut rows = Vec::new();
        for k in 1..=40 {
            session.step().expect("a step");
            rows.push(session.outputs().to_vec());
            if k % 10 == 0 {
                session.save();
            }
        }
        for (to, saved) in [(27, 20), (39, 20), (9, 0)] {
            assert_eq!(session.restore(to), Some(saved), "{name}");
            for row in &rows[saved..] {
                session.step().expect("a step");
                assert!(same(row, session.outputs()), "{name}, back to {to}");
            }
        }
    }
}

#[test]
fn what_is_not_tunable_changes_with_a_new_start() {
    let mut session = open("driven_arm");
    session.begin().expect("a start");
    let before = session.outputs().to_vec();
    let document =
        model::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/driven_arm")).expect("a model");
    let fixed = document.model.parameters.iter().position(|parameter| !parameter.tunable).expect("one");
    session.set_parameter(fixed, 1.1 * document.model.parameters[fixed].value);
    session.step().expect("a step");
    session.begin().expect("a start");
    assert_ne!(before, session.outputs());
    assert!(session.frame().iter().all(|value| value.is_finite()));
    session.set_parameter(fixed, document.model.parameters[fixed].value);
    session.begin().expect("a start");
    assert_eq!(before, session.outputs());
    // What the model does not have is left alone.
    session.set_input(1000, 1.0);
    session.set_parameter(1000, 1.0);
}

#[test]
fn a_wrong_model_is_told_with_line_and_column() {
    let wrong = Session::open("[model]\nname = \"a\"\nstepp = 1\n", "model.toml", Vec::new());
    let wrong = wrong.err().expect("it is wrong");
    assert_eq!((wrong.0[0].file.as_str(), wrong.0[0].line, wrong.0[0].column), ("model.toml", 3, 1), "{wrong}");
}

/// A session after one second of the four-bar, and the text of its model.
fn moved_four_bar() -> (Session, String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/four_bar/model.toml");
    let mut session = open("four_bar");
    session.begin().expect("a start");
    (0..100).for_each(|_| session.step().expect("a step"));
    (session, std::fs::read_to_string(file).expect("a model"))
}

/// The result of continuing the run with another text.
fn resumed(old: &Session, text: &str) -> (Session, Result<Kept, String>) {
    let mut session = Session::open(text, "model.toml", Vec::new()).expect("a model");
    let kept = session.resume(old);
    (session, kept)
}

#[test]
fn an_edited_model_continues_the_run_of_the_old_one() {
    let (mut old, text) = moved_four_bar();
    // A comment changes nothing, to the bit.
    let (mut session, kept) = resumed(&old, &format!("# a comment\n{text}"));
    assert_eq!((kept, session.start(), session.time()), (Ok(Kept::Same), 1.0, 1.0));
    for _ in 0..10 {
        assert!(same(old.outputs(), session.outputs()));
        old.step().and_then(|()| session.step()).expect("a step");
    }

    let (old, text) = moved_four_bar();
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    // Another mass: equal positions and speeds.
    let (mut session, kept) = resumed(&old, &text.replacen("mass = 1", "mass = 1.5", 1));
    assert_eq!((kept, session.time()), (Ok(Kept::Placed), 1.0));
    assert!(differ(&session.state().q, &old.state().q) < 1e-9 && differ(&session.state().v, &old.state().v) < 1e-9);
    session.step().expect("a step");
    assert_eq!((session.point(), session.time()), (1, 1.01));
    session.begin().expect("a start");
    assert_eq!((session.start(), session.time()), (0.0, 0.0));
    // Other lengths: the loop is closed again, near the old position.
    let other = text.replace("B1 = [1, 1, 0]", "B1 = [1.1, 1, 0]").replace("A1 = [1, 0, 0]", "A1 = [1.1, 0, 0]");
    let (session, kept) = resumed(&old, &other);
    let moved = differ(&session.state().q, &old.state().q);
    assert!(kept == Ok(Kept::Placed) && moved < 0.05, "{kept:?} {moved}");
    let gap = session.system().interface().outputs.iter().position(|output| output.name == "gap").expect("an output");
    assert!(session.outputs()[gap] < 1e-9);
}

#[test]
fn an_edited_model_with_other_coordinates_says_why_it_starts_anew() {
    let (old, text) = moved_four_bar();
    let pendulum = "[[body]]\nname = \"bob\"\nmass = 1\ncom = [0, 2, 0]\n[[joint]]\nname = \"C\"\ntype = \"revolute\"\n\
                    bodies = [\"left\", \"bob\"]\npoint = [0, 1.5, 0]\naxis = [0, 0, 1]\n";
    for (text, words) in [
        (format!("{text}\n{pendulum}"), "the coordinate `C` is new"),
        (text.replace("name = \"A1\"\ntype", "name = \"E\"\ntype"), "`E` is new"),
        (text.replace("start = 0", "start = 0.5"), "the start time was 0 s"),
        (text.replace("speed = -1", "speed = -1.2"), "the joint `A0` had another start"),
    ] {
        let (mut session, kept) = resumed(&old, &text);
        let why = kept.expect_err(words);
        assert!(why.contains(words), "{why}");
        session.begin().expect("a start");
        session.step().expect("a step");
    }
    let more = format!("{text}\n{pendulum}");
    let mut more = Session::open(&more, "model.toml", Vec::new()).expect("a model");
    more.begin().expect("a start");
    let (_, kept) = resumed(&more, &text);
    assert!(kept.expect_err("fewer").contains("`C` no longer exists"));
}

#[test]
fn inputs_and_parameters_that_the_user_changed_are_kept_by_name() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/driven_arm/model.toml");
    let text = std::fs::read_to_string(&file).expect("a model");
    let mut old = open("driven_arm");
    old.set_input(0, 0.25);
    old.begin().expect("a start");
    let inputs = old.inputs().to_vec();
    let mut session = Session::open(&text, "model.toml", model::load(&file).expect("a model").files).expect("a model");
    let files_values = session.inputs().to_vec();
    session.keep_inputs(&old, |_| false);
    assert_eq!(session.inputs(), files_values);
    session.keep_inputs(&old, |_| true);
    assert_eq!(session.inputs(), inputs);
    let parameters = old.parameters().to_vec();
    assert_eq!(old.kept_parameters(&session.document().model), parameters);
    old.set_parameter(0, 1.01 * parameters[0]);
    assert_eq!(old.kept_parameters(&session.document().model)[0], 1.01 * parameters[0]);
}

#[test]
fn a_value_that_was_changed_in_the_file_replaces_the_value_of_a_slider() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/driven_arm/model.toml");
    let document = model::load(&file).expect("a model");
    let mut old = open("driven_arm");
    let value = document.model.parameters[0].value;
    old.set_input(0, 0.25);
    old.set_parameter(0, 1.01 * value);
    let mut edited = document.clone();
    edited.model.parameters[0].value = 1.02 * value;
    edited.model.inputs[0].start += 0.125;
    assert_eq!(old.kept_parameters(&edited.model)[0], 1.02 * value);
    assert_eq!(old.kept_parameters(&document.model)[0], 1.01 * value);
    for (document, expected) in [(edited, document.model.inputs[0].start + 0.125), (document, 0.25)] {
        let parameters = document.model.parameter_values();
        let mut session = Session::new(document, parameters).expect("a model");
        session.keep_inputs(&old, |_| true);
        assert_eq!(session.inputs()[0], expected);
    }
}
