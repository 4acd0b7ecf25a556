use crate::check::numbers::Random;
use crate::check::numbers::larger;
use ballesta_model as model;
use ballesta_model::schema::{Implicit, Integrator};
use ballesta_solver::dynamics::evaluate::evaluate_implicit_dense;
use ballesta_solver::dynamics::gyroscopic::{self, GyroscopicTreatment};
use ballesta_solver::dynamics::implicit::Lengths;
use ballesta_solver::dynamics::{evaluate, evaluate_dense, evaluate_implicit, load_stage};
use ballesta_solver::system::{System, Workspace};

/// Random states about the start of every model: joints moved by tenths, those along curves by a tenth of the
/// radius of a circle of that length at most, modes bent, quick, loops closed; explicit, and with the stiffness of
/// a step of 10 ms. Returns the number of states compared.
fn compare(lengths: Option<Lengths>) -> usize {
    let folders = std::fs::read_dir("../../models").unwrap().map(|entry| entry.unwrap().path());
    let (mut compared, mut worst) = (0, 0.0f64);
    let variants = std::iter::once("../../models/truck/flexible.toml".into());
    for path in folders.filter(|path| path.join("model.toml").is_file()).chain(variants) {
        let mut document = model::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
        if lengths.is_some() {
            document.model.general.integrator = Integrator::GeneralizedAlpha;
            document.model.general.implicit = Some(Implicit::Stiff);
        }
        let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let system = crate::compile(&document, &parameters).unwrap_or_else(|errors| panic!("{errors}"));
        if !system.has_clusters() {
            continue;
        }
        let (name, mut random) = (path.display(), Random(17));
        let (mut ws, mut dense) = (Workspace::new(&system), Workspace::new(&system));
        let before = compared;
        for _ in 0..100 {
            let mut state = system.initial.clone();
            let elastic = system.flexible.iter().flat_map(|body| &body.stiffness);
            let sizes: Vec<f64> = elastic.map(|stiffness| 1.0 / stiffness.sqrt()).collect();
            for v in 0..system.nv {
                let path = system.joints.iter().find(|joint| joint.v == v).and_then(|joint| joint.path.as_ref());
                let travel = path.map_or(1.0, |path| (path.curve.length() / std::f64::consts::TAU).min(1.0));
                // Elastic coordinates at the amplitude of an oscillation with 1 √kg·m/s.
                let size = (v + sizes.len()).checked_sub(system.nv).map_or(travel, |mode| sizes[mode]);
                system.add_increment(&mut state.q, v, 0.1 * size * random.number());
                state.v[v] = random.number();
            }
            let t = state.time;
            if lengths.is_some() {
                // An implicit evaluation starts from predicted accelerations.
                ws.accelerations.zdd.copy_from_slice(&random.numbers(system.nv));
                dense.accelerations.zdd.copy_from_slice(&ws.accelerations.zdd);
            }
            load_stage(&system, &state, &mut ws, t);
            let done = match lengths {
                None => evaluate(&system, &state, &mut ws, t),
                Some(lengths) => evaluate_implicit(&system, &state, &mut ws, t, lengths),
            };
            load_stage(&system, &state, &mut dense, t);
            let dense_done = match lengths {
                None => evaluate_dense(&system, &state, &mut dense, t),
                Some(lengths) => evaluate_implicit_dense(&system, &state, &mut dense, t, lengths),
            };
            assert_eq!(done, dense_done, "{name}");
            done.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            // Corrections are compared in `gyroscopic`.
            if lengths
                .is_some_and(|lengths| gyroscopic::treatment(&system, &ws, lengths) != GyroscopicTreatment::Explicit)
            {
                continue;
            }
            // Singular values beyond the truncated ones; pivots bound them where the block is regular.
            let sigma = ws.blocks.iter().map(|block| block.smallest_pivot()).fold(1.0, f64::min);
            // Modes of consistent masses are of very different inertia.
            let regular = if system.flexible.is_empty() { 1e-10 } else { 1e-9 };
            let bar = if sigma > 1e-2 { regular } else { 1e-14 / (sigma * sigma) };
            let size = dense.accelerations.zdd.iter().fold(1.0f64, |most, value| larger(most, value.abs()));
            let error = ws
                .accelerations
                .zdd
                .iter()
                .zip(&dense.accelerations.zdd)
                .fold(0.0f64, |most, (a, b)| larger(most, (a - b).abs()));
            // The condition number limits the accuracy of the dense solution for a long chain with a heavy end.
            // Both methods may lose n roundings with n unknowns.
            let rounding = system.nv as f64 * f64::EPSILON;
            let bar = if error <= bar * size { bar } else { larger(bar, rounding * condition(&system, &dense)) };
            worst = larger(worst, error / size / bar);
            assert!(error <= bar * size, "{name}: {error:e} of {size:e}, smallest singular value {sigma:e}");
            let power = (ws.loads.powers[1] - dense.loads.powers[1]).abs();
            let scale = 1e-9 * (1.0 + ws.loads.powers[1].abs() + size * system.nv as f64 * 1e3);
            assert!(power <= scale, "{name}: power {} and {}", ws.loads.powers[1], dense.loads.powers[1]);
            compared += 1;
        }
        println!("{name}: {} states", compared - before);
    }
    println!("{compared} states, at most {worst:.1e} of what is permitted");
    compared
}

/// Condition of the reduced mass matrix: the square of the condition of its Cholesky factor.
fn condition(system: &System, dense: &Workspace) -> f64 {
    let size = ballesta_solver::dynamics::dense::count_independent(system, &dense.blocks);
    let entry = |i: usize, j: usize| if j <= i { dense.dense.reduced_mass[i * size + j] } else { 0.0 };
    let sigma = nalgebra::DMatrix::from_fn(size, size, entry).singular_values();
    let ratio = sigma.max() / sigma.min();
    ratio * ratio
}

#[test]
fn elimination_from_the_leaves_and_the_dense_mass_matrix_give_the_same_accelerations() {
    assert!(compare(None) > 3000);
}

#[test]
fn stiffness_of_implicit_steps_is_the_same_in_clusters_and_in_the_dense_matrix() {
    assert!(compare(Some(Lengths { velocity: 5e-3, position: 2.5e-5, step: 1e-2 })) > 3000);
}
