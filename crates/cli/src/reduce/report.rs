//! The report of a reduction, for people and as JSON.

use crate::text::{count, short, table};
use ballesta_fem::comparison::Pair;
use ballesta_fem::reduction::Reduction;
use serde::Serialize;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::Path;

/// Names of the six directions in tables.
const HEADINGS: [&str; 6] = ["x %", "y %", "z %", "rx %", "ry %", "rz %"];

/// What the reduction found, as `--json` prints it.
#[derive(Serialize)]
pub struct Findings {
    structure: String,
    file: String,
    dofs: usize,
    coordinates: usize,
    interface_coordinates: usize,
    modes: Vec<Mode>,
    residual_vectors: usize,
    mass_kg: f64,
    centre_of_mass_m: [f64; 3],
    inertia_kgm2: [f64; 6],
    /// Free elastic modes of the reduced model.
    frequencies_hz: Vec<f64>,
    comparison: Vec<Compared>,
    factor_entries: usize,
    predicted_bytes: usize,
    checks: Checks,
    step_s: f64,
    seconds: f64,
    #[serde(skip)]
    completed: usize,
    #[serde(skip)]
    stiffening: bool,
    #[serde(skip)]
    sections: usize,
}

#[derive(Serialize)]
struct Mode {
    frequency_hz: f64,
    /// Part of the interior mass that it carries, in x, y, z, rx, ry, rz; `null` where there is none.
    effective_mass: [Option<f64>; 6],
    /// ω times the step.
    omega_h: f64,
    residual: bool,
}

#[derive(Serialize)]
struct Compared {
    full_hz: f64,
    reduced_hz: f64,
    relative_error: f64,
    assurance: f64,
}

#[derive(Serialize)]
struct Checks {
    full_rigid_stiffness: f64,
    rigid_stiffness: f64,
    rigid_modes: usize,
    modes_counted: usize,
    modes_found: usize,
    mass_condition: f64,
    covariance: f64,
}

impl Findings {
    pub fn new(reduction: &Reduction, file: &Path, pairs: Vec<Pair>, step_s: f64, seconds: f64) -> Findings {
        let rom = &reduction.rom;
        let frequencies = &rom.modes.frequencies_hz;
        let internal = frequencies.len() - rom.modes.residual;
        let part = |mass: f64, of: f64, largest: f64| (of > 1e-9 * largest).then(|| mass / of);
        let largest = |from: usize| reduction.interior_mass[from..from + 3].iter().fold(0.0_f64, |a, b| a.max(*b));
        let mode = |(i, frequency_hz): (usize, &f64)| Mode {
            frequency_hz: *frequency_hz,
            effective_mass: std::array::from_fn(|c| {
                part(rom.modes.effective_mass[i][c], reduction.interior_mass[c], largest(3 * (c / 3)))
            }),
            omega_h: TAU * frequency_hz * step_s,
            residual: i >= internal,
        };
        let compared = |pair: Pair| Compared {
            full_hz: pair.full_hz,
            reduced_hz: pair.reduced_hz,
            relative_error: pair.reduced_hz / pair.full_hz - 1.0,
            assurance: pair.assurance,
        };
        Findings {
            structure: rom.name.clone(),
            file: file.display().to_string(),
            dofs: rom.source.dofs,
            coordinates: rom.matrices.size,
            interface_coordinates: rom.matrices.size - frequencies.len(),
            modes: frequencies.iter().enumerate().map(mode).collect(),
            residual_vectors: rom.modes.residual,
            mass_kg: rom.rigid.mass,
            centre_of_mass_m: rom.rigid.centre,
            inertia_kgm2: rom.rigid.inertia,
            frequencies_hz: rom.checks.free_frequencies_hz.clone(),
            comparison: pairs.into_iter().map(compared).collect(),
            factor_entries: reduction.prediction.fill,
            predicted_bytes: reduction.prediction.bytes,
            checks: Checks {
                full_rigid_stiffness: rom.checks.full_rigid_stiffness,
                rigid_stiffness: rom.checks.rigid_stiffness,
                rigid_modes: rom.checks.rigid_modes,
                modes_counted: rom.checks.modes_counted,
                modes_found: rom.checks.modes_found,
                mass_condition: rom.checks.mass_condition,
                covariance: rom.inertia.covariance,
            },
            step_s,
            seconds,
            completed: reduction.completed,
            stiffening: rom.stiffening.is_some(),
            sections: rom.sections.len(),
        }
    }

