//! Every function in every state of Model Exchange, against the tables of the standards (FMI 2.0, section 3.2.3; FMI
//! 3.0, sections 2.3 and 3.2), which are written down here once more: the cases are generated from these copies and not
//! from the tables of the library. Functions that are not here are those of Co-Simulation, of clocks, configurations
//! and Scheduled Execution, legal nowhere.

use std::ptr::null_mut;

use crate::call_order::call as call2;
use crate::fmi3;
use crate::fmi3::call_order::{Readable, call as call3};
use crate::support::{Resources, fmi2Error, fmi2OK};
use ballesta::fmi::exports::*;
use ballesta::fmi::types::fmi3Status::{fmi3Error, fmi3OK};
use ballesta::fmi::types::*;

/// Columns: instantiated, initialization mode, event mode, continuous-time mode, terminated, error.
const FMI2: &str = "
    SetDebugLogging                x x x x x x
    Reset                          x x x x x x
    SetupExperiment                x - - - - -
    EnterInitializationMode        x - - - - -
    ExitInitializationMode         - x - - - -
    Terminate                      - - x x - -
    GetReal                        - x x x x x
    GetInteger                     - x x x x x
    GetBoolean                     - x x x x x
    GetString                      - x x x x x
    SetReal                        x x x x - -
    SetInteger                     x x x x - -
    SetBoolean                     x x x x - -
    SetString                      x x x x - -
    GetFMUstate                    x x x x x x
    SetFMUstate                    x x x x x x
    FreeFMUstate                   x x x x x x
    SerializedFMUstateSize         x x x x x x
    SerializeFMUstate              x x x x x x
    DeSerializeFMUstate            x x x x x x
    EnterEventMode                 - - x x - -
    NewDiscreteStates              - - x - - -
    EnterContinuousTimeMode        - - x - - -
    CompletedIntegratorStep        - - - x - -
    SetTime                        - - x x - -
    SetContinuousStates            - - - x - -
    GetDerivatives                 - - x x x x
    GetEventIndicators             - x x x x x
    GetContinuousStates            - x x x x x
    GetNominalsOfContinuousStates  x x x x x x
    SetRealInputDerivatives        - - - - - -
    GetRealOutputDerivatives       - - - - - -
    DoStep                         - - - - - -
    CancelStep                     - - - - - -
    GetStatus                      - - - - - -
    GetRealStatus                  - - - - - -
    GetIntegerStatus               - - - - - -
    GetBooleanStatus               - - - - - -
    GetStringStatus                - - - - - -
";

/// The same columns.
const FMI3: &str = "
    SetDebugLogging                 x x x x x x
    Reset                           x x x x x x
    EnterInitializationMode         x - - - - -
    ExitInitializationMode          - x - - - -
    Terminate                       - - x x - -
    GetFloat32                      x x x x x x
    GetFloat64                      x x x x x x
    GetInt32                        x x x x x x
    GetBoolean                      x x x x x x
    GetString                       x x x x x x
    SetFloat64                      x x x x - -
    SetInt32                        x x x x - -
    SetBoolean                      x x x x - -
    GetFMUState                     x x x x x x
    SetFMUState                     x x x x x x
    FreeFMUState                    x x x x x x
    SerializedFMUStateSize          x x x x x x
    SerializeFMUState               x x x x x x
    DeserializeFMUState             x x x x x x
    GetNumberOfVariableDependencies x x x x x x
    GetVariableDependencies         x x x x x x
    EnterEventMode                  - - - x - -
    EvaluateDiscreteStates          - x x - - -
    UpdateDiscreteStates            - - x - - -
    EnterContinuousTimeMode         - - x - - -
    CompletedIntegratorStep         - - - x - -
    SetTime                         - - x x - -
    SetContinuousStates             - - - x - -
    GetContinuousStateDerivatives   - x x x x x
    GetEventIndicators              - x x x x x
    GetContinuousStates             - x x x x x
    GetNominalsOfContinuousStates   - x x x x x
    GetNumberOfEventIndicators      x x x x x x
    GetNumberOfContinuousStates     x x x x x x
    GetOutputDerivatives            - - - - - -
    DoStep                          - - - - - -
    EnterStepMode                   - - - - - -
    EnterConfigurationMode          - - - - - -
    ExitConfigurationMode           - - - - - -
    GetClock                        - - - - - -
    SetClock                        - - - - - -
    ActivateModelPartition          - - - - - -
