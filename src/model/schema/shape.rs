//! `[[shape]]` as plain data.

use super::{Number, Place, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[shape]]`: what a body looks like in the 3-D page and in glTF files. It has no mass, touches nothing and changes
/// no result.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Name of the body that carries it: a rigid body, a flexible body (its floating frame), an interface, or `ground`.
    pub body: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ShapeKind,
    /// Shapes of one group are switched on and off together. Default: `shapes`.
    pub group: Option<String>,
    /// Its middle in the design position; of a mesh, where the origin of its file is. Default of a mesh: the origin of
    /// W.
    pub point: Option<Place>,
    /// Of a cylinder or capsule, in place of `point`, `axis` and `length`: the middles of both ends, of a capsule those
    /// of its half spheres.
    pub points: Option<[Place; 2]>,
    /// Of a cylinder or capsule: direction of its axis in W. Default: the z axis of W.
    pub axis: Option<Vector>,
    /// Of a box or mesh: direction of its x axis in W. Default: the x axis of W.
    pub x_axis: Option<Vector>,
    /// Of a box or mesh: direction of its y axis in W, as far as it is perpendicular to `x_axis`. Default: the y axis
    /// of W.
    pub y_axis: Option<Vector>,
    /// Frame in which its directions and the numbers of its places are given, their defaults too. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Of a box: lengths along its axes in m.
    pub size: Option<[Number; 3]>,
    /// Of a cylinder, sphere or capsule: radius in m.
    pub radius: Option<Number>,
    /// Of a cylinder: its length in m; of a capsule that between the middles of its half spheres.
    pub length: Option<Number>,
    /// Of a mesh: its file, `.stl`, `.obj`, `.glb` or `.gltf`, a path from the folder of the model file that stays
    /// inside it. `/` separates folders. It does not go into the FMU.
    pub file: Option<String>,
    /// Of a mesh: metres per unit of its file, 0.001 for millimetres. Default 1.
    pub scale: Option<Number>,
    /// Of a mesh: `true` changes the signs of the z coordinates of its file, for the other one of a pair. Default
    /// `false`.
    #[serde(default)]
    pub mirrored: bool,
    /// Colour, `#rrggbb` with two hexadecimal digits each for red, green and blue. Default: that of the body in the
    /// page.
    pub colour: Option<String>,
    /// From 0, invisible, to 1, opaque. Default 1.
    pub opacity: Option<f64>,
}

/// What a shape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShapeKind {
    /// A box: `point`, `size`, `x_axis`, `y_axis`.
    Box,
    /// A cylinder: `radius` with `points`, or with `point`, `axis`, `length`.
    Cylinder,
    /// A sphere: `point`, `radius`.
    Sphere,
    /// A cylinder with half spheres at its ends: as a cylinder.
    Capsule,
    /// Triangles from a file: `file`, `scale`, `point`, `x_axis`, `y_axis`.
    Mesh,
}

/// The group of shapes that name none.
pub(crate) const USUAL_GROUP: &str = "shapes";

impl Shape {
    /// Name of its group.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(USUAL_GROUP)
    }

    /// Red, green and blue from 0 to 1; none where the file has no colour, or one that is not `#rrggbb`.
    pub fn rgb(&self) -> Option<[f64; 3]> {
        let digits = self.colour.as_deref()?.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let part =
            |k: usize| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok().map(|byte| f64::from(byte) / 255.0);
        Some([part(0)?, part(1)?, part(2)?])
    }
}
