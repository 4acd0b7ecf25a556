//! `ballesta tyre`: reports, values, curves, tables and pictures of tyre property files.

pub mod arguments;

use crate::{judged, text};
use ballesta::tyre::Side;
use ballesta_files::Failure;
use ballesta_pictures::picture;
use ballesta_run::Outcome;
use ballesta_run::simulation::Recording;
use ballesta_run::table::{Table, Target};
use ballesta_vehicle::tyre::{AT, Characteristics, Friction, Options, TyreSummary, Tyres};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;

/// Largest number of columns that fit on a line.
const MAX_COLUMNS: usize = 8;

/// Resolved `ballesta tyre` command.
pub struct Plan {
    typed: arguments::Tyre,
    tyres: Tyres,
    csv: Option<Target>,
}

impl Plan {
    /// Reads the files.
    pub fn resolve(mut typed: arguments::Tyre) -> Result<Plan, Failure> {
        let csv = typed.csv.as_deref().map(|path| Target::new(path, typed.units)).transpose()?;
        if typed.json && csv.as_ref().is_some_and(|target| target.file().is_none()) {
            return Err(Failure::Usage(
                "--csv - and --json both write to stdout; give the table a file name".to_string(),
            ));
        }
        let side = typed.side.map(|side| match side {
            arguments::Side::Left => Side::Left,
            arguments::Side::Right => Side::Right,
        });
        let options = Options {
            side,
            loads: std::mem::take(&mut typed.loads),
            cambers: std::mem::take(&mut typed.cambers),
            kappa: typed.kappa,
            alpha: typed.alpha,
            pressure: typed.pressure,
            at: std::mem::take(&mut typed.at),
        };
        let tyres = Tyres::open(&typed.files, options)?;
        let table = csv.as_ref().and_then(Target::file);
        tyres.keep_apart(&[("--plot", typed.plot.as_deref()), ("--csv", table)])?;
        Ok(Plan { typed, tyres, csv })
    }

    /// Writes and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let findings = self.tyres.findings();
        if let Some(path) = &self.typed.plot {
            picture::write(path, &ballesta_vehicle::tyre::tyre_curves::draw(&self.tyres))?;
        }
        if let Some(target) = &self.csv {
            self.write_table(target)?;
        }
        match &self.csv {
            _ if self.typed.json => text::answer(true, "", &self.written(), json!(findings))?,
            Some(target) if target.file().is_none() => (),
            _ => text::say(&self.page(&findings.tyres))?,
        }
        for warning in &findings.warnings {
            let _ = writeln!(io::stderr(), "warning: {warning}");
        }
        match findings.warnings.len() {
            number if number > 0 && self.typed.strict => {
                judged::settle(Outcome::Questionable(text::count(number, "warning")), true)
            }
            _ => Ok(()),
        }
    }

    fn write_table(&self, target: &Target) -> Result<(), Failure> {
        let table = self.tyres.table();
        let columns: Vec<(&str, &str)> = table.columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
        let mut series = table.series.into_iter();
        let times = series.next().unwrap_or_default();
        Table::write(target, &columns, &Recording { times, series: series.collect() })
    }

    fn page(&self, found: &[TyreSummary]) -> String {
        let mut page: String = found.iter().map(head).collect();
        page += &self.characteristics(found);
        page += &self.values();
        for path in self.written() {
            page += &format!("\nWrote {}.\n", path.display());
        }
        page
    }

    /// Written files.
    fn written(&self) -> Vec<&Path> {
        [self.typed.plot.as_deref(), self.csv.as_ref().and_then(Target::file)].into_iter().flatten().collect()
    }

    /// Characteristics at every load, one column per file and load; for many files only at the middle load.
    fn characteristics(&self, summaries: &[TyreSummary]) -> String {
        // The table has a limited width; with too many columns only the middle load is shown.
        let loads = self.tyres.loads.len();
        let all = loads * summaries.len() <= MAX_COLUMNS || summaries.len() == 1;
        let chosen = |summary: &TyreSummary| if all { summary.loads.clone() } else { vec![summary.loads[loads / 2]] };
        let columns: Vec<(&str, Characteristics)> = summaries
            .iter()
            .flat_map(|summary| chosen(summary).into_iter().map(|c| (summary.name.as_str(), c)))
            .collect();
        // One row per characteristic, one cell per file and load.
        let mut rows = Vec::new();
        let mut row = |name: &str, unit: &str, of: &dyn Fn(&Characteristics) -> Option<f64>| {
            let cell =
                |(_, c): &(&str, Characteristics)| of(c).map_or("–".to_string(), |value| text::short(value, 4));
            let cells: Vec<String> = columns.iter().map(cell).collect();
            rows.push([vec![name.to_string()], cells, vec![unit.to_string()]].concat());
        };
        row("load", "N", &|c| Some(c.load_n));
        // Peak and sliding friction with their slips, for each direction of slip.
        let mut friction = |name: &str, slip: &str, unit: &str, of: fn(&Characteristics) -> Option<Friction>| {
            row(&format!("friction, {name}: peak"), "", &|c| of(c).map(|of| of.peak));
            row(&format!("  at {slip}"), unit, &|c| of(c).map(|of| of.peak_slip));
            row("  sliding", "", &|c| of(c).map(|of| of.sliding));
            row(&format!("  at {slip}"), unit, &|c| of(c).map(|of| of.sliding_slip));
        };
        friction("driving", "κ", "", |c| c.driving);
        friction("braking", "κ", "", |c| c.braking);
        friction("α > 0", "α", "rad", |c| c.alpha_positive);
        friction("α < 0", "α", "rad", |c| c.alpha_negative);
        // Slip stiffnesses, relaxation lengths and vertical characteristics.
        row("longitudinal slip stiffness", "N", &|c| Some(c.longitudinal_stiffness_n));
        row("cornering stiffness", "N/rad", &|c| Some(c.cornering_stiffness_n_per_rad));
        row("camber stiffness", "N/rad", &|c| Some(c.camber_stiffness_n_per_rad));
        row("pneumatic trail", "m", &|c| c.pneumatic_trail_m);
        row("relaxation length, longitudinal", "m", &|c| Some(c.relaxation_length_kappa_m));
        row("relaxation length, lateral", "m", &|c| Some(c.relaxation_length_alpha_m));
        row("rolling resistance", "", &|c| Some(c.rolling_resistance));
        row("deflection", "m", &|c| Some(c.deflection_m));
        row("loaded radius", "m", &|c| Some(c.loaded_radius_m));
        row("effective radius", "m", &|c| Some(c.effective_radius_m));
        row("vertical stiffness", "N/m", &|c| Some(c.vertical_stiffness_n_per_m));
        // Several files need a line with their names.
        if summaries.len() > 1 {
            let names = columns.iter().map(|(name, _)| name.to_string());
            rows.insert(0, std::iter::once(String::new()).chain(names).collect());
        }
        format!("\nZero camber, pure slip\n{}", text::table(&rows))
    }

    /// The points of `--at`, one column per file and point.
    fn values(&self) -> String {
        let mut page = String::new();
        for point in self.tyres.points() {
            let values: Vec<[f64; AT.len()]> = self.tyres.tyres.iter().map(|tyre| tyre.at(point)).collect();
            let mut rows: Vec<Vec<String>> = Vec::new();
            if values.len() > 1 {
                let names = self.tyres.tyres.iter().map(|tyre| tyre.name.clone());
                rows.push(std::iter::once(String::new()).chain(names).collect());
            }
            // The value is 0 for a file without pressures.
            let told = |i: &usize| AT[*i].0 != "pressure" || values.iter().any(|values| values[*i] > 0.0);
            for (i, (name, unit)) in AT.into_iter().enumerate().filter(|(i, _)| told(i)) {
                let cells = values.iter().map(|values| text::short(values[i], 6));
                let unit = if unit == "1" { String::new() } else { unit.replace('.', " ") };
                rows.push(std::iter::once(name.to_string()).chain(cells).chain([unit]).collect());
            }
            page += &format!("\nOperating points\n{}", text::table(&rows));
        }
        page
    }
}

