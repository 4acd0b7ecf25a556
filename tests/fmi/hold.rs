//! The hold mode: after a fault the outputs hold, the host goes on, and what the host itself does wrong stays an error.

use crate::counting::allocations_in;
use crate::fmi3::{Instance as Instance3, Request, Step, fmi3OK};
use crate::support::{H, Instance, Resources, fmi2Discard, fmi2Error, fmi2OK, fmi2Warning};
use ballesta::fmi::exports::*;
use ballesta::fmi::hold::{FAULT, HOLD_MODE_FILE, HOLD_ON_FAULT};
use ballesta::fmi::types::*;
use ballesta::fmi::variables::{Binding, Causality, Variability, Variable};

/// An instance with the mode switched on, after ten steps with a torque.
fn begun(resources: &Resources) -> Instance<'_> {
    let instance = resources.instantiate();
    assert_eq!(instance.set_truth(HOLD_ON_FAULT, fmi2True), fmi2OK);
    instance.initialize(0.0, None);
    assert_eq!(instance.set("torque", 0.75), fmi2OK);
    instance.steps(0.0, H, 10);
    instance.messages.take();
    instance
}

/// Messages that tell of a hold.
fn told(instance: &Instance) -> Vec<String> {
    let lines = instance.messages.take();
    lines.lines().filter(|line| line.contains("all outputs are held")).map(str::to_string).collect()
}

#[test]
fn an_fmu_without_the_mode_has_no_variable_of_it_and_with_it_all_others_stay() {
    let (plain, with) = (Resources::driven(), Resources::driven_with_hold_mode());
    let count = plain.variables.len();
    assert_eq!(plain.variables[..], with.variables[..count]);
    let [hold, fault] = &with.variables[count..] else { panic!("two more") };
    assert_eq!(
        (hold.name.as_str(), hold.causality, hold.variability),
        (HOLD_ON_FAULT, Causality::Parameter, Variability::Fixed)
    );
    assert_eq!((fault.name.as_str(), fault.causality, hold.start), (FAULT, Causality::Output, Some(0.0)));
    assert_ne!(plain.guid, with.guid);
    let instance = plain.instantiate();
    // SAFETY: the arrays have one element.
    assert_eq!(unsafe { fmi2SetBoolean(instance.c, &0, 1, &fmi2True) }, fmi2Error);
    assert!(instance.messages.text().contains("no Boolean inputs or parameters"));
    // Which variables an FMU has is tied to its GUID.
    std::fs::remove_file(with.path().join(HOLD_MODE_FILE)).unwrap();
    let refused = with.try_instantiate("test", &with.guid, &with.uri(), fmi2True).err().expect("refused");
    assert!(refused.contains("changed after packaging"), "{refused}");
}

#[test]
fn the_mode_is_off_by_default() {
    let resources = Resources::driven_with_hold_mode();
    let instance = resources.initialized();
    assert!(!instance.truth(HOLD_ON_FAULT) && !instance.truth(FAULT));
    instance.steps(0.0, H, 10);
    assert_eq!([instance.set("torque", 1e305), instance.step(0.01, 0.01)], [fmi2OK, fmi2Discard]);
    assert!(instance.truth(FAULT) && instance.terminated());
    assert!(told(&instance).is_empty());
}

#[test]
fn after_a_fault_the_outputs_of_the_last_point_hold_and_the_time_goes_on() {
    let resources = Resources::driven_with_hold_mode();
    let instance = begun(&resources);
    let good = instance.bits();
    assert!(!instance.truth(FAULT));
    assert_eq!(instance.set("torque", 1e305), fmi2OK);
    for k in 0..100 {
        let time = 0.01 + f64::from(k) * 0.01;
        assert_eq!(instance.step(time, 0.01), fmi2OK, "{}", instance.messages.text());
        assert!(instance.truth(FAULT) && !instance.terminated());
        assert_eq!(instance.bits(), good);
        for now in [instance.get("time"), instance.last_successful_time()] {
            assert!((now - (time + 0.01)).abs() < 1e-12, "{now}");
        }
        // The inputs are taken, but nothing follows from them any more.
        assert_eq!(instance.set("torque", 0.0), fmi2OK);
    }
    let told = told(&instance);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("1|logStatusWarning|") && told[0].contains(" at t = 0.01"), "{}", told[0]);
    assert_eq!(instance.terminate(), fmi2OK);
    assert!(instance.truth(FAULT));
    assert_eq!(instance.bits(), good);
}

