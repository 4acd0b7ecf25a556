//! Measured order of convergence of the integrators, on an open and on closed chains.

use crate::support::{Run, load};
use ballesta::math::Vec3;
use ballesta::model::schema::Integrator;

/// Position of `point` of gallery model `name` after `end` seconds with the given internal step.
fn end_position(name: &str, point: &str, integrator: Integrator, step: f64, end: f64) -> Vec3 {
    let mut model = load(name);
    model.general.integrator = integrator;
    model.general.step = step;
    let mut run = Run::new(&model);
    run.advance(end);
    run.vector(point)
}

/// Order from three runs with steps 4h, 2h, h: log2 of the ratio of successive differences.
fn measured_order(name: &str, point: &str, integrator: Integrator, step: f64, end: f64) -> f64 {
    let at = |factor: f64| end_position(name, point, integrator, factor * step, end);
    let (coarse, middle, fine) = (at(4.0), at(2.0), at(1.0));
    let (first, second) = ((coarse - middle).norm(), (middle - fine).norm());
    let order = (first / second).log2();
    println!("order of {integrator:?} on {name}, steps {step:e} s × 4, 2, 1: {order:.3} (differences {first:.2e}, {second:.2e} m)");
    order
}

#[test]
fn rk4_has_order_four_on_an_open_chain() {
    let order = measured_order("spatial_double_pendulum", "tip", Integrator::Rk4, 0.5e-3, 1.0);
    assert!((order - 4.0).abs() <= 0.2);
}

#[test]
fn rk4_has_order_four_on_closed_chains() {
    for (name, point, step) in [("four_bar_3d", "C", 1e-3), ("slider_crank", "rod", 1e-3), ("bricard", "V4", 2e-3)] {
        let order = measured_order(name, point, Integrator::Rk4, step, 1.0);
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
