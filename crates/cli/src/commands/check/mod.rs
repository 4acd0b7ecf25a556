//! `ballesta check`: assembles a model and reports its properties without simulating.

pub mod arguments;
mod mode_table;
mod published;
mod weights;

use crate::{operating, text};
use ballesta::analysis::operating_point::AnalysisError;
use ballesta::analysis::stability::StepLimit;
use ballesta::system::integrators::SCHEMES;
use ballesta_files::{Failure, output_file};
use ballesta_pictures::{groups, picture};
use ballesta_run::check::findings::{AugmentedLagrangian, Block, CheckReport, Step, Variable};
use ballesta_run::check::{Check, CheckResult};
use ballesta_run::model;
use std::io::Write;
use std::path::PathBuf;

/// Changes below this value, in rad or m, are round-off and not reported.
const ROUND_OFF_TOLERANCE: f64 = 1e-9;

/// Resolved `ballesta check` command.
pub struct Plan {
    check: Check,
    json: bool,
    svg: Option<PathBuf>,
}

impl Plan {
    /// Reads, compiles and assembles the model.
    pub fn resolve(typed: arguments::Check) -> Result<Plan, Failure> {
        let document = model::open(&typed.model)?;
        output_file::keep_apart(&[("--svg", typed.svg.as_deref())], &model::files(&typed.model, &document))?;
        let check = Check::new(document, model::model_file(&typed.model), &typed.set, typed.trim)?;
        Ok(Plan { check, json: typed.json, svg: typed.svg })
    }

    /// Prints the report and draws the topology.
    pub fn execute(self) -> Result<(), Failure> {
        if let Some(path) = &self.svg {
            let svg = ballesta_pictures::diagram::topology_svg(&self.check.document.model);
            picture::write(path, &svg)?;
        }
        let answer = self.check.answer()?;
        if let Some(warning) = &answer.warning {
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        }
        if self.json {
            text::say_json(&answer.findings)?;
        } else {
            text::say(&self.page(&answer))?;
        }
        answer.fault.map_or(Ok(()), |fault| Err(Failure::Fault(fault)))
    }

    fn page(&self, CheckResult { findings, start, weights, .. }: &CheckResult) -> String {
        let mut page = format!("{}  ({})\n", findings.model, findings.file);
        let description = self.check.document.model.general.description.trim();
        if !description.is_empty() {
            page += &format!("{description}\n");
        }
        page += &mechanism(findings);
        if let Some(comparison) = &findings.published {
            page += &published::page(comparison);
        }
        if !findings.blocks.is_empty() {
            page += "\nLoops\n";
            for (i, block) in findings.blocks.iter().enumerate() {
                page += &block_lines(i, block);
            }
        }
        if !findings.undetermined.is_empty() {
            page += &format!(
                "  undetermined because of redundant equations; the minimum-norm solution is reported: {}\n",
                findings.undetermined.join(", ")
            );
        }
        page += &groups::table(&findings.groups);
        page += &mode_table::page(&findings.flexible_bodies);
        page += "\nInitial position\n";
        page += &match findings.assembly.largest_change {
            ..ROUND_OFF_TOLERANCE => "  satisfies all constraints as given\n".to_string(),
            change => {
                let (name, unit) = (findings.assembly.changed.as_deref().unwrap_or_default(), &findings.assembly.unit);
                format!("  largest correction by the assembly: {} {unit}, `{name}`\n", text::short(change, 3))
            }
        };
        for note in &findings.assembly.notes {
            page += &format!("  {note}\n");
        }
        for warning in &findings.assembly.warnings {
            page += &format!("  warning: {warning}\n");
        }
        let trimmed = start.as_ref().and_then(|(simulator, found)| Some((simulator, found.as_ref()?)));
        page += &trimmed.map_or(String::new(), |(simulator, found)| operating::equilibrium_lines(simulator, found));
        let place = if trimmed.is_some() { ", in equilibrium" } else { ", at the start" };
        page += &weights.as_ref().map_or(String::new(), |weights| weights::lines(weights, place));
        page += &step_lines(&findings.step, &self.check.limit);
        page += &variables("Inputs", &findings.inputs, true);
        page += &variables("Parameters", &findings.parameters, true);
        page += &variables("Outputs", &findings.outputs, false);
        page += &unused("input", &findings.unused_inputs);
        page += &unused("parameter", &findings.unused_parameters);
        page
    }
}

/// Warning about variables that the model does not use.
fn unused(kind: &str, names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => String::new(),
        n => format!("\nwarning: {} not used by the model: {}\n", text::count(n, kind), quoted.join(", ")),
    }
}

fn mechanism(findings: &CheckReport) -> String {
    let row = |name: &str, number: usize, remark: String| vec![name.to_string(), number.to_string(), remark];
    let mut cuts = format!("{} in the tree", findings.tree_joints.len());
    if !findings.cuts.is_empty() {
        cuts += &format!(", {} cut: {}", findings.cuts.len(), findings.cuts.join(", "));
    }
    let massless = match findings.massless_bodies {
        0 => String::new(),
        n => format!("{n} of them without mass"),
    };
    let equations = match findings.redundant {
        0 => "none redundant".to_string(),
        n => format!("{n} redundant"),
    };
    let mut rows = vec![
        row("degrees of freedom", findings.dof, String::new()),
        row("bodies", findings.bodies, massless),
        row("joints", findings.joints, cuts),
        row("relative coordinates", findings.coordinates, String::new()),
        row("independent loops", findings.loops, String::new()),
        row("rods", findings.rods, String::new()),
        row("driven coordinates", findings.guided, String::new()),
        row("constraint equations", findings.constraints, equations),
    ];
    // Rows that do not apply to the model are omitted.
    rows.retain(|row| row[1] != "0" || !matches!(row[0].as_str(), "rods" | "driven coordinates"));
    if findings.constraints == 0 {
        rows.retain(|row| row[0] != "constraint equations");
    }
    format!("\nMechanism\n{}", text::table(&rows))
}

