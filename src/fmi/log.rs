//! Messages to the importer's logger, and their categories.
//!
//! The logger is a printf-style variadic function. It gets the finished message as its format and no arguments, since there are
//! hosts that do not read variadic arguments; a `%` in a file name or a diagnostic is doubled, so that it is only text. A `#` starts a value reference in the standard's messages (`#r12#`) and is
//! doubled. Which categories are on: after fmi2Instantiate those of warnings, discarded steps and errors, and with
//! `loggingOn` all; after fmi2SetDebugLogging what that call asked for.

use std::ffi::{CStr, CString};

use super::types::{fmi2CallbackFunctions, fmi2CallbackLogger, fmi2ComponentEnvironment, fmi2Status};

/// A log category, as `LogCategories` in `modelDescription.xml` lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Name, the one of the standard where there is one.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
}

/// All categories, in the order of `modelDescription.xml`.
pub const CATEGORIES: &[Category] = &[
    Category { name: "logEvents", description: "Instantiation, compilation, initialization, reset, state transfer" },
    Category { name: "logStatusWarning", description: "A call had no effect or a questionable one" },
    Category { name: "logStatusDiscard", description: "A step was done in part, or a status is not available" },
    Category { name: "logStatusError", description: "A call failed, and why" },
    Category { name: "logStatusFatal", description: "The instance is corrupt and cannot be used again" },
];

/// Position of `logEvents` in [`CATEGORIES`].
const EVENTS: usize = 0;

/// Bit mask with every category.
const ALL: u8 = (1 << CATEGORIES.len()) - 1;

/// Position in [`CATEGORIES`] of the category that goes with a status.
fn category(status: fmi2Status) -> usize {
    match status {
        fmi2Status::fmi2OK | fmi2Status::fmi2Pending => EVENTS,
        fmi2Status::fmi2Warning => 1,
        fmi2Status::fmi2Discard => 2,
        fmi2Status::fmi2Error => 3,
        fmi2Status::fmi2Fatal => 4,
    }
}

/// The way of messages out of one instance: a copy of what the importer handed over, and the categories that are on.
pub struct Log {
    name: CString,
    logger: Option<fmi2CallbackLogger>,
    environment: fmi2ComponentEnvironment,
    enabled: u8,
    enabled_at_instantiation: u8,
}

impl Log {
    /// A log of the instance `name`; without callbacks or without a logger among them, messages are dropped.
    pub fn new(name: &CStr, callbacks: Option<&fmi2CallbackFunctions>, logging_on: bool) -> Log {
        let enabled = if logging_on { ALL } else { ALL & !(1 << EVENTS) };
        Log {
            name: name.to_owned(),
            logger: callbacks.and_then(|callbacks| callbacks.logger),
            environment: callbacks.map_or(std::ptr::null_mut(), |callbacks| callbacks.componentEnvironment),
            enabled,
            enabled_at_instantiation: enabled,
        }
    }

    /// Switches everything off, or on: all categories when `names` is empty, else exactly those listed. Returns the
    /// first name that is not a category; `logAll` stands for all.
    pub fn set_enabled<'a>(&mut self, on: bool, names: &[&'a CStr]) -> Result<(), &'a CStr> {
        self.enabled = if on && names.is_empty() { ALL } else { 0 };
        let mut unknown = Ok(());
        for name in names.iter().filter(|_| on) {
            match CATEGORIES.iter().position(|category| category.name.as_bytes() == name.to_bytes()) {
                Some(i) => self.enabled |= 1 << i,
                None if name.to_bytes() == b"logAll" => self.enabled = ALL,
                None => unknown = unknown.and(Err(*name)),
            }
        }
        unknown
    }

    /// Back to the categories that were on after fmi2Instantiate.
    pub fn reset(&mut self) {
        self.enabled = self.enabled_at_instantiation;
    }

    /// Reports what happened, if events are logged; the text is only made when it is wanted.
    pub fn event(&self, message: impl FnOnce() -> String) {
        if self.enabled & (1 << EVENTS) != 0 && self.logger.is_some() {
            self.send(fmi2Status::fmi2OK, &message());
        }
    }

    /// Hands a message to the logger if its category is on.
    pub fn send(&self, status: fmi2Status, message: &str) {
        let category = category(status);
        let Some(logger) = self.logger.filter(|_| self.enabled & (1 << category) != 0) else { return };
        let c_string = |text: String| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let message = c_string(message.replace('%', "%%").replace('#', "##"));
        let category = c_string(CATEGORIES[category].name.to_string());
        // SAFETY: the importer warrants that the logger may be called with its environment from the thread that called
        // into the FMU, while the instance lives. All strings are zero-terminated and outlive the call; the
        // format has no conversion but `%%`, which takes no argument.
        unsafe {
            logger(self.environment, self.name.as_ptr(), status, category.as_ptr(), message.as_ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_the_category_that_bears_its_name() {
        for (status, name) in [
            (fmi2Status::fmi2Warning, "logStatusWarning"),
            (fmi2Status::fmi2Discard, "logStatusDiscard"),
            (fmi2Status::fmi2Error, "logStatusError"),
            (fmi2Status::fmi2Fatal, "logStatusFatal"),
            (fmi2Status::fmi2OK, "logEvents"),
        ] {
            assert_eq!(CATEGORIES[category(status)].name, name);
        }
    }

    #[test]
    fn categories_are_switched_as_listed() {
        let mut log = Log::new(c"a", None, false);
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
}
