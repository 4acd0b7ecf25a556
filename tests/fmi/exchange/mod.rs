//! Model Exchange through the C functions: what states and derivatives mean, faults, stored states; and for every model
//! of the gallery that nothing allocates and scratch memory does not matter.

mod call_order;
mod derivatives;

use crate::models;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{H, Instance, Resources, fmi2Discard, fmi2Error, fmi2OK, fmi2Warning};
use ballesta::fmi::exports::*;
use ballesta::fmi::variables::Binding;
use ballesta::simulate::Simulator;
use ballesta::simulate::continuous::Completed;
use ballesta::system::System;

/// An instance in continuous-time mode at t = 0.
fn integrated(resources: &Resources) -> Instance<'_> {
    let instance = resources.exchange();
    instance.initialize(0.0, None);
    instance.integrate();
    instance
}

/// Number of the state with this name, `state.` left out.
fn state(resources: &Resources, name: &str) -> usize {
    let variable = &resources.variables[resources.reference(&format!("state.{name}")) as usize];
    let Binding::State(index) = variable.binding else { panic!("{name} is no state") };
    index
}

fn moved(x: &[f64], change: &[f64], factor: f64) -> Vec<f64> {
    x.iter().zip(change).map(|(x, change)| x + factor * change).collect()
}

/// A step of the classic Runge-Kutta scheme, as an importer makes it.
fn runge_kutta(instance: &Instance, t: f64, h: f64) {
    let rates = |x: &[f64], t: f64| {
        assert_eq!([instance.set_time(t), instance.set_states(x)], [fmi2OK; 2], "{}", instance.messages.text());
        instance.derivatives()
    };
    let x = instance.get_states();
    let k1 = rates(&x, t);
    let k2 = rates(&moved(&x, &k1, 0.5 * h), t + 0.5 * h);
    let k3 = rates(&moved(&x, &k2, 0.5 * h), t + 0.5 * h);
    let k4 = rates(&moved(&x, &k3, h), t + h);
    let mut end = x;
    for (rates, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
        end = moved(&end, &rates, weight * h / 6.0);
    }
    assert_eq!([instance.set_time(t + h), instance.set_states(&end)], [fmi2OK; 2]);
    assert_eq!(instance.complete(), fmi2OK, "{}", instance.messages.text());
}

#[test]
fn a_scheme_outside_of_the_solver_gives_the_motion_of_the_one_inside() {
    let resources = Resources::driven();
    let (inside, outside) = (resources.initialized(), integrated(&resources));
    for instance in [&inside, &outside] {
        assert_eq!(instance.set("torque", 0.75), fmi2OK);
    }
    // Half a second, with the input changed in between.
    for i in 0..500 {
        let t = f64::from(i) * H;
        if i == 250 {
            [&inside, &outside].iter().for_each(|instance| assert_eq!(instance.set("torque", -0.5), fmi2OK));
        }
        inside.steps(t, H, 1);
        runge_kutta(&outside, t, H);
    }
    // Both are the same scheme on the same equations, but for how the ends of steps are closed: of the order of its
    // error.
    for name in ["left.angle", "left.speed", "left.acceleration", "B1.x", "B1.y", "energy.kinetic"] {
        let (one, other) = (inside.get(name), outside.get(name));
        assert!((one - other).abs() <= 1e-10 * one.abs().max(1.0), "{name}: {one} and {other}");
    }
    assert!(outside.get("gap") < 1e-13 && outside.get("velocity_gap") < 1e-12);
    assert!((inside.get("left.angle") - resources.initialized().get("left.angle")).abs() > 0.1, "it has moved");
}

