//! Where and how a wheel touches the road: one point in the plane of the wheel.
//!
//! # Frames
//!
//! The axes of the contact are those of ISO 8855 (W): z along the normal n of the road, x where the wheel's plane cuts the road's, forward, y = z × x
//! to the left. The spin axis e points to the left, so a wheel that rolls forward turns about it in the positive sense. The
//! inclination angle γ is positive about x: sin γ = e · n.
//!
//! # Law
//!
//! The contact point is the place of the road that lies in the plane of the wheel, seen from the wheel's centre along
//!
//! ```text
//!     r = −(n − e (e · n)) / cos γ,
//! ```
//!
//! which is the radius nearest to the normal. On a plane road this is one step; elsewhere normal and height are taken anew at the point found,
//! at most [`STEPS`] times. Roads bound their curvature so that the iteration contracts (by the loaded radius over the radius of curvature).
//! With the loaded radius R_l the deflection normal to the road is δ = (R₀ − R_l) cos γ, and its rate, on a road that stands still,
//!
//! ```text
//!     δ̇ = −n · V_C − R₀ tan γ (ω × e) · n.
//! ```
//!
//! # Limits
//!
//! A single point: the belt does not envelop obstacles, wide tyres do not roll on their edges. A wheel that lies flat (cos γ below
//! [`FLAT`]) does not touch. The turning of the normal along the road is left out of δ̇, where it counts only together with camber.
//!
//! # Tests
//!
//! Below: closed forms on slopes, on a cylinder, under camber; rates against differences.

use crate::force::road::Road;
use crate::math::Vec3;

/// Most evaluations of a curved road for one contact.
pub const STEPS: usize = 8;
/// Change of the contact point, m, at which the iteration ends.
const FOUND: f64 = 1e-11;
/// Cosine of the inclination angle below which a wheel does not touch.
pub const FLAT: f64 = 0.2;

/// A wheel at one instant; positions in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// Centre, m.
    pub centre: Vec3,
    /// Spin axis e, to the left, unit length.
    pub axis: Vec3,
    /// Velocity of the centre, m/s.
    pub velocity: Vec3,
    /// Angular velocity of the wheel, rad/s.
    pub spin: Vec3,
    /// Free radius R₀, m.
    pub radius: f64,
}

/// The contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// From the wheel's centre to the contact point, m, world axes.
    pub arm: Vec3,
    /// Axes x, y, z of the contact in world axes.
    pub axes: [Vec3; 3],
    /// δ, m; not positive in the air.
    pub deflection: f64,
    /// δ̇, m/s.
    pub rate: f64,
    /// R_l, m.
    pub loaded_radius: f64,
    /// γ, rad.
    pub camber: f64,
    /// Friction of the road, 1 where it is that of the tyre's measurement.
    pub friction: f64,
}

impl Contact {
    /// The contact of a wheel on a road that is raised by `rise` m; none for a wheel that lies flat.
    pub fn new(road: &Road, rise: f64, wheel: &Wheel) -> Option<Contact> {
        let (c, e) = (&wheel.centre, &wheel.axis);
        let (mut x, mut y) = (c.x, c.y);
        let steps = if road.is_plane() { 1 } else { STEPS };
        for step in 1..=steps {
            let surface = road.surface(x, y);
            let n = Vec3::new(-surface.slope_x, -surface.slope_y, 1.0).normalize();
            let sine = e.dot(&n);
            let cosine = (1.0 - sine * sine).max(0.0).sqrt();
            if !(cosine > FLAT) {
                return None;
            }
            let down = -(n - e * sine) / cosine;
            let height = (c - Vec3::new(x, y, surface.height + rise)).dot(&n);
            let loaded_radius = height / cosine;
            let arm = down * loaded_radius;
            let moved = (c.x + arm.x - x).abs().max((c.y + arm.y - y).abs());
            if step == steps || moved < FOUND {
                let forward = e.cross(&n) / cosine;
                let left = n.cross(&forward);
                return Some(Contact {
                    arm,
                    axes: [forward, left, n],
                    deflection: wheel.radius * cosine - height,
                    rate: -n.dot(&wheel.velocity) - wheel.radius * sine / cosine * wheel.spin.cross(e).dot(&n),
                    loaded_radius,
                    camber: crate::math::elementary::atan2(sine, cosine),
                    friction: surface.friction,
                });
            }
            (x, y) = (c.x + arm.x, c.y + arm.y);
        }
        None
    }
}
