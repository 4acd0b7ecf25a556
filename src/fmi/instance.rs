//! One instance of an FMU: from its resources to its steps.
//!
//! **Life.** [`Instance::new`] reads and compiles the model, so that a broken archive fails at once. The system is
//! compiled again in fmi2EnterInitializationMode, or at the latest in fmi2ExitInitializationMode, if the importer has
//! set fixed parameters to other values than the file's. In initialization mode the initial state follows the settings
//! lazily: setting marks it as old, reading an output or leaving the mode computes it.
//!
//! **Step.** [`Instance::do_step`] integrates to exactly `currentCommunicationPoint + communicationStepSize` and
//! evaluates the outputs there, with the inputs of that step. Inputs set afterwards do not change them: a feedthrough
//! without a step would not correspond to the model. A successful step does not allocate, lock, log, or touch files.
//!
//! **Time.** `currentCommunicationPoint` may differ from the instance's time by 1e-6 of the step, or by 1e-9 of the
//! time. The motion continues from the instance's time, over the whole interval to the importer's end, so that nothing
//! is skipped and the two clocks do not drift apart. An interval that exceeds whole internal steps by a relative 1e-6
//! is made with steps longer by that factor ([`Simulator::advance`]).
//!
//! **Status of a step.** A request that cannot be met (step size, time, stop time, a NaN input) is rejected with
//! fmi2Error before anything happens. A [`Fault`] of the solver ([`Fault::LoopOpen`], [`Fault::NoInertia`],
//! [`Fault::NotFinite`], [`Fault::StateNotFinite`], [`Fault::OutputNotFinite`], [`Fault::NotConverged`]) interrupts the
//! step. The state remains at the last good internal step, fmi2DoStep returns fmi2Discard, and fmi2LastSuccessfulTime
//! returns the time reached. The outputs are evaluated at that time. fmi2Terminated is true, because the same
//! deterministic solver would meet the same fault again. [`Fault::BadInput`] and [`Fault::BadTime`] are fmi2Error. The
//! hold mode masks faults of the motion and of inputs ([`super::hold`]).
//!
//! **Judgement.** The run is checked at every communication point ([`crate::simulate::Judgement`]); outputs can show
//! the figures. A step neither logs nor allocates, so fmi2Terminate reports the result: it returns fmi2Warning, with
//! the reasons in the category `logStatusWarning`.

use crate::compile;
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;

use super::environment::Environment;
use super::hold::{Cause, HOLD_MODE_FILE};
use super::intermediate::Intermediate;
use super::log::{Log, Sink};
use super::reserve;
use super::resource::{self, Location};
use super::state_file::StoredState;
use super::states::{Kind, State};
use super::status::Problem;
use super::variables::{Variable, table};
use crate::model::{self, Document};
use crate::simulate::Simulator;
use crate::system::{Fault, System};

/// Largest difference of the importer's time and the instance's time, as a fraction of the communication step: hosts
/// round their clocks.
const CLOCK_TOLERANCE: f64 = 1e-6;
/// Largest difference as a fraction of the time: the sum of many rounded steps.
const TIME_TOLERANCE: f64 = 1e-9;

/// Number of stored initial states: enough for a host that alternates between two, or computes differences.
pub(super) const INITIAL_STATES: usize = 8;

/// File of the resource folder with the model.
pub(crate) const MODEL_FILE: &str = "model.toml";
/// File of the resource folder of an FMU with C sources: its fixed parameters are constants. The content is ignored.
pub const CONSTANTS_FILE: &str = "constant_parameters.txt";
/// File of the resource folder with the GUID.
pub(crate) const GUID_FILE: &str = "guid.txt";

/// Data from fmi2SetupExperiment, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Experiment {
    /// Start time.
    pub start: f64,
    /// Time that must not be passed.
    pub stop: Option<f64>,
}

/// Values set by the importer; initially the start values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// One per parameter, SI.
    pub parameters: Vec<f64>,
    /// One per input, SI.
    pub inputs: Vec<f64>,
    /// Slope per s of each input, if one was set since the last step, else 0.
    pub slopes: Vec<f64>,
}

