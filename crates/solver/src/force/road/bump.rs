//! Speed bumps: profiles along a straight line, with rounded kinks.
//!
//! With u from the start of the bump along its direction, length l and height h,
//!
//! ```text
//!     round       z = √(R² − (u − l/2)²) − (R − h),   R = (l²/4 + h²)/(2 h)
//!     sinusoidal  z = h/2 (1 − cos(2π u/l))
//!     flat_top    z = h min(1, u/ramp, (l − u)/ramp)
//! ```
//!
//! for 0 ≤ u ≤ l, and zero elsewhere. Every discontinuity of slope or curvature is rounded over the length `blend`
//! (`super::smooth::Kink`); elsewhere the profile is exact. A bump limited to one wheel track is multiplied by a smooth
//! window in the lateral direction. The lateral slopes of the window affect wheels, so keep wheels off its sides.

use super::Surface;
use super::smooth::{Kink, Range, Value};
use crate::math::elementary::{floor, sin_cos};
use crate::math::scalar::Scalar;
use core::f64::consts::TAU;

/// A row of equal bumps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Bump {
    start: f64,
    /// Cosine and sine of the angle between the world's x axis and the bump's direction.
    direction: [f64; 2],
    shape: Shape,
    length: f64,
    blend: f64,
    kinks: [Kink; 4],
    side: Option<Range>,
    /// Index of the last bump, from 0.
    last: f64,
    spacing: f64,
    /// End of the last bump.
    end: f64,
}

/// Position, shape and number of equal bumps.
pub struct BumpGeometry {
    /// Distance of the first bump from the origin along x, m.
    pub start: f64,
    /// Angle between the world's x axis and the direction of the bumps, rad.
    pub angle: f64,
    /// Profile along that direction.
    pub shape: Shape,
    /// Length of one bump, m.
    pub length: f64,
    /// Length over which kinks are rounded, m.
    pub blend: f64,
    /// Range across the direction; `None` for the whole road.
    pub side: Option<Range>,
    /// Number of bumps.
    pub count: usize,
    /// Distance between bumps, m.
    pub spacing: f64,
}

/// Profile of a bump.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Shape {
    /// z = √(R² − s²) − (R − h), with the sign of h.
    Round { radius_squared: f64, drop: f64, sign: f64 },
    /// Half the height, and 2π/l.
    Sinusoidal { half: f64, wave: f64 },
    /// Height and length of the ramps.
    FlatTop { height: f64, ramp: f64 },
}

impl Shape {
    /// An arc of a circle.
    pub fn round(length: f64, height: f64) -> Shape {
        let rise = height.abs();
        let radius = (0.25 * length * length + rise * rise) / (2.0 * rise);
        Shape::Round { radius_squared: radius * radius, drop: radius - rise, sign: height.signum() }
    }

    /// One period of a cosine.
    pub fn sinusoidal(length: f64, height: f64) -> Shape {
        Shape::Sinusoidal { half: 0.5 * height, wave: TAU / length }
    }

    /// Height and slope inside the bump, 0 ≤ u < l; at a kink, the slope after it.
    fn profile<S: Scalar>(&self, u: S, length: f64) -> Value<S> {
        match *self {
            Shape::Round { radius_squared, drop, sign } => {
                let s = u - 0.5 * length;
                let root = (S::from_f64(radius_squared) - s * s).sqrt();
                Value { value: (root - drop) * sign, slope: s * -sign / root }
            }
            Shape::Sinusoidal { half, wave } => {
                let (sine, cosine) = sin_cos(u * wave);
                Value { value: (S::one() - cosine) * half, slope: sine * (half * wave) }
            }
            Shape::FlatTop { height, ramp } => {
                let slope = height / ramp;
                if u < ramp {
                    Value { value: u * slope, slope: S::from_f64(slope) }
                } else if u >= length - ramp {
                    Value { value: (S::from_f64(length) - u) * slope, slope: S::from_f64(-slope) }
                } else {
                    Value::constant(height)
                }
            }
        }
    }

    /// The four points where slope or curvature jump; missing points have no effect.
    fn kinks(&self, length: f64) -> [Kink; 4] {
        let kink = |at, slope_jump, curvature_jump| Kink { at, slope_jump, curvature_jump };
        let none = kink(0.0, 0.0, 0.0);
        match *self {
            Shape::Round { radius_squared, drop, sign } => {
                let (slope, curvature) = (sign * 0.5 * length / drop, -sign * radius_squared / (drop * drop * drop));
                [kink(0.0, slope, curvature), kink(length, slope, -curvature), none, none]
            }
            Shape::Sinusoidal { half, wave } => {
                let curvature = half * wave * wave;
                [kink(0.0, 0.0, curvature), kink(length, 0.0, -curvature), none, none]
            }
            Shape::FlatTop { height, ramp } => {
                let slope = height / ramp;
                [
                    kink(0.0, slope, 0.0),
                    kink(ramp, -slope, 0.0),
                    kink(length - ramp, -slope, 0.0),
                    kink(length, slope, 0.0),
                ]
            }
        }
    }
}

impl Bump {
    /// Equal bumps in a row.
    pub fn new(geometry: &BumpGeometry) -> Bump {
        let &BumpGeometry { start, angle, shape, length, blend, ref side, count, spacing } = geometry;
        let (sine, cosine) = sin_cos(angle);
        let last = count.saturating_sub(1) as f64;
        Bump {
            start,
            direction: [cosine, sine],
            shape,
            length,
            blend,
            kinks: shape.kinks(length),
            side: side.clone(),
            last,
            spacing,
            end: if last > 0.0 { last * spacing } else { 0.0 } + length,
        }
    }

    /// Adds height and slopes at x, y.
    pub(super) fn add<S: Scalar>(&self, x: S, y: S, surface: &mut Surface<S>) {
        let [c, s] = self.direction;
        let from_start = x - self.start;
        let (mut u, v) = (from_start * c + y * s, y * c - from_start * s);
        let reach = 0.5 * self.blend;
        if !(u > -reach && u < self.end + reach) {
            return;
        }
        if self.last > 0.0 {
            // The bump with the nearest centre.
            let number = floor((u.value() - 0.5 * self.length) / self.spacing + 0.5).clamp(0.0, self.last);
            u = u - self.spacing * number;
        }
        if !(u > -reach && u < self.length + reach) {
            return;
        }
        let along = self.profile(u);
        let across = self.side.as_ref().map_or_else(|| Value::constant(1.0), |side| side.window(v));
        let (slope_u, slope_v) = (along.slope * across.value, along.value * across.slope);
        surface.height += along.value * across.value;
        surface.slope_x += slope_u * c - slope_v * s;
        surface.slope_y += slope_u * s + slope_v * c;
    }

    /// Height and slope at u, with rounded kinks.
    fn profile<S: Scalar>(&self, u: S) -> Value<S> {
        let inside = u >= 0.0 && u < self.length;
        let mut sum = if inside { self.shape.profile(u, self.length) } else { Value::default() };
        for kink in &self.kinks {
            let rounding = kink.rounding(u, self.blend);
            sum.value += rounding.value;
            sum.slope += rounding.slope;
        }
        sum
    }
}