";

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Instantiated,
    Initialization,
    EventMode,
    ContinuousTime,
    Terminated,
    Error,
}

const STATES: [State; 6] = [
    State::Instantiated,
    State::Initialization,
    State::EventMode,
    State::ContinuousTime,
    State::Terminated,
    State::Error,
];

/// Name and legality per state of every function.
fn rows(table: &'static str) -> Vec<(&'static str, [bool; 6])> {
    let row = |line: &'static str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let marks: Vec<bool> = words.map(|mark| mark == "x").collect();
        Some((name, marks.try_into().unwrap()))
    };
    table.lines().filter_map(row).collect()
}

/// The way from a new instance to a state, in names without prefix.
fn way_to(state: State, begin: &'static [&'static str]) -> Vec<&'static str> {
    let mut way = match state {
        State::Instantiated => return begin[..begin.len() - 1].to_vec(),
        _ => begin.to_vec(),
    };
    way.extend(match state {
        State::Instantiated | State::Initialization => &[][..],
        State::EventMode => &["ExitInitializationMode"],
        State::ContinuousTime => &["ExitInitializationMode", "EnterContinuousTimeMode"],
        State::Terminated => &["ExitInitializationMode", "Terminate"],
        State::Error => &["ExitInitializationMode", "DoStep"],
    });
    way
}

#[test]
fn every_function_of_fmi_2_works_in_its_states_and_is_refused_in_all_others() {
    let resources = Resources::driven();
    for (name, legal) in rows(FMI2) {
        for (state, legal) in STATES.into_iter().zip(legal) {
            let instance = resources.exchange();
            let mut stored = instance.get_state();
            for step in way_to(state, &["SetupExperiment", "EnterInitializationMode"]) {
                let expected = if step == "DoStep" { fmi2Error } else { fmi2OK };
                assert_eq!(call2(instance.c, step, &resources, &mut stored, 0.0), expected, "{step}");
            }
            instance.messages.take();
            let status = call2(instance.c, name, &resources, &mut stored, 0.0);
            let log = instance.messages.take();
            assert_eq!(status, if legal { fmi2OK } else { fmi2Error }, "{name} in {state:?}: {log}");
            if !legal {
                assert!(log.starts_with(&format!("3|logStatusError|test|fmi2{name}: ")), "{name} in {state:?}: {log}");
                assert_eq!(instance.set_time(0.0), fmi2Error, "after fmi2Error nothing goes on");
            }
            // Whatever happened, the instance can be reset and integrated.
            assert_eq!(instance.reset(), fmi2OK);
            instance.initialize(0.0, None);
            instance.integrate();
            assert!(instance.derivatives().iter().all(|value| value.is_finite()));
            instance.free_state(stored);
        }
    }
}

#[test]
fn every_function_of_fmi_3_works_in_its_states_and_is_refused_in_all_others() {
    let resources = Resources::driven();
    for (name, legal) in rows(FMI3) {
        for (state, legal) in STATES.into_iter().zip(legal) {
            let instance = fmi3::Instance::exchange(&resources);
            let mut stored = instance.get_state();
            for step in way_to(state, &["EnterInitializationMode"]) {
                let expected = if step == "DoStep" { fmi3Error } else { fmi3OK };
                assert_eq!(call3(instance.c, step, &resources, &mut stored, 0.0, Readable::All), expected, "{step}");
            }
            instance.take();
            let readable = if state == State::Instantiated { Readable::Settings } else { Readable::All };
            let status = call3(instance.c, name, &resources, &mut stored, 0.0, readable);
            let log = instance.take();
            assert_eq!(status, if legal { fmi3OK } else { fmi3Error }, "{name} in {state:?}: {log}");
            if !legal {
                assert!(log.starts_with(&format!("3|logStatusError|fmi3{name}: ")), "{name} in {state:?}: {log}");
                assert!(!log.contains("fmi2"), "{log}");
            }
            assert_eq!(instance.reset(), fmi3OK);
            instance.initialize();
            instance.free_state(stored);
        }
    }
}

