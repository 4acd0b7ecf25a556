//! From what was typed to a compiled system with the values that `--set` gave.

use super::failure::Failure;
use ballesta::model::Document;
use ballesta::system::System;
pub use ballesta_experiment::grid::Grid;
pub use ballesta_experiment::model::*;

/// A compiled model with the values that were set.
pub struct Compiled {
    /// The model.
    pub system: System,
    /// Values of inputs that were set, by their index.
    pub inputs: Vec<(usize, f64)>,
}

/// Compiles `document` with parameters from `--set`; names that are inputs are kept when `inputs_too`.
pub fn compile(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<Compiled, Failure> {
    let Assigned { parameters, inputs } = assigned(document, set, inputs_too)?;
    Ok(Compiled { system: System::compile(document, &parameters)?, inputs })
}

/// Values of all parameters with those of `--set`.
pub fn parameters(document: &Document, set: &[Assignment]) -> Result<Vec<f64>, Failure> {
    Ok(assigned(document, set, true)?.parameters)
}

fn assigned(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<Assigned, Failure> {
    assign(document, set, inputs_too).map_err(|wrong| Failure::Usage(format!("--set {wrong}")))
}
