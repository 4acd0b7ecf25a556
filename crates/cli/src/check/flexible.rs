//! What `ballesta check` says about flexible bodies.

use super::text;
use ballesta::compile::quasi_static::Change;
use ballesta::system::{FlexibleReport, ModeReport};
use serde::Serialize;

/// One flexible body of `check --json`.
#[derive(Serialize)]
pub(super) struct FlexibleBody {
    name: String,
    rom: String,
    /// Number of elastic coordinates.
    coordinates: usize,
    frame: String,
    stiffening: String,
    modes: Vec<Mode>,
}

#[derive(Serialize)]
struct Mode {
    frequency_hz: f64,
    damping_ratio: f64,
    omega_h: f64,
    /// `dynamic` or `quasi_static`.
    kind: &'static str,
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
#[derive(Serialize)]
pub(super) struct Changed {
    dynamic_hz: f64,
    /// `null` when no oscillation is left.
    quasi_static_hz: Option<f64>,
}

impl From<Change> for Changed {
    fn from(change: Change) -> Changed {
        Changed { dynamic_hz: change.dynamic, quasi_static_hz: change.quasi_static }
    }
}

/// The warning about them; nothing when there are none.
pub(super) fn warning(changed: &Result<Vec<Changed>, String>) -> Option<String> {
    const REMEDY: &str = "remove `resolution`: all modes are then dynamic";
    let changed = match changed {
        Ok(changed) if changed.is_empty() => return None,
        Ok(changed) => changed,
        Err(error) => return Some(format!("what quasi-static modes change is not known ({error}); {REMEDY}")),
    };
    let hertz = |frequency: f64| format!("{} Hz", text::short(frequency, 5));
    let one = |change: &Changed| {
        let nearest =
            change.quasi_static_hz.map_or("none is left".into(), |nearest| format!("nearest {}", hertz(nearest)));
        format!("{} ({nearest})", hertz(change.dynamic_hz))
    };
    let mut list: Vec<String> = changed.iter().take(5).map(one).collect();
    if changed.len() > 5 {
        list.push(format!("{} more", changed.len() - 5));
    }
    Some(format!(
        "quasi-static modes change natural frequencies of the mechanism that the step resolves: {}; {REMEDY}",
        list.join(", ")
    ))
}

/// The part of the page about flexible bodies; nothing when there are none.
pub(super) fn page(bodies: &[FlexibleBody]) -> String {
    if bodies.is_empty() {
        return String::new();
    }
    let mut page = "\nFlexible bodies\n".to_string();
    for body in bodies {
        page += &format!(
            "  {}: {}, {}\n    frame {}, stiffening {}\n",
            body.name,
            body.rom,
            text::count(body.coordinates, "elastic coordinate"),
            body.frame,
            body.stiffening
        );
        let mut rows = vec![["  mode", "Hz", "damping", "ω·h", ""].map(str::to_string).to_vec()];
        rows.extend(body.modes.iter().enumerate().map(|(index, mode)| {
            vec![
                format!("  {}", index + 1),
                text::short(mode.frequency_hz, 5),
                text::short(mode.damping_ratio, 3),
                text::short(mode.omega_h, 3),
                mode.kind.replace('_', "-"),
            ]
        }));
        if rows.len() > 1 {
            page += &text::table(&rows);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_stand_in_a_table_below_their_body() {
        let mode = |frequency_hz, omega_h, quasi_static| ModeReport {
            frequency_hz,
            damping_ratio: 0.01,
            omega_h,
            quasi_static,
        };
        let report = FlexibleReport {
            name: "beam".into(),
            rom: "beam.toml".into(),
            frame: "root".into(),
            stiffening: "general".into(),
            modes: vec![mode(12.3456, 0.0776, false), mode(4321.34, 27.16, true)],
        };
        let bodies = [FlexibleBody::from(report)];
        let expected = "\nFlexible bodies
  beam: beam.toml, 2 elastic coordinates
    frame root, stiffening general
    mode  Hz      damping  ω·h
    1     12.346  0.01     0.0776  dynamic
    2     4321.3  0.01     27.2    quasi-static
";
        assert_eq!(page(&bodies), expected);
        assert_eq!(page(&[]), "");
        let json = serde_json::to_value(&bodies).expect("plain data");
        assert_eq!(json[0]["modes"][1]["kind"], "quasi_static");
        assert_eq!(json[0]["coordinates"], 2);
    }
}
