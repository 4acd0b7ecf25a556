//! Effect of quasi-static modes of flexible bodies on the frequencies of the assembled mechanism.
//!
//! `resolution` classifies a mode by its frequency in the separate body. With masses at the interfaces the mode
//! contributes to a much slower motion, which the step resolves. Without the mode's inertia and coordinate this motion
//! is lost or shifted. So the natural frequencies of the mechanism are computed twice at its start, with the modes held
//! and with all of them free to move.
//!
//! Every frequency below the resolution with all modes dynamic is compared with the nearest remaining frequency.
//!
//! Offline: allocates, costs two linearizations. Verified by: tests/motion/flexible_modes.rs.

use crate::analysis::modal::{self, Mode};
use crate::analysis::operating_point::AnalysisError;
use crate::analysis::{linearize, stability};
use crate::compile;
use ballesta_model::{Diagnostics, Document};
use ballesta_solver::system::{System, Workspace};
use std::f64::consts::TAU;

/// Relative change below which a frequency counts as unchanged.
pub const TOLERANCE: f64 = 0.01;

/// A natural frequency of the mechanism that the step resolves and that quasi-static modes change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Hz, all modes dynamic.
    pub dynamic: f64,
    /// Hz, the nearest one with the quasi-static modes; `None` if no oscillation remains.
    pub quasi_static: Option<f64>,
}

/// The reason why nothing was compared.
#[derive(Clone, Debug)]
pub enum Unknown {
    /// The model with all modes dynamic does not compile.
    Model(Diagnostics),
    /// No linearization, no eigenvalues, or too many coordinates.
    Analysis(AnalysisError),
}

impl From<AnalysisError> for Unknown {
    fn from(error: AnalysisError) -> Unknown {
        Unknown::Analysis(error)
    }
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unknown::Model(diagnostics) => write!(f, "{diagnostics}"),
            Unknown::Analysis(error) => write!(f, "{error}"),
        }
    }
}

/// Resolved frequencies that the quasi-static modes of `system` change, ascending. `system` was compiled from
/// `document` with the values of its parameters. Empty without such modes.
pub fn changes(document: &Document, parameters: &[f64], system: &System) -> Result<Vec<Change>, Unknown> {
    if system.flexible.iter().all(|body| body.residual == 0) {
        return Ok(Vec::new());
    }
    let mut all = document.clone();
    all.model.general.resolution = None;
    let resolved = document.model.general.resolution.unwrap_or(f64::INFINITY) / system.step / TAU;
    let dynamic = frequencies(&compile(&all, parameters).map_err(Unknown::Model)?)?;
    let mut left = frequencies(system)?;
    let mut changes = Vec::new();
    for dynamic in dynamic.into_iter().filter(|frequency| *frequency <= resolved) {
        let off = |frequency: f64| (frequency - dynamic).abs();
        let nearest = (0..left.len()).min_by(|&a, &b| off(left[a]).total_cmp(&off(left[b])));
        let quasi_static = nearest.map(|at| left[at]);
        match nearest.filter(|&at| off(left[at]) <= TOLERANCE * dynamic) {
            Some(same) => {
                left.remove(same);
            }
            None => changes.push(Change { dynamic, quasi_static }),
        }
    }
    Ok(changes)
}

/// Natural frequencies of the oscillations about the start, Hz, ascending.
fn frequencies(system: &System) -> Result<Vec<f64>, AnalysisError> {
    stability::refuse_large(system)?;
    let model = linearize::linearize(system, system.initial(), &mut Workspace::new(system))?;
    let mut found: Vec<f64> =
        modal::modes(&model)?.modes.iter().filter(|mode| mode.oscillates()).map(Mode::frequency_hz).collect();
    found.sort_by(f64::total_cmp);
    Ok(found)
}
