//! Model → System in its design position, one function per stage: numbering, loops, forces, outputs, initial state, clusters. The assembly of
//! loops is left to [`super::assembly`].

use super::clusters::{self, cluster_map};
use super::continuous;
use super::draft::{Draft, DraftedConstraints};
use super::flexible;
use super::motion::{guided, requests};
use super::names::{Names, Sizes};
use super::numbering::{number_tree, place_bodies};
use super::outputs::{Influence, outputs};
use crate::force::road::Road;
use crate::force::{self, CoordinateIx};
use crate::joint::Row;
use crate::model::readings::Level;
use crate::model::schema::{self, Implicit, Integrator, Model};
use crate::model::{Diagnostics, Document};
use crate::system::{
    Block, Body, Cluster, Constraint, ENERGIES, Flexible, Guide, Guided, InputInfo, Interface, Memory, Output,
    OutputInfo, ParameterInfo, Propagation, Report, Requests, Rod, State, System, low_pass,
};
use crate::topology::DisjointSets;
use std::ops::Range;
use std::sync::Arc;

/// Of the generalized-alpha method, unless the file gives it.
const SPECTRAL_RADIUS: f64 = 0.8;
/// Halvings of a step: to a sixteenth.
const STEP_HALVINGS: u32 = 4;

/// Builds the system of a validated document with the values of its parameters. Blocks carry no ranks yet and the initial
/// state is the design position.
pub fn build(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let model = &document.model;
    let mut flexible = flexible::build(document, parameters)?;
    let mut names = number_tree(document, parameters, &mut flexible)?;
    let bodies = place_bodies(&mut names, &flexible);
    let flexible: Vec<Flexible> = flexible.into_iter().map(|draft| draft.flexible).collect();
    let mut mechanism = close_loops(&names, bodies, flexible);
    tell_cuts(&mut names, &mechanism.constraints);
    let (positions, requests) = start_positions(&names);
    choose_classes(&names, &mut mechanism);
    names.roads = build_roads(&names);
    let forces = build_forces(&names, &mechanism);
    let inputs = inputs(model);
    let (outputs, output_infos) = resolve_outputs(&names, &mechanism, &forces.elements, &inputs);
    let filters = low_pass::of_outputs(model, parameters, forces.states.end);
    let auxiliary = filters.iter().fold(forces.states.end, |end, filter| end.max(filter.states().end));
    let initial =
        initial_state(&names, &mechanism, &forces, Start { positions, inputs: &inputs, outputs: &outputs, auxiliary });
    let clusters = build_clusters(&names, &mechanism, &forces.elements);
    let needs_reactions = needs_reactions(model, &mechanism.flexible, &outputs);
    let propagation = match model.general.integrator {
        Integrator::Exponential => Propagation::new(&mechanism.flexible, model.general.step),
        _ => Propagation::default(),
    };
    let Sizes { nq, nv, slots } = names.sizes;
    let mut system = System {
        name: model.general.name.clone(),
        interface: Interface {
            inputs,
            parameters: parameter_infos(model),
            outputs: output_infos,
            rheonomic: mechanism.guided.iter().any(|guided| guided.guide.is_in_time()),
            states: Vec::new(),
            not_continuous: None,
        },
        gravity: names.vector(&model.general.gravity),
        step: model.general.step,
        integrator: model.general.integrator,
        halving_scale: 1.0,
        step_halvings: model.general.step_halvings.unwrap_or(STEP_HALVINGS),
        spectral_radius: model.general.spectral_radius.unwrap_or(SPECTRAL_RADIUS),
        implicit: model.general.implicit.unwrap_or_default(),
        start_time: model.experiment.start,
        trim: model.experiment.trim,
        origin: names.origin,
        nq,
        nv,
        slots,
        auxiliary,
        element_states: forces.states,
        cluster_map: cluster_map(&clusters, [mechanism.bodies.len(), nv, mechanism.blocks.len()]),
        bodies: mechanism.bodies,
        flexible: mechanism.flexible,
        joint_of_tree: joint_of_tree(&names),
        joints: names.joints,
        joint_places: names.joint_places,
        constraints: mechanism.constraints,
        rows: mechanism.rows,
        rods: mechanism.rods,
        blocks: mechanism.blocks,
        guided: mechanism.guided,
        clusters,
        free: mechanism.free,
        elements: forces.elements,
        outputs,
        filters,
        propagation,
        needs_reactions,
        requests,
        initial,
        report: Report::default(),
    };
    continuous::describe(&mut system);
    Ok(system)
}

