//! A structure → the finite-element model: numbering of the degrees of freedom, assembly, interfaces, supports, loads,
//! outputs.

use super::Structure;
use super::members::Members;
use super::structure_checks;
use crate::constraints::{Combination, ConstraintError};
use crate::element::{Element, LineKind, Matrix12};
use crate::internal_force_rows::RecoverySection;
use crate::matrices::covariance;
use crate::model::{DIRECTIONS, Dof, FiniteElementModel, Interface, LoadCase, directions};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::document::{Diagnostic, Diagnostics};
use ballesta::rom::rom_schema::MassModel;

/// Builds the finite-element model of a structure.
///
/// # Errors
/// Diagnostics at the keys of the file: unconnected parts, mechanisms, zero mass, contradictory ties. Supports or loads
/// in directions without degrees of freedom, and interfaces that cannot hold the structure, are errors too.
pub fn build(structure: &Structure) -> Result<FiniteElementModel, Diagnostics> {
    if let Some(table) = &structure.file.matrices {
        return super::foreign::build(structure, table);
    }
    // Elements and ties. Faults are collected, so that one run reports all of them.
    let mut members = Members::new(structure);
    let constraints = members.constraints();
    let mut diagnostics = std::mem::take(&mut members.diagnostics);
    diagnostics.extend(structure_checks::unconnected(structure, &members));
    let rows = match constraints.resolve() {
        Ok(rows) => rows,
        Err(error) => {
            diagnostics.push(cycle(structure, &members, error));
            Vec::new()
        }
    };
    Diagnostics(diagnostics).into_result(())?;

    // Matrices in the independent degrees of freedom; a mechanism has no stiffness in some direction.
    let (dofs, motion) = number(&members, rows);
    let stiffness = assemble(&members.elements, &motion, Element::stiffness);
    let mass = assemble(&members.elements, &motion, Element::mass);
    Diagnostics(structure_checks::mechanisms(structure, &members, &dofs, &stiffness)).into_result(())?;

    // The model without interfaces, supports and loads.
    let is_beam = |element: &Element| matches!(element, Element::Line(line) if line.kind != LineKind::Truss);
    let has_beams = members.elements.iter().any(is_beam);
    let mut model = FiniteElementModel {
        name: structure.file.general.name.clone(),
        dimension: members.dimension,
        element_count: members.elements.len(),
        covariant_mass: translational_mass(&members),
        mass_points: Vec::new(),
        points_only: has_beams,
        mass_model: if has_beams { MassModel::Consistent } else { MassModel::Linear },
        covariance: 0.0,
        damping: None,
        nodes: std::mem::take(&mut members.nodes),
        elements: std::mem::take(&mut members.elements),
        dofs,
        motion,
        stiffness,
        mass,
        interfaces: Vec::new(),
        supports: Vec::new(),
        loads: Vec::new(),
        output_nodes: Vec::new(),
        stressed: Vec::new(),
        notes: Vec::new(),
        sections: Vec::new(),
    };
    // Add the parts that refer to degrees of freedom, then check that the interfaces hold the structure.
    model.covariance = covariance::residual(&model);
    let mut diagnostics = structure_checks::mass(structure, &model);
    add_interfaces(structure, &members, &mut model, &mut diagnostics);
    add_supports(structure, &members, &mut model, &mut diagnostics);
    add_loads(structure, &members, &mut model, &mut diagnostics);
    add_outputs(structure, &members, &mut model);
    if diagnostics.is_empty() {
        diagnostics = structure_checks::interfaces_hold(structure, &model);
    }
    Diagnostics(diagnostics).into_result(model)
}

/// Numbers the independent directions that an element moves, by node and direction, and defines the motion of all
/// directions.
fn number(members: &Members, rows: Vec<Combination>) -> (Vec<Dof>, SparseRows) {
    let mut used = vec![false; rows.len()];
    for element in &members.elements {
        for direction in touched(element) {
            rows[direction].iter().for_each(|(independent, _)| used[*independent] = true);
        }
    }
    let mut number = vec![usize::MAX; rows.len()];
    let mut dofs = Vec::new();
    for (direction, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        number[direction] = dofs.len();
        dofs.push(Dof { node: direction / 6, direction: direction % 6 });
    }
    let rows = rows.into_iter().map(|row| {
        let known = row.into_iter().map(|(independent, factor)| (number[independent], factor));
        known.filter(|(dof, _)| *dof != usize::MAX).collect::<Combination>()
    });
    (dofs.clone(), SparseRows::new(dofs.len(), rows))
}

