//! `[[shape]]` as plain data.

use super::{Number, Place, Vector};
use serde::{Deserialize, Serialize};

/// `[[shape]]`: appearance of a body in the 3-D page and in glTF files. It has no mass and no contact and does not
/// affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Body of the shape: a rigid body, a flexible body (its floating frame), an interface, or `ground`.
    pub body: String,
    /// Kind of shape.
    #[serde(rename = "type")]
    pub kind: ShapeKind,
    /// Group of shapes that are shown and hidden together. Default: `shapes`.
    pub group: Option<String>,
    /// Centre in the design position, or origin of a mesh file. Default for a mesh: the origin of W.
    pub point: Option<Place>,
    /// Cylinder or capsule: centres of both ends, or of the hemispheres, instead of `point`, `axis` and `length`.
    pub points: Option<[Place; 2]>,
    /// Cylinder or capsule: direction of its axis in W. Default: the z axis of W.
    pub axis: Option<Vector>,
    /// Box or mesh: direction of its x axis in W. Default: the x axis of W.
    pub x_axis: Option<Vector>,
    /// Box or mesh: direction of its y axis in W. Only the component normal to `x_axis` is used. Default: the y axis of
    /// W.
    pub y_axis: Option<Vector>,
    /// Frame of directions and of the numbers in places, including their defaults. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Box: lengths along its axes in m.
    pub size: Option<[Number; 3]>,
    /// Cylinder, sphere or capsule: radius in m.
    pub radius: Option<Number>,
    /// Length in m of a cylinder, or of a capsule between the centres of its hemispheres.
    pub length: Option<Number>,
    /// Mesh: file (`.stl`, `.obj`, `.glb` or `.gltf`). The path is relative to the folder of the model file and inside
    /// it. The file is not part of the FMU.
    pub file: Option<String>,
    /// Mesh: metres per unit of the file, 0.001 for millimetres. Default 1.
    pub scale: Option<Number>,
    /// Mesh: `true` negates the z coordinates of the file, for the mirror image of a part. Default `false`.
    #[serde(default)]
    pub mirrored: bool,
    /// Colour `#rrggbb`, with two hexadecimal digits each for red, green and blue. Default: the colour of the body in
    /// the page.
    pub colour: Option<String>,
    /// Opacity from 0 (invisible) to 1 (opaque). Default 1.
    pub opacity: Option<f64>,
}

/// Kind of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ShapeKind {
    /// Box. Keys: `point`, `size`, `x_axis`, `y_axis`.
    Box,
    /// Cylinder. Keys: `radius` with `points`, or with `point`, `axis`, `length`.
    Cylinder,
    /// Sphere. Keys: `point`, `radius`.
    Sphere,
    /// Cylinder with hemispherical ends. Keys: `radius` with `points`, or with `point`, `axis`, `length`.
    Capsule,
    /// Triangles from a file. Keys: `file`, `scale`, `point`, `x_axis`, `y_axis`.
    Mesh,
}

/// Default group of shapes.
pub const USUAL_GROUP: &str = "shapes";

impl Shape {
    /// Name of the group.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(USUAL_GROUP)
    }

    /// Red, green and blue from 0 to 1; `None` without a colour of the form `#rrggbb`.
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