/// Header data of one file.
fn head(tyre: &TyreSummary) -> String {
    // Keys that the file does not have are omitted.
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: Option<String>| {
        rows.extend(value.map(|value| vec![name.to_string(), value]));
    };
    let number = |value: f64, unit: &str| Some(format!("{} {unit}", text::short(value, 6)));
    // Formula: what the file states, and the equations that are evaluated.
    let stated = [("", &tyre.format), ("FITTYP ", &tyre.fittyp), ("version ", &tyre.version)];
    let stated: Vec<String> =
        stated.into_iter().filter_map(|(word, text)| text.as_ref().map(|text| format!("{word}{text}"))).collect();
    row("format", Some(format!("{}, evaluated as {}", stated.join(", "), tyre.formula)));
    row("size", tyre.size.clone());
    row("measured side", Some(tyre.measured_side.to_string()));
    row("nominal load", number(tyre.nominal_load_n, "N"));
    row("unloaded radius", number(tyre.unloaded_radius_m, "m"));
    row("width", tyre.width_m.and_then(|value| number(value, "m")));
    row("rim radius", tyre.rim_radius_m.and_then(|value| number(value, "m")));
    row("mass", tyre.mass_kg.and_then(|value| number(value, "kg")));
    row("vertical stiffness", number(tyre.vertical_stiffness_n_per_m, "N/m"));
    row("vertical damping", number(tyre.vertical_damping_n_s_per_m, "N s/m"));
    row("reference speed", number(tyre.reference_speed_m_per_s, "m/s"));
    row("pressure", tyre.pressure_pa.and_then(|value| number(value, "Pa")));
    row("nominal pressure", tyre.nominal_pressure_pa.and_then(|value| number(value, "Pa")));
    // Ranges of validity from the file.
    let ranges = &tyre.ranges;
    let range = |[least, most]: [f64; 2], unit: &str| {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        Some(format!("{} to {}{unit}", text::short(least, 6), text::short(most, 6)))
    };
    row("range of the load", range(ranges.load_n, "N"));
    row("range of κ", range(ranges.kappa, ""));
    row("range of α", range(ranges.alpha_rad, "rad"));
    row("range of the camber", range(ranges.camber_rad, "rad"));
    row("range of the pressure", ranges.pressure_pa.and_then(|pressure| range(pressure, "Pa")));
    // Notes are remarks on keys of the file.
    let mut page = format!("{}\n{}", tyre.file, text::table(&rows));
    if !tyre.notes.is_empty() {
        page += &format!("\n{}\n", text::count(tyre.notes.len(), "note"));
        for note in &tyre.notes {
            page += &match note.line {
                0 => format!("  {}: {}\n", note.key, note.text),
                line => format!("  line {line}: {}: {}\n", note.key, note.text),
            };
        }
    }
    page
}
