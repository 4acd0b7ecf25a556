//! The evaluation of a point's outputs is the first stage of the next step: whether it is kept or made anew changes no
//! bit.

use super::*;
use crate::models;
use ballesta::compile;

/// Communication steps per model and scheme.
const FEW: usize = 24;

/// Every model of the gallery with every explicit scheme.
fn explicit() -> impl Iterator<Item = Case> {
    let of_files = gallery()
        .iter()
        .enumerate()
        .filter(|(index, case)| gallery()[..*index].iter().all(|other| other.variant.file != case.variant.file));
    let schemes = [Integrator::Rk4, Integrator::Heun, Integrator::SemiImplicitEuler];
    of_files.flat_map(move |(_, case)| schemes.map(|scheme| with_scheme(&case.variant.file, scheme)))
}

/// The model of a file with another scheme, stepped by its internal step, or by a tenth, a hundredth ... of it, where
/// the scheme asks for that.
fn with_scheme(file: &Path, scheme: Integrator) -> Case {
    let mut document = models::load(file);
    document.model.general.integrator = scheme;
    document.model.general.resolution = None;
    document.model.experiment.trim = false;
    let values = document.model.parameter_values();
    let step = document.model.general.step;
    let with_shorter = |k| {
        document.model.general.step = step * 0.1f64.powi(k);
        compile::compile(&document, &values).ok()
    };
    let system = (0..6).find_map(with_shorter).unwrap_or_else(|| panic!("{} with {scheme:?}", file.display()));
    let variant = Variant { file: file.to_path_buf(), text: String::new() };
    let (start, step) = (system.initial().time, 2.0 * system.step());
    Case { variant, name: format!("{} ({scheme:?})", system.name()), system: Arc::new(system), start, step }
}

impl Case {
    /// One communication step and its outputs as bits; a fault in words.
    fn try_step(&self, simulator: &mut Simulator, index: usize) -> Result<Vec<u64>, String> {
        let mut outputs = vec![0.0; self.system.interface().outputs.len()];
        let done = simulator.advance(self.point(index + 1)).and_then(|()| simulator.outputs(&mut outputs));
        done.map_err(|fault| self.system.describe(&fault))?;
        Ok(outputs.into_iter().map(f64::to_bits).collect())
    }
}

#[test]
fn a_kept_evaluation_gives_the_bits_of_a_new_one_with_every_scheme() {
    let (mut kept_stages, mut complete) = (0, 0);
    for case in explicit() {
        let (mut kept, mut anew, mut bare) = (case.simulator(), case.simulator(), case.simulator());
        for index in 0..FEW {
            // Inputs with slopes, then held inputs on their slopes, then the same inputs set again.
            for simulator in [&mut kept, &mut anew, &mut bare] {
                match index % 4 {
                    0 => case.excite(simulator, index),
                    3 => (0..case.system.interface().inputs.len()).for_each(|k| {
                        let value = simulator.input(k);
                        simulator.set_input(k, value);
                    }),
                    _ => {}
                }
            }
            anew.poison_workspace();
            bare.poison_scratch();
            assert!(!anew.knows_first_stage(), "{}: a poisoned workspace knows nothing", case.name);
            assert_eq!(kept.knows_first_stage(), bare.knows_first_stage(), "{}: step {index}", case.name);
            if index % 4 != 0 {
                assert!(kept.knows_first_stage(), "{}: nothing has changed before step {index}", case.name);
                kept_stages += 1;
            }
            let expected = case.try_step(&mut anew, index);
            assert_eq!(case.try_step(&mut kept, index), expected, "{}: outputs of step {index}", case.name);
            assert_eq!(case.try_step(&mut bare, index), expected, "{}: nothing else is read, step {index}", case.name);
            for simulator in [&kept, &bare] {
                assert_eq!(simulator.state().to_bytes(), anew.state().to_bytes(), "{}: state, step {index}", case.name);
            }
            if expected.is_err() {
                break;
            }
            complete += usize::from(index + 1 == FEW);
        }
    }
    assert!(complete >= 100 && kept_stages >= 1500, "{complete} complete runs, {kept_stages} kept evaluations");
}

