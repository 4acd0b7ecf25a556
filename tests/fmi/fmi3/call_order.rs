//! Every function of FMI 3.0 in every state, against the states of the standard (sections 2.3 and 4.2), which are
//! written down here once more: the cases are generated from this copy and not from the table of the library.

use std::ptr::{null, null_mut};

use super::{Instance, fmi3Error, fmi3OK};
use crate::support::Resources;
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;

/// Columns: instantiated, initialization mode, step mode, terminated by fmi3Terminate, terminated by fmi3Error,
/// intermediate update mode.
const TABLE: &str = "
    SetDebugLogging                 x x x x x x
    FreeInstance                    x x x x x -
    Reset                           x x x x x -
    EnterInitializationMode         x - - - - -
    ExitInitializationMode          - x - - - -
    Terminate                       - - x - - -
    GetFloat32                      x x x x x x
    GetFloat64                      x x x x x x
    GetInt8                         x x x x x x
    GetUInt8                        x x x x x x
    GetInt16                        x x x x x x
    GetUInt16                       x x x x x x
    GetInt32                        x x x x x x
    GetUInt32                       x x x x x x
    GetInt64                        x x x x x x
    GetUInt64                       x x x x x x
    GetBoolean                      x x x x x x
    GetString                       x x x x x x
    GetBinary                       x x x x x x
    SetFloat32                      x x x - - -
    SetFloat64                      x x x - - -
    SetInt8                         x x x - - -
    SetUInt8                        x x x - - -
    SetInt16                        x x x - - -
    SetUInt16                       x x x - - -
    SetInt32                        x x x - - -
    SetUInt32                       x x x - - -
    SetInt64                        x x x - - -
    SetUInt64                       x x x - - -
    SetBoolean                      x x x - - -
    SetString                       x x x - - -
    SetBinary                       x x x - - -
    GetFMUState                     x x x x x -
    SetFMUState                     x x x x x -
    FreeFMUState                    x x x x x -
    SerializedFMUStateSize          x x x x x -
    SerializeFMUState               x x x x x -
    DeserializeFMUState             x x x x x -
    GetNumberOfVariableDependencies x x x x x x
    GetVariableDependencies         x x x x x x
    GetDirectionalDerivative        - x x x x -
    GetAdjointDerivative            - x x x x -
    GetOutputDerivatives            - - x x x x
    DoStep                          - - x - - -
    EnterEventMode                  - - - - - -
    EnterStepMode                   - - - - - -
    EvaluateDiscreteStates          - - - - - -
    UpdateDiscreteStates            - - - - - -
    EnterConfigurationMode          - - - - - -
    ExitConfigurationMode           - - - - - -
    GetClock                        - - - - - -
    SetClock                        - - - - - -
    GetIntervalDecimal              - - - - - -
    GetIntervalFraction             - - - - - -
    GetShiftDecimal                 - - - - - -
    GetShiftFraction                - - - - - -
    SetIntervalDecimal              - - - - - -
    SetIntervalFraction             - - - - - -
    SetShiftDecimal                 - - - - - -
    SetShiftFraction                - - - - - -
    EnterContinuousTimeMode         - - - - - -
    CompletedIntegratorStep         - - - - - -
    SetTime                         - - - - - -
    SetContinuousStates             - - - - - -
    GetContinuousStateDerivatives   - - - - - -
    GetEventIndicators              - - - - - -
    GetContinuousStates             - - - - - -
    GetNominalsOfContinuousStates   - - - - - -
    GetNumberOfEventIndicators      - - - - - -
    GetNumberOfContinuousStates     - - - - - -
    ActivateModelPartition          - - - - - -
";

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Instantiated,
    Initialization,
    StepMode,
    Terminated,
    Error,
}

/// The states between which the importer moves an instance, in the order of the first columns.
const STATES: [State; 5] =
    [State::Instantiated, State::Initialization, State::StepMode, State::Terminated, State::Error];
/// The column of intermediate update mode.
const INTERMEDIATE: usize = 5;

/// Which variables the calls of [`call`] read: those that have a value, and may be read.
#[derive(Clone, Copy, PartialEq)]
pub enum Readable {
    /// What is set.
    Settings,
    /// Everything.
    All,
    /// Continuous outputs.
    Outputs,
}