fn block_lines(index: usize, block: &Block) -> String {
    let mut lines = format!(
        "  block {}: closes {}\n    Jacobian {} × {} of rank {}: {}\n",
        index + 1,
        block.loops.join(", "),
        block.equations,
        block.coordinates,
        block.rank,
        match block.equations.saturating_sub(block.rank) {
            0 => "no equation is redundant".to_string(),
            n => format!("{} redundant", text::count(n, "equation")),
        },
    );
    for redundancy in &block.redundant {
        lines += &format!(
            "    redundant: {} of {}, in the loop of joints {}\n",
            text::count(redundancy.equations, "equation"),
            redundancy.constraint,
            redundancy.joints.join(", ")
        );
    }
    if block.pieces > 1 {
        lines += &format!("    closed in {} systems, one after the other\n", block.pieces);
    }
    lines += &format!("    joints       {}\n", list(&block.joints));
    lines += &format!("    independent  {}\n", list(&block.independent));
    lines += &format!("    dependent    {}\n", list(&block.dependent));
    lines
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

fn step_lines(step: &Step, limit: &Result<StepLimit, AnalysisError>) -> String {
    let ratio = step.communication_s / step.internal_s;
    let communication = if (ratio - ratio.round()).abs() < 1e-9 * ratio && ratio >= 1.0 {
        text::count(ratio.round() as usize, "internal step")
    } else if ratio > 1.0 {
        format!("{} internal steps, the last one shortened", ratio.ceil())
    } else {
        "shortens the internal step".to_string()
    };
    let rows = [
        vec!["integrator".into(), step.integrator.into(), evaluations(step)],
        vec!["internal step".into(), format!("{} s", step.internal_s), String::new()],
        vec!["communication step".into(), format!("{} s", step.communication_s), communication],
    ];
    let bound = match limit {
        Ok(limit) if limit.growth > 0.0 => vec![
            "longest stable step".into(),
            "none".into(),
            format!(
                "the integrator amplifies {} with every step, by {} 1/s with this step; use rk4",
                limit.mode(),
                text::short(limit.growth, 2)
            ),
        ],
        Ok(limit) if limit.step.is_finite() => vec![
            "longest stable step".into(),
            format!("{} s", text::short(limit.step, 4)),
            format!("at the start, limited by {}", limit.mode()),
        ],
        Ok(limit) if limit.tried.is_finite() => {
            let tried = format!("above {} s", text::short(limit.tried, 4));
            vec!["longest stable step".into(), tried, "longer steps were not tested".into()]
        }
        Ok(limit) => {
            let why = match iterates(step) {
                true => "for this integrator; a step that does not converge is a fault",
                false if limit.fastest > 0.0 => "for this integrator",
                false => "nothing oscillates or decays at the start",
            };
            vec!["longest stable step".into(), "no limit".into(), why.into()]
        }
        Err(error) => vec!["longest stable step".into(), "not known".into(), error.to_string()],
    };
    let fastest = match limit {
        Ok(limit) => text::short(limit.fastest * step.internal_s, 4),
        Err(_) => String::new(),
    };
    let mut rows = rows.to_vec();
    if let Some(AugmentedLagrangian { penalty, tolerance, .. }) = &step.augmented_lagrangian {
        rows.push(vec!["penalty".into(), text::short(*penalty, 6), "times the effective inertia of a loop".into()]);
        rows.push(vec!["tolerance".into(), text::short(*tolerance, 6), "of the mechanism's length".into()]);
    }
    if !fastest.is_empty() {
        rows.push(vec!["largest |λ| h".into(), fastest, String::new()]);
    }
    rows.push(bound);
    format!("\nTime step\n{}", text::table(&rows))
}

fn iterates(step: &Step) -> bool {
    SCHEMES.iter().any(|scheme| scheme.name == step.integrator && scheme.iterates)
}

fn evaluations(step: &Step) -> String {
    let count = text::count(step.evaluations_per_step, "evaluation");
    match &step.augmented_lagrangian {
        Some(settings) => format!("{count} per iteration, up to {} per step", settings.max_iterations),
        None => format!("{count} per step"),
    }
}

fn variables(title: &str, variables: &[Variable], with_values: bool) -> String {
    if variables.is_empty() {
        return format!("\n{title}: none\n");
    }
    let row = |variable: &Variable| {
        let mut row = vec![variable.name.clone()];
        if with_values {
            row.push(variable.start.map_or(String::new(), |start| start.to_string()));
        }
        row.push(variable.unit.clone());
        row.push(variable.kind.to_string());
        row.push(variable.description.clone());
        row
    };
    format!("\n{title}\n{}", text::table(&variables.iter().map(row).collect::<Vec<_>>()))
}
