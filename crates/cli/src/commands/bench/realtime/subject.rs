//! Subject of the periods: a model or an FMU, with inputs from a table.
//!
//! A step sets the inputs, advances by one period, and reads all outputs. Within the period the inputs of a model
//! follow [`driven_inputs`]. The inputs of an FMU follow straight lines if the FMU accepts slopes. Its step ends at a
//! jump if it accepts steps of any length. Steps do not allocate, except inside the FMU.

use crate::fmu::{self, OutputReader};
use ballesta::simulate::Simulator;
use ballesta::system::{InputInfo, Interface};
use ballesta_files::Failure;
use ballesta_package::importer::{Causality, Description, ImportError, Instance, Kind};
use ballesta_run::driven_inputs::{self, DrivenInputs};
use ballesta_run::inputs::Inputs;
use std::path::Path;

/// A subject stepped in real time. Errors contain the time and the cause.
pub trait RealtimeSubject {
    /// Steps from `begin` to `end` with the inputs of `begin` and reads all outputs at `end`.
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
    /// Initializes the model.
    pub fn new(mut simulator: Simulator, table: Option<Inputs>, start: f64) -> Result<Model, Failure> {
        let outputs = vec![0.0; simulator.system().interface().outputs.len()];
        let tolerance = driven_inputs::tolerance(&simulator, start);
        for (index, value) in table.iter().flat_map(|table| table.values(start, tolerance)) {
            simulator.set_input(index, value);
        }
        simulator.initialize(start).map_err(|fault| Failure::Fault(simulator.system().describe(&fault)))?;
        Ok(Model { simulator, table, outputs })
    }
}

impl RealtimeSubject for Model {
    fn step(&mut self, _: f64, end: f64) -> Result<(), String> {
        let done = match &self.table {
            Some(table) => driven_inputs::advance(&mut self.simulator, table, end),
            None => self.simulator.advance(end),
        };
        let done = done.and_then(|()| self.simulator.outputs(&mut self.outputs));
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
    /// Initializes an instance without a stop time, as on a rig.
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
            inputs.as_mut().map_or(Ok(()), |inputs| inputs.write(&mut instance, start, start))?;
            instance.exit_initialization_mode()
        };
        initialize().map_err(fmu::fault)?;
        Ok(Imported { instance, inputs, values: vec![0.0; outputs.length()], outputs })
    }
}

impl RealtimeSubject for Imported {
    fn step(&mut self, begin: f64, end: f64) -> Result<(), String> {
        let instance = &mut self.instance;
        let mut done = || {
            let mut time = begin;
            while time < end {
                let mut until = end;
                if let Some(inputs) = &self.inputs {
                    until = inputs.end_of_step(time, end);
                    inputs.write(instance, time, until)?;
                }
                instance.do_step(time, until - time)?;
                time = until;
            }
            self.outputs.read(instance, &mut self.values)
        };
        done().map_err(|error| format!("step from {begin} s to {end} s: {error}"))
    }
}

/// Distance from an end of a period, as a fraction of the period, within which a jump counts as at that end.
const JUMP_TOLERANCE: f64 = 1e-9;

/// Columns of a table with the Real, Integer and Boolean inputs that they feed.
struct InputWriter {
    table: Inputs,
    /// Kind and value reference of every input of the FMU except strings.
    targets: Vec<(Kind, u32)>,
    /// Whether the FMU accepts derivatives of Real inputs.
    slopes: bool,
    /// Whether steps may have any length.
    any_step: bool,
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
        let targets = inputs.iter().map(|input| (input.kind, input.value_reference)).collect();
        let capabilities = description.capabilities;
        let (slopes, any_step) = (capabilities.interpolates_inputs, capabilities.variable_step);
        Ok(InputWriter { table, targets, slopes, any_step })
    }

    /// End of a step from `begin` to `end`, both s: at a jump, if there is one before `end`.
    fn end_of_step(&self, begin: f64, end: f64) -> f64 {
        let near = JUMP_TOLERANCE * (end - begin);
        let jump = self.table.next_jump(begin + near, end - near).filter(|_| self.any_step);
        jump.unwrap_or(end)
    }

    /// Sets the values at `begin`, and for a step the slopes to the values at `end`, s.
    fn write(&self, instance: &mut Instance, begin: f64, end: f64) -> Result<(), ImportError> {
        let mut done = Ok(());
        self.table.visit(begin, end, JUMP_TOLERANCE * (end - begin), &mut |index, value, slope| {
            if done.is_ok() {
                done = self.write_one(instance, self.targets[index], value, (end > begin).then_some(slope));
            }
        });
        done
    }

    fn write_one(
        &self,
        instance: &mut Instance,
        (kind, reference): (Kind, u32),
        value: f64,
        slope: Option<f64>,
    ) -> Result<(), ImportError> {
        match kind {
            Kind::Real => {
                instance.set_real(&[reference], &[value])?;
                if let Some(slope) = slope.filter(|_| self.slopes) {
                    instance.set_input_slopes(&[reference], &[slope])?;
                }
            }
            Kind::Boolean => {
                instance.set_boolean(&[reference], &[i32::from(value != 0.0)])?;
            }
            _ => {
                instance.set_integer(&[reference], &[value.round() as i32])?;
            }
        }
        Ok(())
    }
}
