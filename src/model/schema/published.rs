//! `[published]` as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[published]`: the size of a model of the same system in a publication. `ballesta check` prints it beside the
/// model's own; nothing else depends on it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The publication.
    pub source: String,
    /// Degrees of freedom. Default: not known.
    pub dof: Option<usize>,
    /// Moving bodies, where joints of the tree have one degree of freedom each and massless bodies between them.
    /// Default: not known.
    pub bodies: Option<usize>,
    /// Those of them without mass. Default: not known.
    pub massless_bodies: Option<usize>,
    /// Joints with one degree of freedom, and cut joints; guided ones are not among them. Default: not known.
    pub joints: Option<usize>,
    /// Rods. Default: not known.
    pub rods: Option<usize>,
    /// Guided coordinates. Default: not known.
    pub guided: Option<usize>,
    /// Relative coordinates of the open tree. Default: not known.
    pub coordinates: Option<usize>,
    /// Rows and columns of the Jacobian of the closure equations with respect to the dependent coordinates. Default:
    /// not known.
    pub jacobian: Option<[usize; 2]>,
    /// Its part of entries that are not zero. Default: not known.
    pub density: Option<f64>,
}
