//! Stored FMU states: saving, restoring, serialization and deserialization.
//!
//! A stored state contains everything that determines the rest of the simulation: the solver's state, the position in
//! the call sequence, the experiment, the parameters (also fixed ones), the inputs and their slopes, the outputs of the
//! last communication point, and the quality figures of the run. It belongs to the FMU (GUID), not to the instance. Any
//! instance of the same kind, also in another process, continues from it bit for bit. A state of Co-Simulation is not a
//! state of Model Exchange, where the importer sets positions and speeds and the solver does not close them. The log
//! categories are not part of it.
//!
//! Bytes, little endian, one layout for all platforms:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `BALLESTA` |
//! | 4 | version of this layout |
//! | 8 | length of the whole, checksum included |
//! | 38 | GUID |
//! | 1 + 1 | position in the call sequence; flags |
//! | 8 + 8 + 8 | start time, stop time, time of the last completed integrator step |
//! | 8, in a hold | the importer's present time |
//! | 5 × (8 + 8 n) | parameters, those of the compiled system, inputs, slopes, outputs; each a count and numbers |
//! | 8 × 26 | [`Judgement::numbers`] |
//! | 8 + n | solver state: a count and [`SolverState::to_bytes`] |
//! | 8 | first bytes of the SHA-256 of all before |
//!
//! The checksum detects corruption, not forgery; a state with a valid checksum is still validated. Position, flags and
//! times must be consistent. Parameters are within their limits, and fixed parameters equal the parameters of the
//! compiled system once there is a motion. Outputs, quality figures and solver state are finite; orders are
//! permutations. Inputs and slopes may be NaN, as they may be when they are set; a step rejects them. A valid state is
//! a state from which the solver can start, but not necessarily a state that it has reached.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::instance::{Experiment, Instance, Memory, Settings, simulator};
use super::states::{Kind, State};
use super::status::Problem;
use crate::simulate::Judgement;
use crate::system::{ParameterInfo, State as SolverState, System};

const MAGIC: &[u8; 8] = b"BALLESTA";
const VERSION: u32 = 6;
const GUID_LENGTH: usize = 38;
const CHECKSUM_LENGTH: usize = 8;
/// Everything whose length does not depend on the model.
const FIXED_LENGTH: usize = 8 + 4 + 8 + GUID_LENGTH + 2 + 24 + 5 * 8 + 8 * Judgement::NUMBERS + 8 + CHECKSUM_LENGTH;

/// The target of fmi2FMUstate.
pub(crate) struct StoredState {
    kind: Kind,
    guid: String,
    system: Arc<System>,
    memory: Memory,
    judgement: Judgement,
    solver: SolverState,
}

impl Instance {
    /// fmi2GetFMUstate, first call.
    pub(crate) fn store(&self) -> StoredState {
        StoredState {
            kind: self.kind,
            guid: self.guid.clone(),
            system: self.simulator.system().clone(),
            memory: self.memory.clone(),
            judgement: *self.simulator.judgement(),
            solver: self.simulator.state().clone(),
        }
    }

    /// More than the bytes of a new stored state.
    pub(crate) fn stored_bytes(&self) -> usize {
        let Memory { settings, compiled, outputs, .. } = &self.memory;
        let numbers = settings.parameters.len() + 2 * settings.inputs.len() + compiled.len() + outputs.len();
        4096 + 8 * numbers + 2 * self.simulator.state().byte_length()
    }

    /// fmi2GetFMUstate into an existing stored state; does not allocate if it belongs to the same compiled system.
    pub(crate) fn store_into(&self, stored: &mut StoredState) {
        stored.kind = self.kind;
        stored.guid.clone_from(&self.guid);
        stored.system.clone_from(self.simulator.system());
        stored.memory.clone_from(&self.memory);
        stored.judgement = *self.simulator.judgement();
        stored.solver.clone_from(self.simulator.state());
    }

