//! Displacements and lumped masses of the nodes inside a reduced body. With both, the higher-order inertia integrals
//! use the actual mass distribution.
//!
//! u = Φ q for the coordinates q of the matrices, in their order: a separate map defines the rows, the map of the
//! matrices defines the columns. Nodes with rows in the matrices follow these rows.

use super::covariance;
use super::data_lines::{Lines, complaint};
use super::dof_map::DofMap;
use super::matrices_schema::UnitFactors;
use super::matrix_checks::RIGID_STIFFNESS;
use super::matrix_market;
use super::nodes::NodeTable;
use super::{assemble, data_lines};
use crate::model::{DIRECTIONS, FiniteElementModel, MODAL, rigid_motion};
use crate::sparse::SparseRows;
use ballesta::document::Diagnostic;
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::MassModel;

/// Largest difference between the sum of the masses and the mass of the matrices. Masses of supports or of another
/// model exceed it.
const MASS: f64 = 0.05;

/// The files.
pub struct Files {
    /// Φ as Matrix Market.
    pub shapes: Lines,
    /// Node and direction of each row of Φ.
    pub map: Lines,
    /// Node and mass.
    pub masses: Lines,
}

/// Shapes stored as `motion` of `model`, before validation.
pub struct Shapes {
    file: String,
    map: DofMap,
    /// Row of `motion` for each row of the map.
    targets: Vec<usize>,
    masses: Lines,
}

/// Reads shapes into `motion` of `model`, whose matrices have the map `columns`.
///
/// # Errors
/// Errors of a file, with line and column.
pub fn read(
    files: Files,
    model: &mut FiniteElementModel,
    columns: &DofMap,
    nodes: &NodeTable,
    units: UnitFactors,
) -> Result<Shapes, Diagnostic> {
    // Rows have their own map of nodes and directions; columns are the coordinates of the matrices.
    let rows = DofMap::read(files.map)?;
    let file = files.shapes.file().to_string();
    let shapes = matrix_market::read_between(files.shapes, &rows, columns)?;
    // Translations have the length unit of the file, rotations are in rad.
    let place = assemble::rows_of(columns, nodes, &model.dofs);
    let unit = |direction: usize| if direction < 3 { units.length } else { 1.0 };
    let mut motion: Vec<Vec<(usize, f64)>> =
        (0..model.motion.rows()).map(|row| model.motion.row(row).collect()).collect();
    // Nodes with coordinates of their own keep them; shapes give only the motion of other nodes.
    let own: Vec<bool> = motion.iter().map(|row| !row.is_empty()).collect();
    let mut targets = Vec::with_capacity(rows.rows.len());
    for row in &rows.rows {
        let node = nodes.index(row.node).filter(|_| row.direction != MODAL);
        let Some(node) = node else {
            let found = format!("{} is missing in the node file", rows.label(row));
            return Err(complaint(&rows.file, (row.line, 1), found, "use nodes of the node file"));
        };
        targets.push(6 * node + row.direction);
    }
    let mut shaped = vec![Vec::new(); motion.len()];
    for entry in shapes.entries.iter().filter(|entry| !own[targets[entry.row]]) {
        let scale = unit(rows.rows[entry.row].direction) / unit(columns.rows[entry.column].direction);
        shaped[targets[entry.row]].push((place[entry.column], entry.value * scale));
    }
    let mut shaped = SparseRows::new(model.size(), shaped);
    // Rows and columns are along the axes of their nodes.
    if !nodes.axes.is_empty() {
        if let Some(rotation) = assemble::rotation(nodes, &model.dofs) {
            shaped = shaped.times(&rotation);
        }
        shaped = assemble::node_rotation(nodes).times(&shaped);
    }
    motion.iter_mut().enumerate().filter(|(row, _)| !own[*row]).for_each(|(row, entries)| {
        entries.extend(shaped.row(row));
    });
    model.motion = SparseRows::new(model.size(), motion);
    Ok(Shapes { file, map: rows, targets, masses: files.masses })
}

impl Shapes {
    /// Reads the masses into `model`, whose modal coordinates are zero in rigid motions.
    ///
    /// # Errors
    /// Shapes whose rigid motions differ from the rigid motions of the nodes; errors of the mass file; a mass sum that
    /// differs from the mass of the matrices.
    pub fn weigh(
        self,
        model: &mut FiniteElementModel,
        nodes: &NodeTable,
        units: UnitFactors,
    ) -> Result<(), Diagnostic> {
        expect_rigid_motions(model, &self)?;
        let file = self.masses.file().to_string();
        let masses = masses(self.masses, nodes, units)?;
        let (total, (mass, _)) = (masses.iter().sum::<f64>(), covariance::mass_and_centre(model));
        if !((total / mass - 1.0).abs() <= MASS) {
            let found = format!("the nodal masses sum to {total:.6e} kg, the matrices have {mass:.6e} kg");
            let expected = "give the lumped masses of all nodes of the body, in the units of the matrices";
            return Err(complaint(&file, (0, 0), found, expected));
        }
        model.covariant_mass = covariance::of_lumped(model, masses);
        model.mass_model = MassModel::Lumped;
        Ok(())
    }
}

/// Rejects shapes whose motion of a node in rigid motions does not match its position.
fn expect_rigid_motions(model: &FiniteElementModel, shapes: &Shapes) -> Result<(), Diagnostic> {
    let Shapes { file, map, targets, .. } = shapes;
    let motions = model.rigid_motions(Vec3::zeros());
    let moved = model.motion.multiply(motions.as_ref());
    let length = model.nodes.iter().map(|node| node.position.norm()).fold(f64::MIN_POSITIVE, f64::max);
    for (&row, of_map) in targets.iter().zip(&map.rows) {
        let (node, direction) = (&model.nodes[row / 6], row % 6);
        for column in 0..6 {
            let expected = rigid_motion(node.position, direction, column);
            let scale = if direction < 3 && column >= 3 { length } else { 1.0 };
            if !((moved[(row, column)] - expected).abs() <= RIGID_STIFFNESS * scale) {
                let found = format!(
                    "`{file}`: node {} moves by {:.6e} in {} for the unit motion {} of the interfaces; a rigid body \
                     moves it by {expected:.6e}",
                    node.name,
                    moved[(row, column)],
                    DIRECTIONS[direction],
                    DIRECTIONS[column]
                );
                let right = "give shapes, map and nodes of one mesh, in the units and coordinate order of the matrices";
                return Err(complaint(&map.file, (of_map.line, 1), found, right));
            }
        }
    }
    Ok(())
}

/// Mass of each node of the table in kg, from lines `node, mass`.
fn masses(mut lines: Lines, nodes: &NodeTable, units: UnitFactors) -> Result<Vec<f64>, Diagnostic> {
    let mut masses = vec![0.0; nodes.numbers.len()];
    let mut given = vec![None; masses.len()];
    let kilogram = units.mass / (units.length * units.length);
    while let Some(line) = lines.next()? {
        if data_lines::is_comment(line.text) || (line.number == 1 && line.text.starts_with("node")) {
            continue;
        }
        let [node, mass] = line.exactly("node, mass")?;
        let Some(index) = nodes.index(node.node()?) else {
            return Err(node.complain("the node is missing in the node file", "use nodes of the node file"));
        };
        if let Some(first) = given[index].replace(line.number) {
            return Err(node.complain(format!("duplicate node, first in line {first}"), "give one mass for each node"));
        }
        masses[index] = mass.number()? * kilogram;
        if masses[index] < 0.0 {
            return Err(mass.complain("the mass is negative", "write 0 or more"));
        }
    }
    Ok(masses)
}
