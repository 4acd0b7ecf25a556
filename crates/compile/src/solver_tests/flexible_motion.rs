//! Conservation and consistency of flexible bodies at random states, and in motion.

use crate::check::numbers::larger;
use ballesta_model::parse;
use ballesta_solver::dynamics::{close_stage, energy, evaluate, load_stage};
use ballesta_solver::system::{State, System, Workspace};

/// A model beside the link of the gallery's arm.
fn compile(text: &str) -> System {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/serial_arm/test.toml");
    let document = parse(text, file).unwrap_or_else(|found| panic!("{found}"));
    crate::compile(&document, &[]).unwrap_or_else(|found| panic!("{found}"))
}

fn floating(frame: &str, stiffening: &str) -> String {
    format!(
        r#"
        [model]
        name = "free"
        step = 1e-5

        [[flexible_body]]
        name = "link"
        rom = "link.rom.toml"
        frame = "{frame}"
        stiffening = "{stiffening}"
        damping_ratio = 0.0
        position = [0.3, -0.2, 1.0]
        x_axis = [1, 1, 0]
        y_axis = [0, 1, 1]

        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "link.root"]
        "#
    )
}

/// Deterministic numbers in [−1, 1].
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    }
}

/// A state with large motions and deformations (2 % of the length), loops closed.
fn disturbed(system: &System, ws: &mut Workspace, seed: u64) -> State {
    let mut state = system.initial.clone();
    let mut next = noise(seed);
    state.q.iter_mut().for_each(|q| *q += 0.3 * next());
    state.v.iter_mut().for_each(|v| *v += 0.5 * next());
    for body in &system.flexible {
        for (k, q) in body.q.clone().enumerate() {
            let omega = body.stiffness[k].sqrt();
            state.q[q] = next() / omega;
            state.v[body.v.start + k] = next();
        }
    }
    load_stage(system, &state, ws, 0.0);
    close_stage(system, &state, ws, 0.0).expect("the loops close");
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    state
}

/// Energy, momentum and angular momentum about the model's origin after a short time along the present rates.
fn along(system: &System, ws: &mut Workspace, state: &State, ahead: f64) -> [f64; 7] {
    load_stage(system, state, ws, 0.0);
    evaluate(system, state, ws, 0.0).expect("regular");
    let rates = ws.rates.clone();
    let mut moved = state.clone();
    let quaternions = |q: &mut State| system.joints.iter().for_each(|joint| joint.normalize(&mut q.q));
    moved.q.iter_mut().zip(&rates.q).for_each(|(q, rate)| *q += ahead * rate);
    moved.v.iter_mut().zip(&rates.v).for_each(|(v, rate)| *v += ahead * rate);
    quaternions(&mut moved);
    load_stage(system, &moved, ws, 0.0);
    evaluate(system, &moved, ws, 0.0).expect("regular");
    let (force, moment) = energy::momentum(system, ws);
    let energy = energy::kinetic(system, ws) + energy::potential(system, &moved, ws);
    [energy, force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

#[test]
fn a_free_body_conserves_energy_and_momenta_while_it_deforms() {
    for frame in ["root", "tip", "mean_axis"] {
        for stiffening in ["none", "general"] {
            if frame != "mean_axis" && stiffening != "none" {
                // Of a free body only the mean-axis frame keeps the inertia positive with second-order terms.
                continue;
            }
            let system = compile(&floating(frame, stiffening));
            let mut ws = Workspace::new(&system);
            for seed in 0..4 {
                let state = disturbed(&system, &mut ws, seed);
                let h = 2e-6;
                let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|step| along(&system, &mut ws, &state, step * h));
                let here = along(&system, &mut ws, &state, 0.0);
                let momentum = here[1..].iter().fold(1.0, |a: f64, b| larger(a, b.abs()));
                for i in 0..7 {
                    let scale = if i == 0 { here[0] } else { momentum };
                    let rate = (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * h);
                    assert!(rate.abs() < 1e-7 * scale, "{frame} {stiffening} {i}: {rate:e} of {scale:e}");
                }
            }
        }
    }
}
