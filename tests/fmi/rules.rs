//! The rules of the FMI 2.0 standard for Co-Simulation, one test each, through the exported C functions.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use crate::support::{H, Messages, Resources, fmi2Discard, fmi2Error, fmi2OK, fmi2Warning, reference_bits};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;
use ballesta::fmi::variables::Causality;
use ballesta::system::ScalarKind;

// Setting and reading

#[test]
fn inputs_and_parameters_can_be_set_before_initialization_and_read_back() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    for (name, value) in [("torque", 2.0), ("force", -1.0), ("load", 0.25), ("damping", 0.5)] {
        assert_eq!(instance.set(name, value), fmi2OK);
    }
    instance.setup(0.0, None);
    instance.enter();
    for (name, value) in [("torque", 2.0), ("force", -1.0), ("load", 0.25), ("damping", 0.5)] {
        assert_eq!(instance.get(name), value);
    }
}

#[test]
fn start_values_are_those_of_the_table() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    for variable in resources.variables.iter().filter(|v| v.start.is_some()) {
        assert_eq!(Some(instance.get(&variable.name)), variable.start, "{}", variable.name);
    }
}

#[test]
fn fixed_parameters_are_fixed_after_initialization() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    instance.messages.take();
    assert_eq!(instance.set("load", 0.5), fmi2Warning, "the value that it already has");
    assert!(instance.messages.take().starts_with("1|logStatusWarning|"));
    assert_eq!(instance.set("damping", 0.2), fmi2OK, "tunable");
    assert_eq!(instance.get("damping"), 0.2);
    assert_eq!(instance.set("load", 0.75), fmi2Error);
    assert!(instance.messages.text().contains("'load'"));
    assert_eq!(instance.get("load"), 0.5);
}

#[test]
fn outputs_cannot_be_set() {
    let resources = Resources::driven();
    for name in ["left.angle", "left.speed"] {
        let instance = resources.instantiate();
        assert_eq!(instance.set(name, 1.0), fmi2Error);
        assert!(instance.messages.text().contains(&format!("'{name}'")));
    }
}

#[test]
fn parameters_must_be_finite_and_within_their_limits() {
    let resources = Resources::driven();
    for value in [f64::NAN, f64::INFINITY, -1.0, 101.0] {
        let instance = resources.instantiate();
        assert_eq!(instance.set("damping", value), fmi2Error);
        assert!(instance.messages.text().contains("'damping'"));
    }
}

#[test]
fn fixed_and_tunable_parameters_set_before_and_in_initialization_take_effect() {
    let resources = Resources::driven();
    for name in ["load", "damping"] {
        let unchanged = reference_bits(&resources);
        let mut changed = Vec::new();
        for early in [true, false] {
            let instance = resources.instantiate();
            let set = || assert_eq!(instance.set(name, 0.3), fmi2OK);
            if early {
                set();
            }
            assert_eq!([instance.setup(0.0, None), instance.enter()], [fmi2OK; 2]);
            if !early {
                instance.bits();
                set();
            }
            assert_eq!(instance.exit(), fmi2OK);
            assert_eq!(instance.set("torque", 0.75), fmi2OK);
            instance.steps(0.0, H, 20);
            changed.push(instance.bits());
        }
        assert_eq!(changed[0], changed[1]);
        assert_ne!(changed[0], unchanged);
    }
}

#[test]
fn a_tunable_parameter_acts_from_the_next_step_on() {
    let resources = Resources::driven();
    let [first, second] = [resources.initialized(), resources.initialized()];
    for instance in [&first, &second] {
        instance.steps(0.0, H, 5);
    }
    let before = second.bits();
    assert_eq!(second.set("damping", 50.0), fmi2OK);
    assert_eq!(second.bits(), before);
    assert_eq!([first.step(5.0 * H, H), second.step(5.0 * H, H)], [fmi2OK; 2]);
    assert_ne!(first.bits(), second.bits());
}

