//! Messages to the importer's logger, and their categories.
//!
//! The logger of FMI 2.0 is a printf-style variadic function. It gets the finished message as its format and no
//! arguments, since some hosts do not read variadic arguments. A `%` in a file name or a diagnostic is doubled, so that
//! it is plain text. The logger of FMI 3.0 takes plain text. In both, a `#` starts a value reference (`#r12#`, `#12#`)
//! and is doubled.
//!
//! Which categories are on:
//!
//! | | FMI 2.0 | FMI 3.0 |
//! |---|---|---|
//! | after instantiation without `loggingOn` | warnings, discarded steps, errors | errors |
//! | after instantiation with `loggingOn` | all | all |
//! | SetDebugLogging with categories | exactly the categories that the call switches on | these categories on or off |
//! | SetDebugLogging without categories | all on or off | all on or off, but errors remain on |

use std::ffi::{CStr, CString};
use std::fmt::{self, Display, Write};

use super::environment::Environment;
use super::status::Status;
use super::types::{
    fmi2CallbackFunctions, fmi2CallbackLogger, fmi2ComponentEnvironment, fmi3InstanceEnvironment,
    fmi3LogMessageCallback,
};

/// A log category, as `LogCategories` in `modelDescription.xml` lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Name; the standard's name if there is one.
    pub name: &'static str,
    /// Short description.
    pub description: &'static str,
}

/// All categories, in the order of `modelDescription.xml`.
pub const CATEGORIES: &[Category] = &[
    Category { name: "logEvents", description: "Instantiation, compilation, initialization, reset, state transfer" },
    Category { name: "logStatusWarning", description: "A call had no effect or a questionable effect" },
    Category { name: "logStatusDiscard", description: "A call was rejected, or a step was completed only in part" },
    Category { name: "logStatusError", description: "A call failed; the message gives the reason" },
    Category { name: "logStatusFatal", description: "The instance is corrupt and cannot be used again" },
];

/// Position of `logEvents` in [`CATEGORIES`].
const EVENTS: usize = 0;

/// Bit mask with every category.
const ALL: u8 = (1 << CATEGORIES.len()) - 1;
/// Bit mask with `logStatusWarning`.
const WARNINGS: u8 = 1 << 1;
/// Name of the category of warnings.
const WARNING_CATEGORY: &CStr = c"logStatusWarning";
/// Largest length in bytes of a message that is created within a step, including the final zero.
const MAX_BOUNDED: usize = 1024;
/// Bit mask with `logStatusError` and `logStatusFatal`.
const ERRORS: u8 = 1 << 3 | 1 << 4;

/// Position in [`CATEGORIES`] of the category of a status.
fn category(status: Status) -> usize {
    match status {
        Status::Ok => EVENTS,
        Status::Warning => 1,
        Status::Discard => 2,
        Status::Error => 3,
        Status::Fatal => 4,
    }
}

/// Destination of messages: the logger of the importer with its first argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sink {
    /// FMI 2.0.
    Fmi2(Option<fmi2CallbackLogger>, fmi2ComponentEnvironment),
    /// FMI 3.0.
    Fmi3(fmi3LogMessageCallback, fmi3InstanceEnvironment),
}

impl Sink {
    /// The logger among the callbacks of FMI 2.0, if there are any.
    pub(crate) fn fmi2(callbacks: Option<&fmi2CallbackFunctions>) -> Sink {
        let environment = callbacks.map_or(std::ptr::null_mut(), |callbacks| callbacks.componentEnvironment);
        Sink::Fmi2(callbacks.and_then(|callbacks| callbacks.logger), environment)
    }

    /// Whether there is a logger.
    fn is_open(&self) -> bool {
        match self {
            Sink::Fmi2(logger, _) => logger.is_some(),
            Sink::Fmi3(logger, _) => logger.is_some(),
        }
    }

    /// Categories that cannot be switched off.
    fn always(&self) -> u8 {
        match self {
            Sink::Fmi2(..) => 0,
            Sink::Fmi3(..) => ERRORS,
        }
    }

