//! The generalized-alpha method: order, what it does to frequencies above the step's resolution, what it conserves.

use crate::support::{Run, add_body_output, add_system_output, load, number, parse, times, vector};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Integrator, Model, Number, Quantity};

/// The gallery model `name` with the generalized-alpha method.
fn implicit(name: &str, radius: f64, step: f64) -> Model {
    let mut model = load(name);
    model.general.integrator = Integrator::GeneralizedAlpha;
    model.general.spectral_radius = Some(radius);
    model.general.step = step;
    model
}

/// Vector output `point` at `times`.
fn path(model: &Model, point: &str, times: &[f64]) -> Vec<Vec3> {
    let mut run = Run::new(model);
    let at = |&time: &f64| {
        run.advance(time);
        run.vector(point)
    };
    times.iter().map(at).collect()
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
}

/// Order from three runs with steps 4h, 2h, h.
fn order(name: &str, point: &str, radius: f64, step: f64, times: &[f64]) -> f64 {
    let [coarse, middle, fine] = [4.0, 2.0, 1.0].map(|n| path(&implicit(name, radius, n * step), point, times));
    let (first, second) = (apart(&coarse, &middle), apart(&middle, &fine));
    let order = (first / second).log2();
    println!(
        "order of generalized_alpha ({radius}) on {name}, {step:e} s × 4, 2, 1: {order:.3} ({first:.2e}, {second:.2e} m)"
    );
    order
}

#[test]
fn generalized_alpha_has_order_two_on_open_and_closed_chains_with_springs() {
    for (name, point, step, end) in [
        ("spatial_double_pendulum", "tip", 0.125e-3, 0.5),
        ("four_bar_3d", "C", 0.125e-3, 0.5),
        ("watt_six_bar", "E", 0.25e-3, 1.0),
        ("guided_five_bar", "C", 0.25e-3, 1.0),
        ("bushing_mount", "engine", 0.125e-3, 0.5),
        ("planar_puck", "puck", 0.25e-3, 1.0),
    ] {
        for radius in [0.0, 0.8, 1.0] {
            let order = order(name, point, radius, step, &times(0.0, end, end / 20.0));
            assert!((order - 2.0).abs() <= 0.1, "{name}, {radius}: {order}");
        }
    }
}

#[test]
fn order_two_is_kept_when_communication_points_clip_steps() {
    // Points at 1.3 and 10.1 of the coarsest steps: every interval ends with a step of another length.
    for part in [1.3, 10.1] {
        let interval = part * 0.5e-3;
        let times: Vec<f64> = (1..=(0.4 / interval) as usize).map(|i| i as f64 * interval).collect();
        for radius in [0.0, 0.8, 1.0] {
            let order = order("four_bar_3d", "C", radius, 0.125e-3, &times);
            assert!((order - 2.0).abs() <= 0.25, "{part}, {radius}: {order}");
        }
    }
}
