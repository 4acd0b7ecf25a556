//! Model → System: topology, numbering, constant geometry. The assembly of loops is left to [`super::assembly`].

use super::clusters::{Mechanism, cluster_map, clusters};
use super::draft::{Draft, DraftedConstraints};
use super::flexible;
use super::motion::{guided, wishes};
use super::names::{Names, Sizes};
use super::numbering::{number_tree, place_bodies};
use super::outputs::{Influence, outputs};
use crate::force::road::Road;
use crate::force::{self, CoordinateIx};
use crate::joint::Row;
use crate::model::schema::{Implicit, Integrator, Model};
use crate::model::{Diagnostics, Document};
use crate::system::{
    Block, Body, Flexible, Guide, Guided, InputInfo, Interface, ParameterInfo, Propagation, Readout, Report, State,
    System, low_pass,
};
use crate::topology::Groups;
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
    let mut draft = Draft::new(&names, bodies);
    draft.add_cuts();
    draft.add_rods();
    draft.add_points();
    draft.add_couplers();
    let mut guided = guided(&names);
    hold_residual_modes(&flexible, &mut guided);
    let (blocks, constraints, rows) = draft.into_blocks(&guided, &flexible);
    finish(model, names, parameters, flexible, guided, blocks, constraints, rows)
}