/// Everything of an instance that persists between calls, except the solver's state; a stored FMU state contains a
/// copy.
#[derive(Debug, PartialEq)]
pub struct Memory {
    /// State of the call sequence.
    pub state: State,
    /// Known after fmi2SetupExperiment.
    pub experiment: Option<Experiment>,
    /// Values set by the importer.
    pub settings: Settings,
    /// Parameter values with which the present system was compiled.
    pub compiled: Vec<f64>,
    /// The solver contains the initial state that follows from `settings`, or a later one.
    pub initialized: bool,
    /// One per output, SI.
    pub outputs: Vec<f64>,
    /// `outputs` belongs to the solver's state.
    pub outputs_known: bool,
    /// The last step was interrupted: the FMU requests the end of the simulation.
    pub terminated: bool,
    /// Model Exchange: time of the last completed integrator step, s.
    pub completed: f64,
    /// Whether the importer has switched the hold mode on ([`super::hold`]).
    pub hold_on_fault: bool,
    /// After a fault in the hold mode: the importer's present time, s.
    pub held: Option<f64>,
}

impl Clone for Memory {
    fn clone(&self) -> Memory {
        Memory {
            state: self.state,
            experiment: self.experiment,
            settings: Settings {
                parameters: self.settings.parameters.clone(),
                inputs: self.settings.inputs.clone(),
                slopes: self.settings.slopes.clone(),
            },
            compiled: self.compiled.clone(),
            initialized: self.initialized,
            outputs: self.outputs.clone(),
            outputs_known: self.outputs_known,
            terminated: self.terminated,
            completed: self.completed,
            hold_on_fault: self.hold_on_fault,
            held: self.held,
        }
    }

    /// Copies without allocating if the lengths are equal.
    fn clone_from(&mut self, source: &Memory) {
        let Memory {
            state,
            experiment,
            settings,
            compiled,
            initialized,
            outputs,
            outputs_known,
            terminated,
            completed,
            hold_on_fault,
            held,
        } = source;
        let Settings { parameters, inputs, slopes } = settings;
        self.state = *state;
        self.experiment = *experiment;
        self.settings.parameters.clone_from(parameters);
        self.settings.inputs.clone_from(inputs);
        self.settings.slopes.clone_from(slopes);
        self.compiled.clone_from(compiled);
        self.initialized = *initialized;
        self.outputs.clone_from(outputs);
        self.outputs_known = *outputs_known;
        self.terminated = *terminated;
        self.completed = *completed;
        self.hold_on_fault = *hold_on_fault;
        self.held = *held;
    }
}

/// Buffers that do not persist between calls, so that calls between steps need not allocate.
pub(crate) struct Scratch {
    /// One per output: derivatives, or outputs that are not all known yet.
    pub derivatives: Vec<f64>,
    /// One per continuous state: directional derivatives of its derivative.
    pub rates: Vec<f64>,
}

/// Derivatives of all continuous states, kept until a quantity changes on which they depend.
pub(super) struct Derivatives {
    /// One per state.
    pub values: Vec<f64>,
    /// They belong to the present time, states and settings.
    pub known: bool,
}

/// One instance.
pub(crate) struct Instance {
    pub(super) kind: Kind,
    pub(super) log: Log,
    pub(super) guid: String,
    document: Box<Document>,
    pub(super) variables: Vec<Variable>,
    /// The system with the parameter values of the file, which fmi2Reset returns to.
    default_system: Arc<System>,
    pub(super) memory: Memory,
    pub(super) simulator: Box<Simulator>,
    pub(super) scratch: Scratch,
    pub(super) derivatives: Derivatives,
    pub(super) intermediate: Intermediate,
    /// The last computed initial states, the latest first, see [`Instance::require_outputs`].
    initial_states: Vec<StoredState>,
}

/// A simulator that can compute derivatives without allocating. C sources have one, and no code to make another.
#[inline(never)]
pub(super) fn simulator(system: &Arc<System>) -> Box<Simulator> {
    let mut simulator = Box::new(Simulator::new(system.clone()));
    simulator.prepare_derivatives();
    simulator
}

