//! Contact of a wheel with the road: one point in the plane of the wheel.
//!
//! # Frames
//!
//! The axes of the contact follow ISO 8855 (W): z along the normal n of the road, x along the intersection of the
//! wheel's plane and the road, forward, y = z × x to the left. The spin axis e points to the left, so a wheel that
//! rolls forward turns about it in the positive sense. The inclination angle γ is positive about x: sin γ = e · n.
//!
//! # Law
//!
//! The contact point is the point of the road in the plane of the wheel, from the wheel's centre along
//!
//! ```text
//!     r = −(n − e (e · n)) / cos γ,
//! ```
//!
//! which is the radius nearest to the normal. On a plane road this is one step; elsewhere normal and height are taken
//! anew at the point found, at most [`STEPS`] times. Roads bound their curvature so that the iteration contracts (by
//! the loaded radius over the radius of curvature). With the loaded radius R_l the deflection normal to the road is δ =
//! (R₀ − R_l) cos γ, and its rate, on a fixed road,
//!
//! ```text
//!     δ̇ = −n · V_C − R₀ tan γ (ω × e) · n.
//! ```
//!
//! # Limits
//!
//! A single point, except for tyres that envelop obstacles ([`super::enveloping`]): wide tyres do not roll on their
//! edges. A tyre touches only with its tread: from cos γ = [`LEANS`] to [`FLAT`] (60° to 78°) the tread leaves the
//! road, and a share w of the contact that falls smoothly to 0 is left; a wheel that lies flat does not touch. The
//! turning of the normal along the road is left out of δ̇, where it counts only together with camber and toe: in the
//! energy of a van on speed bumps 1.6e-7 of the exchanged energy.
//!
//! # Derivatives
//!
//! An iteration that ends at its start, for example on a crest, does not contain all dependencies of its result. So
//! derivatives follow from the equation of the point found, p = g(p): (I − ∂g/∂p) dp = dg. If [`STEPS`] steps do not
//! converge, the steps are differentiated.
//!
//! # Tests
//!
//! Below: closed forms on slopes, on a cylinder, under camber; rates against differences.

use crate::force::road::{Road, Surface};
use crate::math::elementary::atan;
use crate::math::scalar::{Dual, Scalar, lift, norm};
use crate::math::{Vec3, at_least};

/// Largest number of evaluations of a curved road for one contact.
pub(crate) const STEPS: usize = 8;
/// Change of the contact point, m, at which the iteration ends.
const FOUND: f64 = 1e-11;
/// Cosine of the inclination angle below which a wheel does not touch.
pub(crate) const FLAT: f64 = 0.2;
/// Cosine below which the tread begins to leave the road: no tyre is used at 60°, motorcycles included.
pub const LEANS: f64 = 0.5;

/// A wheel at one instant; positions in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<S = f64> {
    /// Centre, m.
    pub centre: Vec3<S>,
    /// Spin axis e, to the left, unit length.
    pub axis: Vec3<S>,
    /// Velocity of the centre, m/s.
    pub velocity: Vec3<S>,
    /// Angular velocity of the wheel, rad/s.
    pub spin: Vec3<S>,
    /// Free radius R₀, m.
    pub radius: S,
}

/// The contact.
#[derive(Clone, Copy, Debug)]
pub struct WheelContact<S = f64> {
    /// From the wheel's centre to the contact point, m, world axes.
    pub arm: Vec3<S>,
    /// Axes x, y, z of the contact in world axes.
    pub axes: [Vec3<S>; 3],
    /// δ, m; not positive in the air.
    pub deflection: S,
    /// δ̇, m/s.
    pub rate: S,
    /// R_l, m.
    pub loaded_radius: S,
    /// γ, rad.
    pub camber: S,
    /// Friction of the road, 1 if it equals the friction of the tyre's measurement.
    pub friction: S,
    /// Share w of the contact on the tread, and ∂w/∂(cos γ): 1 and 0 except at large inclination.
    pub tread: [S; 2],
}

/// The contact with the road's tangent plane at one place.
pub(crate) struct Step<S> {
    /// n.
    pub normal: Vec3<S>,
    /// Sine and cosine of γ, and 1 over that.
    pub sine: S,
    cosine: S,
    pub per_cosine: S,
    /// Of the centre over the plane, m.
    height: S,
    loaded_radius: S,
    arm: Vec3<S>,
    friction: S,
}

impl<S: Scalar> Step<S> {
    /// From the plane at the `place` x, y; none for a wheel that lies flat.
    #[inline(always)]
    fn new(road: &Road, rise: S, [c, e]: [&Vec3<S>; 2], [x, y]: [S; 2]) -> Option<Step<S>> {
        Step::on(&road.surface(x, y), rise, [c, e], [x, y])
    }

