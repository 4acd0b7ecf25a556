//! `[[road]]` as plain data.

use super::kinds::*;
use super::{Number, SurfaceKind, zero};
use crate::geometry::Geometry;
use serde::{Deserialize, Serialize};

/// `[[road]]`: height and friction of the ground over x and y of the global frame. All heights are added to a plane.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Road {
    /// Unique name.
    pub name: RoadName,
    /// Height of the plane at x = y = 0 in m. Default 0.
    #[serde(default = "zero")]
    pub height: Scalar,
    /// Slope of the plane along x, dz/dx. Default 0.
    #[serde(default = "zero")]
    pub slope: Scalar,
    /// Slope of the plane along y, dz/dy. Default 0.
    #[serde(default = "zero")]
    pub bank: Scalar,
    /// Factor on tyre friction. Default 1.
    #[serde(default = "one")]
    pub friction: Scalar,
    /// Rectangles with a different friction. Later rectangles override earlier rectangles.
    #[serde(default, rename = "patch")]
    pub patches: Vec<FrictionPatch>,
    /// Speed bumps and potholes.
    #[serde(default, rename = "bump")]
    pub bumps: Vec<Bump>,
    /// Random profile with a spectral density as in ISO 8608. Default: none.
    pub random: Option<RandomProfile>,
    /// Height map: CSV file with heights in m on a grid, or OpenCRG file (`.crg`). The path is relative to the folder
    /// of the model file and inside it. Default: none.
    pub height_map: Option<Text>,
    /// Friction map: CSV file with factors on tyre friction on a grid, or OpenCRG file. Default: none.
    pub friction_map: Option<Text>,
    /// Place of x = y = 0 of both maps in m, or start of the reference line of an OpenCRG file. Default [0, 0].
    #[serde(default = "at_origin")]
    pub map_start: [Scalar; 2],
    /// Rotation of the maps about z at `map_start` in degrees; the initial direction of an OpenCRG road. Default 0.
    #[serde(default = "zero")]
    pub map_heading_deg: Scalar,
    /// Whether tyres envelop obstacles shorter than their footprint. Bumps and maps may then be sharp, unless a
    /// `[[contact]]` touches the road. Default false.
    #[serde(default)]
    pub enveloping: bool,
    /// Fills hollows of the map that a rolling wheel with a radius of 0.6 m does not reach. Without it a map with such
    /// hollows is an error. Default false.
    #[serde(default)]
    pub fill_hollows: bool,
}

impl super::Model {
    /// Whether all elements in contact with a road are enveloping tyres.
    pub fn enveloped(&self, road: &Road) -> bool {
        let on = |name: &Option<String>| name.as_ref().is_none_or(|name| *name == road.name);
        let mut tyres = self.tyres.iter().filter(|tyre| on(&tyre.road)).peekable();
        let mut contacts = self.contacts.iter().filter(|contact| contact.surface == SurfaceKind::Road);
        (road.enveloping || tyres.peek().is_some())
            && tyres.all(|tyre| tyre.enveloping.unwrap_or(road.enveloping))
            && !contacts.any(|contact| on(&contact.road))
    }
}

/// `[[road.patch]]`: a rectangle with a different friction.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct FrictionPatch {
    /// Range along x in m. Default: everywhere.
    pub x: Option<[Scalar; 2]>,
    /// Range along y in m. Default: everywhere.
    pub y: Option<[Scalar; 2]>,
    /// Factor on tyre friction inside.
    pub friction: Scalar,
    /// Length in m of the transition at every edge, half on each side. Default 0.2.
    #[serde(default = "default_blend")]
    pub blend: Scalar,
}

/// Shape of a bump along its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BumpKind {
    /// Arc of a circle.
    Round,
    /// One period of a cosine, from minimum to minimum.
    Sinusoidal,
    /// Plateau between two straight ramps.
    FlatTop,
}

