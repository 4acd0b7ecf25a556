//! The state machines of Co-Simulation and Model Exchange, as data: which function may be called in which state.
//!
//! [`fmi2`] and [`fmi3`] each contain a table with a row for every function of the standard that takes an instance.
//! Both use the same [`State`] and cover both kinds: `missing` gives the capability that a [`Kind`] of instance lacks
//! in every state. [`super::access`] decides for each *variable* whether it may be read or set in a state.

#[macro_use]
mod table;

pub(crate) mod fmi2;
pub(crate) mod fmi3;

/// The kind for which an instance was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The FMU integrates with the solver's integrator.
    CoSimulation,
    /// The importer integrates.
    ModelExchange,
}

impl Kind {
    #[cfg(test)]
    /// Every kind.
    pub(crate) const ALL: [Kind; 2] = [Kind::CoSimulation, Kind::ModelExchange];

    /// The name in the standard.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::CoSimulation => "Co-Simulation",
            Kind::ModelExchange => "Model Exchange",
        }
    }
}

/// State of an instance. `InProgress` and `Canceled` belong to asynchronous steps, which this library never makes; they
/// are here because the tables contain them.
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
    /// After fmi2DoStep returned fmi2Discard. In FMI 3.0 only through a state that was stored with FMI 2.0.
    StepFailed,
    /// After fmi2CancelStep.
    StepCanceled,
    /// After fmi2Terminate or fmi3Terminate.
    Terminated,
    /// After any error; FMI 3.0 calls it terminated.
    Error,
    /// Model Exchange, while the time is constant: after the initialization, and after an event.
    EventMode,
    /// Model Exchange, while the importer integrates.
    ContinuousTime,
    /// FMI 3.0: during the callback after an internal step, within fmi3DoStep.
    IntermediateUpdate,
    /// After a fatal error: nothing may be called any more.
    Fatal,
}

impl State {
    /// The states in which every function may be called.
    pub(crate) const COLUMNS: [State; 11] = [
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
        State::IntermediateUpdate,
    ];

    /// The states between the initialization and the end, in which the motion continues.
    pub(crate) fn is_initialized(self) -> bool {
        matches!(self, State::StepComplete | State::EventMode | State::ContinuousTime)
    }

    /// The state in words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            State::Instantiated => "instantiated",
            State::Initialization => "in initialization mode",
            State::StepComplete => "initialized, between steps",
            State::InProgress => "in an asynchronous step",
            State::StepFailed => "after a discarded step",
            State::StepCanceled => "after a cancelled step",
            State::Terminated => "terminated",
            State::Error => "in the error state; reset it or restore an FMU state",
            State::EventMode => "in event mode",
            State::ContinuousTime => "in continuous-time mode",
            State::IntermediateUpdate => "in intermediate update mode, within a step",
            State::Fatal => "corrupt",
        }
    }
}

/// A function of a table.
pub(crate) trait Function: Copy + std::fmt::Debug + 'static {
    /// The function that frees an instance.
    const FREE: Self;
    /// Name in C.
    fn name(self) -> &'static str;
    /// Bit mask of the states in which the function may be called; bit i is the state number i.
    fn states(self) -> u16;
    /// The capability that an instance of this kind would need for the function to be legal in any state; `None` if it
    /// is legal in some state.
    fn missing(self, kind: Kind) -> Option<&'static str>;
    /// Whether the function leads out of the error state because it overwrites all data of an instance.
    fn overwrites_all(self) -> bool;

    /// Whether the function may be called in `state` of an instance of this kind.
    fn is_legal_in(self, state: State, kind: Kind) -> bool {
        self.states() & (1 << state as u16) != 0 && self.missing(kind).is_none()
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
