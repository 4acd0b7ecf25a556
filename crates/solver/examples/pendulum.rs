//! A rod swings about one end. Its period is compared with the exact value by the elliptic integral.
//!
//! `cargo run --release -p ballesta-solver --example pendulum`

use ballesta_solver::integrate::step;
use ballesta_solver::math::Vec3;
use ballesta_solver::mechanism::{BodyRef, Joint, Mechanism};
use ballesta_solver::system::Workspace;
use std::error::Error;
use std::f64::consts::{PI, TAU};

/// Release angle from the vertical, rad.
const AMPLITUDE: f64 = 1.2;
/// Length of the rod, m, and acceleration of gravity, m/s².
const LENGTH: f64 = 1.0;
const GRAVITY: f64 = 9.81;

/// Simulated and exact period, s.
pub fn periods() -> Result<[f64; 2], Box<dyn Error>> {
    // The design position: the rod hangs down from the origin. Angles are zero here.
    let mut mechanism = Mechanism::default();
    let (mass, second) = (2.0, 2.0 * LENGTH * LENGTH / 12.0);
    let rod = mechanism.add_body("rod", mass, Vec3::new(0.0, 0.0, -0.5 * LENGTH), [second, second, 0.0]);
    let pivot = Joint::revolute("pivot", [BodyRef::Ground, rod], Vec3::zeros(), Vec3::y());
    let pivot = mechanism.add_joint(Joint { position: vec![AMPLITUDE], ..pivot });
    mechanism.gravity = Vec3::new(0.0, 0.0, -GRAVITY);

    let layout = mechanism.layout()?;
    let angle = layout.coordinate(pivot.coordinate(0)).ok_or("the pivot is cut")?;
    let system = layout.build(Vec::new(), Vec::new())?;

    // Step until the rod has passed the vertical three times: one period lies between the first and the third.
    let (mut state, mut workspace) = (system.initial().clone(), Workspace::new(&system));
    let mut passages = Vec::new();
    while passages.len() < 3 {
        let before = state.q[angle.position];
        step(&system, &mut state, &mut workspace, system.step())?;
        let after = state.q[angle.position];
        if before * after < 0.0 {
            passages.push(state.time - after / state.v[angle.velocity]);
        }
    }

    // The rod swings like a point mass at 2/3 of its length. 1/K is an arithmetic-geometric mean.
    let (mut a, mut b) = (1.0, (0.5 * AMPLITUDE).cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let exact = TAU * (2.0 / 3.0 * LENGTH / GRAVITY).sqrt() / a;
    Ok([passages[2] - passages[0], exact])
}

fn main() -> Result<(), Box<dyn Error>> {
    let [simulated, exact] = periods()?;
    println!("released at {:.1} deg", AMPLITUDE * 180.0 / PI);
    println!("period: simulated {simulated:.9} s, exact {exact:.9} s, difference {:.1e} s", simulated - exact);
    Ok(())
}
