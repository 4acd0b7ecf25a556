//! Which function of FMI 2.0 may be called in which state.
//!
//! Source: FMI 2.0, sections 3.2.3 and 4.2.4 (state machines and tables of allowed calls).

use super::{Kind, State};

const COLUMNS: [State; 10] = [
    State::Instantiated,
    State::Initialization,
    State::StepComplete,
    State::InProgress,
    State::StepFailed,
    State::StepCanceled,
    State::Terminated,
    State::Error,
    State::EventMode,
    State::ContinuousTime,
];

state_table! {
    "fmi2" COLUMNS
    //                          Instantiated
    //                          | Initialization
    //                          | | StepComplete
    //                          | | | InProgress
    //                          | | | | StepFailed
    //                          | | | | | StepCanceled
    //                          | | | | | | Terminated
    //                          | | | | | | | Error
    //                          | | | | | | | | EventMode
    //                          | | | | | | | | | ContinuousTime
    SetDebugLogging            "x x x x x x x x x x"
    FreeInstance               "x x x - x x x x x x"
    Reset                      "x x x - x x x x x x"
    SetupExperiment            "x - - - - - - - - -"
    EnterInitializationMode    "x - - - - - - - - -"
    ExitInitializationMode     "- x - - - - - - - -"
    Terminate                  "- - x - x - - - x x"
    GetReal                    "- x x - x x x x x x"
    GetInteger                 "- x x - x x x x x x"
    GetBoolean                 "- x x - x x x x x x"
    GetString                  "- x x - x x x x x x"
    SetReal                    "x x x - - - - - x x"
    SetInteger                 "x x x - - - - - x x"
    SetBoolean                 "x x x - - - - - x x"
    SetString                  "x x x - - - - - x x"
    GetFMUstate                "x x x - x x x x x x"
    SetFMUstate                "x x x - x x x x x x"
    FreeFMUstate               "x x x - x x x x x x"
    SerializedFMUstateSize     "x x x - x x x x x x"
    SerializeFMUstate          "x x x - x x x x x x"
    DeSerializeFMUstate        "x x x - x x x x x x"
    GetDirectionalDerivative   "- x x - x x x x x x"
    SetRealInputDerivatives    "x x x - - - - - - -"
    GetRealOutputDerivatives   "- - x - x x x x - -"
    DoStep                     "- - x - - - - - - -"
    CancelStep                 "- - - x - - - - - -"
    GetStatus                  "- - x x x - x - - -"
    GetRealStatus              "- - x x x - x - - -"
    GetIntegerStatus           "- - x x x - x - - -"
    GetBooleanStatus           "- - x x x - x - - -"
    GetStringStatus            "- - x x x - x - - -"
    // Only in Model Exchange.
    EnterEventMode             "- - - - - - - - x x"
    NewDiscreteStates          "- - - - - - - - x -"
    EnterContinuousTimeMode    "- - - - - - - - x -"
    CompletedIntegratorStep    "- - - - - - - - - x"
    SetTime                    "- - - - - - - - x x"
    SetContinuousStates        "- - - - - - - - - x"
    GetDerivatives             "- - - - - - x x x x"
    GetEventIndicators         "- x - - - - x x x x"
    GetContinuousStates        "- x - - - - x x x x"
    GetNominalsOfContinuousStates "x x - - - - x x x x"
}

impl Function {
    /// The only kind that has the function; `None` for functions of both.
    fn only_of(self) -> Option<Kind> {
        Some(match self {
            Function::EnterEventMode
            | Function::NewDiscreteStates
            | Function::EnterContinuousTimeMode
            | Function::CompletedIntegratorStep
            | Function::SetTime
            | Function::SetContinuousStates
            | Function::GetDerivatives
            | Function::GetEventIndicators
            | Function::GetContinuousStates
            | Function::GetNominalsOfContinuousStates => Kind::ModelExchange,
            Function::SetRealInputDerivatives
            | Function::GetRealOutputDerivatives
            | Function::DoStep
            | Function::CancelStep
            | Function::GetStatus
            | Function::GetRealStatus
            | Function::GetIntegerStatus
            | Function::GetBooleanStatus
            | Function::GetStringStatus => Kind::CoSimulation,
            _ => return None,
        })
    }
}

impl super::Function for Function {
    const FREE: Function = Function::FreeInstance;

    fn name(self) -> &'static str {
        self.name()
    }

    fn states(self) -> u16 {
        self.states()
    }

    fn missing(self, kind: Kind) -> Option<&'static str> {
        match (self.only_of(), kind) {
            (Some(Kind::ModelExchange), Kind::CoSimulation) => {
                Some("this instance is for Co-Simulation; functions of Model Exchange cannot be called")
            }
            (Some(Kind::CoSimulation), Kind::ModelExchange) => {
                Some("this instance is for Model Exchange; functions of Co-Simulation cannot be called")
            }
            _ => None,
        }
    }

    fn overwrites_all(self) -> bool {
        matches!(self, Function::Reset | Function::SetFMUstate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmi::states::Function as _;

    #[test]
    fn nothing_is_legal_after_a_fatal_error() {
        for kind in Kind::ALL {
            assert!(Function::ALL.iter().all(|function| !function.is_legal_in(State::Fatal, kind)));
        }
    }

    #[test]
    fn every_kind_lacks_the_functions_of_the_other() {
        let lacking = |kind| Function::ALL.iter().filter(|function| function.missing(kind).is_some()).count();
        assert_eq!([lacking(Kind::CoSimulation), lacking(Kind::ModelExchange)], [10, 9]);
        assert_eq!(Function::ALL.len() + 3, 44, "GetTypesPlatform, GetVersion and Instantiate take no instance");
    }

    #[test]
    fn modes_of_model_exchange_are_left_and_entered_as_the_standard_has_it() {
        let legal = |function: Function| {
            let legal = |state: &&State| function.is_legal_in(**state, Kind::ModelExchange);
            State::COLUMNS.iter().filter(legal).copied().collect::<Vec<_>>()
        };
        assert_eq!(legal(Function::EnterContinuousTimeMode), [State::EventMode]);
        assert_eq!(legal(Function::CompletedIntegratorStep), [State::ContinuousTime]);
        assert_eq!(legal(Function::SetContinuousStates), [State::ContinuousTime]);
        assert_eq!(legal(Function::NewDiscreteStates), [State::EventMode]);
        assert_eq!(legal(Function::DoStep), []);
    }
}