/// `[[road.bump]]`: a speed bump, or with a negative height a pothole, with rounded kinks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Bump {
    /// Shape of the bump.
    pub kind: BumpKind,
    /// Start of the bump, x in m.
    pub start: Scalar,
    /// Length in m, including both ramps.
    pub length: Scalar,
    /// Height in m.
    pub height: Scalar,
    /// Length of each ramp of `flat_top` in m.
    pub ramp: Option<Scalar>,
    /// Length in m over which every kink is rounded, half on each side. Default 0.2.
    #[serde(default = "default_blend")]
    pub blend: Scalar,
    /// Range along y in m, for a bump under one wheel track. Default: everywhere.
    pub y: Option<[Scalar; 2]>,
    /// Length in m of the transition at the ends of `y`, half on each side. Default 0.5.
    #[serde(default = "default_side_blend")]
    pub side_blend: Scalar,
    /// Rotation of the bump about z at x = `start`, y = 0, in degrees. Default 0.
    #[serde(default = "zero")]
    pub angle_deg: Scalar,
    /// Number of equal, successive bumps. Default 1.
    #[serde(default = "one_bump")]
    pub count: usize,
    /// Distance between the starts of successive bumps in m. Required for several bumps.
    pub spacing: Option<Scalar>,
}

/// Roughness class of ISO 8608: the geometric mean of Gd at 0.1 cycles/m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RoughnessClass {
    /// 16e-6 m³.
    A,
    /// 64e-6 m³.
    B,
    /// 256e-6 m³.
    C,
    /// 1024e-6 m³.
    D,
    /// 4096e-6 m³.
    E,
    /// 16384e-6 m³.
    F,
    /// 65536e-6 m³.
    G,
    /// 262144e-6 m³.
    H,
}

impl RoughnessClass {
    /// Geometric mean of Gd at 0.1 cycles/m, m³.
    pub fn roughness(self) -> f64 {
        let steps = self as i32;
        16e-6 * (0..steps).map(|_| 4.0).product::<f64>()
    }
}

/// `[road.random]`: heights with the spectral density Gd(n) = Gd(0.1) · (n / 0.1)^−waviness, n in cycles/m.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct RandomProfile {
    /// Roughness class. Alternative to `roughness`.
    pub class: Option<RoughnessClass>,
    /// Gd at 0.1 cycles/m in m³. Alternative to `class`.
    pub roughness: Option<Scalar>,
    /// Seed of the random phases. Default 1.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// Exponent of the spectral density. Default 2.
    #[serde(default = "two")]
    pub waviness: Constant,
    /// Lowest and highest spatial frequency in cycles/m. Default: 0.011 and 2.83.
    #[serde(default = "iso_band")]
    pub band: [Constant; 2],
    /// Period of the profile in m. Default 1000.
    #[serde(default = "default_period")]
    pub period: Constant,
    /// Distance of the left and right wheel tracks in m. Their profiles differ, with the coherence of an isotropic
    /// surface. Default: none, the same profile at every y.
    pub track: Option<Scalar>,
    /// Start of the profile, x in m. Default 0.
    #[serde(default = "zero")]
    pub start: Scalar,
    /// Length in m over which the profile grows from zero. Default 10.
    #[serde(default = "default_fade")]
    pub fade: Scalar,
}

fn at_origin() -> [Number; 2] {
    [zero(), zero()]
}

fn one() -> Number {
    Number::Value(1.0)
}

fn default_blend() -> Number {
    Number::Value(0.2)
}

fn default_side_blend() -> Number {
    Number::Value(0.5)
}

fn one_bump() -> usize {
    1
}

fn first_seed() -> u64 {
    1
}

fn two() -> f64 {
    2.0
}

fn iso_band() -> [f64; 2] {
    [0.011, 2.83]
}

fn default_period() -> f64 {
    1000.0
}

fn default_fade() -> Number {
    Number::Value(10.0)
}
