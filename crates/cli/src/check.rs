//! `ballesta check`: what the program makes of a model, before anything runs.

mod flexible;
mod published;
mod weights;

use super::arguments::{self, Assignment};
use super::failure::Failure;
use super::operating::{self, SteadyDriving};
use super::{model, output_file, picture, text};
use ballesta::analysis::equilibrium::Equilibrium;
use ballesta::analysis::groups::SpatialGroups;
use ballesta::analysis::groups::structural_groups;
use ballesta::analysis::operating_point::{self, AnalysisError};
use ballesta::analysis::stability::StepLimit;
use ballesta::analysis::step_map::Question;
use ballesta::analysis::weights::Weights;
use ballesta::compile::quasi_static;
use ballesta::integrate;
use ballesta::model::Document;
use ballesta::model::integrators::SCHEMES;
use ballesta::simulate::Simulator;
use ballesta::system::{BlockReport, Interface, Report, ScalarKind, System, Workspace};
use ballesta_pictures::groups;
use flexible::{Changed, FlexibleBody};
use published::Comparison;
use serde::Serialize;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Changes below this, in rad or m, are round-off and not worth a word.
const ROUND_OFF: f64 = 1e-9;

/// What `ballesta check` is going to report.
pub struct Plan {
    file: PathBuf,
    document: Document,
    system: Arc<System>,
    groups: SpatialGroups,
    /// Inputs that were set, for the equilibrium.
    inputs: Vec<(usize, f64)>,
    /// What quasi-static modes change, or why that is not known.
    changed: Result<Vec<Changed>, String>,
    /// The longest stable step, or why there is none to tell.
    limit: Result<StepLimit, AnalysisError>,
    trim: bool,
    json: bool,
    svg: Option<PathBuf>,
}

/// What is found.
pub struct Answer {
    /// As in the JSON.
    pub findings: Findings,
    /// Equilibrium and weights, in words.
    lines: String,
    /// What quasi-static modes change, where that is much.
    pub warning: Option<String>,
    /// What stands in the way of the start.
    pub fault: Option<String>,
}

/// Where the model starts.
enum Start {
    /// There, and the equilibrium if it is one.
    At(Box<Simulator>, Option<Equilibrium>),
    /// A fault stands in the way.
    Nowhere(String),
}

impl Plan {
    /// Reads, compiles and assembles the model.
    pub fn resolve(typed: arguments::Check) -> Result<Plan, Failure> {
        let document = model::open(&typed.model)?;
        output_file::keep_apart(&[("--svg", typed.svg.as_deref())], &model::files(&typed.model, &document))?;
        let plan = Plan::new(document, model::model_file(&typed.model), &typed.set, typed.trim)?;
        Ok(Plan { json: typed.json, svg: typed.svg, ..plan })
    }

    /// A plan for a model that was read from `file`.
    pub fn new(document: Document, file: PathBuf, set: &[Assignment], trim: bool) -> Result<Plan, Failure> {
        let model::Compiled { system, inputs } = model::compile(&document, set, trim)?;
        let limit = operating::refuse_long_step(&document, &system, &inputs, trim, Question::Longest)?;
        let changed = quasi_static::changes(&document, &model::parameters(&document, set)?, &system)
            .map(|changes| changes.into_iter().map(Changed::from).collect())
            .map_err(|unknown| unknown.to_string());
        Ok(Plan {
            changed,
            file,
            document,
            groups: structural_groups(&system),
            system: Arc::new(system),
            inputs,
            limit,
            trim,
            json: false,
            svg: None,
        })
    }

    /// Prints the report and draws the topology.
    pub fn execute(mut self) -> Result<(), Failure> {
        if let Some(path) = &self.svg {
            let svg = ballesta_pictures::diagram::topology_svg(&self.document.model);
            picture::write(path, &svg)?;
        }
        let Answer { findings, lines, warning, fault } = self.answer()?;
        if let Some(warning) = &warning {
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        }
        if self.json {
            text::say_json(&findings)?;
        } else {
            text::say(&self.page(&findings, &lines))?;
        }
        fault.map_or(Ok(()), |fault| Err(Failure::Fault(fault)))
    }

