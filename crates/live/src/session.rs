//! A model that is stepped from communication point to communication point with inputs of the user.
//!
//! The points are start + k · step of the model's experiment, as in `ballesta run`, without an end. Inputs are constant
//! between two points. A change between two points applies from the next point, including the outputs of that point. An
//! input file with a jump at that point gives equal bits.
//!
//! A session of an edited model can continue a run ([`Session::resume`]). Its first point is then the time of that run.

use crate::frame::Observer;
use ballesta::analysis::operating_point::{Named, named_positions, named_speeds};
use ballesta::compile;
use ballesta::model::schema::{Joint, Model, Parameter};
use ballesta::model::{self, DataFile, Diagnostics, Document};
use ballesta::simulate::{Judgement, Simulator};
use ballesta::system::{Fault, State, System};
use std::sync::Arc;

/// A stored point.
struct SavedPoint {
    point: usize,
    state: State,
    judgement: Judgement,
}

/// What a session keeps of the run that it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Positions and speeds, with the loops closed again.
    Placed,
    /// The whole state.
    Same,
}

/// A running model.
pub struct Session {
    document: Document,
    /// Parameter values of the current system.
    compiled: Vec<f64>,
    simulator: Simulator,
    eye: Observer,
    /// Time of point 0.
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
    /// Diagnostics of the model.
    pub fn open(text: &str, file: &str, files: Vec<DataFile>) -> Result<Session, Diagnostics> {
        let document = model::parse_with(text, file, files)?;
        let parameters = document.model.parameter_values();
        Session::new(document, parameters)
    }

    /// Compiles a document with values for its parameters. Inputs are at the values of the file. Call
    /// [`Session::begin`] or [`Session::resume`] next.
    ///
    /// # Errors
    /// Diagnostics of the model.
    pub fn new(document: Document, parameters: Vec<f64>) -> Result<Session, Diagnostics> {
        let system = compile::compile(&document, &parameters).map(Arc::new)?;
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

    /// The model.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The current system.
    pub fn system(&self) -> &Arc<System> {
        self.simulator.system()
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.simulator.state()
    }

    /// Requested values of the inputs.
    pub fn inputs(&self) -> &[f64] {
        &self.inputs
    }

    /// Requested values of the parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Values of the parameters with which the current system was compiled.
    pub fn compiled_parameters(&self) -> &[f64] {
        &self.compiled
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
            let system = compile::compile(&self.document, &self.parameters).map_err(|wrong| wrong.to_string())?;
            let system = Arc::new(system);
            self.eye = Observer::new(system.clone());
            self.simulator = Simulator::new(system);
            self.compiled.clone_from(&self.parameters);
        } else {
            self.simulator = Simulator::new(self.simulator.system().clone());
        }
        self.saved.clear();
        (self.start, self.point) = (self.document.model.experiment.start, 0);
        self.apply();
        let begun = self.simulator.initialize(self.start).and_then(|()| self.simulator.outputs(&mut self.outputs));
        begun.map_err(|fault| self.simulator.describe(&fault))
    }

    /// Begins at the time of `old`, with its positions and speeds by the names of the coordinates. The loops are closed
    /// with the least change; driven coordinates follow their prescribed motions. If both models have equal tables, the
    /// state is the state of `old`, and the result is [`Kept::Same`]. Stored points are removed.
    ///
    /// # Errors
    /// The reason why the run cannot continue. Call [`Session::begin`] next.
    pub fn resume(&mut self, old: &Session) -> Result<Kept, String> {
        self.has_coordinates_of(old)?;
        let time = old.simulator.state().time;
        self.simulator = Simulator::new(self.simulator.system().clone());
        self.saved.clear();
        self.apply();
        let fault = |simulator: &Simulator, fault: &Fault| simulator.describe(fault);
        self.simulator.initialize(time).map_err(|wrong| fault(&self.simulator, &wrong))?;
        let equal = self.document.model == old.document.model && self.document.files == old.document.files;
        let kept = if equal && self.simulator.restore_bytes(&old.simulator.state().to_bytes()) {
            self.simulator.set_judgement(old.simulator.judgement());
            self.apply();
            Kept::Same
        } else {
            let state = self.state_with_motion_of(old);
            self.simulator.set_state(&state);
            self.simulator.place(&[], &[]).map_err(|wrong| fault(&self.simulator, &wrong))?;
            Kept::Placed
        };
        self.simulator.outputs(&mut self.outputs).map_err(|wrong| fault(&self.simulator, &wrong))?;
        (self.start, self.point) = (time, 0);
        Ok(kept)
    }

