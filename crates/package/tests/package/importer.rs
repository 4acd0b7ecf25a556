//! The importer drives FMUs of the gallery through their C functions, with the library that `ballesta export` packs.

use ballesta::compile;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ballesta::model::{self, Document};
use ballesta::simulate::Simulator;
use ballesta_package::importer::{Causality, Fmu, ImportError, Instance, Kind, Start, Status};
use ballesta_package::{Platform, export, host_library};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A model of the gallery, exported.
struct Exported {
    document: Document,
    path: PathBuf,
    _folder: TempDir,
}

fn library() -> (Platform, PathBuf) {
    host_library(&mut |line| eprintln!("{line}")).expect("a library for this machine")
}

fn exported(name: &str) -> Exported {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models").join(name).join("model.toml");
    exported_text(&fs::read_to_string(file).expect("a model of the gallery"))
}

fn exported_text(text: &str) -> Exported {
    let folder = tempfile::tempdir().unwrap();
    let document = model::parse(text, "model.toml").expect("a valid model");
    let path = folder.path().join("with space.fmu");
    export(&document, text, &[library()], &path).expect("exported");
    Exported { document, path, _folder: folder }
}

/// A pendulum with an input, a tunable and a fixed parameter, and outputs that depend on the input directly.
const DRIVEN: &str = r#"
    [model]
    name = "driven"
    gravity = [0, 0, -9.81]
    step = 1e-3
    [experiment]
    stop = 0.5
    step = 5e-3
    [points]
    A = [0, 0, 0]
    [[body]]
    name = "arm"
    mass = 2
    com = ["length", 0, 0]
    inertia = [0.01, 0.1, 0.1, 0, 0, 0]
    [[joint]]
    name = "hinge"
    type = "revolute"
    bodies = ["ground", "arm"]
    point = "A"
    axis = [0, 1, 0]
    [[friction]]
    name = "bearing"
    joint = "hinge"
    viscous = "damping"
    [[drive]]
    name = "motor"
    joint = "hinge"
    value = "torque"
    [[input]]
    name = "torque"
    unit = "N.m"
    start = 0.25
    [[parameter]]
    name = "length"
    value = 0.5
    unit = "m"
    [[parameter]]
    name = "damping"
    value = 0.1
    unit = "N.m.s/rad"
    tunable = true
    min = 0
    [[output]]
    name = "angle"
    joint = "hinge"
    quantity = "position"
    [[output]]
    name = "acceleration"
    joint = "hinge"
    quantity = "acceleration"
    [[output]]
    name = "repartitions"
    quantity = "repartitions"
    [[output]]
    name = "near_singular"
    quantity = "near_singular"
"#;

fn simulator(document: &Document) -> Simulator {
    let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    Simulator::new(Arc::new(compile::compile(document, &parameters).expect("it compiles")))
}

fn reference(fmu: &Fmu, name: &str) -> u32 {
    fmu.description().variable(name).unwrap_or_else(|| panic!("no variable {name}")).value_reference
}

/// All outputs as bits, in the order of the description.
fn outputs(fmu: &Fmu, instance: &mut Instance) -> Vec<u64> {
    let mut bits = Vec::new();
    for variable in fmu.description().with_causality(Causality::Output) {
        let reference = [variable.value_reference];
        let value = match variable.kind {
            Kind::Real => {
                let mut value = [0.0];
                instance.get_real(&reference, &mut value).unwrap();
                value[0]
            }
            Kind::Integer => {
                let mut value = [0];
                instance.get_integer(&reference, &mut value).unwrap();
                f64::from(value[0])
            }
            _ => {
                let mut value = [0];
                instance.get_boolean(&reference, &mut value).unwrap();
                f64::from(value[0])
            }
        };
        bits.push(value.to_bits());
    }
    bits
}

fn simulator_outputs(simulator: &mut Simulator) -> Vec<u64> {
    let mut values = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.outputs(&mut values).unwrap();
    values.into_iter().map(f64::to_bits).collect()
}