impl State {
    fn readable(self) -> Readable {
        if self == State::Instantiated { Readable::Settings } else { Readable::All }
    }
}

/// Name and legality per state of every function.
fn rows() -> Vec<(&'static str, [bool; 6])> {
    let row = |line: &'static str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let marks: Vec<bool> = words.map(|mark| mark == "x").collect();
        Some((name, marks.try_into().unwrap()))
    };
    TABLE.lines().filter_map(row).collect()
}

/// An instance in `state`, with a stored state of its own.
fn prepared(resources: &Resources, state: State) -> (Instance, fmi3FMUState) {
    let instance = Instance::new(resources);
    let stored = instance.get_state();
    match state {
        State::Instantiated => (),
        State::Initialization => assert_eq!(instance.enter(None), fmi3OK),
        State::StepMode => instance.initialize(),
        State::Terminated => {
            instance.initialize();
            assert_eq!(instance.terminate(), fmi3OK);
        }
        State::Error => {
            instance.initialize();
            assert_eq!(instance.step(0.0, -1.0).0, fmi3Error);
        }
    }
    (instance, stored)
}

/// Calls a function with arguments that are right; `c` may be NULL.
pub fn call(
    c: fmi3Instance,
    name: &str,
    resources: &Resources,
    stored: &mut fmi3FMUState,
    time: f64,
    readable: Readable,
) -> fmi3Status {
    let (input, output) = (resources.reference("torque"), resources.reference("left.speed"));
    let any = usize::from(readable == Readable::All);
    let number = if readable == Readable::Settings { input } else { output };
    let (whole, truth) = (resources.reference("repartitions"), resources.reference("near_singular"));
    let (mut real, mut integer, mut size) = (0.0, 0, 0usize);
    let (mut byte, mut other, mut third, mut fourth, mut fifth) = (0u8, 0u8, 0u8, 0u8, 0u8);
    // The design position at rest.
    let (mut x, nx) = (vec![0.0; resources.states()], resources.states());
    // SAFETY: `c` is NULL or alive, `stored` was made by it, arrays have the length that is said.
    unsafe {
        match name {
            "SetDebugLogging" => fmi3SetDebugLogging(c, fmi3True, 0, null()),
            "Reset" => fmi3Reset(c),
            "EnterInitializationMode" => fmi3EnterInitializationMode(c, 0, 0.0, 0.0, 0, 0.0),
            "ExitInitializationMode" => fmi3ExitInitializationMode(c),
            "Terminate" => fmi3Terminate(c),
            "GetFloat32" => fmi3GetFloat32(c, null(), 0, null_mut(), 0),
            "GetFloat64" => fmi3GetFloat64(c, &number, 1, &mut real, 1),
            "GetInt8" => fmi3GetInt8(c, null(), 0, null_mut(), 0),
            "GetUInt8" => fmi3GetUInt8(c, null(), 0, null_mut(), 0),
            "GetInt16" => fmi3GetInt16(c, null(), 0, null_mut(), 0),
            "GetUInt16" => fmi3GetUInt16(c, null(), 0, null_mut(), 0),
            "GetInt32" => fmi3GetInt32(c, (&whole) as *const u32, any, &mut integer, any),
            "GetUInt32" => fmi3GetUInt32(c, null(), 0, null_mut(), 0),
            "GetInt64" => fmi3GetInt64(c, null(), 0, null_mut(), 0),
            "GetUInt64" => fmi3GetUInt64(c, null(), 0, null_mut(), 0),
            "GetBoolean" => fmi3GetBoolean(c, (&truth) as *const u32, any, &mut byte, any),
            "GetString" => fmi3GetString(c, null(), 0, null_mut(), 0),
            "GetBinary" => fmi3GetBinary(c, null(), 0, null_mut(), null_mut(), 0),
            "SetFloat32" => fmi3SetFloat32(c, null(), 0, null(), 0),
            "SetFloat64" => fmi3SetFloat64(c, &input, 1, &0.5, 1),
            "SetInt8" => fmi3SetInt8(c, null(), 0, null(), 0),
            "SetUInt8" => fmi3SetUInt8(c, null(), 0, null(), 0),
            "SetInt16" => fmi3SetInt16(c, null(), 0, null(), 0),
            "SetUInt16" => fmi3SetUInt16(c, null(), 0, null(), 0),
            "SetInt32" => fmi3SetInt32(c, null(), 0, null(), 0),
            "SetUInt32" => fmi3SetUInt32(c, null(), 0, null(), 0),
            "SetInt64" => fmi3SetInt64(c, null(), 0, null(), 0),
            "SetUInt64" => fmi3SetUInt64(c, null(), 0, null(), 0),
            "SetBoolean" => fmi3SetBoolean(c, null(), 0, null(), 0),
            "SetString" => fmi3SetString(c, null(), 0, null(), 0),
            "SetBinary" => fmi3SetBinary(c, null(), 0, null(), null(), 0),
            "GetFMUState" => fmi3GetFMUState(c, stored),
            "SetFMUState" => fmi3SetFMUState(c, *stored),
            "FreeFMUState" => fmi3FreeFMUState(c, &mut null_mut()),
            "SerializedFMUStateSize" => fmi3SerializedFMUStateSize(c, *stored, &mut size),
            "SerializeFMUState" => {
                let mut bytes = vec![0u8; 1 << 16];
                fmi3SerializeFMUState(c, *stored, bytes.as_mut_ptr(), bytes.len())
            }
            "DeserializeFMUState" => {
                let mut bytes = vec![0u8; 1 << 16];
                fmi3SerializeFMUState(c, *stored, bytes.as_mut_ptr(), bytes.len());
                let mut copy = null_mut();
                let status = fmi3DeserializeFMUState(c, bytes.as_ptr(), bytes.len(), &mut copy);
                fmi3FreeFMUState(c, &mut copy);
                status
            }
            "GetNumberOfVariableDependencies" => fmi3GetNumberOfVariableDependencies(c, output, &mut size),
            "GetVariableDependencies" => {
                fmi3GetNumberOfVariableDependencies(c, output, &mut size);
                let (mut own, mut others, mut references) = (vec![9; size], vec![9; size], vec![9; size]);
                let mut kinds = vec![fmi3DependencyKind::fmi3Independent; size];
                fmi3GetVariableDependencies(
                    c,
                    output,
                    own.as_mut_ptr(),
                    references.as_mut_ptr(),
                    others.as_mut_ptr(),
                    kinds.as_mut_ptr(),
                    size,
                )
            }
            "GetDirectionalDerivative" => fmi3GetDirectionalDerivative(c, &output, 1, &input, 1, &1.0, 1, &mut real, 1),
            "GetAdjointDerivative" => fmi3GetAdjointDerivative(c, &output, 1, &input, 1, &1.0, 1, &mut real, 1),
            "GetOutputDerivatives" => fmi3GetOutputDerivatives(c, &output, 1, &1, &mut real, 1),
            "DoStep" => fmi3DoStep(c, time, 0.001, fmi3True, &mut byte, &mut other, &mut third, &mut real),
            "EnterEventMode" => fmi3EnterEventMode(c),
            "EnterStepMode" => fmi3EnterStepMode(c),
            "EvaluateDiscreteStates" => fmi3EvaluateDiscreteStates(c),
            "EnterConfigurationMode" => fmi3EnterConfigurationMode(c),
            "ExitConfigurationMode" => fmi3ExitConfigurationMode(c),
            "EnterContinuousTimeMode" => fmi3EnterContinuousTimeMode(c),
            "UpdateDiscreteStates" => {
                fmi3UpdateDiscreteStates(c, &mut byte, &mut other, &mut third, &mut fourth, &mut fifth, &mut real)
            }
            "GetClock" => fmi3GetClock(c, null(), 0, null_mut()),
            "SetClock" => fmi3SetClock(c, null(), 0, null()),
            "GetIntervalDecimal" => fmi3GetIntervalDecimal(c, null(), 0, null_mut(), null_mut()),
            "GetIntervalFraction" => fmi3GetIntervalFraction(c, null(), 0, null_mut(), null_mut(), null_mut()),
            "GetShiftDecimal" => fmi3GetShiftDecimal(c, null(), 0, null_mut()),
            "GetShiftFraction" => fmi3GetShiftFraction(c, null(), 0, null_mut(), null_mut()),
            "SetIntervalDecimal" => fmi3SetIntervalDecimal(c, null(), 0, null()),
            "SetIntervalFraction" => fmi3SetIntervalFraction(c, null(), 0, null(), null()),
            "SetShiftDecimal" => fmi3SetShiftDecimal(c, null(), 0, null()),
            "SetShiftFraction" => fmi3SetShiftFraction(c, null(), 0, null(), null()),
            "CompletedIntegratorStep" => fmi3CompletedIntegratorStep(c, 0, &mut byte, &mut other),
            "SetTime" => fmi3SetTime(c, time),
            "SetContinuousStates" => fmi3SetContinuousStates(c, x.as_ptr(), nx),
            "GetContinuousStateDerivatives" => fmi3GetContinuousStateDerivatives(c, x.as_mut_ptr(), nx),
            "GetEventIndicators" => fmi3GetEventIndicators(c, null_mut(), 0),
            "GetContinuousStates" => fmi3GetContinuousStates(c, x.as_mut_ptr(), nx),
            "GetNominalsOfContinuousStates" => fmi3GetNominalsOfContinuousStates(c, x.as_mut_ptr(), nx),
            "GetNumberOfEventIndicators" => fmi3GetNumberOfEventIndicators(c, &mut size),
            "GetNumberOfContinuousStates" => fmi3GetNumberOfContinuousStates(c, &mut size),
            "ActivateModelPartition" => fmi3ActivateModelPartition(c, 0, 0.0),
            _ => panic!("unknown function {name}"),
        }
    }
}