/// Bodies, joints apart, with what closes their loops.
struct Mechanism {
    bodies: Vec<Body>,
    flexible: Vec<Flexible>,
    guided: Vec<Guided>,
    blocks: Vec<Block>,
    constraints: Vec<Constraint>,
    rows: Vec<Row>,
    rods: Vec<Rod>,
    /// Velocity coordinates in no block and not guided.
    free: Vec<usize>,
}

impl Mechanism {
    /// Auxiliary states before those of the elements: dissipated energy and input work, filters of guides, held modes.
    fn states_of_guides(&self) -> usize {
        let filtered = self.guided.iter().filter(|item| matches!(item.guide, Guide::Filtered { .. })).count();
        let held: usize = self.flexible.iter().map(|body| 2 * body.residual).sum();
        ENERGIES.end + 3 * filtered + held
    }
}

/// Closure rows of cuts, rods and other constraints, sorted into blocks; guided coordinates.
fn close_loops(names: &Names, bodies: Vec<Body>, flexible: Vec<Flexible>) -> Mechanism {
    let mut draft = Draft::new(names, bodies);
    draft.add_cuts();
    draft.add_rods();
    draft.add_points();
    draft.add_couplers();
    let mut guided = guided(names);
    hold_residual_modes(&flexible, &mut guided);
    let (blocks, DraftedConstraints { constraints, rods, bodies }, rows) = draft.into_blocks(&guided, &flexible);
    let in_block = |v: usize| blocks.iter().any(|block| block.coordinates.contains(&v));
    let is_guided = |v: usize| guided.iter().any(|item| item.coordinate.velocity == v);
    let free = (0..names.sizes.nv).filter(|&v| !in_block(v) && !is_guided(v)).collect();
    Mechanism { bodies, flexible, guided, blocks, constraints, rows, rods, free }
}

/// Tells every cut joint of the file its constraint.
fn tell_cuts(names: &mut Names, constraints: &[Constraint]) {
    for constraint in constraints {
        if let Some(joint) = constraint.joint {
            names.joint_places[joint].cut = constraints.iter().position(|other| other.joint == Some(joint));
        }
    }
}

/// The design position with the positions that the file requests, and the requests.
fn start_positions(names: &Names) -> (Vec<f64>, Requests) {
    let mut q = vec![0.0; names.sizes.nq];
    for joint in &names.joints {
        if let Some(iq) = joint.kind.quaternion() {
            q[joint.q + iq] = 1.0;
        }
    }
    let requests = requests(names, &mut q);
    (q, requests)
}

/// Which coordinates of every block are to be independent before others: those that the file requests, then rigid ones, then elastic ones.
fn choose_classes(names: &Names, mechanism: &mut Mechanism) {
    let requested = names.model.joints.iter().zip(&names.joint_places).filter(|(joint, _)| joint.independent);
    let requested = requested.filter_map(|(_, place)| place.tree).flat_map(|tree| names.joints[tree].v_range());
    let independent: Vec<usize> = requested.collect();
    for block in &mut mechanism.blocks {
        for (class, v) in block.class.iter_mut().zip(&block.coordinates) {
            let elastic = mechanism.flexible.iter().any(|body| body.v.contains(v));
            *class = if elastic { 2 } else { u8::from(independent.contains(v)) };
        }
        block.class_without_requests = block.class.iter().map(|&class| if class == 2 { 2 } else { 0 }).collect();
    }
}

fn build_roads(names: &Names) -> Vec<Arc<Road>> {
    let maps = names.document.height_maps.iter().map(Option::as_deref);
    names.model.roads.iter().zip(maps).map(|(road, map)| Arc::new(Road::build(road, map, names))).collect()
}

/// Force elements with the places of their states among the auxiliary ones.
struct Forces {
    elements: Vec<force::Element>,
    states: Range<usize>,
}

fn build_forces(names: &Names, mechanism: &Mechanism) -> Forces {
    let mut elements = force::build(names.model, names);
    let first = mechanism.states_of_guides();
    let (mut end, mut patches) = (first, 0);
    for element in &mut elements {
        patches = element.place_patches(patches);
        element.place_states(end);
        end += element.states().len();
    }
    Forces { elements, states: first..end }
}

fn inputs(model: &Model) -> Vec<InputInfo> {
    let info = |input: &schema::Input| InputInfo {
        name: input.name.clone(),
        unit: input.unit.clone().unwrap_or_default(),
        start: input.start,
        description: input.description.clone(),
    };
    model.inputs.iter().map(info).collect()
}

