//! Measured order of convergence of the integrators, on an open and on closed chains.

use crate::verification::support::{Run, load, times};
use ballesta::math::Vec3;
use ballesta::model::schema::Integrator;

/// Positions of `point` of gallery model `name` at twenty times up to `end` seconds, with the given internal step.
fn positions(name: &str, point: &str, integrator: Integrator, step: f64, end: f64) -> Vec<Vec3> {
    let mut model = load(name);
    model.general.integrator = integrator;
    model.general.step = step;
    let mut run = Run::new(&model);
    let at = |time| {
        run.advance(time);
        run.vector(point)
    };
    times(0.0, end, end / 20.0).into_iter().map(at).collect()
}

/// Order from three runs with steps 4h, 2h, h: log2 of the ratio of successive differences (root of the mean square
/// over the output times, so that no chance zero of the error at one time is taken for accuracy).
fn measured_order(name: &str, point: &str, integrator: Integrator, step: f64, end: f64) -> f64 {
    let at = |factor: f64| positions(name, point, integrator, factor * step, end);
    let apart = |a: &[Vec3], b: &[Vec3]| {
        (a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
    };
    let (coarse, middle, fine) = (at(4.0), at(2.0), at(1.0));
    let (first, second) = (apart(&coarse, &middle), apart(&middle, &fine));
    let order = (first / second).log2();
    println!(
        "order of {integrator:?} on {name}, steps {step:e} s × 4, 2, 1: {order:.3} (differences {first:.2e}, \
         {second:.2e} m)"
    );
    let scheme = match integrator {
        Integrator::Rk4 => "RK4",
        Integrator::Heun => "Heun",
        _ => "semi-implicit Euler",
    };
    let is_row = |cells: &[&str]| cells[0] == scheme && cells[1].split(' ').next() == Some(name);
    crate::verification::verification_page::figure("Order of convergence", is_row, 3, &format!("{order:.3}"));
    order
}

#[test]
fn rk4_has_order_four_on_an_open_chain() {
    let order = measured_order("spatial_double_pendulum", "tip", Integrator::Rk4, 0.5e-3, 1.0);
    assert!((order - 4.0).abs() <= 0.2);
}

#[test]
fn rk4_has_order_four_on_closed_chains() {
    // Models and times for which these steps are small enough: on the fast, undamped cranks of the gallery the leading
    // error of the phase (order 4) and that of the energy (order 5) are still of one size after a few turns.
    for (name, point, end) in [("watt_six_bar", "E", 1.6), ("guided_five_bar", "C", 1.6), ("four_bar_3d", "C", 0.4)] {
        let order = measured_order(name, point, Integrator::Rk4, 1e-3, end);
        assert!((order - 4.0).abs() <= 0.2, "{name}");
    }
}

#[test]
fn heun_has_order_two() {
    for (name, point) in [("spatial_double_pendulum", "tip"), ("four_bar_3d", "C")] {
        let order = measured_order(name, point, Integrator::Heun, 0.125e-3, 0.5);
        assert!((order - 2.0).abs() <= 0.1, "{name}");
    }
}

#[test]
fn semi_implicit_euler_has_order_one() {
    for (name, point) in [("spatial_double_pendulum", "tip"), ("four_bar_3d", "C")] {
        let order = measured_order(name, point, Integrator::SemiImplicitEuler, 0.03125e-3, 0.5);
        assert!((order - 1.0).abs() <= 0.1, "{name}");
    }
}
