//! Runs a mechanism and says whether its motion can be trusted.

use ballesta::compile;
use ballesta::dynamics::{closure, dense, evaluate, load_stage};
use ballesta::math::linear;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::system::{System, Workspace};
use nalgebra::DMatrix;
use std::sync::Arc;

/// Distance of two samples, s.
pub const SAMPLE: f64 = 0.01;
/// An energy change above this part of the largest kinetic energy ends the search for that: what comes later may be
/// made
/// of the error.
const WRONG: f64 = 0.1;

/// What a run was like.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Why it ended early, and when.
    pub fault: Option<(f64, String)>,
    /// Largest change of kinetic and potential energy, J; NaN where an energy is.
    pub change: f64,
    /// Largest kinetic energy before the energy was wrong, J.
    pub scale: f64,
    /// Samples before which a singular direction was left alone.
    pub near_singular: usize,
    /// First time at which the change was above 1e-3 of the scale.
    pub lost: Option<f64>,
    /// Smallest singular value of the loops along the run, relative to its median; asked for only.
    pub sigma: Option<(f64, f64)>,
    /// Its own judgement is that it is questionable.
    pub questionable: bool,
    /// Positions of all bodies, sample by sample.
    pub samples: Vec<Vec<f64>>,
}

impl Run {
    /// Energy change relative to the largest kinetic energy.
    pub fn relative(&self) -> f64 {
        self.change / self.scale
    }

    /// The sample after which it went wrong: a fault, or energy lost; else `stop`.
    pub fn failed(&self, stop: f64) -> f64 {
        let fault = self.fault.as_ref().map(|(time, _)| *time);
        let first = [fault, self.lost].into_iter().flatten().fold(stop, f64::min);
        ((first / SAMPLE).ceil() + 1.0).min(stop / SAMPLE) * SAMPLE
    }
}

/// The larger; NaN stays.
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// Compiles the text of a model.
pub fn compile(text: &str, name: &str) -> Result<Arc<System>, String> {
    let document = model::parse(text, name).map_err(|errors| errors.to_string())?;
    let values = document.model.parameter_values();
    compile::compile(&document, &values).map(Arc::new).map_err(|errors| errors.to_string())
}

/// Runs to `stop`; with `sigma` the loops' singular values are followed.
pub fn run(system: &Arc<System>, stop: f64, sigma: bool) -> Run {
    let mut run = Run::default();
    let names = &system.interface().outputs;
    let required =
        |name: &str| names.iter().position(|output| output.name == name).unwrap_or_else(|| panic!("no output {name}"));
    let quantity = ["kinetic_energy", "potential_energy", "near_singular", "gap"].map(required);
    let place = |index: &usize| names[*index].unit == "m" && !quantity.contains(index);
    let others: Vec<usize> = (0..names.len()).filter(place).collect();
    let mut simulator = Simulator::new(system.clone());
    let mut ws = Workspace::new(system);
    let mut values = Vec::new();
    let mut start: Option<Vec<f64>> = None;
    let mut outputs = vec![0.0; names.len()];
    let mut first = None;
    if let Err(fault) = simulator.initialize(0.0) {
        run.fault = Some((0.0, system.describe(&fault)));
        return run;
    }
    let samples = (stop / SAMPLE).round() as usize;
    for sample in 0..=samples {
        let time = sample as f64 * SAMPLE;
        let done = simulator.advance(time).and_then(|()| simulator.outputs(&mut outputs));
        if let Err(fault) = done {
            run.fault = Some((simulator.time(), system.describe(&fault)));
            break;
        }
        let [kinetic, potential, near, _] = quantity.map(|index| outputs[index]);
        let energy = kinetic + potential;
        let change = (energy - *first.get_or_insert(energy)).abs();
        run.change = worst(run.change, change);
        if !(run.change > WRONG * run.scale) || sample < 2 {
            run.scale = worst(run.scale, kinetic);
        }
        if run.lost.is_none() && !(change <= 1e-3 * run.scale) && sample > 1 {
            run.lost = Some(time);
        }
        run.near_singular += usize::from(near != 0.0);
        run.samples.push(others.iter().map(|&index| outputs[index]).collect());
        if sigma {
            let present = singular_values(system, &simulator, &mut ws);
            // Every block is compared with its own value in the first sample.
            let first = start.get_or_insert_with(|| present.clone());
            // Blocks without a value are infinite in both.
            let pairs = present.iter().zip(first.iter()).filter(|(_, first)| first.is_finite());
            let relative = pairs.map(|(value, first)| if *first > 0.0 { value / first } else { 0.0 });
            values.push((relative.fold(f64::INFINITY, f64::min), time));
        }
    }
    run.questionable = simulator.judgement().is_questionable(system, true);
    if !values.is_empty() {
        let least = values.iter().copied().fold((f64::INFINITY, 0.0), |a, b| if b.0 < a.0 { b } else { a });
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        run.sigma = Some((least.0 / values[values.len() / 2].0, least.1));
    }
    run
}

/// Smallest mass-weighted singular value of every block's Jacobian at the present state, 0 where that cannot be
/// evaluated.
pub fn singular_values(system: &System, simulator: &Simulator, ws: &mut Workspace) -> Vec<f64> {
    load_stage(system, simulator.state(), ws, simulator.time());
    if evaluate(system, simulator.state(), ws, simulator.time()).is_err() {
        return vec![0.0; system.blocks.len()];
    }
    dense::calc_mass(system, ws);
    let mut least = vec![f64::INFINITY; system.blocks.len()];
    let (mut tree, blocks) = ws.open_tree();
    for ((block, scratch), least) in system.blocks.iter().zip(blocks).zip(&mut least) {
        closure::calc_jacobian(system, &mut tree, block, scratch);
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let mut jacobian = block.dense(&scratch.jacobian);
        let mut weight = vec![0.0; n * n];
        let mut largest = 0.0f64;
        for (i, &row) in block.coordinates.iter().enumerate() {
            for (j, &column) in block.coordinates.iter().enumerate() {
                let entry = tree.mass[row * tree.stage.v.len() + column];
                weight[i * n + j] = entry / (block.unit_size[i] * block.unit_size[j]);
            }
            largest = largest.max(weight[i * n + i]);
        }
        (0..n).for_each(|i| weight[i * n + i] += 1e-9 * largest);
        if linear::cholesky(&mut weight, n, 0.0).is_err() || block.rank == 0 {
            continue;
        }
        jacobian.chunks_exact_mut(n).for_each(|row| linear::solve_lower(&weight, n, row));
        let values = DMatrix::from_row_slice(m, n, &jacobian).singular_values();
        let mut values: Vec<f64> = values.iter().copied().collect();
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        *least = values[block.rank - 1];
    }
    least
}