fn parameter_infos(model: &Model) -> Vec<ParameterInfo> {
    let info = |parameter: &schema::Parameter| ParameterInfo {
        name: parameter.name.clone(),
        unit: parameter.unit.clone().unwrap_or_default(),
        start: parameter.value,
        tunable: parameter.tunable,
        min: parameter.min,
        max: parameter.max,
        description: parameter.description.clone(),
    };
    model.parameters.iter().map(info).collect()
}

/// What every output reads, and on which inputs it depends.
fn resolve_outputs(
    names: &Names,
    mechanism: &Mechanism,
    elements: &[force::Element],
    inputs: &[InputInfo],
) -> (Vec<Output>, Vec<OutputInfo>) {
    let owner = |v: usize| match mechanism.flexible.iter().find(|body| body.v.contains(&v)) {
        Some(body) => body.body,
        None => names.joints.iter().position(|joint| joint.v_range().contains(&v)).map_or(0, |tree| tree + 1),
    };
    let body_of_coordinate: Vec<usize> = (0..names.sizes.nv).map(owner).collect();
    let component = components(&mechanism.bodies, &mechanism.rows, &body_of_coordinate);
    let influence = Influence {
        component: &component,
        body_of_coordinate: &body_of_coordinate,
        acts: &actions(elements, &mechanism.guided, &component, &body_of_coordinate, inputs.len()),
        guided: &mechanism.guided,
        coupled: &coupled(elements, &component, &body_of_coordinate),
        balanced: names.model.experiment.trim
            || elements.iter().any(|element| !element.states().is_empty())
            || mechanism.flexible.iter().any(|body| body.starts_static || body.residual > 0),
    };
    outputs(names, elements, &mechanism.constraints, &influence, inputs)
}

/// Whether outputs need the reactions of a stage beside its accelerations: those of the level, and forces in sections of bodies that leave
/// out modes.
fn needs_reactions(model: &Model, flexible: &[Flexible], outputs: &[Output]) -> bool {
    let left_out = |(body, section): (usize, usize)| !flexible[body].sections[section].loads.is_empty();
    model.outputs.iter().filter_map(schema::Output::rule).any(|rule| rule.level == Level::Reaction)
        || outputs.iter().filter_map(|output| output.readout.section()).any(left_out)
}

/// What the initial state is made of beside the mechanism.
struct Start<'a> {
    positions: Vec<f64>,
    inputs: &'a [InputInfo],
    outputs: &'a [Output],
    /// Number of auxiliary states.
    auxiliary: usize,
}

/// The state in the design position at rest, before the assembly.
fn initial_state(names: &Names, mechanism: &Mechanism, forces: &Forces, start: Start) -> State {
    let (nv, blocks) = (names.sizes.nv, &mechanism.blocks);
    let implicit = names.model.general.integrator == Integrator::GeneralizedAlpha;
    let augmented = names.model.general.integrator == Integrator::AugmentedLagrangian;
    // What a scheme keeps of its last step.
    let kept = |length: usize| vec![0.0; if implicit || augmented { length } else { 0 }];
    let elastic: usize = mechanism.flexible.iter().map(Flexible::modes).sum();
    let time = names.model.experiment.start;
    State {
        time,
        q: start.positions,
        v: vec![0.0; nv],
        auxiliary: vec![0.0; start.auxiliary],
        angles: vec![0.0; start.outputs.iter().filter(|output| output.turns.is_some()).count()],
        accelerations: kept(nv),
        offsets: kept(nv),
        last_step: kept(Memory::new(forces.states.len()).mode_changes.start + if implicit { elastic } else { 0 }),
        multipliers: vec![0.0; if augmented { mechanism.rows.len() } else { 0 }],
        inputs: start.inputs.iter().map(|input| input.start).collect(),
        input_slopes: vec![0.0; start.inputs.len()],
        input_times: vec![time; start.inputs.len()],
        parameters: names.parameters.to_vec(),
        orders: blocks.iter().flat_map(|b| (0..b.rows.len() as u32).chain(0..b.coordinates.len() as u32)).collect(),
        pivots: vec![0.0; blocks.len()],
        growth_limits: vec![0.0; blocks.len()],
        least_change: vec![0; blocks.len()],
        near_singular: 0,
        repartitions: 0,
    }
}

/// The file's joint of every tree joint; none for links.
fn joint_of_tree(names: &Names) -> Vec<Option<usize>> {
    let mut joint_of_tree = vec![None; names.joints.len()];
    for (file, place) in names.joint_places.iter().enumerate() {
        if let Some(tree) = place.tree {
            joint_of_tree[tree] = Some(file);
        }
    }
    joint_of_tree
}