impl Instance {
    /// Reads the resources, compiles the model with the parameter values of the file, and checks the GUIDs.
    ///
    /// On failure the reasons, one message each; a wrong model file gives one per diagnostic.
    pub(crate) fn new(
        log: Log,
        kind: Kind,
        expected_guid: &CStr,
        location: Location,
    ) -> Result<Box<Instance>, (Log, Vec<String>)> {
        // Found in the resource folder, or prepared by the export.
        #[cfg(not(all(target_family = "wasm", feature = "portable")))]
        let found = load(expected_guid, location);
        #[cfg(all(target_family = "wasm", feature = "portable"))]
        let found = super::portable::prepared(expected_guid, location);
        let mut instance = match found {
            Ok(instance) => instance,
            Err(reasons) => return Err((log, reasons)),
        };
        if let (Kind::ModelExchange, Some(reason)) = (kind, &instance.default_system.interface().not_continuous) {
            let reason = format!("this FMU is for Co-Simulation only, not for Model Exchange: {reason}");
            return Err((log, vec![reason]));
        }
        (instance.log, instance.kind) = (log, kind);
        instance.log.event(|| {
            format!(
                "instantiated model '{}' for {}, GUID {}, solver {}",
                instance.default_system.name(),
                kind.as_str(),
                instance.guid,
                crate::SOURCES
            )
        });
        Ok(instance)
    }

    // Not inlined, so that its stack frame is released before any computation on a thread with a small stack.
    #[inline(never)]
    fn with_system(log: Log, kind: Kind, document: Box<Document>, system: Arc<System>, guid: String) -> Box<Instance> {
        let interface = system.interface();
        let outputs = interface.outputs.len();
        Box::new(Instance {
            kind,
            log,
            guid,
            document,
            variables: table(interface),
            memory: start_memory(&system),
            simulator: simulator(&system),
            scratch: Scratch { derivatives: vec![0.0; outputs], rates: vec![0.0; interface.states.len()] },
            derivatives: Derivatives { values: vec![0.0; interface.states.len()], known: false },
            intermediate: Intermediate::none(),
            default_system: system,
            initial_states: Vec::new(),
        })
    }

    /// Whether the importer has read the model description of this FMU.
    pub(super) fn check_guid(&self, expected: &CStr) -> Result<(), Vec<String>> {
        match expected.to_bytes() == self.guid.as_bytes() {
            true => Ok(()),
            false => {
                let expected = expected.to_string_lossy();
                Err(vec![format!("the importer expects GUID {expected}, but this FMU has {}", self.guid)])
            }
        }
    }

    /// The model.
    #[cfg(all(target_family = "wasm", feature = "portable"))]
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The kind for which the instance was created.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// State of the call sequence.
    pub(crate) fn state(&self) -> State {
        self.memory.state
    }

    /// Changes to another state of the call sequence.
    pub(crate) fn set_state(&mut self, state: State) {
        self.memory.state = state;
    }

    /// The connection to the importer's logger.
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// fmi2SetDebugLogging
    pub(crate) fn set_debug_logging(&mut self, on: bool, categories: &[&CStr]) -> Result<(), Problem> {
        self.log
            .set_enabled(on, categories)
            .map_err(|name| Problem::warning(format!("'{}' is not a log category of this FMU", name.to_string_lossy())))
    }

    /// fmi2SetupExperiment: times in s. The tolerance is not used, the step is fixed.
    pub(crate) fn setup_experiment(&mut self, start: f64, stop: Option<f64>) -> Result<(), Problem> {
        if !start.is_finite() {
            return Err(Problem::error(format!("start time {start} is not finite")));
        }
        // A NaN stop time fails the comparison too.
        if let Some(stop) = stop
            && !(stop >= start)
        {
            return Err(Problem::error(format!("stop time {stop} s must be at or after the start time {start} s")));
        }
        self.memory.experiment = Some(Experiment { start, stop });
        self.memory.initialized = false;
        Ok(())
    }

