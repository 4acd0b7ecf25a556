//! `[[coupler]]` as plain data.

use super::{Number, zero};
pub use crate::joint::CamMotion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[coupler]]`: second coordinate = ratio · first coordinate + offset; with a ratio at every coordinate,
/// Σ ratio · coordinate = offset.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coupler {
    /// Unique name.
    pub name: String,
    /// The driving and the driven coordinate, each `{ joint = "…", coordinate = "…" }`; or two and more with a ratio
    /// each, `{ joint = "…", ratio = … }`. With `table`, `cam` or `geneva` a ratio is 1, or −1 for a coordinate that
    /// counts with the other sign.
    pub coordinates: Vec<CoupledCoordinate>,
    /// Ratio of the driven to the driving coordinate, where these have none of their own.
    pub ratio: Option<Number>,
    /// In place of `ratio`: rows of driving and driven coordinate; a cubic spline (twice differentiable) passes through
    /// them.
    pub table: Option<Vec<[f64; 2]>>,
    /// In place of `ratio`: segments of a cam, one behind the other from 0 on.
    pub cam: Option<Vec<CamSegment>>,
    /// In place of `ratio`: a Geneva drive, from the angle of the crank to that of the wheel.
    pub geneva: Option<Geneva>,
    /// `table` or `cam` repeats behind its end.
    #[serde(default)]
    pub periodic: bool,
    /// Offset of the driven coordinate, or of the sum. Default 0: the coupler holds in the design position.
    #[serde(default = "zero")]
    pub offset: Number,
}

/// A Geneva drive with one pin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geneva {
    /// Number of slots, 3 at least.
    pub slots: u32,
    /// `true`: the crank is within the wheel, and turns it in its own sense.
    #[serde(default)]
    pub internal: bool,
}

/// A segment of the law of a cam.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CamSegment {
    /// How the driven coordinate moves.
    #[serde(with = "super::named")]
    #[schemars(with = "CamMotionName")]
    pub motion: CamMotion,
    /// How far the driving coordinate goes meanwhile, rad or m.
    pub over: Option<Number>,
    /// The same in degrees.
    pub over_deg: Option<Number>,
    /// How far the driven coordinate goes, rad or m; negative on the way back. Default 0.
    #[serde(default = "zero")]
    pub rise: Number,
}

/// Motion in a segment of a cam, from rest to rest.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "CamMotion", rename_all = "snake_case")]
pub(super) enum CamMotionName {
    /// The driven coordinate stands still.
    Dwell,
    /// Polynomial 3-4-5: without jumps of the acceleration.
    #[serde(rename = "polynomial_345")]
    Polynomial345,
    /// Polynomial 4-5-6-7: without jumps of the jerk.
    #[serde(rename = "polynomial_4567")]
    Polynomial4567,
    /// Cycloidal: without jumps of the acceleration.
    Cycloidal,
    /// Simple harmonic: the acceleration jumps beside a dwell.
    Harmonic,
}

named!(CamMotionName => CamMotion: Dwell, Polynomial345, Polynomial4567, Cycloidal, Harmonic);

/// A coordinate of a coupler.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoupledCoordinate {
    /// Name of the joint.
    pub joint: String,
    /// Name of the coordinate; needed when the joint has more than one.
    pub coordinate: Option<String>,
    /// What the coordinate is multiplied with in the sum. Default: none, or 1 where a law couples.
    pub ratio: Option<Number>,
}
