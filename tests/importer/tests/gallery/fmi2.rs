//! FMI 2.0: every output is a scalar.

use std::path::Path;

use fmi::fmi2::import::Fmi2Import;
use fmi::fmi2::instance::{CoSimulation, Common, InstanceCS};
use fmi::fmi2::schema::{Causality, ScalarVariableElement};
use fmi::traits::FmiImport;

use super::Trajectory;

/// The outputs of an FMU, in the order of its description.
struct Outputs(Vec<(String, u32, Kind)>);

enum Kind {
    Real,
    Integer,
    Boolean,
}

impl Outputs {
    fn of(import: &Fmi2Import) -> Outputs {
        let outputs = import.model_description().get_model_variables().filter(|v| v.causality == Causality::Output);
        let described = outputs.map(|variable| {
            let kind = match variable.elem {
                ScalarVariableElement::Real(_) => Kind::Real,
                ScalarVariableElement::Integer(_) => Kind::Integer,
                ScalarVariableElement::Boolean(_) => Kind::Boolean,
                _ => panic!("{} is of an unexpected type", variable.name),
            };
            (variable.name.clone(), variable.value_reference, kind)
        });
        Outputs(described.collect())
    }

    fn read(&self, instance: &mut InstanceCS, time: f64) -> Vec<f64> {
        let value = |(_, reference, kind): &(String, u32, Kind)| {
            let (mut real, mut integer, mut boolean) = ([0.0], [0], [0]);
            match kind {
                Kind::Real => instance.get_real(&[*reference], &mut real).map(|_| real[0]),
                Kind::Integer => instance.get_integer(&[*reference], &mut integer).map(|_| integer[0] as f64),
                Kind::Boolean => instance.get_boolean(&[*reference], &mut boolean).map(|_| boolean[0] as f64),
            }
            .expect("an output can be read")
        };
        std::iter::once(time).chain(self.0.iter().map(value)).collect()
    }
}

/// Steps the FMU through its default experiment; header and rows as in the CSV of `ballesta run`.
pub fn simulate(path: &Path) -> Trajectory {
    let import: Fmi2Import = fmi::import::from_path(path).expect("the FMU can be imported");
    let experiment = import.model_description().default_experiment.as_ref().expect("a default experiment");
    let (start, stop) = (experiment.start_time.expect("startTime"), experiment.stop_time.expect("stopTime"));
    let step = experiment.step_size.expect("stepSize");
    let outputs = Outputs::of(&import);

    let mut instance = import.instantiate_cs("importer", false, true).expect("an instance");
    assert_eq!(Common::get_version(&instance), "2.0");
    assert_eq!(instance.get_types_platform(), "default");
    instance.setup_experiment(None, start, Some(stop)).expect("fmi2SetupExperiment");
    Common::enter_initialization_mode(&mut instance).expect("fmi2EnterInitializationMode");
    Common::exit_initialization_mode(&mut instance).expect("fmi2ExitInitializationMode");

    let header = std::iter::once("time".to_string()).chain(outputs.0.iter().map(|(name, ..)| name.clone())).collect();
    let mut rows = vec![outputs.read(&mut instance, start)];
    let mut time = start;
    for k in 1..=((stop - start) / step).round() as usize {
        let next = start + k as f64 * step;
        instance.do_step(time, next - time, true).expect("fmi2DoStep");
        time = next;
        rows.push(outputs.read(&mut instance, time));
    }
    Common::terminate(&mut instance).expect("fmi2Terminate");
    (header, rows)
}
