//! What a step may not do, for every model of the gallery: allocate, depend on scratch memory, on another instance, or
//! on anything that a stored state does not hold.

mod first_stage;

use crate::models;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier, OnceLock};

use ballesta::fmi::exports::{fmi2DoStep, fmi2GetReal, fmi2SetReal, fmi2SetRealInputDerivatives};
use ballesta::fmi::types::fmi2True;
use ballesta::fmi::variables::Causality;
use ballesta::model::schema::Integrator;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, ScalarKind, System};

/// Communication steps per model: enough to pass through re-partitions of the loops.
const STEPS: usize = 200;

/// A model of the gallery as it is, or with another integrator.
#[derive(Clone)]
struct Variant {
    file: PathBuf,
    text: String,
}

/// A model whose contacts touch, and its initial speed; thrown down instead they do so in every variant.
const THROWN: (&str, &str, &str) =
    ("contacts/tumbling_box.toml", "speed = [1.5, 0, 0, 1, 8, 0]", "speed = [1.5, 0, -6, 1, 8, 0]");

/// The models of the gallery, those with flexible bodies included, sorted by name, and two with contacts, each with its
/// own integrator and with the implicit one (every second model with all forces implicit), and with the augmented
/// Lagrangian formulation.
fn variants() -> Vec<Variant> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let entries = std::fs::read_dir(&models).expect("the gallery");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable folder").path()).collect();
    folders.retain(|folder| folder.join("model.toml").is_file());
    folders.sort();
    assert!(folders.len() >= 9, "the gallery has only {} models", folders.len());
    let mut variants = Vec::new();
    let files = folders
        .into_iter()
        .map(|folder| folder.join("model.toml"))
        .chain([THROWN.0, "contacts/stacked_boxes.toml"].map(|file| models.join(file)));
    for (index, file) in files.enumerate() {
        let text = std::fs::read_to_string(&file).expect("readable model").replace(THROWN.1, THROWN.2);
        let what = if index % 2 == 0 { "stiff" } else { "all" };
        let implicit = format!("integrator = \"generalized_alpha\"\nimplicit = \"{what}\"");
        let implicit = text.replace("integrator = \"rk4\"", &implicit);
        let implicit = implicit.replace("integrator = \"exponential\"", "integrator = \"generalized_alpha\"");
        if implicit != text {
            variants.push(Variant { file: file.clone(), text: implicit });
        }
        let second = ["rk4", "generalized_alpha", "exponential"].map(|name| format!("integrator = \"{name}\""));
        let second =
            second.iter().fold(text.clone(), |text, own| text.replace(own, "integrator = \"augmented_lagrangian\""));
        let of_own = |line: &&str| {
            ["spectral_radius", "implicit", "resolution"].iter().any(|key| line.starts_with(&format!("{key} = ")))
        };
        let lines: Vec<&str> = second.lines().filter(|line| !of_own(line)).collect();
        if second != text {
            variants.push(Variant { file: file.clone(), text: lines.join("\n") });
        }
        variants.push(Variant { file, text });
    }
    variants
}

/// All of them, compiled once.
fn gallery() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| variants().iter().map(Case::load).collect())
}

/// A compiled model and the points of its experiment.
struct Case {
    variant: Variant,
    name: String,
    system: Arc<System>,
    start: f64,
    step: f64,
}

impl Case {
    fn load(variant: &Variant) -> Case {
        let name = variant.file.display().to_string();
        let document = models::parse(&variant.text, &name);
        let system = models::compiled(&document);
        let experiment = &document.model.experiment;
        let step = experiment.step.unwrap_or(system.step());
        // Implicit steps of vehicles are dear, and one internal step shows as much as ten.
        let implicit = matches!(system.integrator(), Integrator::GeneralizedAlpha | Integrator::AugmentedLagrangian);
        let step = if implicit { step.min(system.step()) } else { step };
        let name = format!("{} ({:?})", system.name(), system.integrator());
        Case { variant: variant.clone(), name, system: Arc::new(system), start: experiment.start, step }
    }

    fn point(&self, index: usize) -> f64 {
        self.start + index as f64 * self.step
    }

    fn simulator(&self) -> Simulator {
        let mut simulator = Simulator::new(self.system.clone());
        simulator.initialize(self.start).expect("the initial position is good");
        simulator
    }