#[test]
fn every_function_works_in_its_states_and_is_refused_in_all_others() {
    let resources = Resources::driven();
    let mut cases = 0;
    for (name, legal) in rows() {
        for (state, legal) in STATES.into_iter().zip(legal) {
            let (instance, mut stored) = prepared(&resources, state);
            instance.take();
            if name == "FreeInstance" {
                assert!(legal);
                instance.free_state(stored);
                continue; // Dropping the instance frees it, in this state.
            }
            let status = call(instance.c, name, &resources, &mut stored, 0.0, state.readable());
            let log = instance.take();
            if legal {
                assert_eq!(status, fmi3OK, "{name} in {state:?}: {log}");
            } else {
                assert_eq!(status, fmi3Error, "{name} in {state:?}");
                assert!(log.starts_with(&format!("3|logStatusError|fmi3{name}: ")), "{name} in {state:?}: {log}");
                assert!(!log.contains("fmi2"), "{log}");
                assert_eq!(instance.step(0.0, 0.001).0, fmi3Error, "after fmi3Error no step is done");
            }
            // Whatever happened, the instance can be reset and simulates.
            assert_eq!(instance.reset(), fmi3OK);
            instance.initialize();
            for i in 0..2 {
                assert_eq!(instance.step(f64::from(i) * 0.001, 0.001).0, fmi3OK, "{}", instance.take());
            }
            instance.free_state(stored);
            cases += 1;
        }
    }
    assert_eq!(cases, 70 * 5);
}