    /// Looks at the model where it starts.
    pub fn answer(&mut self) -> Result<Answer, Failure> {
        let start = self.start()?;
        let (trimmed, fault) = match &start {
            Start::At(simulator, found) => (found.as_ref().map(|found| (simulator.as_ref(), found)), None),
            Start::Nowhere(fault) => (None, Some(fault.clone())),
        };
        let warning = flexible::warning(&self.changed);
        let changed = std::mem::replace(&mut self.changed, Ok(Vec::new()));
        let findings = Findings { quasi_static_changes: changed.unwrap_or_default(), ..self.findings(trimmed) };
        let weights = match &start {
            Start::At(simulator, _) => self.weights(simulator)?,
            Start::Nowhere(_) => None,
        };
        let findings = Findings { weights: weights.as_ref().map(weights::Findings::from), ..findings };
        let place = if trimmed.is_some() { ", in equilibrium" } else { ", at the start" };
        let mut lines =
            trimmed.map_or(String::new(), |(simulator, found)| operating::equilibrium_lines(simulator, found));
        lines += &weights.map_or(String::new(), |weights| weights::lines(&weights, place));
        Ok(Answer { findings, lines, warning, fault })
    }

    /// The start of the model, in its equilibrium where the experiment or `--trim` asks for that. A model that has no start is reported
    /// all the same, unless the equilibrium was asked for.
    fn start(&self) -> Result<Start, Failure> {
        let mut simulator = Simulator::new(self.system.clone());
        for &(index, value) in &self.inputs {
            simulator.set_input(index, value);
        }
        if let Err(fault) = simulator.initialize(self.document.model.experiment.start) {
            return Ok(Start::Nowhere(simulator.describe(&fault)));
        }
        let trim = self.trim || self.document.model.experiment.trim;
        let found = if trim { Some(simulator.trim().map_err(operating::failure)?) } else { None };
        Ok(Start::At(Box::new(simulator), found))
    }

    /// What the model weighs; nothing of a model without mass.
    fn weights(&self, simulator: &Simulator) -> Result<Option<Weights>, Failure> {
        let mut ws = Workspace::new(&self.system);
        let weights = Weights::of(&self.system, simulator.state(), &mut ws);
        let weights = weights.map_err(|fault| Failure::Fault(self.system.describe(&fault)))?;
        Ok((weights.mass > 0.0).then_some(weights))
    }

    fn findings(&self, trimmed: Option<(&Simulator, &Equilibrium)>) -> Findings {
        let Report {
            dof,
            coordinates,
            positions,
            bodies,
            joints,
            tree_joints,
            cuts,
            rods,
            loops,
            guided,
            constraints,
            redundant,
            blocks,
            massless_bodies,
            one_dof_joints,
            assembly_change,
            notes,
            warnings,
            flexible,
            ..
        } = self.system.report().clone();
        let published = self.document.model.published.as_ref();
        let communication_s = self.document.model.experiment.step.unwrap_or(self.system.step());
        Findings {
            model: self.system.name().to_string(),
            file: self.file.display().to_string(),
            dof,
            coordinates,
            positions,
            bodies,
            massless_bodies,
            joints,
            one_dof_joints,
            tree_joints,
            cuts,
            loops,
            rods,
            guided,
            constraints,
            redundant,
            groups: groups::entries(&self.groups),
            blocks: blocks.into_iter().map(Block::from).collect(),
            published: published.map(|published| Comparison::new(published, self.system.report())),
            flexible_bodies: flexible.into_iter().map(FlexibleBody::from).collect(),
            quasi_static_changes: Vec::new(),
            assembly: Assembly { largest_change: assembly_change, notes, warnings },
            step: Step {
                integrator: self.system.integrator().scheme().name,
                internal_s: self.system.step(),
                evaluations_per_step: integrate::evaluations(&self.system),
                communication_s,
                limit_s: self.limit.as_ref().ok().map(|limit| limit.step).filter(|step| step.is_finite()),
                fastest_rad_s: self.limit.as_ref().ok().map(|limit| limit.fastest),
                limiting_mode: self.limit.as_ref().ok().filter(|limit| limit.step.is_finite()).map(|limit| Limiting {
                    frequency_hz: limit.eigenvalue.norm() / TAU,
                    coordinate: limit.coordinate.clone(),
                }),
            },
            equilibrium: trimmed.map(|(simulator, found)| Trimmed::new(simulator, found)),
            weights: None,
            inputs: inputs(self.system.interface()),
            parameters: parameters(self.system.interface()),
            outputs: outputs(self.system.interface()),
        }
    }

