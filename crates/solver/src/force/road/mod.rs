//! Roads: height, slopes and friction of the ground at a place x, y of the world.
//!
//! ```text
//!     z(x, y) = height + slope x + bank y + bumps(x, y) + random(x, y) + map(x, y)
//! ```
//!
//! | part   | module       | across its whole range                                                       |
//! |--------|--------------|------------------------------------------------------------------------------|
//! | plane  | this one     | linear                                                                       |
//! | bumps  | [`bump`]     | continuous curvature: the kinks are rounded                                  |
//! | random | [`random`]   | continuous curvature: a periodic cubic spline along x, a polynomial across   |
//! | map    | [`grid`]     | continuous slopes: bicubic convolution, over x and y or along a curved line  |
//!
//! Friction is one factor, multiplied by the factor of a map. Rectangles with edges that are smooth to the second
//! derivative replace it; a later rectangle covers an earlier one.
//!
//! # Frames, units
//!
//! World frame W, m. Slopes are dz/dx and dz/dy; the upward normal is (−dz/dx, −dz/dy, 1), not of unit length.
//!
//! # Guarantees for tyres
//!
//! Slopes are continuous everywhere. Bumps are rejected if a hollow has a radius below
//! `ballesta::model::validate::MIN_HOLLOW_RADIUS`, so that a wheel has one contact point there. Random profiles and
//! maps are not smoothed: waves shorter than the footprint, which a tyre would envelop, act fully on a single contact
//! point.
//!
//! # Cost and real-time properties
//!
//! Constant data, no allocation, no unbounded iteration, no panic for any x and y. A plane takes a few operations,
//! every bump within reach one square root or sine, a random profile four rows of a table, a map along a curved line a
//! bisection among its points and five Newton steps.

pub(crate) mod bump;
pub mod grid;
mod line;
pub(crate) mod random;
mod smooth;

pub use crate::math::scalar::Scalar;
use crate::math::within;
use alloc::{string::String, vec::Vec};
pub use bump::{Bump, BumpGeometry, Shape};
pub use grid::{HeightGrid, HeightMap};
pub use random::{RandomProfile, RandomRoughness};
pub use smooth::Range;

/// The road at one position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Surface<S = f64> {
    /// z, m.
    pub height: S,
    /// dz/dx.
    pub slope_x: S,
    /// dz/dy.
    pub slope_y: S,
    /// Factor on the friction of tyres.
    pub friction: S,
}

/// A road.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Road {
    /// Name in the model file.
    pub name: String,
    /// Whether tyres envelop short obstacles, unless the tyre overrides it.
    pub enveloping: bool,
    /// Height, slopes and friction of the plane at the origin.
    pub plane: Surface,
    /// Rectangles with another friction.
    pub patches: Vec<Patch>,
    /// Bumps.
    pub bumps: Vec<Bump>,
    /// Random profile.
    pub random: Option<RandomProfile>,
    /// Height map.
    pub map: Option<HeightGrid>,
    /// Friction factors, with the smallest and the largest.
    pub friction: Option<(HeightGrid, [f64; 2])>,
}

/// A rectangle with another friction.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Patch {
    /// Range along x; `None` for all x.
    pub x: Option<Range>,
    /// Range along y; `None` for all y.
    pub y: Option<Range>,
    /// Factor on the friction.
    pub friction: f64,
}

impl Road {
    /// The horizontal plane z = 0 with friction 1.
    #[expect(clippy::disallowed_methods, reason = "creates a road, before the first step")]
    pub fn flat() -> Road {
        let plane = Surface { friction: 1.0, ..Surface::default() };
        Road {
            name: String::new(),
            enveloping: false,
            plane,
            patches: Vec::new(),
            bumps: Vec::new(),
            random: None,
            map: None,
            friction: None,
        }
    }

    /// Whether the height is linear in x and y; the friction may still vary.
    pub fn is_plane(&self) -> bool {
        self.bumps.is_empty() && self.random.is_none() && self.map.is_none()
    }

    /// Slopes dz/dx and dz/dy of the base plane.
    pub(crate) fn plane_slopes(&self) -> [f64; 2] {
        [self.plane.slope_x, self.plane.slope_y]
    }

    /// Height, slopes and friction at the position x, y (m) of the world.
    pub fn surface<S: Scalar>(&self, x: S, y: S) -> Surface<S> {
        let plane = &self.plane;
        let mut surface = Surface {
            height: x * plane.slope_x + y * plane.slope_y + plane.height,
            slope_x: S::from_f64(plane.slope_x),
            slope_y: S::from_f64(plane.slope_y),
            friction: S::from_f64(plane.friction),
        };
        for bump in &self.bumps {
            bump.add(x, y, &mut surface);
        }
        if let Some(random) = &self.random {
            random.add(x, y, &mut surface);
        }
        if let Some(map) = &self.map {
            map.add(x, y, &mut surface);
        }
        if let Some((map, [least, most])) = &self.friction {
            let mut map_surface = Surface::default();
            map.add(x, y, &mut map_surface);
            // Between grid points a cubic may overshoot the values of the map.
            surface.friction *= within(map_surface.height, *least, *most);
        }
        for patch in &self.patches {
            let inside = |range: &Option<Range>, x: S| range.as_ref().map_or(S::one(), |range| range.window(x).value);
            let change = S::from_f64(patch.friction) - surface.friction;
            surface.friction += change * inside(&patch.x, x) * inside(&patch.y, y);
        }
        surface
    }
}