    /// fmi2SetFMUstate
    pub(crate) fn restore(&mut self, stored: &StoredState) -> Result<(), Problem> {
        if stored.guid != self.guid {
            return Err(Problem::error(format!(
                "the state belongs to FMU {}, but this is FMU {}",
                stored.guid, self.guid
            )));
        }
        check_kind(stored.kind, self.kind)?;
        if !Arc::ptr_eq(&stored.system, self.simulator.system()) {
            self.simulator = simulator(&stored.system);
        }
        self.simulator.set_state(&stored.solver);
        self.simulator.set_judgement(&stored.judgement);
        self.memory.clone_from(&stored.memory);
        self.derivatives.known = false;
        Ok(())
    }

    /// fmi2DeSerializeFMUstate: compiles the model if the state was made with other fixed parameters than this
    /// instance's.
    pub(crate) fn deserialize(&self, bytes: &[u8]) -> Result<StoredState, Problem> {
        let (kind, memory, judgement, solver_bytes) = decode(bytes, &self.guid, &self.memory)?;
        check_kind(kind, self.kind)?;
        let interface = self.simulator.system().interface();
        if memory.hold_on_fault && !interface.hold_mode {
            return Err(Problem::error("the serialized state has the hold mode, but this FMU does not"));
        }
        if let Some(fault) = contradiction(kind, &memory, &judgement, &interface.parameters) {
            return Err(Problem::error(format!("the serialized state is not valid: {fault}")));
        }
        let mut fresh = None;
        if !same_bits(&memory.compiled, &self.memory.compiled) {
            fresh = Some(simulator(&self.compile(&memory.compiled)?));
        }
        let simulator = fresh.as_ref().unwrap_or(&self.simulator);
        let mut solver = simulator.state().clone();
        if !solver.copy_from_bytes(solver_bytes, simulator.system()) {
            return Err(Problem::error(
                "the serialized solver state does not fit this model: its length, an order or a number is wrong",
            ));
        }
        if memory.initialized && memory.experiment.is_none_or(|experiment| !(solver.time >= experiment.start)) {
            return Err(Problem::error(format!(
                "the serialized state is not valid: its time, {} s, is before the start",
                solver.time
            )));
        }
        let (guid, system) = (self.guid.clone(), simulator.system().clone());
        Ok(StoredState { kind, guid, system, memory, judgement, solver })
    }
}

impl StoredState {
    /// The data of the instance in addition to the solver's state.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Length of the result of [`StoredState::serialize`] in bytes.
    pub(crate) fn serialized_length(&self) -> usize {
        let numbers: usize = lists(&self.memory).iter().map(|list| list.len()).sum();
        FIXED_LENGTH + 8 * usize::from(self.memory.held.is_some()) + 8 * numbers + self.solver.byte_length()
    }