    /// fmi2EnterInitializationMode
    pub(crate) fn enter_initialization(&mut self) -> Result<(), Problem> {
        if self.memory.experiment.is_none() {
            return Err(Problem::error("fmi2SetupExperiment must be called first"));
        }
        self.follow_parameters()?;
        self.memory.state = State::Initialization;
        Ok(())
    }

    /// fmi2ExitInitializationMode
    pub(crate) fn exit_initialization(&mut self) -> Result<(), Problem> {
        self.require_outputs()?;
        self.memory.completed = self.simulator.time();
        self.memory.state = match self.kind {
            Kind::CoSimulation => State::StepComplete,
            Kind::ModelExchange => State::EventMode,
        };
        self.log.event(|| format!("initialized at t = {} s", self.simulator.time()));
        Ok(())
    }

    /// fmi2Terminate: a warning if the run is questionable.
    pub(crate) fn terminate(&mut self) -> Result<(), Problem> {
        self.memory.state = State::Terminated;
        match self.simulator.judgement().warning(self.simulator.system(), true) {
            Some(words) => {
                let whose = match self.kind {
                    Kind::CoSimulation => "",
                    Kind::ModelExchange => " (the importer's integrator makes the steps: reduce its tolerance)",
                };
                Err(Problem::warning(format!("questionable up to t = {} s: {words}{whose}", self.simulator.time())))
            }
            None => Ok(()),
        }
    }

    /// Whether the last step was interrupted, so that the FMU requests the end of the simulation.
    pub(crate) fn wants_to_end(&self) -> bool {
        self.memory.terminated
    }

    /// fmi2Reset: as after fmi2Instantiate, log categories included.
    pub(crate) fn reset(&mut self) -> Result<(), Problem> {
        if Arc::ptr_eq(self.simulator.system(), &self.default_system) {
            self.simulator.restart();
        } else {
            reserve::check(reserve::for_system(&self.document)).map_err(Problem::error)?;
            self.simulator = simulator(&self.default_system);
        }
        self.memory = start_memory(&self.default_system);
        self.derivatives.known = false;
        self.log.reset();
        self.log.event(|| "reset to the start values".to_string());
        Ok(())
    }

    /// fmi2DoStep: from `current` over `step`, s.
    pub(crate) fn do_step(&mut self, current: f64, step: f64) -> Result<(), Problem> {
        let Some(end) = self.begin_step(current, step)? else { return Ok(()) };
        let advanced = self.simulator.advance(end);
        self.end_step(advanced, end)
    }

    /// The end of a step from `current` over `step`, s, if it can be made; `None` if the hold mode has made it.
    pub(super) fn begin_step(&mut self, current: f64, step: f64) -> Result<Option<f64>, Problem> {
        if !(step > 0.0 && step.is_finite()) {
            return Err(Problem::error(format!("communicationStepSize {step} s must be positive and finite")));
        }
        let time = self.time();
        let tolerance = (CLOCK_TOLERANCE * step).max(TIME_TOLERANCE * time.abs());
        // Written so that a NaN fails.
        if !((current - time).abs() <= tolerance) {
            return Err(Problem::error(format!(
                "currentCommunicationPoint {current} s differs from the FMU's time, {time} s"
            )));
        }
        let end = current + step;
        if let Some(stop) = self.memory.experiment.and_then(|experiment| experiment.stop)
            && end > stop + tolerance
        {
            return Err(Problem::error(format!("the step to {end} s would pass the stop time {stop} s")));
        }
        if self.is_held_with_inputs() {
            self.memory.held = Some(end);
            self.memory.settings.slopes.fill(0.0);
            return Ok(None);
        }
        self.check_inputs()?;
        self.memory.outputs_known = false;
        self.derivatives.known = false;
        Ok(Some(end))
    }