    /// Passes a finished message to the logger, in the environment of the host. Allocates nothing.
    pub(crate) fn send(&self, host: Environment, name: &CStr, status: Status, category: &CStr, message: &CStr) {
        let (name, category, message) = (name.as_ptr(), category.as_ptr(), message.as_ptr());
        match *self {
            Sink::Fmi2(Some(logger), environment) => {
                // SAFETY: the importer warrants that the logger may be called with its environment from the thread that
                // called into the FMU, while the instance lives. All strings are zero-terminated and outlive the call;
                // the format has no conversion but `%%`, which takes no argument.
                host.run(|| unsafe { logger(environment, name, status.into(), category, message) });
            }
            Sink::Fmi3(Some(logger), environment) => {
                // SAFETY: as above; there is no format.
                host.run(|| unsafe { logger(environment, status.into(), category, message) });
            }
            Sink::Fmi2(None, _) | Sink::Fmi3(None, _) => (),
        }
    }
}

/// Log of one instance: a copy of the importer's logger data, and the active categories.
pub(crate) struct Log {
    name: CString,
    sink: Sink,
    enabled: u8,
    enabled_at_instantiation: u8,
    /// The host's floating-point environment in the present call.
    host: Environment,
}

impl Log {
    /// A log of the instance `name` for a call from `host`; without a logger, messages are dropped.
    pub(crate) fn new(name: &CStr, sink: Sink, logging_on: bool, host: Environment) -> Log {
        let enabled = match (logging_on, &sink) {
            (true, _) => ALL,
            (false, Sink::Fmi2(..)) => ALL & !(1 << EVENTS),
            (false, Sink::Fmi3(..)) => ERRORS,
        };
        Log { name: name.to_owned(), sink, enabled, enabled_at_instantiation: enabled, host }
    }

    /// The host's floating-point environment in the present call.
    pub(crate) fn host(&self) -> Environment {
        self.host
    }

    /// Sets the host's floating-point environment for another call.
    pub(crate) fn set_host(&mut self, host: Environment) {
        self.host = host;
    }

    /// Switches categories according to the table in the module documentation. Returns the first name that is not a
    /// category; `logAll` means all.
    pub(crate) fn set_enabled<'a>(&mut self, on: bool, names: &[&'a CStr]) -> Result<(), &'a CStr> {
        let (mut named, mut unknown) = (if names.is_empty() { ALL } else { 0 }, Ok(()));
        for name in names {
            match CATEGORIES.iter().position(|category| category.name.as_bytes() == name.to_bytes()) {
                Some(i) => named |= 1 << i,
                None if name.to_bytes() == b"logAll" => named = ALL,
                None => unknown = unknown.and(Err(*name)),
            }
        }
        self.enabled = self.sink.always()
            | match (&self.sink, on) {
                (Sink::Fmi2(..), true) => named,
                (Sink::Fmi2(..), false) => 0,
                (Sink::Fmi3(..), true) => self.enabled | named,
                (Sink::Fmi3(..), false) => self.enabled & !named,
            };
        match self.sink {
            // A call that switches everything off needs no valid names.
            Sink::Fmi2(..) if !on => Ok(()),
            _ => unknown,
        }
    }

    /// Restores the categories that were on after instantiation.
    pub(crate) fn reset(&mut self) {
        self.enabled = self.enabled_at_instantiation;
    }

    /// Reports an event, if events are logged; the text is only created in that case.
    pub(crate) fn event(&self, message: impl FnOnce() -> String) {
        if self.enabled & (1 << EVENTS) != 0 && self.sink.is_open() {
            self.send(Status::Ok, &message());
        }
    }

    /// Sends a warning to the logger, without allocating; a longer message is truncated. It is sent where warnings or
    /// errors are on, since a host that does not log warnings must also learn of a fault.
    pub(crate) fn send_bounded(&self, message: &dyn Display) {
        if self.enabled & (WARNINGS | ERRORS) == 0 || !self.sink.is_open() {
            return;
        }
        let mut text = Text { bytes: [0; MAX_BOUNDED], length: 0, is_format: matches!(self.sink, Sink::Fmi2(..)) };
        // An error reports that the end is lost.
        let _ = write!(text, "{message}");
        let message = CStr::from_bytes_until_nul(&text.bytes).unwrap_or_default();
        self.sink.send(self.host, &self.name, Status::Warning, WARNING_CATEGORY, message);
    }

    /// Passes a message to the logger if its category is on.
    pub(crate) fn send(&self, status: Status, message: &str) {
        let index = category(status);
        if self.enabled & (1 << index) == 0 || !self.sink.is_open() {
            return;
        }
        let c_string = |text: String| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let category = c_string(CATEGORIES[index].name.to_string());
        let message = message.replace('#', "##");
        let message = match self.sink {
            Sink::Fmi2(..) => c_string(message.replace('%', "%%")),
            Sink::Fmi3(..) => c_string(message),
        };
        self.sink.send(self.host, &self.name, status, &category, &message);
    }
}

