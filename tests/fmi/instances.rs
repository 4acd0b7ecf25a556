//! Instances are independent of each other, and a stored state continues with the same bits: in the instance it was
//! taken from, in another one, in another process.

use crate::models;
use crate::support::{H, Instance, Resources, fmi2Error, fmi2OK, reference_bits};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::fmi2True;
use std::path::Path;

// Stored states

#[test]
fn a_stored_state_continues_with_the_same_bits() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    instance.set("load", 1.25);
    instance.initialize(0.0, Some(1.0));
    instance.set("damping", 2.0);
    instance.steps(0.0, H, 10);
    instance.set("force", 4.0);
    instance.set_slope("torque", 1, 30.0);
    let mut state = instance.get_state();
    let bytes = instance.serialized();
    let time = instance.last_successful_time();
    instance.steps(0.01, H, 10);
    let expected = instance.bits();
    let other = resources.instantiate();
    for target in [&instance, &other] {
        assert_eq!(target.set_state(state), fmi2OK);
        assert_eq!(target.last_successful_time(), time);
        assert_eq!([target.get("damping"), target.get("load"), target.get("force")], [2.0, 1.25, 4.0]);
        target.steps(0.01, H, 10);
        assert_eq!(target.bits(), expected);
    }
    assert_eq!(other.step(0.02, 2.0), fmi2Error, "the stop time is part of the state");
    let read = resources.instantiate();
    read.restore(&bytes);
    read.steps(0.01, H, 10);
    assert_eq!(read.bits(), expected);
    // A state object is used again when it exists.
    let address = state;
    // SAFETY: the state was made by the library.
    assert_eq!(unsafe { fmi2GetFMUstate(read.c, &mut state) }, fmi2OK);
    assert_eq!(state, address);
    instance.set_state(state);
    assert_eq!(instance.bits(), expected);
    drop(instance);
    read.free_state(state);
}

#[test]
fn a_stored_state_brings_back_the_place_in_the_call_sequence() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    let fresh = instance.serialized();
    instance.setup(0.0, None);
    instance.enter();
    instance.set("torque", 3.0);
    let initializing = instance.serialized();
    let acceleration = instance.get("left.acceleration");
    instance.exit();
    let complete = instance.serialized();
    instance.terminate();
    instance.restore(&complete);
    assert_eq!(instance.step(0.0, H), fmi2OK);
    instance.restore(&initializing);
    assert_eq!(instance.get("left.acceleration"), acceleration);
    assert_eq!([instance.exit(), instance.step(0.0, H)], [fmi2OK; 2]);
    instance.restore(&fresh);
    assert_eq!(instance.step(0.0, H), fmi2Error);
    instance.restore(&fresh);
    instance.initialize(1.0, None);
}

#[test]
fn foreign_and_damaged_states_are_refused() {
    let resources = Resources::driven();
    let instance = resources.initialized();
    let mut bytes = instance.serialized();
    let four_bar = Resources::four_bar();
    let foreign = four_bar.initialized();
    let state = foreign.get_state();
    assert_eq!(instance.set_state(state), fmi2Error);
    assert!(instance.messages.take().contains(&four_bar.guid));
    foreign.free_state(state);
    assert_eq!(instance.deserialize(&foreign.serialized()), Err(fmi2Error));
    assert!(instance.messages.take().contains(&four_bar.guid));
    assert_eq!(instance.deserialize(b"rubbish"), Err(fmi2Error));
    assert_eq!(instance.deserialize(&bytes[..bytes.len() - 1]), Err(fmi2Error));
    *bytes.last_mut().unwrap() ^= 1;
    assert_eq!(instance.deserialize(&bytes), Err(fmi2Error));
    let state = instance.get_state();
    let mut few = [0u8; 10];
    // SAFETY: the array has ten elements.
    let status = unsafe { fmi2SerializeFMUstate(instance.c, state, few.as_mut_ptr().cast(), few.len()) };
    assert_eq!((status, few), (fmi2Error, [0; 10]));
    instance.free_state(state);
}

const HANDOVER: &str = "BALLESTA_TEST_HANDOVER";