    /// Completes a step to `end`, s, whose internal steps ended with `advanced`.
    pub(super) fn end_step(&mut self, advanced: Result<(), Fault>, end: f64) -> Result<(), Problem> {
        self.memory.settings.slopes.fill(0.0);
        if let Err(fault) = advanced
            && self.hold(Cause::Fault(fault), end)
        {
            return Ok(());
        }
        let evaluated = self.evaluate();
        match advanced.and(evaluated) {
            Err(fault) if self.hold(Cause::Fault(fault), end) => Ok(()),
            done => done.map_err(|fault| self.interrupted(fault)),
        }
    }

    /// The status of a fault during a step for the importer; see the module documentation.
    fn interrupted(&mut self, fault: Fault) -> Problem {
        let message = self.simulator.describe(&fault);
        if !ends_the_run(&fault) {
            return Problem::error(message);
        }
        self.memory.state = State::StepFailed;
        self.memory.terminated = true;
        Problem::discard(format!("{message}; the step was completed up to {} s", self.simulator.time()))
    }

    /// A fault outside a step is an error.
    pub(super) fn fault(&self, fault: Fault) -> Problem {
        Problem::error(self.simulator.describe(&fault))
    }

    /// Whether no input and no slope is NaN or infinite.
    pub(super) fn check_inputs(&self) -> Result<(), Problem> {
        let settings = &self.memory.settings;
        let bad = |values: &[f64]| values.iter().position(|value| !value.is_finite());
        let inputs = &self.simulator.system().interface().inputs;
        if let Some(i) = bad(&settings.inputs) {
            return Err(Problem::error(format!("input '{}' is {}", inputs[i].name, settings.inputs[i])));
        }
        if let Some(i) = bad(&settings.slopes) {
            return Err(Problem::error(format!("derivative of input '{}' is {}", inputs[i].name, settings.slopes[i])));
        }
        Ok(())
    }

    /// Computes the initial state if settings changed since it was computed, and its outputs.
    ///
    /// An initial state follows from experiment and settings alone, so the last [`INITIAL_STATES`] are kept with them.
    /// Hosts that iterate over several FMUs return to the same settings, and a trim takes a good part of a second.
    pub(super) fn require_outputs(&mut self) -> Result<(), Problem> {
        if self.memory.initialized && self.memory.outputs_known {
            return Ok(());
        }
        if let Some(index) = self.initial_states.iter().position(|stored| self.begins_like(stored.memory())) {
            let stored = self.initial_states.remove(index);
            // Data on which no initial state depends are kept.
            let Memory { state, terminated, hold_on_fault, .. } = self.memory;
            let restored = self.restore(&stored);
            (self.memory.state, self.memory.terminated, self.memory.hold_on_fault) = (state, terminated, hold_on_fault);
            self.initial_states.insert(0, stored);
            return restored;
        }
        self.require_initialized()?;
        self.evaluate().map_err(|fault| self.fault(fault))?;
        if self.memory.state == State::Initialization {
            self.initial_states.truncate(INITIAL_STATES - 1);
            self.initial_states.insert(0, self.store());
        }
        Ok(())
    }

    /// Whether the initial state of `other` results from the present experiment and settings. The call sequence does
    /// not count.
    fn begins_like(&self, other: &Memory) -> bool {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let start = |memory: &Memory| memory.experiment.map(|experiment| experiment.start.to_bits());
        let (mine, its) = (&self.memory.settings, &other.settings);
        !self.memory.initialized
            && self.memory.state == State::Initialization
            && self.memory.experiment.map(|experiment| experiment.stop)
                == other.experiment.map(|experiment| experiment.stop)
            && start(&self.memory) == start(other)
            && bits(&mine.parameters) == bits(&its.parameters)
            && bits(&mine.inputs) == bits(&its.inputs)
            && bits(&mine.slopes) == bits(&its.slopes)
    }

    /// Evaluates the outputs of the present state. On a fault the outputs of the last communication point are kept, so
    /// that an output that is not finite is never read.
    fn evaluate(&mut self) -> Result<(), Fault> {
        let fresh = &mut self.scratch.derivatives;
        self.simulator.outputs(fresh)?;
        self.memory.outputs.copy_from_slice(fresh);
        self.memory.outputs_known = true;
        Ok(())
    }

