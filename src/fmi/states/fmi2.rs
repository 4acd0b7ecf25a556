//! Which function of FMI 2.0 may be called in which state.
//!
//! Source: FMI 2.0, section 4.2.4 (state machine and table of allowed calls).

use super::State;

const COLUMNS: [State; 8] = State::COLUMNS;

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
    SetDebugLogging            "x x x x x x x x"
    FreeInstance               "x x x - x x x x"
    Reset                      "x x x - x x x x"
    SetupExperiment            "x - - - - - - -"
    EnterInitializationMode    "x - - - - - - -"
    ExitInitializationMode     "- x - - - - - -"
    Terminate                  "- - x - x - - -"
    GetReal                    "- x x - x x x x"
    GetInteger                 "- x x - x x x x"
    GetBoolean                 "- x x - x x x x"
    GetString                  "- x x - x x x x"
    SetReal                    "x x x - - - - -"
    SetInteger                 "x x x - - - - -"
    SetBoolean                 "x x x - - - - -"
    SetString                  "x x x - - - - -"
    GetFMUstate                "x x x - x x x x"
    SetFMUstate                "x x x - x x x x"
    FreeFMUstate               "x x x - x x x x"
    SerializedFMUstateSize     "x x x - x x x x"
    SerializeFMUstate          "x x x - x x x x"
    DeSerializeFMUstate        "x x x - x x x x"
    GetDirectionalDerivative   "- x x - x x x x"
    SetRealInputDerivatives    "x x x - - - - -"
    GetRealOutputDerivatives   "- - x - x x x x"
    DoStep                     "- - x - - - - -"
    CancelStep                 "- - - x - - - -"
    GetStatus                  "- - x x x - x -"
    GetRealStatus              "- - x x x - x -"
    GetIntegerStatus           "- - x x x - x -"
    GetBooleanStatus           "- - x x x - x -"
    GetStringStatus            "- - x x x - x -"
    // Model Exchange is not offered: its functions are legal nowhere.
    EnterEventMode             "- - - - - - - -"
    NewDiscreteStates          "- - - - - - - -"
    EnterContinuousTimeMode    "- - - - - - - -"
    CompletedIntegratorStep    "- - - - - - - -"
    SetTime                    "- - - - - - - -"
    SetContinuousStates        "- - - - - - - -"
    GetDerivatives             "- - - - - - - -"
    GetEventIndicators         "- - - - - - - -"
    GetContinuousStates        "- - - - - - - -"
    GetNominalsOfContinuousStates "- - - - - - - -"
}

impl super::Function for Function {
    const FREE: Function = Function::FreeInstance;

    fn name(self) -> &'static str {
        self.name()
    }

    fn states(self) -> u16 {
        self.states()
    }

    fn missing(self) -> Option<&'static str> {
        (self.states() == 0).then_some("this FMU is for Co-Simulation; functions of Model Exchange cannot be called")
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
        assert!(Function::ALL.iter().all(|function| !function.is_legal_in(State::Fatal)));
    }

    #[test]
    fn the_functions_of_model_exchange_are_legal_nowhere() {
        assert_eq!(Function::ALL.iter().filter(|function| function.missing().is_some()).count(), 10);
        assert_eq!(Function::ALL.len() + 3, 44, "GetTypesPlatform, GetVersion and Instantiate take no instance");
    }
}