#[test]
fn an_input_that_is_not_finite_begins_the_hold() {
    let resources = Resources::driven_with_hold_mode();
    for bad in [f64::NAN, f64::INFINITY] {
        let instance = begun(&resources);
        let good = instance.bits();
        assert_eq!([instance.set("force", bad), instance.step(0.01, H)], [fmi2OK; 2]);
        assert!(instance.truth(FAULT));
        assert_eq!([instance.set("force", 0.0), instance.step(0.011, H)], [fmi2OK; 2]);
        assert_eq!(instance.bits(), good);
        let told = told(&instance);
        assert!(told.len() == 1 && told[0].contains("input `force` is not finite at t = 0.01"), "{told:?}");
        let instance = begun(&resources);
        assert_eq!([instance.set_slope("force", 1, bad), instance.step(0.01, H)], [fmi2OK; 2]);
        assert!(instance.truth(FAULT) && instance.bits() == good);
        assert_eq!(self::told(&instance).len(), 1);
    }
}

#[test]
fn wrong_arguments_of_the_host_are_errors_before_and_in_a_hold() {
    let resources = Resources::driven_with_hold_mode();
    let good = begun(&resources).serialized();
    let instance = begun(&resources);
    assert_eq!([instance.set("torque", 1e305), instance.step(0.01, 0.01)], [fmi2OK; 2]);
    let held = instance.serialized();
    for (state, now) in [(&good, 0.01), (&held, 0.02)] {
        for (time, step, words) in [
            (now - H, H, "differs from the FMU's time"),
            (now + H, H, "differs from the FMU's time"),
            (f64::NAN, H, "differs from the FMU's time"),
            (now, 0.0, "must be positive and finite"),
            (now, -H, "must be positive and finite"),
            (now, f64::NAN, "must be positive and finite"),
            (now, f64::INFINITY, "must be positive and finite"),
        ] {
            instance.restore(state);
            instance.messages.take();
            assert_eq!(instance.step(time, step), fmi2Error);
            let text = instance.messages.take();
            assert!(text.contains(words) && text.lines().count() == 1, "{text}");
            assert_eq!(instance.step(now, H), fmi2Error, "an error lasts until a state is restored");
        }
        instance.restore(state);
        assert_eq!(instance.step(now, H), fmi2OK);
        assert_eq!(instance.truth(FAULT), now == 0.02);
    }
    // Too many internal steps at once are the host's fault as well.
    instance.restore(&good);
    assert_eq!(instance.step(0.01, 1e9), fmi2Error);
}

#[test]
fn the_parameter_is_fixed_and_the_output_is_no_input() {
    let resources = Resources::driven_with_hold_mode();
    let instance = resources.instantiate();
    assert_eq!([instance.setup(0.0, Some(1.0)), instance.enter()], [fmi2OK; 2]);
    let angle = instance.get("left.angle");
    // Any number but 0 is true in C.
    assert_eq!([instance.set_truth(HOLD_ON_FAULT, 7), instance.set("force", 0.5)], [fmi2OK; 2]);
    assert!(instance.truth(HOLD_ON_FAULT) && !instance.truth(FAULT));
    // An initial state that is taken from those that are kept does not bring its own value.
    assert_eq!(instance.set("force", 0.25), fmi2OK);
    assert_eq!(instance.get("left.angle"), angle);
    assert!(instance.truth(HOLD_ON_FAULT));
    assert_eq!(instance.exit(), fmi2OK);
    assert_eq!(instance.set_truth(HOLD_ON_FAULT, fmi2True), fmi2Warning);
    let kept = instance.serialized();
    for (name, words) in
        [(HOLD_ON_FAULT, "cannot be set after the initialization mode"), (FAULT, "its causality is output")]
    {
        assert_eq!(instance.set_truth(name, fmi2False), fmi2Error);
        assert!(instance.messages.take().contains(words));
        instance.restore(&kept);
    }
    assert_eq!(instance.step(0.0, 2.0), fmi2Error, "the stop time is kept in the hold mode too");
    assert_eq!(instance.reset(), fmi2OK);
    instance.initialize(0.0, None);
    assert!(!instance.truth(HOLD_ON_FAULT));
}

