//! Intermediate update: when the importer is called, what it reads, and that it leaves no trace.

use std::path::Path;

use super::{Instance, Update, fmi3Error, fmi3OK, fmi3Warning};
use crate::counting::allocations_in;
use crate::support::Resources;
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;
use ballesta::fmi::variables::Variability;
use ballesta::system::ScalarKind;

/// Internal step of the models, s, a power of two: sums of steps are exact, whichever way they are made.
const H: f64 = 1.0 / 1024.0;

/// A model of the gallery with that step.
fn with_exact_steps(model: &str) -> Resources {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(model).join("model.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let exact = text.replace("\nstep = 1e-3\n", &format!("\nstep = {H}\n"));
    assert_ne!(text, exact);
    Resources::with_roms_of(&exact, file.parent().unwrap())
}

/// Names, value references and lengths of all continuous outputs.
fn continuous(resources: &Resources) -> Vec<(String, u32, usize)> {
    let mut found: Vec<(String, u32, usize)> = Vec::new();
    for variable in &resources.variables {
        if !variable.binding.is_output() || variable.variability != Variability::Continuous {
            continue;
        }
        match &variable.element {
            Some(element) if element.index > 0 => found.last_mut().unwrap().2 += 1,
            _ => found.push((variable.name.clone(), variable.value_reference, 1)),
        }
    }
    found
}

/// Bits of outputs.
fn read(instance: &Instance, outputs: &[(String, u32, usize)]) -> Vec<u64> {
    let references: Vec<u32> = outputs.iter().map(|output| output.1).collect();
    let count = outputs.iter().map(|output| output.2).sum();
    instance.get(&references, count).into_iter().map(f64::to_bits).collect()
}

#[test]
fn every_internal_step_is_told_with_the_outputs_of_a_communication_point_there() {
    for model in ["driven_arm", "four_bar", "stick_slip", "slider_crank"] {
        let resources = with_exact_steps(model);
        // A figure of the run is another one with other communication points.
        let outputs: Vec<_> = continuous(&resources).into_iter().filter(|o| !o.0.contains("energy_change")).collect();
        assert!(outputs.len() > 1, "{model}");
        let watched = Instance::watched(&resources, &[]);
        let stepwise = Instance::new(&resources);
        [&watched, &stepwise].into_iter().for_each(Instance::initialize);
        let mut told: Vec<(Update, Vec<u64>)> = Vec::new();
        // Steps of ten internal ones, and of three and a half.
        for (begin, steps) in [(0.0, 10.0), (10.0, 3.5), (13.5, 10.0)] {
            let done = watched.watch_during(
                |instance, update| {
                    told.push((*update, read(instance, &outputs)));
                    false
                },
                || watched.step(begin * H, steps * H),
            );
            assert_eq!((done.0, done.1.time, done.1.early), (fmi3OK, (begin + steps) * H, false), "{model}");
        }
        let points: Vec<f64> =
            (1..=13).map(f64::from).chain([13.5]).chain((1..=10).map(|i| 13.5 + f64::from(i))).collect();
        assert_eq!(told.len(), points.len(), "{model}");
        let mut before = 0.0;
        for (point, (update, values)) in points.into_iter().zip(told) {
            let flags = Update {
                time: point * H,
                set_requested: false,
                get_allowed: true,
                step_finished: true,
                can_return_early: false,
            };
            assert_eq!(update, flags, "{model}");
            assert_eq!(stepwise.step(before * H, (point - before) * H).0, fmi3OK, "{model}");
            assert_eq!(values, read(&stepwise, &outputs), "{model} at step {point}");
            before = point;
        }
    }
}

#[test]
fn what_the_callback_reads_leaves_no_trace() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/four_bar/model.toml");
    let text = std::fs::read_to_string(file).unwrap()
        + "[[output]]\nname = \"drift\"\nquantity = \"energy_change\"\n[[output]]\nname = \"counted\"\nquantity = \
            \"near_singular_steps\"\n";
    let resources = Resources::from_text(&text);
    let outputs = continuous(&resources);
    assert!(outputs.iter().any(|output| output.0 == "drift"));
    let integers: Vec<u32> =
        resources.variables.iter().filter(|v| v.kind == ScalarKind::Integer).map(|v| v.value_reference).collect();
    let run = |instance: &Instance, every: usize| {
        instance.initialize();
        let (mut rows, mut calls) = (Vec::new(), 0);
        for i in 0..300 {
            let done = instance.watch_during(
                |instance, _| {
                    calls += 1;
                    if every > 0 && calls % every == 0 {
                        let speed = read(instance, &outputs[..1]);
                        assert_eq!(speed, read(instance, &outputs)[..1]);
                        let mut slope = f64::NAN;
                        let count = outputs[0].2;
                        assert_eq!(count, 1);
                        // SAFETY: the arrays are as long as said.
                        let status =
                            unsafe { fmi3GetOutputDerivatives(instance.c, &outputs[0].1, 1, &1, &mut slope, 1) };
                        assert!(status == fmi3OK && slope.is_finite());
                    }
                    false
                },
                || instance.step(f64::from(i) * 0.01, 0.01),
            );
            assert_eq!(done.0, fmi3OK);
            let mut counts = vec![0; integers.len()];
            // SAFETY: the arrays are as long as said.
            let status = unsafe {
                fmi3GetInt32(instance.c, integers.as_ptr(), integers.len(), counts.as_mut_ptr(), integers.len())
            };
            assert_eq!(status, fmi3OK);
            rows.push((read(instance, &outputs), counts));
        }
        (rows, calls)
    };
    let (expected, none) = run(&Instance::new(&resources), 1);
    assert_eq!(none, 0, "no callback was given");
    for every in [0, 1, 7] {
        let (rows, calls) = run(&Instance::watched(&resources, &[]), every);
        assert_eq!(calls, 3000);
        assert!(rows == expected, "read at every {every}th");
    }
}

