//! A driver who looks ahead: the steering wheel angle follows from the offset of the path ahead.
//!
//! Let e be the lateral offset from the heading of the path point at the distance d = v · preview. The circle that is
//! tangent to the heading and passes through this point has the curvature 2 e/d². The wheel follows the angle S · 2
//! e/d² with the time constant `lag`. For a circular path, e is the distance from it. S is the angle per curvature of
//! the vehicle in a steady circle. The command depends only on the state and the last angle, so equal runs give equal
//! bits.

use super::manoeuvre_schema::Driver;
use super::vehicle_channels::ChannelValues;
use ballesta::math::elementary::sin_cos;

/// Shortest preview distance, m.
const MIN_PREVIEW: f64 = 1.0;

impl Driver {
    /// y of the path at x, both m: 10 s³ − 15 s⁴ + 6 s⁵ between two points, constant outside.
    pub fn path_at(&self, x: f64) -> f64 {
        let next = self.path.partition_point(|[at, _]| *at <= x);
        match (next.checked_sub(1).and_then(|k| self.path.get(k)), self.path.get(next)) {
            (None, Some(end)) | (Some(end), None) => end[1],
            (Some([x0, y0]), Some([x1, y1])) => {
                let s = (x - x0) / (x1 - x0);
                y0 + (y1 - y0) * (s * s * s * (10.0 + s * (6.0 * s - 15.0)))
            }
            (None, None) => 0.0,
        }
    }

    /// Distance of the point `[x, y]` from the circle of radius `radius`, m, positive to the left of the direction of
    /// travel.
    fn beside(radius: f64, [x, y]: [f64; 2]) -> f64 {
        (radius.abs() - (x * x + (y - radius) * (y - radius)).sqrt()) * radius.signum()
    }

    /// Distance of the vehicle from the path, m, positive to the left; `side`: −1 for the mirror image of the path.
    pub fn error(&self, look: &ChannelValues, side: f64) -> f64 {
        let [x, y] = look.position();
        self.radius.map_or_else(|| y - side * self.path_at(x), |radius| Self::beside(side * radius, [x, y]))
    }

    /// Steering wheel angle, rad, `step` s after the value `angle`; `per_curvature`: S, rad m.
    pub fn angle(&self, look: &ChannelValues, angle: f64, step: f64, per_curvature: f64, side: f64) -> f64 {
        let [x, y] = look.position();
        let (sine, cosine) = sin_cos(look.yaw());
        let distance = (look.speed() * self.preview).max(MIN_PREVIEW);
        let ahead = x + distance * cosine;
        let aside = match self.radius {
            Some(radius) => -Self::beside(side * radius, [ahead, y + distance * sine]),
            None => cosine * (side * self.path_at(ahead) - y) - sine * (ahead - x),
        };
        let wanted = per_curvature * 2.0 * aside / (distance * distance);
        angle + (wanted - angle) * step / (self.lag + step)
    }
}