#[test]
fn a_call_that_fails_changes_no_variable() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    let references = [resources.reference("torque"), resources.reference("left.speed")];
    // SAFETY: the arrays have two elements.
    assert_eq!(unsafe { fmi2SetReal(instance.c, references.as_ptr(), 2, [9.0, 9.0].as_ptr()) }, fmi2Error);
    assert_eq!(instance.get("torque"), 0.0);
}

#[test]
fn integers_and_booleans_are_read_with_their_own_functions_only() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let (whole, truth) = (resources.reference("repartitions"), resources.reference("near_singular"));
    let (mut a, mut b) = (-7, -7);
    // SAFETY: one element each.
    unsafe {
        assert_eq!(fmi2GetInteger(instance.c, &whole, 1, &mut a), fmi2OK);
        assert_eq!(fmi2GetBoolean(instance.c, &truth, 1, &mut b), fmi2OK);
    }
    assert_eq!((a, b), (0, fmi2False));
    assert_eq!(instance.try_get("repartitions"), fmi2Error);
    assert!(instance.messages.text().contains("is Integer, not Real"));
}

#[test]
fn unknown_value_references_are_named() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let mut value = 0.0;
    // SAFETY: one element.
    assert_eq!(unsafe { fmi2GetReal(instance.c, &4711, 1, &mut value) }, fmi2Error);
    assert!(instance.messages.text().contains("4711"));
}

// Initialization

#[test]
fn outputs_follow_the_settings_in_initialization_mode_in_any_order() {
    let resources = Resources::driven();
    let direct = resources.instantiate();
    direct.setup(0.0, None);
    direct.set("torque", 3.0);
    direct.enter();
    let winding = resources.instantiate();
    winding.setup(0.0, None);
    winding.enter();
    let without = winding.get("left.acceleration");
    winding.set("torque", -5.0);
    let other = winding.get("left.acceleration");
    winding.set("load", 2.0);
    winding.get("left.acceleration");
    winding.set("load", 0.5);
    winding.set("torque", 3.0);
    assert_eq!(winding.bits(), direct.bits());
    assert!(other < without && without < winding.get("left.acceleration"));
    assert_eq!([direct.exit(), winding.exit()], [fmi2OK; 2]);
    direct.steps(0.0, H, 10);
    winding.steps(0.0, H, 10);
    assert_eq!(winding.bits(), direct.bits());
}

#[test]
fn an_experiment_is_needed_and_must_make_sense() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    assert_eq!(instance.enter(), fmi2Error);
    assert!(instance.messages.text().contains("fmi2SetupExperiment"));
    for (start, stop) in [(f64::NAN, None), (f64::INFINITY, None), (1.0, Some(0.5)), (0.0, Some(f64::NAN))] {
        assert_eq!(resources.instantiate().setup(start, stop), fmi2Error);
    }
}

#[test]
fn the_start_time_may_be_other_than_zero() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    instance.setup(2.5, None);
    instance.enter();
    instance.exit();
    assert_eq!(instance.last_successful_time(), 2.5);
    instance.steps(2.5, 0.25, 2);
    assert_eq!(instance.last_successful_time(), 3.0);
    assert_eq!(resources.initialized().step(2.5, 0.25), fmi2Error, "the first step starts at the start time");
}

#[test]
fn a_model_that_cannot_be_compiled_with_its_parameters_fails_with_diagnostics() {
    let text = "
        [model]\nname = 'bob'\n[[body]]\nname = 'bob'\nmass = 'mass'\ncom = [1, 0, 0]
        [[joint]]\nname = 'pivot'\ntype = 'revolute'\nbodies = ['ground', 'bob']\npoint = [0, 0, 0]\naxis = [0, 1, 0]
        [[parameter]]\nname = 'mass'\nvalue = 1.0
        [[output]]\nname = 'angle'\njoint = 'pivot'\nquantity = 'position'";
    let resources = Resources::from_text(text);
    let instance = resources.instantiate();
    assert_eq!([instance.set("mass", 0.0), instance.setup(0.0, None)], [fmi2OK; 2]);
    assert_eq!(instance.enter(), fmi2Error);
    assert!(instance.messages.text().contains("pivot"), "{}", instance.messages.text());
    assert_eq!(instance.reset(), fmi2OK);
    instance.initialize(0.0, None);
}