    /// Computes the initial state if settings changed since it was computed.
    pub(super) fn require_initialized(&mut self) -> Result<(), Problem> {
        let Some(experiment) = self.memory.experiment.filter(|_| !self.memory.initialized) else { return Ok(()) };
        self.check_inputs()?;
        self.follow_parameters()?;
        self.memory.outputs_known = false;
        self.derivatives.known = false;
        // The same settings give the same bits, whatever the earlier initializations.
        let system = self.simulator.system().clone();
        self.simulator.set_state(&system.initial);
        let settings = &self.memory.settings;
        for (i, info) in system.interface().parameters.iter().enumerate() {
            if info.tunable {
                self.simulator.set_parameter(i, settings.parameters[i]);
            }
        }
        for (i, &value) in settings.inputs.iter().enumerate() {
            self.simulator.set_input(i, value);
        }
        self.simulator.initialize(experiment.start).map_err(|fault| self.fault(fault))?;
        // The initialization treats inputs as constants.
        for (i, &slope) in self.memory.settings.slopes.iter().enumerate() {
            self.simulator.set_input_derivative(i, slope);
        }
        self.memory.initialized = true;
        Ok(())
    }

    /// Compiles the system again if a fixed parameter differs from the present system's.
    fn follow_parameters(&mut self) -> Result<(), Problem> {
        let parameters = &self.simulator.system().interface().parameters;
        let (wanted, present) = (&self.memory.settings.parameters, &self.memory.compiled);
        let differs = |i: usize| !parameters[i].tunable && wanted[i].to_bits() != present[i].to_bits();
        if !(0..parameters.len()).any(differs) {
            return Ok(());
        }
        let wanted = wanted.clone();
        let system = self.compile(&wanted)?;
        self.log.event(|| "compiled the model with the values of the fixed parameters".to_string());
        self.simulator = simulator(&system);
        self.memory.compiled = wanted;
        self.memory.initialized = false;
        Ok(())
    }

    /// The model's system for these parameter values.
    pub(super) fn compile(&self, parameters: &[f64]) -> Result<Arc<System>, Problem> {
        reserve::check(reserve::for_system(&self.document)).map_err(Problem::error)?;
        compile(&self.document, parameters).map_err(|diagnostics| Problem::error(diagnostics.to_string()))
    }
}

/// The memory of an instance that was just created from `system`.
fn start_memory(system: &System) -> Memory {
    let interface = system.interface();
    let parameters: Vec<f64> = interface.parameters.iter().map(|parameter| parameter.start).collect();
    Memory {
        state: State::Instantiated,
        experiment: None,
        compiled: parameters.clone(),
        settings: Settings {
            parameters,
            inputs: interface.inputs.iter().map(|input| input.start).collect(),
            slopes: vec![0.0; interface.inputs.len()],
        },
        initialized: false,
        outputs: vec![0.0; interface.outputs.len()],
        outputs_known: false,
        terminated: false,
        completed: 0.0,
        hold_on_fault: false,
        held: None,
    }
}

/// An instance of the model in the resource folder, without a log, or all reasons for the failure.
#[inline(never)]
#[cfg_attr(all(target_family = "wasm", feature = "portable"), expect(dead_code))]
fn load(expected_guid: &CStr, location: Location) -> Result<Box<Instance>, Vec<String>> {
    // Locate the resources, and check the memory before each large step: allocation failure would abort the host.
    let folder = resource::locate(location, MODEL_FILE).map_err(|error| vec![error.to_string()])?;
    reserve::check(reserve::for_reading(&folder)).map_err(|message| vec![message])?;
    let read = |file: &Path| {
        crate::document::file::read_text(file).map_err(|error| vec![format!("cannot read {}: {error}", file.display())])
    };
    // Model text and the GUID that was packed with it.
    let model_path = folder.join(MODEL_FILE);
    let text = read(&model_path)?;
    let packed_guid = read(&folder.join(GUID_FILE))?;
    let mut document = parse(&text, &model_path.display().to_string()).map_err(lines)?;
    document.model.general.hold_mode = folder.join(HOLD_MODE_FILE).is_file();
    document.model.general.constant_parameters = folder.join(CONSTANTS_FILE).is_file();
    let instance = build(document, &text, &packed_guid)?;
    instance.check_guid(expected_guid)?;
    Ok(instance)
}