    /// From the plane `surface` at the place x, y.
    #[inline(always)]
    pub(super) fn on(surface: &Surface<S>, rise: S, [c, e]: [&Vec3<S>; 2], [x, y]: [S; 2]) -> Option<Step<S>> {
        let n = Vec3::new(-surface.slope_x, -surface.slope_y, S::one());
        let n = n * (S::one() / norm(&n));
        let sine = e.dot(&n);
        let cosine = at_least(S::one() - sine * sine, 0.0).sqrt();
        if !(cosine > FLAT) {
            return None;
        }
        let per_cosine = S::one() / cosine;
        let height = (c - Vec3::new(x, y, surface.height + rise)).dot(&n);
        let loaded_radius = height * per_cosine;
        let arm = (e * sine - n) * (loaded_radius * per_cosine);
        Some(Step { normal: n, sine, cosine, per_cosine, height, loaded_radius, arm, friction: surface.friction })
    }

    /// x and y of the contact point.
    #[inline(always)]
    fn place(&self, centre: &Vec3<S>) -> [S; 2] {
        [centre.x + self.arm.x, centre.y + self.arm.y]
    }

    #[inline(always)]
    pub(super) fn contact(&self, wheel: &Wheel<S>) -> WheelContact<S> {
        let (n, e) = (&self.normal, &wheel.axis);
        let forward = e.cross(n) * self.per_cosine;
        let (left, tangent) = (n.cross(&forward), self.sine * self.per_cosine);
        WheelContact {
            arm: self.arm,
            axes: [forward, left, *n],
            deflection: wheel.radius * self.cosine - self.height,
            rate: -n.dot(&wheel.velocity) - wheel.radius * tangent * wheel.spin.cross(e).dot(n),
            loaded_radius: self.loaded_radius,
            camber: atan(tangent),
            friction: self.friction,
            tread: tread(self.cosine),
        }
    }
}

impl<S: Scalar> WheelContact<S> {
    /// The contact of a wheel on a road that is raised by `rise` m; none for a wheel that lies flat.
    pub fn new(road: &Road, rise: S, wheel: &Wheel<S>) -> Option<WheelContact<S>> {
        let c = &wheel.centre;
        let mut p = [c.x, c.y];
        let steps = if road.is_plane() { 1 } else { STEPS };
        for count in 1..=steps {
            let step = Step::new(road, rise, [c, &wheel.axis], p)?;
            let next = step.place(c);
            let converged = (next[0] - p[0]).value().abs().max((next[1] - p[1]).value().abs()) < FOUND;
            if converged || count == steps {
                // Numbers with derivatives are larger than those without.
                let derived = if converged && steps > 1 && size_of::<S>() > size_of::<f64>() {
                    place_with_derivatives(road, rise, wheel, p)
                        .and_then(|place| Step::new(road, rise, [c, &wheel.axis], place))
                } else {
                    None
                };
                return Some(derived.unwrap_or(step).contact(wheel));
            }
            p = next;
        }
        None
    }
}

/// The point `p` with the derivatives of the solution of p = g(p), g([`Step::place`]); `None` if the road curves as
/// strongly as the wheel.
fn place_with_derivatives<S: Scalar>(road: &Road, rise: S, wheel: &Wheel<S>, p: [S; 2]) -> Option<[S; 2]> {
    let [x, y] = p.map(S::value);
    // With respect to the wheel and the road height, at a fixed position.
    let by_wheel = Step::new(road, rise, [&wheel.centre, &wheel.axis], [x, y].map(S::from_f64))?.place(&wheel.centre);
    // With respect to the position.
    let [centre, axis] = [&wheel.centre, &wheel.axis].map(|of| lift::<Dual<2>>(&of.map(S::value)));
    let place = [Dual::new(x, [1.0, 0.0]), Dual::new(y, [0.0, 1.0])];
    let by_place = Step::new(road, Dual::from_f64(rise.value()), [&centre, &axis], place)?.place(&centre);
    let [[xx, xy], [yx, yy]] = by_place.map(|next| next.slopes);
    let determinant = (1.0 - xx) * (1.0 - yy) - xy * yx;
    let [of_x, of_y] = by_wheel;
    (determinant > 0.0).then(|| {
        [
            of_x.chain_two(of_y, x, || [(1.0 - yy) / determinant, xy / determinant]),
            of_x.chain_two(of_y, y, || [yx / determinant, (1.0 - xx) / determinant]),
        ]
    })
}

/// w and its derivative.
pub fn tread<S: Scalar>(cosine: S) -> [S; 2] {
    if cosine >= LEANS {
        return [S::one(), S::zero()];
    }
    let x = (cosine - FLAT) / (LEANS - FLAT);
    [x * x * (S::from_f64(3.0) - x * 2.0), x * 6.0 * (S::one() - x) / (LEANS - FLAT)]
}