// Steps

#[test]
fn outputs_change_with_steps_only() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    instance.steps(0.0, H, 3);
    let before = instance.bits();
    assert_eq!(instance.set("torque", 100.0), fmi2OK);
    assert_eq!(instance.bits(), before);
    instance.steps(3.0 * H, H, 1);
    assert_ne!(instance.bits(), before);
}

#[test]
fn the_stop_time_is_not_passed() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    instance.initialize(0.0, Some(0.01));
    let mut time = 0.0;
    for _ in 0..10 {
        assert_eq!(instance.step(time, H), fmi2OK);
        time += H; // With the rounding errors of an importer that adds up.
    }
    assert!((instance.last_successful_time() - 0.01).abs() < 1e-15);
    let before = instance.bits();
    assert_eq!(instance.step(time, H), fmi2Error);
    assert!(instance.messages.text().contains("stop time"));
    assert_eq!(instance.bits(), before);
}

#[test]
fn steps_must_be_positive_and_start_at_the_present_time() {
    let resources = Resources::driven();
    for (time, h) in [
        (0.0, 0.0),
        (0.0, -H),
        (0.0, f64::NAN),
        (0.0, f64::INFINITY),
        (f64::NAN, H),
        (H, H),
        (-H, H),
        (2e-6 * H, H),
        (f64::INFINITY, H),
    ] {
        let instance = resources.initialized();
        let before = instance.bits();
        assert_eq!(instance.step(time, h), fmi2Error, "{time} {h}");
        assert_eq!(instance.bits(), before);
    }
}

#[test]
fn rounding_of_the_importers_clock_is_accepted_and_followed() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let mut time = 0.0;
    for _ in 0..1000 {
        assert_eq!(instance.step(time, 0.1 / 3.0), fmi2OK);
        time += 0.1 / 3.0;
    }
    assert_eq!(instance.last_successful_time(), time);
}

#[test]
fn a_rounded_clock_is_followed_without_steps_for_remainders() {
    let resources = Resources::driven();
    let exact = resources.initialized();
    exact.steps(0.0, H, 100);
    let rounded = resources.initialized();
    // A clock in single precision.
    for i in 0..100 {
        let [time, end] = [i, i + 1].map(|i| f64::from((f64::from(i) * H) as f32));
        assert_eq!(rounded.step(time, end - time), fmi2OK, "{}", rounded.messages.text());
    }
    // As far beside the time as is allowed, on both sides.
    let time = rounded.last_successful_time();
    assert!((time - 0.1).abs() < 1e-8, "{time}");
    assert_eq!(rounded.step(time + 0.9e-6 * H, H), fmi2OK);
    assert_eq!(rounded.last_successful_time(), time + 0.9e-6 * H + H);
    assert_eq!(rounded.step(time + H, H), fmi2OK);
    assert_eq!(rounded.last_successful_time(), time + H + H);
    exact.steps(0.1, H, 2);
    let difference = (exact.get("left.angle") - rounded.get("left.angle")).abs();
    assert!(difference < 1e-7, "{difference:e}");
}

#[test]
fn a_communication_step_needs_not_be_a_multiple_of_the_internal_step() {
    let resources = Resources::driven();
    let [fine, coarse] = [resources.initialized(), resources.initialized()];
    fine.steps(0.0, H, 7);
    coarse.steps(0.0, 0.0035, 2);
    assert_eq!(coarse.last_successful_time(), 0.007);
    let difference = (fine.get("left.angle") - coarse.get("left.angle")).abs();
    assert!(difference < 1e-12, "{difference:e}");
    assert_ne!(fine.get("left.angle"), 0.0);
}