    /// The reason why the coordinates of another session do not fit, if they do not.
    fn has_coordinates_of(&self, old: &Session) -> Result<(), String> {
        let (new, old_start) = (self.document.model.experiment.start, old.document.model.experiment.start);
        if new != old_start {
            return Err(format!("the start time was {old_start} s"));
        }
        let known = &old.document.model.joints;
        let has_other_start = |joint: &&Joint| {
            let same = known.iter().find(|same| same.name == joint.name);
            let start = |of: &Joint| (of.position.clone(), of.position_deg.clone(), of.speed.clone());
            same.is_some_and(|same| start(same) != start(joint))
        };
        if let Some(joint) = self.document.model.joints.iter().find(has_other_start) {
            return Err(format!("the joint `{}` had another start", joint.name));
        }
        let names = |of: &Session| -> Vec<String> {
            let system = of.simulator.system();
            named_positions(system).into_iter().chain(named_speeds(system)).map(|named| named.name).collect()
        };
        let (known, wanted) = (names(old), names(self));
        match wanted.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(format!("the coordinate `{name}` is new")),
            None => match known.iter().find(|name| !wanted.contains(name)) {
                Some(name) => Err(format!("the coordinate `{name}` no longer exists")),
                None => Ok(()),
            },
        }
    }

    /// The state of this session with the positions and speeds of `old`. The states of force elements and filters are
    /// kept if both sessions have equal ones.
    fn state_with_motion_of(&self, old: &Session) -> State {
        let (system, of_old) = (self.simulator.system(), old.simulator.system());
        let mut state = State::default();
        state.clone_from(self.simulator.state());
        let last = old.simulator.state();
        let copy = |to: Vec<Named>, from: Vec<Named>, values: &mut [f64], known: &[f64]| {
            for named in to {
                if let Some(same) = from.iter().find(|same| same.name == named.name) {
                    values[named.index] = known[same.index];
                }
            }
        };
        copy(named_positions(system), named_positions(of_old), &mut state.q, &last.q);
        copy(named_speeds(system), named_speeds(of_old), &mut state.v, &last.v);
        let elements =
            |system: &System| system.elements.iter().map(|element| element.name().to_string()).collect::<Vec<_>>();
        let outputs = |system: &System| -> Vec<String> {
            system.interface().outputs.iter().map(|output| output.name.clone()).collect()
        };
        let equal = elements(system) == elements(of_old) && outputs(system) == outputs(of_old);
        if equal && (state.auxiliary.len(), state.angles.len()) == (last.auxiliary.len(), last.angles.len()) {
            // The first two are energies, which count from the new start.
            state.auxiliary.iter_mut().zip(&last.auxiliary).skip(2).for_each(|(value, known)| *value = *known);
            state.angles.clone_from(&last.angles);
        }
        state
    }

    /// Keeps the inputs that were changed in `old`, by name. An input at the start value of its file gets the start
    /// value of the new file. So does an input whose start value differs between both files, because the last change
    /// of the user counts. `is_kept`: names to which this applies. Call it before [`Session::resume`].
    pub fn keep_inputs(&mut self, old: &Session, is_kept: impl Fn(&str) -> bool) {
        let known = &old.simulator.system().interface().inputs;
        let inputs = &self.simulator.system().interface().inputs;
        for (input, value) in inputs.iter().zip(&mut self.inputs).filter(|(input, _)| is_kept(&input.name)) {
            let same = known.iter().position(|same| same.name == input.name);
            let changed = |k: &usize| old.inputs[*k] != known[*k].start && known[*k].start == input.start;
            if let Some(k) = same.filter(changed) {
                *value = old.inputs[k];
            }
        }
    }

    /// Values of the parameters of `model`. A parameter that was changed in this session keeps its value, by name, if
    /// the value is within its range. If the value in the file has changed, the value in the file counts.
    pub fn kept_parameters(&self, model: &Model) -> Vec<f64> {
        let known = &self.document.model.parameters;
        let value = |parameter: &Parameter| {
            let range = parameter.min.unwrap_or(f64::NEG_INFINITY)..=parameter.max.unwrap_or(f64::INFINITY);
            let same = known.iter().position(|same| same.name == parameter.name);
            let same = same.filter(|k| known[*k].value == parameter.value);
            let changed = same.filter(|k| self.parameters[*k] != known[*k].value);
            changed.map(|k| self.parameters[k]).filter(|value| range.contains(value)).unwrap_or(parameter.value)
        };
        model.parameters.iter().map(value).collect()
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

    /// Time of point 0, s: the start of the experiment, after [`Session::resume`] the time that was kept.
    pub fn start(&self) -> f64 {
        self.start
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
