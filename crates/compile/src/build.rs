//! Document → System in its design position, one line per stage. A stage uses the results of earlier stages only.
//! [`super::assembly`] assembles the loops.
//!
//! | stage | result |
//! |---|---|
//! | [`super::flexible`] | flexible bodies in the subspace of their frames |
//! | [`super::graph`] | the spanning tree, numbers of bodies; rejects models without a tree |
//! | [`super::design`] | bodies, points and axes of joints in the design position |
//! | [`super::numbering`] | tree joints and flexible bodies with the numbers of their coordinates |
//! | [`super::names`] | resolved names of the file, from the four stages before |
//! | [`super::motion`] | driven coordinates; the start position, with requests |
//! | [`super::constraints`] | closure rows of cuts, rods, points and couplers, in the order of the file |
//! | [`super::blocks`] | closure rows sorted into blocks |
//! | `Forces` | force elements with the positions of their states |
//! | [`super::influence`], [`super::outputs`] | readouts of outputs, and the inputs on which they depend |
//! | [`super::clusters`] | clusters that are eliminated together |

use super::blocks::Loops;
use super::clusters::{cluster_map, clusters};
use super::constraints::Constraints;
use super::design::Design;
use super::graph::Graph;
use super::influence::Influence;
use super::motion::{Guides, Start};
use super::names::Names;
use super::numbering::Numbering;
use super::outputs::outputs;
use super::{continuous, elements, flexible};
use ballesta_model::schema::{self, General, Implicit, Model};
use ballesta_model::{Diagnostics, Document};
use ballesta_solver::force;
use ballesta_solver::math::Mat3;
use ballesta_solver::math::spatial::Inertia;
use ballesta_solver::system::readings::Level;
use ballesta_solver::system::{
    AugmentedLagrangian, Body, Cluster, Constraint, Flexible, Guided, InputInfo, Interface, JointPlace, LowPass,
    Memory, Output, OutputInfo, ParameterInfo, Propagation, Report, Rod, State, System, low_pass,
};
use std::ops::Range;

/// Default of the generalized-alpha method.
const SPECTRAL_RADIUS: f64 = 0.8;
/// Halvings of a step, down to a sixteenth.
const STEP_HALVINGS: u32 = 4;

/// Builds the system of a validated document with the values of its parameters. The blocks have no ranks yet, and the
/// initial state is the design position.
/// initial state is the design position.
pub fn build(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let document = &*document.with_runners(parameters);
    let model = &document.model;
    let flexible = flexible::build(document, parameters)?;
    let graph = Graph::new(document, &flexible)?;
    let design = Design::new(document, parameters, &graph, &flexible);
    let numbering = Numbering::new(model, &graph, &design, flexible);
    let names = Names::new(document, parameters, &graph, &design, &numbering);
    let Start { q, requests } = Start::new(&names);
    let Guides { guided, states } = Guides::new(&names);
    let loops = Loops::new(&names, Constraints::new(&names), &guided);
    let forces = Forces::new(&names, states);
    let influence = Influence::new(&names, &loops, &guided, &forces.elements);
    let (outputs, output_infos) = outputs(&names, &forces.elements, &loops.constraints, &influence);
    let filters = low_pass_filters(model, parameters, forces.states.end);
    let auxiliary = filters.iter().fold(forces.states.end, |end, filter| end.max(filter.states().end));
    let initial = initial_state(&names, &loops, &forces, q, (auxiliary, &outputs));
    let clusters = build_clusters(&names, &loops, &forces.elements);
    let mut system = System {
        name: model.general.name.clone(),
        interface: interface(model, output_infos, &guided),
        gravity: model.resolve_vector(&model.general.gravity, parameters),
        step: model.general.step,
        integrator: model.general.integrator,
        halving_scale: model.general.step_of_file.map_or(1.0, |own| model.general.step / own),
        step_halvings: model.general.step_halvings.unwrap_or(STEP_HALVINGS),
        spectral_radius: model.general.spectral_radius.unwrap_or(SPECTRAL_RADIUS),
        augmented: augmented_lagrangian(&model.general),
        implicit: model.general.implicit.unwrap_or_default(),
        start_time: model.experiment.start,
        trim: model.experiment.trim,
        origin: design.origin,
        nq: numbering.nq,
        nv: numbering.nv,
        slots: numbering.slots,
        auxiliary,
        element_states: forces.states,
        cluster_map: cluster_map(&clusters, [design.bodies.len(), numbering.nv, loops.blocks.len()]),
        needs_reactions: needs_reactions(model, &numbering.flexible, &outputs),
        shared: Vec::new(),
        propagation: propagation(model, &numbering.flexible),
        bodies: with_rods(design.bodies, &loops.rods),
        flexible: numbering.flexible,
        joint_of_tree: numbering.joint_of_tree,
        joints: numbering.joints,
        joint_places: with_cuts(numbering.joint_places, &loops.constraints),
        constraints: loops.constraints,
        rows: loops.rows,
        rods: loops.rods,
        blocks: loops.blocks,
        guided,
        clusters,
        free: loops.free,
        elements: forces.elements,
        outputs,
        filters,
        requests,
        initial,
        report: Report::default(),
    };
    continuous::describe(&mut system);
    Ok(system)
}

