//! `[[solid]]` and `[[solid_contact]]` as plain data.

use super::contact::default_time;
use super::{Number, Place, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[solid]]`: a solid on a body that touches those that a `[[solid_contact]]` names beside it. It has no mass and no
/// picture: `[[shape]]` draws.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Solid {
    /// Unique name.
    pub name: String,
    /// The body that carries it: a rigid body, an interface of a flexible body, or `ground`.
    pub body: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: SolidKind,
    /// Its middle in the design position; of a plane a point of it.
    pub point: Option<Place>,
    /// Of a hull: 4 to 64 points, of which it is the convex hull, with at most 64 faces. Of a cylinder or capsule, in
    /// place of `point`, `axis` and `length`: the middles of both ends, of a capsule those of its half spheres.
    #[serde(default)]
    pub points: Vec<Place>,
    /// Of a cylinder or capsule: direction of its axis; of a plane its normal, away from its body. Default: the z axis
    /// of W.
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
    /// Of a sphere, capsule or cylinder: radius in m.
    pub radius: Option<Number>,
    /// Of a cylinder: its length in m; of a capsule that between the middles of its half spheres.
    pub length: Option<Number>,
    /// Velocity in m/s with which its surface moves on the body, as that of a conveyor does: directions of W in the
    /// design position, that turn with the body; numbers, inputs or parameters. What is across the surface counts.
    /// Default: it does not move.
    pub surface_velocity: Option<Vector>,
}

/// What a solid is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SolidKind {
    /// The half space behind a plane: `point`, `axis`.
    Plane,
    /// A sphere: `point`, `radius`.
    Sphere,
    /// A cylinder with half spheres at its ends: `radius` with `points`, or with `point`, `axis`, `length`.
    Capsule,
    /// A box: `point`, `size`, `x_axis`, `y_axis`.
    Box,
    /// A round cylinder: as a capsule.
    Cylinder,
    /// The convex hull of points: `points`.
    Hull,
}

/// `[[solid_contact]]`: solids that touch each other, faces, edges and corners: a pressure that grows with the depth,
/// and friction that sticks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidContact {
    /// Unique name.
    pub name: String,
    /// Names of solids: each touches all others that are on other bodies.
    pub solids: Vec<String>,
    /// Names of further solids: those of `solids` touch these, and neither each other. Default: none.
    #[serde(default)]
    pub others: Vec<String>,
    /// Pressure per depth in N/m³: a face of the area A pushes with `stiffness` A δ, a sphere with π R `stiffness` δ².
    pub stiffness: Number,
    /// Part of its speed with which a mass that comes at `impact_speed` leaves again, 0.05 to 1 (no loss).
    pub restitution: Number,
    /// In m/s. Default 1. Slower impacts lose less.
    #[serde(default = "super::one")]
    pub impact_speed: Number,
    /// Coefficient of friction μ: a number, an input or a parameter. Default 0.
    #[serde(default = "super::zero")]
    pub friction: Number,
    /// Stiffness in N/m with which a pair that sticks is held along the surface. Needed with friction or resistances.
    pub tangential_stiffness: Option<Number>,
    /// Time in s of the damping of that stiffness. Default 0.005.
    #[serde(default = "default_time")]
    pub time: Number,
    /// Length in m: rolling is resisted with up to this times the normal force. Default 0.
    #[serde(default = "super::zero")]
    pub rolling_resistance: Number,
    /// Length in m: turning about the normal is resisted with up to this times the normal force, beside the friction of
    /// the patch. Default 0.
    #[serde(default = "super::zero")]
    pub spinning_resistance: Number,
}

/// Pairs of bodies that drawings show of one contact; of more each body with the first one.
const SHOWN: usize = 12;

impl SolidContact {
    /// The bodies that touch, for drawings, each pair once.
    pub(crate) fn bodies<'m>(&'m self, solids: &'m [Solid]) -> Vec<Vec<&'m String>> {
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
        if pairs.len() > SHOWN {
            let first = pairs[0][0];
            let mut others: Vec<&String> = pairs.iter().flatten().copied().filter(|body| *body != first).collect();
            others.sort();
            others.dedup();
            pairs = others.into_iter().map(|other| vec![first, other]).collect();
        }
        pairs
    }

    /// Names of the solids that touch, in pairs.
    pub(crate) fn pairs(&self) -> Vec<[&str; 2]> {
        let mut pairs = Vec::new();
        for (k, a) in self.solids.iter().enumerate() {
            let with = if self.others.is_empty() { &self.solids[k + 1..] } else { &self.others[..] };
            pairs.extend(with.iter().map(|b| [a.as_str(), b.as_str()]));
        }
        pairs
    }
}
