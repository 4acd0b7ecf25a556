//! Which function of FMI 3.0 may be called in which state.
//!
//! Source: FMI 3.0.2, section 2.3 (common states) and section 4.2 (Co-Simulation), without event mode, intermediate update mode and
//! configuration mode, which need what this library does not offer. Two states of the standard are more than one here: step mode is
//! `StepComplete`; `Terminated` and `Error` are its terminated, which it enters after fmi3Terminate and after every fmi3Error.
//! `StepFailed` comes from states that were stored through FMI 2.0 after a discarded step; it allows what `Error` allows.

use super::State;

const COLUMNS: [State; 6] = [
    State::Instantiated,
    State::Initialization,
    State::StepComplete,
    State::StepFailed,
    State::Terminated,
    State::Error,
];

state_table! {
    "fmi3" COLUMNS
    //                               Instantiated
    //                               | Initialization
    //                               | | StepComplete
    //                               | | | StepFailed
    //                               | | | | Terminated
    //                               | | | | | Error
    SetDebugLogging                 "x x x x x x"
    FreeInstance                    "x x x x x x"
    Reset                           "x x x x x x"
    EnterInitializationMode         "x - - - - -"
    ExitInitializationMode          "- x - - - -"
    Terminate                       "- - x - - -"
    GetFloat32                      "x x x x x x"
    GetFloat64                      "x x x x x x"
    GetInt8                         "x x x x x x"
    GetUInt8                        "x x x x x x"
    GetInt16                        "x x x x x x"
    GetUInt16                       "x x x x x x"
    GetInt32                        "x x x x x x"
    GetUInt32                       "x x x x x x"
    GetInt64                        "x x x x x x"
    GetUInt64                       "x x x x x x"
    GetBoolean                      "x x x x x x"
    GetString                       "x x x x x x"
    GetBinary                       "x x x x x x"
    SetFloat32                      "x x x - - -"
    SetFloat64                      "x x x - - -"
    SetInt8                         "x x x - - -"
    SetUInt8                        "x x x - - -"
    SetInt16                        "x x x - - -"
    SetUInt16                       "x x x - - -"
    SetInt32                        "x x x - - -"
    SetUInt32                       "x x x - - -"
    SetInt64                        "x x x - - -"
    SetUInt64                       "x x x - - -"
    SetBoolean                      "x x x - - -"
    SetString                       "x x x - - -"
    SetBinary                       "x x x - - -"
    GetNumberOfVariableDependencies "x x x x x x"
    GetVariableDependencies         "x x x x x x"
    GetFMUState                     "x x x x x x"
    SetFMUState                     "x x x x x x"
    FreeFMUState                    "x x x x x x"
    SerializedFMUStateSize          "x x x x x x"
    SerializeFMUState               "x x x x x x"
    DeserializeFMUState             "x x x x x x"
    GetDirectionalDerivative        "- x x x x x"
    GetAdjointDerivative            "- x x x x x"
    GetOutputDerivatives            "- - x x x x"
    DoStep                          "- - x - - -"
    // There is no event mode.
    EnterEventMode                  "- - - - - -"
    EvaluateDiscreteStates          "- - - - - -"
    UpdateDiscreteStates            "- - - - - -"
    EnterStepMode                   "- - - - - -"
    // There are no clocks.
    GetClock                        "- - - - - -"
    SetClock                        "- - - - - -"
    GetIntervalDecimal              "- - - - - -"
    GetIntervalFraction             "- - - - - -"
    GetShiftDecimal                 "- - - - - -"
    GetShiftFraction                "- - - - - -"
    SetIntervalDecimal              "- - - - - -"
    SetIntervalFraction             "- - - - - -"
    SetShiftDecimal                 "- - - - - -"
    SetShiftFraction                "- - - - - -"
    // There are no structural parameters.
    EnterConfigurationMode          "- - - - - -"
    ExitConfigurationMode           "- - - - - -"
    // Model Exchange is not offered.
    EnterContinuousTimeMode         "- - - - - -"
    CompletedIntegratorStep         "- - - - - -"
    SetTime                         "- - - - - -"
    SetContinuousStates             "- - - - - -"
    GetContinuousStateDerivatives   "- - - - - -"
    GetEventIndicators              "- - - - - -"
    GetContinuousStates             "- - - - - -"
    GetNominalsOfContinuousStates   "- - - - - -"
    GetNumberOfEventIndicators      "- - - - - -"
    GetNumberOfContinuousStates     "- - - - - -"
    // Neither is Scheduled Execution.
    ActivateModelPartition          "- - - - - -"
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
        if self.states() != 0 {
            return None;
        }
        Some(match self {
            Function::EnterEventMode
            | Function::EvaluateDiscreteStates
            | Function::UpdateDiscreteStates
            | Function::EnterStepMode => "this FMU has no event mode",
            Function::EnterConfigurationMode | Function::ExitConfigurationMode => {
                "this FMU has no structural parameters, and so no configuration mode"
            }
            Function::GetClock
            | Function::SetClock
            | Function::GetIntervalDecimal
            | Function::GetIntervalFraction
            | Function::GetShiftDecimal
            | Function::GetShiftFraction
            | Function::SetIntervalDecimal
            | Function::SetIntervalFraction
            | Function::SetShiftDecimal
            | Function::SetShiftFraction => "this FMU has no clocks",
            Function::ActivateModelPartition => {
                "this FMU is for Co-Simulation; functions of Scheduled Execution cannot be called"
            }
            _ => "this FMU is for Co-Simulation; functions of Model Exchange cannot be called",
        })
    }

    fn overwrites_all(self) -> bool {
        matches!(self, Function::Reset | Function::SetFMUState)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmi::states::Function as _;

    #[test]
    fn every_function_of_the_standard_has_a_row() {
        assert_eq!(Function::ALL.len() + 4, 75, "GetVersion and the three instantiations take no instance");
    }

    #[test]
    fn what_the_fmu_lacks_is_legal_nowhere_and_says_what_it_lacks() {
        let of = |word: &str| {
            let lacks = |function: &&Function| function.missing().is_some_and(|text| text.contains(word));
            Function::ALL.iter().filter(lacks).count()
        };
        assert_eq!(
            [of("event mode"), of("clocks"), of("structural"), of("Model Exchange"), of("Scheduled")],
            [4, 10, 2, 10, 1]
        );
        assert!(Function::ALL.iter().all(|function| !function.is_legal_in(State::Fatal)));
    }
}
