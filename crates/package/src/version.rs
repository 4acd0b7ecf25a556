//! Supported versions of FMI.

use std::fmt;
use std::str::FromStr;

/// A version of FMI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    #[default]
    Fmi2,
    /// FMI 3.0.
    Fmi3,
}

impl Version {
    /// The function that a library of this version must export.
    pub const fn step_function(self) -> &'static str {
        match self {
            Version::Fmi2 => "fmi2DoStep",
            Version::Fmi3 => "fmi3DoStep",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::Fmi2 => "2.0",
            Version::Fmi3 => "3.0",
        })
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Version, String> {
        match text {
            "2.0" | "2" => Ok(Version::Fmi2),
            "3.0" | "3" => Ok(Version::Fmi3),
            _ => Err(format!("unknown version of FMI `{text}`; expected 2.0 or 3.0")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_back() {
        for version in [Version::Fmi2, Version::Fmi3] {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        assert!("1.0".parse::<Version>().unwrap_err().contains("2.0 or 3.0"));
    }
}