/// Filters of all scalar outputs of a validated model. Their states begin at index `first` of the auxiliary states.
fn low_pass_filters(model: &Model, parameters: &[f64], first: usize) -> Vec<LowPass> {
    let (mut filters, mut next, mut scalar) = (Vec::new(), first, 0);
    for output in &model.outputs {
        for _ in output.variable_names() {
            if let Some(filter) = &output.low_pass {
                let rate = std::f64::consts::TAU * model.resolve(&filter.cutoff_hz, parameters);
                let poles = filter.order.clamp(1, low_pass::POLES);
                filters.push(LowPass { output: scalar, first: next, poles, rate });
                next += poles;
            }
            scalar += 1;
        }
    }
    filters
}

/// Force elements with the positions of their states among the auxiliary states.
struct Forces {
    elements: Vec<force::Element>,
    states: Range<usize>,
}

impl Forces {
    /// `first`: number of auxiliary states before the states of the elements.
    fn new(names: &Names, first: usize) -> Forces {
        let mut elements = elements::build(names.model, names);
        let (mut end, mut patches) = (first, 0);
        for element in &mut elements {
            patches = element.place_patches(patches);
            element.place_states(end);
            end += element.states().len();
        }
        Forces { elements, states: first..end }
    }
}

/// The state in the design position `q` at rest, before the assembly, with this number of auxiliary states.
fn initial_state(
    names: &Names,
    loops: &Loops,
    forces: &Forces,
    q: Vec<f64>,
    (auxiliary, outputs): (usize, &[Output]),
) -> State {
    let (nv, blocks, model) = (names.numbering.nv, &loops.blocks, names.model);
    let implicit = model.general.integrator.is_linearly_implicit();
    let augmented = model.general.integrator.scheme().index_3;
    // Data that a scheme stores from its last step.
    let kept = |length: usize| vec![0.0; if implicit || augmented { length } else { 0 }];
    let elastic: usize = names.numbering.flexible.iter().map(Flexible::modes).sum();
    let time = model.experiment.start;
    State {
        time,
        q,
        v: vec![0.0; nv],
        auxiliary: vec![0.0; auxiliary],
        angles: vec![0.0; outputs.iter().filter(|output| output.turns.is_some()).count()],
        accelerations: kept(nv),
        offsets: kept(nv),
        last_step: kept(Memory::new(forces.states.len()).mode_changes.start + if implicit { elastic } else { 0 }),
        multipliers: vec![0.0; if augmented { loops.rows.len() } else { 0 }],
        inputs: model.inputs.iter().map(|input| input.start).collect(),
        input_slopes: vec![0.0; model.inputs.len()],
        input_times: vec![time; model.inputs.len()],
        parameters: names.parameters.to_vec(),
        orders: blocks.iter().flat_map(|b| (0..b.rows.len() as u32).chain(0..b.coordinates.len() as u32)).collect(),
        pivots: vec![0.0; blocks.len()],
        growth_limits: vec![0.0; blocks.len()],
        least_change: vec![0; blocks.len()],
        near_singular: 0,
        repartitions: 0,
    }
}