#[test]
fn an_interrupted_step_is_discarded_and_says_how_far_it_came() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    instance.steps(0.0, 0.01, 1);
    assert!(!instance.terminated());
    let good = instance.serialized();
    instance.fail(0.01);
    let time = instance.last_successful_time();
    assert!((0.01..0.02).contains(&time), "{time}");
    assert!(instance.terminated());
    assert_eq!(instance.last_successful_time(), time);
    assert!(instance.get("left.angle").is_finite());
    assert!(instance.messages.text().contains("2|logStatusDiscard|"));
    assert_eq!(instance.step(0.02, 0.01), fmi2Error, "no step after a discarded one");
    instance.restore(&good);
    assert!(!instance.terminated());
    assert_eq!([instance.set("torque", 0.0), instance.step(0.01, 0.01)], [fmi2OK; 2]);
}

#[test]
fn a_discarded_simulation_can_be_terminated() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    instance.fail(0.0);
    assert_eq!(instance.terminate(), fmi2OK);
    instance.get("left.angle");
}

#[test]
fn reset_is_like_a_new_instance_also_after_an_error() {
    let resources = Resources::driven();
    let expected = reference_bits(&resources);
    let instance = resources.instantiate();
    for (name, value) in [("load", 3.0), ("damping", 7.0), ("torque", -4.0), ("force", 9.0)] {
        assert_eq!(instance.set(name, value), fmi2OK);
    }
    instance.initialize(5.0, Some(6.0));
    instance.set_slope("torque", 1, 3.0);
    instance.steps(5.0, H, 30);
    assert_eq!(instance.step(0.0, H), fmi2Error);
    // SAFETY: NULL categories with count 0 are allowed.
    unsafe { fmi2SetDebugLogging(instance.c, fmi2False, 0, null()) };
    assert_eq!(instance.reset(), fmi2OK);
    assert!(instance.messages.text().contains("reset"), "the log categories are those of the instantiation");
    assert_eq!(instance.step(0.0, H), fmi2Error, "the experiment is forgotten");
    assert_eq!(instance.reset(), fmi2OK);
    instance.initialize(0.0, None);
    assert_eq!(instance.set("torque", 0.75), fmi2OK);
    instance.steps(0.0, H, 20);
    assert_eq!(instance.bits(), expected);
}

#[test]
fn nothing_is_ever_pending() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let (mut status, mut integer, mut text) = (fmi2OK, 0, null());
    // SAFETY: the pointers are valid.
    unsafe {
        assert_eq!(fmi2GetStatus(instance.c, fmi2DoStepStatus, &mut status), fmi2Discard);
        assert_eq!(fmi2GetStringStatus(instance.c, fmi2PendingStatus, &mut text), fmi2Discard);
        assert_eq!(fmi2GetIntegerStatus(instance.c, fmi2StatusKind(99), &mut integer), fmi2Discard);
        assert_eq!(fmi2CancelStep(instance.c), fmi2Error);
    }
}

// NaN and NULL

#[test]
fn a_nan_input_is_accepted_and_refused_by_the_step() {
    let resources = Resources::driven();
    for value in [f64::NAN, f64::INFINITY] {
        let instance = resources.initialized();
        let before = instance.bits();
        assert_eq!(instance.set("force", value), fmi2OK);
        assert_eq!(instance.step(0.0, H), fmi2Error);
        assert!(instance.messages.text().contains("'force'"), "{}", instance.messages.text());
        assert_eq!(instance.bits(), before);
        assert!(instance.get("left.acceleration").is_finite());
    }
    let instance = resources.initialized();
    instance.set("force", f64::NAN);
    instance.set("force", 1.0);
    instance.steps(0.0, H, 1);
}

#[test]
fn a_nan_input_is_refused_in_initialization_mode_when_outputs_are_needed() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    assert_eq!(instance.set("torque", f64::NAN), fmi2OK);
    assert_eq!(instance.exit(), fmi2Error);
    assert!(instance.messages.text().contains("'torque'"));
}