/// Directions (6·node + direction) in which an element acts: all translations of its nodes, and all rotations of a node
/// if it resists or has inertia about any axis.
fn touched(element: &Element) -> Vec<usize> {
    let acting = element.stiffness().abs() + element.mass().abs();
    let mut directions = Vec::new();
    for (end, node) in element.nodes().into_iter().enumerate() {
        directions.extend((0..3).map(|direction| 6 * node + direction));
        if acting.fixed_rows::<3>(6 * end + 3).max() > 0.0 {
            directions.extend((3..6).map(|direction| 6 * node + direction));
        }
    }
    directions
}

/// Sum of element matrices over the degrees of freedom.
pub(crate) fn assemble(
    elements: &[Element],
    motion: &SparseRows,
    matrix: impl Fn(&Element) -> Matrix12,
) -> SparseSymmetric {
    let mut entries = Vec::new();
    for element in elements {
        let matrix = matrix(element);
        let directions = directions(element.nodes());
        for (i, j) in (0..144).map(|k| (k / 12, k % 12)).filter(|(i, j)| matrix[(*i, *j)] != 0.0) {
            for (q, right) in motion.row(directions[j]) {
                let left = motion.row(directions[i]).filter(|(p, _)| *p <= q);
                entries.extend(left.map(|(p, left)| (p, q, left * matrix[(i, j)] * right)));
            }
        }
    }
    SparseSymmetric::from_half(motion.columns(), &entries)
}

fn translational_mass(members: &Members) -> SparseSymmetric {
    let mut entries = Vec::new();
    for element in &members.elements {
        let ([a, b], mass) = (element.nodes(), element.translational_mass());
        entries.extend([(a, a, mass[0][0]), (b, b, mass[1][1]), (a, b, mass[0][1])]);
    }
    entries.retain(|(_, _, mass)| *mass != 0.0);
    SparseSymmetric::from_half(members.nodes.len(), &entries)
}

fn cycle(structure: &Structure, members: &Members, error: ConstraintError) -> Diagnostic {
    let node = match error {
        ConstraintError::Cycle(direction) => direction / 6,
        ConstraintError::Undetermined => 0,
    };
    let found = format!("node \"{}\" is in a cycle of ties", members.nodes[node].name);
    structure.source.at(&members.node_keys[node], found, "define ties without cycles")
}

/// The degree of freedom of a direction of a node, if the direction is one.
fn dof_of(model: &FiniteElementModel, node: usize, direction: usize) -> Option<usize> {
    model.dofs.binary_search_by_key(&(node, direction), |dof| (dof.node, dof.direction)).ok()
}

fn add_interfaces(
    structure: &Structure,
    members: &Members,
    model: &mut FiniteElementModel,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (i, (node, coupling)) in members.interfaces.iter().enumerate() {
        let mut dofs = std::array::from_fn(|direction| dof_of(model, *node, direction));
        let dependent = (0..6).find(|d| dofs[*d].is_none() && model.motion.row(6 * node + d).next().is_some());
        if let Some(direction) = dependent {
            let name = &model.nodes[*node].name;
            let found = format!("direction {} of node \"{name}\" is dependent on other nodes", DIRECTIONS[direction]);
            let expected = "use the leading node as interface, or a new node with `rigid` or `average`";
            diagnostics.push(structure.source.at(format!("interface[{i}]"), found, expected));
        }
        if let Some(chosen) = &structure.file.interfaces[i].directions {
            for (k, direction) in chosen.iter().enumerate().filter(|(_, d)| dofs[d.index()].is_none()) {
                let key = format!("interface[{i}].directions[{k}]");
                diagnostics.push(no_such_direction(structure, model, key, *node, direction.index()));
            }
            super::keep_directions(&mut dofs, chosen);
        }
        let name = structure.file.interfaces[i].name.clone();
        let quaternion = structure.file.interfaces[i].quaternion.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        model.interfaces.push(Interface { name, node: *node, coupling: *coupling, dofs, quaternion });
    }
}

