//! What is stepped at every release: a model or an FMU, with inputs from a table.
//!
//! As on a rig, a step sets the inputs of its begin, which hold until the next, advances by one period, and reads all
//! outputs. Nothing of it allocates, as far as the FMU does not.

use crate::failure::Failure;
use crate::fmu::{self, OutputReader};
use ballesta::simulate::Simulator;
use ballesta::system::{InputInfo, Interface};
use ballesta_experiment::inputs::Inputs;
use ballesta_package::importer::{Causality, Description, ImportError, Instance, Kind};
use std::path::Path;

/// Something that is stepped in real time; errors are sentences with time and cause.
pub trait Driven {
    /// From `begin` to `end`, with the inputs of `begin`, up to all outputs of `end`.
    fn step(&mut self, begin: f64, end: f64) -> Result<(), String>;
}

/// A model.
pub struct Model {
    /// The solver.
    pub simulator: Simulator,
    table: Option<Inputs>,
    outputs: Vec<f64>,
}

impl Model {
    /// Brings the model to its start.
    pub fn new(mut simulator: Simulator, table: Option<Inputs>, start: f64) -> Result<Model, Failure> {
        let outputs = vec![0.0; simulator.system().interface().outputs.len()];
        set_inputs(&mut simulator, &table, start);
        simulator.initialize(start).map_err(|fault| Failure::Fault(simulator.system().describe(&fault)))?;
        Ok(Model { simulator, table, outputs })
    }
}

fn set_inputs(simulator: &mut Simulator, table: &Option<Inputs>, time: f64) {
    for (index, value) in table.iter().flat_map(|table| table.values(time)) {
        simulator.set_input(index, value);
    }
}

impl Driven for Model {
    fn step(&mut self, begin: f64, end: f64) -> Result<(), String> {
        set_inputs(&mut self.simulator, &self.table, begin);
        let done = self.simulator.advance(end).and_then(|()| self.simulator.outputs(&mut self.outputs));
        done.map_err(|fault| self.simulator.system().describe(&fault))
    }
}

/// An FMU.
pub struct Imported {
    instance: Instance,
    inputs: Option<InputWriter>,
    outputs: OutputReader,
    values: Vec<f64>,
}

impl Imported {
    /// Brings an instance to its start. There is no stop time: a rig does not tell one.
    pub fn new(
        mut instance: Instance,
        description: &Description,
        table: Option<&Path>,
        start: f64,
    ) -> Result<Imported, Failure> {
        let mut inputs = table.map(|path| InputWriter::new(description, path)).transpose()?;
        let outputs = OutputReader::new(description);
        let mut initialize = || {
            instance.setup_experiment(start, None, None)?;
            instance.enter_initialization_mode()?;
            inputs.as_mut().map_or(Ok(()), |inputs| inputs.write(&mut instance, start))?;
            instance.exit_initialization_mode()
        };
        initialize().map_err(fmu::fault)?;
        Ok(Imported { instance, inputs, values: vec![0.0; outputs.length()], outputs })
    }
}

impl Driven for Imported {
    fn step(&mut self, begin: f64, end: f64) -> Result<(), String> {
        let instance = &mut self.instance;
        let mut done = || {
            self.inputs.as_mut().map_or(Ok(()), |inputs| inputs.write(instance, begin))?;
            instance.do_step(begin, end - begin)?;
            self.outputs.read(instance, &mut self.values)
        };
        done().map_err(|error| format!("step from {begin} s to {end} s: {error}"))
    }
}

/// Columns of a table with the Real, Integer and Boolean inputs that they feed.
struct InputWriter {
    table: Inputs,
    /// Kind and value reference of every column.
    targets: Vec<(Kind, u32)>,
}

impl InputWriter {
    fn new(description: &Description, path: &Path) -> Result<InputWriter, Failure> {
        let inputs = description.with_causality(Causality::Input).filter(|variable| variable.kind != Kind::String);
        let inputs: Vec<_> = inputs.collect();
        let infos = inputs.iter().map(|variable| InputInfo {
            name: variable.name.clone(),
            unit: variable.unit.clone(),
            description: variable.description.clone(),
            ..InputInfo::default()
        });
        let table = Inputs::read(path, &Interface { inputs: infos.collect(), ..Interface::default() })?;
        let targets = table.indices().map(|index| (inputs[index].kind, inputs[index].value_reference)).collect();
        Ok(InputWriter { table, targets })
    }

    fn write(&mut self, instance: &mut Instance, time: f64) -> Result<(), ImportError> {
        for ((_, value), (kind, reference)) in self.table.values(time).zip(&self.targets) {
            match kind {
                Kind::Real => instance.set_real(&[*reference], &[value])?,
                Kind::Boolean => instance.set_boolean(&[*reference], &[i32::from(value != 0.0)])?,
                _ => instance.set_integer(&[*reference], &[value.round() as i32])?,
            };
        }
        Ok(())
    }
}
