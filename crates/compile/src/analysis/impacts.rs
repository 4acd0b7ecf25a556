//! Estimate of the number of steps that an impact of a `[[contact]]` or `[[solid_contact]]` lasts, before the run.
//!
//! A sphere at first contact has the effective mass m of its point along the normal, relative to the body with the
//! surface. 1/m is the acceleration of the distance per unit force, with all joints and loops of the initial position.
//! It is computed by two evaluations with forces of opposite sign. At the impact speed V the penetration is
//!
//! ```text
//!     δ = ((n + 1) m V²/(2 k))^(1/(n + 1)),
//! ```
//!
//! and the impact lasts about π δ/V. For n = 1 without loss this is exact and equals π √(m/k). The duration is 7 % less
//! than π δ/V for n = 1.5, and 11 % less for n = 2. A step longer than a tenth of this duration does not resolve the
//! impact ([`ballesta_solver::force::contact`]). For solids the limit is a third, or a seventh for schemes below the
//! fourth order.
//!
//! For two solids the estimate uses the line between their middles. If both have faces, n = 1 and k = κ A, with A the
//! smaller of their largest faces. If one is round, n = 2 and k = π κ R. For the barrel of a cylinder on a face or on
//! another barrel n = 1.5 and k = 5/3 κ √(2 R) L. Solids with an edge or a corner along that line are left out.
//!
//! Limits: the mass, and the normal of curved surfaces, are evaluated at the initial position. Edges and corners are
//! softer than faces, and meet less mass than the middle. Verified by: the tests below. Offline: allocates.

use ballesta_solver::dynamics::{evaluate_closed, load_stage};
use ballesta_solver::force::Axes;
use ballesta_solver::force::{BodyIx, Coefficient, Element, Force, Marker, Surroundings};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::elementary::pow;
use ballesta_solver::system::Integrator;
use ballesta_solver::system::{State, System, Workspace};
use std::f64::consts::PI;

/// Smallest acceptable number of steps in the impact of a point.
const STEPS: f64 = 10.0;
/// For solids: the number for the fourth order, and for other orders. A box that hits at 2 m/s then rebounds with an
/// error of the restitution of 0.003 to 0.026, for restitutions of 0.3 and 0.8.
const STEPS_OF_SOLIDS: [f64; 2] = [3.0, 7.0];
/// Largest number of spheres of a contact, or pairs of all contacts of solids together, that are checked, evenly
/// spaced, but at least [`MIN_PLACES`] of each. Each needs five evaluations.
const MAX_PLACES: usize = 64;
const MIN_PLACES: usize = 4;

/// For every contact the sphere or pair with the shortest impact, if that has fewer steps than required.
pub fn short(system: &System, state: &State, ws: &mut Workspace) -> Vec<String> {
    // Integrators differ in the number of steps that an impact needs for an accurate rebound.
    let h = system.step;
    let of_solids = STEPS_OF_SOLIDS[usize::from(system.integrator != Integrator::Rk4)];
    // The search cost is bounded: many contacts share one budget of pairs.
    let of_kind = |element: &&Element| matches!(element, Element::SolidContact(_));
    let pairs = (MAX_PLACES / system.elements.iter().filter(of_kind).count().max(1)).max(MIN_PLACES);
    let contacts = system.elements.iter().filter_map(|element| {
        load_stage(system, state, ws, state.time);
        let s = ws.surroundings(state);
        let (name, speed, shortest, what, steps) = match element {
            // A contact of spheres with a surface has one force law for all spheres.
            Element::Contact(contact) => {
                let law = (s.value(&contact.stiffness), s.value(&contact.exponent));
                let see = |s: &Surroundings, sphere: usize| {
                    let (normal, at, rate) = contact.approach(s, sphere);
                    Approach { bodies: [contact.on, contact.points[sphere].body], normal, at, rate }
                };
                let laws = vec![law; contact.points.len()];
                let shortest = shortest(system, state, ws, (contact.speed, &laws), MAX_PLACES, see)?;
                (&contact.name, contact.speed, shortest, String::new(), STEPS)
            }
            // A contact of solids has the stiffest law of each pair of shapes.
            Element::SolidContact(contact) => {
                let laws: Vec<(f64, f64)> = (0..contact.pairs()).map(|pair| contact.stiffest(&s, pair)).collect();
                let see = |s: &Surroundings, pair: usize| {
                    let (bodies, normal, at, rate) = contact.approach(s, pair);
                    Approach { bodies, normal, at, rate }
                };
                let shortest = shortest(system, state, ws, (contact.speed, &laws), pairs, see)?;
                let [one, two] = contact.names(shortest.place);
                let faces = if laws[shortest.place].1 == 1.0 { "faces of " } else { "" };
                let what = format!(" of {faces}`{one}` and `{two}`");
                (&contact.name, contact.speed, shortest, what, of_solids)
            }
            _ => return None,
        };
        // The duration of the impact must contain enough steps.
        let Impact { lasts, mass, .. } = shortest;
        (lasts < steps * h).then(|| {
            format!(
                "contact `{name}`: an impact{what} at {speed} m/s (effective mass {mass:.3} kg) lasts {lasts:.2e} s, \
                 only {:.1} steps of {h} s; use a step of at most {:.1e} s or a lower stiffness",
                lasts / h,
                lasts / steps,
            )
        })
    });
    contacts.collect()
}

