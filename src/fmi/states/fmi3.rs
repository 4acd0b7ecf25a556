//! Which function of FMI 3.0 may be called in which state.
//!
//! Source: FMI 3.0.2, section 2.3 (common states), section 3.2 (Model Exchange) and section 4.2 (Co-Simulation, here
//! without event mode), without configuration mode, which needs features that this library does not have. Step mode of
//! the standard is `StepComplete` here. Its state terminated is `Terminated` (after fmi3Terminate) or `Error` (after
//! every fmi3Error). `StepFailed` occurs only in states that were stored through FMI 2.0 after a discarded step; it
//! allows the same functions as `Error`.
//!
//! In intermediate update mode (section 4.2.2) the instance is within a step. The functions that the section names are
//! legal, and fmi3SetDebugLogging of the surrounding state. Functions that would store, restore, reset or free an
//! instance with an unfinished step are not. Inputs are not requested, so they cannot be set.

use super::{Kind, State};

const COLUMNS: [State; 9] = [
    State::Instantiated,
    State::Initialization,
    State::StepComplete,
    State::StepFailed,
    State::Terminated,
    State::Error,
    State::EventMode,
    State::ContinuousTime,
    State::IntermediateUpdate,
];

state_table! {
    "fmi3" COLUMNS
    //                               Instantiated
    //                               | Initialization
    //                               | | StepComplete
    //                               | | | StepFailed
    //                               | | | | Terminated
    //                               | | | | | Error
    //                               | | | | | | EventMode
    //                               | | | | | | | ContinuousTime
    //                               | | | | | | | | IntermediateUpdate
    SetDebugLogging                 "x x x x x x x x x"
    FreeInstance                    "x x x x x x x x -"
    Reset                           "x x x x x x x x -"
    EnterInitializationMode         "x - - - - - - - -"
    ExitInitializationMode          "- x - - - - - - -"
    Terminate                       "- - x - - - x x -"
    GetFloat32                      "x x x x x x x x x"
    GetFloat64                      "x x x x x x x x x"
    GetInt8                         "x x x x x x x x x"
    GetUInt8                        "x x x x x x x x x"
    GetInt16                        "x x x x x x x x x"
    GetUInt16                       "x x x x x x x x x"
    GetInt32                        "x x x x x x x x x"
    GetUInt32                       "x x x x x x x x x"
    GetInt64                        "x x x x x x x x x"
    GetUInt64                       "x x x x x x x x x"
    GetBoolean                      "x x x x x x x x x"
    GetString                       "x x x x x x x x x"
    GetBinary                       "x x x x x x x x x"
    SetFloat32                      "x x x - - - x x -"
    SetFloat64                      "x x x - - - x x -"
    SetInt8                         "x x x - - - x x -"
    SetUInt8                        "x x x - - - x x -"
    SetInt16                        "x x x - - - x x -"
    SetUInt16                       "x x x - - - x x -"
    SetInt32                        "x x x - - - x x -"
    SetUInt32                       "x x x - - - x x -"
    SetInt64                        "x x x - - - x x -"
    SetUInt64                       "x x x - - - x x -"
    SetBoolean                      "x x x - - - x x -"
    SetString                       "x x x - - - x x -"
    SetBinary                       "x x x - - - x x -"
    GetNumberOfVariableDependencies "x x x x x x x x x"
    GetVariableDependencies         "x x x x x x x x x"
    GetFMUState                     "x x x x x x x x -"
    SetFMUState                     "x x x x x x x x -"
    FreeFMUState                    "x x x x x x x x -"
    SerializedFMUStateSize          "x x x x x x x x -"
    SerializeFMUState               "x x x x x x x x -"
    DeserializeFMUState             "x x x x x x x x -"
    GetDirectionalDerivative        "- x x x x x x x -"
    GetAdjointDerivative            "- x x x x x x x -"
    GetOutputDerivatives            "- - x x x x - - x"
    DoStep                          "- - x - - - - - -"
    // Event mode, which Co-Simulation does not have here.
    EnterEventMode                  "- - - - - - - x -"
    EvaluateDiscreteStates          "- x - - - - x - -"
    UpdateDiscreteStates            "- - - - - - x - -"
    EnterStepMode                   "- - - - - - - - -"
    // There are no clocks.
    GetClock                        "- - - - - - - - -"
    SetClock                        "- - - - - - - - -"
    GetIntervalDecimal              "- - - - - - - - -"
    GetIntervalFraction             "- - - - - - - - -"
    GetShiftDecimal                 "- - - - - - - - -"
    GetShiftFraction                "- - - - - - - - -"
    SetIntervalDecimal              "- - - - - - - - -"
    SetIntervalFraction             "- - - - - - - - -"
    SetShiftDecimal                 "- - - - - - - - -"
    SetShiftFraction                "- - - - - - - - -"
    // There are no structural parameters.
    EnterConfigurationMode          "- - - - - - - - -"
    ExitConfigurationMode           "- - - - - - - - -"
    // Only in Model Exchange.
    EnterContinuousTimeMode         "- - - - - - x - -"
    CompletedIntegratorStep         "- - - - - - - x -"
    SetTime                         "- - - - - - x x -"
    SetContinuousStates             "- - - - - - - x -"
    GetContinuousStateDerivatives   "- x - - x x x x -"
    GetEventIndicators              "- x - - x x x x -"
    GetContinuousStates             "- x - - x x x x -"
    GetNominalsOfContinuousStates   "- x - - x x x x -"
    GetNumberOfEventIndicators      "x x - - x x x x -"
    GetNumberOfContinuousStates     "x x - - x x x x -"
    // Scheduled Execution is not offered.
    ActivateModelPartition          "- - - - - - - - -"
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
        // Functions of optional capabilities that the model description excludes.
        match self {
            Function::EnterConfigurationMode | Function::ExitConfigurationMode => {
                Some("this FMU has no structural parameters and no configuration mode")
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
            | Function::SetShiftFraction => Some("this FMU has no clocks"),
            Function::ActivateModelPartition => {
                Some("this FMU does not support Scheduled Execution; its functions cannot be called")
            }
            Function::EnterStepMode => Some("this FMU has no event mode in Co-Simulation, so step mode cannot be left"),
            // Functions of the other interface type.
            Function::EnterEventMode | Function::EvaluateDiscreteStates | Function::UpdateDiscreteStates => {
                (kind == Kind::CoSimulation).then_some("this FMU has no event mode in Co-Simulation")
            }
            Function::EnterContinuousTimeMode
            | Function::CompletedIntegratorStep
            | Function::SetTime
            | Function::SetContinuousStates
            | Function::GetContinuousStateDerivatives
            | Function::GetEventIndicators
            | Function::GetContinuousStates
            | Function::GetNominalsOfContinuousStates
            | Function::GetNumberOfEventIndicators
            | Function::GetNumberOfContinuousStates => (kind == Kind::CoSimulation)
                .then_some("this instance is for Co-Simulation; functions of Model Exchange cannot be called"),
            Function::DoStep | Function::GetOutputDerivatives => (kind == Kind::ModelExchange)
                .then_some("this instance is for Model Exchange; functions of Co-Simulation cannot be called"),
            _ => None,
        }
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
        let of = |word: &str, kind| {
            let lacks = |function: &&Function| function.missing(kind).is_some_and(|text| text.contains(word));
            Function::ALL.iter().filter(lacks).count()
        };
        let words = ["event mode", "clocks", "structural", "functions of Model Exchange", "Scheduled"];
        assert_eq!(words.map(|word| of(word, Kind::CoSimulation)), [4, 10, 2, 10, 1]);
        let words = ["event mode", "clocks", "structural", "functions of Co-Simulation", "Scheduled"];
        assert_eq!(words.map(|word| of(word, Kind::ModelExchange)), [1, 10, 2, 2, 1]);
        for kind in Kind::ALL {
            assert!(Function::ALL.iter().all(|function| !function.is_legal_in(State::Fatal, kind)));
        }
    }
}
