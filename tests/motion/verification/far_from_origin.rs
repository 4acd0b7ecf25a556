//! A model that stands 100 km from the world origin moves as it does at home.

use crate::check::larger;
use crate::verification::support::{Run, add_body_output, body_names, in_parallel, load, times};
use crate::verification::transform::{rounded, shifted};
use ballesta::math::Vec3;
use ballesta::model::schema::{Model, Quantity};

/// 100 km, in whole metres.
fn far() -> Vec3 {
    Vec3::new(80_000.0, -60_000.0, 0.0)
}

/// Grounded and floating models that cross no singular position. The spatial double pendulum is left out: it is
/// chaotic, so after 10 s it magnifies whatever round-off its hardpoints have.
const MODELS: [&str; 16] = [
    "pendulum",
    "free_pair",
    "four_bar_3d",
    "bricard",
    "slider_crank",
    "guided_five_bar",
    "two_rods_redundant",
    "parallelogram_redundant_rod",
    "planar_puck",
    "table_glider",
    "bushing_mount",
    "five_link_suspension",
    "cam_slot",
    "scotch_yoke",
    "cardan_shaft",
    "swash_plate",
];

/// Largest distance between the motions (relative to their start) of all bodies over `end` seconds, m; rotations count
/// as the components of their quaternions times 1 m.
fn difference(home: &Model, away: &Model, end: f64) -> f64 {
    let with_outputs = |model: &Model| {
        let mut model = model.clone();
        model.outputs.clear();
        for name in body_names(&model) {
            add_body_output(&mut model, "position", &name, Quantity::Position);
            add_body_output(&mut model, "rotation", &name, Quantity::Rotation);
        }
        model
    };
    let bodies = body_names(home);
    let (mut home, mut away) = (Run::new(&with_outputs(home)), Run::new(&with_outputs(away)));
    let position = |run: &Run, name: &str| run.vector(&format!("position.{name}"));
    let start: Vec<(Vec3, Vec3)> = bodies.iter().map(|name| (position(&home, name), position(&away, name))).collect();
    let mut worst = 0.0_f64;
    for time in times(0.0, end, 0.05) {
        home.advance(time);
        away.advance(time);
        for (name, (home_start, away_start)) in bodies.iter().zip(&start) {
            let apart = (position(&home, name) - home_start) - (position(&away, name) - away_start);
            let rotation = format!("rotation.{name}");
            let (a, b) = (home.quaternion(&rotation), away.quaternion(&rotation));
            let turned = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(apart.norm().is_finite() && turned.is_finite());
            worst = larger(larger(worst, apart.norm()), turned);
        }
    }
    worst
}

#[test]
fn motion_100_km_away_is_the_same_to_a_tenth_of_a_micrometre() {
    let results = in_parallel(&MODELS, |name| {
        let model = load(name);
        difference(&model, &shifted(&model, far()), 10.0)
    });
    for (name, worst) in MODELS.iter().zip(&results) {
        println!("{name} 100 km away: motion differs by {worst:.1e} m over 10 s (bar 1e-7)");
    }
    assert!(results.iter().all(|worst| *worst <= 1e-7));
}

/// With coordinates that survive the shift exactly, nothing is left but the round-off of the outputs (one unit in the
/// last place of 80 km is 1.5e-11 m) and of what the solver does with coordinates of that size.
#[test]
fn with_exact_coordinates_only_the_rounding_of_the_coordinate_remains() {
    let results = in_parallel(&MODELS, |name| {
        let model = rounded(&load(name));
        difference(&model, &shifted(&model, far()), 10.0)
    });
    for (name, worst) in MODELS.iter().zip(&results) {
        println!("{name} 100 km away, exact coordinates: motion differs by {worst:.1e} m over 10 s (bar 1e-10)");
    }
    assert!(results.iter().all(|worst| *worst <= 1e-10));
}
