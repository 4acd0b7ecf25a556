//! Every function in every state, against the table of the standard (FMI 2.0, section 4.2.4), which is written down
//! here once more: the cases are generated from this copy and not from the table of the library.

use std::ptr::{null, null_mut};

use crate::support::{Instance, Resources, fmi2Discard, fmi2Error, fmi2OK};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::*;

/// Columns: instantiated, initialization, step complete, step failed, terminated, error. The columns of asynchronous
/// steps cannot be reached from outside; the unit test of `crate::support::guard` covers them.
const TABLE: &str = "
    SetDebugLogging                x x x x x x
    FreeInstance                   x x x x x x
    Reset                          x x x x x x
    SetupExperiment                x - - - - -
    EnterInitializationMode        x - - - - -
    ExitInitializationMode         - x - - - -
    Terminate                      - - x x - -
    GetReal                        - x x x x x
    GetInteger                     - x x x x x
    GetBoolean                     - x x x x x
    GetString                      - x x x x x
    SetReal                        x x x - - -
    SetInteger                     x x x - - -
    SetBoolean                     x x x - - -
    SetString                      x x x - - -
    GetFMUstate                    x x x x x x
    SetFMUstate                    x x x x x x
    FreeFMUstate                   x x x x x x
    SerializedFMUstateSize         x x x x x x
    SerializeFMUstate              x x x x x x
    DeSerializeFMUstate            x x x x x x
    GetDirectionalDerivative       - x x x x x
    SetRealInputDerivatives        x x x - - -
    GetRealOutputDerivatives       - - x x x x
    DoStep                         - - x - - -
    CancelStep                     - - - - - -
    GetStatus                      - - x x x -
    GetRealStatus                  - - x x x -
    GetIntegerStatus               - - x x x -
    GetBooleanStatus               - - x x x -
    GetStringStatus                - - x x x -
    EnterEventMode                 - - - - - -
    NewDiscreteStates              - - - - - -
    EnterContinuousTimeMode        - - - - - -
    CompletedIntegratorStep        - - - - - -
    SetTime                        - - - - - -
    SetContinuousStates            - - - - - -
    GetDerivatives                 - - - - - -
    GetEventIndicators             - - - - - -
    GetContinuousStates            - - - - - -
    GetNominalsOfContinuousStates  - - - - - -
";

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Instantiated,
    Initialization,
    StepComplete,
    StepFailed,
    Terminated,
    Error,
}

const STATES: [State; 6] = [
    State::Instantiated,
    State::Initialization,
    State::StepComplete,
    State::StepFailed,
    State::Terminated,
    State::Error,
];

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

/// An instance in `state`, with a stored state of its own to hand to functions that need one.
fn prepared<'a>(resources: &'a Resources, state: State) -> (Instance<'a>, fmi2FMUstate) {
    let instance = resources.instantiate();
    let stored = instance.get_state();
    match state {
        State::Instantiated => assert_eq!(instance.setup(0.0, None), fmi2OK),
        State::Initialization => {
            assert_eq!([instance.setup(0.0, None), instance.enter()], [fmi2OK; 2]);
        }
        State::StepComplete => instance.initialize(0.0, None),
        State::StepFailed => {
            instance.initialize(0.0, None);
            instance.fail(0.0);
        }
        State::Terminated => {
            instance.initialize(0.0, None);
            assert_eq!(instance.terminate(), fmi2OK);
        }
        State::Error => {
            instance.initialize(0.0, None);
            assert_eq!(instance.step(0.0, -1.0), fmi2Error);
        }
    }
    (instance, stored)
}