#[test]
fn what_dependent_states_drift_by_reaches_no_other_derivative_and_is_taken_back() {
    let resources = Resources::driven();
    let instance = integrated(&resources);
    for i in 0..100 {
        runge_kutta(&instance, f64::from(i) * H, H);
    }
    let (x, on) = (instance.get_states(), instance.derivatives());
    let outputs = instance.bits();
    let names = ["A0", "A1", "B0"];
    let independent: Vec<bool> = names
        .iter()
        .map(|name| {
            let mut drifted = x.clone();
            drifted[state(&resources, &format!("position.{name}"))] += 1e-5;
            drifted[state(&resources, &format!("speed.{name}"))] -= 2e-5;
            assert_eq!(instance.set_states(&drifted), fmi2OK);
            assert_eq!(instance.get_states(), drifted, "states are returned as they were set");
            let off = instance.derivatives();
            assert!(instance.get("gap") < 1e-13, "outputs are those of closed loops");
            let change = |k: usize| off[k] - on[k];
            if (0..names.len())
                .any(|k| names[k] != *name && change(state(&resources, &format!("speed.{}", names[k]))).abs() > 1e-7)
            {
                return true;
            }
            // Taken back by a part of 0.02 per step of 1 ms.
            let place = state(&resources, &format!("position.{name}"));
            assert!((change(place) + 20.0 * 1e-5).abs() < 1e-8, "{name}: {}", change(place));
            let place = state(&resources, &format!("speed.{name}"));
            assert!((change(place) - 20.0 * 2e-5).abs() < 1e-8, "{name}: {}", change(place));
            assert!(instance.bits().iter().zip(&outputs).all(|(a, b)| {
                (f64::from_bits(*a) - f64::from_bits(*b)).abs() <= 1e-9 * f64::from_bits(*b).abs().max(1.0)
            }));
            false
        })
        .collect();
    assert_eq!(
        independent.iter().filter(|&&one| one).count(),
        1,
        "{independent:?}: a four-bar has one degree of freedom"
    );
}

#[test]
fn quaternions_are_states_that_may_drift_from_their_length() {
    let text = "
[model]
name = 'top'
gravity = [0, 0, -9.81]
[[body]]
name = 'top'
mass = 1
com = [0, 0, 0.1]
inertia = [0.01, 0.01, 0.002, 0, 0, 0]
[[joint]]
name = 'tip'
type = 'spherical'
bodies = ['ground', 'top']
point = [0, 0, 0]
speed = [0.3, 0, 40]
[[output]]
name = 'angles'
body = 'top'
quantity = 'angles'
";
    let resources = Resources::from_text(text);
    let instance = integrated(&resources);
    for i in 0..20 {
        runge_kutta(&instance, f64::from(i) * H, H);
    }
    let (x, on) = (instance.get_states(), instance.derivatives());
    let mut longer = x.clone();
    let parts = ["w", "x", "y", "z"].map(|part| state(&resources, &format!("position.tip.{part}")));
    parts.iter().for_each(|&k| longer[k] *= 1.0 + 1e-4);
    assert_eq!(instance.set_states(&longer), fmi2OK);
    for (k, (off, on)) in instance.derivatives().iter().zip(&on).enumerate() {
        let back = if parts.contains(&k) { -20.0 * 1e-4 * x[k] } else { 0.0 };
        assert!((off - on - back).abs() < 1e-9, "{k}: {off} {on}");
    }
    // At 40 rad/s it turns by 4 rad in 0.1 s: whether the yaw went one way or the other cannot be told.
    assert_eq!(instance.set_time(0.12), fmi2OK);
    assert_eq!(instance.complete(), fmi2Error);
    assert!(instance.messages.take().contains("too far to count the revolutions"), "refused with its reason");
}

