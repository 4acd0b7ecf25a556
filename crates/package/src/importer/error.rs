//! Errors and messages of an FMU.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Return value of an FMI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok,
    /// Success with a message.
    Warning,
    /// Incomplete; the instance can continue.
    Discard,
    /// Failure; the instance must be reset or restored.
    Error,
    /// The FMU is corrupt; no function may be called again.
    Fatal,
    /// Still computing.
    Pending,
}

impl Status {
    /// Converts a value of the C enumeration; an unknown value is fatal.
    pub fn from_c(status: i32) -> Status {
        match status {
            0 => Status::Ok,
            1 => Status::Warning,
            2 => Status::Discard,
            3 => Status::Error,
            5 => Status::Pending,
            _ => Status::Fatal,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Ok => "fmi2OK",
            Status::Warning => "fmi2Warning",
            Status::Discard => "fmi2Discard",
            Status::Error => "fmi2Error",
            Status::Fatal => "fmi2Fatal",
            Status::Pending => "fmi2Pending",
        })
    }
}

/// A message that an FMU gave to the logger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Status of the message.
    pub status: Status,
    /// Log category.
    pub category: String,
    /// Text; format specifications of other tools are kept unchanged.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}] {}", self.status, self.category, self.text)
    }
}

/// An FMU cannot be loaded, or a call failed.
#[derive(Debug)]
pub enum ImportError {
    /// A file or folder cannot be read or written.
    File { path: PathBuf, error: io::Error },
    /// The file is not a zip archive, or is damaged.
    Archive { path: PathBuf, error: zip::result::ZipError },
    /// A path inside the archive leads outside.
    Escapes { entry: String },
    /// A file inside the archive cannot be unpacked.
    Entry { entry: String, reason: String },
    /// The archive exceeds a limit.
    TooLarge { path: PathBuf, reason: String },
    /// `modelDescription.xml` does not follow the standard.
    Description { line: usize, reason: String },
    /// The FMU is not FMI 2.0 for Co-Simulation.
    NotSupported { reason: String },
    /// There is no library for this machine.
    NoLibrary { wanted: String, available: Vec<String> },
    /// The library cannot be loaded.
    Library { path: PathBuf, error: libloading::Error },
    /// The library file is incomplete or not a library.
    Damaged { path: PathBuf, reason: String },
    /// The library was built for another processor.
    Foreign { path: PathBuf, reason: String },
    /// The library lacks a function.
    MissingFunction { name: &'static str },
    /// A name contains a zero byte.
    Name { name: String },
    /// Two slices that must have the same length do not.
    Lengths { function: &'static str },
    /// The saved state does not belong to this instance, or was freed.
    NoSuchState,
    /// The function did not return fmi2OK or fmi2Warning.
    Call { function: &'static str, status: Status, messages: Vec<Message> },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::File { path, error } => write!(f, "{}: {error}", path.display()),
            ImportError::Archive { path, error } => write!(f, "{}: not an FMU: {error}", path.display()),
            ImportError::Escapes { entry } => write!(f, "the archive contains a path outside of itself: {entry}"),
            ImportError::Entry { entry, reason } => write!(f, "{entry} in the archive: {reason}"),
            ImportError::TooLarge { path, reason } => write!(f, "{}: {reason}", path.display()),
            ImportError::Description { line: 0, reason } => write!(f, "modelDescription.xml: {reason}"),
            ImportError::Description { line, reason } => write!(f, "modelDescription.xml:{line}: {reason}"),
            ImportError::NotSupported { reason } => f.write_str(reason),
            ImportError::NoLibrary { wanted, available } if available.is_empty() => {
                write!(f, "the FMU contains no library; requested {wanted}")
            }
            ImportError::NoLibrary { wanted, available } => {
                write!(f, "the FMU contains no library {wanted}; available: {}", available.join(", "))
            }
            ImportError::Library { path, error } => {
                // The message of the system loader is one level down.
                write!(f, "{} cannot be loaded: {error}", path.display())?;
                let cause = std::error::Error::source(error);
                cause.map_or(Ok(()), |cause| write!(f, ": {cause}"))
            }
            ImportError::Damaged { path, reason } => write!(f, "{} is damaged: {reason}", path.display()),
            ImportError::Foreign { path, reason } => write!(f, "{} is {reason}", path.display()),
            ImportError::MissingFunction { name } => write!(f, "the library has no function {name}"),
            ImportError::Name { name } => write!(f, "the name contains a zero byte: {name:?}"),
            ImportError::Lengths { function } => write!(f, "{function}: the slices differ in length"),
            ImportError::NoSuchState => write!(f, "no such saved state"),
            ImportError::Call { function, status, messages } => {
                write!(f, "{function} returned {status}")?;
                messages.iter().try_for_each(|message| write!(f, "\n  {message}"))
            }
        }
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ImportError::File { error, .. } => Some(error),
            ImportError::Archive { error, .. } => Some(error),
            ImportError::Library { error, .. } => Some(error),
            _ => None,
        }
    }
}
