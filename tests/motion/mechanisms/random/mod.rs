//! Random mechanisms from a seed, as model files.

pub mod classes;
pub mod draft;
pub mod outputs;

use crate::mechanisms::maximal::{self, BodyState, Solution};
use crate::models;
use ballesta::math::{Mat3, Vec3};
use ballesta::model;
use draft::Draft;

/// A mechanism.
pub struct Mechanism {
    pub class: &'static str,
    pub seed: u64,
    /// The model file.
    pub text: String,
    /// In the design position, at rest.
    pub degrees_of_freedom: usize,
}

/// What a class asks for.
struct Class {
    name: &'static str,
    build: fn(&mut Draft),
    /// Closures that are added, each of them of full rank.
    closures: usize,
    /// Bodies that lose their mass, and are loaded.
    massless: usize,
    /// Whether equations are redundant in the design position.
    redundant: Option<bool>,
}

const fn class(name: &'static str, build: fn(&mut Draft)) -> Class {
    Class { name, build, closures: 0, massless: 0, redundant: None }
}

const fn redundant(name: &'static str, build: fn(&mut Draft)) -> Class {
    Class { redundant: Some(true), ..class(name, build) }
}

const CLASSES: [Class; 29] = [
    class("trees", classes::open_tree),
    Class { massless: 2, ..class("trees, massless bodies", classes::open_tree) },
    Class { closures: 1, ..class("1 loop", classes::tree_to_close) },
    Class { closures: 2, ..class("2 loops", classes::tree_to_close) },
    Class { closures: 3, ..class("3 loops", classes::tree_to_close) },
    Class { closures: 1, massless: 1, ..class("1 loop, massless bodies", classes::tree_to_close) },
    Class { closures: 2, massless: 2, ..class("2 loops, massless bodies", classes::tree_to_close) },
    Class { closures: 3, massless: 2, ..class("3 loops, massless bodies", classes::tree_to_close) },
    redundant("shafts in 2 and 3 bearings", classes::shaft),
    Class { closures: 1, ..redundant("shafts, 1 loop more", classes::shaft) },
    Class { massless: 1, ..redundant("shafts, massless bodies", classes::shaft) },
    redundant("planar on skew planes", classes::planar),
    Class { massless: 2, ..redundant("planar, massless bodies", classes::planar) },
    redundant("spherical linkages", classes::spherical),
    redundant("bodies that do not turn", classes::translational),
    redundant("Bennett loops", classes::bennett),
    redundant("Bricard loops", classes::bricard),
    Class { massless: 2, ..redundant("Bricard loops, massless links", classes::bricard) },
    redundant("Sarrus linkages", classes::sarrus),
    redundant("parallel cranks", classes::parallelogram),
    class("wishbones", classes::wishbone),
    Class { massless: 2, ..class("wishbones, massless arms", classes::wishbone) },
    class("gears", classes::gears),
    Class { massless: 1, ..class("gears, massless bodies", classes::gears) },
    Class { closures: 1, ..class("gears in loops", classes::geared_loop) },
    class("differentials", classes::differential),
    Class { closures: 1, ..class("differentials in loops", classes::differential) },
    class("guided trees", classes::guided),
    Class { closures: 1, ..class("guided loops", classes::guided) },
];

/// Names of the classes, in order.
pub fn class_names() -> Vec<&'static str> {
    CLASSES.iter().map(|class| class.name).collect()
}

/// The design position at rest.
pub fn design(model: &model::schema::Model) -> Solution {
    let state = |body: &model::schema::Body| BodyState {
        position: maximal::geometry::place(model, body.com.as_ref().expect("a centre")),
        rotation: Mat3::identity(),
        velocity: Vec3::zeros(),
        spin: Vec3::zeros(),
    };
    let states: Vec<_> = model.bodies.iter().map(state).collect();
    maximal::solve(model, &states, 0.0)
}

/// A model file as it is, with outputs unless it has some.
pub fn of_file(text: String, class: &'static str) -> Mechanism {
    let document = models::parse(&text, "model.toml");
    let degrees_of_freedom = design(&document.model).dof;
    let text = if document.model.outputs.is_empty() { text + &outputs::tables(&document.model) } else { text };
    Mechanism { class, seed: 0, text, degrees_of_freedom }
}

fn solve(draft: &Draft) -> Solution {
    let text = draft.text("random", "");
    let document = models::parse(&text, "model.toml");
    design(&document.model)
}

/// Clear of singular positions, so that ranks are beyond doubt, and every motion with an inertia.
fn sound(solution: &Solution) -> bool {
    let [least, most] = solution.inertia;
    (1..=15).contains(&solution.dof)
        && solution.sigma > 0.02
        && solution.zero < 1e-12
        && least > 1e-5 * most
        && least > 1e-3
}

/// The mechanism of a seed: the first attempt that is sound.
pub fn generate(seed: u64) -> Mechanism {
    let class = &CLASSES[seed as usize % CLASSES.len()];
    for attempt in 0..500 {
        if let Some(draft) = attempt_of(class, seed.wrapping_mul(1000) + attempt) {
            let solution = solve(&draft);
            let text = outputs::complete(&draft, &format!("random_{seed}"), class.name);
            return Mechanism { class: class.name, seed, text, degrees_of_freedom: solution.dof };
        }
    }
    panic!("seed {seed}: no sound mechanism of the class {}", class.name);
}

fn attempt_of(class: &Class, seed: u64) -> Option<Draft> {
    let mut draft = Draft::new(seed);
    (class.build)(&mut draft);
    let mut solution = solve(&draft);
    for _ in 0..class.closures {
        let found = (0..20).find_map(|_| {
            let mut closed = draft.clone();
            classes::close(&mut closed);
            draft.continue_from(&closed);
            let after = solve(&closed);
            (after.redundant == solution.redundant && sound(&after)).then_some((closed, after))
        });
        (draft, solution) = found?;
    }
    for _ in 0..class.massless {
        let body = draft.below(draft.bodies.len());
        let mut light = draft.clone();
        light.bodies[body].mass = 0.0;
        let after = solve(&light);
        if sound(&after) {
            light.load_body(body);
            (draft, solution) = (light, after);
        }
    }
    let massless = draft.bodies.iter().filter(|body| body.mass == 0.0).count();
    if class.massless > 0 && massless == 0 || class.redundant.is_some_and(|wanted| wanted != (solution.redundant > 0)) {
        return None;
    }
    draft.add_forces();
    sound(&solution).then_some(draft)
}