/// Calls a function with arguments that are right; `c` may be NULL.
pub fn call(c: fmi2Component, name: &str, resources: &Resources, stored: &mut fmi2FMUstate, time: f64) -> fmi2Status {
    let (input, output) = (resources.reference("torque"), resources.reference("left.speed"));
    let (whole, truth) = (resources.reference("repartitions"), resources.reference("near_singular"));
    let (mut real, mut integer, mut size, mut string) = (0.0, 0, 0usize, null());
    let mut status = fmi2OK;
    let mut information = std::mem::MaybeUninit::<fmi2EventInfo>::zeroed();
    // The design position at rest.
    let (mut x, nx, mut end) = (vec![0.0; resources.states()], resources.states(), 0);
    // SAFETY: `c` is NULL or alive, `stored` was made by it, arrays have the length that is said.
    unsafe {
        match name {
            "SetDebugLogging" => fmi2SetDebugLogging(c, fmi2True, 0, null()),
            "Reset" => fmi2Reset(c),
            "SetupExperiment" => fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0),
            "EnterInitializationMode" => fmi2EnterInitializationMode(c),
            "ExitInitializationMode" => fmi2ExitInitializationMode(c),
            "Terminate" => fmi2Terminate(c),
            "GetReal" => fmi2GetReal(c, &output, 1, &mut real),
            "GetInteger" => fmi2GetInteger(c, &whole, 1, &mut integer),
            "GetBoolean" => fmi2GetBoolean(c, &truth, 1, &mut integer),
            "GetString" => fmi2GetString(c, null(), 0, null_mut()),
            "SetReal" => fmi2SetReal(c, &input, 1, &0.5),
            "SetInteger" => fmi2SetInteger(c, null(), 0, null()),
            "SetBoolean" => fmi2SetBoolean(c, null(), 0, null()),
            "SetString" => fmi2SetString(c, null(), 0, null()),
            "GetFMUstate" => fmi2GetFMUstate(c, stored),
            "SetFMUstate" => fmi2SetFMUstate(c, *stored),
            "FreeFMUstate" => fmi2FreeFMUstate(c, &mut null_mut()),
            "SerializedFMUstateSize" => fmi2SerializedFMUstateSize(c, *stored, &mut size),
            "SerializeFMUstate" => {
                let mut bytes = vec![0u8; 1 << 16];
                fmi2SerializeFMUstate(c, *stored, bytes.as_mut_ptr().cast(), bytes.len())
            }
            "DeSerializeFMUstate" => {
                let mut bytes = vec![0u8; 1 << 16];
                fmi2SerializeFMUstate(c, *stored, bytes.as_mut_ptr().cast(), bytes.len());
                let mut copy = null_mut();
                let status = fmi2DeSerializeFMUstate(c, bytes.as_ptr().cast(), bytes.len(), &mut copy);
                fmi2FreeFMUstate(c, &mut copy);
                status
            }
            "GetDirectionalDerivative" => fmi2GetDirectionalDerivative(c, &output, 1, &input, 1, &1.0, &mut real),
            "SetRealInputDerivatives" => fmi2SetRealInputDerivatives(c, &input, 1, &1, &0.5),
            "GetRealOutputDerivatives" => fmi2GetRealOutputDerivatives(c, &output, 1, &1, &mut real),
            "DoStep" => fmi2DoStep(c, time, 0.001, fmi2True),
            "CancelStep" => fmi2CancelStep(c),
            "GetStatus" => fmi2GetStatus(c, fmi2DoStepStatus, &mut status),
            "GetRealStatus" => fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &mut real),
            "GetIntegerStatus" => fmi2GetIntegerStatus(c, fmi2DoStepStatus, &mut integer),
            "GetBooleanStatus" => fmi2GetBooleanStatus(c, fmi2Terminated, &mut integer),
            "GetStringStatus" => fmi2GetStringStatus(c, fmi2PendingStatus, &mut string),
            "EnterEventMode" => fmi2EnterEventMode(c),
            "NewDiscreteStates" => fmi2NewDiscreteStates(c, information.as_mut_ptr()),
            "EnterContinuousTimeMode" => fmi2EnterContinuousTimeMode(c),
            "CompletedIntegratorStep" => fmi2CompletedIntegratorStep(c, 0, &mut integer, &mut end),
            "SetTime" => fmi2SetTime(c, time),
            "SetContinuousStates" => fmi2SetContinuousStates(c, x.as_ptr(), nx),
            "GetDerivatives" => fmi2GetDerivatives(c, x.as_mut_ptr(), nx),
            "GetEventIndicators" => fmi2GetEventIndicators(c, null_mut(), 0),
            "GetContinuousStates" => fmi2GetContinuousStates(c, x.as_mut_ptr(), nx),
            "GetNominalsOfContinuousStates" => fmi2GetNominalsOfContinuousStates(c, x.as_mut_ptr(), nx),
            _ => panic!("unknown function {name}"),
        }
    }
}

/// What a legal call may return.
fn is_success(name: &str, status: fmi2Status) -> bool {
    match name {
        "GetStatus" | "GetIntegerStatus" | "GetStringStatus" => status == fmi2Discard,
        _ => status == fmi2OK,
    }
}