/// An impact: its location, duration, s, and effective mass, kg.
struct Impact {
    place: usize,
    lasts: f64,
    mass: f64,
}

/// Approach of two bodies: direction n, points from the o of each body, and separation speed, m/s; world axes.
struct Approach {
    bodies: [BodyIx; 2],
    normal: Vec3,
    at: [Vec3; 2],
    rate: f64,
}

/// The shortest impact of at most that many `places`, at a speed, with k and n of every place. `see` gives the approach
/// at one of them.
fn shortest(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (speed, laws): (f64, &[(f64, f64)]),
    places: usize,
    see: impl Fn(&Surroundings, usize) -> Approach,
) -> Option<Impact> {
    let mut pushed = system.clone();
    let places = laws.iter().enumerate().step_by(laws.len().div_ceil(places).max(1)).filter(|(_, law)| law.0 > 0.0);
    let impacts = places.filter_map(|(place, (k, n))| {
        let mass = effective_mass(&mut pushed, state, ws, |s| see(s, place))?;
        let depth = pow(0.5 * (n + 1.0) * mass * speed * speed / k, 1.0 / (n + 1.0));
        Some(Impact { place, lasts: PI * depth / speed, mass })
    });
    impacts.min_by(|a, b| a.lasts.total_cmp(&b.lasts))
}