    /// Value of input `k` in step `index`: a little around its start value.
    fn excitation(&self, index: usize, k: usize, start: f64) -> f64 {
        start + 0.02 * Case::wave(index, k) * start.abs().max(0.1)
    }

    /// Slope of input `k` in step `index`; zero half of the time.
    fn slope(index: usize, k: usize) -> f64 {
        if index % 2 == 1 { 0.1 * Case::wave(index, k) } else { 0.0 }
    }

    fn wave(index: usize, k: usize) -> f64 {
        (((index + 3 * k) % 16) as f64 - 8.0) / 8.0
    }

    fn excite(&self, simulator: &mut Simulator, index: usize) {
        for (k, input) in self.system.interface().inputs.iter().enumerate() {
            simulator.set_input(k, self.excitation(index, k, input.start));
            simulator.set_input_derivative(k, Case::slope(index, k));
        }
    }

    /// One communication step and the outputs after it, as bits.
    fn step(&self, simulator: &mut Simulator, index: usize) -> Vec<u64> {
        self.excite(simulator, index);
        simulator
            .advance(self.point(index + 1))
            .unwrap_or_else(|f| panic!("{}: {}", self.name, self.system.describe(&f)));
        self.outputs(simulator)
    }

    fn outputs(&self, simulator: &mut Simulator) -> Vec<u64> {
        let mut outputs = vec![0.0; self.system.interface().outputs.len()];
        simulator.outputs(&mut outputs).unwrap_or_else(|f| panic!("{}: {}", self.name, self.system.describe(&f)));
        outputs.into_iter().map(f64::to_bits).collect()
    }
}

#[test]
fn the_counter_counts() {
    let (count, boxed) = crate::counting::allocations_in(|| Box::new(1.0));
    assert_eq!(count, 1);
    let (count, ()) = crate::counting::allocations_in(|| drop(boxed));
    assert_eq!(count, 1, "giving memory back counts as well");
    let (count, sum) = crate::counting::allocations_in(|| [1.0, 2.0].iter().sum::<f64>());
    assert_eq!((count, sum), (0, 3.0));
}

#[test]
fn a_step_does_not_allocate() {
    for case in gallery() {
        let mut simulator = case.simulator();
        let mut outputs = vec![0.0; case.system.interface().outputs.len()];
        for index in 0..STEPS {
            let (count, result) = crate::counting::allocations_in(|| {
                case.excite(&mut simulator, index);
                simulator.advance(case.point(index + 1)).and_then(|()| simulator.outputs(&mut outputs))
            });
            result.unwrap_or_else(|fault| panic!("{}: {}", case.name, case.system.describe(&fault)));
            assert_eq!(count, 0, "{}: allocations in step {index}", case.name);
        }
    }
}

#[test]
fn contacts_touch_in_these_steps() {
    let boxes: Vec<&Case> = gallery().iter().filter(|case| case.name.starts_with("tumbling_box")).collect();
    assert_eq!(boxes.len(), 3);
    for case in boxes {
        let named = |output: &ballesta::system::OutputInfo| output.name == "normal_force";
        let normal = case.system.interface().outputs.iter().position(named).expect("an output");
        let mut simulator = case.simulator();
        let touches = |index| f64::from_bits(case.step(&mut simulator, index)[normal]) > 0.0;
        assert!((0..STEPS).any(touches), "{}: nothing touches", case.name);
    }
}