#[test]
fn an_fmu_gives_the_bits_of_the_solver() {
    crate::root::at_root();
    for name in ["four_bar", "slider_crank", "guided_five_bar", "watt_six_bar", "free_pair"] {
        let exported = exported(name);
        let fmu = Fmu::open(&exported.path).unwrap();
        let mut instance = fmu.instantiate(name, false).unwrap();
        let mut simulator = simulator(&exported.document);
        let experiment = fmu.description().experiment;
        let (start, step) = (experiment.start.unwrap(), experiment.step.unwrap());
        instance.initialize(start, experiment.stop).unwrap();
        simulator.initialize(start).unwrap();
        assert_eq!(outputs(&fmu, &mut instance), simulator_outputs(&mut simulator), "{name} at the start");
        for i in 0..200 {
            let time = start + f64::from(i) * step;
            instance.do_step(time, start + f64::from(i + 1) * step - time).unwrap();
            simulator.advance(start + f64::from(i + 1) * step).unwrap();
            assert_eq!(outputs(&fmu, &mut instance), simulator_outputs(&mut simulator), "{name} after step {i}");
        }
        instance.terminate().unwrap();
    }
}

#[test]
fn the_description_says_what_the_model_says() {
    crate::root::at_root();
    let exported = exported_text(DRIVEN);
    let fmu = Fmu::open(&exported.path).unwrap();
    let description = fmu.description();
    assert_eq!(description.model_name, "driven");
    assert_eq!(description.experiment.step, Some(5e-3));
    assert!(description.capabilities.serialized_state && description.capabilities.interpolates_inputs);
    let torque = description.variable("torque").unwrap();
    assert_eq!(
        (torque.causality, torque.unit.as_str(), &torque.start),
        (Causality::Input, "N.m", &Some(Start::Real(0.25)))
    );
    assert_eq!(description.variable("repartitions").unwrap().kind, Kind::Integer);
    assert_eq!(description.variable("near_singular").unwrap().kind, Kind::Boolean);
    assert_eq!(description.with_causality(Causality::Output).count(), 4);
}

#[test]
fn inputs_slopes_and_parameters_reach_the_solver() {
    crate::root::at_root();
    let exported = exported_text(DRIVEN);
    let fmu = Fmu::open(&exported.path).unwrap();
    let [torque, damping, length] = ["torque", "damping", "length"].map(|name| [reference(&fmu, name)]);
    let mut instance = fmu.instantiate("driven", false).unwrap();
    instance.set_real(&length, &[0.4]).unwrap();
    instance.set_real(&damping, &[0.3]).unwrap();
    instance.initialize(1.0, None).unwrap();

    let mut simulator = Simulator::new(Arc::new(compile::compile(&exported.document, &[0.4, 0.3]).unwrap()));
    simulator.initialize(1.0).unwrap();
    for i in 0..50 {
        let (time, end) = (1.0 + f64::from(i) * 5e-3, 1.0 + f64::from(i + 1) * 5e-3);
        let value = 0.1 * f64::from(i);
        instance.set_real(&torque, &[value]).unwrap();
        instance.set_input_slopes(&torque, &[20.0]).unwrap();
        instance.set_real(&damping, &[0.01 * f64::from(i)]).unwrap();
        simulator.set_input(0, value);
        simulator.set_input_derivative(0, 20.0);
        simulator.set_parameter(1, 0.01 * f64::from(i));
        instance.do_step(time, end - time).unwrap();
        simulator.advance(end).unwrap();
        assert_eq!(outputs(&fmu, &mut instance), simulator_outputs(&mut simulator), "after step {i}");
    }
}

