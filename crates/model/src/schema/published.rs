//! `[published]` as plain data.

use serde::{Deserialize, Serialize};

/// `[published]`: size of a published model of the same system. `ballesta check` prints it next to the size of this
/// model; nothing else depends on it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Publication.
    pub source: String,
    /// Degrees of freedom. Default: unknown.
    pub dof: Option<usize>,
    /// Moving bodies, including massless bodies between tree joints with one degree of freedom each. Default: unknown.
    pub bodies: Option<usize>,
    /// Massless bodies among the moving bodies. Default: unknown.
    pub massless_bodies: Option<usize>,
    /// Joints with one degree of freedom and cut joints, without driven joints. Default: unknown.
    pub joints: Option<usize>,
    /// Rods. Default: unknown.
    pub rods: Option<usize>,
    /// Driven coordinates. Default: unknown.
    pub guided: Option<usize>,
    /// Relative coordinates of the open tree. Default: unknown.
    pub coordinates: Option<usize>,
    /// Rows and columns of the Jacobian of the closure equations with respect to the dependent coordinates. Default:
    /// unknown.
    pub jacobian: Option<[usize; 2]>,
    /// Fraction of nonzero entries of the Jacobian. Default: unknown.
    pub density: Option<f64>,
}