    /// The state as bytes, see the module documentation.
    pub(crate) fn serialize(&self) -> Vec<u8> {
        // Header: magic number, layout version, length and GUID.
        let length = self.serialized_length();
        let memory = &self.memory;
        let stop = memory.experiment.and_then(|experiment| experiment.stop);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend(self.guid.as_bytes());
        // Mode, flags and times.
        bytes.push(memory.state as u8);
        let flags = [
            memory.initialized,
            memory.outputs_known,
            memory.terminated,
            memory.experiment.is_some(),
            stop.is_some(),
            self.kind == Kind::ModelExchange,
            memory.hold_on_fault,
            memory.held.is_some(),
        ];
        bytes.push(flags.iter().enumerate().map(|(i, &flag)| u8::from(flag) << i).sum());
        bytes.extend(memory.experiment.map_or(0.0, |experiment| experiment.start).to_le_bytes());
        bytes.extend(stop.unwrap_or(0.0).to_le_bytes());
        bytes.extend(memory.completed.to_le_bytes());
        bytes.extend(memory.held.iter().flat_map(|time| time.to_le_bytes()));
        // Lists with their lengths, quality figures and the state of the solver.
        for list in lists(memory) {
            bytes.extend((list.len() as u64).to_le_bytes());
            bytes.extend(list.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(self.judgement.numbers().iter().flat_map(|number| number.to_le_bytes()));
        let solver = self.solver.to_bytes();
        bytes.extend((solver.len() as u64).to_le_bytes());
        bytes.extend(solver);
        // The checksum covers all bytes before it.
        let checksum = checksum(&bytes);
        bytes.extend(checksum);
        bytes
    }
}

/// The lists of numbers, in the order of the layout.
fn lists(memory: &Memory) -> [&[f64]; 5] {
    let Settings { parameters, inputs, slopes } = &memory.settings;
    [parameters, &memory.compiled, inputs, slopes, &memory.outputs]
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let mut checksum = [0; CHECKSUM_LENGTH];
    checksum.copy_from_slice(&Sha256::digest(bytes)[..CHECKSUM_LENGTH]);
    checksum
}

/// Kind, memory, judgement and solver bytes of a serialized state; `like` gives the lengths of this model.
fn decode<'a>(bytes: &'a [u8], guid: &str, like: &Memory) -> Result<(Kind, Memory, Judgement, &'a [u8]), Problem> {
    let short = || Problem::error("the data are too short for a serialized state");
    // Magic number and version first: the layout of everything else depends on them.
    let mut reader = Reader { bytes };
    if reader.take(MAGIC.len()).ok_or_else(short)? != MAGIC {
        return Err(Problem::error("the data are not a serialized state of this program"));
    }
    let version = u32::from_le_bytes(reader.array().ok_or_else(short)?);
    if version != VERSION {
        return Err(Problem::error(format!(
            "the serialized state has layout version {version}, but this FMU uses \
                                           {VERSION}"
        )));
    }
    // The stated length must fit the data; the data may be longer.
    let length = reader.count().ok_or_else(short)?;
    if length > bytes.len() || length < FIXED_LENGTH {
        return Err(Problem::error(format!(
            "the serialized state should have {length} bytes, but {} were given",
            bytes.len()
        )));
    }
    // The state must be from the same FMU and undamaged.
    let (content, sum) = bytes[..length].split_at(length - CHECKSUM_LENGTH);
    let owner = reader.take(GUID_LENGTH).ok_or_else(short)?;
    if owner != guid.as_bytes() {
        let owner = String::from_utf8_lossy(owner);
        return Err(Problem::error(format!("the serialized state belongs to FMU {owner}, but this is FMU {guid}")));
    }
    if checksum(content) != sum {
        return Err(Problem::error("the serialized state is damaged: its checksum is wrong"));
    }
    // The content is decoded only after these checks.
    let mut reader = Reader { bytes: &content[8 + 4 + 8 + GUID_LENGTH..] };
    let damaged = || Problem::error("the serialized state does not fit this model");
    decode_content(&mut reader, like).ok_or_else(damaged)
}

/// The content after the GUID.
fn decode_content<'a>(reader: &mut Reader<'a>, like: &Memory) -> Option<(Kind, Memory, Judgement, &'a [u8])> {
    let [state, flags] = reader.array()?;
    let flag = |i: u8| flags & (1 << i) != 0;
    // A stop time needs an experiment, and a hold its mode.
    if flag(4) && !flag(3) || flag(7) && !flag(6) {
        return None;
    }
    let (start, stop) = (reader.number()?, reader.number()?);
    let mut memory = like.clone();
    memory.completed = reader.number()?;
    memory.hold_on_fault = flag(6);
    memory.held = if flag(7) { Some(reader.number()?) } else { None };
    let kind = if flag(5) { Kind::ModelExchange } else { Kind::CoSimulation };
    memory.state = *State::COLUMNS.get(state as usize)?;
    memory.initialized = flag(0);
    memory.outputs_known = flag(1);
    memory.terminated = flag(2);
    memory.experiment = flag(3).then_some(Experiment { start, stop: flag(4).then_some(stop) });
    let Settings { parameters, inputs, slopes } = &mut memory.settings;
    for list in [parameters, &mut memory.compiled, inputs, slopes, &mut memory.outputs] {
        if reader.count()? != list.len() {
            return None;
        }
        for number in list {
            *number = reader.number()?;
        }
    }
    let mut numbers = [0.0; Judgement::NUMBERS];
    for number in &mut numbers {
        *number = reader.number()?;
    }
    let solver_length = reader.count()?;
    let solver = reader.take(solver_length)?;
    reader.bytes.is_empty().then(|| (kind, memory, Judgement::from_numbers(&numbers), solver))
}

