use crate::check::numbers::Random;
use ballesta_model as model;
use ballesta_model::schema::{Implicit, Integrator};
use ballesta_solver::dynamics::dense;
use ballesta_solver::dynamics::energy::twice_kinetic_of;
use ballesta_solver::dynamics::evaluate::evaluate_implicit_dense;
use ballesta_solver::dynamics::gyroscopic::*;
use ballesta_solver::dynamics::implicit::Lengths;
use ballesta_solver::dynamics::{evaluate_implicit, load_stage};
use ballesta_solver::math::larger;
use ballesta_solver::system::Workspace;

/// Corrections against the matrix: every model of the gallery in random motion in which γ'h |ω| comes to tenths.
/// Compared by the kinetic energy of the difference, since a coordinate that nearly nothing resists is determined
/// no better.
#[test]
fn corrections_and_the_matrix_give_the_same_accelerations() {
    let lengths = Lengths { velocity: 5e-4, position: 2.5e-7, step: 1e-3 };
    let folders = std::fs::read_dir("../../models").unwrap().map(|entry| entry.unwrap().path());
    let variants = ["../../models/truck/flexible.toml".into()];
    let (mut compared, mut refused, mut mattered, mut without_symmetric_part, mut worst) = (0, 0, 0, 0, 0.0f64);
    for path in folders.filter(|path| path.join("model.toml").is_file()).chain(variants) {
        let mut document = model::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
        document.model.general.integrator = Integrator::GeneralizedAlpha;
        document.model.general.implicit = Some(Implicit::Stiff);
        let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let system = crate::compile(&document, &parameters).unwrap_or_else(|errors| panic!("{errors}"));
        if !system.has_clusters() {
            continue;
        }
        let (name, mut random) = (path.display(), Random(5));
        let mut workspaces = [Workspace::new(&system), Workspace::new(&system)];
        for round in 0..30 {
            let mut state = system.initial.clone();
            let modes: usize = system.flexible.iter().map(|body| body.modes()).sum();
            for (k, v) in state.v.iter_mut().enumerate() {
                *v = random.number() * if k + modes < system.nv { 20.0 * f64::from(1 + round % 10) } else { 0.1 };
            }
            let zdd = random.numbers(system.nv);
            let mut taken = GyroscopicTreatment::Explicit;
            let mut accelerations = [(); 2].map(|()| Vec::new());
            let ways = [evaluate_implicit, evaluate_implicit_dense];
            for (dense, (way, ws)) in ways.into_iter().zip(&mut workspaces).enumerate() {
                ws.accelerations.zdd.copy_from_slice(&zdd);
                load_stage(&system, &state, ws, 0.0);
                way(&system, &state, ws, 0.0, lengths).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
                taken = treatment(&system, ws, lengths);
                accelerations[dense] = ws.accelerations.zdd.clone();
            }
            if taken != GyroscopicTreatment::Corrections {
                continue;
            }
            let [ours, theirs] = &accelerations;
            // Refused corrections give the bits of the matrix.
            if ours == theirs {
                refused += 1;
                continue;
            }
            let ws = &mut workspaces[0];
            let norm = |ws: &Workspace, of: &[f64]| {
                let Workspace { kinematics, inertias, flexible, .. } = ws;
                let mut swept = vec![[0.0; 6]; system.bodies.len()];
                twice_kinetic_of(&system, (kinematics, inertias, &flexible[..]), &mut swept, |v| of[v]).sqrt()
            };
            let difference: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
            let (size, error) = (larger(1.0, norm(ws, theirs)), norm(ws, &difference));
            let change: Vec<f64> = ws.gyroscopic.change.clone();
            let change = norm(ws, &change);
            // Without its symmetric part, D has no diagonal.
            let reduced = dense::count_independent(&system, &workspaces[1].blocks);
            if error > 1e-6 * size && (0..reduced).all(|i| workspaces[1].dense.mass[i * reduced + i] == 0.0) {
                without_symmetric_part += 1;
                continue;
            }
            worst = larger(worst, error / size);
            compared += 1;
            mattered += usize::from(change > 1e-3 * size);
            assert!(error <= 1e-6 * size, "{name}, {round}: {error:e} of {size:e}");
        }
    }
    println!("{compared} states, {refused} refused, {mattered} changed by more than 1e-3, at most {worst:.1e} apart");
    println!("{without_symmetric_part} in which the matrix leaves the symmetric part of D out");
    assert!(compared > 700 && mattered > 600 && (refused + without_symmetric_part) * 5 < compared);
}
