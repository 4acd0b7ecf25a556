//! Short obstacles: effective height and slope of a road for a tyre, by two elliptical cams.
//!
//! # Law
//!
//! A belt touches an edge before and after the axle passes it, and envelops short obstacles. Two cams, one l/2 ahead of
//! the wheel's centre along the wheel and one behind, stay upright and touch the road from above with their lower
//! halves
//! |x/a|^c + |z/b|^c = 1 (tandem model with elliptical cams: A. J. C. Schmeitz, *A Semi-Empirical Three-Dimensional
//! Model of the Pneumatic Tyre Rolling over Arbitrarily Uneven Road Surfaces*, Delft 2004; Pacejka 2012, section
//! 10.1.6):
//!
//! ```text
//!     w_f = max over |x| ≤ x_most of z(X + l/2 + x) − r(x)      r(x) = b − b (1 − |x/a|^c)^(1/c)      w_r at X − l/2
//!     w = (w_f + w_r)/2,   tan β = (w_f − w_r)/l
//! ```
//!
//! A plane of height w at the wheel's centre and slope β along the wheel replaces the road there; its slope across is
//! the mean slope of the road where the cams touch. Cams stand upright on the plane to which bumps and maps are added,
//! so a plane road is reproduced exactly.
//!
//! # Method
//!
//! Heights at places at most [`SPACING`] m apart, the same for both cams. Between the two that could be highest,
//! [`SPLITS`] halvings towards an edge; about the best so far [`HALVINGS`] halvings of the slope of z − r and a secant,
//! and and once more nearby if these find nothing higher. So w follows round tops to the rounding of numbers and edges
//! to 1 µm, and has kinks where a cam goes from one edge to another, as in the model itself.
//!
//! # Energy
//!
//! The rate of the deflection includes the rates of w and β of this plane, so that the stored energy of the normal
//! deflection is exact. The slope β is not the slope of w(X): the forces have no potential, and their net work over an
//! obstacle (zero at a constant load) counts as dissipated.
//!
//! # Derivatives
//!
//! A cam touches where z − r is largest, so that height and slope do not depend on the place to first order: their
//! derivatives are exact. In the derivatives of the rate, which the damping of the tyre uses, the place is fixed.
//!
//! # Cost
//!
//! Up to [`MOST`] heights of the road and 2 ([`SPLITS`] + 2 [`HALVINGS`] + 8) more per evaluation.
//!
//! # Limits
//!
//! l belongs to the nominal load. Obstacles shorter than [`SPACING`] may be missed between two samples. On a long slope
//! β the cams are b (1 + (a tan β/b)^q)^(1/q) − b above it, q = c/(c − 1): 0.9 mm at 10 % with a = b = 0.35 m and c =
//! 1.8.
//!
//! # Tests
//!
//! Below: heights and slopes against the cams' closed forms; tests/harness/test_tyres.py.

use super::contact::{Step, Wheel, WheelContact};
use crate::force::road::{Road, Surface};
use crate::math::elementary::{ceil, pow};
use crate::math::scalar::Scalar;
use crate::math::{Vec3, larger, within};
use crate::tyre::Cams;
use alloc::boxed::Box;

/// Spacing of the road samples, m, if [`MOST`] samples are enough.
const SPACING: f64 = 0.01;
/// Smallest distance of the cams, m.
const NEAREST: f64 = 1e-3;
/// Largest number of samples of both cams.
pub const MOST: usize = 64;
/// Halvings of the distance of two places about an edge, to 1 µm.
const SPLITS: usize = 14;
/// Part of the distance of two places within which a rounded edge has its top.
const NARROW: f64 = 0.06;
/// Those of twice the distance about a round top, before a secant.
const HALVINGS: usize = 7;

/// The cams of a tyre.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Envelope {
    cams: Cams,
    /// Distance of places, m.
    spacing: f64,
    /// r at the places of a cam, m; the places of the front cam begin `ahead` places ahead of the places of the rear
    /// cam.
    pub rises: Box<[f64]>,
    pub ahead: usize,
}

/// Contact of a cam.
struct Touch<S> {
    /// From the middle of the cam, m.
    x: f64,
    /// w, m.
    height: S,
    /// Its slopes as the cam goes along x and y.
    slopes: [S; 2],
    friction: S,
}