#[allow(clippy::too_many_arguments)]
fn finish(
    model: &Model,
    names: Names,
    parameters: &[f64],
    flexible: Vec<Flexible>,
    guided: Vec<Guided>,
    mut blocks: Vec<Block>,
    drafted: DraftedConstraints,
    rows: Vec<Row>,
) -> Result<System, Diagnostics> {
    let DraftedConstraints { constraints, rods, bodies } = drafted;
    let Sizes { nq, nv, slots } = names.sizes;
    let mut names = names;
    for constraint in &constraints {
        if let Some(joint) = constraint.joint {
            names.joint_places[joint].cut = constraints.iter().position(|other| other.joint == Some(joint));
        }
    }
    let mut q = vec![0.0; nq];
    for joint in &names.joints {
        if let Some(iq) = joint.kind.quaternion() {
            q[joint.q + iq] = 1.0;
        }
    }
    let wishes = wishes(&names, &mut q);
    let independent: Vec<usize> = model
        .joints
        .iter()
        .enumerate()
        .filter(|(_, joint)| joint.independent)
        .filter_map(|(file, _)| names.joint_places[file].tree)
        .flat_map(|tree| names.joints[tree].v_range())
        .collect();
    for block in &mut blocks {
        for (class, v) in block.class.iter_mut().zip(&block.coordinates) {
            let elastic = flexible.iter().any(|body| body.v.contains(v));
            *class = if elastic { 2 } else { u8::from(independent.contains(v)) };
        }
        block.class_without_wishes = block.class.iter().map(|&class| if class == 2 { 2 } else { 0 }).collect();
    }
    let in_block: Vec<bool> = (0..nv).map(|v| blocks.iter().any(|block| block.coordinates.contains(&v))).collect();
    let is_guided = |v: usize| guided.iter().any(|g| g.coordinate.velocity == v);
    let free: Vec<usize> = (0..nv).filter(|&v| !in_block[v] && !is_guided(v)).collect();
    let filtered = guided.iter().filter(|g| matches!(g.guide, Guide::Filtered { .. })).count();
    let held: usize = flexible.iter().map(|body| 2 * body.residual).sum();
    let maps = names.document.height_maps.iter().map(Option::as_deref);
    let roads = model.roads.iter().zip(maps).map(|(road, map)| Arc::new(Road::build(road, map, &names)));
    let roads: Vec<Arc<Road>> = roads.collect();
    let mut elements = force::build(model, &names, &names.document.tyres, &roads);
    let first_of_elements = 2 + 3 * filtered + held;
    let mut before_filters = first_of_elements;
    for element in &mut elements {
        element.place_states(before_filters);
        before_filters += element.states().len();
    }
    let element_states = first_of_elements..before_filters;
    let inputs: Vec<InputInfo> = model
        .inputs
        .iter()
        .map(|input| InputInfo {
            name: input.name.clone(),
            unit: input.unit.clone().unwrap_or_default(),
            start: input.start,
            description: input.description.clone(),
        })
        .collect();
    let owner = |v: usize| match flexible.iter().find(|body| body.v.contains(&v)) {
        Some(body) => body.body,
        None => names.joints.iter().position(|joint| joint.v_range().contains(&v)).map_or(0, |tree| tree + 1),
    };
    let body_of_coordinate: Vec<usize> = (0..nv).map(owner).collect();
    let component = components(&bodies, &rows, &body_of_coordinate);
    let acts = actions(&elements, &guided, &component, &body_of_coordinate, inputs.len());
    let coupled = coupled(&elements, &component, &body_of_coordinate);
    let influence = Influence {
        component: &component,
        body_of_coordinate: &body_of_coordinate,
        acts: &acts,
        guided: &guided,
        coupled: &coupled,
        balanced: model.experiment.trim
            || elements.iter().any(|element| !element.states().is_empty())
            || flexible.iter().any(|body| body.starts_static || body.residual > 0),
    };
    let (outputs, output_infos) = outputs(&names, &elements, &constraints, &influence, &inputs);
    let filters = low_pass::of_outputs(model, parameters, before_filters);
    let auxiliary = filters.iter().fold(before_filters, |end, filter| end.max(filter.states().end));
    let needs_reactions = outputs.iter().any(|output| {
        let left_out = |(body, section): (usize, usize)| !flexible[body].sections[section].loads.is_empty();
        output.readout.section().is_some_and(left_out)
            || matches!(
                output.readout,
                Readout::ReactionForce(_)
                    | Readout::ReactionMoment(_)
                    | Readout::ConstraintForce(_)
                    | Readout::ConstraintReactionForce(_)
                    | Readout::ConstraintReactionMoment(_)
                    | Readout::GuidedEffort(_)
            )
    });
    let parameter_infos = model
        .parameters
        .iter()
        .map(|parameter| ParameterInfo {
            name: parameter.name.clone(),
            unit: parameter.unit.clone().unwrap_or_default(),
            start: parameter.value,
            tunable: parameter.tunable,
            min: parameter.min,
            max: parameter.max,
            description: parameter.description.clone(),
        })
        .collect();
    let start = model.experiment.start;
    let implicit = model.general.integrator == Integrator::GeneralizedAlpha;
    let augmented = model.general.integrator == Integrator::AugmentedLagrangian;
    let remembers = implicit || augmented;
    let propagation = match model.general.integrator {
        Integrator::Exponential => Propagation::new(&flexible, model.general.step),
        _ => Propagation::default(),
    };
    let elastic: usize = flexible.iter().map(Flexible::modes).sum();
    let initial = State {
        time: start,
        q,
        v: vec![0.0; nv],
        auxiliary: vec![0.0; auxiliary],
        angles: vec![0.0; outputs.iter().filter(|output| output.turns.is_some()).count()],
        accelerations: vec![0.0; if remembers { nv } else { 0 }],
        offsets: vec![0.0; if remembers { nv } else { 0 }],
        last_step: vec![0.0; if remembers { 3 + element_states.len() + if implicit { elastic } else { 0 } } else { 0 }],
        multipliers: vec![0.0; if augmented { rows.len() } else { 0 }],
        inputs: inputs.iter().map(|input| input.start).collect(),
        input_slopes: vec![0.0; inputs.len()],
        input_times: vec![start; inputs.len()],
        parameters: parameters.to_vec(),
        orders: blocks.iter().flat_map(|b| (0..b.rows.len() as u32).chain(0..b.coordinates.len() as u32)).collect(),
        pivots: vec![0.0; blocks.len()],
        growth_limits: vec![0.0; blocks.len()],
        least_change: vec![0; blocks.len()],
        near_singular: 0,
        repartitions: 0,
    };
    let mut joint_of_tree = vec![None; names.joints.len()];
    for (file, place) in names.joint_places.iter().enumerate() {
        if let Some(tree) = place.tree {
            joint_of_tree[tree] = Some(file);
        }
    }
    // The derivatives of all forces fill a mass matrix.
    let derived = model.general.implicit.unwrap_or_default();
    let clusters = if !(implicit && derived == Implicit::All) {
        let on_moving = |element: &force::Element| {
            element.bodies().iter().map(|body| body.0).filter(|&body| body != 0).collect::<Vec<usize>>()
        };
        let together = if implicit { elements.iter().map(on_moving).collect() } else { Vec::new() };
        let mechanism = Mechanism {
            bodies: &bodies,
            joints: &names.joints,
            flexible: &flexible,
            constraints: &constraints,
            rows: &rows,
            blocks: &blocks,
            rods: &rods,
            free: &free,
        };
        clusters(&mechanism, &together)
    } else {
        Vec::new()
    };
    let cluster_map = cluster_map(&clusters, [bodies.len(), nv, blocks.len()]);
    Ok(System {
        name: model.general.name.clone(),
        interface: Interface { inputs, parameters: parameter_infos, outputs: output_infos },
        gravity: names.vector(&model.general.gravity),
        step: model.general.step,
        integrator: model.general.integrator,
        halving_scale: 1.0,
        step_halvings: model.general.step_halvings.unwrap_or(STEP_HALVINGS),
        spectral_radius: model.general.spectral_radius.unwrap_or(SPECTRAL_RADIUS),
        implicit: model.general.implicit.unwrap_or_default(),
        start_time: start,
        trim: model.experiment.trim,
        origin: names.origin,
        nq,
        nv,
        slots,
        auxiliary,
        element_states,
        bodies,
        flexible,
        joint_of_tree,
        joints: names.joints,
        joint_places: names.joint_places,
        constraints,
        rows,
        rods,
        blocks,
        guided,
        clusters,
        cluster_map,
        free,
        elements,
        outputs,
        filters,
        propagation,
        needs_reactions,
        wishes,
        initial,
        report: Report::default(),
    })
}

/// Modes that are too fast for the step become held coordinates; their positions and last changes stand behind the states of
/// the guides' filters.
fn hold_residual_modes(flexible: &[Flexible], guided: &mut Vec<Guided>) {
    let filtered = guided.iter().filter(|item| matches!(item.guide, Guide::Filtered { .. })).count();
    let mut state = 2 + 3 * filtered;
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
    let mut groups = Groups::new(bodies.len());
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
    let mut groups = Groups::new(component.len());
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
