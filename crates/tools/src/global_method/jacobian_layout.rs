//! The global system of closure equations: its rows and coordinates, and the non-zero pattern of Φ_z.

use ballesta::joint::Row;
use ballesta::system::{State, System, Workspace};
use ballesta::topology::loop_legs;

/// An entry of Φ_z; several entries may share a position.
pub struct Entry {
    /// Equation.
    pub row: usize,
    /// Position of the coordinate in [`Layout::order`].
    pub column: usize,
    /// Velocity coordinate.
    pub v: usize,
    /// Whether the coordinate is on the leg of the row's second body or of the first.
    pub on_second: bool,
}

/// Equations and coordinates: the pivots of all blocks define the equations and the dependent coordinates.
pub struct Layout {
    /// Row of the system of every equation, ascending, r.
    pub rows: Vec<usize>,
    /// Size in m of its loops.
    pub sizes: Vec<f64>,
    /// Velocity coordinates: r dependent ones, ni independent ones, driven ones, each ascending.
    pub order: Vec<usize>,
    /// Number of independent coordinates.
    pub ni: usize,
    /// Tree joint of every velocity coordinate.
    pub owners: Vec<usize>,
    /// Φ_z, equation by equation.
    pub entries: Vec<Entry>,
}

impl Layout {
    /// For the coordinates that are independent in `state`.
    pub fn new(system: &System, state: &State) -> Layout {
        let joints = system.joints.iter().enumerate();
        let owners: Vec<usize> = joints.flat_map(|(index, joint)| joint.v_range().map(move |_| index)).collect();
        let (mut rows, mut dependent) = (Vec::new(), Vec::new());
        for block in &system.blocks {
            let pivots = |order: std::ops::Range<usize>| state.orders[order].iter().take(block.rank);
            rows.extend(pivots(block.row_order()).map(|&row| (block.rows.start + row as usize, block.size)));
            dependent.extend(pivots(block.column_order()).map(|&column| block.coordinates[column as usize]));
        }
        rows.sort_by_key(|row| row.0);
        dependent.sort_unstable();
        let mut guided: Vec<usize> = system.guided.iter().map(|guided| guided.coordinate.velocity).collect();
        guided.sort_unstable();
        let independent: Vec<usize> =
            (0..owners.len()).filter(|v| !dependent.contains(v) && !guided.contains(v)).collect();
        let ni = independent.len();
        let order: Vec<usize> = dependent.into_iter().chain(independent).chain(guided).collect();
        let (rows, sizes): (Vec<usize>, Vec<f64>) = rows.into_iter().unzip();
        let mut layout = Layout { rows, sizes, order, ni, owners, entries: Vec::new() };
        layout.entries = layout.find_entries(system);
        layout
    }

    /// Coordinates on the legs of every row.
    fn find_entries(&self, system: &System) -> Vec<Entry> {
        let place = self.places();
        let mut entries = Vec::new();
        for (row, &index) in self.rows.iter().enumerate() {
            for (v, on_second) in legs(system, index) {
                entries.push(Entry { row, column: place[v], v, on_second });
            }
        }
        entries
    }

    /// Position of every velocity coordinate in [`Layout::order`].
    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.order.len()];
        for (column, &v) in self.order.iter().enumerate() {
            place[v] = column;
        }
        place
    }

    /// Dependent coordinates.
    pub fn dependent(&self) -> &[usize] {
        &self.order[..self.rows.len()]
    }

    /// Independent coordinates.
    pub fn independent(&self) -> &[usize] {
        &self.order[self.rows.len()..self.rows.len() + self.ni]
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        self.order.len()
    }

    /// Entries of Φ_zd that are not zero by structure.
    pub fn dependent_entries(&self) -> usize {
        let mut places: Vec<_> = self.entries.iter().map(|entry| (entry.row, entry.column)).collect();
        places.retain(|place| place.1 < self.rows.len());
        places.sort_unstable();
        places.dedup();
        places.len()
    }

    /// All closure equations of the loops, redundant ones included, and the entries of their derivatives with respect
    /// to the dependent coordinates that are not zero by structure.
    pub fn rectangular(&self, system: &System) -> (usize, usize) {
        let place = self.places();
        let rows: Vec<usize> = system.blocks.iter().flat_map(|block| block.rows.clone()).collect();
        let entries = rows.iter().map(|&row| {
            let mut columns: Vec<usize> = legs(system, row).into_iter().map(|(v, _)| place[v]).collect();
            columns.retain(|&column| column < self.rows.len());
            columns.sort_unstable();
            columns.dedup();
            columns.len()
        });
        (rows.len(), entries.sum())
    }

    /// Fraction of the entries of Φ_zd that are not zero by structure; 1 without equations.
    pub fn density(&self) -> f64 {
        let r = self.rows.len();
        if r == 0 { 1.0 } else { self.dependent_entries() as f64 / (r * r) as f64 }
    }

    /// Values of [`Layout::entries`] and of the rows at the present positions.
    pub fn calc_jacobian(&self, system: &System, ws: &mut Workspace, values: &mut [f64]) {
        for &row in &self.rows {
            ws.closure.rows[row] = system.rows[row].state(&ws.kinematics.bodies, &ws.stage.q);
        }
        for (value, entry) in values.iter_mut().zip(&self.entries) {
            let row = self.rows[entry.row];
            let state = &ws.closure.rows[row];
            *value = match &system.rows[row] {
                coupled @ Row::Coupled { terms, .. } => {
                    let own = terms.iter().enumerate().filter(|(_, term)| term.velocity == entry.v);
                    own.map(|(k, _)| coupled.slope(state, k)).sum()
                }
                _ if entry.on_second => ws.kinematics.columns[entry.v].dot(&state.on_second),
                _ => -ws.kinematics.columns[entry.v].dot(&state.on_first),
            };
        }
    }
}

/// Velocity coordinates on the legs of a closure equation, and whether they are on the leg of its second body.
fn legs(system: &System, row: usize) -> Vec<(usize, bool)> {
    match &system.rows[row] {
        Row::Coupled { terms, .. } => terms.iter().map(|term| (term.velocity, true)).collect(),
        other => {
            let parents: Vec<usize> = system.bodies.iter().map(|body| body.parent).collect();
            let (first, second) = other.bodies().expect("such a row has two bodies");
            let (on_first, on_second) = loop_legs(&parents, first, second);
            let legs =
                on_first.into_iter().map(|body| (body, false)).chain(on_second.into_iter().map(|body| (body, true)));
            legs.flat_map(|(body, second)| system.joints[body - 1].v_range().map(move |v| (v, second))).collect()
        }
    }
}
