//! Result of a call, in terms that FMI 2.0 and FMI 3.0 share.

use std::borrow::Cow;

/// Result of a call. FMI 2.0 has a status for steps that are still running as well, which this library never returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done.
    Ok,
    /// Done, with a message.
    Warning,
    /// FMI 2.0: a step was done in part, or a status is not available. FMI 3.0: not done, and nothing has changed.
    Discard,
    /// Failed; the instance can be reset or given an earlier state.
    Error,
    /// Failed; the instance cannot be used any more.
    Fatal,
}

/// The reason why a function does not return [`Status::Ok`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The returned value instead.
    pub status: Status,
    /// The text for the logger.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// The call failed.
    pub(crate) fn error(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: Status::Error, message: message.into() }
    }
    /// See [`Status::Discard`].
    pub(crate) fn discard(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: Status::Discard, message: message.into() }
    }
    /// The instance cannot be used any more.
    pub(crate) fn fatal(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: Status::Fatal, message: message.into() }
    }
    /// The call was done with a warning.
    pub(crate) fn warning(message: impl Into<Cow<'static, str>>) -> Problem {
        Problem { status: Status::Warning, message: message.into() }
    }
}