#[test]
fn derivatives_match_differences() {
    crate::root::at_root();
    let exported = exported_text(DRIVEN);
    let fmu = Fmu::open(&exported.path).unwrap();
    let [torque, acceleration, angle] = ["torque", "acceleration", "angle"].map(|name| [reference(&fmu, name)]);
    let mut instance = fmu.instantiate("driven", false).unwrap();
    instance.initialize(0.0, None).unwrap();
    instance.do_step(0.0, 0.1).unwrap();
    // One hinge: acceleration = torque / (inertia about the hinge) + terms without torque.
    let mut gain = [0.0; 2];
    instance.directional_derivative(&[acceleration[0], angle[0]], &torque, &[2.0], &mut gain).unwrap();
    assert!((gain[0] - 2.0 / (0.1 + 2.0 * 0.25)).abs() < 1e-8 && gain[1] == 0.0, "{gain:?}");

    let mut rate = [0.0];
    instance.get_output_rates(&angle, &mut rate).unwrap();
    let value = |instance: &mut Instance| {
        let mut value = [0.0];
        instance.get_real(&angle, &mut value).unwrap();
        value[0]
    };
    let saved = instance.get_state().unwrap();
    let before = value(&mut instance);
    instance.do_step(0.1, 1e-5).unwrap();
    let difference = (value(&mut instance) - before) / 1e-5;
    assert!((rate[0] - difference).abs() < 1e-3 * rate[0].abs().max(1.0), "{} {difference}", rate[0]);
    instance.set_state(saved).unwrap();
    assert_eq!(value(&mut instance).to_bits(), before.to_bits());
}

#[test]
fn a_restored_state_continues_with_the_same_bits() {
    crate::root::at_root();
    let exported = exported("four_bar");
    let fmu = Fmu::open(&exported.path).unwrap();
    let run = |instance: &mut Instance, from: i32| -> Vec<Vec<u64>> {
        (from..from + 40)
            .map(|i| {
                instance.do_step(f64::from(i) * 0.01, 0.01).unwrap();
                outputs(&fmu, instance)
            })
            .collect()
    };
    let mut instance = fmu.instantiate("first", false).unwrap();
    instance.initialize(0.0, None).unwrap();
    run(&mut instance, 0);
    let saved = instance.get_state().unwrap();
    let bytes = instance.serialize_state(saved).unwrap();
    let expected = run(&mut instance, 40);
    instance.set_state(saved).unwrap();
    assert_eq!(run(&mut instance, 40), expected, "the same instance");

    let mut other = fmu.instantiate("second", false).unwrap();
    other.initialize(0.0, None).unwrap();
    let received = other.deserialize_state(&bytes).unwrap();
    other.set_state(received).unwrap();
    assert_eq!(run(&mut other, 40), expected, "another instance");

    other.free_state(received).unwrap();
    assert!(matches!(other.set_state(received), Err(ImportError::NoSuchState)));
    let mut damaged = bytes.clone();
    damaged.truncate(bytes.len() / 2);
    assert!(other.deserialize_state(&damaged).is_err());
}

#[test]
fn instances_in_threads_do_not_know_of_each_other() {
    crate::root::at_root();
    let exported = exported("slider_crank");
    let fmu = Fmu::open(&exported.path).unwrap();
    let run = |fmu: &Fmu| {
        let mut instance = fmu.instantiate("thread", false).unwrap();
        instance.initialize(0.0, None).unwrap();
        for i in 0..300 {
            instance.do_step(f64::from(i) * 1e-2, 1e-2).unwrap();
        }
        outputs(fmu, &mut instance)
    };
    let alone = run(&fmu);
    let together: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&fmu))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(together.iter().all(|bits| *bits == alone));
}