#[test]
fn the_hold_is_part_of_stored_states_and_an_earlier_state_ends_it() {
    let resources = Resources::driven_with_hold_mode();
    let instance = begun(&resources);
    let (good, time) = (instance.serialized(), instance.get("time"));
    assert_eq!(instance.step(0.01, H), fmi2OK);
    let expected = instance.bits();
    instance.restore(&good);
    assert_eq!([instance.set("torque", 1e305), instance.step(0.01, 0.01)], [fmi2OK; 2]);
    let (held, outputs) = (instance.serialized(), instance.bits());
    assert_ne!(outputs, expected);
    assert_eq!(held.len(), good.len() + 8, "the time of the host");

    let other = resources.instantiate();
    other.restore(&held);
    assert!(other.truth(HOLD_ON_FAULT) && other.truth(FAULT) && other.get("time") == 0.02);
    assert_eq!(other.serialized(), held);
    assert_eq!(other.step(0.02, 0.01), fmi2OK);
    assert_eq!(other.bits(), outputs);

    for instance in [&instance, &other] {
        instance.restore(&good);
        assert!(!instance.truth(FAULT) && instance.get("time") == time);
        assert_eq!(instance.step(0.01, H), fmi2OK);
        assert_eq!(instance.bits(), expected);
    }
    // After a reset it is a new instance.
    instance.restore(&held);
    assert_eq!(instance.reset(), fmi2OK);
    instance.initialize(0.0, None);
    assert!(!instance.truth(HOLD_ON_FAULT) && !instance.truth(FAULT));
    // A state without the mode belongs to another FMU.
    let plain = Resources::driven();
    assert!(plain.instantiate().deserialize(&held).is_err());
}

#[test]
fn derivatives_are_zero_in_a_hold() {
    let resources = Resources::driven_with_hold_mode();
    let instance = begun(&resources);
    let rate = resources.variables.iter().find(|variable| variable.name.starts_with("der(")).unwrap().name.clone();
    let derivatives = || {
        let (first, slope) = instance.slope("left.angle", 1);
        let (second, along) = instance.directional("left.acceleration", &["torque"], &[1.0]);
        assert_eq!([first, second], [fmi2OK; 2], "{}", instance.messages.text());
        [slope, along, instance.get(&rate)]
    };
    assert!(derivatives().iter().all(|value| *value != 0.0));
    assert_eq!([instance.set("torque", 1e305), instance.step(0.01, 0.01)], [fmi2OK; 2]);
    assert_eq!(derivatives(), [0.0; 3]);
    assert_eq!([instance.set("torque", f64::NAN), instance.step(0.02, 0.01)], [fmi2OK; 2]);
    assert_eq!(derivatives(), [0.0; 3]);
}

#[test]
fn neither_the_step_with_the_fault_nor_a_later_one_allocates() {
    let resources = Resources::driven_with_hold_mode();
    for bad in [1e305, f64::NAN] {
        let instance = begun(&resources);
        let [torque, angle, fault] = ["torque", "left.angle", FAULT].map(|name| resources.reference(name));
        let (mut value, mut truth) = (0.0, -1);
        let c = instance.c;
        let (count, ()) = allocations_in(|| {
            for k in 0..20 {
                // SAFETY: the arrays have one element.
                unsafe {
                    assert_eq!(fmi2SetReal(c, &torque, 1, &bad), fmi2OK);
                    assert_eq!(fmi2DoStep(c, 0.01 + f64::from(k) * H, H, fmi2True), fmi2OK);
                    assert_eq!(fmi2GetReal(c, &angle, 1, &mut value), fmi2OK);
                    assert_eq!(fmi2GetBoolean(c, &fault, 1, &mut truth), fmi2OK);
                    assert_eq!(fmi2GetRealOutputDerivatives(c, &angle, 1, &1, &mut value), fmi2OK);
                }
            }
        });
        assert_eq!((count, truth), (0, fmi2True));
        assert_eq!(told(&instance).len(), 1);
    }
}

#[test]
fn a_fault_in_the_initialization_stays_an_error() {
    let resources = Resources::driven_with_hold_mode();
    let instance = resources.instantiate();
    assert_eq!([instance.set_truth(HOLD_ON_FAULT, fmi2True), instance.set("torque", f64::NAN)], [fmi2OK; 2]);
    assert_eq!([instance.setup(0.0, None), instance.enter(), instance.exit()], [fmi2OK, fmi2OK, fmi2Error]);
}

