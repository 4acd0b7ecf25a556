//! `[[shape]]` as plain data.

use super::Place;
use super::kinds::*;
use crate::geometry::{Geometry, Implied, New, Z};
use serde::{Deserialize, Serialize};

/// `[[shape]]`: appearance of a body in the 3-D page and in glTF files. It has no mass and no contact and does not
/// affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Shape {
    /// Body of the shape: a rigid body, a flexible body (its floating frame), an interface, or `ground`.
    pub body: BodyName,
    /// Kind of shape.
    #[serde(rename = "type")]
    pub kind: ShapeKind,
    /// Group of shapes that are shown and hidden together. Default: `shapes`.
    pub group: Option<Text>,
    /// Centre in the design position, or origin of a mesh file. Default for a mesh: the origin of W.
    #[geometry(default = (self.kind == ShapeKind::Mesh).then_some([0.0; 3]))]
    pub point: Option<Place>,
    /// Cylinder or capsule: centres of both ends, or of the hemispheres, instead of `point`, `axis` and `length`.
    pub points: Option<[Place; 2]>,
    /// Cylinder or capsule: direction of its axis in W. Default: the z axis of W.
    #[geometry(default = self.default_axis())]
    pub axis: Option<Polar>,
    /// Box or mesh: direction of its x axis in W. Default: the x axis of W.
    #[geometry(written = self.has_frame().then_some(X))]
    pub x_axis: Option<Polar>,
    /// Box or mesh: direction of its y axis in W. Only the component normal to `x_axis` is used. Default: the y axis of
    /// W.
    #[geometry(written = self.has_frame().then_some(Y))]
    pub y_axis: Option<Polar>,
    /// Frame of directions and of the numbers in places, including their defaults. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Box: lengths along its axes in m.
    pub size: Option<[Scalar; 3]>,
    /// Cylinder, sphere or capsule: radius in m.
    pub radius: Option<Scalar>,
    /// Length in m of a cylinder, or of a capsule between the centres of its hemispheres.
    pub length: Option<Scalar>,
    /// Mesh: file (`.stl`, `.obj`, `.glb` or `.gltf`). The path is relative to the folder of the model file and inside
    /// it. The file is not part of the FMU.
    pub file: Option<Text>,
    /// Mesh: metres per unit of the file, 0.001 for millimetres. Default 1.
    pub scale: Option<Scalar>,
    /// Mesh: `true` negates the z coordinates of the file, for the mirror image of a part. Default `false`.
    #[serde(default)]
    #[geometry(only_if = self.kind == ShapeKind::Mesh)]
    pub mirrored: Mirrored,
    /// Colour `#rrggbb`, with two hexadecimal digits each for red, green and blue. Default: the colour of the body in
    /// the page.
    pub colour: Option<Text>,
    /// Opacity from 0 (invisible) to 1 (opaque). Default 1.
    pub opacity: Option<Constant>,
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
    /// Whether it has an x axis and a y axis.
    fn has_frame(&self) -> bool {
        matches!(self.kind, ShapeKind::Box | ShapeKind::Mesh)
    }

    /// The axis of a cylinder or capsule if the file omits it.
    fn default_axis(&self) -> Implied {
        match self.kind {
            ShapeKind::Cylinder | ShapeKind::Capsule if self.points.is_none() => Implied::Line(Z),
            _ => Implied::Nothing,
        }
    }

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