#[test]
fn what_cannot_be_evaluated_is_discarded_and_the_integrator_goes_on_from_elsewhere() {
    let resources = Resources::driven();
    let instance = integrated(&resources);
    let x = instance.get_states();
    let on = instance.derivatives();
    let mut wrong = x.clone();
    wrong[1] = f64::NAN;
    instance.messages.take();
    assert_eq!(instance.set_states(&wrong), fmi2Discard);
    assert!(instance.messages.take().contains("'state.position."), "the state is named");
    assert_eq!(instance.get_states(), x, "nothing has changed");
    wrong[1] = 1e200;
    wrong[state(&resources, "speed.A0")] = 1e200;
    assert_eq!(instance.set_states(&wrong), fmi2OK);
    assert_eq!(instance.try_derivatives().0, fmi2Discard);
    assert_eq!(instance.try_get("left.acceleration"), fmi2Discard);
    assert_eq!(instance.set_states(&x), fmi2OK);
    assert_eq!(instance.derivatives(), on, "as before");
    // Requests that are wrong whatever the motion is.
    let error = |call: &dyn Fn(&Instance) -> ballesta::fmi::types::fmi2Status| {
        let instance = integrated(&resources);
        assert_eq!(call(&instance), fmi2Error);
    };
    error(&|instance| instance.set_states(&x[1..]));
    error(&|instance| instance.set_time(f64::INFINITY));
    error(&|instance| instance.set("damping", 0.2));
    error(&|instance| instance.set("state.position.A0", 0.2));
    error(&|instance| instance.set("time", 0.2));
    error(&|instance| instance.directional("left.speed", &["damping"], &[1.0]).0);
    error(&|instance| {
        assert_eq!(instance.set("torque", f64::NAN), fmi2OK, "as in Co-Simulation: hosts send such things");
        instance.try_derivatives().0
    });
    // SAFETY: the instance is alive, and the array has the length that is said.
    error(&|instance| unsafe { fmi2GetEventIndicators(instance.c, [0.0].as_mut_ptr(), 1) });
}

#[test]
fn inputs_and_parameters_act_at_once() {
    let resources = Resources::driven();
    let instance = integrated(&resources);
    let at = |instance: &Instance| (instance.derivatives(), instance.get("left.acceleration"));
    let before = at(&instance);
    assert_eq!(instance.set("torque", 3.0), fmi2OK);
    let driven = at(&instance);
    assert!((driven.1 - before.1).abs() > 1.0 && driven.0 != before.0, "{driven:?} {before:?}");
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { fmi2EnterEventMode(instance.c) }, fmi2OK);
    assert_eq!(instance.set("damping", 50.0), fmi2OK);
    assert_eq!(instance.set("load", 0.5), fmi2Warning, "a fixed parameter, to the value that it has");
    instance.integrate();
    let damped = at(&instance);
    assert!((damped.1 - driven.1).abs() > 1.0);
    let index = state(&resources, "speed.A0");
    assert_eq!(damped.0[index], instance.get("der(state.speed.A0)"));
    assert!((damped.0[index] - damped.1).abs() < 1e-12 * damped.1.abs(), "on closed positions it is the acceleration");
    // An input that was set at a later time, as by an integrator that goes back, stays in force and can be stored.
    assert_eq!([instance.set_time(0.5), instance.set("torque", 1.0), instance.set_time(0.25)], [fmi2OK; 3]);
    let bytes = instance.serialized();
    instance.restore(&bytes);
}

#[test]
fn stored_states_continue_bit_for_bit_and_only_in_their_kind() {
    let resources = Resources::driven();
    let instance = integrated(&resources);
    for i in 0..40 {
        runge_kutta(&instance, f64::from(i) * H, H);
    }
    let (bytes, object) = (instance.serialized(), instance.get_state());
    let go_on = |instance: &Instance| {
        for i in 40..60 {
            runge_kutta(instance, f64::from(i) * H, H);
        }
        let x = instance.get_states().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        (x, instance.bits())
    };
    let expected = go_on(&instance);
    assert_eq!(instance.set_state(object), fmi2OK);
    assert_eq!(go_on(&instance), expected);
    let other = resources.exchange();
    other.restore(&bytes);
    assert_eq!(go_on(&other), expected);
    instance.free_state(object);
    // Into the other kind, both ways.
    let stepped = resources.initialized();
    let theirs = stepped.serialized();
    for (instance, bytes) in [(&stepped, &bytes), (&other, &theirs)] {
        instance.messages.take();
        assert_eq!(instance.deserialize(bytes), Err(fmi2Error));
        let log = instance.messages.take();
        assert!(log.contains("the state is for") && log.contains("this instance is for"), "{log}");
    }
    let object = stepped.get_state();
    assert_eq!(integrated(&resources).set_state(object), fmi2Error);
    let fresh = resources.initialized();
    fresh.free_state(object);
}