/// Whether an instance of kind `own` may continue from a state of kind `stored`.
fn check_kind(stored: Kind, own: Kind) -> Result<(), Problem> {
    if stored == own {
        return Ok(());
    }
    Err(Problem::error(format!("the state is for {}, but this instance is for {}", stored.as_str(), own.as_str())))
}

/// The error in a decoded memory and judgement that no run can produce, if there is one.
fn contradiction(kind: Kind, memory: &Memory, judgement: &Judgement, infos: &[ParameterInfo]) -> Option<String> {
    let Memory { state, experiment, settings, compiled, initialized, outputs, outputs_known, completed, .. } = memory;
    let held = &memory.held;
    let said = |words: &str| Some(words.to_string());
    // Times of the experiment and of the last step.
    if let Some(Experiment { start, stop }) = experiment
        && !(start.is_finite() && stop.is_none_or(|stop| stop >= *start))
    {
        return Some(format!("its experiment is from {start} s to {} s", stop.unwrap_or(f64::INFINITY)));
    }
    if !completed.is_finite() {
        return Some(format!("its last step ended at {completed} s"));
    }
    if held.is_some_and(|time| !time.is_finite() || !*initialized) {
        return said("its held outputs have an invalid time");
    }
    // The FMI mode must be possible for the kind of instance and for what was done before.
    let exchanged = kind == Kind::ModelExchange;
    match state {
        State::Instantiated | State::Error => (),
        State::Initialization if experiment.is_some() => (),
        State::StepComplete if experiment.is_some() && *initialized && *outputs_known && !exchanged => (),
        State::StepFailed if experiment.is_some() && *initialized && !exchanged => (),
        State::EventMode | State::ContinuousTime if experiment.is_some() && *initialized && exchanged => (),
        State::Terminated if experiment.is_some() && *initialized => (),
        _ => return Some(format!("its mode is '{}', but its other data do not match this mode", state.describe())),
    }
    // Fixed parameters cannot change after initialization.
    let moving = state.is_initialized() || matches!(state, State::StepFailed | State::Terminated);
    for (i, info) in infos.iter().enumerate() {
        let (set, built) = (settings.parameters[i], compiled[i]);
        if let Some(value) = [set, built].into_iter().find(|value| !info.admits(*value)) {
            return Some(format!("parameter '{}' has the value {value}", info.name));
        }
        if moving && !info.tunable && set != built {
            return Some(format!("fixed parameter '{}' is {set}, but the motion was computed with {built}", info.name));
        }
    }
    // Outputs and quality figures of a run are finite.
    if !outputs.iter().all(|value| value.is_finite()) {
        return said("an output is not a finite number");
    }
    if !judgement.numbers().iter().all(|value| value.is_finite()) {
        return said("a value of its quality record is not a finite number");
    }
    None
}

