//! Rules of FMI 3.0 beside the call order, and that both versions compute the same.

use std::ffi::CStr;
use std::path::Path;
use std::ptr::{null, null_mut};

use super::{Instance, Request, Step, fmi3Discard, fmi3Error, fmi3OK, fmi3Warning};
use crate::counting::allocations_in;
use crate::support::{Resources, fmi2OK};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;

/// The gallery's arm: inputs, parameters of both kinds, outputs of all types, and vectors, whose value reference is
/// that of their first element.
fn arm() -> Resources {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/driven_arm/model.toml");
    Resources::from_text(&std::fs::read_to_string(file).unwrap())
}

#[test]
fn the_version_is_said() {
    // SAFETY: a static string.
    assert_eq!(unsafe { CStr::from_ptr(fmi3GetVersion()) }, c"3.0");
}

#[test]
fn what_cannot_be_instantiated_says_why() {
    let resources = Resources::driven();
    let path = format!("{}/", resources.path().display());
    let good = || Request { name: "a", path: &path, logging: false, ..Request::of(&resources) };
    let unknown = [resources.variables.len() as u32];
    let [input, whole] = ["torque", "repartitions"].map(|name| [resources.reference(name)]);
    assert!(Instance::try_new(&good()).is_ok());
    for (request, word) in [
        (Request { name: " ", ..good() }, "instanceName"),
        (Request { token: "{1}", ..good() }, "GUID {1}"),
        (Request { path: "/nowhere/", ..good() }, "/nowhere/"),
        (Request { event_mode: true, ..good() }, "hasEventMode"),
        (Request { required: &unknown, ..good() }, "does not exist"),
        (Request { required: &input, watched: true, ..good() }, "names 'torque'"),
        (Request { required: &whole, watched: true, ..good() }, "names 'repartitions'"),
    ] {
        // Errors are logged with logging switched off as well.
        let log = Instance::try_new(&request).err().expect(word);
        let said = "3|logStatusError|fmi3InstantiateCoSimulation: ";
        assert!(log.starts_with(said) && log.contains(word) && !log.contains("fmi2"), "{word}: {log}");
    }
}

#[test]
fn other_kinds_of_fmu_are_not_offered() {
    let nothing = null();
    // SAFETY: NULL is allowed everywhere.
    unsafe {
        assert!(fmi3InstantiateModelExchange(c"a".as_ptr(), nothing, nothing, 0, 1, null_mut(), None).is_null());
        let (update, lock, unlock) = (None, None, None);
        assert!(
            fmi3InstantiateScheduledExecution(
                c"a".as_ptr(),
                nothing,
                nothing,
                0,
                1,
                null_mut(),
                None,
                update,
                lock,
                unlock
            )
            .is_null()
        );
    }
}

#[test]
fn both_versions_give_the_same_bits() {
    let resources = arm();
    let (old, new) = (resources.initialized(), Instance::initialized(&resources));
    let torque = resources.reference("elbow.torque");
    let vector = resources.reference("tool.velocity.x");
    let mut moved = 0;
    for i in 0..50 {
        let (time, value) = (f64::from(i) * 0.01, -8.0 + 0.1 * f64::from(i));
        assert_eq!((old.set("elbow.torque", value), new.set(torque, value)), (fmi2OK, fmi3OK));
        assert_eq!(old.step(time, 0.01), fmi2OK);
        let (status, step) = new.step(time, 0.01);
        assert_eq!((status, step), (fmi3OK, Step { event: false, terminate: false, early: false, time: time + 0.01 }));
        let (speed, time) = (resources.reference("elbow.speed"), resources.reference("time"));
        let names = ["elbow.speed", "tool.velocity.x", "tool.velocity.y", "tool.velocity.z"];
        let expected: Vec<u64> = names.iter().map(|name| old.get(name).to_bits()).collect();
        let values = new.get(&[speed, vector, time], 5);
        assert_eq!(values[..4].iter().map(|value| value.to_bits()).collect::<Vec<_>>(), expected);
        assert_eq!(values[4], old.last_successful_time());
        moved += usize::from(values[1] != 0.0);
    }
    assert!(moved > 40);
}