#[test]
fn a_communication_step_across_the_c_interface_does_not_allocate() {
    for case in gallery() {
        let folder = case.variant.file.parent().expect("a folder");
        let resources = crate::support::Resources::with_roms_of(&case.variant.text, folder);
        let instance = resources.instantiate();
        instance.initialize(case.start, None);
        let references = |causality: Causality| -> Vec<u32> {
            let wanted = resources.variables.iter().filter(|v| v.causality == causality && v.kind == ScalarKind::Real);
            wanted.map(|v| v.value_reference).collect()
        };
        let (inputs, outputs) = (references(Causality::Input), references(Causality::Output));
        let real: Vec<usize> = (0..case.system.interface().outputs.len())
            .filter(|&i| case.system.interface().outputs[i].kind == ScalarKind::Real)
            .collect();
        let mut values = vec![0.0; outputs.len()];
        let (ones, mut wanted, mut slopes) = (vec![1; inputs.len()], vec![0.0; inputs.len()], vec![0.0; inputs.len()]);
        let mut simulator = case.simulator();
        for index in 0..STEPS {
            let expected = case.step(&mut simulator, index);
            for (k, input) in case.system.interface().inputs.iter().enumerate() {
                wanted[k] = case.excitation(index, k, input.start);
                slopes[k] = Case::slope(index, k);
            }
            let (time, end) = (case.point(index), case.point(index + 1));
            let (c, n) = (instance.c, inputs.len());
            let (count, statuses) = crate::counting::allocations_in(|| {
                // SAFETY: `c` is alive; every array is as long as is said.
                unsafe {
                    [
                        fmi2SetReal(c, inputs.as_ptr(), n, wanted.as_ptr()),
                        fmi2SetRealInputDerivatives(c, inputs.as_ptr(), n, ones.as_ptr(), slopes.as_ptr()),
                        fmi2DoStep(c, time, end - time, fmi2True),
                        fmi2GetReal(c, outputs.as_ptr(), outputs.len(), values.as_mut_ptr()),
                    ]
                }
            });
            assert_eq!(
                statuses,
                [crate::support::fmi2OK; 4],
                "{}: step {index}: {}",
                case.name,
                instance.messages.text()
            );
            assert_eq!(count, 0, "{}: allocations in step {index}", case.name);
            let expected: Vec<u64> = real.iter().map(|&i| expected[i]).collect();
            let found: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
            assert_eq!(found, expected, "{}: bits of the simulator and of the C interface, step {index}", case.name);
        }
    }
}

#[test]
fn derivatives_of_outputs_and_copies_of_states_do_not_allocate() {
    for case in gallery() {
        let mut simulator = case.simulator();
        simulator.prepare_derivatives();
        let mut values = vec![0.0; case.system.interface().outputs.len()];
        let known: Vec<usize> = (0..case.system.interface().inputs.len()).collect();
        let seed = vec![1.0; known.len()];
        let mut stored = simulator.state().clone();
        for index in 0..20 {
            case.step(&mut simulator, index);
            let (count, result) = crate::counting::allocations_in(|| {
                stored.clone_from(simulator.state());
                simulator.output_derivatives(&mut values)?;
                match simulator.directional_derivative(&known, &seed, &mut values) {
                    Ok(()) | Err(Fault::Singular { .. }) => {}
                    Err(fault) => return Err(fault),
                }
                simulator.set_state(&stored);
                Ok::<(), Fault>(())
            });
            result.unwrap_or_else(|fault| panic!("{}: {}", case.name, case.system.describe(&fault)));
            assert_eq!(count, 0, "{}: allocations after step {index}", case.name);
        }
    }
}

#[test]
fn scratch_memory_carries_nothing_from_step_to_step() {
    for case in gallery() {
        let (mut clean, mut poisoned) = (case.simulator(), case.simulator());
        for index in 0..STEPS {
            poisoned.poison_workspace();
            case.excite(&mut poisoned, index);
            poisoned.advance(case.point(index + 1)).expect("a good step");
            poisoned.poison_workspace();
            let found = case.outputs(&mut poisoned);
            assert_eq!(found, case.step(&mut clean, index), "{}: outputs after step {index}", case.name);
            assert_eq!(poisoned.state().to_bytes(), clean.state().to_bytes(), "{}: state, step {index}", case.name);
        }
    }
}

#[test]
fn reading_outputs_changes_nothing() {
    for case in gallery() {
        let (mut watched, mut alone) = (case.simulator(), case.simulator());
        let known: Vec<usize> = (0..case.system.interface().inputs.len()).collect();
        let seed = vec![0.5; known.len()];
        let mut values = vec![0.0; case.system.interface().outputs.len()];
        for index in 0..STEPS {
            let first = case.step(&mut watched, index);
            watched.output_derivatives(&mut values).expect("derivatives of outputs");
            let derived = watched.directional_derivative(&known, &seed, &mut values);
            assert!(matches!(derived, Ok(()) | Err(Fault::Singular { .. })), "{}: {derived:?}", case.name);
            assert_eq!(case.outputs(&mut watched), first, "{}: outputs read again, step {index}", case.name);
            case.excite(&mut alone, index);
            alone.advance(case.point(index + 1)).expect("a good step");
        }
        assert_eq!(watched.state().to_bytes(), alone.state().to_bytes(), "{}", case.name);
    }
}