#[test]
fn reset_forgets_everything() {
    crate::root::at_root();
    let exported = exported_text(DRIVEN);
    let fmu = Fmu::open(&exported.path).unwrap();
    let torque = [reference(&fmu, "torque")];
    let mut instance = fmu.instantiate("driven", false).unwrap();
    let mut runs = Vec::new();
    for _ in 0..2 {
        instance.initialize(0.0, None).unwrap();
        instance.do_step(0.0, 0.1).unwrap();
        runs.push(outputs(&fmu, &mut instance));
        instance.set_real(&torque, &[5.0]).unwrap();
        instance.do_step(0.1, 0.1).unwrap();
        instance.reset().unwrap();
    }
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn failures_come_with_status_and_message() {
    crate::root::at_root();
    let exported = exported_text(DRIVEN);
    let fmu = Fmu::open(&exported.path).unwrap();
    let mut instance = fmu.instantiate("driven", false).unwrap();
    let [torque, angle] = ["torque", "angle"].map(|name| [reference(&fmu, name)]);
    match instance.do_step(0.0, 0.1).unwrap_err() {
        ImportError::Call { function: "fmi2DoStep", status: Status::Error, messages } => {
            assert!(messages.iter().any(|message| message.text.contains("fmi2DoStep")), "{messages:?}");
            assert!(messages.iter().all(|message| message.category == "logStatusError"), "{messages:?}");
        }
        other => panic!("{other}"),
    }
    instance.reset().unwrap();
    instance.initialize(0.0, None).unwrap();
    let error = instance.set_real(&angle, &[1.0]).unwrap_err().to_string();
    assert!(error.contains("angle"), "{error}");
    instance.reset().unwrap();
    instance.initialize(0.0, None).unwrap();
    instance.set_real(&torque, &[f64::NAN]).unwrap();
    let error = instance.do_step(0.0, 0.1).unwrap_err().to_string();
    assert!(error.contains("torque"), "{error}");
    assert!(matches!(instance.get_real(&torque, &mut []), Err(ImportError::Lengths { .. })));
    assert!(matches!(fmu.instantiate("zero\0byte", false), Err(ImportError::Name { .. })));
    assert!(matches!(fmu.instantiate(" ", false), Err(ImportError::Call { function: "fmi2Instantiate", .. })));
}

#[test]
fn the_folder_lives_as_long_as_somebody_needs_it() {
    crate::root::at_root();
    let exported = exported("pendulum");
    let fmu = Fmu::open(&exported.path).unwrap();
    let second = Fmu::open(&exported.path).unwrap();
    let folders = [fmu.folder().to_path_buf(), second.folder().to_path_buf()];
    assert_ne!(folders[0], folders[1]);
    assert!(folders[0].join("resources/model.toml").is_file());
    let instance = fmu.instantiate("pendulum", false).unwrap();
    drop((fmu, second));
    assert!(folders[0].exists() && !folders[1].exists());
    drop(instance);
    assert!(!folders[0].exists());
}

/// An archive with these files.
fn archive(folder: &Path, files: &[(&str, &[u8])]) -> PathBuf {
    let path = folder.join("broken.fmu");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    path
}

#[test]
fn what_is_no_fmu_is_refused_with_the_reason() {
    crate::root::at_root();
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.fmu");
    fs::write(&text, "not a zip").unwrap();
    let describe = |path: &Path| Fmu::open(path).err().expect("refused").to_string();
    assert!(describe(&text).contains("not an FMU"));
    assert!(describe(&folder.path().join("missing.fmu")).contains("missing.fmu"));
    assert!(describe(&archive(folder.path(), &[("a.txt", b"")])).contains("modelDescription.xml"));

    let xml: &[u8] = br#"<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
        <CoSimulation modelIdentifier="m"/></fmiModelDescription>"#;
    assert!(describe(&archive(folder.path(), &[("modelDescription.xml", xml)])).contains("contains no library;"));
    let other = [("modelDescription.xml", xml), ("binaries/c-code/m.txt", b"".as_slice())];
    assert!(describe(&archive(folder.path(), &other)).contains("available: c-code"));

    let climbing = [("modelDescription.xml", xml), ("../escaped.txt", b"".as_slice())];
    assert!(describe(&archive(folder.path(), &climbing)).contains("a path outside of itself"));
    assert!(!std::env::temp_dir().join("escaped.txt").exists());
}
