//! Modes of a model, as data.

use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{Mode, Modes};
use ballesta::system::System;
use serde::Serialize;

/// The object of `modes --json` for a model.
#[derive(Serialize)]
pub struct ModesReport {
    name: String,
    trimmed: bool,
    zero_modes: usize,
    /// Number of integrated modes of flexible bodies.
    integrated_modes: usize,
    /// Number of quasi-static modes of flexible bodies.
    quasi_static_modes: usize,
    /// Of the oscillations.
    frequencies_hz: Vec<f64>,
    /// Of the oscillations.
    damping: Vec<f64>,
    /// All modes, including modes that do not oscillate.
    modes: Vec<ModeReport>,
}

impl ModesReport {
    /// The first `count` modes and the first `count` oscillations; `trimmed`: whether the equilibrium was requested.
    pub fn new(system: &System, model: &Linearization, modes: &Modes, trimmed: bool, count: usize) -> ModesReport {
        let elastic = || system.report().flexible.iter().flat_map(|body| &body.modes);
        let oscillations = || modes.modes.iter().filter(|mode| mode.oscillates()).take(count);
        ModesReport {
            name: system.name().to_string(),
            trimmed,
            integrated_modes: elastic().filter(|mode| !mode.quasi_static).count(),
            quasi_static_modes: elastic().filter(|mode| mode.quasi_static).count(),
            zero_modes: modes.modes.iter().filter(|mode| mode.frequency_hz() == 0.0).count(),
            frequencies_hz: oscillations().map(Mode::frequency_hz).collect(),
            damping: oscillations().map(Mode::damping).collect(),
            modes: modes.modes.iter().take(count).map(|mode| ModeReport::new(mode, model)).collect(),
        }
    }
}

/// A mode of a model in the JSON.
#[derive(Serialize)]
pub struct ModeReport {
    re: f64,
    im: f64,
    frequency_hz: f64,
    damping: f64,
    /// Estimated relative error of the eigenvalue.
    uncertainty: f64,
    shares: Vec<(String, f64)>,
    /// The largest components, with their shares.
    moves: String,
}

impl ModeReport {
    /// The mode of a linearized model.
    pub fn new(mode: &Mode, model: &Linearization) -> ModeReport {
        ModeReport {
            re: mode.eigenvalue.re,
            im: mode.eigenvalue.im,
            frequency_hz: mode.frequency_hz(),
            damping: mode.damping(),
            uncertainty: mode.uncertainty,
            shares: mode.shares.iter().map(|&(state, share)| (model.states[state].clone(), share)).collect(),
            moves: moves(mode, &model.motions),
        }
    }
}

/// States with the largest shares in a mode, at most three with 5 % or more, named as motions.
pub fn moves(mode: &Mode, motions: &[String]) -> String {
    let movers = mode.shares.iter().take(3).filter(|share| share.1 >= 0.05);
    let movers = movers.map(|&(state, share)| format!("{} {:.0} %", motions[state], 100.0 * share));
    movers.collect::<Vec<_>>().join(", ")
}
