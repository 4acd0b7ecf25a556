//! `ballesta groups --solve`: positions of a model group by group, at one position or over a motion.

use super::arguments::Solve;
use crate::text;
use ballesta::analysis::groups::structural_groups;
use ballesta_files::csv::CsvWriter;
use ballesta_files::{Failure, output_file};
use ballesta_pictures::groups::solution;
use ballesta_run::groups::solution::{GroupedModel, Row, Sweep};
use ballesta_run::model::Assignment;
use ballesta_run::simulation::Excitation;
use ballesta_run::{Grid, model};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Resolved `groups --solve` command.
pub struct Plan {
    file: PathBuf,
    subject: GroupedModel,
    at: Vec<Assignment>,
    motion: Option<(Motion, PathBuf)>,
    json: bool,
}

enum Motion {
    Sweep(Sweep, usize),
    Run(Grid),
}

impl Plan {
    /// Reads and compiles the model.
    pub fn resolve(path: &Path, set: &[Assignment], typed: Solve, json: bool) -> Result<Plan, Failure> {
        let Solve { at, csv, sweep, points, stop, step, .. } = typed;
        let document = model::open(path)?;
        let model::Compiled { system, inputs } = model::compile(&document, set, true)?;
        if let Some(csv) = &csv {
            output_file::keep_apart(&[("--csv", Some(csv.as_path()))], &model::files(path, &document))?;
            if json && csv == Path::new("-") {
                let message = "--csv - and --json both write to stdout; give the table a file name";
                return Err(Failure::Usage(message.into()));
            }
            if sweep.is_none() && !at.is_empty() {
                let message = "--at with --csv needs --sweep; a run starts at the initial position of the model";
                return Err(Failure::Usage(message.into()));
            }
        }
        let motion = match (csv, sweep) {
            (Some(csv), Some(sweep)) => Some((Motion::Sweep(sweep, points), csv)),
            (Some(csv), None) => {
                let grid = Grid::new(&document.model.experiment, system.step(), stop, step)?;
                Some((Motion::Run(grid), csv))
            }
            _ => None,
        };
        let groups = structural_groups(&system);
        let subject = GroupedModel { system: Arc::new(system), groups, inputs };
        Ok(Plan { file: model::model_file(path), subject, at, motion, json })
    }

    /// Solves the positions and writes them.
    pub fn execute(self) -> Result<(), Failure> {
        let title = format!("{}  ({})\n\n", self.subject.system.name(), self.file.display());
        let Some((motion, path)) = &self.motion else {
            let solution = self.subject.solve(&self.at)?;
            return match self.json {
                true => text::say_json(&solution),
                false => text::say(&(title + &solution::page(&solution))),
            };
        };
        let mut summary = Summary::new(self.subject.groups.groups.len());
        let columns = self.subject.columns();
        let names = columns.iter().map(String::as_str);
        let unwritten = |error| Failure::file("write", path, error);
        let first = if let Motion::Sweep(sweep, _) = motion { format!("{} swept", sweep.name) } else { "time".into() };
        let mut table = CsvWriter::along(&first, Vec::new(), names).map_err(unwritten)?;
        let visit = |row: Row| {
            summary.add(&row);
            table.row(row.at, &row.values).map_err(unwritten)
        };
        let done = match motion {
            Motion::Sweep(sweep, points) => self.subject.sweep(&self.at, sweep, *points, visit),
            Motion::Run(grid) => {
                let excitation = Excitation { constants: self.subject.inputs.clone(), ..Excitation::default() };
                self.subject.follow(grid, &excitation, visit)
            }
        };
        // Rows before a fault are valid.
        let bytes = table.finish().map_err(unwritten)?;
        if path == Path::new("-") {
            text::say(&String::from_utf8_lossy(&bytes))?;
            return done;
        }
        output_file::write(path, bytes)?;
        done?;
        match self.json {
            true => text::say_json(&summary.json(self.subject.system.name())),
            false => text::say(&(title + &summary.page())),
        }
    }
}

/// Extremes of a motion.
struct Summary {
    positions: usize,
    difference: f64,
    /// Per group: most iterations and largest condition.
    groups: Vec<[f64; 2]>,
}

impl Summary {
    fn new(groups: usize) -> Summary {
        Summary { positions: 0, difference: 0.0, groups: vec![[0.0, 1.0]; groups] }
    }

    fn add(&mut self, row: &Row) {
        let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        self.positions += 1;
        self.difference = larger(self.difference, row.difference);
        let first = row.values.len() - 1 - 2 * self.groups.len();
        for (most, values) in self.groups.iter_mut().zip(row.values[first..].chunks(2)) {
            *most = [larger(most[0], values[0]), larger(most[1], values[1])];
        }
    }

    fn json(&self, name: &str) -> serde_json::Value {
        let group = |(index, [iterations, condition]): (usize, &[f64; 2])| {
            let iterations = *iterations as usize;
            json!({ "number": index + 1, "most_iterations": iterations, "largest_condition": condition })
        };
        json!({
            "model": name,
            "kind": "motion",
            "positions": self.positions,
            "largest_difference": self.difference,
            "groups": self.groups.iter().enumerate().map(group).collect::<Vec<_>>(),
        })
    }

    fn page(&self) -> String {
        let mut rows = vec![["group", "most iterations", "largest condition"].map(String::from).to_vec()];
        for (index, [iterations, condition]) in self.groups.iter().enumerate() {
            rows.push(vec![(index + 1).to_string(), iterations.to_string(), text::short(*condition, 4)]);
        }
        format!(
            "{} solved group by group\n{}\nLargest difference from the positions of `ballesta run`: {} rad or m\n",
            text::count(self.positions, "position"),
            text::table(&rows),
            text::short(self.difference, 2)
        )
    }
}