#[test]
fn states_and_derivatives_are_variables_of_co_simulation_too() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    assert_eq!(instance.set("torque", 0.75), fmi2OK);
    instance.steps(0.0, H, 20);
    let bits = instance.bits();
    assert_eq!(instance.get("state.position.A0").to_bits(), instance.get("left.angle").to_bits());
    assert_eq!(instance.get("time"), 20.0 * H);
    let [rate, change] = ["der(state.position.A0)", "der(state.speed.A0)"].map(|name| instance.get(name));
    assert!(
        (rate - instance.get("left.speed")).abs() < 1e-12 && (change - instance.get("left.acceleration")).abs() < 1e-9
    );
    assert_eq!(instance.bits(), bits, "reading a derivative changes no output");
    assert_eq!(instance.set("torque", 5.0), fmi2OK);
    assert!((instance.get("der(state.speed.A0)") - change).abs() > 0.1, "it is that with the inputs that are set");
    assert_eq!(instance.bits(), bits, "outputs are those of the last step");
    // Nor does it change the motion.
    let other = resources.initialized();
    assert_eq!(other.set("torque", 0.75), fmi2OK);
    other.steps(0.0, H, 20);
    assert_eq!(other.set("torque", 5.0), fmi2OK);
    for one in [&instance, &other] {
        (20..40).for_each(|i| one.steps(f64::from(i) * H, H, 1));
    }
    assert_eq!(instance.bits(), other.bits());
}

#[test]
fn guided_motions_follow_the_time_forth_and_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/guided_five_bar");
    let text = std::fs::read_to_string(folder.join("model.toml")).unwrap();
    let resources = Resources::from_text(&text);
    let instance = integrated(&resources);
    let at = |time: f64| {
        assert_eq!(instance.set_time(time), fmi2OK);
        let derivatives = instance.derivatives();
        assert!(instance.get("gap") < 1e-12 && instance.get("time") == time);
        (derivatives, instance.bits())
    };
    // The outputs of the initialization are those of an assembly, which may differ by a rounding.
    let (later, start) = (at(0.05), at(0.0));
    assert!(start.0 != later.0 && start.1 != later.1, "the guide has moved on, though no state was set");
    assert_eq!((at(0.05), at(0.0)), (later.clone(), start));
    // A state that was stored after going back is one that can be read.
    instance.restore(&instance.serialized());
    assert_eq!(at(0.05), later);
}

/// The models of the gallery.
fn gallery() -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let entries = std::fs::read_dir(models).expect("the gallery");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable folder").path()).collect();
    folders.retain(|folder| folder.join("model.toml").is_file());
    folders.sort();
    folders
}

#[test]
fn a_model_that_is_not_one_of_continuous_states_is_refused_with_the_reason() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/stiff_bar");
    let text = std::fs::read_to_string(folder.join("model.toml")).unwrap();
    let resources = Resources::with_roms_of(&text, &folder);
    let log = resources.try_exchange().err().expect("refused");
    assert!(log.contains("not for Model Exchange: modes of `bar` above `model.resolution`"), "{log}");
    resources.initialized();
}

