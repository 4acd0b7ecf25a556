//! Errors fall with the step across every internal switch of the schemes: a fine scan of steps for every integrator.
//!
//! A scheme that treats something differently from some step on (gyroscopic terms of fast bodies, steps made in halves,
//! predictions of modes) may become worse where the step becomes shorter. So the error against a much finer run must
//! not exceed the errors of longer steps by more than [`SLACK`], if these are below [`RESOLVED`].

use crate::verification::rotors;
use crate::verification::support::{Run, load, parse};
use ballesta::math::larger;
use ballesta::model::schema::{Implicit, Integrator, Model};

/// Interval between output points, s; the steps are whole parts of it.
const INTERVAL: f64 = 0.1;
/// Errors above this fraction of the largest value do not yet fall with any order.
const RESOLVED: f64 = 0.05;
/// Factor by which a shorter step may be worse: an error of two terms has a zero at some step.
const SLACK: f64 = 1.25;
/// [`SLACK`] where steps of loops are made in halves: a step that is just made whole may be up to twice as long as the
/// halves of a longer one, so that its error of order 4 is up to 2⁴ times as large.
const SLACK_OF_HALVES: f64 = 16.0 * SLACK;
/// Fraction of the largest value that counts as round-off.
const ROUND_OFF: f64 = 1e-9;

/// A free body that turns about its middle axis with `speed`, which is unstable.
fn free_body(speed: f64) -> Model {
    parse(&format!(
        r#"
        [model]
        name = "free_body"
        [[body]]
        name = "b"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.02, 0.03, 0, 0, 0]
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "b"]
        speed = [0, 0, 0, {}, {speed}, {}]
        [[output]]
        name = "w"
        body = "b"
        quantity = "angular_velocity"
        axes = "body"
        "#,
        0.001 * speed,
        0.002 * speed
    ))
}

/// A rotor in a gimbal on springs.
fn gimbal(speed: f64) -> Model {
    parse(&format!(
        r#"
        [model]
        name = "gimbal"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "ring"
        mass = 1
        com = [0, 0, 0.1]
        inertia = [0.01, 0.01, 0.01, 0, 0, 0]
        [[body]]
        name = "rotor"
        mass = 1
        com = [0, 0, 0.2]
        inertia = [0.01, 0.012, 0.02, 0, 0, 0]
        [[joint]]
        name = "u"
        type = "universal"
        bodies = ["ground", "ring"]
        point = [0, 0, 0]
        axis = [1, 0, 0]
        second_axis = [0, 1, 0]
        speed = [0.5, 0.2]
        [[joint]]
        name = "spin"
        type = "revolute"
        bodies = ["ring", "rotor"]
        point = [0, 0, 0.2]
        axis = [0, 0, 1]
        speed = {speed}
        [[joint_spring]]
        name = "first"
        joint = "u"
        coordinate = "angle"
        stiffness = 4
        damping = 0.01
        [[joint_spring]]
        name = "second"
        joint = "u"
        coordinate = "second_angle"
        stiffness = 6
        damping = 0.01
        [[output]]
        name = "w"
        body = "ring"
        quantity = "angular_velocity"
        "#
    ))
}

/// Models, and the time over which they are compared.
fn models() -> Vec<(Model, &'static str, f64)> {
    vec![
        (free_body(10.0), "w", 2.0),
        (free_body(3.0), "w", 4.0),
        (gimbal(30.0), "w", 0.8),
        (rotors::top(20.0), "place", 0.8),
        (load("spatial_double_pendulum"), "tip", 0.8),
        (load("four_bar_3d"), "C", 0.4),
        (load("guided_five_bar"), "C", 0.8),
    ]
}

/// Vectors at the output points.
fn motion(model: &Model, output: &str, end: f64) -> Option<Vec<f64>> {
    let mut run = Run::new(model);
    let mut values = Vec::new();
    for point in 1..=(end / INTERVAL).round() as usize {
        run.simulator().advance(point as f64 * INTERVAL).ok()?;
        run.refresh();
        values.extend(run.vector(output).iter());
    }
    Some(values)
}

/// Steps and errors, relative to the largest value, of a model whose integrator is given; longest step first.
fn scan(model: &Model, output: &str, end: f64, exact: &[f64]) -> Vec<(f64, f64)> {
    let size = exact.iter().map(|value| value.abs()).fold(0.0, larger);
    let mut parts: Vec<u32> = (0..40).map(|k| 1.13f64.powi(k).round() as u32).collect();
    parts.dedup();
    let error = |parts: u32| {
        let mut model = model.clone();
        model.general.step = INTERVAL / f64::from(parts);
        let values = motion(&model, output, end)?;
        let error = values.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, larger);
        Some((model.general.step, error / size))
    };
    parts.into_iter().filter_map(error).collect()
}

#[test]
fn errors_of_every_scheme_fall_with_the_step_across_its_switches() {
    let schemes = [
        (Integrator::SemiImplicitEuler, None, None),
        (Integrator::Heun, None, None),
        (Integrator::Rk4, None, None),
        (Integrator::GeneralizedAlpha, Some(0.8), None),
        (Integrator::GeneralizedAlpha, Some(1.0), None),
        (Integrator::GeneralizedAlpha, Some(0.0), None),
        (Integrator::GeneralizedAlpha, Some(0.8), Some(Implicit::All)),
        (Integrator::AugmentedLagrangian, None, None),
    ];
    let (mut scanned, mut worse) = (0, Vec::new());
    for (mut model, output, end) in models() {
        (model.general.integrator, model.general.step) = (Integrator::Rk4, INTERVAL / 1024.0);
        model.general.step_halvings = None;
        let exact = motion(&model, output, end).expect("a fine run");
        for (integrator, radius, implicit) in schemes {
            (model.general.integrator, model.general.spectral_radius) = (integrator, radius);
            model.general.implicit = implicit;
            let errors = scan(&model, output, end, &exact);
            let in_halves = integrator == Integrator::Rk4 && model.joints.len() > model.bodies.len();
            let slack = if in_halves { SLACK_OF_HALVES } else { SLACK };
            let (mut least, mut at, mut ratio) = (f64::INFINITY, 0.0, 0.0);
            let mut resolved = 0;
            for &(step, error) in errors.iter().skip_while(|(_, error)| !(*error < RESOLVED)) {
                resolved += 1;
                // Written so that a NaN is found.
                if !(error <= slack * least + ROUND_OFF) {
                    worse.push(format!(
                        "{} {integrator:?} {radius:?} {implicit:?}: {error:.2e} at {step:.2e} s, {least:.2e} at \
                         {at:.2e} s",
                        model.general.name
                    ));
                }
                ratio = larger(ratio, (error - ROUND_OFF) / least);
                if error < least {
                    (least, at) = (error, step);
                }
            }
            scanned += resolved;
            println!(
                "{} {integrator:?} {radius:?} {implicit:?}: {resolved} steps, error down to {least:.1e}, at most \
                 {ratio:.2} times that of a longer step",
                model.general.name
            );
            // Semi-implicit Euler amplifies a nutation at every step (crates/compile/src/analysis/stability.rs).
            let may_diverge = integrator == Integrator::SemiImplicitEuler;
            assert!(resolved >= 8 || may_diverge, "{} {integrator:?}: {errors:?}", model.general.name);
        }
    }
    println!("{scanned} runs");
    assert!(scanned >= 1000, "{scanned}");
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}
