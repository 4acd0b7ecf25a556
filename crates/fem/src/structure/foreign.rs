//! A structure given by matrices: interfaces, supports, loads and outputs on the nodes of another program.
//!
//! Nodes are named by their numbers; `rigid` and `average` of an interface also take the names of node sets. The ties
//! are eliminated by the congruence K' = Tᵀ K T, M' = Tᵀ M T.

use super::Structure;
use super::structure_schema::Interface as InterfaceTable;
use crate::constraints::{Combination, ConstraintError, Constraints};
use crate::matrices::{self, ForeignStructure, matrices_schema::MatricesTable};
use crate::model::{Coupling, DIRECTIONS, Dof, FiniteElementModel, Interface, LoadCase, MODAL, Node};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::document::{Diagnostic, Diagnostics, nearest};
use ballesta::math::Vec3;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The structure of the matrices, with the other tables of its file.
struct Names<'s> {
    structure: &'s Structure,
    index: HashMap<String, usize>,
    sets: BTreeMap<String, Vec<usize>>,
    diagnostics: Vec<Diagnostic>,
}

/// Builds the model of a structure with a table `[matrices]`.
///
/// # Errors
/// Errors of the matrices ([`matrices::read`]), unknown nodes and sets, contradictory ties, directions that the
/// matrices do not have.
pub(super) fn build(structure: &Structure, table: &MatricesTable) -> Result<FiniteElementModel, Diagnostics> {
    let folder = Path::new(&structure.source.file).parent().unwrap_or(Path::new(""));
    let ForeignStructure { mut model, node_sets, .. } = matrices::read(table, &structure.source, folder)?;
    model.name = structure.file.general.name.clone();
    let index = model.nodes.iter().enumerate().map(|(i, node)| (node.name.clone(), i)).collect();
    let mut names = Names { structure, index, sets: node_sets, diagnostics: Vec::new() };
    names.connect(&mut model)?;
    names.hold_and_load(&mut model);
    names.stress(&mut model, table);
    if names.diagnostics.is_empty() {
        names.diagnostics = super::structure_checks::interfaces_hold(structure, &model);
    }
    Diagnostics(names.diagnostics).into_result(model)
}