fn add_supports(
    structure: &Structure,
    members: &Members,
    model: &mut FiniteElementModel,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (i, support) in structure.file.supports.iter().enumerate() {
        let node = members.node(&support.node);
        for (k, direction) in support.fixed.iter().enumerate() {
            match dof_of(model, node, direction.index()) {
                Some(dof) => model.supports.push(dof),
                None => {
                    let key = format!("support[{i}].fixed[{k}]");
                    diagnostics.push(no_such_direction(structure, model, key, node, direction.index()));
                }
            }
        }
    }
    model.supports.sort_unstable();
    model.supports.dedup();
}

fn no_such_direction(
    structure: &Structure,
    model: &FiniteElementModel,
    key: String,
    node: usize,
    direction: usize,
) -> Diagnostic {
    let (name, word) = (&model.nodes[node].name, DIRECTIONS[direction]);
    let (found, expected) = if !model.dimension.directions().contains(&direction) {
        (format!("planar structures do not move in direction {word}"), "use x, y and rz")
    } else if model.motion.row(6 * node + direction).next().is_some() {
        (format!("direction {word} of node \"{name}\" is dependent on other nodes"), "hold the leading node")
    } else {
        let found = format!("node \"{name}\" has no direction {word}: no element resists its rotation");
        (found, "remove it, or connect the node to a beam")
    };
    structure.source.at(key, found, expected)
}

fn add_loads(
    structure: &Structure,
    members: &Members,
    model: &mut FiniteElementModel,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (i, load) in structure.file.loads.iter().enumerate() {
        let node = members.node(&load.node);
        let mut forces = Vec::new();
        for (offset, key, vector) in [(0, "force", load.force), (3, "moment", load.moment)] {
            for (k, value) in vector.iter().flatten().enumerate().filter(|(_, value)| **value != 0.0) {
                let row: Vec<_> = model.motion.row(6 * node + offset + k).collect();
                if row.is_empty() {
                    let key = format!("load[{i}].{key}[{k}]");
                    diagnostics.push(no_such_direction(structure, model, key, node, offset + k));
                }
                forces.extend(row.into_iter().map(|(dof, factor)| (dof, factor * value)));
            }
        }
        match model.loads.iter_mut().find(|case| case.name == load.name) {
            Some(case) => case.forces.extend(forces),
            None => model.loads.push(LoadCase { name: load.name.clone(), forces }),
        }
    }
}

fn add_outputs(structure: &Structure, members: &Members, model: &mut FiniteElementModel) {
    for output in &structure.file.outputs {
        // An output at a node.
        if let Some(node) = &output.node {
            model.output_nodes.push((output.name.clone(), members.node(node)));
            continue;
        }
        let (file, truss) = (&structure.file, output.truss.as_deref().unwrap_or_default());
        // A section of a beam or truss has stress points of its cross-section.
        let (member, points) = match &output.beam {
            Some(name) => {
                let beam = file.beams.iter().find(|beam| beam.name == *name);
                let points = beam.map(|beam| members.beam_stress_points(beam, output.at.unwrap_or(0.0)));
                (format!("beam {name}"), points)
            }
            None => {
                let bar = file.trusses.iter().find(|bar| bar.name == truss);
                let points = bar.map(|bar| members.stress_points(&bar.material, bar.section.as_deref()));
                (format!("truss {truss}"), points)
            }
        };
        // The relative position along the member selects an element and a position in it.
        let Some((first, count)) = members.members.get(&member) else { continue };
        let at = output.at.unwrap_or(0.0) * *count as f64;
        let within = (at.floor() as usize).min(count - 1);
        let element = first + within;
        let Some(Element::Line(line)) = model.elements.get(element) else { continue };
        let [start, end] = line.nodes.map(|node| model.nodes[node].position);
        let at = at - within as f64;
        let (position, axes) = (start + (end - start) * at, line.axes);
        let (name, member) = (output.name.clone(), line.name.clone());
        let points = points.unwrap_or_default();
        model.sections.push(RecoverySection { name, member, element, at, position, axes, points });
    }
}