/// Clusters that are eliminated together; `None` if the derivatives of all forces fill a mass matrix.
fn build_clusters(names: &Names, loops: &Loops, elements: &[force::Element]) -> Vec<Cluster> {
    let implicit = names.model.general.integrator.is_linearly_implicit();
    if implicit && names.model.general.implicit.unwrap_or_default() == Implicit::All {
        return Vec::new();
    }
    let on_moving = |element: &force::Element| {
        element.bodies().iter().map(|body| body.0).filter(|&body| body != 0).collect::<Vec<usize>>()
    };
    let together = if implicit { elements.iter().map(on_moving).collect() } else { Vec::new() };
    clusters(names, loops, &together)
}

/// Inputs, parameters and outputs, followed by continuous states.
fn interface(model: &Model, outputs: Vec<OutputInfo>, guided: &[Guided]) -> Interface {
    let input = |input: &schema::Input| InputInfo {
        name: input.name.clone(),
        unit: input.unit.clone().unwrap_or_default(),
        start: input.start,
        min: input.min,
        max: input.max,
        description: input.description.clone(),
    };
    let parameter = |parameter: &schema::Parameter| ParameterInfo {
        name: parameter.name.clone(),
        unit: parameter.unit.clone().unwrap_or_default(),
        start: parameter.value,
        tunable: parameter.tunable,
        min: parameter.min,
        max: parameter.max,
        description: parameter.description.clone(),
    };
    Interface {
        inputs: model.inputs.iter().map(input).collect(),
        parameters: model.parameters.iter().map(parameter).collect(),
        outputs,
        rheonomic: guided.iter().any(|guided| guided.guide.is_in_time()),
        states: Vec::new(),
        not_continuous: None,
        hold_mode: model.general.hold_mode,
    }
}

/// Whether outputs need the reactions of a stage in addition to its accelerations: outputs of that level, and section
/// forces of bodies that leave out modes.
fn needs_reactions(model: &Model, flexible: &[Flexible], outputs: &[Output]) -> bool {
    let left_out = |(body, section): (usize, usize)| !flexible[body].sections[section].loads.is_empty();
    model.outputs.iter().filter_map(schema::Output::rule).any(|rule| rule.level == Level::Reaction)
        || outputs.iter().filter_map(|output| output.readout.section()).any(left_out)
}

/// The settings of the augmented Lagrangian in the file.
fn augmented_lagrangian(general: &General) -> AugmentedLagrangian {
    let usual = AugmentedLagrangian::default();
    AugmentedLagrangian {
        penalty: general.penalty.unwrap_or(usual.penalty),
        tolerance: general.tolerance.unwrap_or(usual.tolerance),
        max_iterations: general.max_iterations.map_or(usual.max_iterations, |count| count as usize),
    }
}

fn propagation(model: &Model, flexible: &[Flexible]) -> Propagation {
    match model.general.integrator.scheme().linear_bodies {
        true => Propagation::new(flexible, model.general.step),
        false => Propagation::default(),
    }
}

/// The bodies with a third of the mass of every attached rod as point masses.
fn with_rods(mut bodies: Vec<Body>, rods: &[Rod]) -> Vec<Body> {
    for rod in rods {
        for (&body, point) in rod.bodies.iter().zip(&rod.points) {
            bodies[body].inertia += Inertia::new(rod.mass / 3.0, point, &Mat3::zeros());
        }
    }
    bodies
}

/// The joints of the file with the constraints of the cut joints.
fn with_cuts(mut joints: Vec<JointPlace>, constraints: &[Constraint]) -> Vec<JointPlace> {
    for (index, constraint) in constraints.iter().enumerate() {
        if let Some(joint) = constraint.joint {
            joints[joint].cut = Some(index);
        }
    }
    joints
}