impl Envelope {
    #[expect(clippy::disallowed_methods, reason = "creates cams of a tyre, before the first step")]
    pub fn new(cams: &Cams) -> Envelope {
        let Cams { half_length, half_height, order, highest, .. } = *cams;
        let distance = cams.distance.max(NEAREST);
        let left = 1.0 - (highest / half_height).min(0.5);
        let reach = half_length * pow(1.0 - pow(left, order), 1.0 / order);
        let spacing = SPACING.max((2.0 * reach + distance) / (MOST - 4) as f64);
        let ahead = ceil(distance / spacing).max(1.0);
        let spacing = distance / ahead;
        let side = (ceil(reach / spacing) as usize).clamp(1, (MOST - ahead as usize) / 2);
        let mut envelope =
            Envelope { cams: Cams { distance, ..*cams }, spacing, rises: Box::default(), ahead: ahead as usize };
        envelope.rises = (0..=2 * side).map(|k| envelope.rise((k as f64 - side as f64) * spacing)[0]).collect();
        envelope
    }

    /// r and its slope at `x` m from the middle of a cam.
    fn rise(&self, x: f64) -> [f64; 2] {
        let Cams { half_length, half_height, order, .. } = self.cams;
        let share = (x / half_length).abs().min(0.999);
        if share == 0.0 {
            return [0.0; 2];
        }
        let power = pow(share, order);
        let root = pow(1.0 - power, 1.0 / order);
        let slope = half_height / half_length * (power / share) * (root / (1.0 - power));
        [half_height * (1.0 - root), if x < 0.0 { -slope } else { slope }]
    }

    /// The contact of a wheel with the plane that replaces the road; `None` for a horizontal wheel.
    pub fn contact<S: Scalar>(&self, road: &Road, rise: S, wheel: &Wheel<S>) -> Option<WheelContact<S>> {
        let (c, e) = (&wheel.centre, &wheel.axis);
        let across = (e.x * e.x + e.y * e.y).sqrt();
        if !(across > 0.1) {
            return None;
        }
        // Forward and left along the ground.
        let f = [e.y / across, -e.x / across];
        let left = [-f[1], f[0]];
        let plane = road.plane_slopes();
        let directional = |slopes: &[S; 2], direction: &[S; 2]| slopes[0] * direction[0] + slopes[1] * direction[1];
        let plane_along = f[0] * plane[0] + f[1] * plane[1];
        let plane_left = left[0] * plane[0] + left[1] * plane[1];
        let half = 0.5 * self.cams.distance;
        // The place where each cam touches, and its height and slopes there.
        let best = self.find(road, [c.x.value(), c.y.value()], f.map(S::value), plane_along.value());
        let touches = [0, 1].map(|k| {
            let (x, u) = (best[k], [half, -half][k] + best[k]);
            let place = [c.x + f[0] * u, c.y + f[1] * u];
            let surface = road.surface(place[0], place[1]);
            let [rise, steep] = self.rise(x);
            // Along the wheel the height follows the cam, as on a round top, also where the road has an edge; across it
            // has the part that this is of the road's own slope.
            let road_slopes = [surface.slope_x, surface.slope_y];
            let own = directional(&road_slopes, &f) - plane_along;
            let sideways = directional(&road_slopes, &left) - plane_left;
            let part = if own.value() == 0.0 { S::one() } else { within(S::from_f64(steep) / own, 0.0, 1.0) };
            let (ahead, aside) = (plane_along + steep, plane_left + sideways * part);
            let slopes = [0, 1].map(|axis| f[axis] * ahead + left[axis] * aside);
            // Its value is 0.
            let moved = |axis: usize| (place[axis] - place[axis].value()) * (slopes[axis] - road_slopes[axis]);
            let height = surface.height - plane_along * x - rise + moved(0) + moved(1);
            Touch { x, height, slopes, friction: surface.friction }
        });
        // The plane through both cams replaces the road.
        let slopes = touches.each_ref().map(|touch| touch.slopes);
        let slope = (touches[0].height - touches[1].height) / (2.0 * half);
        let sideways = (directional(&slopes[0], &left) + directional(&slopes[1], &left)) * 0.5;
        let [x, y] = [0, 1].map(|k| f[k] * slope + left[k] * sideways);
        let surface = Surface {
            height: (touches[0].height + touches[1].height) * 0.5,
            slope_x: x,
            slope_y: y,
            friction: (touches[0].friction + touches[1].friction) * 0.5,
        };
        let step = Step::on(&surface, rise, [c, e], [c.x, c.y])?;
        let mut contact = step.contact(wheel);

        // Rates: of the direction f, of both heights, of the plane's slopes, of its normal.
        let e_dot = wheel.spin.cross(e);
        let turning = (e_dot.y * left[0] - e_dot.x * left[1]) / across;
        let speeds = [0, 1].map(|k| {
            let (x, u) = (touches[k].x, [half, -half][k] + touches[k].x);
            let speed = [0, 1].map(|axis| wheel.velocity[axis] + left[axis] * turning * u);
            directional(&slopes[k], &speed) - turning * plane_left * x
        });
        let slope_rate = (speeds[0] - speeds[1]) / (2.0 * half);
        // Rate of the lateral slope due to the rotation of its direction.
        let across_rate = turning * (directional(&slopes[0], &f) + directional(&slopes[1], &f)) * -0.5;
        let [x, y] =
            [0, 1].map(|k| f[k] * (slope_rate - turning * sideways) + left[k] * (turning * slope + across_rate));
        let n = &step.normal;
        // −∂n/∂t times the length of (−slopes, 1), and 1 over that.
        let against = n.x * x + n.y * y;
        let per_length = n.z;
        let change = Vec3::new(-x + n.x * against, -y + n.y * against, n.z * against) * per_length;
        let sine_rate = e_dot.dot(n) + e.dot(&change);
        let over = c.z - surface.height - rise;
        let height_rate = (wheel.velocity.z - (speeds[0] + speeds[1]) * 0.5) * n.z + over * change.z;
        contact.rate = -wheel.radius * step.sine * step.per_cosine * sine_rate - height_rate;
        Some(contact)
    }