/// One message per diagnostic.
fn lines(diagnostics: model::Diagnostics) -> Vec<String> {
    diagnostics.0.iter().map(ToString::to_string).collect()
}

/// An instance of a model that was read from `text`, with the default values of the parameters. Its GUID must be
/// `packed_guid`.
pub(super) fn build(mut document: Box<Document>, text: &str, packed_guid: &str) -> Result<Box<Instance>, Vec<String>> {
    let files = std::mem::take(&mut document.files);
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    reserve::check(reserve::for_system(&document)).map_err(|message| vec![message])?;
    let system = compile(&document, &values).map_err(lines)?;
    // The GUID is computed again: it detects changed resources and a library of another version.
    let guid = super::guid(text, &files, system.interface());
    if packed_guid.trim() != guid {
        return Err(vec![format!(
            "{GUID_FILE} contains {}, but the resources give {guid}: {} changed after packaging, or the library has \
             another version",
            packed_guid.trim(),
            if files.is_empty() { "the model was" } else { "the model or a file that it names was" }
        )]);
    }
    let log = Log::new(c"", Sink::fmi2(None), false, Environment::DEFAULT);
    Ok(Instance::with_system(log, Kind::CoSimulation, document, system, guid))
}

/// Whether this fault of a step ends the run. The other faults are wrong arguments, or occur in initializations and
/// analyses only.
pub(super) fn ends_the_run(fault: &Fault) -> bool {
    match fault {
        Fault::LoopOpen { .. }
        | Fault::NoInertia { .. }
        | Fault::NotFinite { .. }
        | Fault::BeyondCurve { .. }
        | Fault::NotConverged { .. }
        | Fault::StateNotFinite { .. }
        | Fault::OutputNotFinite { .. } => true,
        Fault::BadInput { .. }
        | Fault::BadTime { .. }
        | Fault::TooManySteps { .. }
        | Fault::NotTrimmed { .. }
        | Fault::SpeedsContradict { .. }
        | Fault::Singular { .. }
        | Fault::NotDeformed { .. } => false,
    }
}

// The functions below are not inlined for the same reason as `Instance::with_system`.

/// A model on the heap.
#[inline(never)]
fn parse(text: &str, file: &str) -> Result<Box<Document>, model::Diagnostics> {
    model::parse(text, file).map(Box::new)
}