#[test]
fn within_a_step_every_function_works_or_is_refused_and_the_step_goes_on() {
    let resources = Resources::driven();
    let speed = resources.reference("left.speed");
    let undisturbed = Instance::initialized(&resources);
    assert_eq!(undisturbed.step(0.0, 0.003).0, fmi3OK);
    let mut refused = 0;
    for (name, legal) in rows() {
        let instance = Instance::watched(&resources, &[]);
        instance.initialize();
        let mut stored = instance.get_state();
        instance.take();
        let mut calls = Vec::new();
        let (status, _) = instance.step_watched(0.003, |instance, _| {
            let log = if name == "FreeInstance" {
                // SAFETY: it is alive, and the claim is that it stays so.
                unsafe { fmi3FreeInstance(instance.c) };
                calls.push(fmi3Error);
                instance.take()
            } else {
                calls.push(call(instance.c, name, &resources, &mut stored, 0.001, Readable::Outputs));
                instance.take()
            };
            if legal[INTERMEDIATE] {
                assert_eq!(log, "", "{name}");
            } else if name != "FreeInstance" {
                // Some of the calls make others on their way, which are refused before.
                assert!(log.contains(&format!("3|logStatusError|fmi3{name}: ")), "{name}: {log}");
            }
            false
        });
        let expected = if legal[INTERMEDIATE] { fmi3OK } else { fmi3Error };
        assert_eq!(calls, [expected; 3], "{name}");
        refused += usize::from(!legal[INTERMEDIATE]);
        assert_eq!(status, fmi3OK, "{name}: {}", instance.take());
        assert_eq!(instance.get(&[speed], 1)[0].to_bits(), undisturbed.get(&[speed], 1)[0].to_bits(), "{name}");
        instance.free_state(stored);
    }
    assert_eq!(refused, 71 - 17);
}