#[test]
fn arrays_of_nothing_may_be_null_and_others_may_not() {
    let resources = Resources::driven();
    let reference = resources.reference("left.speed");
    let mut real = 0.0;
    let instance = resources.initialized();
    // SAFETY: NULL is what is being tested; the other pointers are valid.
    unsafe {
        assert_eq!(fmi2GetReal(instance.c, null(), 0, null_mut()), fmi2OK);
        assert_eq!(fmi2SetReal(instance.c, null(), 0, null()), fmi2OK);
        assert_eq!(fmi2SetString(instance.c, null(), 0, null()), fmi2OK);
        assert_eq!(fmi2GetDirectionalDerivative(instance.c, null(), 0, null(), 0, null(), null_mut()), fmi2OK);
        let refused: [&dyn Fn(fmi2Component) -> fmi2Status; 10] = [
            &|c| fmi2GetReal(c, null(), 1, &mut 0.0),
            &|c| fmi2GetReal(c, &reference, 1, null_mut()),
            &|c| fmi2SetReal(c, null(), 1, &0.0),
            &|c| fmi2SetReal(c, &reference, usize::MAX, &0.0),
            &|c| fmi2SetDebugLogging(c, fmi2True, 1, null()),
            &|c| fmi2SetDebugLogging(c, fmi2True, 1, &null()),
            &|c| fmi2GetFMUstate(c, null_mut()),
            &|c| fmi2SetFMUstate(c, null_mut()),
            &|c| fmi2DeSerializeFMUstate(c, null(), 9, &mut null_mut()),
            &|c| fmi2GetRealStatus(c, fmi2LastSuccessfulTime, null_mut()),
        ];
        for (i, call) in refused.iter().enumerate() {
            let instance = resources.initialized();
            assert_eq!(call(instance.c), fmi2Error, "call {i}");
            assert!(instance.messages.text().contains("3|logStatusError"), "call {i}");
        }
        assert_eq!(fmi2GetReal(instance.c, &reference, 1, &mut real), fmi2OK);
        assert_eq!(fmi2FreeFMUstate(instance.c, null_mut()), fmi2OK);
        assert_eq!(fmi2FreeFMUstate(instance.c, &mut null_mut()), fmi2OK);
        fmi2FreeInstance(null_mut());
    }
}

// Derivatives

#[test]
fn input_derivatives_of_order_one_only() {
    let resources = Resources::driven();
    for order in [0, 2, -1] {
        assert_eq!(resources.initialized().set_slope("torque", order, 1.0), fmi2Error);
        assert_eq!(resources.initialized().slope("left.speed", order).0, fmi2Error);
    }
    assert_eq!(resources.initialized().set_slope("load", 1, 1.0), fmi2Error, "no input");
    assert_eq!(resources.initialized().slope("torque", 1).0, fmi2Error, "no output");
}

#[test]
fn an_input_derivative_makes_a_ramp_whichever_is_set_first() {
    let resources = Resources::driven();
    let [slope_last, slope_first, stairs, constant] = [(); 4].map(|_| resources.initialized());
    slope_last.set("torque", 1.0);
    slope_last.set_slope("torque", 1, 20.0);
    slope_first.set_slope("torque", 1, 20.0);
    slope_first.set("torque", 1.0);
    for instance in [&slope_last, &slope_first] {
        instance.steps(0.0, 0.1, 1);
        assert_eq!(instance.get("torque"), 1.0, "an input reads back as it was set");
    }
    assert_eq!(slope_last.bits(), slope_first.bits());
    // Fine stairs through the same ramp.
    for i in 0..1000 {
        stairs.set("torque", 1.0 + 20.0 * (i as f64 + 0.5) * 1e-4);
        assert_eq!(stairs.step(i as f64 * 1e-4, 1e-4), fmi2OK);
    }
    constant.set("torque", 1.0);
    constant.steps(0.0, 0.1, 1);
    let speed = |instance: &crate::support::Instance| instance.get("left.speed");
    let (error, effect) = (speed(&slope_last) - speed(&stairs), speed(&slope_last) - speed(&constant));
    assert!(error.abs() < 1e-6 * effect.abs() && effect.abs() > 1e-3, "{error:e} of {effect:e}");
}