/// The states of the standard, as far as the calls below drive them.
#[derive(Clone, Copy)]
struct Oracle {
    state: State,
    experiment: bool,
}

impl Oracle {
    fn follow(&mut self, name: &str, legal: bool, stored: &mut Oracle) {
        match name {
            _ if !legal => self.state = State::Error,
            "Reset" => *self = Oracle { state: State::Instantiated, experiment: false },
            "SetupExperiment" => self.experiment = true,
            "EnterInitializationMode" => self.state = State::Initialization,
            "ExitInitializationMode" | "EnterEventMode" => self.state = State::EventMode,
            "EnterContinuousTimeMode" => self.state = State::ContinuousTime,
            "Terminate" => self.state = State::Terminated,
            "GetFMUstate" => *stored = *self,
            "SetFMUstate" => *self = *stored,
            _ => (),
        }
    }
}

#[test]
fn long_random_call_sequences_follow_the_state_machine() {
    let resources = Resources::driven();
    let rows = rows(FMI2);
    let mut seed = 1u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let instance = resources.exchange();
    let mut object = instance.get_state();
    let mut oracle = Oracle { state: State::Instantiated, experiment: false };
    let (mut stored, mut visits) = (oracle, [0; 6]);
    for i in 0..4000 {
        let column = STATES.iter().position(|&state| state == oracle.state).unwrap();
        visits[column] += 1;
        let ways_on: &[&str] = match oracle.state {
            State::Instantiated if !oracle.experiment => &["SetupExperiment"],
            State::Instantiated => &["EnterInitializationMode"],
            State::Initialization => &["ExitInitializationMode"],
            State::EventMode => &["NewDiscreteStates", "EnterContinuousTimeMode"],
            State::ContinuousTime => &["SetTime", "SetContinuousStates", "GetDerivatives", "CompletedIntegratorStep"],
            State::Terminated | State::Error => &["Reset", "SetFMUstate"],
        };
        let legal_rows: Vec<_> = rows.iter().filter(|row| row.1[column]).collect();
        let name = match random(10) {
            0 => rows[random(rows.len())].0,
            1..5 => legal_rows[random(legal_rows.len())].0,
            _ => ways_on[random(ways_on.len())],
        };
        let row = rows.iter().find(|row| row.0 == name).unwrap();
        let legal = row.1[column] && (name != "EnterInitializationMode" || oracle.experiment);
        let status = call2(instance.c, name, &resources, &mut object, 1e-3 * f64::from(i % 7));
        let log = instance.messages.take();
        // A run that ends where its states were put is questionable.
        let warned = name == "Terminate" && status == fmi2Status::fmi2Warning;
        assert!(
            status == if legal { fmi2OK } else { fmi2Error } || warned,
            "call {i}, {name} in {:?}: {log}",
            oracle.state
        );
        oracle.follow(name, legal, &mut stored);
    }
    instance.free_state(object);
    assert!(visits.iter().all(|&n| n > 50), "{visits:?}");
}

#[test]
fn null_instances_and_null_results_are_refused() {
    let resources = Resources::driven();
    for (name, _) in rows(FMI2) {
        assert_eq!(call2(null_mut(), name, &resources, &mut null_mut(), 0.0), fmi2Error, "{name}");
    }
    for (name, _) in rows(FMI3) {
        assert_eq!(call3(null_mut(), name, &resources, &mut null_mut(), 0.0, Readable::All), fmi3Error, "{name}");
    }
    type Call = fn(fmi2Component) -> fmi2Status;
    // SAFETY: the instances are alive, and NULL is what the functions must refuse.
    let calls: [Call; 4] = unsafe {
        [
            |c| fmi2CompletedIntegratorStep(c, 0, null_mut(), &mut 0),
            |c| fmi2GetDerivatives(c, null_mut(), 3),
            |c| fmi2SetContinuousStates(c, null_mut(), 3),
            |c| {
                fmi2EnterEventMode(c);
                fmi2NewDiscreteStates(c, null_mut())
            },
        ]
    };
    for call in calls {
        let instance = resources.exchange();
        instance.initialize(0.0, None);
        instance.integrate();
        assert_eq!(call(instance.c), fmi2Error);
    }
}
