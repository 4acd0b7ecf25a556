//! The object of `check --json`.

use super::flexible_report::{ChangedFrequency, FlexibleBody};
use super::published::Comparison;
use crate::groups::Entry;
use crate::operating::EquilibriumReport;
use ballesta::analysis::weights::Weights;
use ballesta::system::{self, BlockReport, InputInfo, Interface, OutputInfo, ParameterInfo, ScalarKind, System};
use serde::Serialize;
use std::collections::BTreeMap;

/// The object of `check --json`.
#[derive(Serialize)]
pub struct CheckReport {
    pub model: String,
    pub file: String,
    pub dof: usize,
    pub coordinates: usize,
    pub positions: usize,
    pub bodies: usize,
    pub massless_bodies: usize,
    pub joints: usize,
    pub one_dof_joints: usize,
    pub tree_joints: Vec<String>,
    pub cuts: Vec<String>,
    pub loops: usize,
    pub rods: usize,
    pub guided: usize,
    pub constraints: usize,
    pub redundant: usize,
    /// Structural groups in the order of solution.
    pub groups: Vec<Entry>,
    pub blocks: Vec<Block>,
    /// Outputs that redundant constraints leave undetermined.
    pub undetermined: Vec<String>,
    /// Present if the model has a table `[published]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Comparison>,
    pub flexible_bodies: Vec<FlexibleBody>,
    /// Natural frequencies that the step resolves and that quasi-static modes change.
    pub quasi_static_changes: Vec<ChangedFrequency>,
    pub assembly: Assembly,
    pub step: Step,
    /// Present with `--trim`, or if the experiment requires the equilibrium.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<EquilibriumReport>,
    /// Masses and loads at the start; `null` for a model without mass.
    pub weights: Option<WeightReport>,
    /// Inputs that the model does not use.
    pub unused_inputs: Vec<String>,
    /// Parameters that the model does not use.
    pub unused_parameters: Vec<String>,
    pub inputs: Vec<Variable>,
    pub parameters: Vec<Variable>,
    pub outputs: Vec<Variable>,
}

#[derive(Serialize)]
pub struct Block {
    pub loops: Vec<String>,
    pub joints: Vec<String>,
    pub coordinates: usize,
    pub equations: usize,
    pub rank: usize,
    pub pieces: usize,
    pub independent: Vec<String>,
    pub dependent: Vec<String>,
    pub redundant: Vec<Redundancy>,
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
pub struct Redundancy {
    pub constraint: String,
    pub equations: usize,
    pub joints: Vec<String>,
}

#[derive(Serialize)]
pub struct Assembly {
    /// Change in rad or m.
    pub largest_change: f64,
    /// The coordinate that changed most; `None` if no coordinate changed.
    pub changed: Option<String>,
    /// Unit of the change.
    #[serde(skip)]
    pub unit: String,
    pub notes: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Serialize)]
pub struct Step {
    pub integrator: &'static str,
    pub internal_s: f64,
    pub evaluations_per_step: usize,
    /// Settings of the augmented Lagrangian integrator, if the model uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub augmented_lagrangian: Option<AugmentedLagrangian>,
    pub communication_s: f64,
    /// Longest stable step at the start; `null` if there is no limit or it is unknown.
    pub limit_s: Option<f64>,
    /// Largest |λ| at the start.
    pub fastest_rad_s: Option<f64>,
    /// The mode that limits the step.
    pub limiting_mode: Option<LimitingMotion>,
}

/// Settings of the augmented Lagrangian.
#[derive(Serialize)]
pub struct AugmentedLagrangian {
    pub penalty: f64,
    pub tolerance: f64,
    pub max_iterations: usize,
}

impl AugmentedLagrangian {
    /// Settings of a system with this integrator.
    pub fn of(system: &System) -> Option<AugmentedLagrangian> {
        let &system::AugmentedLagrangian { penalty, tolerance, max_iterations } = system.augmented_lagrangian()?;
        Some(AugmentedLagrangian { penalty, tolerance, max_iterations })
    }
}

#[derive(Serialize)]
pub struct LimitingMotion {
    pub frequency_hz: f64,
    pub coordinate: String,
}

#[derive(Serialize)]
pub struct Variable {
    pub name: String,
    pub unit: String,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    pub description: String,
}

/// `weights` of `check --json`.
#[derive(Serialize)]
pub struct WeightReport {
    /// kg.
    mass: f64,
    /// Position in the world frame, m.
    centre_of_mass: Option<[f64; 3]>,
    /// N.
    wheel_loads: BTreeMap<String, f64>,
    /// N.
    axle_loads: BTreeMap<String, f64>,
}

impl From<&Weights> for WeightReport {
    fn from(weights: &Weights) -> WeightReport {
        WeightReport {
            mass: weights.mass,
            centre_of_mass: weights.centre.map(Into::into),
            wheel_loads: weights.wheels.iter().cloned().collect(),
            axle_loads: weights.axles().into_iter().collect(),
        }
    }
}

pub(super) fn inputs(interface: &Interface) -> Vec<Variable> {
    let variable = |input: &InputInfo| Variable {
        name: input.name.clone(),
        unit: input.unit.clone(),
        kind: "real",
        start: Some(input.start),
        description: input.description.clone(),
    };
    interface.inputs.iter().map(variable).collect()
}

pub(super) fn parameters(interface: &Interface) -> Vec<Variable> {
    let variable = |parameter: &ParameterInfo| Variable {
        name: parameter.name.clone(),
        unit: parameter.unit.clone(),
        kind: if parameter.tunable { "tunable" } else { "fixed" },
        start: Some(parameter.start),
        description: parameter.description.clone(),
    };
    interface.parameters.iter().map(variable).collect()
}

pub(super) fn outputs(interface: &Interface) -> Vec<Variable> {
    let variable = |output: &OutputInfo| Variable {
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
