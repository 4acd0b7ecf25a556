//! `[[coupler]]` as plain data.

use super::kinds::*;
use super::zero;
use crate::geometry::{Geometry, New};
pub use ballesta_solver::joint::CamMotion;
use serde::{Deserialize, Serialize};

/// `[[coupler]]`: second coordinate = ratio · first coordinate + offset; with a ratio at every coordinate,
/// Σ ratio · coordinate = offset.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Coupler {
    /// Unique name.
    pub name: ConstraintName,
    /// First and second coordinate, each `{ joint = "…", coordinate = "…" }`, or two or more with a `ratio` each. With
    /// a law each ratio is 1 or −1.
    #[geometry(default = self.has_law().then_some(1.0))]
    pub coordinates: Vec<CoupledCoordinate>,
    /// Ratio of the second to the first coordinate, if the coordinates have no ratios.
    #[geometry(no_default)]
    pub ratio: Option<CouplingRatio>,
    /// Instead of `ratio`: rows of first and second coordinate. A cubic spline (twice differentiable) passes through
    /// them.
    pub table: Option<Vec<[Constant; 2]>>,
    /// Instead of `ratio`: consecutive segments of a cam, starting at 0.
    pub cam: Option<Vec<CamSegment>>,
    /// Instead of `ratio`: a Geneva drive, from the angle of the crank to the angle of the wheel.
    pub geneva: Option<Geneva>,
    /// `true`: `table` or `cam` repeats after its end.
    #[serde(default)]
    pub periodic: bool,
    /// Offset of the second coordinate, or of the sum. Default 0, as in the design position.
    #[serde(default = "zero")]
    pub offset: CouplingOffset,
}

impl Coupler {
    /// Whether a law replaces the ratio.
    fn has_law(&self) -> bool {
        self.table.is_some() || self.cam.is_some() || self.geneva.is_some()
    }
}

/// A Geneva drive with one pin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Geneva {
    /// Number of slots, at least 3.
    pub slots: u32,
    /// `true`: the crank is inside the wheel, and both rotate in the same sense.
    #[serde(default)]
    pub internal: bool,
}

/// A segment of a cam.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct CamSegment {
    /// Motion law of the second coordinate.
    #[serde(with = "super::named")]
    #[cfg_attr(feature = "schema", schemars(with = "CamMotionName"))]
    pub motion: CamMotion,
    /// Change of the first coordinate over the segment in rad or m.
    pub over: Option<Scalar>,
    /// Change of the first coordinate in degrees.
    pub over_deg: Option<Scalar>,
    /// Change of the second coordinate in rad or m, negative on the return. Default 0.
    #[serde(default = "zero")]
    pub rise: Scalar,
}

/// Motion in a segment of a cam, from rest to rest.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CamMotion", rename_all = "snake_case")]
pub(super) enum CamMotionName {
    /// No motion of the second coordinate.
    Dwell,
    /// Polynomial 3-4-5: continuous acceleration.
    #[serde(rename = "polynomial_345")]
    Polynomial345,
    /// Polynomial 4-5-6-7: continuous jerk.
    #[serde(rename = "polynomial_4567")]
    Polynomial4567,
    /// Cycloidal: continuous acceleration.
    Cycloidal,
    /// Simple harmonic: the acceleration jumps next to a dwell.
    Harmonic,
}

super::named::named!(CamMotionName => CamMotion: Dwell, Polynomial345, Polynomial4567, Cycloidal, Harmonic);

/// A coordinate of a coupler.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct CoupledCoordinate {
    /// Name of the joint.
    pub joint: JointName,
    /// Name of the coordinate. Required if the joint has more than one.
    pub coordinate: Option<CoordinateName>,
    /// Factor of the coordinate in the sum. Default: none, or 1 with a law.
    pub ratio: Option<Factor>,
}