impl Names<'_> {
    fn node(&mut self, key: String, name: &str) -> Option<usize> {
        let found = self.index.get(name).copied();
        if found.is_none() {
            let (found, expected) = match self.sets.contains_key(name) || self.sets.contains_key(&name.to_uppercase()) {
                true => (format!("\"{name}\" is a node set"), "write the number of one node".to_string()),
                false => {
                    let count = self.index.len();
                    let what = if key.starts_with("output") { ", or the name of an interface" } else { "" };
                    let expected = format!("write a node number of the matrices, which have {count}{what}");
                    (format!("there is no node \"{name}\""), expected)
                }
            };
            self.report(key, found, expected);
        }
        found
    }

    /// Nodes of a list of numbers and names of sets.
    fn nodes(&mut self, key: &str, entries: &[String]) -> Vec<usize> {
        let mut nodes = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            match (self.sets.get(entry).or_else(|| self.sets.get(&entry.to_uppercase())), self.index.get(entry)) {
                (Some(set), _) => nodes.extend(set),
                (None, Some(node)) => nodes.push(*node),
                (None, None) => {
                    let known: Vec<&str> = self.sets.keys().map(String::as_str).collect();
                    let expected = match known.is_empty() {
                        true => "write a node number; the node file has no sets".to_string(),
                        false => format!("{}, or the number of a node", nearest::did_you_mean(entry, &known)),
                    };
                    self.report(format!("{key}[{i}]"), format!("there is no node or set \"{entry}\""), expected);
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    fn report(&mut self, key: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) {
        self.diagnostics.push(self.structure.source.at(key, found, expected));
    }

    /// Adds the nodes of the interfaces, ties other nodes to them, and reduces the matrices to the independent
    /// directions.
    fn connect(&mut self, model: &mut FiniteElementModel) -> Result<(), Diagnostics> {
        // Reference nodes of interfaces are new nodes or existing ones.
        let tables = &self.structure.file.interfaces;
        let own_nodes = model.nodes.len();
        let places: Vec<Option<usize>> =
            tables.iter().enumerate().map(|(i, table)| self.place(model, i, table)).collect();
        // New nodes are tied to nodes of the matrices, rigidly or on average.
        let mut constraints = Constraints::new(model.dimension, model.nodes.len());
        for (i, table) in tables.iter().enumerate() {
            if let Some(reference) = places[i].filter(|node| *node >= own_nodes) {
                self.tie(&mut constraints, model, i, table, reference);
            }
        }
        Diagnostics(std::mem::take(&mut self.diagnostics)).into_result(())?;
        // Dependent directions are eliminated from the matrices.
        let rows = constraints.resolve().map_err(|_| {
            Diagnostics(vec![self.structure.source.at("interface", "the ties form a cycle", "tie every node once")])
        })?;
        eliminate(model, own_nodes, rows);
        // Interface coordinates are the remaining directions; a requested direction must exist.
        for (i, (table, node)) in tables.iter().zip(places).enumerate() {
            let Some(node) = node else { continue };
            let mut dofs = std::array::from_fn(|direction| dof_of(model, node, direction));
            if let Some(chosen) = &table.directions {
                for (k, direction) in chosen.iter().enumerate().filter(|(_, d)| dofs[d.index()].is_none()) {
                    let key = format!("interface[{i}].directions[{k}]");
                    self.no_direction(key, &model.nodes[node].name, direction.index());
                }
                super::keep_directions(&mut dofs, chosen);
            }
            let coupling = match (&table.rigid, &table.average) {
                (Some(_), _) => Coupling::Rigid,
                (_, Some(_)) => Coupling::Average,
                _ => Coupling::Node,
            };
            let quaternion = table.quaternion.unwrap_or([1.0, 0.0, 0.0, 0.0]);
            model.interfaces.push(Interface { name: table.name.clone(), node, coupling, dofs, quaternion });
        }
        Ok(())
    }

    /// The node of an interface: a node of the matrices, or a new node at a position.
    fn place(&mut self, model: &mut FiniteElementModel, i: usize, table: &InterfaceTable) -> Option<usize> {
        if let Some(name) = &table.node {
            return self.node(format!("interface[{i}].node"), name);
        }
        let at = |k: usize| table.position.as_ref().and_then(|position| position.get(k).copied()).unwrap_or(0.0);
        model.nodes.push(Node { name: table.name.clone(), position: Vec3::new(at(0), at(1), at(2)) });
        Some(model.nodes.len() - 1)
    }

    fn tie(
        &mut self,
        constraints: &mut Constraints,
        model: &FiniteElementModel,
        i: usize,
        table: &InterfaceTable,
        reference: usize,
    ) {
        let (key, entries) = match (&table.rigid, &table.average) {
            (Some(rigid), _) => (format!("interface[{i}].rigid"), rigid),
            (_, Some(average)) => (format!("interface[{i}].average"), average),
            _ => return,
        };
        let followers = self.nodes(&key, entries);
        let arm = |node: usize| model.nodes[node].position - model.nodes[reference].position;
        if let Some(twice) = followers.iter().find(|node| (0..3).any(|d| constraints.is_dependent(6 * **node + d))) {
            let found = format!("node \"{}\" follows two interfaces", model.nodes[*twice].name);
            self.report(key, found, "tie each node to one interface");
            return;
        }
        if table.rigid.is_some() {
            followers.iter().for_each(|node| constraints.rigid(reference, *node, arm(*node)));
        } else {
            let weighted: Vec<(usize, Vec3, f64)> = followers.iter().map(|node| (*node, arm(*node), 1.0)).collect();
            if let Err(ConstraintError::Undetermined) = constraints.average(reference, &weighted) {
                let found = "the nodes are collinear or coincide";
                self.report(key, found, "name at least three nodes that are not collinear");
            }
        }
    }

    fn hold_and_load(&mut self, model: &mut FiniteElementModel) {
        let file = &self.structure.file;
        for (i, support) in file.supports.iter().enumerate() {
            let Some(node) = self.node(format!("support[{i}].node"), &support.node) else { continue };
            for (k, direction) in support.fixed.iter().enumerate() {
                match dof_of(model, node, direction.index()) {
                    Some(dof) => model.supports.push(dof),
                    None => self.no_direction(format!("support[{i}].fixed[{k}]"), &support.node, direction.index()),
                }
            }
        }
        model.supports.sort_unstable();
        model.supports.dedup();
        for (i, load) in file.loads.iter().enumerate() {
            let Some(node) = self.node(format!("load[{i}].node"), &load.node) else { continue };
            let mut forces = Vec::new();
            for (key, first, vector) in [("force", 0, load.force), ("moment", 3, load.moment)] {
                for (axis, value) in vector.into_iter().flatten().enumerate().filter(|(_, value)| *value != 0.0) {
                    // A node that follows an interface transfers its load to the interface.
                    let row: Vec<(usize, f64)> = model.motion.row(6 * node + first + axis).collect();
                    if row.is_empty() {
                        self.no_direction(format!("load[{i}].{key}[{axis}]"), &load.node, first + axis);
                    }
                    forces.extend(row.into_iter().map(|(dof, factor)| (dof, factor * value)));
                }
            }
            match model.loads.iter_mut().find(|case| case.name == load.name) {
                Some(case) => case.forces.extend(forces),
                None => model.loads.push(LoadCase { name: load.name.clone(), forces }),
            }
        }
        for (i, output) in file.outputs.iter().enumerate() {
            match &output.node {
                Some(name) => {
                    // A number, or an interface, whose node may be missing in the matrices.
                    let interface = model.interfaces.iter().find(|interface| interface.name == *name);
                    let of_interface = interface.filter(|_| !self.index.contains_key(name)).map(|found| found.node);
                    let node = of_interface.or_else(|| self.node(format!("output[{i}].node"), name));
                    model.output_nodes.extend(node.map(|node| (output.name.clone(), node)));
                }
                None => {
                    let found = "internal forces need elements; matrices have none";
                    self.report(format!("output[{i}]"), found, "name a `node`");
                }
            }
        }
    }

    /// The forces at interfaces of the states under load; checks that each state has a load.
    fn stress(&mut self, model: &mut FiniteElementModel, table: &MatricesTable) {
        // Loads at interfaces belong to an interface with those directions.
        for (i, (state, stressed)) in table.stressed.iter().zip(&mut model.stressed).enumerate() {
            let key = format!("matrices.stressed[{i}]");
            let force: [f64; 6] = std::array::from_fn(|d| if d < 3 { state.force[d] } else { state.moment[d - 3] });
            let loaded = force.iter().any(|value| *value != 0.0);
            match &state.interface {
                Some(name) => match model.interfaces.iter().position(|interface| interface.name == *name) {
                    Some(interface) => {
                        for direction in (0..6).filter(|d| force[*d] != 0.0) {
                            if model.interfaces[interface].dofs[direction].is_none() {
                                self.no_direction(format!("{key}.interface"), name, direction);
                            }
                        }
                        stressed.interface = Some((interface, force));
                    }
                    None => {
                        let known: Vec<&str> =
                            model.interfaces.iter().map(|interface| interface.name.as_str()).collect();
                        let expected = nearest::did_you_mean(name, &known);
                        self.report(format!("{key}.interface"), format!("there is no interface \"{name}\""), expected);
                    }
                },
                None if loaded => {
                    self.report(&key, "`force` and `moment` have no interface", "add the key `interface`");
                }
                None => {}
            }
            // Geometric stiffness needs the load that causes it, to scale with the load of the run.
            if !loaded && stressed.motion.iter().all(|value| *value == 0.0) {
                let expected = "add `gravity`, `angular_velocity`, `angular_acceleration`, or `force` or `moment` at \
                                an `interface`, as in the FE program, in SI units";
                self.report(&key, "the state has no load", expected);
            }
        }
    }

    fn no_direction(&mut self, key: String, node: &str, direction: usize) {
        let found = format!("node \"{node}\" has no independent direction {}", DIRECTIONS[direction]);
        self.report(key, found, "use a direction of the matrices that no interface uses");
    }
}

fn dof_of(model: &FiniteElementModel, node: usize, direction: usize) -> Option<usize> {
    model.dofs.binary_search_by_key(&(node, direction), |dof| (dof.node, dof.direction)).ok()
}

/// Reduces the matrices to the independent directions; `rows` expresses every direction of every node in terms of them.
/// Nodes from `own_nodes` on are new.
fn eliminate(model: &mut FiniteElementModel, own_nodes: usize, rows: Vec<Combination>) {
    let mut used = vec![false; rows.len()];
    let modal: Vec<usize> = (0..model.size()).filter(|row| model.dofs[*row].direction == MODAL).collect();
    for dof in model.dofs.iter().filter(|dof| dof.direction != MODAL) {
        rows[6 * dof.node + dof.direction].iter().for_each(|(direction, _)| used[*direction] = true);
    }
    let mut number = vec![usize::MAX; rows.len()];
    let mut dofs = Vec::new();
    for direction in (0..rows.len()).filter(|direction| used[*direction]) {
        number[direction] = dofs.len();
        dofs.push(Dof { node: direction / 6, direction: direction % 6 });
    }
    let row = |direction: usize| -> Combination {
        let known = rows[direction].iter().map(|(independent, factor)| (number[*independent], *factor));
        known.filter(|(dof, _)| *dof != usize::MAX).collect()
    };
    // Modal coordinates follow all nodes, including interface nodes, in their previous order.
    let nodal = dofs.len();
    dofs.extend((0..modal.len()).map(|mode| Dof { node: model.nodes.len() + mode, direction: MODAL }));
    let of_dof = |(i, dof): (usize, &Dof)| match modal.binary_search(&i) {
        Ok(mode) => vec![(nodal + mode, 1.0)],
        Err(_) => row(6 * dof.node + dof.direction),
    };
    let transformation = SparseRows::new(dofs.len(), model.dofs.iter().enumerate().map(of_dof));
    let stressed = model.stressed.iter_mut().map(|state| &mut state.geometric);
    for matrix in [&mut model.stiffness, &mut model.mass].into_iter().chain(&mut model.damping).chain(stressed) {
        *matrix = matrix.congruence(&transformation);
    }
    // Nodes of a reduced body without rows follow its shapes.
    let given = model.motion.times(&transformation);
    let motion = |direction: usize| match row(direction) {
        own if own.is_empty() && direction < given.rows() => given.row(direction).collect(),
        own => own,
    };
    model.motion = SparseRows::new(dofs.len(), (0..rows.len()).map(motion));
    model.dofs = dofs;
    let mut entries = Vec::new();
    for j in 0..own_nodes {
        entries.extend(model.covariant_mass.column(j).filter(|(i, _)| *i <= j).map(|(i, mass)| (i, j, mass)));
    }
    model.covariant_mass = SparseSymmetric::from_half(model.nodes.len(), &entries);
}