/// The parent simulates and stores; the child, the same test in a process of its own, continues from the file.
#[test]
fn a_serialized_state_continues_in_another_process() {
    let resources = Resources::driven();
    if let Ok(folder) = std::env::var(HANDOVER) {
        let folder = std::path::Path::new(&folder);
        let instance = resources.instantiate();
        instance.restore(&std::fs::read(folder.join("state")).unwrap());
        instance.steps(0.02, H, 20);
        std::fs::write(folder.join("bits"), format!("{:x?}", instance.bits())).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let instance = resources.instantiate();
    instance.set("load", 2.0);
    instance.initialize(0.0, None);
    instance.set("torque", 1.5);
    instance.steps(0.0, H, 20);
    instance.set_slope("torque", 1, -4.0);
    std::fs::write(folder.path().join("state"), instance.serialized()).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "instances::a_serialized_state_continues_in_another_process"])
        .env(HANDOVER, folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    instance.steps(0.02, H, 20);
    let bits = std::fs::read_to_string(folder.path().join("bits")).expect("the child has run the test");
    assert_eq!(bits, format!("{:x?}", instance.bits()));
}

// Instances

#[test]
fn instances_in_two_threads_give_the_same_bits_as_one_alone() {
    let resources = Resources::driven();
    let expected = reference_bits(&resources);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let resources = &resources;
                scope.spawn(move || {
                    let disturbing = resources.instantiate();
                    disturbing.set("load", 1.0 + i as f64);
                    disturbing.initialize(0.0, None);
                    let mut all = Vec::new();
                    for _ in 0..20 {
                        disturbing.steps(disturbing.last_successful_time(), H, 3);
                        all.push(reference_bits(resources));
                    }
                    all
                })
            })
            .collect();
        for thread in threads {
            assert!(thread.join().unwrap().iter().all(|bits| *bits == expected));
        }
    });
}

#[test]
fn an_instance_may_move_to_another_thread() {
    let resources = Resources::driven();
    let expected = reference_bits(&resources);
    let instance = resources.initialized();
    instance.set("torque", 0.75);
    instance.steps(0.0, H, 10);
    let bits = std::thread::scope(|scope| {
        let moved = scope.spawn(|| {
            let instance = instance;
            instance.steps(10.0 * H, H, 10);
            instance.bits()
        });
        moved.join().unwrap()
    });
    assert_eq!(bits, expected);
}

// Flexible bodies