/// Bytes not yet read.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).ok()
    }
    fn number(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmi::instance::tests::{gallery_instance, instance};
    use crate::fmi::status::Status;

    #[test]
    fn a_state_written_and_read_is_the_same() {
        let mut instance = instance();
        instance.setup_experiment(1.5, Some(3.0)).unwrap();
        instance.memory.settings.inputs[0] = f64::NAN;
        let stored = instance.store();
        let bytes = stored.serialize();
        assert_eq!(bytes.len(), stored.serialized_length());
        let read = instance.deserialize(&bytes).unwrap();
        assert_eq!(read.serialize(), bytes);
        assert_eq!(read.memory.experiment, Some(Experiment { start: 1.5, stop: Some(3.0) }));
    }

    #[test]
    fn any_damaged_byte_and_any_lost_end_is_noticed() {
        let instance = instance();
        let bytes = instance.store().serialize();
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1;
            assert!(instance.deserialize(&damaged).is_err(), "byte {i}");
            assert!(instance.deserialize(&bytes[..i]).is_err(), "only {i} bytes");
        }
    }

    #[test]
    fn bytes_after_the_end_are_ignored() {
        let instance = instance();
        let mut bytes = instance.store().serialize();
        bytes.extend([7; 9]);
        assert!(instance.deserialize(&bytes).is_ok());
    }

    #[test]
    fn the_judgement_goes_on_where_the_state_was_taken() {
        let run = |instance: &mut Instance, steps: std::ops::Range<i32>| {
            steps.for_each(|i| instance.do_step(0.25 * f64::from(i), 0.25).unwrap());
        };
        let mut first = instance();
        first.setup_experiment(0.0, None).unwrap();
        first.enter_initialization().unwrap();
        first.exit_initialization().unwrap();
        run(&mut first, 0..1);
        let stored = first.store();
        let before = *first.simulator.judgement();
        run(&mut first, 1..5);
        let after = *first.simulator.judgement();
        assert!(before.energy_exchanged() > 1.0 && after.energy_exchanged() > before.energy_exchanged());
        first.restore(&stored).unwrap();
        assert_eq!(*first.simulator.judgement(), before);
        let mut second = instance();
        let read = second.deserialize(&stored.serialize()).unwrap();
        second.restore(&read).unwrap();
        for instance in [&mut first, &mut second] {
            run(instance, 1..5);
            assert_eq!(instance.simulator.judgement().numbers(), after.numbers());
        }
    }

    #[test]
    fn a_state_made_with_other_fixed_parameters_brings_its_system() {
        let mut first = instance();
        first.memory.settings.parameters[0] = 2.0;
        first.setup_experiment(0.0, None).unwrap();
        first.enter_initialization().unwrap();
        first.exit_initialization().unwrap();
        first.do_step(0.0, 0.25).unwrap();
        let mut second = instance();
        let read = second.deserialize(&first.store().serialize()).unwrap();
        assert!(!Arc::ptr_eq(&read.system, second.simulator.system()));
        second.restore(&read).unwrap();
        first.do_step(0.25, 0.25).unwrap();
        second.do_step(0.25, 0.25).unwrap();
        assert_eq!(first.simulator.state().to_bytes(), second.simulator.state().to_bytes());
    }

    /// The correct length and checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - CHECKSUM_LENGTH);
        let length = (bytes.len() + CHECKSUM_LENGTH) as u64;
        bytes[12..20].copy_from_slice(&length.to_le_bytes());
        let sum = checksum(&bytes);
        bytes.extend(sum);
        bytes
    }

    fn begun(mut instance: Box<Instance>) -> Box<Instance> {
        instance.setup_experiment(0.0, None).unwrap();
        instance.enter_initialization().unwrap();
        instance.exit_initialization().unwrap();
        instance.do_step(0.0, 1e-3).unwrap();
        instance
    }

    #[test]
    fn what_no_run_leaves_is_refused_although_the_checksum_is_right() {
        let instance = begun(instance());
        let refusal = |change: &dyn Fn(&mut StoredState)| {
            let mut stored = instance.store();
            change(&mut stored);
            let problem = instance.deserialize(&stored.serialize()).err().expect("refused");
            assert_eq!(problem.status, Status::Error);
            problem.message.to_string()
        };
        assert!(instance.deserialize(&instance.store().serialize()).is_ok());
        let says = |message: String, words: &str| assert!(message.contains(words), "{message}");
        for bad in [f64::NAN, f64::INFINITY] {
            says(refusal(&|stored| stored.memory.outputs[0] = bad), "an output is not a finite number");
            says(refusal(&|stored| stored.memory.settings.parameters[1] = bad), "parameter 'gain'");
            says(refusal(&|stored| stored.memory.compiled[0] = bad), "parameter 'mass'");
            says(refusal(&|stored| stored.solver.q[0] = bad), "solver state");
            says(refusal(&|stored| stored.solver.auxiliary[0] = bad), "solver state");
            says(refusal(&|stored| stored.solver.parameters[1] = bad), "solver state");
            says(refusal(&|stored| stored.solver.time = bad), "solver state");
            says(refusal(&|stored| stored.solver.input_times[0] = bad), "solver state");
            let mut numbers = instance.simulator.judgement().numbers();
            numbers[4] = bad;
            says(refusal(&|stored| stored.judgement = Judgement::from_numbers(&numbers)), "quality record");
            let start = Experiment { start: bad, stop: None };
            says(refusal(&|stored| stored.memory.experiment = Some(start)), "its experiment is from");
        }
        let stop = Experiment { start: 1.0, stop: Some(0.5) };
        says(refusal(&|stored| stored.memory.experiment = Some(stop)), "its experiment is from 1 s to 0.5 s");
        let late = Experiment { start: 1.0, stop: None };
        says(refusal(&|stored| stored.memory.experiment = Some(late)), "is before the start");
        says(refusal(&|stored| stored.memory.settings.parameters[0] = 2.0), "fixed parameter 'mass' is 2");
        says(refusal(&|stored| stored.memory.experiment = None), "its other data do not match this mode");
        says(refusal(&|stored| stored.memory.outputs_known = false), "its other data do not match this mode");
        says(refusal(&|stored| stored.memory.state = State::InProgress), "its other data do not match this mode");
        says(refusal(&|stored| stored.solver.near_singular = 2), "solver state");
        // Values set by the host may be NaN; the step rejects them.
        let mut stored = instance.store();
        (stored.memory.settings.inputs[0], stored.solver.inputs[0]) = (f64::NAN, f64::NAN);
        let mut other = begun(super::tests::instance());
        let read = other.deserialize(&stored.serialize()).unwrap();
        other.restore(&read).unwrap();
        assert!(other.do_step(1e-3, 1e-3).is_err());
    }

    #[test]
    fn no_forged_state_panics_or_gives_outputs_that_are_not_finite() {
        // Models with additional states: loops, an implicit integrator with elastic coordinates, the augmented
        // Lagrangian, tyres.
        for name in ["four_bar", "flexible_four_bar", "stick_slip", "guided_five_bar"] {
            let genuine = begun(gallery_instance(name));
            let bytes = genuine.store().serialize();
            let mut target = gallery_instance(name);
            assert!(target.deserialize(&bytes).is_ok(), "{name}");
            let content = 8 + 4 + 8 + GUID_LENGTH;
            let mut random = 0x9e37_79b9_7f4a_7c15u64;
            let mut next = |below: usize| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((random >> 33) as usize) % below
            };
            let (mut refused, mut accepted) = (0, 0);
            for _ in 0..400 {
                let mut forged = bytes.clone();
                for _ in 0..=next(3) {
                    // Numbers of 8 bytes begin 2 bytes after the GUID.
                    let words = (forged.len() - CHECKSUM_LENGTH - content - 2) / 8;
                    let at = content + 2 + 8 * next(words);
                    let special = [f64::NAN, f64::INFINITY, -f64::MAX, 1e200, 5e-324, 0.0, -1.0];
                    match next(6) {
                        0 => forged[at..at + 8].copy_from_slice(&special[next(7)].to_le_bytes()),
                        1 => forged[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes()),
                        2 => forged[at + 4..at + 8].copy_from_slice(&(next(20) as u32).to_le_bytes()),
                        3 => forged[at + next(8)] ^= 1 << next(8),
                        4 => forged[content + next(18)] = next(256) as u8,
                        _ => forged.truncate(forged.len() - next(24)),
                    }
                }
                let Ok(state) = target.deserialize(&sealed(forged)) else {
                    refused += 1;
                    continue;
                };
                accepted += 1;
                target.restore(&state).unwrap();
                let finite = |instance: &Instance| {
                    assert!(instance.memory.outputs.iter().all(|value| value.is_finite()), "{name}");
                };
                finite(&target);
                let references: Vec<u32> = (0..target.variables.len() as u32)
                    .filter(|&at| target.variables[at as usize].causality == crate::fmi::variables::Causality::Output)
                    .filter(|&at| target.variables[at as usize].kind == crate::system::ScalarKind::Real)
                    .collect();
                let mut values = vec![0.0; references.len()];
                if target.output_derivatives(&references, &vec![1; references.len()], &mut values).is_ok() {
                    assert!(values.iter().all(|value| value.is_finite()), "{name}: {values:?}");
                }
                if target.state() == State::Initialization && target.get(&references, &mut values).is_ok() {
                    assert!(values.iter().all(|value| value.is_finite()), "{name}: {values:?}");
                }
                for _ in 0..2 {
                    if target.state() != State::StepComplete || target.do_step(target.time(), 1e-3).is_err() {
                        break;
                    }
                    finite(&target);
                }
            }
            assert!(refused > 100 && accepted > 40, "{name}: {refused} refused, {accepted} accepted");
        }
    }
}
