//! Checks of a model before a simulation.

pub mod findings;
pub mod flexible_report;
pub mod published;

use super::groups;
use super::model::{self, Assignment};
use super::operating::{self, EquilibriumReport};
use super::simulation::unresolved_motions;
use ballesta::analysis::equilibrium::Equilibrium;
use ballesta::analysis::groups::structural_groups;
use ballesta::analysis::operating_point::AnalysisError;
use ballesta::analysis::stability::StepLimit;
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::analysis::weights::Weights;
use ballesta::compile::quasi_static;
use ballesta::integrate;
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta::system::{Report, System, Workspace};
use ballesta_files::failure::Failure;
use findings::{Assembly, AugmentedLagrangian, Block, CheckReport, LimitingMotion, Step, WeightReport};
use flexible_report::{ChangedFrequency, FlexibleBody};
use published::Comparison;
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::sync::Arc;

/// A compiled and assembled model.
pub struct Check {
    /// The model.
    pub document: Document,
    file: PathBuf,
    system: Arc<System>,
    /// Given input values, used for the equilibrium.
    inputs: Vec<(usize, f64)>,
    /// Frequencies that quasi-static modes change, or the reason why they are unknown.
    changed: Result<Vec<ChangedFrequency>, String>,
    /// Longest stable step, or the reason why it is unknown.
    pub limit: Result<StepLimit, AnalysisError>,
    trim: bool,
}

/// Results.
pub struct CheckResult {
    /// Content of the JSON object.
    pub findings: CheckReport,
    /// State at the start, and the equilibrium if the model starts there; `None` after a fault.
    pub start: Option<(Simulator, Option<Equilibrium>)>,
    /// Masses and loads at the start; `None` for a model without mass.
    pub weights: Option<Weights>,
    /// Frequencies that quasi-static modes change considerably.
    pub warning: Option<String>,
    /// Fault of the assembly.
    pub fault: Option<String>,
}

impl Check {
    /// Compiles and assembles a model that was read from `file`.
    pub fn new(document: Document, file: PathBuf, set: &[Assignment], trim: bool) -> Result<Check, Failure> {
        let model::Compiled { system, inputs } = model::compile(&document, set, trim)?;
        let limit = operating::refuse_long_step(&document, &system, &inputs, trim, AnalysisExtent::Longest)?;
        let changed = quasi_static::changes(&document, &model::parameters(&document, set)?, &system)
            .map(|changes| changes.into_iter().map(ChangedFrequency::from).collect())
            .map_err(|unknown| unknown.to_string());
        Ok(Check { changed, file, document, system: Arc::new(system), inputs, limit, trim })
    }

    /// Checks the model at its start.
    pub fn answer(&self) -> Result<CheckResult, Failure> {
        let (mut start, fault) = self.start()?.map_or_else(|fault| (None, Some(fault)), |start| (Some(start), None));
        let weights = start.as_ref().map(|(simulator, _)| self.weights(simulator)).transpose()?.flatten();
        let trimmed =
            start.as_ref().and_then(|(simulator, found)| Some(EquilibriumReport::new(simulator, found.as_ref()?)));
        let mut findings = self.findings(trimmed, weights.as_ref().map(WeightReport::from));
        let step = findings.step.internal_s.min(findings.step.communication_s);
        findings.assembly.warnings.extend(unresolved_motions(&self.system, step));
        if let Some((simulator, _)) = &mut start {
            let mut outputs = vec![0.0; self.system.interface().outputs.len()];
            if simulator.outputs(&mut outputs).is_ok() {
                findings.assembly.warnings.extend(simulator.judgement().spinning().warning(&self.system));
            }
        }
        Ok(CheckResult { findings, start, weights, warning: flexible_report::warning(&self.changed), fault })
    }

    /// The start of the model, in equilibrium if the experiment or `trim` requires it; otherwise the fault. A model
    /// without a start is still reported, unless the equilibrium was requested.
    fn start(&self) -> Result<Result<(Simulator, Option<Equilibrium>), String>, Failure> {
        let mut simulator = Simulator::new(self.system.clone());
        for &(index, value) in &self.inputs {
            simulator.set_input(index, value);
        }
        if let Err(fault) = simulator.initialize(self.document.model.experiment.start) {
            return Ok(Err(simulator.describe(&fault)));
        }
        let trim = self.trim || self.document.model.experiment.trim;
        let found = if trim { Some(simulator.trim().map_err(operating::failure)?) } else { None };
        Ok(Ok((simulator, found)))
    }

    /// Masses and loads; `None` for a model without mass.
    fn weights(&self, simulator: &Simulator) -> Result<Option<Weights>, Failure> {
        let mut ws = Workspace::new(&self.system);
        let weights = Weights::of(&self.system, simulator.state(), &mut ws);
        let weights = weights.map_err(|fault| Failure::Fault(self.system.describe(&fault)))?;
        Ok((weights.mass > 0.0).then_some(weights))
    }

    fn findings(&self, equilibrium: Option<EquilibriumReport>, weights: Option<WeightReport>) -> CheckReport {
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
            undetermined,
            flexible,
            ..
        } = self.system.report().clone();
        let published = self.document.model.published.as_ref();
        let unused = self.document.model.unused();
        let communication_s = self.document.model.experiment.step.unwrap_or(self.system.step());
        CheckReport {
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
            groups: groups::entries(&structural_groups(&self.system)),
            blocks: blocks.into_iter().map(Block::from).collect(),
            undetermined,
            published: published.map(|published| Comparison::new(published, self.system.report())),
            flexible_bodies: flexible.into_iter().map(FlexibleBody::from).collect(),
            quasi_static_changes: self.changed.clone().unwrap_or_default(),
            assembly: Assembly {
                largest_change: assembly_change.amount,
                unit: assembly_change.unit.clone(),
                changed: Some(assembly_change.coordinate).filter(|coordinate| !coordinate.is_empty()),
                notes,
                warnings,
            },
            step: Step {
                integrator: self.system.integrator().scheme().name,
                internal_s: self.system.step(),
                evaluations_per_step: integrate::evaluations(&self.system),
                augmented_lagrangian: AugmentedLagrangian::of(&self.system),
                communication_s,
                limit_s: self
                    .limit
                    .as_ref()
                    .ok()
                    .filter(|limit| limit.growth == 0.0)
                    .map(|limit| limit.step)
                    .filter(|step| step.is_finite()),
                fastest_rad_s: self.limit.as_ref().ok().map(|limit| limit.fastest),
                limiting_mode: self.limit.as_ref().ok().filter(|limit| limit.step.is_finite()).map(|limit| {
                    LimitingMotion {
                        frequency_hz: limit.eigenvalue.re.hypot(limit.eigenvalue.im) / TAU,
                        coordinate: limit.coordinate.clone(),
                    }
                }),
            },
            equilibrium,
            weights,
            unused_inputs: unused.inputs,
            unused_parameters: unused.parameters,
            inputs: findings::inputs(self.system.interface()),
            parameters: findings::parameters(self.system.interface()),
            outputs: findings::outputs(self.system.interface()),
        }
    }
}