/// m, kg, of one place; `None` if the distance does not respond to a force. Leaves `system` unchanged.
fn effective_mass(
    system: &mut System,
    state: &State,
    ws: &mut Workspace,
    see: impl Fn(&Surroundings) -> Approach,
) -> Option<f64> {
    load_stage(system, state, ws, state.time);
    evaluate_closed(system, state, ws, state.time).ok()?;
    let s = ws.surroundings(state);
    let Approach { bodies, normal, at, .. } = see(&s);
    let ends = [0, 1].map(|end| {
        let body = s.body(bodies[end]);
        Marker { body: bodies[end], point: body.rotation.tr_mul(&(at[end] - body.position)) }
    });
    let mut accelerations = |size: f64| -> Option<Vec<f64>> {
        let own = system.elements.len();
        for (point, force) in ends.into_iter().zip([-normal * size, normal * size]) {
            let value = [force.x, force.y, force.z].map(Coefficient::Value);
            system.elements.push(Element::Force(Force { name: String::new(), point, value, axes: Axes::World }));
        }
        load_stage(system, state, ws, state.time);
        let found = evaluate_closed(system, state, ws, state.time);
        system.elements.truncate(own);
        found.ok().map(|()| ws.accelerations.zdd.clone())
    };
    let (ahead, behind) = (accelerations(1.0)?, accelerations(-1.0)?);
    // With these accelerations used as velocities, the rate of the distance is its acceleration.
    let mut rate = |sign: f64| -> Option<f64> {
        let mut moved = state.clone();
        moved.v.iter_mut().zip(ahead.iter().zip(&behind)).for_each(|(v, (a, b))| *v += sign * 0.5 * (a - b));
        load_stage(system, &moved, ws, state.time);
        evaluate_closed(system, &moved, ws, state.time).ok()?;
        Some(see(&ws.surroundings(&moved)).rate)
    };
    let inverse = 0.5 * (rate(1.0)? - rate(-1.0)?);
    (inverse > 0.0).then(|| 1.0 / inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use ballesta_model as model;

    /// Warnings of 2 kg above a plane, on a vertical slide, or at the end of an arm of 0.5 m whose point is at 0.25 m.
    fn warnings(joint: &str, point: f64, exponent: f64, step: f64) -> Vec<String> {
        let text = format!(
            "[model]\nname = \"fall\"\nstep = {step:e}\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"ball\"\nmass = 2\n\
             com = [0.5, 0, 1]\n[[joint]]\nname = \"j\"\nbodies = [\"ground\", \"ball\"]\n{joint}\n[[contact]]\n\
             name = \"floor\"\nbodies = [\"ground\", \"ball\"]\npoints = [[{point}, 0, 1]]\nsurface = \"plane\"\n\
             point = [0, 0, 0]\nstiffness = 2e4\nexponent = {exponent}\nrestitution = 0.5\nimpact_speed = 3\n\
             tangential_stiffness = 2e4\ntime = 0.05\n"
        );
        let document = model::parse(&text, "model.toml").unwrap_or_else(|errors| panic!("{errors:?}"));
        compile(&document, &[]).expect("it compiles").report().warnings.clone()
    }

    const SLIDE: &str = "type = \"prismatic\"\naxis = [0, 0, 1]";
    const ARM: &str = "type = \"revolute\"\npoint = [0, 0, 1]\naxis = [0, 1, 0]";

    /// Asserts a warning for steps slightly longer than a tenth of `lasts`, and none for shorter ones.
    fn assert_lasts(joint: &str, point: f64, exponent: f64, lasts: f64, mass: &str) {
        let told = warnings(joint, point, exponent, 0.1001 * lasts);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("contact `floor`: an impact at 3 m/s (effective mass "), "{told:?}");
        assert!(told[0].contains(&format!("effective mass {mass} kg")), "{told:?}");
        assert_eq!(warnings(joint, point, exponent, 0.0999 * lasts), Vec::<String>::new());
    }

    #[test]
    fn an_impact_of_a_free_mass_lasts_half_a_period_of_its_spring() {
        assert_lasts(SLIDE, 0.5, 1.0, PI * (2.0f64 / 2e4).sqrt(), "2.000");
    }

    #[test]
    fn a_point_halfway_on_an_arm_carries_four_times_the_mass_at_its_end() {
        assert_lasts(ARM, 0.25, 1.0, PI * (8.0f64 / 2e4).sqrt(), "8.000");
    }

    #[test]
    fn the_depth_of_a_hertzian_impact_has_the_energy_of_the_speed() {
        let depth = (2.5f64 * 0.5 * 2.0 * 9.0 / 2e4).powf(0.4);
        assert_lasts(SLIDE, 0.5, 1.5, PI * depth / 3.0, "2.000");
    }

    /// A ball or box of 2 kg as above that falls on a plane.
    fn of_solids(solid: &str, joint: &str, place: f64, step: f64) -> Vec<String> {
        let text = format!(
            "[model]\nname = \"fall\"\nstep = {step:e}\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"ball\"\nmass = 2\n\
             com = [0.5, 0, 1]\n[[joint]]\nname = \"j\"\nbodies = [\"ground\", \"ball\"]\n{joint}\n[[solid]]\n\
             name = \"floor\"\nbody = \"ground\"\ntype = \"plane\"\npoint = [0, 0, 0]\n[[solid]]\nname = \"fist\"\n\
             body = \"ball\"\n{solid}\npoint = [{place}, 0, 1]\n[[solid_contact]]\nname = \"blow\"\n\
             solids = [\"floor\", \"fist\"]\nstiffness = 1e6\nrestitution = 0.5\nimpact_speed = 3\n\
             time = 0.5\n"
        );
        let document = model::parse(&text, "model.toml").unwrap_or_else(|errors| panic!("{errors:?}"));
        compile(&document, &[]).expect("it compiles").report().warnings.clone()
    }

    #[test]
    fn an_impact_of_solids_lasts_as_that_of_the_spring_under_its_largest_face_or_its_ball() {
        let faces = "type = \"box\"\nsize = [0.1, 0.2, 0.3]";
        let ball = "type = \"sphere\"\nradius = 0.05";
        let hertz = |mass: f64| PI / 3.0 * (1.5 * mass * 9.0 / (PI * 0.05 * 1e6)).cbrt();
        for (solid, joint, place, lasts, mass) in [
            (faces, SLIDE, 0.5, PI * (2.0f64 / 6e4).sqrt(), "2.000"),
            (ball, SLIDE, 0.5, hertz(2.0), "2.000"),
            (ball, ARM, 0.25, hertz(8.0), "8.000"),
        ] {
            let told = of_solids(solid, joint, place, 0.3337 * lasts);
            assert_eq!(told.len(), 1, "{told:?}");
            let what = if solid == faces { "faces of " } else { "" };
            let start = format!("contact `blow`: an impact of {what}`floor` and `fist` at 3 m/s (effective mass ");
            assert!(told[0].starts_with(&start) && told[0].contains(&format!("effective mass {mass} kg")), "{told:?}");
            assert_eq!(of_solids(solid, joint, place, 0.333 * lasts), Vec::<String>::new());
        }
        let on_edge = format!("{faces}\nx_axis = [1, 0, 1]");
        assert_eq!(of_solids(&on_edge, SLIDE, 0.5, 0.05), Vec::<String>::new());
    }

    #[test]
    fn impacts_of_the_models_with_contacts_last_ten_steps() {
        for file in ["contacts/tumbling_box.toml", "van/rollover.toml"] {
            let file = format!("{}/../../models/{file}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&file).expect("readable model");
            let document = model::parse(&text, &file).unwrap_or_else(|errors| panic!("{errors:?}"));
            let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
            let mut system = compile(&document, &values).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(system.report().warnings, Vec::<String>::new(), "{file}");
            // Steps of 50 ms are too long for all of its contacts.
            system.step = 5e-2;
            let contacts = document.model.contacts.len();
            assert_eq!(short(&system, &system.initial, &mut Workspace::new(&system)).len(), contacts, "{file}");
        }
    }
}