#[test]
fn a_serialized_state_goes_from_one_version_to_the_other() {
    let resources = arm();
    let old = resources.initialized();
    for i in 0..10 {
        assert_eq!(old.step(f64::from(i) * 0.01, 0.01), fmi2OK);
    }
    let bytes = old.serialized();
    let new = Instance::new(&resources);
    let mut state = null_mut();
    // SAFETY: the array is as long as said.
    unsafe {
        assert_eq!(fmi3DeserializeFMUState(new.c, bytes.as_ptr(), bytes.len(), &mut state), fmi3OK);
        assert_eq!(fmi3SetFMUState(new.c, state), fmi3OK);
    }
    new.free_state(state);
    let time = old.last_successful_time();
    assert_eq!((old.step(time, 0.01), new.step(time, 0.01).0), (fmi2OK, fmi3OK));
    let speed = resources.reference("elbow.speed");
    assert_eq!(new.get(&[speed], 1)[0].to_bits(), old.get("elbow.speed").to_bits());
}

#[test]
fn a_fault_is_an_error_that_says_how_far_the_step_came() {
    let resources = Resources::driven();
    let instance = Instance::initialized(&resources);
    let stored = instance.get_state();
    let before = instance.get(&[resources.reference("left.speed")], 1);
    assert_eq!(instance.set(resources.reference("torque"), 1e305), fmi3OK);
    let (status, step) = instance.step(0.0, 0.01);
    assert_eq!(status, fmi3Error);
    assert!(step.terminate && !step.early && !step.event && (0.0..0.01).contains(&step.time), "{step:?}");
    assert!(instance.take().contains("fmi3DoStep: "));
    assert!(instance.get(&[resources.reference("left.speed")], 1)[0].is_finite());
    // SAFETY: the state was made by this instance.
    assert_eq!(unsafe { fmi3SetFMUState(instance.c, stored) }, fmi3OK);
    instance.free_state(stored);
    assert_eq!(instance.get(&[resources.reference("left.speed")], 1), before);
    let (status, step) = instance.step(0.0, 0.01);
    assert_eq!((status, step.terminate, step.time), (fmi3OK, false, 0.01), "{}", instance.take());
}

#[test]
fn a_step_past_the_stop_time_is_an_error() {
    let resources = Resources::driven();
    let instance = Instance::new(&resources);
    assert_eq!([instance.enter(Some(0.02)), instance.exit()], [fmi3OK; 2]);
    assert_eq!(instance.step(0.0, 0.02).0, fmi3OK);
    assert_eq!(instance.step(0.02, 0.01).0, fmi3Error);
    assert!(instance.take().contains("stop time"));
}

#[test]
fn start_values_can_be_read_before_the_initialization_and_outputs_not() {
    let resources = arm();
    let instance = Instance::new(&resources);
    let [mass, torque, vector] =
        ["payload.mass", "elbow.torque", "tool.velocity.x"].map(|name| resources.reference(name));
    assert_eq!(instance.get(&[mass, torque], 2), [1.5, -8.0]);
    let time = resources.reference("time");
    for (reference, count) in [(vector, 3), (time, 1)] {
        assert_eq!(instance.try_get(&[reference], count).0, fmi3Discard);
        assert!(instance.take().contains("no value before initialization"));
    }
    // Nothing has changed: the instance goes on.
    assert_eq!(instance.set(mass, 2.0), fmi3OK);
    instance.initialize();
    assert_eq!(instance.get(&[mass, vector, time], 5).len(), 5);
}