#[test]
fn model_exchange_holds_the_states_by_derivatives_of_zero() {
    let resources = Resources::driven_with_hold_mode();
    let is_state = |variable: &&Variable| matches!(variable.binding, Binding::State(_));
    let mut states = resources.variables.iter().filter(is_state);
    let speed = states.position(|variable| variable.name.ends_with("speed.A0")).expect("a state");
    for by_states in [false, true] {
        let instance = resources.exchange();
        assert_eq!(instance.set_truth(HOLD_ON_FAULT, fmi2True), fmi2OK);
        instance.initialize(0.0, None);
        instance.integrate();
        assert!(instance.derivatives().iter().any(|value| *value != 0.0));
        let good = instance.bits();
        instance.messages.take();
        let mut x = instance.get_states();
        if by_states {
            // Too large for the loop to be closed there.
            (x[1], x[speed]) = (1e200, 1e200);
            assert_eq!(instance.set_states(&x), fmi2OK);
        } else {
            assert_eq!(instance.set("torque", f64::NAN), fmi2OK);
        }
        for k in 1..20 {
            // Forward Euler of a host with a fixed step.
            assert!(instance.derivatives().iter().all(|value| *value == 0.0));
            let time = f64::from(k) * H;
            assert_eq!([instance.set_time(time), instance.set_states(&x), instance.complete()], [fmi2OK; 3]);
            assert_eq!((instance.bits(), instance.get("time")), (good.clone(), time));
            assert!(instance.truth(FAULT));
        }
        assert_eq!(instance.set_states(&vec![f64::NAN; x.len()]), fmi2OK);
        assert_eq!(instance.get_states(), x);
        assert_eq!(told(&instance).len(), 1);
        assert_eq!(instance.set_time(f64::NAN), fmi2Error);
    }
}

#[test]
fn model_exchange_holds_when_the_integrator_itself_diverges() {
    let resources = Resources::driven_with_hold_mode();
    let instance = resources.exchange();
    assert_eq!(instance.set_truth(HOLD_ON_FAULT, fmi2True), fmi2OK);
    instance.initialize(0.0, None);
    instance.integrate();
    let (good, x) = (instance.bits(), instance.get_states());
    assert_eq!(instance.set_states(&vec![f64::INFINITY; x.len()]), fmi2OK);
    assert!(instance.truth(FAULT) && instance.get_states() == x);
    assert_eq!(instance.complete(), fmi2OK);
    assert_eq!(instance.bits(), good);
    let told = told(&instance);
    assert!(told.len() == 1 && told[0].contains("the importer set `state."), "{told:?}");
}

#[test]
fn fmi_3_holds_with_status_ok_and_logs_where_only_errors_are_on() {
    let resources = Resources::driven_with_hold_mode();
    let path = format!("{}/", resources.path().display());
    let instance = Instance3::try_new(&Request { path: &path, logging: false, ..Request::of(&resources) }).unwrap();
    let [hold, torque, fault] = [HOLD_ON_FAULT, "torque", FAULT].map(|name| resources.reference(name));
    // SAFETY: the arrays have one element.
    unsafe {
        assert_eq!(fmi3SetBoolean(instance.c, &hold, 1, &fmi3True, 1), fmi3OK);
    }
    instance.initialize();
    assert_eq!(instance.step(0.0, H).1, Step { event: false, terminate: false, early: false, time: H });
    // SAFETY: the arrays have one element.
    unsafe {
        assert_eq!(fmi3SetFloat64(instance.c, &torque, 1, &1e305, 1), fmi3OK);
    }
    for k in 1..4 {
        let (status, step) = instance.step(f64::from(k) * H, H);
        assert_eq!((status, step.terminate), (fmi3OK, false));
        assert!((step.time - f64::from(k + 1) * H).abs() < 1e-15);
        let mut truth = fmi3False;
        // SAFETY: the arrays have one element.
        assert_eq!(unsafe { fmi3GetBoolean(instance.c, &fault, 1, &mut truth, 1) }, fmi3OK);
        assert_eq!(truth, fmi3True);
    }
    let text = instance.take();
    assert!(text.lines().count() == 1 && text.starts_with("1|logStatusWarning|"), "{text}");
}
