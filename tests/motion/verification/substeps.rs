//! Communication points that are not multiples of the internal step.

use crate::verification::support::{Run, load, times};
use crate::verification::verification_page::figure;
use ballesta::math::Vec3;
use ballesta::model::schema::Model;

fn says(claim: &str, found: &str) {
    figure("Communication points", |cells| cells[0].starts_with(claim), 1, found);
}

fn tip_after(model: &Model, communication: &[f64]) -> Vec3 {
    let mut run = Run::new(model);
    for &time in communication {
        run.advance(time);
        assert_eq!(run.time().to_bits(), time.to_bits(), "the step ends at exactly the time that was asked for");
    }
    run.vector("tip")
}

#[test]
fn every_communication_point_is_met_exactly() {
    let model = load("spatial_double_pendulum");
    let odd = [0.000_1, 0.001_7, 0.013_1, 0.2, 0.2 + 3e-7, 0.333_333_333_333, 0.5];
    let difference = (tip_after(&model, &odd) - tip_after(&model, &[0.5])).norm();
    println!("odd communication points against a single one: tip differs by {difference:.1e} m after 0.5 s");
    assert!(difference <= 1e-7);
    says("odd", &format!("{difference:.1e} m"));
}

#[test]
fn results_with_clipped_steps_converge_with_the_order_of_the_integrator() {
    let mut model = load("spatial_double_pendulum");
    let communication = times(0.0, 0.5, 0.012_5);
    let mut at = |step: f64| {
        model.general.step = step;
        tip_after(&model, &communication)
    };
    // 12.5 ms are 6.25, 12.5 and 25 steps: a quarter, a half, and no clipped step.
    let exact = at(0.0625e-3);
    let errors = [2e-3, 1e-3, 0.5e-3].map(|step| (at(step) - exact).norm());
    println!("clipped steps, 2, 1, 0.5 ms: errors {:.1e}, {:.1e}, {:.1e} m", errors[0], errors[1], errors[2]);
    assert!(errors[0] > 8.0 * errors[1] && errors[1] > 8.0 * errors[2]);
    says("with clipped", &format!("{:.1e}, {:.1e}, {:.1e} m", errors[0], errors[1], errors[2]));
}

/// 0.1 + 0.2 ≠ 0.3: sums of a communication step miss the multiples of the internal step by round-off. That must not
/// cost a step of 1e-16 s, nor change the result.
#[test]
fn a_remainder_of_round_off_is_absorbed() {
    let model = load("spatial_double_pendulum");
    let mut summed = Vec::new();
    let mut time = 0.0;
    for _ in 0..500 {
        time += 1e-3;
        summed.push(time);
    }
    assert!(summed.iter().zip(times(0.0, 0.5, 1e-3)).any(|(a, b)| *a != b), "the sums do differ by round-off");
    let multiples = tip_after(&model, &times(0.0, 0.5, 1e-3));
    let differences = [tip_after(&model, &summed), tip_after(&model, &[0.5])].map(|tip| (tip - multiples).norm());
    println!(
        "communication times off by round-off: tip differs by {:.1e} and {:.1e} m",
        differences[0], differences[1]
    );
    assert!(differences.iter().all(|d| *d <= 1e-12));
    says("a communication time that misses", &format!("{:.1e} m", differences[0]));

    // A step and a bit less than 1e-9 of it is one step; a step and a bit more is two.
    let step = model.general.step;
    let one = tip_after(&model, &[step]);
    let absorbed = tip_after(&model, &[step * (1.0 + 0.9e-9)]);
    let clipped = tip_after(&model, &[step * (1.0 + 1e-3)]);
    assert!((absorbed - one).norm() <= 1e-11 && (clipped - one).norm() > 1e-8);
}

#[test]
fn a_shorter_communication_step_shortens_the_internal_step() {
    let model = load("spatial_double_pendulum");
    let mut fine = model.clone();
    fine.general.step = 0.25e-3;
    let difference =
        (tip_after(&model, &times(0.0, 0.5, 0.25e-3)) - tip_after(&fine, &times(0.0, 0.5, 0.25e-3))).norm();
    println!("communication step below the internal step: tip differs from that internal step by {difference:.1e} m");
    assert!(difference <= 1e-12);
    says("a communication step below", &format!("{difference:.1e} m"));
}
