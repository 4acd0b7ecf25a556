//! Flexible bodies, and the effect of quasi-static modes.

use ballesta::compile::quasi_static::Change;
use ballesta::system::{FlexibleReport, ModeReport};
use ballesta_files::words;
use serde::Serialize;

/// One flexible body of `check --json`.
#[derive(Serialize)]
pub struct FlexibleBody {
    pub name: String,
    pub rom: String,
    /// Number of elastic coordinates.
    pub coordinates: usize,
    pub frame: String,
    pub stiffening: String,
    pub modes: Vec<Mode>,
}

#[derive(Serialize)]
pub struct Mode {
    pub frequency_hz: f64,
    pub damping_ratio: f64,
    pub omega_h: f64,
    /// `dynamic` or `quasi_static`.
    pub kind: &'static str,
}

impl From<FlexibleReport> for FlexibleBody {
    fn from(report: FlexibleReport) -> FlexibleBody {
        let FlexibleReport { name, rom, frame, stiffening, modes } = report;
        let modes: Vec<Mode> = modes.into_iter().map(Mode::from).collect();
        FlexibleBody { name, rom, coordinates: modes.len(), frame, stiffening, modes }
    }
}

impl From<ModeReport> for Mode {
    fn from(mode: ModeReport) -> Mode {
        let ModeReport { frequency_hz, damping_ratio, omega_h, quasi_static } = mode;
        Mode { frequency_hz, damping_ratio, omega_h, kind: if quasi_static { "quasi_static" } else { "dynamic" } }
    }
}

/// A natural frequency of the mechanism that quasi-static modes change, of `check --json`.
#[derive(Clone, Copy, Serialize)]
pub struct ChangedFrequency {
    dynamic_hz: f64,
    /// `null` if the mode no longer oscillates.
    quasi_static_hz: Option<f64>,
}

impl From<Change> for ChangedFrequency {
    fn from(change: Change) -> ChangedFrequency {
        ChangedFrequency { dynamic_hz: change.dynamic, quasi_static_hz: change.quasi_static }
    }
}

/// Warning about changed frequencies; `None` if there are none.
pub fn warning(changed: &Result<Vec<ChangedFrequency>, String>) -> Option<String> {
    const REMEDY: &str = "remove `resolution` to make all modes dynamic";
    let changed = match changed {
        Ok(changed) if changed.is_empty() => return None,
        Ok(changed) => changed,
        Err(error) => {
            return Some(format!("the effect of quasi-static modes could not be computed ({error}); {REMEDY}"));
        }
    };
    let hertz = |frequency: f64| format!("{} Hz", words::short(frequency, 5));
    let one = |change: &ChangedFrequency| {
        let nearest =
            change.quasi_static_hz.map_or("no mode is left".into(), |nearest| format!("nearest {}", hertz(nearest)));
        format!("{} ({nearest})", hertz(change.dynamic_hz))
    };
    let mut list: Vec<String> = changed.iter().take(5).map(one).collect();
    if changed.len() > 5 {
        list.push(format!("{} more", changed.len() - 5));
    }
    Some(format!("quasi-static modes change natural frequencies that the step resolves: {}; {REMEDY}", list.join(", ")))
}