/// A system on the heap.
#[inline(never)]
fn compile(document: &Document, parameters: &[f64]) -> Result<Arc<System>, model::Diagnostics> {
    compile::compile(document, parameters).map(Arc::new)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An instance of a pendulum with one input, one fixed and one tunable parameter, without a logger.
    pub(crate) fn instance() -> Box<Instance> {
        // A single pendulum has every kind of variable that the tests set.
        let text = r#"
            [model]
            name = "pendulum"
            gravity = [0, 0, -9.81]
            [[body]]
            name = "bob"
            mass = "mass"
            com = [1, 0, 0]
            inertia = [0, 0.01, 0.01, 0, 0, 0]
            [[joint]]
            name = "pivot"
            type = "revolute"
            bodies = ["ground", "bob"]
            point = [0, 0, 0]
            axis = [0, 1, 0]
            [[drive]]
            name = "motor"
            joint = "pivot"
            value = "torque"
            gain = "gain"
            [[input]]
            name = "torque"
            [[parameter]]
            name = "mass"
            value = 1.0
            [[parameter]]
            name = "gain"
            value = 1.0
            tunable = true
            [[output]]
            name = "angle"
            joint = "pivot"
            quantity = "position"
        "#;
        // Mass and gain are 1, the values in the file.
        let document = model::parse(text, "pendulum.toml").expect("the model is right");
        let system = Arc::new(compile::compile(&document, &[1.0, 1.0]).expect("the model is right"));
        let guid = crate::fmi::guid(text, &document.files, system.interface());
        Instance::with_system(
            Log::new(c"pendulum", Sink::fmi2(None), false, Environment::DEFAULT),
            Kind::CoSimulation,
            Box::new(document),
            system,
            guid,
        )
    }

    /// An instance of a model of the gallery, without a logger.
    pub(crate) fn gallery_instance(name: &str) -> Box<Instance> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
        let document = model::load(&folder).expect("in the gallery");
        let system = compile::compile(&document, &document.model.parameter_values()).expect("compiles");
        let guid = crate::fmi::guid(name, &document.files, system.interface());
        let log = Log::new(c"gallery", Sink::fmi2(None), false, Environment::DEFAULT);
        Instance::with_system(log, Kind::CoSimulation, Box::new(document), Arc::new(system), guid)
    }

    fn initialized() -> Box<Instance> {
        let mut instance = instance();
        instance.setup_experiment(0.0, None).unwrap();
        instance.enter_initialization().unwrap();
        instance.exit_initialization().unwrap();
        instance
    }

    #[test]
    fn the_obstacles_of_the_motion_discard_a_step_and_wrong_requests_are_errors() {
        use crate::fmi::status::Status;
        let discarded = [
            Fault::LoopOpen { block: 0, gap: 1.0, time: 0.0 },
            Fault::NoInertia { joint: 0, time: 0.0 },
            Fault::NotFinite { joint: 0, time: 0.0 },
            Fault::BeyondCurve { joint: 0, time: 0.0 },
            Fault::NotConverged { coordinate: 0, change: 1.0, gap: 1.0, time: 0.0 },
            Fault::StateNotFinite { state: 0, time: 0.0 },
            Fault::OutputNotFinite { output: 0, time: 0.0 },
        ];
        for fault in discarded {
            let mut instance = initialized();
            assert_eq!(instance.interrupted(fault).status, Status::Discard);
            assert_eq!((instance.state(), instance.memory.terminated), (State::StepFailed, true));
        }
        for fault in [Fault::BadInput { input: 0, time: 0.0 }, Fault::BadTime { asked: 0.0, time: 1.0 }] {
            assert_eq!(initialized().interrupted(fault).status, Status::Error);
        }
    }

    #[test]
    fn an_interval_a_millionth_too_long_takes_no_further_step() {
        for (longer, steps) in [(0.0, 250.0), (5e-7, 250.0), (1e-5, 251.0)] {
            let mut instance = initialized();
            instance.do_step(0.0, 0.25 * (1.0 + longer)).unwrap();
            assert_eq!((instance.time(), instance.simulator.judgement().steps()), (0.25 * (1.0 + longer), steps));
        }
    }

    #[test]
    fn a_copied_memory_is_equal_and_keeps_its_buffers() {
        let mut instance = initialized();
        let mut copy = instance.memory.clone();
        let buffers = (copy.outputs.as_ptr(), copy.settings.inputs.as_ptr());
        instance.do_step(0.0, 0.25).unwrap();
        assert_ne!(copy, instance.memory);
        copy.clone_from(&instance.memory);
        assert_eq!(copy, instance.memory);
        assert_eq!(buffers, (copy.outputs.as_ptr(), copy.settings.inputs.as_ptr()));
    }

    #[test]
    fn the_system_is_compiled_anew_only_for_fixed_parameters() {
        let mut instance = instance();
        let first = Arc::as_ptr(instance.simulator.system());
        instance.memory.settings.parameters[1] = 2.0;
        instance.follow_parameters().unwrap();
        assert_eq!(first, Arc::as_ptr(instance.simulator.system()));
        instance.memory.settings.parameters[0] = 2.0;
        instance.follow_parameters().unwrap();
        assert_ne!(first, Arc::as_ptr(instance.simulator.system()));
        assert_eq!(instance.memory.compiled, [2.0, 2.0]);
    }
}