    fn page(&self, findings: &Findings, equilibrium: &str) -> String {
        let mut page = format!("{}  ({})\n", findings.model, findings.file);
        let description = self.document.model.general.description.trim();
        if !description.is_empty() {
            page += &format!("{description}\n");
        }
        page += &mechanism(findings);
        if let Some(comparison) = &findings.published {
            page += &comparison.page();
        }
        if !findings.blocks.is_empty() {
            page += "\nLoops\n";
            for (i, block) in findings.blocks.iter().enumerate() {
                page += &block_lines(i, block);
            }
        }
        page += &groups::table(&findings.groups);
        page += &flexible::page(&findings.flexible_bodies);
        page += "\nInitial position\n";
        page += &match findings.assembly.largest_change {
            ..ROUND_OFF => "  assembled as written\n".to_string(),
            change => format!("  assembly changed a coordinate by up to {} rad or m\n", text::short(change, 3)),
        };
        for note in &findings.assembly.notes {
            page += &format!("  {note}\n");
        }
        for warning in &findings.assembly.warnings {
            page += &format!("  warning: {warning}\n");
        }
        page += equilibrium;
        page += &step_lines(&findings.step, &self.limit);
        page += &variables("Inputs", &findings.inputs, true);
        page += &variables("Parameters", &findings.parameters, true);
        page += &variables("Outputs", &findings.outputs, false);
        page
    }
}

