//! Contents of a tyre file as plain data.

use super::keys::Coefficients;
use alloc::{string::String, vec::Vec};

/// Set of equations of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Formula {
    /// Magic Formula 5.2, also called PAC2002.
    Mf52,
    /// Magic Formula 6.1.
    Mf61,
}

/// Side of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At positive y.
    Left,
    /// At negative y.
    Right,
}

/// Active forces (`USE_MODE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Mode {
    /// Fx and My; Fy, Mx and Mz.
    pub acts: [bool; 2],
    /// Whether each slip reduces the forces of the other slip; otherwise the forces of pure slip are used.
    pub combined: bool,
    /// Whether turn slip is active: the spin of the contact patch about the road's normal.
    pub turns: bool,
    /// Whether forces follow the slip with the relaxation lengths, or immediately.
    pub relaxes: bool,
}

impl Mode {
    /// All forces at combined slip, with relaxation and without turn slip: the default of files without `USE_MODE`.
    pub const ALL: Mode = Mode { acts: [true; 2], combined: true, turns: false, relaxes: true };
}

/// A remark on a file that is not an error: an entry has no effect, or a value was assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TyreNote {
    /// 1-based line; 0: the whole file.
    pub line: usize,
    /// Key or section.
    pub key: String,
    /// The text of the note.
    pub text: String,
}

/// A key as written in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenKey {
    /// Name of the key: for a number as in [`keys::ROWS`](super::keys::ROWS), otherwise in lower case.
    pub key: String,
    /// 1-based line.
    pub line: usize,
    /// Value without quotes.
    pub text: String,
}

/// All data used from a tyre file; SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// The equations.
    pub formula: Formula,
    /// Side for which the coefficients were measured (`TYRESIDE`).
    pub side: Side,
    /// The active forces (`USE_MODE`).
    pub mode: Mode,
    /// All numbers under their published names.
    pub coefficients: Coefficients,
    /// Rows [deflection m, load N] of `[DEFLECTION_LOAD_CURVE]`, ascending; empty: none.
    pub deflection_load: Vec<[f64; 2]>,
    /// Rows [penetration m, load N] of `[BOTTOMING_CURVE]`, ascending; empty: none.
    pub bottoming: Vec<[f64; 2]>,
    /// Remarks, in the order of the file.
    pub notes: Vec<TyreNote>,
    /// Every key with a value, except in `[UNITS]`, in the order of the file.
    pub written: Vec<WrittenKey>,
}

impl Properties {
    /// A key as written in the file; `None` if it is absent.
    ///
    /// * `key`: in lower case
    pub fn written(&self, key: &str) -> Option<&WrittenKey> {
        self.written.iter().find(|written| written.key == key)
    }
}
