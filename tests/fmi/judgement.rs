//! What an FMU says about its own run: a warning at its end, and figures that go with a stored state.

use crate::support::{Instance, Resources, fmi2OK, fmi2Warning};
use ballesta::fmi::types::fmi2Status;
use std::path::Path;

/// A double pendulum with a step that is too long for it.
const LONG_STEP: &str = concat!(
    include_str!("../fragments/double_pendulum.toml"),
    r#"
[model]
name = "long_step"
gravity = [0, 0, -9.81]
step = 0.1

[[joint_spring]]
name = "hinge"
joint = "elbow"
stiffness = "stiffness"

[[parameter]]
name = "stiffness"
value = 10
tunable = true

[[output]]
name = "angle"
joint = "shoulder"
quantity = "position"

[[output]]
name = "gap"
quantity = "largest_gap"

[[output]]
name = "change"
quantity = "energy_change"

[[output]]
name = "exchanged"
quantity = "energy_exchanged"

[[output]]
name = "near_singular_steps"
quantity = "near_singular_steps"

[[output]]
name = "questionable"
quantity = "questionable"
"#
);

/// Steps of 0.1 s from `steps.start` on; what each returned.
fn drive(instance: &Instance, steps: std::ops::Range<u32>) -> Vec<fmi2Status> {
    steps.map(|i| instance.step(0.1 * f64::from(i), 0.1)).collect()
}

fn all_ok(statuses: &[fmi2Status]) -> bool {
    statuses.iter().all(|status| *status == fmi2OK)
}

#[test]
fn a_questionable_run_is_logged_at_its_end_and_shown_by_outputs_before() {
    let resources = Resources::from_text(LONG_STEP);
    let instance = resources.initialized();
    // A step never logs.
    assert!(all_ok(&drive(&instance, 0..1500)));
    assert!(!instance.messages.text().contains("logStatusWarning"), "{}", instance.messages.text());
    assert!(instance.get("change").abs() > 1e-2 * instance.get("exchanged"));
    assert_eq!(instance.terminate(), fmi2Warning);
    let logged = instance.messages.text();
    assert_eq!(logged.matches("|logStatusWarning|").count(), 1, "{logged}");
    assert!(logged.contains("fmi2Terminate: questionable up to t = 150"), "{logged}");
    assert!(logged.contains("long_step: the energy balance") && logged.contains("use a shorter step"), "{logged}");
    // After a reset it is another run.
    assert_eq!(instance.reset(), fmi2OK);
    instance.initialize(0.0, None);
    assert_eq!(instance.get("exchanged"), 0.0);
}

#[test]
fn a_short_run_is_judged_at_its_end() {
    let resources = Resources::from_text(LONG_STEP);
    let instance = resources.initialized();
    assert!(all_ok(&drive(&instance, 0..300)));
    assert_eq!(instance.terminate(), fmi2Warning);
    assert!(
        instance.messages.text().contains("fmi2Terminate: questionable up to t = 30"),
        "{}",
        instance.messages.text()
    );

    let good = Resources::from_text(&LONG_STEP.replace("step = 0.1", "step = 1e-3"));
    let instance = good.initialized();
    assert!(all_ok(&drive(&instance, 0..300)));
    assert_eq!(instance.terminate(), fmi2OK);
}

#[test]
fn a_body_that_bends_far_makes_a_run_questionable_also_after_its_state_was_stored() {
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/models/serial_arm");
    let text = std::fs::read_to_string(format!("{arm}/model.toml")).unwrap();
    // 2000 m/s² bend the tubes of the arm by more than a tenth of their length.
    let heavy =
        Resources::with_roms_of(&text.replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, -2000]"), Path::new(arm));
    let instance = heavy.initialized();
    assert_eq!(instance.step(0.0, 0.02), fmi2OK);
    let bytes = instance.serialized();
    assert_eq!(instance.terminate(), fmi2Warning);
    let logged = instance.messages.text();
    assert!(logged.contains("bends by") && logged.contains("linear elasticity"), "{logged}");

    let other = heavy.initialized();
    other.restore(&bytes);
    assert_eq!(other.terminate(), fmi2Warning);
    assert!(other.messages.text().contains("bends by"), "{}", other.messages.text());

    let light = Resources::with_roms_of(&text, Path::new(arm));
    let instance = light.initialized();
    assert_eq!(instance.step(0.0, 0.02), fmi2OK);
    assert_eq!(instance.terminate(), fmi2OK, "{}", instance.messages.text());
}

#[test]
fn figures_are_outputs_and_continue_from_a_stored_state_with_the_same_bits() {
    let resources = Resources::from_text(LONG_STEP);
    let instance = resources.initialized();
    drive(&instance, 0..200);
    let bytes = instance.serialized();
    let at_store = instance.bits();
    drive(&instance, 200..400);
    let expected = instance.bits();
    assert!(instance.get("exchanged") > 10.0 && instance.get("change").abs() > 1e-3, "{}", instance.get("change"));
    assert_ne!(at_store, expected);

    let other = resources.initialized();
    drive(&other, 0..30);
    other.restore(&bytes);
    assert_eq!(other.bits(), at_store);
    drive(&other, 200..400);
    assert_eq!(other.bits(), expected);
    assert_eq!(other.serialized(), instance.serialized());
}

#[test]
fn a_parameter_that_changes_is_no_change_of_the_energy_balance() {
    let resources = Resources::from_text(&LONG_STEP.replace("step = 0.1", "step = 1e-3"));
    let instance = resources.initialized();
    drive(&instance, 0..20);
    let before = instance.get("change");
    assert_eq!(instance.set("stiffness", 50.0), fmi2OK);
    drive(&instance, 20..40);
    assert!((instance.get("change") - before).abs() < 1e-6, "{} after {before}", instance.get("change"));
}