    /// Where the front and the rear cam touch, m from the middle of each, of a wheel at a place that points to `f`.
    fn find(&self, road: &Road, place: [f64; 2], f: [f64; 2], plane: f64) -> [f64; 2] {
        let (count, side) = (self.rises.len(), (self.rises.len() / 2) as f64);
        let half = 0.5 * self.cams.distance;
        let surface = |u: f64| road.surface(place[0] + f[0] * u, place[1] + f[1] * u);
        // Heights of the road above its plane at all places of both cams.
        let mut heights = [0.0; MOST + 1];
        let all = count + self.ahead;
        for (k, height) in heights[..all].iter_mut().enumerate() {
            let u = (k as f64 - side) * self.spacing - half;
            *height = surface(u).height - plane * u;
        }
        [(self.ahead, half), (0, -half)].map(|(first, middle)| {
            let own = &heights[first..first + count];
            let over = |k: usize| own[k] - self.rises[k];
            let place = |k: usize| (k as f64 - side) * self.spacing;
            let top = (0..count).fold(count / 2, |best, k| if over(k) > over(best) { k } else { best });
            // Where the higher of two neighbours would be nearest to the lowest point: nowhere higher than on flat
            // ground?
            let bound = |k: usize| larger(own[k], own[k + 1]) - self.rises[k].min(self.rises[k + 1]);
            let edge = (0..count - 1).fold(0, |best, k| if bound(k) > bound(best) { k } else { best });
            if bound(edge) <= over(top) {
                return place(top);
            }
            // Height and rise at a place, and the slope of their difference.
            let look = |x: f64| {
                let [rise, steep] = self.rise(x);
                let Surface { height, slope_x, slope_y, .. } = surface(middle + x);
                [height - plane * (middle + x), rise, slope_x * f[0] + slope_y * f[1] - plane - steep]
            };
            let mut best = [place(top), over(top)];
            let mut keep = |x: f64, over: f64| {
                if over > best[1] {
                    best = [x, over];
                }
                best[0]
            };
            // An edge.
            let [mut low, mut high] = [edge, edge + 1].map(|k| [place(k), own[k], self.rises[k]]);
            for _ in 0..SPLITS {
                let x = 0.5 * (low[0] + high[0]);
                let [height, rise, _] = look(x);
                keep(x, height - rise);
                let [before, behind] = [low, high].map(|end| larger(end[1], height) - end[2].min(rise));
                if before >= behind { high = [x, height, rise] } else { low = [x, height, rise] }
            }
            keep(low[0], low[1] - low[2]);
            // On a round top the slope of the difference is 0: in both neighbouring intervals, or near a rounded edge.
            for width in [self.spacing, NARROW * self.spacing] {
                let before = keep(0.0, f64::NEG_INFINITY);
                let [mut low, mut high] = [before - width, before + width].map(|x| [x, look(x)[2]]);
                for _ in 0..HALVINGS {
                    let x = 0.5 * (low[0] + high[0]);
                    let middle_point = [x, look(x)[2]];
                    if middle_point[1] > 0.0 { low = middle_point } else { high = middle_point }
                }
                if low[1] > 0.0 && high[1] <= 0.0 {
                    let x = low[0] + (high[0] - low[0]) * low[1] / (low[1] - high[1]);
                    let [height, rise, _] = look(x);
                    if keep(x, height - rise) == x {
                        break;
                    }
                }
            }
            best[0]
        })
    }
}