/// A message for the logger, escaped as described in the module documentation and terminated by a zero.
struct Text {
    bytes: [u8; MAX_BOUNDED],
    length: usize,
    /// Whether the logger treats it as a format.
    is_format: bool,
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            let mut buffer = [0; 4];
            let escaped: &[u8] = match c {
                '\0' => b" ",
                '#' => b"##",
                '%' if self.is_format => b"%%",
                c => c.encode_utf8(&mut buffer).as_bytes(),
            };
            // The last byte remains zero.
            let room = self.bytes[..MAX_BOUNDED - 1].get_mut(self.length..self.length + escaped.len());
            room.ok_or(fmt::Error)?.copy_from_slice(escaped);
            self.length += escaped.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_message_is_escaped_and_cut_between_characters() {
        let text = |message: &str, is_format| {
            let mut text = Text { bytes: [0; MAX_BOUNDED], length: 0, is_format };
            let done = write!(text, "{message}");
            let cut = CStr::from_bytes_until_nul(&text.bytes).expect("it ends").to_str().expect("UTF-8").to_string();
            (cut, done.is_ok())
        };
        assert_eq!(text("a#1 50 %\0b", true), ("a##1 50 %% b".into(), true));
        assert_eq!(text("a#1 50 %\0b", false), ("a##1 50 % b".into(), true));
        let long = "\u{e9}".repeat(MAX_BOUNDED);
        assert_eq!(text(&long, true), ("\u{e9}".repeat((MAX_BOUNDED - 1) / 2), false));
        assert_eq!(WARNING_CATEGORY.to_bytes(), CATEGORIES[category(Status::Warning)].name.as_bytes());
        assert_eq!(WARNINGS, 1 << category(Status::Warning));
    }

    #[test]
    fn every_status_has_the_category_that_bears_its_name() {
        for (status, name) in [
            (Status::Warning, "logStatusWarning"),
            (Status::Discard, "logStatusDiscard"),
            (Status::Error, "logStatusError"),
            (Status::Fatal, "logStatusFatal"),
            (Status::Ok, "logEvents"),
        ] {
            assert_eq!(CATEGORIES[category(status)].name, name);
        }
    }

    #[test]
    fn categories_are_switched_as_listed() {
        let mut log = Log::new(c"a", Sink::fmi2(None), false, Environment::DEFAULT);
        assert_eq!(log.enabled, ALL - 1);
        assert_eq!(log.set_enabled(true, &[c"logStatusError"]), Ok(()));
        assert_eq!(log.enabled, 1 << 3);
        assert_eq!(log.set_enabled(true, &[c"logEvents", c"logNothing"]), Err(c"logNothing"));
        assert_eq!(log.enabled, 1);
        assert_eq!(log.set_enabled(true, &[]), Ok(()));
        assert_eq!(log.enabled, ALL);
        assert_eq!(log.set_enabled(false, &[c"logEvents"]), Ok(()));
        assert_eq!(log.enabled, 0);
        log.reset();
        assert_eq!(log.enabled, ALL - 1);
    }

    #[test]
    fn categories_of_fmi_3_are_switched_one_by_one_and_errors_stay() {
        let mut log = Log::new(c"a", Sink::Fmi3(None, std::ptr::null_mut()), false, Environment::DEFAULT);
        assert_eq!(log.enabled, ERRORS);
        assert_eq!(log.set_enabled(true, &[c"logEvents"]), Ok(()));
        assert_eq!(log.enabled, ERRORS | 1);
        assert_eq!(log.set_enabled(true, &[c"logStatusWarning"]), Ok(()));
        assert_eq!(log.enabled, ERRORS | 3);
        assert_eq!(log.set_enabled(false, &[c"logEvents", c"logNothing"]), Err(c"logNothing"));
        assert_eq!(log.enabled, ERRORS | 2);
        assert_eq!(log.set_enabled(true, &[]), Ok(()));
        assert_eq!(log.enabled, ALL);
        assert_eq!(log.set_enabled(false, &[]), Ok(()));
        assert_eq!(log.enabled, ERRORS);
    }
}