#[test]
fn counts_types_and_references_must_fit() {
    let resources = arm();
    let [torque, vector, whole] =
        ["elbow.torque", "tool.velocity.x", "repartitions"].map(|name| resources.reference(name));
    let time = resources.reference("time");
    let cases: [(&[u32], usize, &str); 6] = [
        (&[vector], 1, "values has 1 elements, but the variables have 3"),
        (&[vector, torque], 5, "have 4"),
        (&[vector + 1], 1, "does not exist"),
        (&[resources.variables.len() as u32], 1, "does not exist"),
        (&[whole], 1, "is Int32, not Float64"),
        (&[u32::MAX], 1, "does not exist"),
    ];
    for (references, count, word) in cases {
        let instance = Instance::initialized(&resources);
        assert_eq!(instance.try_get(references, count).0, fmi3Error, "{word}");
        let log = instance.take();
        assert!(log.contains(word), "{word}: {log}");
    }
    for (reference, word) in [(time, "independent"), (resources.reference("elbow.speed"), "causality is output")] {
        let instance = Instance::initialized(&resources);
        assert_eq!(instance.set(reference, 1.0), fmi3Error);
        let log = instance.take();
        assert!(log.contains(word), "{word}: {log}");
    }
    let instance = Instance::initialized(&resources);
    let mut value = 0i64;
    // SAFETY: the arrays are as long as said.
    assert_eq!(unsafe { fmi3GetInt64(instance.c, &whole, 1, &mut value, 1) }, fmi3Error);
    assert!(instance.take().contains("no Int64 variables"));
}

