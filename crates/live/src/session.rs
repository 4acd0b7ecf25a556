//! A model that is stepped from communication point to communication point with inputs of the user.
//!
//! The points are start + k · step of the model's experiment, as in `ballesta run`, without an end. Inputs are constant
//! between two points. A change between two points applies from the next point, including the outputs of that point. An
//! input file with a jump at that point gives equal bits.

use crate::frame::Observer;
use ballesta::compile;
use ballesta::model::{self, DataFile, Document};
use ballesta::simulate::{Judgement, Simulator};
use ballesta::system::{State, System};
use std::sync::Arc;

/// A stored point.
struct SavedPoint {
    point: usize,
    state: State,
    judgement: Judgement,
}

/// A running model.
pub struct Session {
    document: Document,
    /// Parameter values of the current system.
    compiled: Vec<f64>,
    simulator: Simulator,
    eye: Observer,
    start: f64,
    step: f64,
    point: usize,
    inputs: Vec<f64>,
    parameters: Vec<f64>,
    outputs: Vec<f64>,
    frame: Vec<f64>,
    saved: Vec<SavedPoint>,
}

impl Session {
    /// Compiles the model with the text `text`, the name `file` in messages, and the files that it names. Inputs and
    /// parameters are at the values of the file. Call [`Session::begin`] next.
    ///
    /// # Errors
    /// Diagnostics of the model, as text.
    pub fn open(text: &str, file: &str, files: Vec<DataFile>) -> Result<Session, String> {
        let document = model::parse_with(text, file, files).map_err(|wrong| wrong.to_string())?;
        let parameters = document.model.parameter_values();
        let system = compile(&document, &parameters)?;
        let interface = system.interface();
        let experiment = &document.model.experiment;
        Ok(Session {
            start: experiment.start,
            step: experiment.step.unwrap_or(system.step()),
            point: 0,
            inputs: interface.inputs.iter().map(|input| input.start).collect(),
            outputs: vec![0.0; interface.outputs.len()],
            frame: Vec::new(),
            saved: Vec::new(),
            compiled: parameters.clone(),
            parameters,
            eye: Observer::new(system.clone()),
            simulator: Simulator::new(system),
            document,
        })
    }

    /// Requests a value of an input: from the start if called before [`Session::begin`], otherwise from the next point.
    /// Unknown inputs are ignored.
    pub fn set_input(&mut self, index: usize, value: f64) {
        if let Some(input) = self.inputs.get_mut(index) {
            *input = value;
        }
    }

    /// Sets a parameter. Parameters that are not tunable change only with [`Session::begin`].
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        if let Some(parameter) = self.parameters.get_mut(index) {
            *parameter = value;
        }
    }

    /// Returns to the start with the requested inputs and parameters. Stored points are removed.
    ///
    /// # Errors
    /// Fault of the model with these values or of its start, as text.
    pub fn begin(&mut self) -> Result<(), String> {
        if self.compiled.iter().zip(&self.parameters).any(|(old, new)| old.to_bits() != new.to_bits()) {
            let system = compile(&self.document, &self.parameters)?;
            self.eye = Observer::new(system.clone());
            self.simulator = Simulator::new(system);
            self.compiled.clone_from(&self.parameters);
        } else {
            self.simulator = Simulator::new(self.simulator.system().clone());
        }
        self.saved.clear();
        self.point = 0;
        self.apply();
        let begun = self.simulator.initialize(self.start).and_then(|()| self.simulator.outputs(&mut self.outputs));
        begun.map_err(|fault| self.simulator.describe(&fault))
    }

    /// Steps to the next point.
    ///
    /// # Errors
    /// The fault as text. The point and its outputs are unchanged; only a return to a stored point or to the start is
    /// possible.
    pub fn step(&mut self) -> Result<(), String> {
        for index in 0..self.inputs.len() {
            self.simulator.set_input_derivative(index, 0.0);
        }
        let end = self.time_of(self.point + 1);
        let stepped = self.simulator.advance(end).and_then(|()| {
            self.apply();
            self.simulator.outputs(&mut self.outputs)
        });
        stepped.map_err(|fault| self.simulator.describe(&fault))?;
        self.point += 1;
        Ok(())
    }

    fn apply(&mut self) {
        for (index, value) in self.inputs.iter().enumerate() {
            self.simulator.set_input(index, *value);
        }
        let parameters = &self.simulator.system().interface().parameters;
        let tunable: Vec<usize> = (0..parameters.len()).filter(|index| parameters[*index].tunable).collect();
        tunable.into_iter().for_each(|index| self.simulator.set_parameter(index, self.parameters[index]));
    }

    /// Stores the current point; returns its number among the stored points.
    pub fn save(&mut self) -> usize {
        let mut state = State::default();
        state.clone_from(self.simulator.state());
        self.saved.push(SavedPoint { point: self.point, state, judgement: *self.simulator.judgement() });
        self.saved.len() - 1
    }

    /// Returns to the last stored point at or before `point`, removes the later points, and returns its number. The
    /// caller must set inputs and parameters again.
    pub fn restore(&mut self, point: usize) -> Option<usize> {
        self.saved.truncate(self.saved.iter().take_while(|saved| saved.point <= point).count());
        let saved = self.saved.last()?;
        self.simulator.set_state(&saved.state);
        self.simulator.set_judgement(&saved.judgement);
        self.point = saved.point;
        self.inputs.clone_from(&saved.state.inputs);
        self.parameters.clone_from(&saved.state.parameters);
        // The point was evaluated before.
        let _ = self.simulator.intermediate_outputs(&mut self.outputs);
        Some(self.point)
    }

    /// Removes every second stored point except the first.
    pub fn thin(&mut self) {
        let mut number = 0;
        self.saved.retain(|_| {
            number += 1;
            number % 2 == 1
        });
    }

    /// Number of the current point.
    pub fn point(&self) -> usize {
        self.point
    }

    /// Current time, s.
    pub fn time(&self) -> f64 {
        self.time_of(self.point)
    }

    fn time_of(&self, point: usize) -> f64 {
        self.start + point as f64 * self.step
    }

    /// Outputs at the current point.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// Current frame, see [`Observer::frame`]; the previous frame if the state cannot be evaluated.
    pub fn frame(&mut self) -> &[f64] {
        self.eye.frame(self.simulator.state(), &mut self.frame);
        &self.frame
    }

    /// Whether the current point was computed near a singular position.
    pub fn near_singular(&self) -> bool {
        self.simulator.state().near_singular != 0
    }

    /// Warning of the run so far.
    pub fn warning(&self) -> Option<String> {
        self.simulator.judgement().warning(self.simulator.system(), true)
    }
}

fn compile(document: &Document, parameters: &[f64]) -> Result<Arc<System>, String> {
    compile::compile(document, parameters).map(Arc::new).map_err(|wrong| wrong.to_string())
}