#[test]
fn of_the_continuous_outputs_those_that_were_named_can_be_read() {
    let resources = Resources::driven();
    let [speed, acceleration, torque, load, whole] =
        ["left.speed", "left.acceleration", "torque", "load", "repartitions"].map(|name| resources.reference(name));
    let time = resources.reference("time");
    for (required, refused) in [
        (vec![speed], vec![acceleration, torque, load, time]),
        (vec![acceleration, speed], vec![torque, load, time]),
        (vec![], vec![torque, load, time]),
    ] {
        let instance = Instance::watched(&resources, &required);
        instance.initialize();
        let mut readable = if required.is_empty() { vec![speed, acceleration] } else { required.clone() };
        readable.sort();
        let (status, _) = instance.step_watched(0.002, |instance, _| {
            for &reference in &readable {
                assert_eq!(instance.try_get(&[reference], 1).0, fmi3OK, "{}", instance.take());
            }
            for &reference in &refused {
                instance.take();
                assert_eq!(instance.try_get(&[speed, reference], 2).0, fmi3Error);
                assert!(instance.take().contains("cannot be read within a step"));
                let mut slope = 0.0;
                // SAFETY: the arrays are as long as said.
                let derivative = unsafe { fmi3GetOutputDerivatives(instance.c, &reference, 1, &1, &mut slope, 1) };
                assert_eq!(derivative, fmi3Error);
            }
            let mut count = 0;
            // SAFETY: the arrays are as long as said.
            assert_eq!(unsafe { fmi3GetInt32(instance.c, &whole, 1, &mut count, 1) }, fmi3Error);
            false
        });
        assert_eq!(status, fmi3OK, "{}", instance.take());
        // Between steps everything can be read.
        assert_eq!(instance.try_get(&[torque, acceleration, time], 3).0, fmi3OK);
    }
}

