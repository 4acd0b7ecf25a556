//! The state machine of a Co-Simulation FMU, as data: which function may be called in which state.
//!
//! [`fmi2`] and [`fmi3`] have a table each, with a row for every function of the standard that takes an instance. Both are about
//! the same [`State`]. Which *variables* may be read or set in a state is decided per variable, see [`super::access`].

#[macro_use]
mod table;

pub mod fmi2;
pub mod fmi3;

/// State of an instance. `InProgress` and `Canceled` belong to asynchronous steps, which this library never makes;
/// they are here because the table has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// After instantiation or a reset.
    #[default]
    Instantiated,
    /// In initialization mode.
    Initialization,
    /// Initialized, or after a complete step; FMI 3.0 calls it step mode.
    StepComplete,
    /// During an asynchronous step.
    InProgress,
    /// After fmi2DoStep returned fmi2Discard. With FMI 3.0 only through a state that was stored there.
    StepFailed,
    /// After fmi2CancelStep.
    StepCanceled,
    /// After fmi2Terminate or fmi3Terminate.
    Terminated,
    /// After any error; FMI 3.0 calls it terminated.
    Error,
    /// After a fatal error: nothing may be called any more.
    Fatal,
}

impl State {
    /// The states in which anything may be called.
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
            State::Error => "in the error state, which a reset or a stored FMU state leaves",
            State::Fatal => "corrupt",
        }
    }
}

/// A function of a table.
pub trait Function: Copy + std::fmt::Debug + 'static {
    /// The function that frees an instance.
    const FREE: Self;
    /// Name in C.
    fn name(self) -> &'static str;
    /// Bit mask of the states in which the function may be called; bit i stands for the state of number i.
    fn states(self) -> u16;
    /// What the FMU would have to offer for the function to be legal in any state; `None` when it is legal in some.
    fn missing(self) -> Option<&'static str>;
    /// Whether the function leads out of the error state because it overwrites all that an instance remembers.
    fn overwrites_all(self) -> bool;

    /// Whether the function may be called in `state`.
    fn is_legal_in(self, state: State) -> bool {
        self.states() & (1 << state as u16) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_in_the_order_of_the_columns() {
        for (i, state) in State::COLUMNS.into_iter().enumerate() {
            assert_eq!(state as usize, i);
        }
    }
}
