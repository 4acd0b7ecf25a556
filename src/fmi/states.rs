//! The state machine of a Co-Simulation FMU, as data: which function may be called in which state.
//!
//! Source: FMI 2.0, section 4.2.4 (state machine and table of allowed calls). Which *variables* fmi2GetXxx and
//! fmi2SetXxx may touch in a state is decided per variable, see [`super::access`].

/// State of an instance. `InProgress` and `Canceled` belong to asynchronous steps, which this library never makes;
/// they are here because the table has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// After fmi2Instantiate or fmi2Reset.
    #[default]
    Instantiated,
    /// Between fmi2EnterInitializationMode and fmi2ExitInitializationMode.
    Initialization,
    /// Initialized, or after a complete step.
    StepComplete,
    /// During an asynchronous step.
    InProgress,
    /// After fmi2DoStep returned fmi2Discard.
    StepFailed,
    /// After fmi2CancelStep.
    StepCanceled,
    /// After fmi2Terminate.
    Terminated,
    /// After any fmi2Error.
    Error,
    /// After fmi2Fatal: nothing may be called any more.
    Fatal,
}

impl State {
    /// The states of the table, in the order of its columns; `Fatal` has no column.
    pub const COLUMNS: [State; 8] = [
        State::Instantiated,
        State::Initialization,
        State::StepComplete,
        State::InProgress,
        State::StepFailed,
        State::StepCanceled,
        State::Terminated,
        State::Error,
    ];

    /// The state in words.
    pub fn describe(self) -> &'static str {
        match self {
            State::Instantiated => "instantiated",
            State::Initialization => "in initialization mode",
            State::StepComplete => "initialized, between steps",
            State::InProgress => "in an asynchronous step",
            State::StepFailed => "after a discarded step",
            State::StepCanceled => "after a cancelled step",
            State::Terminated => "terminated",
            State::Error => "in the error state; fmi2Reset or fmi2SetFMUstate leave it",
            State::Fatal => "corrupt",
        }
    }
}

/// Bit mask of the states marked `x` in a row of eight columns.
const fn mask(row: &str) -> u16 {
    let (bytes, mut mask, mut column) = (row.as_bytes(), 0, 0);
    assert!(bytes.len() == 15, "eight columns, one space between them");
    while column < 8 {
        match bytes[2 * column] {
            b'x' => mask |= 1 << column,
            b'-' => (),
            _ => panic!("a column holds x or -"),
        }
        column += 1;
    }
    mask
}

macro_rules! state_table {
    ($($function:ident $row:literal)*) => {
        /// A function of FMI 2.0 that takes an instance; the names lack the prefix `fmi2`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function {
            $(#[doc = concat!("`fmi2", stringify!($function), "`")] $function,)*
        }

        impl Function {
            /// Every function of the table.
            pub const ALL: &[Function] = &[$(Function::$function),*];

            /// Name in C.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$function => concat!("fmi2", stringify!($function)),)*
                }
            }

            /// Bit mask of the states in which the function may be called; bit i stands for `State::COLUMNS[i]`.
            const fn states(self) -> u16 {
                match self {
                    $(Function::$function => const { mask($row) },)*
                }
            }
        }
    };
}

state_table! {
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

impl Function {
    /// Whether the function may be called in `state`.
    pub const fn is_legal_in(self, state: State) -> bool {
        self.states() & (1 << state as u16) != 0
    }

    /// Whether the function belongs to Model Exchange.
    pub const fn is_model_exchange(self) -> bool {
        self.states() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_one_bit_per_column() {
        assert_eq!(mask("x - - - - - - -"), 1);
        assert_eq!(mask("- - - - - - - x"), 128);
        for (i, state) in State::COLUMNS.into_iter().enumerate() {
            assert_eq!(state as usize, i);
        }
    }

    #[test]
    fn nothing_is_legal_after_a_fatal_error() {
        assert!(Function::ALL.iter().all(|function| !function.is_legal_in(State::Fatal)));
    }

    #[test]
    fn the_functions_of_model_exchange_are_legal_nowhere() {
        assert_eq!(Function::ALL.iter().filter(|function| function.is_model_exchange()).count(), 10);
        assert_eq!(Function::ALL.len() + 3, 44, "GetTypesPlatform, GetVersion and Instantiate take no instance");
    }
}
