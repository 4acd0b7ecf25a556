//! Text report of a reduction.

use crate::text::{count, short, table};
use ballesta_fem::reduce::ReductionReport;
use std::f64::consts::PI;
use std::fmt::Write;

/// Names of the six directions in tables.
const HEADINGS: [&str; 6] = ["x %", "y %", "z %", "rx %", "ry %", "rz %"];

/// The report as text.
pub fn page(findings: &ReductionReport) -> String {
    let mut page = format!("Structure {} reduced to {}\n\n", findings.structure, findings.file);
    // Entries at round-off relative to the others are shown as 0.
    let vector = |v: &[f64]| {
        let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let shown = v.iter().map(|x| if x.abs() <= 1e-12 * largest { 0.0 } else { *x });
        shown.map(|x| short(x, 6)).collect::<Vec<_>>().join(", ")
    };
    let internal = findings.modes.len() - findings.residual_vectors;
    let mut rows = vec![
        vec!["coordinates".to_string(), format!("{} of {}", findings.coordinates, findings.dofs)],
        vec![
            String::new(),
            format!(
                "{} of interfaces, {}, {}",
                findings.interface_coordinates,
                count(internal, "internal mode"),
                count(findings.residual_vectors, "residual vector")
            ),
        ],
        vec!["mass".into(), format!("{} kg", short(findings.mass_kg, 8))],
        vec!["centre of mass".into(), format!("{} m", vector(&findings.centre_of_mass_m))],
        vec!["inertia".into(), format!("{} kg m² (xx yy zz xy yz xz)", vector(&findings.inertia_kgm2))],
        vec!["stress stiffening".into(), findings.stiffening.unwrap_or("none: no element data").into()],
    ];
    if findings.sections > 0 {
        rows.push(vec!["internal forces".into(), count(findings.sections, "section")]);
    }
    if findings.completed > 0 {
        let why = format!("{} more than requested, with the same frequency as the last mode", findings.completed);
        rows.push(vec!["modes".into(), why]);
    }
    if let Some(recovery) = &findings.recovery {
        rows.push(vec!["displacements, stresses".into(), format!("for all nodes and elements in {recovery}")]);
    }
    page += &table(&rows);
    write_modes(findings, &mut page);
    write_comparison(findings, &mut page);
    write_checks(findings, &mut page);
    for note in &findings.notes {
        let _ = writeln!(page, "\nnote: {note}");
    }
    page
}

fn write_modes(findings: &ReductionReport, page: &mut String) {
    page.push_str("\nInternal modes, fixed interfaces; effective mass in % of the interior mass; ωh at the step of ");
    let _ = writeln!(page, "{} s", short(findings.step_s, 4));
    let mut rows =
        vec![["mode", "Hz"].iter().chain(&HEADINGS).chain(&["ωh", ""]).map(|s| s.to_string()).collect::<Vec<_>>()];
    let percent = |part: Option<f64>| part.map_or("-".into(), |part| format!("{:.2}", 100.0 * part));
    let mut sum = [0.0; 6];
    for (i, mode) in findings.modes.iter().enumerate() {
        let name = if mode.residual { format!("{} r", i + 1) } else { (i + 1).to_string() };
        let mut row = vec![name, short(mode.frequency_hz, 7)];
        row.extend(mode.effective_mass.map(percent));
        (0..6).for_each(|c| sum[c] += mode.effective_mass[c].unwrap_or(0.0));
        row.push(short(mode.omega_h, 3));
        row.push(resolution(mode.omega_h).into());
        rows.push(row);
    }
    if let Some(first) = findings.modes.first() {
        let mut row = vec!["sum".to_string(), String::new()];
        row.extend((0..6).map(|c| percent(first.effective_mass[c].map(|_| sum[c]))));
        rows.push(row);
    }
    page.push_str(&table(&rows));
}

fn write_comparison(findings: &ReductionReport, page: &mut String) {
    if findings.comparison.is_empty() {
        return;
    }
    page.push_str("\nFree modes of the full structure and the reduced model\n");
    let mut rows = vec![["mode", "full Hz", "reduced Hz", "error", "MAC"].map(String::from).to_vec()];
    for (i, pair) in findings.comparison.iter().enumerate() {
        rows.push(vec![
            (i + 1).to_string(),
            short(pair.full_hz, 8),
            short(pair.reduced_hz, 8),
            format!("{:+.1e}", pair.relative_error),
            format!("{:.6}", pair.assurance),
        ]);
    }
    page.push_str(&table(&rows));
}

fn write_checks(findings: &ReductionReport, page: &mut String) {
    let checks = &findings.checks;
    page.push_str("\nChecks\n");
    let rows = [
        ("K·R of the full structure", format!("{:.1e} of the largest entry", checks.full_rigid_stiffness)),
        ("K·R of the reduced model", format!("{:.1e} of the largest entry", checks.rigid_stiffness)),
        ("rigid-body modes", checks.rigid_modes.to_string()),
        ("modes computed / counted", format!("{} / {}", checks.modes_found, checks.modes_counted)),
        ("condition number of the mass matrix", format!("{:.1e}", checks.mass_condition)),
        ("mass isotropy", mass_in_all_directions(checks.covariance)),
        ("computing time", format!("{} s", short(findings.seconds, 3))),
    ];
    page.push_str(&table(&rows.map(|(name, value)| vec![name.to_string(), value])));
}

/// Whether the mass matrix is invariant to rotations of all nodes.
fn mass_in_all_directions(difference: f64) -> String {
    match difference <= 1e-12 {
        true => "same in all directions".into(),
        false => format!("differs by {difference:.1e} of the largest entry, as expected for beams and shells"),
    }
}

/// Assessment of a mode with this ω h for a fixed step.
fn resolution(omega_h: f64) -> &'static str {
    match omega_h {
        x if x <= 1.0 => "resolved",
        x if x <= 0.5 * PI => "coarse",
        _ => "too fast for the step",
    }
}
