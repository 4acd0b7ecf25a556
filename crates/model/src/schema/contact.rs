//! `[[contact]]` as plain data.

use super::kinds::*;
use super::{Model, Number, Place};
use crate::elements::ForceTable;
use crate::geometry::Geometry;
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[contact]]`: contact of points of a body, or spheres around them, with a surface of another body or a road. The
/// normal force never pulls, and the friction includes sticking.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Contact {
    /// Unique name.
    pub name: ForceName,
    /// The body with the surface (`ground` for a road), then the body with the points.
    pub bodies: [BodyName; 2],
    /// Points, in the design position.
    pub points: Vec<Place>,
    /// Radius in m of the spheres around the points. Default 0: points.
    #[serde(default = "super::zero")]
    pub radius: Scalar,
    /// Kind of surface.
    pub surface: SurfaceKind,
    /// Name of the road. Default: the only road of the model.
    pub road: Option<RoadName>,
    /// A point of the plane, or the centre of a sphere, capsule, cylinder or box, in the design position.
    pub point: Option<Place>,
    /// Outward normal of a plane, or axis of a capsule or cylinder. Default: the z axis of W.
    #[geometry(default = self.has_axis().then_some(Z))]
    pub axis: Option<Polar>,
    /// Box: direction of its x axis in W. Default: the x axis of W.
    #[geometry(default = (self.surface == SurfaceKind::Box).then_some(X))]
    pub x_axis: Option<Polar>,
    /// Box: direction of its y axis in W. Only the component normal to `x_axis` is used. Default: the y axis of W.
    #[geometry(default = (self.surface == SurfaceKind::Box).then_some(Y))]
    pub y_axis: Option<Polar>,
    /// Frame of directions and of the numbers in places, including their defaults. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Box: lengths along its axes in m.
    pub size: Option<[Scalar; 3]>,
    /// Radius of the sphere, capsule or cylinder in m.
    pub surface_radius: Option<Scalar>,
    /// Length in m of the cylinder, or of a capsule between the centres of its hemispheres.
    pub length: Option<Scalar>,
    /// Stiffness k of each point in N/mⁿ: force k δⁿ.
    pub stiffness: Scalar,
    /// Exponent n, at least 1; 1.5 for a sphere (Hertz). Default 1.
    #[serde(default = "super::one")]
    pub exponent: Scalar,
    /// Coefficient of restitution at `impact_speed`, 0.05 to 1 (no loss).
    pub restitution: Scalar,
    /// Impact speed in m/s for `restitution`. Slower impacts lose less energy. Default 1.
    #[serde(default = "super::one")]
    pub impact_speed: Scalar,
    /// Coefficient of friction μ: a number, an input or a parameter. On a road it is multiplied by the road's factor.
    /// Default 0.
    #[serde(default = "super::zero")]
    pub friction: Scalar,
    /// Tangential stiffness in N/m of a sticking point. Default: `stiffness`, if `exponent` is 1.
    pub tangential_stiffness: Option<Scalar>,
    /// Time constant in s of the tangential damping. Default 0.005.
    #[serde(default = "default_time")]
    pub time: Scalar,
}

impl ForceTable for Contact {
    const WORD: &str = "contact";
    const READ_BY: Option<Target> = Some(Target::Contact);

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![self.bodies.iter().collect()]
    }
}

impl Contact {
    /// Whether the surface has an axis or a normal.
    fn has_axis(&self) -> bool {
        matches!(self.surface, SurfaceKind::Plane | SurfaceKind::Capsule | SurfaceKind::Cylinder)
    }
}

pub(super) fn default_time() -> Number {
    Number::Value(0.005)
}

/// Kind of surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SurfaceKind {
    /// Road. Key: `road`.
    Road,
    /// Half space behind a plane. Keys: `point`, `axis`.
    Plane,
    /// Sphere. Keys: `point`, `surface_radius`.
    Sphere,
    /// Cylinder with hemispherical ends. Keys: `point`, `axis`, `length`, `surface_radius`.
    Capsule,
    /// Cylinder. Keys: `point`, `axis`, `length`, `surface_radius`.
    Cylinder,
    /// Box. Keys: `point`, `size`, `x_axis`, `y_axis`.
    Box,
}
