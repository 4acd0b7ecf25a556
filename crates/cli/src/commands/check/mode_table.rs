//! Flexible bodies in the report of `ballesta check`.

use super::text;
use ballesta_run::check::flexible_report::FlexibleBody;

/// Section about flexible bodies; empty if there are none.
pub fn page(bodies: &[FlexibleBody]) -> String {
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
    use ballesta::system::{FlexibleReport, ModeReport};

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