#[test]
fn adjoint_derivatives_are_the_transpose_of_directional_ones() {
    let resources = arm();
    let [torque, force, acceleration, vector] =
        ["elbow.torque", "tool.force.z", "elbow.acceleration", "tool.acceleration.x"]
            .map(|name| resources.reference(name));
    let (unknowns, knowns) = ([acceleration, vector], [torque, force]);
    let instance = Instance::new(&resources);
    assert_eq!(instance.enter(None), fmi3OK);
    for between_steps in [false, true] {
        if between_steps {
            assert_eq!(instance.exit(), fmi3OK);
            assert_eq!(instance.step(0.0, 0.1).0, fmi3OK);
        }
        let columns = [[1.0, 0.0], [0.0, 1.0]].map(|seed| {
            let (status, column) = instance.directional(&unknowns, &knowns, &seed, 4);
            assert_eq!(status, fmi3OK, "{}", instance.take());
            column
        });
        assert!(columns.iter().all(|column| column[0] != 0.0), "{columns:?}");
        let seed = [0.5, -1.0, 2.0, 0.25];
        let (status, sums) = instance.adjoint(&unknowns, &knowns, &seed, 2);
        assert_eq!(status, fmi3OK, "{}", instance.take());
        for (column, sum) in columns.iter().zip(sums) {
            let expected: f64 = column.iter().zip(seed).map(|(entry, seed)| entry * seed).sum();
            assert!((sum - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{sum} and {expected}");
        }
    }
    let time = resources.reference("time");
    assert_eq!(instance.directional(&[acceleration], &[time], &[1.0], 1).0, fmi3Error);
}

#[test]
fn output_derivatives_are_those_of_fmi_2() {
    let resources = arm();
    let (old, new) = (resources.initialized(), Instance::initialized(&resources));
    assert_eq!((old.step(0.0, 0.1), new.step(0.0, 0.1).0), (fmi2OK, fmi3OK));
    let mut values = [0.0; 3];
    let vector = resources.reference("tool.x");
    // SAFETY: the arrays are as long as said.
    let status = unsafe { fmi3GetOutputDerivatives(new.c, &vector, 1, &1, values.as_mut_ptr(), 3) };
    assert_eq!(status, fmi3OK, "{}", new.take());
    let expected = ["tool.x", "tool.y", "tool.z"].map(|name| old.slope(name, 1).1);
    assert_eq!(values, expected);
    // SAFETY: as above.
    assert_eq!(unsafe { fmi3GetOutputDerivatives(new.c, &vector, 1, &2, values.as_mut_ptr(), 3) }, fmi3Error);
}

#[test]
fn dependencies_at_run_time_are_those_of_the_table() {
    let resources = arm();
    let instance = Instance::new(&resources);
    let variable = resources.variables.iter().find(|v| v.name == "tool.acceleration.x").unwrap();
    let of = |instance: &Instance| {
        let mut count = 0;
        // SAFETY: the arrays are as long as said.
        unsafe {
            assert_eq!(fmi3GetNumberOfVariableDependencies(instance.c, variable.value_reference, &mut count), fmi3OK);
            let (mut own, mut others, mut references) = (vec![9; count], vec![9; count], vec![9; count]);
            let mut kinds = vec![fmi3DependencyKind::fmi3Independent; count];
            let status = fmi3GetVariableDependencies(
                instance.c,
                variable.value_reference,
                own.as_mut_ptr(),
                references.as_mut_ptr(),
                others.as_mut_ptr(),
                kinds.as_mut_ptr(),
                count,
            );
            assert_eq!(status, fmi3OK);
            assert!(own.iter().chain(&others).all(|&element| element == 0));
            assert!(kinds.iter().all(|&kind| kind == fmi3DependencyKind::fmi3Dependent));
            references.iter().map(|&reference| resources.variables[reference as usize].name.clone()).collect::<Vec<_>>()
        }
    };
    let initially = of(&instance);
    assert!(initially.contains(&"payload.mass".to_string()) && initially.contains(&"elbow.torque".to_string()));
    instance.initialize();
    let indices = variable.initial_dependencies.iter().filter(|index| resources.variables[*index - 1].start.is_some());
    let parameters = indices.filter(|index| resources.variables[*index - 1].initial.is_some()).count();
    let is_state =
        |v: &&ballesta::fmi::variables::Variable| matches!(v.binding, ballesta::fmi::variables::Binding::State(_));
    let states: Vec<&str> = resources.variables.iter().filter(is_state).map(|v| v.name.as_str()).collect();
    let found = of(&instance);
    assert_eq!(found.len(), parameters + variable.dependencies.len() + states.len());
    assert!(states.len() >= 4 && found.ends_with(&states.iter().map(|name| name.to_string()).collect::<Vec<_>>()));
}

#[test]
fn a_fixed_parameter_set_again_to_its_value_is_a_warning() {
    let resources = arm();
    let instance = Instance::initialized(&resources);
    let mass = resources.reference("payload.mass");
    assert_eq!(instance.set(mass, 1.5), fmi3Warning);
    assert_eq!(instance.set(mass, 1.6), fmi3Error);
}

#[test]
fn a_cycle_of_set_step_get_and_store_does_not_allocate() {
    let resources = arm();
    let instance = Instance::initialized(&resources);
    let mut state = instance.get_state();
    let [torque, damping] = ["elbow.torque", "elbow.damping"].map(|name| resources.reference(name));
    let outputs = [resources.reference("elbow.speed"), resources.reference("tool.acceleration.x")];
    let (mut values, mut gradient) = ([0.0; 4], [0.0]);
    let (mut event, mut terminate, mut early, mut time) = (0, 0, 0, 0.0);
    let c = instance.c;
    let (count, ()) = allocations_in(|| {
        for i in 0..300 {
            // SAFETY: the arrays have the lengths that are said; the state was made by the library.
            unsafe {
                let set = [-8.0, 0.8 + 0.001 * f64::from(i)];
                assert_eq!(fmi3SetFloat64(c, [torque, damping].as_ptr(), 2, set.as_ptr(), 2), fmi3OK);
                let now = f64::from(i) * 0.0025;
                let done = fmi3DoStep(c, now, 0.0025, fmi3False, &mut event, &mut terminate, &mut early, &mut time);
                assert_eq!(done, fmi3OK);
                assert_eq!(fmi3GetFloat64(c, outputs.as_ptr(), 2, values.as_mut_ptr(), 4), fmi3OK);
                assert_eq!(
                    fmi3GetOutputDerivatives(c, outputs.as_ptr(), 2, [1, 1].as_ptr(), values.as_mut_ptr(), 4),
                    fmi3OK
                );
                let status =
                    fmi3GetDirectionalDerivative(c, outputs.as_ptr(), 2, &torque, 1, &1.0, 1, values.as_mut_ptr(), 4);
                assert_eq!(status, fmi3OK);
                let status = fmi3GetAdjointDerivative(
                    c,
                    outputs.as_ptr(),
                    2,
                    &torque,
                    1,
                    values.as_ptr(),
                    4,
                    gradient.as_mut_ptr(),
                    1,
                );
                assert_eq!(status, fmi3OK);
                assert_eq!(fmi3GetFMUState(c, &mut state), fmi3OK);
                assert_eq!(fmi3SetFMUState(c, state), fmi3OK);
            }
        }
    });
    assert_eq!(count, 0);
    assert!(gradient[0] > 0.0, "a sum of squares");
    instance.free_state(state);
}