/// What is eliminated together; nothing where the derivatives of all forces fill a mass matrix.
fn build_clusters(names: &Names, mechanism: &Mechanism, elements: &[force::Element]) -> Vec<Cluster> {
    let implicit = names.model.general.integrator == Integrator::GeneralizedAlpha;
    if implicit && names.model.general.implicit.unwrap_or_default() == Implicit::All {
        return Vec::new();
    }
    let on_moving = |element: &force::Element| {
        element.bodies().iter().map(|body| body.0).filter(|&body| body != 0).collect::<Vec<usize>>()
    };
    let together = if implicit { elements.iter().map(on_moving).collect() } else { Vec::new() };
    let tree = clusters::Mechanism {
        bodies: &mechanism.bodies,
        joints: &names.joints,
        flexible: &mechanism.flexible,
        constraints: &mechanism.constraints,
        rows: &mechanism.rows,
        blocks: &mechanism.blocks,
        rods: &mechanism.rods,
        free: &mechanism.free,
    };
    clusters::clusters(&tree, &together)
}

/// Modes that are too fast for the step become held coordinates; their positions and last changes stand behind the states of
/// the guides' filters.
fn hold_residual_modes(flexible: &[Flexible], guided: &mut Vec<Guided>) {
    let filtered = guided.iter().filter(|item| matches!(item.guide, Guide::Filtered { .. })).count();
    let mut state = ENERGIES.end + 3 * filtered;
    for body in flexible {
        for k in body.modes() - body.residual..body.modes() {
            let coordinate = CoordinateIx { position: body.q.start + k, velocity: body.v.start + k };
            let name = format!("{} mode {}", body.name, k + 1);
            guided.push(Guided { name, coordinate, guide: Guide::Residual { state } });
            state += 2;
        }
    }
}

/// Component of every body: bodies that exchange reactions without the ground between them.
fn components(bodies: &[Body], rows: &[Row], body_of_coordinate: &[usize]) -> Vec<usize> {
    let mut groups = DisjointSets::new(bodies.len());
    let mut join = |a: usize, b: usize| {
        if a != 0 && b != 0 {
            groups.join(a, b);
        }
    };
    for (index, body) in bodies.iter().enumerate().skip(1) {
        join(index, body.parent);
    }
    for row in rows {
        match row {
            Row::Coupled { first, second, .. } => join(body_of_coordinate[first.1], body_of_coordinate[second.1]),
            _ => {
                let (a, b) = row.bodies().unwrap_or((0, 0));
                join(a, b);
            }
        }
    }
    (0..bodies.len()).map(|body| groups.leader(body)).collect()
}

/// `component` for bodies between which force elements act as well, the ground left out.
fn coupled(elements: &[force::Element], component: &[usize], body_of_coordinate: &[usize]) -> Vec<usize> {
    let mut groups = DisjointSets::new(component.len());
    let mut join = |a: usize, b: usize| {
        if a != 0 && b != 0 {
            groups.join(a, b);
        }
    };
    component.iter().enumerate().for_each(|(body, &leader)| join(body, leader));
    for element in elements {
        let of_coordinates = element.coordinates().iter().map(|ix| body_of_coordinate[ix.velocity]).collect::<Vec<_>>();
        let on: Vec<usize> =
            element.bodies().iter().map(|body| body.0).chain(of_coordinates).filter(|&body| body != 0).collect();
        on.windows(2).for_each(|pair| join(pair[0], pair[1]));
    }
    (0..component.len()).map(|body| groups.leader(body)).collect()
}

/// Per input: components it acts on and from which level of motion on.
fn actions(
    elements: &[force::Element],
    guided: &[Guided],
    component: &[usize],
    body_of_coordinate: &[usize],
    inputs: usize,
) -> Vec<Vec<(usize, u8)>> {
    let mut acts = vec![Vec::new(); inputs];
    for element in elements {
        let coordinates = element.coordinates();
        let on = coordinates.iter().map(|ix| body_of_coordinate[ix.velocity]);
        let on: Vec<usize> = element.bodies().iter().map(|body| body.0).chain(on).collect();
        for input in element.inputs() {
            acts[input].extend(on.iter().filter(|&&body| body != 0).map(|&body| (component[body], 2)));
        }
    }
    for item in guided {
        if let Guide::Inputs { index, .. } = item.guide {
            let at = component[body_of_coordinate[item.coordinate.velocity]];
            index.iter().zip(0u8..).for_each(|(&input, level)| acts[input].push((at, level)));
        }
    }
    acts
}