#[test]
fn an_input_set_without_slope_is_constant_again() {
    let resources = Resources::driven();
    let [with, without] = [resources.initialized(), resources.initialized()];
    with.set_slope("torque", 1, 0.0);
    with.steps(0.0, H, 1);
    without.steps(0.0, H, 1);
    with.set_slope("torque", 1, 5.0);
    let stored = without.serialized();
    with.steps(H, H, 1);
    with.restore(&stored);
    for instance in [&with, &without] {
        instance.set("torque", 2.0);
        instance.steps(H, H, 3);
    }
    assert_eq!(with.bits(), without.bits());
}

#[test]
fn output_derivatives_are_the_slopes_of_the_outputs() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    instance.set("torque", 2.0);
    instance.steps(0.0, 0.05, 1);
    let (status, slope) = instance.slope("left.angle", 1);
    assert_eq!(status, fmi2OK);
    assert!((slope - instance.get("left.speed")).abs() < 1e-7, "{slope} {}", instance.get("left.speed"));
    let acceleration = instance.slope("left.speed", 1).1;
    assert!((acceleration - instance.get("left.acceleration")).abs() < 1e-6 * acceleration.abs().max(1.0));
}

#[test]
fn directional_derivatives_agree_with_differences_and_with_the_dependencies() {
    let resources = Resources::driven();
    let evaluate = |torque: f64, force: f64, name: &str| {
        let instance = resources.instantiate();
        instance.setup(0.0, None);
        instance.enter();
        instance.set("torque", torque);
        instance.set("force", force);
        instance.get(name)
    };
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    instance.set("torque", 0.5);
    instance.set("force", 0.25);
    let real_outputs =
        resources.variables.iter().filter(|v| v.causality == Causality::Output && v.kind == ScalarKind::Real);
    let mut with_feedthrough = 0;
    for output in real_outputs {
        let name = &output.name;
        let difference = (evaluate(0.5 + 2e-3, 0.25 - 3e-3, name) - evaluate(0.5 - 2e-3, 0.25 + 3e-3, name)) / 2e-3;
        let (status, derivative) = instance.directional(name, &["torque", "force"], &[2.0, -3.0]);
        assert_eq!(status, fmi2OK);
        assert!(
            (derivative - difference).abs() < 1e-6 * difference.abs().max(1.0),
            "{name}: {derivative} {difference}"
        );
        for input in resources.variables.iter().filter(|v| v.causality == Causality::Input) {
            let (_, derivative) = instance.directional(name, &[&input.name], &[1.0]);
            let listed = output.dependencies.contains(&input.index());
            assert!(derivative == 0.0 || listed, "{name} by {}: {derivative}", input.name);
            with_feedthrough += usize::from(derivative != 0.0);
        }
    }
    assert!(with_feedthrough >= 2);
    let (_, twice) = instance.directional("left.acceleration", &["torque", "torque"], &[1.0, 1.0]);
    let (_, once) = instance.directional("left.acceleration", &["torque"], &[2.0]);
    assert_eq!(twice, once);
    assert_eq!(instance.exit(), fmi2OK);
    assert_eq!(instance.directional("left.acceleration", &["load"], &[1.0]).0, fmi2Error);
}

// Instantiation

#[test]
fn names_and_guids_are_checked() {
    let resources = Resources::driven();
    let refused = |name: &str, guid: &str| {
        resources.try_instantiate(name, guid, &resources.uri(), fmi2False).err().expect("no instance")
    };
    assert!(refused("", &resources.guid).contains("instanceName"));
    assert!(refused("  ", &resources.guid).contains("instanceName"));
    let wrong = refused("test", "{00000000-0000-0000-0000-000000000000}");
    assert!(wrong.starts_with("3|logStatusError|test|fmi2Instantiate: ") && wrong.contains(&resources.guid), "{wrong}");
    std::fs::write(resources.path().join("guid.txt"), "{changed}").unwrap();
    assert!(refused("test", &resources.guid).contains("guid.txt"));
    std::fs::remove_file(resources.path().join("guid.txt")).unwrap();
    assert!(refused("test", &resources.guid).contains("guid.txt"));
}

