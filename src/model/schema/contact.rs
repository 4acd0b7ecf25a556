//! `[[contact]]` as plain data.

use super::{Number, Place, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[contact]]`: points of a body, or spheres around them, that touch a surface of another body or a road: a normal
/// force that never pulls, and friction that sticks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Unique name.
    pub name: String,
    /// The body with the surface, `ground` for a road, then the body with the points.
    pub bodies: [String; 2],
    /// The points, in the design position.
    pub points: Vec<Place>,
    /// Radius in m of the spheres around the points. Default 0: the points themselves.
    #[serde(default = "super::zero")]
    pub radius: Number,
    /// What they touch.
    pub surface: SurfaceKind,
    /// Of a road: its name. Default: the only road of the model.
    pub road: Option<String>,
    /// A point of the plane; the middle of a sphere, capsule, cylinder or box. In the design position.
    pub point: Option<Place>,
    /// Normal of a plane, away from its body; axis of a capsule or cylinder. Default: the z axis of W.
    pub axis: Option<Vector>,
    /// Of a box: direction of its x axis in W. Default: the x axis of W.
    pub x_axis: Option<Vector>,
    /// Of a box: direction of its y axis in W, as far as it is perpendicular to `x_axis`. Default: the y axis of W.
    pub y_axis: Option<Vector>,
    /// Frame in which its directions and the numbers of its places are given, their defaults too. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Of a box: lengths along its axes in m.
    pub size: Option<[Number; 3]>,
    /// Radius of the sphere, capsule or cylinder in m.
    pub surface_radius: Option<Number>,
    /// Length of the cylinder in m; of a capsule that between the middles of its half spheres.
    pub length: Option<Number>,
    /// Force k δⁿ of each point: k in N/mⁿ.
    pub stiffness: Number,
    /// n, 1 or more: 1.5 for a sphere (Hertz). Default 1.
    #[serde(default = "super::one")]
    pub exponent: Number,
    /// Part of its speed with which a mass that comes at `impact_speed` leaves again, 0.05 to 1 (no loss).
    pub restitution: Number,
    /// In m/s. Default 1. Slower impacts lose less.
    #[serde(default = "super::one")]
    pub impact_speed: Number,
    /// Coefficient of friction μ: a number, an input or a parameter. Default 0. A road's own factor is multiplied to
    /// it.
    #[serde(default = "super::zero")]
    pub friction: Number,
    /// Stiffness in N/m with which a point that sticks is held along the surface. Default: `stiffness`, where
    /// `exponent` is 1.
    pub tangential_stiffness: Option<Number>,
    /// Time in s of the damping of that stiffness. Default 0.005.
    #[serde(default = "default_time")]
    pub time: Number,
}

pub(super) fn default_time() -> Number {
    Number::Value(0.005)
}

/// What is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SurfaceKind {
    /// A road: `road`.
    Road,
    /// The half space behind a plane: `point`, `axis`.
    Plane,
    /// A sphere: `point`, `surface_radius`.
    Sphere,
    /// A cylinder with half spheres at its ends: `point`, `axis`, `length`, `surface_radius`.
    Capsule,
    /// A cylinder: as a capsule.
    Cylinder,
    /// A box: `point`, `size`, `x_axis`, `y_axis`.
    Box,
}
