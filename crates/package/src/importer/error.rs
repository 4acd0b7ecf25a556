//! What can go wrong with an FMU, and what it has to say about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// What an FMI function returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok,
    /// Done, with something to say.
    Warning,
    /// Not done or done in part; the instance can go on.
    Discard,
    /// Not done; the instance must be reset or given a saved state.
    Error,
    /// The FMU is corrupt; nothing of it may be called again.
    Fatal,
    /// Still computing.
    Pending,
}

impl Status {
    /// From the value of the C enumeration; a value outside of it is fatal.
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
    /// Status it belongs to.
    pub status: Status,
    /// Log category.
    pub category: String,
    /// Text; format specifications of other tools arrive as they were written.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}] {}", self.status, self.category, self.text)
    }
}

/// An FMU cannot be loaded, or a call of it failed.
#[derive(Debug)]
pub enum ImportError {
    /// A file or folder cannot be read or written.
    File { path: PathBuf, error: io::Error },
    /// The file is not a zip archive, or a damaged one.
    Archive { path: PathBuf, error: zip::result::ZipError },
    /// A path inside the archive leads out of it.
    Escapes { entry: String },
    /// A file inside the archive cannot be unpacked.
    Entry { entry: String, reason: String },
    /// The archive unpacks to more than is taken from one.
    TooLarge { path: PathBuf, reason: String },
    /// `modelDescription.xml` does not follow the standard.
    Description { line: usize, reason: String },
    /// The FMU is not FMI 2.0 for Co-Simulation.
    NotSupported { reason: String },
    /// There is no library for this machine.
    NoLibrary { wanted: String, available: Vec<String> },
    /// The library cannot be loaded.
    Library { path: PathBuf, error: libloading::Error },
    /// The library's file is not whole, or no file of a library.
    Damaged { path: PathBuf, reason: String },
    /// The library was built for another processor.
    Foreign { path: PathBuf, reason: String },
    /// The library lacks a function.
    MissingFunction { name: &'static str },
    /// A name holds a zero byte.
    Name { name: String },
    /// Two slices that must have the same length do not.
    Lengths { function: &'static str },
    /// A saved state that is not one of this instance, or was freed.
    NoSuchState,
    /// The function did not return fmi2OK or fmi2Warning.
    Call { function: &'static str, status: Status, messages: Vec<Message> },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::File { path, error } => write!(f, "{}: {error}", path.display()),
            ImportError::Archive { path, error } => write!(f, "{}: not an FMU: {error}", path.display()),
            ImportError::Escapes { entry } => write!(f, "the archive holds a path that leads out of it: {entry}"),
            ImportError::Entry { entry, reason } => write!(f, "the archive's {entry}: {reason}"),
            ImportError::TooLarge { path, reason } => write!(f, "{}: {reason}", path.display()),
            ImportError::Description { line: 0, reason } => write!(f, "modelDescription.xml: {reason}"),
            ImportError::Description { line, reason } => write!(f, "modelDescription.xml:{line}: {reason}"),
            ImportError::NotSupported { reason } => f.write_str(reason),
            ImportError::NoLibrary { wanted, available } if available.is_empty() => {
                write!(f, "the FMU holds no library at all; requested {wanted}")
            }
            ImportError::NoLibrary { wanted, available } => {
                write!(f, "the FMU holds no library {wanted}, but for {}", available.join(", "))
            }
            ImportError::Library { path, error } => {
                // What the system's loader said is one level down.
                write!(f, "{} cannot be loaded: {error}", path.display())?;
                let cause = std::error::Error::source(error);
                cause.map_or(Ok(()), |cause| write!(f, ": {cause}"))
            }
            ImportError::Damaged { path, reason } => write!(f, "{} is damaged: {reason}", path.display()),
            ImportError::Foreign { path, reason } => write!(f, "{} is {reason}", path.display()),
            ImportError::MissingFunction { name } => write!(f, "the library has no function {name}"),
            ImportError::Name { name } => write!(f, "a name with a zero byte: {name:?}"),
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
