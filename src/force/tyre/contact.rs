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
pub(crate) const LEANS: f64 = 0.5;

/// A wheel at one instant; positions in world coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel<S = f64> {
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
pub(crate) struct Contact<S = f64> {
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
pub(super) struct Step<S> {
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
    pub(super) fn contact(&self, wheel: &Wheel<S>) -> Contact<S> {
        let (n, e) = (&self.normal, &wheel.axis);
        let forward = e.cross(n) * self.per_cosine;
        let (left, tangent) = (n.cross(&forward), self.sine * self.per_cosine);
        Contact {
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

impl<S: Scalar> Contact<S> {
    /// The contact of a wheel on a road that is raised by `rise` m; none for a wheel that lies flat.
    pub(crate) fn new(road: &Road, rise: S, wheel: &Wheel<S>) -> Option<Contact<S>> {
        let c = &wheel.centre;
        let mut at = [c.x, c.y];
        let steps = if road.is_plane() { 1 } else { STEPS };
        for count in 1..=steps {
            let step = Step::new(road, rise, [c, &wheel.axis], at)?;
            let next = step.place(c);
            let found = (next[0] - at[0]).value().abs().max((next[1] - at[1]).value().abs()) < FOUND;
            if found || count == steps {
                // Numbers with derivatives are larger than those without.
                let derived = if found && steps > 1 && size_of::<S>() > size_of::<f64>() {
                    place_with_derivatives(road, rise, wheel, at)
                        .and_then(|place| Step::new(road, rise, [c, &wheel.axis], place))
                } else {
                    None
                };
                return Some(derived.unwrap_or(step).contact(wheel));
            }
            at = next;
        }
        None
    }
}

/// The point `found` with the derivatives of the solution of p = g(p), g([`Step::place`]); `None` if the road curves as
/// strongly as the wheel.
fn place_with_derivatives<S: Scalar>(road: &Road, rise: S, wheel: &Wheel<S>, found: [S; 2]) -> Option<[S; 2]> {
    let [x, y] = found.map(S::value);
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
fn tread<S: Scalar>(cosine: S) -> [S; 2] {
    if cosine >= LEANS {
        return [S::one(), S::zero()];
    }
    let x = (cosine - FLAT) / (LEANS - FLAT);
    [x * x * (S::from_f64(3.0) - x * 2.0), x * 6.0 * (S::one() - x) / (LEANS - FLAT)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check::{close, close_vector};
    use crate::math::check::derivative;
    use crate::math::rotation;

    const RADIUS: f64 = 0.376;

    fn road(text: &str) -> Road {
        let text = format!("[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n{text}");
        let document = crate::model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        crate::compile::elements::road(&document.model.roads[0], [None, None], &|number| {
            document.model.resolve(number, &[])
        })
    }

    fn wheel(centre: Vec3, axis: Vec3) -> Wheel {
        Wheel { centre, axis, velocity: Vec3::zeros(), spin: Vec3::zeros(), radius: RADIUS }
    }

    #[test]
    fn on_a_slope_the_contact_is_the_foot_of_the_perpendicular() {
        let (slope, centre) = (0.1f64, Vec3::new(2.0, -1.0, 0.55));
        let contact = Contact::new(&road("slope = 0.1"), 0.0, &wheel(centre, Vec3::y())).expect("a contact");
        let normal = Vec3::new(-slope, 0.0, 1.0) / slope.hypot(1.0);
        let distance = (centre.z - slope * centre.x) / slope.hypot(1.0);
        close_vector(&contact.arm, &(-normal * distance), 1e-12);
        close_vector(&contact.axes[2], &normal, 1e-12);
        close_vector(&contact.axes[1], &Vec3::y(), 1e-12);
        close(contact.deflection, RADIUS - distance, 1e-12);
        close(contact.loaded_radius, distance, 1e-12);
        close(contact.camber, 0.0, 1e-12);
    }

    #[test]
    fn a_cambered_wheel_touches_where_its_plane_meets_the_road() {
        let (camber, height) = (0.2f64, 0.34);
        let axis = rotation::about(&Vec3::x(), camber) * Vec3::y();
        let contact =
            Contact::new(&Road::flat(), 0.01, &wheel(Vec3::new(3.0, 0.0, height + 0.01), axis)).expect("a contact");
        close_vector(&contact.arm, &Vec3::new(0.0, height * camber.tan(), -height), 1e-12);
        close(contact.loaded_radius, height / camber.cos(), 1e-12);
        close(contact.deflection, RADIUS * camber.cos() - height, 1e-12);
        close(contact.camber, camber, 1e-12);
    }

    #[test]
    fn on_a_round_bump_the_contact_lies_towards_the_centre_of_its_arc() {
        let (length, rise, start) = (3.7f64, 0.1, 10.0);
        let bump = road("[[road.bump]]\nkind = \"round\"\nstart = 10\nlength = 3.7\nheight = 0.1");
        let arc = (0.25 * length * length + rise * rise) / (2.0 * rise);
        let middle = Vec3::new(start + 0.5 * length, 0.0, rise - arc);
        for offset in [-1.2, -0.4, 0.0, 0.9] {
            let centre = middle + Vec3::new(offset, 0.0, arc + 0.33);
            let contact = Contact::new(&bump, 0.0, &wheel(centre, Vec3::y())).expect("a contact");
            let distance = (centre - middle).norm();
            close_vector(&contact.axes[2], &((centre - middle) / distance), 1e-9);
            close(contact.deflection, RADIUS - (distance - arc), 1e-9);
        }
    }

    #[test]
    fn rate_is_the_change_of_the_deflection_on_a_plane() {
        let road = road("slope = 0.1\nbank = -0.05");
        let (velocity, spin) = (Vec3::new(8.0, -0.7, 0.4), Vec3::new(0.3, 25.0, -0.5));
        let at = |dt: f64| {
            let turn = rotation::about(&spin.normalize(), spin.norm() * dt) * rotation::about(&Vec3::x(), 0.15);
            let mut wheel = wheel(Vec3::new(1.0, 2.0, 0.35) + velocity * dt, turn * Vec3::y());
            (wheel.velocity, wheel.spin) = (velocity, spin);
            Contact::new(&road, 0.0, &wheel).expect("a contact")
        };
        close(at(0.0).rate, derivative(|dt| vec![at(dt).deflection])[0], 1e-7);
    }

    #[test]
    fn derivatives_follow_the_contact_on_a_crest_too_where_the_iteration_ends_at_once() {
        let bump = road("[[road.bump]]\nkind = \"sinusoidal\"\nstart = 10\nlength = 3.7\nheight = 0.1");
        let axis = rotation::about(&Vec3::z(), 0.3) * Vec3::y();
        fn of<S: Scalar>(contact: &Contact<S>) -> Vec<S> {
            [&contact.arm, &contact.axes[2]].into_iter().flatten().copied().chain([contact.deflection]).collect()
        }
        for offset in [0.0, 0.4, -1.1] {
            let middle = Vec3::new(11.85 + offset, 0.0, 0.43 - 0.02 * offset * offset);
            let plain = |d: f64| of(&Contact::new(&bump, d, &wheel(middle + Vec3::x() * d, axis)).expect("a contact"));
            let moving = Wheel {
                centre: Vec3::new(Dual::new(middle.x, [1.0]), Dual::from_f64(middle.y), Dual::from_f64(middle.z)),
                axis: lift(&axis),
                velocity: Vec3::zeros(),
                spin: Vec3::zeros(),
                radius: Dual::from_f64(RADIUS),
            };
            let found = of(&Contact::new(&bump, Dual::new(0.0, [1.0]), &moving).expect("a contact"));
            for ((dual, value), change) in found.iter().zip(plain(0.0)).zip(derivative(plain)) {
                assert_eq!(dual.value.to_bits(), value.to_bits());
                close(dual.slopes[0], change, 1e-7);
            }
        }
    }

    #[test]
    fn the_tread_leaves_the_road_smoothly() {
        assert_eq!(tread(LEANS), [1.0, 0.0]);
        // Not nearer to the ends than the differences reach.
        for cosine in [0.495, 0.45, 0.3, 0.205] {
            close(tread(cosine)[1], derivative(|d| vec![tread(cosine + d)[0]])[0], 1e-6);
        }
        assert!(tread(0.2 + 1e-9)[0] < 1e-15);
    }

    #[test]
    fn a_wheel_that_lies_flat_does_not_touch() {
        let axis = rotation::about(&Vec3::x(), 1.5) * Vec3::y();
        assert!(Contact::new(&Road::flat(), 0.0, &wheel(Vec3::new(0.0, 0.0, 0.1), axis)).is_none());
    }
}