/// A boom that hangs from the ground by a hinge, with a reduced-order model in a sub-folder.
fn boom() -> Resources {
    let text = r#"
        [model]
        name = "boom"
        gravity = [0, 0, -9.81]
        step = 1e-6
        [[flexible_body]]
        name = "boom"
        rom = "roms/boom.toml"
        [[joint]]
        name = "hinge"
        type = "revolute"
        bodies = ["ground", "boom.root"]
        axis = [0, 1, 0]
        [[output]]
        name = "tip"
        body = "boom.tip"
        quantity = "position"
    "#;
    Resources::with_roms_of(text, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"))
}

#[test]
fn instances_read_their_reduced_models_from_the_resources() {
    let resources = boom();
    let [one, other] = [resources.initialized(), resources.initialized()];
    assert_eq!(one.get("tip.x"), 0.4);
    for instance in [&one, &other] {
        instance.steps(0.0, 1e-5, 10);
    }
    assert!(one.get("tip.z") < 0.0);
    assert_eq!(one.bits(), other.bits());
}

#[test]
fn a_missing_or_exchanged_reduced_model_is_an_error_in_the_log() {
    let resources = boom();
    let refused =
        || resources.try_instantiate("test", &resources.guid, &resources.uri(), fmi2True).err().expect("refused");
    let file = resources.path().join("roms/boom.toml");
    let text = std::fs::read_to_string(&file).expect("packed");
    let name = text.replace("program = \"", "program = \"another ");
    assert_ne!(name, text);
    std::fs::write(&file, name).expect("writable");
    let log = refused();
    assert!(log.contains("a file that it names was changed after packaging"), "{log}");
    std::fs::write(&file, text.replace("version = 1", "version = 7")).expect("writable");
    let log = refused();
    assert!(log.contains("flexible_body[0].rom") && log.contains("found version 7"), "{log}");
    std::fs::remove_file(&file).expect("there");
    let log = refused();
    assert!(log.contains("flexible_body[0].rom: \"roms/boom.toml\" cannot be read"), "{log}");
    std::fs::write(&file, text).expect("writable");
    resources.instantiate();
}

#[test]
fn instances_read_subassemblies_from_the_resources_and_step_as_the_solver_does() {
    let folder = Path::new("models/double_wishbone_axle");
    let text = std::fs::read_to_string(folder.join("model.toml")).expect("in the gallery");
    let resources = Resources::with_roms_of(&text, folder);
    let instance = resources.initialized();
    instance.steps(0.0, 1e-3, 50);
    let document = ballesta::model::load(folder).expect("in the gallery");
    let system = models::compiled(&document);
    let infos = system.interface().outputs.clone();
    let mut simulator = ballesta::simulate::Simulator::new(std::sync::Arc::new(system));
    simulator.initialize(0.0).expect("starts");
    (1..=50).for_each(|step| simulator.advance(f64::from(step) * 1e-3).expect("runs"));
    let mut outputs = vec![0.0; infos.len()];
    simulator.outputs(&mut outputs).expect("has outputs");
    for (info, value) in infos.iter().zip(outputs).filter(|(info, _)| info.kind == ballesta::system::ScalarKind::Real) {
        assert_eq!(instance.get(&info.name).to_bits(), value.to_bits(), "{}", info.name);
    }
    // Without the file of the corners there is no model.
    std::fs::remove_file(resources.path().join("parts/corner.toml")).expect("there");
    let refused = resources.try_instantiate("test", &resources.guid, &resources.uri(), fmi2True).err();
    assert!(refused.expect("refused").contains("use[0].file: \"parts/corner.toml\" cannot be read"));
}
/// A block on a slope, held by friction below breakaway.
const HELD_BLOCK: &str = r#"
[model]
name = "held_block"
gravity = [3, 0, -9.3]

[[input]]
name = "push"
unit = "N"

[[body]]
name = "block"
mass = 1
com = [0, 0, 0]

[[joint]]
name = "rail"
type = "prismatic"
bodies = ["ground", "block"]
axis = [1, 0, 0]

[[friction]]
name = "rail"
joint = "rail"
coulomb = 3
static = 5
stribeck_speed = 0.01
presliding = 2e-5

[[force]]
name = "push"
body = "block"
point = [0, 0, 0]
value = ["push", 0, 0]

[[output]]
name = "way"
joint = "rail"
quantity = "position"

[[output]]
name = "speed"
joint = "rail"
quantity = "speed"
"#;

#[test]
fn a_state_saved_in_stick_continues_with_the_same_bits() {
    for integrator in ["rk4", "heun", "semi_implicit_euler", "generalized_alpha"] {
        let general = format!("name = \"held_block\"\nintegrator = \"{integrator}\"");
        let resources = Resources::from_text(&HELD_BLOCK.replace("name = \"held_block\"", &general));
        let through = resources.initialized();
        through.steps(0.0, 1e-3, 1000);
        let [way, speed] = ["way", "speed"].map(|name| through.get(name));
        assert!(speed.abs() < 1e-12 && way.abs() < 2e-5, "{integrator}: it sticks, {way:e} m, {speed:e} m/s");
        let (kept, bytes) = (through.get_state(), through.serialized());
        let other = resources.initialized();
        other.restore(&bytes);
        // Held for another second, then pushed off.
        let go_on = |instance: &Instance| {
            instance.steps(1.0, 1e-3, 1000);
            assert_eq!(instance.set("push", 3.0), fmi2OK);
            instance.steps(2.0, 1e-3, 500);
            assert!(instance.get("speed") > 0.1, "{integrator}: it slides");
            (instance.bits(), instance.serialized())
        };
        let expected = go_on(&through);
        assert_eq!(go_on(&other), expected, "{integrator}: serialized");
        assert_eq!(through.set_state(kept), fmi2OK);
        assert_eq!(go_on(&through), expected, "{integrator}: kept");
        through.free_state(kept);
    }
}
