//! `[[solid]]` and `[[solid_contact]]` as plain data.

use super::contact::default_time;
use super::kinds::*;
use super::{Model, Place};
use crate::elements::ForceTable;
use crate::geometry::{Geometry, Implied, New, Z};
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[solid]]`: a solid on a body, for `[[solid_contact]]`. It has no mass; `[[shape]]` draws it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Solid {
    /// Unique name.
    pub name: SolidName,
    /// Body of the solid: a rigid body, an interface of a flexible body, or `ground`.
    pub body: BodyName,
    /// Kind of solid.
    #[serde(rename = "type")]
    pub kind: SolidKind,
    /// Centre in the design position, or a point of a plane.
    pub point: Option<Place>,
    /// Hull: 4 to 64 points, with at most 64 faces. Cylinder or capsule: centres of both ends, or of the hemispheres,
    /// instead of `point`, `axis` and `length`.
    #[serde(default)]
    pub points: Vec<Place>,
    /// Direction of the axis of a cylinder or capsule, or outward normal of a plane. Default: the z axis of W.
    #[geometry(default = self.default_axis())]
    pub axis: Option<Polar>,
    /// Box: direction of its x axis in W. Default: the x axis of W.
    #[geometry(written = (self.kind == SolidKind::Box).then_some(X))]
    pub x_axis: Option<Polar>,
    /// Box: direction of its y axis in W. Only the component normal to `x_axis` is used. Default: the y axis of W.
    #[geometry(written = (self.kind == SolidKind::Box).then_some(Y))]
    pub y_axis: Option<Polar>,
    /// Frame of directions and of the numbers in places, including their defaults. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Box: lengths along its axes in m.
    pub size: Option<[Scalar; 3]>,
    /// Sphere, capsule or cylinder: radius in m.
    pub radius: Option<Scalar>,
    /// Length in m of a cylinder, or of a capsule between the centres of its hemispheres.
    pub length: Option<Scalar>,
    /// Velocity in m/s of the surface relative to the body, as of a conveyor: three numbers, inputs or parameters in
    /// directions fixed to the body. Only the tangential component acts. Default: none.
    #[geometry(no_default)]
    pub surface_velocity: Option<Polar>,
}

impl Solid {
    /// The axis or normal if the file omits it. The body of a plane is on one side; the others are their own mirror
    /// images.
    fn default_axis(&self) -> Implied {
        match self.kind {
            _ if !self.points.is_empty() => Implied::Nothing,
            SolidKind::Plane => Z.into(),
            SolidKind::Cylinder | SolidKind::Capsule => Implied::Line(Z),
            _ => Implied::Nothing,
        }
    }
}

/// Kind of solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SolidKind {
    /// Half space behind a plane. Keys: `point`, `axis`.
    Plane,
    /// Sphere. Keys: `point`, `radius`.
    Sphere,
    /// Cylinder with hemispherical ends. Keys: `radius` with `points`, or with `point`, `axis`, `length`.
    Capsule,
    /// Box. Keys: `point`, `size`, `x_axis`, `y_axis`.
    Box,
    /// Round cylinder. Keys: `radius` with `points`, or with `point`, `axis`, `length`.
    Cylinder,
    /// Convex hull of points. Key: `points`.
    Hull,
}

/// `[[solid_contact]]`: contact between faces, edges and corners of solids, with a pressure that increases with depth.
/// The friction includes sticking.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct SolidContact {
    /// Unique name.
    pub name: ForceName,
    /// Names of solids. Each can touch all others on other bodies.
    pub solids: Vec<SolidName>,
    /// Names of further solids. With this key, `solids` touch only these solids. Default: none.
    #[serde(default)]
    pub others: Vec<SolidName>,
    /// Pressure per depth in N/m³. At the depth δ the force is `stiffness` A δ on a face of area A, and π R `stiffness`
    /// δ² on a sphere of radius R.
    pub stiffness: Scalar,
    /// Coefficient of restitution at `impact_speed`, 0.05 to 1 (no loss).
    pub restitution: Scalar,
    /// Impact speed in m/s for `restitution`. Slower impacts lose less energy. Default 1.
    #[serde(default = "super::one")]
    pub impact_speed: Scalar,
    /// Coefficient of friction μ: a number, an input or a parameter. Default 0.
    #[serde(default = "super::zero")]
    pub friction: Scalar,
    /// Tangential stiffness in N/m of a sticking pair. Required with friction or resistances.
    pub tangential_stiffness: Option<Scalar>,
    /// Time constant in s of the tangential damping. Default 0.005.
    #[serde(default = "default_time")]
    pub time: Scalar,
    /// Rolling resistance in m: the largest moment is this length times the normal force. Default 0.
    #[serde(default = "super::zero")]
    pub rolling_resistance: Scalar,
    /// Spinning resistance in m: the largest moment about the normal is this length times the normal force, in addition
    /// to the friction of the patch. Default 0.
    #[serde(default = "super::zero")]
    pub spinning_resistance: Scalar,
}

impl ForceTable for SolidContact {
    const WORD: &str = "contact";
    const READ_BY: Option<Target> = Some(Target::Contact);

    fn between<'m>(&'m self, model: &'m Model) -> Vec<Vec<&'m String>> {
        self.bodies(&model.solids)
    }
}

/// Maximum number of body pairs of a contact in drawings; beyond this number each body is paired with the first body.
const MAX_DRAWN_PAIRS: usize = 12;

impl SolidContact {
    /// The bodies that touch, for drawings, each pair once.
    pub fn bodies<'m>(&'m self, solids: &'m [Solid]) -> Vec<Vec<&'m String>> {
        let body = |name: &str| solids.iter().find(|solid| solid.name == name).map(|solid| &solid.body);
        let mut pairs: Vec<Vec<&String>> = Vec::new();
        for [a, b] in self.pairs() {
            if let (Some(a), Some(b)) = (body(a), body(b))
                && a != b
                && !pairs.contains(&vec![a, b])
                && !pairs.contains(&vec![b, a])
            {
                pairs.push(vec![a, b]);
            }
        }
        if pairs.len() > MAX_DRAWN_PAIRS {
            let first = pairs[0][0];
            let mut others: Vec<&String> = pairs.iter().flatten().copied().filter(|body| *body != first).collect();
            others.sort();
            others.dedup();
            pairs = others.into_iter().map(|other| vec![first, other]).collect();
        }
        pairs
    }

    /// Names of the solids that touch, in pairs.
    pub fn pairs(&self) -> Vec<[&str; 2]> {
        let mut pairs = Vec::new();
        for (k, a) in self.solids.iter().enumerate() {
            let with = if self.others.is_empty() { &self.solids[k + 1..] } else { &self.others[..] };
            pairs.extend(with.iter().map(|b| [a.as_str(), b.as_str()]));
        }
        pairs
    }
}