    /// The report as text.
    pub fn page(&self) -> String {
        let mut page = format!("Structure {} reduced to {}\n\n", self.structure, self.file);
        // What is rounding beside the other entries is shown as 0.
        let vector = |v: &[f64]| {
            let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let shown = v.iter().map(|x| if x.abs() <= 1e-12 * largest { 0.0 } else { *x });
            shown.map(|x| short(x, 6)).collect::<Vec<_>>().join(", ")
        };
        let internal = self.modes.len() - self.residual_vectors;
        let mut rows = vec![
            vec!["coordinates".to_string(), format!("{} of {}", self.coordinates, self.dofs)],
            vec![
                String::new(),
                format!(
                    "{} of interfaces, {}, {}",
                    self.interface_coordinates,
                    count(internal, "internal mode"),
                    count(self.residual_vectors, "residual vector")
                ),
            ],
            vec!["mass".into(), format!("{} kg", short(self.mass_kg, 8))],
            vec!["centre of mass".into(), format!("{} m", vector(&self.centre_of_mass_m))],
            vec!["inertia".into(), format!("{} kg m² (xx yy zz xy yz xz)", vector(&self.inertia_kgm2))],
            vec![
                "stress stiffening".into(),
                if self.stiffening { "of the own elements" } else { "none: the elements are not known" }.into(),
            ],
        ];
        if self.sections > 0 {
            rows.push(vec!["internal forces".into(), count(self.sections, "section")]);
        }
        if self.completed > 0 {
            let why = format!("{} more than asked for, of the same frequency as the last", self.completed);
            rows.push(vec!["modes".into(), why]);
        }
        page += &table(&rows);
        self.write_modes(&mut page);
        self.write_comparison(&mut page);
        self.write_checks(&mut page);
        page
    }

    fn write_modes(&self, page: &mut String) {
        page.push_str(
            "\nInternal modes, interfaces held; effective mass in % of the interior mass; ωh at the step of ",
        );
        let _ = writeln!(page, "{} s", short(self.step_s, 4));
        let mut rows =
            vec![["mode", "Hz"].iter().chain(&HEADINGS).chain(&["ωh", ""]).map(|s| s.to_string()).collect::<Vec<_>>()];
        let percent = |part: Option<f64>| part.map_or("-".into(), |part| format!("{:.2}", 100.0 * part));
        let mut sum = [0.0; 6];
        for (i, mode) in self.modes.iter().enumerate() {
            let name = if mode.residual { format!("{} r", i + 1) } else { (i + 1).to_string() };
            let mut row = vec![name, short(mode.frequency_hz, 7)];
            row.extend(mode.effective_mass.map(percent));
            (0..6).for_each(|c| sum[c] += mode.effective_mass[c].unwrap_or(0.0));
            row.push(short(mode.omega_h, 3));
            row.push(resolution(mode.omega_h).into());
            rows.push(row);
        }
        if let Some(first) = self.modes.first() {
            let mut row = vec!["sum".to_string(), String::new()];
            row.extend((0..6).map(|c| percent(first.effective_mass[c].map(|_| sum[c]))));
            rows.push(row);
        }
        page.push_str(&table(&rows));
    }

    fn write_comparison(&self, page: &mut String) {
        if self.comparison.is_empty() {
            return;
        }
        page.push_str("\nFree modes, full structure against reduced model\n");
        let mut rows = vec![["mode", "full Hz", "reduced Hz", "error", "MAC"].map(String::from).to_vec()];
        for (i, pair) in self.comparison.iter().enumerate() {
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

    fn write_checks(&self, page: &mut String) {
        let checks = &self.checks;
        page.push_str("\nChecks\n");
        let rows = [
            ("K·R of the full structure", format!("{:.1e} of the largest entry", checks.full_rigid_stiffness)),
            ("K·R of the reduced model", format!("{:.1e} of the largest entry", checks.rigid_stiffness)),
            ("rigid motions", checks.rigid_modes.to_string()),
            ("modes found / counted", format!("{} / {}", checks.modes_found, checks.modes_counted)),
            ("condition of the mass", format!("{:.1e}", checks.mass_condition)),
            ("covariance of the mass", format!("{:.1e} off", checks.covariance)),
            ("computing time", format!("{} s", short(self.seconds, 3))),
        ];
        page.push_str(&table(&rows.map(|(name, value)| vec![name.to_string(), value])));
    }
}

/// What a fixed step makes of a mode with this ω h.
fn resolution(omega_h: f64) -> &'static str {
    match omega_h {
        x if x <= 1.0 => "resolved",
        x if x <= 0.5 * PI => "coarse",
        _ => "too fast for the step",
    }
}