#[test]
fn an_early_return_that_is_asked_for_is_a_warning_and_not_made() {
    let resources = Resources::driven();
    let instance = Instance::watched(&resources, &[]);
    let plain = Instance::new(&resources);
    [&instance, &plain].into_iter().for_each(Instance::initialize);
    let mut calls = 0;
    instance.take();
    let (status, step) = instance.step_watched(0.01, |_, _| {
        calls += 1;
        calls == 3
    });
    assert_eq!((status, step.time, step.early, calls), (fmi3Warning, 0.01, false, 10));
    let log = instance.take();
    assert!(log.starts_with("1|logStatusWarning|fmi3DoStep: ") && log.contains("early return"), "{log}");
    assert_eq!(plain.step(0.0, 0.01).0, fmi3OK);
    let outputs = continuous(&resources);
    assert_eq!(read(&instance, &outputs), read(&plain, &outputs));
    assert_eq!(instance.step(0.01, 0.01).0, fmi3OK);
}

#[test]
fn a_fault_within_a_step_ends_the_updates_and_leaves_what_it_leaves_without_them() {
    let resources = Resources::driven();
    let (watched, plain) = (Instance::watched(&resources, &[]), Instance::new(&resources));
    let outputs = continuous(&resources);
    for instance in [&watched, &plain] {
        instance.initialize();
        assert_eq!(instance.set(resources.reference("torque"), 1e305), fmi3OK);
    }
    let mut times = Vec::new();
    let (status, step) = watched.step_watched(0.01, |instance, update| {
        times.push(update.time);
        let references: Vec<u32> = outputs.iter().map(|output| output.1).collect();
        let (status, _) = instance.try_get(&references, outputs.iter().map(|output| output.2).sum());
        assert!(status == fmi3OK || instance.take().contains("logStatusError"));
        false
    });
    assert_eq!(status, fmi3Error);
    assert_eq!((status, step), plain.step(0.0, 0.01));
    assert!(times.len() < 10 && times.iter().all(|time| *time < 0.01));
    assert_eq!(read(&watched, &outputs), read(&plain, &outputs));
}

#[test]
fn reset_and_stored_states_keep_the_callback() {
    let resources = Resources::driven();
    let instance = Instance::watched(&resources, &[]);
    instance.initialize();
    let stored = instance.get_state();
    let count = |instance: &Instance| {
        let mut calls = 0;
        let (status, _) = instance.step_watched(0.005, |_, _| {
            calls += 1;
            false
        });
        assert_eq!(status, fmi3OK, "{}", instance.take());
        calls
    };
    assert_eq!(count(&instance), 5);
    // SAFETY: the state was made by this instance.
    assert_eq!(unsafe { fmi3SetFMUState(instance.c, stored) }, fmi3OK);
    instance.free_state(stored);
    assert_eq!(count(&instance), 5);
    assert_eq!(instance.reset(), fmi3OK);
    instance.initialize();
    assert_eq!(count(&instance), 5);
}

#[test]
fn steps_with_updates_that_are_read_do_not_allocate() {
    let resources = Resources::driven();
    let instance = Instance::watched(&resources, &[]);
    instance.initialize();
    let references = ["left.speed", "left.acceleration"].map(|name| resources.reference(name));
    let mut calls = 0;
    let count = instance.watch_during(
        |instance, _| {
            calls += 1;
            let (mut values, mut slopes) = ([f64::NAN; 2], [f64::NAN; 2]);
            // SAFETY: the arrays are as long as said.
            let statuses = unsafe {
                [
                    fmi3GetFloat64(instance.c, references.as_ptr(), 2, values.as_mut_ptr(), 2),
                    fmi3GetOutputDerivatives(
                        instance.c,
                        references.as_ptr(),
                        2,
                        [1, 1].as_ptr(),
                        slopes.as_mut_ptr(),
                        2,
                    ),
                ]
            };
            statuses != [fmi3OK; 2]
        },
        || {
            let (mut event, mut terminate, mut early, mut time) = (0, 0, 0, 0.0);
            let (count, ()) = allocations_in(|| {
                for i in 0..200 {
                    let now = f64::from(i) * 0.0045;
                    // SAFETY: the results live during the call.
                    let done = unsafe {
                        fmi3DoStep(
                            instance.c,
                            now,
                            0.0045,
                            fmi3False,
                            &mut event,
                            &mut terminate,
                            &mut early,
                            &mut time,
                        )
                    };
                    assert_eq!(done, fmi3OK);
                }
            });
            count
        },
    );
    assert_eq!((count, calls), (0, 1000));
}