fn mechanism(findings: &Findings) -> String {
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
        row("guided coordinates", findings.guided, String::new()),
        row("constraint equations", findings.constraints, equations),
    ];
    // What the model does not have is left out; what every mechanism has is not.
    rows.retain(|row| row[1] != "0" || !matches!(row[0].as_str(), "rods" | "guided coordinates"));
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
        format!("{} internal steps, the last one clipped", ratio.ceil())
    } else {
        "it clips the internal step".to_string()
    };
    let rows = [
        vec!["integrator".into(), step.integrator.into(), evaluations(step)],
        vec!["internal step".into(), format!("{} s", step.internal_s), String::new()],
        vec!["communication step".into(), format!("{} s", step.communication_s), communication],
    ];
    let bound = match limit {
        Ok(limit) if limit.step.is_finite() => vec![
            "longest stable step".into(),
            format!("{} s", text::short(limit.step, 4)),
            format!("at the start, by {}", limit.mode()),
        ],
        Ok(limit) if limit.tried.is_finite() => {
            let tried = format!("above {} s", text::short(limit.tried, 4));
            vec!["longest stable step".into(), tried, "longer steps were not tried".into()]
        }
        Ok(limit) => {
            let why = match iterates(step) {
                true => "of this integrator; a step that does not converge is a fault",
                false if limit.fastest > 0.0 => "of this integrator",
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
    if iterates(step) { format!("{count} per iteration, up to 40 per step") } else { format!("{count} per step") }
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

fn inputs(interface: &Interface) -> Vec<Variable> {
    let variable = |input: &ballesta::system::InputInfo| Variable {
        name: input.name.clone(),
        unit: input.unit.clone(),
        kind: "real",
        start: Some(input.start),
        description: input.description.clone(),
    };
    interface.inputs.iter().map(variable).collect()
}

fn parameters(interface: &Interface) -> Vec<Variable> {
    let variable = |parameter: &ballesta::system::ParameterInfo| Variable {
        name: parameter.name.clone(),
        unit: parameter.unit.clone(),
        kind: if parameter.tunable { "tunable" } else { "fixed" },
        start: Some(parameter.start),
        description: parameter.description.clone(),
    };
    interface.parameters.iter().map(variable).collect()
}

fn outputs(interface: &Interface) -> Vec<Variable> {
    let variable = |output: &ballesta::system::OutputInfo| Variable {
        name: output.name.clone(),
        unit: output.unit.clone(),
        kind: match output.kind {
            ScalarKind::Real => "real",
            ScalarKind::Integer => "integer",
            ScalarKind::Boolean => "boolean",
        },
        start: None,
        description: output.description.clone(),
    };
    interface.outputs.iter().map(variable).collect()
}

/// The object of `check --json`.
#[derive(Serialize)]
pub struct Findings {
    model: String,
    file: String,
    dof: usize,
    coordinates: usize,
    positions: usize,
    bodies: usize,
    massless_bodies: usize,
    joints: usize,
    one_dof_joints: usize,
    tree_joints: Vec<String>,
    cuts: Vec<String>,
    loops: usize,
    rods: usize,
    guided: usize,
    constraints: usize,
    redundant: usize,
    /// Structural groups in the order in which they can be placed.
    groups: Vec<groups::Entry>,
    blocks: Vec<Block>,
    /// Where the model has a table `[published]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<Comparison>,
    flexible_bodies: Vec<FlexibleBody>,
    /// Natural frequencies that the step resolves and quasi-static modes change.
    quasi_static_changes: Vec<Changed>,
    assembly: Assembly,
    step: Step,
    /// With `--trim`, and where the experiment asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    equilibrium: Option<Trimmed>,
    /// Where the model starts; `null` without mass.
    weights: Option<weights::Findings>,
    inputs: Vec<Variable>,
    parameters: Vec<Variable>,
    outputs: Vec<Variable>,
}

#[derive(Serialize)]
struct Block {
    loops: Vec<String>,
    joints: Vec<String>,
    coordinates: usize,
    equations: usize,
    rank: usize,
    pieces: usize,
    independent: Vec<String>,
    dependent: Vec<String>,
    redundant: Vec<Redundancy>,
}

impl From<BlockReport> for Block {
    fn from(block: BlockReport) -> Block {
        let BlockReport { loops, joints, coordinates, equations, rank, pieces, independent, dependent, redundant } =
            block;
        let redundancy = |r: ballesta::system::Redundancy| Redundancy {
            constraint: r.constraint,
            equations: r.equations,
            joints: r.joints,
        };
        let redundant = redundant.into_iter().map(redundancy).collect();
        Block { loops, joints, coordinates, equations, rank, pieces, independent, dependent, redundant }
    }
}

#[derive(Serialize)]
struct Redundancy {
    constraint: String,
    equations: usize,
    joints: Vec<String>,
}

#[derive(Serialize)]
struct Assembly {
    /// In rad or m.
    largest_change: f64,
    notes: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Step {
    integrator: &'static str,
    internal_s: f64,
    evaluations_per_step: usize,
    communication_s: f64,
    /// Longest stable step at the start; `null` when nothing limits it or it is not known.
    limit_s: Option<f64>,
    /// Largest |λ| at the start.
    fastest_rad_s: Option<f64>,
    /// The mode that limits the step.
    limiting_mode: Option<Limiting>,
}

#[derive(Serialize)]
struct Limiting {
    frequency_hz: f64,
    coordinate: String,
}

/// The equilibrium in the JSON.
#[derive(Serialize)]
pub struct Trimmed {
    iterations: usize,
    /// In J.
    potential_energy: f64,
    unstable_directions: usize,
    /// All joint positions, in rad or m.
    coordinates: BTreeMap<String, f64>,
    /// Along the independent coordinates, in N m or N.
    forces_left: BTreeMap<String, f64>,
    driving: Option<SteadyDriving>,
}

impl Trimmed {
    /// The equilibrium that `simulator` stands in.
    pub fn new(simulator: &Simulator, found: &Equilibrium) -> Trimmed {
        Trimmed {
            iterations: found.iterations,
            potential_energy: found.energy,
            unstable_directions: found.unstable,
            coordinates: operating_point::positions(simulator.system(), simulator.state()).into_iter().collect(),
            forces_left: found.forces.iter().cloned().collect(),
            driving: found.driving.as_ref().map(SteadyDriving::from),
        }
    }
}

#[derive(Serialize)]
struct Variable {
    name: String,
    unit: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<f64>,
    description: String,
}
