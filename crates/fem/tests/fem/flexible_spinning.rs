//! Flexible bodies that turn fast without geometric stiffness: said by the run, with its figure.

use ballesta::compile;
use ballesta::model;
use ballesta::simulate::Simulator;
use std::sync::Arc;

const MODEL: &str = "models/rotating_cantilever/model.toml";

/// The blade on a hub that turns with `speed` rad/s, with more keys of its body; at its first output point.
fn blade(speed: f64, keys: &str) -> Simulator {
    let text = std::fs::read_to_string(MODEL).expect("the gallery");
    let text = text.replace("frame = \"root\"\n", &format!("frame = \"root\"\n{keys}"));
    let text = text.replace("value = 3.0", &format!("value = {speed:?}"));
    let document = model::parse(&text, MODEL).unwrap_or_else(|errors| panic!("{errors}"));
    let system = compile::compile(&document, &[speed]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(0.0).expect("a start");
    let mut outputs = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.outputs(&mut outputs).expect("outputs");
    simulator
}

#[test]
fn a_blade_that_nothing_stiffens_is_told_with_its_figure() {
    crate::root::at_root();
    // Its lowest ω clamped at the root is 3.516 rad/s.
    for (speed, told) in [(0.1, false), (0.45, false), (0.55, true), (3.0, true)] {
        let simulator = blade(speed, "stiffening = \"none\"\n");
        let spinning = simulator.judgement().spinning();
        let expected = (speed / 3.516_f64).powi(2);
        assert!((spinning.ratio / expected - 1.0).abs() < 1e-3, "{} for {expected}", spinning.ratio);
        let warning = simulator.judgement().warning(simulator.system(), false);
        assert_eq!(warning.is_some(), told, "{speed} rad/s: {warning:?}");
        assert_eq!(simulator.judgement().is_questionable(simulator.system(), false), told);
        if let Some(words) = warning {
            let figure = format!("{:.3} of its lowest", spinning.ratio);
            assert!(words.contains("`blade`") && words.contains(&figure) && words.contains("(0.5596 Hz)"), "{words}");
        }
    }
}

#[test]
fn a_stiffened_blade_may_turn_as_fast_as_it_likes() {
    crate::root::at_root();
    let simulator = blade(12.0, "");
    assert_eq!(simulator.judgement().spinning().ratio, 0.0);
}

#[test]
fn a_body_without_a_frame_of_its_own_is_judged_with_its_interface_held() {
    crate::root::at_root();
    let text = "stiffening = \"none\"\n";
    let held = blade(1.0, text).judgement().spinning().ratio;
    let source = std::fs::read_to_string(MODEL).expect("the gallery").replace("frame = \"root\"\n", text);
    let document = model::parse(&source, MODEL).unwrap_or_else(|errors| panic!("{errors}"));
    let system = compile::compile(&document, &[1.0]).unwrap_or_else(|errors| panic!("{errors}"));
    // The lowest of the free blade would be 6.4 times as high.
    assert!((system.flexible[0].lowest * held - 1.0).abs() < 1e-3, "{}", system.flexible[0].lowest);
}
