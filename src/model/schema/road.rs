//! `[[road]]` as plain data.

use super::{Number, SurfaceKind, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[road]]`: height and friction of the ground at every place x, y of the global frame. Everything is added to a
/// plane.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Road {
    /// Unique name.
    pub name: String,
    /// Height of the plane at x = y = 0 in m. Default 0.
    #[serde(default = "zero")]
    pub height: Number,
    /// Slope of the plane along x, dz/dx. Default 0.
    #[serde(default = "zero")]
    pub slope: Number,
    /// Slope of the plane along y, dz/dy. Default 0.
    #[serde(default = "zero")]
    pub bank: Number,
    /// Factor on the friction of tyres. Default 1.
    #[serde(default = "one")]
    pub friction: Number,
    /// Rectangles with another friction; a later one covers an earlier one.
    #[serde(default, rename = "patch")]
    pub patches: Vec<FrictionPatch>,
    /// Speed bumps and potholes.
    #[serde(default, rename = "bump")]
    pub bumps: Vec<Bump>,
    /// Random profile by its spectral density (ISO 8608). Default: none.
    pub random: Option<RandomProfile>,
    /// CSV file with heights in m on a grid, or OpenCRG file (`.crg`), a path from the folder of the model file that
    /// stays inside it. Default: none.
    pub height_map: Option<String>,
    /// CSV file with factors on the friction of tyres on a grid, as a height map, or OpenCRG file. Default: none.
    pub friction_map: Option<String>,
    /// Where x = y = 0 of the height map and of the friction map lies, in m; of an OpenCRG file the start of its
    /// reference line. Default [0, 0].
    #[serde(default = "at_origin")]
    pub map_start: [Number; 2],
    /// Angle in degrees by which the maps are turned about z around that place; an OpenCRG road starts in this
    /// direction. Default 0.
    #[serde(default = "zero")]
    pub map_heading_deg: Number,
    /// Whether its tyres envelop what is short beside their footprint. Where they do, bumps and maps may be sharp,
    /// unless a `[[contact]]` touches the road. Default false.
    #[serde(default)]
    pub enveloping: bool,
    /// Fills hollows of the map that a wheel of 0.6 m does not reach, rolling along the lines of its grid; without it a
    /// map with such hollows is refused. Default false.
    #[serde(default)]
    pub fill_hollows: bool,
}

impl super::Model {
    /// Whether all that touches a road are tyres that envelop what is short.
    pub(crate) fn enveloped(&self, road: &Road) -> bool {
        let on = |name: &Option<String>| name.as_ref().is_none_or(|name| *name == road.name);
        let mut tyres = self.tyres.iter().filter(|tyre| on(&tyre.road)).peekable();
        let mut contacts = self.contacts.iter().filter(|contact| contact.surface == SurfaceKind::Road);
        (road.enveloping || tyres.peek().is_some())
            && tyres.all(|tyre| tyre.enveloping.unwrap_or(road.enveloping))
            && !contacts.any(|contact| on(&contact.road))
    }
}

/// `[[road.patch]]`: a rectangle with another friction.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionPatch {
    /// From and to along x in m. Default: everywhere.
    pub x: Option<[Number; 2]>,
    /// From and to along y in m. Default: everywhere.
    pub y: Option<[Number; 2]>,
    /// Factor on the friction of tyres inside.
    pub friction: Number,
    /// Length over which the friction changes at every edge, half of it on each side, in m. Default 0.2.
    #[serde(default = "default_blend")]
    pub blend: Number,
}

/// Shape of a bump along its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BumpKind {
    /// Arc of a circle.
    Round,
    /// Whole wave of a cosine, from its lowest point to the next.
    Sinusoidal,
    /// Straight ramp, plateau, straight ramp.
    FlatTop,
}

/// `[[road.bump]]`: a speed bump, or with a negative height a pothole; its kinks are rounded.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bump {
    /// Shape.
    pub kind: BumpKind,
    /// Where it begins, x in m.
    pub start: Number,
    /// Length in m, with both ramps.
    pub length: Number,
    /// Height in m.
    pub height: Number,
    /// Length of each ramp of `flat_top` in m.
    pub ramp: Option<Number>,
    /// Length over which every kink is rounded, half of it on each side, in m. Default 0.2.
    #[serde(default = "default_blend")]
    pub blend: Number,
    /// From and to along y in m: a bump under one wheel track only. Default: everywhere.
    pub y: Option<[Number; 2]>,
    /// Length over which the height changes at the ends of `y`, half of it on each side, in m. Default 0.5.
    #[serde(default = "default_side_blend")]
    pub side_blend: Number,
    /// Angle in degrees by which the bump is turned about z around the point x = `start`, y = 0. Default 0.
    #[serde(default = "zero")]
    pub angle_deg: Number,
    /// How many there are, one behind the other. Default 1.
    #[serde(default = "one_bump")]
    pub count: usize,
    /// Distance from the start of one to the start of the next in m; needed when there are several.
    pub spacing: Option<Number>,
}

/// Class of roughness by ISO 8608: the geometric mean of Gd at 0.1 cycles/m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
    pub(crate) fn roughness(self) -> f64 {
        let steps = self as i32;
        16e-6 * (0..steps).map(|_| 4.0).product::<f64>()
    }
}

/// `[road.random]`: heights with the spectral density Gd(n) = Gd(0.1) · (n / 0.1)^−waviness, n in cycles/m.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomProfile {
    /// Class of roughness; this or `roughness`.
    pub class: Option<RoughnessClass>,
    /// Gd at 0.1 cycles/m in m³; this or `class`.
    pub roughness: Option<Number>,
    /// Number from which the phases are drawn. Default 1.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// Exponent of the spectral density. Default 2.
    #[serde(default = "two")]
    pub waviness: f64,
    /// Lowest and highest spatial frequency in cycles/m. Default: 0.011 and 2.83.
    #[serde(default = "iso_band")]
    pub band: [f64; 2],
    /// Length after which the profile comes again, in m. Default 1000.
    #[serde(default = "default_period")]
    pub period: f64,
    /// Distance of the left and the right wheel track in m, which get different profiles with the coherence of an
    /// isotropic surface. Default: none, the same profile everywhere across.
    pub track: Option<Number>,
    /// Where it begins, x in m. Default 0.
    #[serde(default = "zero")]
    pub start: Number,
    /// Length over which it grows from nothing, in m. Default 10.
    #[serde(default = "default_fade")]
    pub fade: Number,
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