#[test]
fn instances_in_two_threads_have_the_same_bits() {
    for case in gallery() {
        let start = Barrier::new(2);
        let work = || {
            start.wait();
            let mut simulator = case.simulator();
            (0..STEPS).map(|index| case.step(&mut simulator, index)).collect::<Vec<_>>()
        };
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(work), scope.spawn(work));
            (one.join().expect("first thread"), other.join().expect("second thread"))
        });
        assert_eq!(one, other, "{}", case.name);
    }
}

#[test]
fn a_system_compiled_again_has_the_same_bits() {
    for one in gallery() {
        let other = Case::load(&one.variant);
        let (mut first, mut second) = (one.simulator(), other.simulator());
        for index in 0..STEPS {
            assert_eq!(one.step(&mut first, index), other.step(&mut second, index), "{}: step {index}", one.name);
        }
    }
}

#[test]
fn a_stored_state_continues_with_the_same_bits() {
    for case in gallery() {
        let mut original = case.simulator();
        (0..STEPS / 2).for_each(|index| drop(case.step(&mut original, index)));

        // A copy in another instance, which was never initialized, and the way through bytes.
        let mut copied = Simulator::new(case.system.clone());
        copied.set_state(original.state());
        let bytes = original.state().to_bytes();
        assert_eq!(bytes.len(), original.state().byte_length(), "{}", case.name);
        let mut read = Simulator::new(Case::load(&case.variant).system);
        assert!(read.restore_bytes(&bytes), "{}", case.name);
        assert_eq!(read.state().to_bytes(), bytes, "{}: bytes read and written again", case.name);

        for index in STEPS / 2..STEPS {
            let expected = case.step(&mut original, index);
            assert_eq!(case.step(&mut copied, index), expected, "{}: copied state, step {index}", case.name);
            assert_eq!(case.step(&mut read, index), expected, "{}: state from bytes, step {index}", case.name);
        }
    }
}

#[test]
fn bytes_of_the_wrong_length_are_refused() {
    for case in gallery() {
        let mut simulator = case.simulator();
        case.step(&mut simulator, 0);
        let bytes = simulator.state().to_bytes();
        for wrong in [&bytes[..bytes.len() - 1], &[], &[bytes.clone(), vec![0]].concat()] {
            assert!(!simulator.restore_bytes(wrong), "{}: {} bytes", case.name, wrong.len());
            assert_eq!(simulator.state().to_bytes(), bytes, "{}: refused bytes change nothing", case.name);
        }
    }
}

#[test]
fn a_damaged_state_is_refused_or_stepped_without_panic() {
    for case in gallery() {
        let mut simulator = case.simulator();
        case.step(&mut simulator, 0);
        let bytes = simulator.state().to_bytes();
        let end = simulator.time() + case.step.min(4.0 * case.system.step());
        for at in (0..bytes.len()).step_by(4) {
            // All ones: NaN where a number stood, an index out of range where an index stood.
            let mut damaged = bytes.clone();
            damaged[at..(at + 8).min(bytes.len())].fill(0xff);
            if simulator.restore_bytes(&damaged) {
                let mut outputs = vec![0.0; case.system.interface().outputs.len()];
                let _ = simulator.advance(end).and_then(|()| simulator.outputs(&mut outputs));
            }
        }
        assert!(simulator.restore_bytes(&bytes), "{}", case.name);
        let expected = case.step(&mut case.simulator(), 0);
        assert_eq!(case.outputs(&mut simulator), expected, "{}: a good state heals the instance", case.name);
    }
}

#[test]
fn initializing_again_starts_over() {
    for case in gallery() {
        let mut simulator = case.simulator();
        let first: Vec<_> = (0..20).map(|index| case.step(&mut simulator, index)).collect();
        for (k, input) in case.system.interface().inputs.iter().enumerate() {
            simulator.set_input(k, input.start);
        }
        simulator.initialize(case.start).expect("the initial position is good");
        let second: Vec<_> = (0..20).map(|index| case.step(&mut simulator, index)).collect();
        assert_eq!(first, second, "{}", case.name);
    }
}