/// A simulator that has been integrated by explicit Euler steps a thousand times as short as its own, with the largest
/// allocations of a call.
fn exercise(system: &Arc<System>, poisoned: bool) -> (u64, Vec<u64>) {
    let mut simulator = Simulator::new(system.clone());
    simulator.initialize(system.initial().time).unwrap_or_else(|fault| panic!("{}", system.describe(&fault)));
    let interface = system.interface();
    let (mut x, mut rates) = (vec![0.0; interface.states.len()], vec![0.0; interface.states.len()]);
    let mut outputs = vec![0.0; interface.outputs.len()];
    simulator.continuous_states(&mut x);
    let (h, mut most, mut bits) = (1e-3 * system.step(), 0, Vec::new());
    for i in 0..40 {
        if poisoned {
            simulator.poison_workspace();
        }
        let (count, done) = crate::counting::allocations_in(|| {
            simulator.derivatives(&mut rates)?;
            x.iter_mut().zip(&rates).for_each(|(x, rate)| *x += h * rate);
            simulator.set_time(simulator.time() + h);
            assert_eq!(simulator.set_continuous_states(&x), Ok(()));
            if i % 3 == 0 {
                assert_eq!(simulator.complete_step(h, &mut outputs)?, Completed::Done);
            }
            simulator.continuous_outputs(&mut outputs)
        });
        done.unwrap_or_else(|fault| panic!("{}: {}", system.name(), system.describe(&fault)));
        most = most.max(count);
        bits.extend(rates.iter().chain(&outputs).map(|value| value.to_bits()));
    }
    assert!(simulator.judgement().gap() <= 1e-9, "{}: {}", system.name(), simulator.judgement().gap());
    (most, bits)
}

#[test]
fn no_model_allocates_or_depends_on_scratch_memory() {
    for folder in gallery() {
        let document = models::load(&folder);
        let system = models::compiled(&document);
        if system.interface().not_continuous.is_some() {
            continue;
        }
        let system = Arc::new(system);
        let (count, bits) = exercise(&system, false);
        assert_eq!(count, 0, "{}", system.name());
        assert!(exercise(&system, true).1 == bits, "{}: scratch memory decides the result", system.name());
    }
}

#[test]
fn whatever_states_an_integrator_tries_are_evaluated_or_discarded_and_leave_no_trace() {
    let mut random = 1u64;
    let mut number = move || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut evaluated, mut discarded) = (0, 0);
    for folder in gallery() {
        let document = models::load(&folder);
        let system = models::compiled(&document);
        if system.interface().not_continuous.is_some() {
            continue;
        }
        let mut simulator = Simulator::new(Arc::new(system));
        let start = simulator.system().initial().time;
        simulator.initialize(start).expect("the gallery starts");
        let system = simulator.system().clone();
        let states = system.interface().states.len();
        let (mut x, mut first, mut rates) = (vec![0.0; states], vec![0.0; states], vec![0.0; states]);
        let mut outputs = vec![0.0; system.interface().outputs.len()];
        simulator.continuous_states(&mut x);
        simulator.derivatives(&mut first).expect("the start is good");
        for size in [1e-3, 1.0, 1e3, 1e9, 1e100, 1e300] {
            let tried: Vec<f64> = x.iter().map(|x| x + size * (2.0 * number() - 1.0)).collect();
            assert_eq!(simulator.set_continuous_states(&tried), Ok(()));
            match simulator.derivatives(&mut rates) {
                Ok(()) => {
                    assert!(rates.iter().all(|rate| rate.is_finite()), "{} at {size:e}", system.name());
                    evaluated += 1;
                }
                Err(_) => discarded += 1,
            }
            if simulator.continuous_outputs(&mut outputs).is_ok() {
                assert!(outputs.iter().all(|output| output.is_finite()), "{} at {size:e}", system.name());
            }
            assert_eq!(simulator.set_continuous_states(&x), Ok(()));
            simulator.derivatives(&mut rates).expect("as before");
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&rates), bits(&first), "{} after {size:e}", system.name());
        }
    }
    assert!(evaluated > 50 && discarded > 50, "{evaluated} evaluated, {discarded} discarded");
}
