//! How many steps an impact of a `[[contact]]` lasts, before there is one.
//!
//! A sphere that touches carries the effective mass m of its point along the normal, against the body with the surface:
//! 1/m is the acceleration of the distance by a unit force, with all joints and loops of the initial position, found by
//! two evaluations with a force of either sign. At the impact speed V it is pressed in by
//!
//! ```text
//!     δ = ((n + 1) m V²/(2 k))^(1/(n + 1)),
//! ```
//!
//! and the impact lasts about π δ/V: exactly π √(m/k) for n = 1 without loss, 7 % less for n = 1.5. Steps of more than
//! a tenth of it do not follow it ([`crate::force::contact`]).
//!
//! Limits: mass, and normal of curved surfaces, are those of the initial position. Proved by: the tests below. Offline:
//! allocates.

use crate::dynamics::{evaluate_closed, load_stage};
use crate::force::{Coefficient, Contact, Element, Force, Marker};
use crate::math::elementary::pow;
use crate::model::schema::Axes;
use crate::system::{State, System, Workspace};
use std::f64::consts::PI;

/// Steps that an impact should last.
const STEPS: f64 = 10.0;
/// Spheres of a contact that are looked at, evenly, at most: each takes four evaluations.
const SPHERES: usize = 64;

/// Of every contact the sphere with the shortest impact, where that does not last [`STEPS`] steps.
pub(crate) fn short(system: &System, state: &State, ws: &mut Workspace) -> Vec<String> {
    let contacts = system.elements.iter().filter_map(|element| match element {
        Element::Contact(contact) => warning(system, state, ws, contact),
        _ => None,
    });
    contacts.collect()
}

fn warning(system: &System, state: &State, ws: &mut Workspace, contact: &Contact) -> Option<String> {
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let (k, n) = (surroundings.value(&contact.stiffness), surroundings.value(&contact.exponent));
    let mut pushed = system.clone();
    let spheres = (0..contact.points.len()).step_by(contact.points.len().div_ceil(SPHERES).max(1));
    let masses = spheres.filter_map(|sphere| effective_mass(&mut pushed, state, ws, contact, sphere));
    let mass = masses.min_by(f64::total_cmp)?;
    let depth = pow(0.5 * (n + 1.0) * mass * contact.speed * contact.speed / k, 1.0 / (n + 1.0));
    let (lasts, h) = (PI * depth / contact.speed, system.step);
    (k > 0.0 && lasts < STEPS * h).then(|| {
        format!(
            "contact `{}`: an impact at {} m/s lasts {lasts:.2e} s, {:.1} steps of {h} s, for it stops {mass:.3} kg: \
             use a step of at most {:.1e} s, or a lower stiffness",
            contact.name,
            contact.speed,
            lasts / h,
            lasts / STEPS,
        )
    })
}

/// m, kg, of one sphere; nothing where the distance does not follow a force. Leaves `system` as it was.
fn effective_mass(
    system: &mut System,
    state: &State,
    ws: &mut Workspace,
    contact: &Contact,
    sphere: usize,
) -> Option<f64> {
    load_stage(system, state, ws, state.time);
    evaluate_closed(system, state, ws, state.time).ok()?;
    let s = ws.surroundings(state);
    let (normal, at, _) = contact.approach(&s, sphere);
    let bodies = [contact.on, contact.points[sphere].body];
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
    // The distance changes as fast as it does with these accelerations for velocities, beyond what it does without.
    let mut rate = |sign: f64| -> Option<f64> {
        let mut moved = state.clone();
        moved.v.iter_mut().zip(ahead.iter().zip(&behind)).for_each(|(v, (a, b))| *v += sign * 0.5 * (a - b));
        load_stage(system, &moved, ws, state.time);
        evaluate_closed(system, &moved, ws, state.time).ok()?;
        Some(contact.approach(&ws.surroundings(&moved), sphere).2)
    };
    let inverse = 0.5 * (rate(1.0)? - rate(-1.0)?);
    (inverse > 0.0).then(|| 1.0 / inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model;

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
        System::compile(&document, &[]).expect("it compiles").report().warnings.clone()
    }

    const SLIDE: &str = "type = \"prismatic\"\naxis = [0, 0, 1]";
    const ARM: &str = "type = \"revolute\"\npoint = [0, 0, 1]\naxis = [0, 1, 0]";

    /// Warned of with steps that are a little longer than a tenth of `lasts`, and not with shorter ones.
    fn assert_lasts(joint: &str, point: f64, exponent: f64, lasts: f64, mass: &str) {
        let told = warnings(joint, point, exponent, 0.1001 * lasts);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("contact `floor`: an impact at 3 m/s lasts"), "{told:?}");
        assert!(told[0].contains(&format!("it stops {mass} kg")), "{told:?}");
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

    #[test]
    fn impacts_of_the_models_with_contacts_last_ten_steps() {
        for file in ["contacts/tumbling_box.toml", "van/rollover.toml"] {
            let file = format!("{}/models/{file}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&file).expect("readable model");
            let document = model::parse(&text, &file).unwrap_or_else(|errors| panic!("{errors:?}"));
            let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
            let mut system = System::compile(&document, &values).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(system.report().warnings, Vec::<String>::new(), "{file}");
            // Steps of 50 ms are too long for all of its contacts.
            system.step = 5e-2;
            let contacts = document.model.contacts.len();
            assert_eq!(short(&system, &system.initial, &mut Workspace::new(&system)).len(), contacts, "{file}");
        }
    }
}