#[test]
fn what_changes_between_steps_has_the_first_stage_evaluated_anew() {
    let (mut with_inputs, mut with_parameters) = (0, 0);
    for case in gallery().iter().filter(|case| case.system.integrator() == Integrator::Rk4) {
        let mut simulator = case.simulator();
        case.step(&mut simulator, 0);
        let before = simulator.state().clone();
        case.step(&mut simulator, 1);
        assert!(simulator.knows_first_stage(), "{}: the outputs were evaluated", case.name);
        let stored = simulator.state().clone();
        // The step from a changed state, by an instance that knows another one and by an instance that knows nothing.
        let mut continued = |change: &dyn Fn(&mut Simulator), knows: Option<bool>| {
            let mut fresh = Simulator::new(case.system.clone());
            fresh.set_state(&stored);
            simulator.set_state(&stored);
            case.outputs(&mut simulator);
            change(&mut simulator);
            change(&mut fresh);
            if let Some(knows) = knows {
                assert_eq!(simulator.knows_first_stage(), knows, "{}", case.name);
                assert!(!fresh.knows_first_stage(), "{}: a new instance knows nothing", case.name);
            }
            let end = simulator.time() + case.step;
            let bits = [&mut simulator, &mut fresh].map(|simulator| {
                let done = simulator.advance(end).map_err(|fault| case.system.describe(&fault));
                (done.map(|()| case.outputs(simulator)), simulator.state().to_bytes())
            });
            assert_eq!(bits[0], bits[1], "{}", case.name);
        };
        let [kept, anew] = [Some(true), Some(false)];
        let mut values = vec![0.0; case.system.interface().outputs.len()];
        let values = std::cell::RefCell::new(&mut values);
        continued(&|_| {}, kept);
        continued(&|simulator| simulator.set_state(&stored), kept);
        continued(&|simulator| simulator.set_state(&before), anew);
        continued(&|simulator| _ = simulator.output_derivatives(&mut values.borrow_mut()), kept);
        // The low-pass filters of a new start evaluate it.
        continued(&|simulator| _ = simulator.initialize(case.start), None);
        for k in 0..case.system.interface().inputs.len() {
            with_inputs += 1;
            continued(&|simulator| simulator.set_input(k, simulator.input(k)), kept);
            continued(&|simulator| simulator.set_input(k, simulator.input(k) * 1.001 + 1e-3), anew);
            // A slope from now on does not change the input now.
            continued(&|simulator| simulator.set_input_derivative(k, 1e-3), kept);
        }
        let tunable = case.system.interface().parameters.iter().enumerate().filter(|(_, parameter)| parameter.tunable);
        for (k, _) in tunable {
            with_parameters += 1;
            continued(&|simulator| simulator.set_parameter(k, simulator.parameter(k)), kept);
            continued(&|simulator| simulator.set_parameter(k, simulator.parameter(k) * (1.0 + 1e-9) + 1e-12), anew);
        }
    }
    assert!(with_inputs >= 10 && with_parameters >= 5, "{with_inputs} inputs, {with_parameters} parameters");
}

#[test]
fn an_fmu_that_is_stored_and_restored_between_steps_has_the_bits_of_one_that_is_not() {
    let resources = crate::support::Resources::driven();
    let instances = [resources.initialized(), resources.initialized(), resources.initialized()];
    let [plain, restored, rewound] = &instances;
    let (mut again, h) = (rewound.get_state(), 0.002);
    for index in 0..STEPS {
        let time = index as f64 * h;
        for instance in &instances {
            instance.set("torque", if index % 5 == 0 { 0.1 * Case::wave(index, 0) } else { instance.get("torque") });
            if index % 7 == 0 {
                assert_eq!(instance.set("damping", 0.1 + 0.01 * index as f64), crate::support::fmi2OK);
            }
        }
        // The same state, come back by way of itself, of its bytes, and of a step that is taken back.
        restored.restore(&restored.serialized());
        rewound.free_state(again);
        again = rewound.get_state();
        assert_eq!(rewound.step(time, h), crate::support::fmi2OK);
        assert_eq!(rewound.set_state(again), crate::support::fmi2OK);
        for instance in &instances {
            assert_eq!(instance.step(time, h), crate::support::fmi2OK, "{}", instance.messages.text());
        }
        assert_eq!(restored.bits(), plain.bits(), "restored from bytes, step {index}");
        assert_eq!(rewound.bits(), plain.bits(), "step {index} taken back and made again");
    }
    rewound.free_state(again);
}