#[test]
fn every_function_works_in_its_states_and_is_refused_in_all_others() {
    let resources = Resources::driven();
    let mut cases = 0;
    for (name, legal) in rows() {
        for (state, legal) in STATES.into_iter().zip(legal) {
            let (instance, mut stored) = prepared(&resources, state);
            instance.messages.take();
            if name == "FreeInstance" {
                assert!(legal);
                instance.free_state(stored);
                continue; // Dropping the instance frees it, in this state.
            }
            let status = call(instance.c, name, &resources, &mut stored, 0.0);
            let log = instance.messages.take();
            if legal {
                assert!(is_success(name, status), "{name} in {state:?}: {status:?} {log}");
            } else {
                assert_eq!(status, fmi2Error, "{name} in {state:?}");
                assert!(log.starts_with(&format!("3|logStatusError|test|fmi2{name}: ")), "{name} in {state:?}: {log}");
                assert_eq!(instance.step(0.0, 0.001), fmi2Error, "after fmi2Error no step is done");
            }
            // Whatever happened, the instance can be reset and simulates.
            assert_eq!(instance.reset(), fmi2OK);
            instance.initialize(0.0, None);
            instance.steps(0.0, 0.001, 2);
            instance.free_state(stored);
            cases += 1;
        }
    }
    assert_eq!(cases, 40 * 6);
}

#[test]
fn null_instances_are_refused_by_every_function() {
    let resources = Resources::driven();
    for (name, _) in rows().into_iter().filter(|(name, _)| *name != "FreeInstance") {
        let mut stored = null_mut();
        assert_eq!(call(null_mut(), name, &resources, &mut stored, 0.0), fmi2Error, "{name}");
        assert!(stored.is_null());
    }
    // SAFETY: NULL is allowed.
    unsafe { fmi2FreeInstance(null_mut()) };
}

/// The state machine of the standard, as far as the calls below drive it.
struct Oracle {
    state: State,
    experiment: bool,
    time: f64,
}

impl Oracle {
    fn follow(&mut self, name: &str, legal: bool, stored: &mut (State, bool, f64)) {
        if !legal || (name == "EnterInitializationMode" && !self.experiment) {
            self.state = State::Error;
            return;
        }
        match name {
            "Reset" => *self = Oracle { state: State::Instantiated, experiment: false, time: 0.0 },
            "SetupExperiment" => self.experiment = true,
            "EnterInitializationMode" => self.state = State::Initialization,
            "ExitInitializationMode" => self.state = State::StepComplete,
            "Terminate" => self.state = State::Terminated,
            "DoStep" => self.time += 0.001,
            "GetFMUstate" => *stored = (self.state, self.experiment, self.time),
            "SetFMUstate" => (self.state, self.experiment, self.time) = *stored,
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
    let instance = resources.instantiate();
    let mut object = instance.get_state();
    let mut stored = (State::Instantiated, false, 0.0);
    let mut oracle = Oracle { state: State::Instantiated, experiment: false, time: 0.0 };
    let mut visits = [0; 6];
    for i in 0..4000 {
        let column = STATES.iter().position(|&state| state == oracle.state).unwrap();
        visits[column] += 1;
        // One call in ten is any function, legal or not; of the others every second leads on through the life of an
        // instance.
        let ways_on: &[&str] = match oracle.state {
            State::Instantiated if !oracle.experiment => &["SetupExperiment"],
            State::Instantiated => &["EnterInitializationMode"],
            State::Initialization => &["ExitInitializationMode"],
            State::StepComplete => &["DoStep", "DoStep", "DoStep", "GetFMUstate"],
            State::StepFailed | State::Terminated | State::Error => &["Reset", "SetFMUstate"],
        };
        let legal_rows: Vec<_> = rows.iter().filter(|row| row.1[column]).collect();
        let name = match random(10) {
            0 => rows[random(rows.len())].0,
            1..5 => legal_rows[random(legal_rows.len())].0,
            _ => ways_on[random(ways_on.len())],
        };
        let row = rows.iter().find(|row| row.0 == name).unwrap();
        let legal = row.1[column] && (name != "EnterInitializationMode" || oracle.experiment);
        let status = call(instance.c, name, &resources, &mut object, oracle.time);
        let log = instance.messages.take();
        if legal {
            assert!(is_success(name, status), "call {i}, {name} in {:?}: {status:?} {log}", oracle.state);
        } else {
            assert_eq!(status, fmi2Error, "call {i}, {name} in {:?}: {log}", oracle.state);
        }
        oracle.follow(name, legal, &mut stored);
    }
    instance.free_state(object);
    assert!(visits.iter().zip(STATES).all(|(&n, state)| n > 50 || state == State::StepFailed), "{visits:?}");
}