#[test]
fn a_model_changed_after_packaging_is_refused() {
    let resources = Resources::driven();
    let path = resources.path().join("model.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("-9.81", "-9.80");
    std::fs::write(&path, text).unwrap();
    let log = resources.try_instantiate("test", &resources.guid, &resources.uri(), fmi2False).err().unwrap();
    assert!(log.contains("changed after packaging"), "{log}");
}

#[test]
fn every_diagnostic_of_a_broken_model_is_a_message() {
    let resources = Resources::driven();
    let path = resources.path().join("model.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("mass = 1\n", "mas = 1\n");
    std::fs::write(&path, text).unwrap();
    let log = resources.try_instantiate("test", &resources.guid, &resources.uri(), fmi2False).err().unwrap();
    assert!(log.lines().count() >= 3 && log.lines().all(|line| line.starts_with("3|logStatusError|test|")), "{log}");
    assert!(log.contains("model.toml:") && log.contains("mas"), "{log}");
}

#[test]
fn null_arguments_of_instantiate_are_refused_with_a_message() {
    let resources = Resources::driven();
    let [name, guid, uri] = ["test", resources.guid.as_str(), &resources.uri()].map(|text| CString::new(text).unwrap());
    let messages = Messages::new();
    let callbacks = messages.callbacks();
    let instantiate = |name: fmi2String, kind: fmi2Type, guid: fmi2String, uri: fmi2String| {
        // SAFETY: strings are NULL or live; the callbacks live.
        let c = unsafe { fmi2Instantiate(name, kind, guid, uri, &callbacks, fmi2False, fmi2False) };
        assert!(c.is_null());
        messages.take()
    };
    let (name, guid, uri) = (name.as_ptr(), guid.as_ptr(), uri.as_ptr());
    assert!(instantiate(null(), fmi2CoSimulation, guid, uri).contains("instanceName"));
    assert!(instantiate(name, fmi2CoSimulation, null(), uri).contains("fmuGUID"));
    assert!(instantiate(name, fmi2CoSimulation, guid, null()).contains("fmuResourceLocation"));
    assert!(instantiate(name, fmi2Type(77), guid, uri).contains("neither fmi2CoSimulation nor"));
}

#[test]
fn callbacks_are_copied_and_may_be_missing() {
    let resources = Resources::driven();
    let [name, guid, uri] = ["test", resources.guid.as_str(), &resources.uri()].map(|text| CString::new(text).unwrap());
    let messages = Messages::new();
    let mut callbacks = messages.callbacks();
    let instantiate = |callbacks: *const fmi2CallbackFunctions| {
        // SAFETY: strings live; the callbacks are NULL or live.
        let c = unsafe {
            let (name, guid, uri) = (name.as_ptr(), guid.as_ptr(), uri.as_ptr());
            fmi2Instantiate(name, fmi2CoSimulation, guid, uri, callbacks, fmi2False, fmi2True)
        };
        assert!(!c.is_null());
        c
    };
    let c = instantiate(&callbacks);
    callbacks.logger = None;
    callbacks.componentEnvironment = null_mut();
    messages.take();
    // SAFETY: the instances live until they are freed.
    unsafe {
        assert_eq!(fmi2ExitInitializationMode(c), fmi2Error);
        assert!(messages.take().contains("fmi2ExitInitializationMode"));
        fmi2FreeInstance(c);
        for c in [instantiate(null()), instantiate(&callbacks)] {
            assert_eq!(fmi2ExitInitializationMode(c), fmi2Error);
            fmi2FreeInstance(c);
        }
    }
}

#[test]
fn resources_are_found_by_every_form_of_uri() {
    let resources = Resources::driven();
    let odd = resources.path().join("a b {ä} 100%");
    std::fs::create_dir(&odd).unwrap();
    for file in ["model.toml", "guid.txt"] {
        std::fs::copy(resources.path().join(file), odd.join(file)).unwrap();
    }
    let base = resources.path().to_str().unwrap();
    let encoded = format!("{base}/a%20b%20%7B%C3%A4%7d%20100%25");
    for uri in [
        format!("file://{base}"),
        format!("file://{base}/"),
        format!("file:{base}"),
        format!("file://localhost{base}"),
        format!("FILE:////{base}"),
        base.to_string(),
        format!("file://{encoded}"),
        format!("file:{encoded}/"),
        format!("file://{}", odd.display()),
        odd.display().to_string(),
        format!("file://{}", encoded.replace('%', "%25")),
    ] {
        if let Err(log) = resources.try_instantiate("test", &resources.guid, &uri, fmi2False) {
            panic!("{uri}: {log}");
        }
    }
    for (uri, reason) in [
        ("", "empty"),
        ("https://example.invalid/resources", "https"),
        ("file://elsewhere/resources", "elsewhere"),
        ("file:///no/such/folder", "/no/such/folder"),
        ("file:///%FF%FE", "fmi2Instantiate"),
    ] {
        let log = resources.try_instantiate("test", &resources.guid, uri, fmi2False).err().expect(uri);
        assert!(log.contains(reason), "{uri}: {log}");
    }
}

// Log, version

#[test]
fn messages_are_text_even_with_percent_and_number_signs() {
    let resources = Resources::driven();
    let folder = "file:///no/100%25s%25n/#1";
    let log = resources.try_instantiate("%s%n", &resources.guid, folder, fmi2False).err().unwrap();
    assert!(log.contains("|%s%n|") && log.contains("/no/100%s%n/##1"), "{log}");
    // What the logger gets as its format is the message itself, for hosts that do not read arguments.
    assert!(log.contains("|format: ") && log.contains("/no/100%%s%%n/##1"), "{log}");
}

#[test]
fn debug_logging_is_switched_by_category() {
    let resources = Resources::driven();
    let quiet = resources.try_instantiate("test", &resources.guid, &resources.uri(), fmi2False).ok().unwrap();
    assert_eq!(quiet.messages.take(), "", "events are not logged");
    quiet.exit();
    assert!(quiet.messages.take().contains("|logStatusError|"), "errors are");
    let set = |on, categories: &[&CStr]| {
        let pointers: Vec<fmi2String> = categories.iter().map(|name| name.as_ptr()).collect();
        // SAFETY: the array has the length that is said.
        unsafe { fmi2SetDebugLogging(quiet.c, on, pointers.len(), pointers.as_ptr()) }
    };
    assert_eq!(set(fmi2False, &[]), fmi2OK);
    quiet.exit();
    assert_eq!(quiet.messages.take(), "");
    assert_eq!(set(2, &[]), fmi2OK, "every number but 0 is true");
    quiet.exit();
    assert!(quiet.messages.take().contains("|logStatusError|"));
    assert_eq!(set(fmi2True, &[c"logEvents"]), fmi2OK);
    quiet.exit();
    assert_eq!(quiet.messages.take(), "");
    assert_eq!(set(fmi2True, &[c"logAll"]), fmi2OK);
    quiet.exit();
    assert!(quiet.messages.take().contains("|logStatusError|"));
    assert_eq!(set(fmi2True, &[c"logStatusWarning", c"logNonsense"]), fmi2Warning);
    assert!(quiet.messages.take().contains("'logNonsense'"));
}

#[test]
fn version_and_platform_are_those_of_the_standard() {
    // SAFETY: the strings are static.
    let (version, platform) = unsafe { (CStr::from_ptr(fmi2GetVersion()), CStr::from_ptr(fmi2GetTypesPlatform())) };
    assert_eq!((version, platform), (c"2.0", c"default"));
}

#[test]
fn the_table_of_variables_is_what_get_reads() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    for (i, variable) in resources.variables.iter().enumerate() {
        assert_eq!(variable.value_reference as usize, i, "{}", variable.name);
    }
    instance.steps(0.0, H, 1);
    assert_eq!(instance.last_successful_time(), H);
    assert_eq!(instance.get("left.angle"), instance.get("left.angle"));
    assert_ne!(instance.get("left.angle"), instance.get("left.speed"));
}
