//! Single evaluations and steps of models for counting with valgrind; benches/instructions/run.sh runs it.
//!
//! ```text
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='instructions::evaluation' \
//!     --dump-after='instructions::evaluation' \
//!     target/release/examples/instructions models/van
//! ```
//!
//! A second argument overrides how the loops of the model are closed: all as `whole` blocks, or all in `pieces`, their
//! structural groups.
//!
//! The model first makes some steps. Then every evaluation has the state of the next step, half a step ahead of the
//! position at which the loops were closed, so that they must be closed as in a step. Steps followed by all outputs, as
//! in an FMU, are counted too.

use ballesta::compile;
use ballesta::dynamics::evaluate;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, State, System, Workspace};
pub use ballesta_tools::stages::predict;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Steps before and during the count.
const STEPS: [usize; 2] = [20, 21];

/// Counted as an evaluation.
#[inline(never)]
pub fn evaluation(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    evaluate(system, state, ws, t)
}

/// Counted as a step.
#[inline(never)]
pub fn step(simulator: &mut Simulator, end: f64) -> Result<(), Fault> {
    simulator.advance(end)
}

/// Counted as all outputs.
#[inline(never)]
pub fn outputs(simulator: &mut Simulator, out: &mut [f64]) -> Result<(), Fault> {
    simulator.outputs(out)
}

/// Counted as a step with outputs, as in an FMU but without the C interface. The step follows outputs at its start.
#[inline(never)]
pub fn complete_step(simulator: &mut Simulator, end: f64, out: &mut [f64]) -> Result<(), Fault> {
    simulator.advance(end)?;
    simulator.outputs(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: instructions MODEL [whole|pieces]";
    let path = std::env::args().nth(1).ok_or(usage)?;
    let mut document = ballesta::model::load(Path::new(&path)).map_err(|diagnostics| diagnostics.to_string())?;
    document.model.experiment.trim = false;
    let values = document.model.parameter_values();
    let mut system = compile::compile(&document, &values).map_err(|diagnostics| diagnostics.to_string())?;
    if let Some(closure) = std::env::args().nth(2) {
        let in_pieces = ["whole", "pieces"].iter().position(|word| *word == closure).ok_or(usage)? == 1;
        system.blocks.iter_mut().for_each(|block| block.in_pieces = in_pieces);
    }
    let system = Arc::new(system);
    let mut simulator = Simulator::new(system.clone());
    let mut ws = Workspace::new(&system);
    let words = |fault: Fault| system.describe(&fault);
    simulator.initialize(0.0).map_err(words)?;
    simulator.advance(STEPS[0] as f64 * system.step()).map_err(words)?;
    let [mut read, mut complete] = [0; 2].map(|_| Simulator::new(system.clone()));
    [&mut read, &mut complete].into_iter().for_each(|other| other.set_state(simulator.state()));
    let mut out = vec![0.0; system.interface().outputs.len()];
    for i in 1..=STEPS[1] {
        let t = predict(&system, simulator.state(), &mut ws).map_err(words)?;
        evaluation(&system, simulator.state(), &mut ws, t).map_err(words)?;
        let end = (STEPS[0] + i) as f64 * system.step();
        read.advance(end).map_err(words)?;
        outputs(&mut read, &mut out).map_err(words)?;
        complete_step(&mut complete, end, &mut out).map_err(words)?;
        step(&mut simulator, end).map_err(words)?;
    }
    println!("{}", simulator.time());
    Ok(())
}
