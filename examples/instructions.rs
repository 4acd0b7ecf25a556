//! Evaluations and steps of models one by one, to be counted by valgrind; benches/instructions/run.sh runs it.
//!
//! ```text
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='instructions::evaluation' --dump-after='instructions::evaluation' \
//!     target/release/examples/instructions models/van
//! ```
//!
//! A second argument has all loops closed as `whole` blocks or in `pieces`, their structural groups, whatever was chosen for the model.
//!
//! The model takes some steps first; then every evaluation has the state of the next step, half a step ahead of where the loops
//! were closed, so that they have to be closed as in a step.

pub use ballesta::cli::stages::predict;
use ballesta::dynamics::evaluate;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, State, System, Workspace};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Steps before and in the count.
const STEPS: [usize; 2] = [20, 21];

/// What is counted as an evaluation.
#[inline(never)]
pub fn evaluation(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    evaluate(system, state, ws, t, true)
}

/// What is counted as a step.
#[inline(never)]
pub fn step(simulator: &mut Simulator, end: f64) -> Result<(), Fault> {
    simulator.advance(end)
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: instructions MODEL [whole|pieces]";
    let path = std::env::args().nth(1).ok_or(usage)?;
    let mut document = ballesta::model::load(Path::new(&path)).map_err(|diagnostics| diagnostics.to_string())?;
    document.model.experiment.trim = false;
    let values = document.model.parameter_values();
    let mut system = System::compile(&document, &values).map_err(|diagnostics| diagnostics.to_string())?;
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
    for i in 1..=STEPS[1] {
        let t = predict(&system, simulator.state(), &mut ws).map_err(words)?;
        evaluation(&system, simulator.state(), &mut ws, t).map_err(words)?;
        step(&mut simulator, (STEPS[0] + i) as f64 * system.step()).map_err(words)?;
    }
    println!("{}", simulator.time());
    Ok(())
}