#[test]
fn null_instances_are_refused_by_every_function() {
    let resources = Resources::driven();
    for (name, _) in rows().into_iter().filter(|(name, _)| *name != "FreeInstance") {
        let mut stored = null_mut();
        assert_eq!(call(null_mut(), name, &resources, &mut stored, 0.0, Readable::All), fmi3Error, "{name}");
        assert!(stored.is_null());
    }
    // SAFETY: NULL is allowed.
    unsafe { fmi3FreeInstance(null_mut()) };
}

/// The states of the standard, as far as the calls below drive them.
#[derive(Clone, Copy)]
struct Oracle {
    state: State,
    time: f64,
}

impl Oracle {
    fn follow(&mut self, name: &str, legal: bool, stored: &mut Oracle) {
        match name {
            _ if !legal => self.state = State::Error,
            "Reset" => *self = Oracle { state: State::Instantiated, time: 0.0 },
            "EnterInitializationMode" => self.state = State::Initialization,
            "ExitInitializationMode" => self.state = State::StepMode,
            "Terminate" => self.state = State::Terminated,
            "DoStep" => self.time += 0.001,
            "GetFMUState" => *stored = *self,
            "SetFMUState" => *self = *stored,
            _ => (),
        }
    }
}

#[test]
fn long_random_call_sequences_follow_the_state_machine() {
    let resources = Resources::driven();
    let rows: Vec<_> = rows().into_iter().filter(|(name, _)| *name != "FreeInstance").collect();
    let mut seed = 1u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let instance = Instance::new(&resources);
    let mut object = instance.get_state();
    let mut oracle = Oracle { state: State::Instantiated, time: 0.0 };
    let mut stored = oracle;
    let mut visits = [0; 5];
    for i in 0..6000 {
        let column = STATES.iter().position(|&state| state == oracle.state).unwrap();
        visits[column] += 1;
        // One call in ten is any function, legal or not; of the others every second leads on through the life of an
        // instance.
        let ways_on: &[&str] = match oracle.state {
            State::Instantiated => &["EnterInitializationMode"],
            State::Initialization => &["ExitInitializationMode"],
            State::StepMode => &["DoStep", "DoStep", "DoStep", "GetFMUState"],
            State::Terminated | State::Error => &["Reset", "SetFMUState"],
        };
        let legal_rows: Vec<_> = rows.iter().filter(|row| row.1[column]).collect();
        let name = match random(10) {
            0 => rows[random(rows.len())].0,
            1..5 => legal_rows[random(legal_rows.len())].0,
            _ => ways_on[random(ways_on.len())],
        };
        let legal = rows.iter().find(|row| row.0 == name).unwrap().1[column];
        let status = call(instance.c, name, &resources, &mut object, oracle.time, oracle.state.readable());
        let expected = if legal { fmi3OK } else { fmi3Error };
        assert_eq!(status, expected, "call {i}, {name} in {:?}: {}", oracle.state, instance.take());
        instance.take();
        oracle.follow(name, legal, &mut stored);
    }
    instance.free_state(object);
    assert!(visits.iter().all(|&n| n > 50), "{visits:?}");
}
