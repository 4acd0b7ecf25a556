//! Sparse matrices of faer, one thread: patterns, orders and products are analysed once, values are renewed in every
//! evaluation. Φ_zd has an LU factorisation with row exchanges, R_z one solve with a dense right-hand side per column
//! (as with MA48), M_open the pattern of the paths to the root, M two sparse products and a sparse Cholesky
//! factorisation.

use super::{Algebra, Breakdown, Layout};
use ballesta::system::System;
use ballesta::topology::{DisjointSets, path_to_ground};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::linalg::matmul::{
    SparseMatMulInfo, sparse_dense_matmul, sparse_sparse_matmul_numeric, sparse_sparse_matmul_numeric_scratch,
    sparse_sparse_matmul_symbolic,
};
use faer::sparse::{SparseColMatMut, SparseColMatRef, SymbolicSparseColMat};
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par, Side};

/// A matrix, column by column.
struct Matrix {
    pattern: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
}

impl Matrix {
    /// Zeros at `places` (row, column).
    fn new((rows, columns): (usize, usize), places: &[(usize, usize)]) -> Matrix {
        let mut places: Vec<_> = places.iter().map(|&(row, column)| (column, row)).collect();
        places.sort_unstable();
        places.dedup();
        let mut starts = vec![0; columns + 1];
        places.iter().for_each(|place| starts[place.0 + 1] += 1);
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let rows_of_entries: Vec<usize> = places.iter().map(|place| place.1).collect();
        let values = vec![0.0; places.len()];
        Matrix { pattern: SymbolicSparseColMat::new_checked(rows, columns, starts, None, rows_of_entries), values }
    }

    /// The zero matrix with the pattern of a product, and how it is computed.
    fn of_product(left: &Matrix, right: &Matrix) -> (Matrix, SparseMatMulInfo) {
        let analysed = sparse_sparse_matmul_symbolic(left.pattern.as_ref(), right.pattern.as_ref());
        let (pattern, info) = analysed.expect("the product is small");
        let values = vec![0.0; pattern.row_idx().len()];
        (Matrix { pattern, values }, info)
    }

    /// Rows and columns of the entries.
    fn places(&self) -> Vec<(usize, usize)> {
        let column = |c: usize| self.pattern.as_ref().row_idx_of_col(c).map(move |row| (row, c)).collect::<Vec<_>>();
        (0..self.pattern.ncols()).flat_map(column).collect()
    }

    /// Index of the entry at a position of the pattern.
    fn slot(&self, row: usize, column: usize) -> usize {
        let range = self.pattern.as_ref().col_range(column);
        let within = self.pattern.row_idx()[range.clone()].binary_search(&row);
        range.start + within.expect("the place is in the pattern")
    }

    fn view(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(self.pattern.as_ref(), &self.values)
    }

    /// self ← left · right.
    fn multiply(&mut self, left: &Matrix, right: &Matrix, info: &SparseMatMulInfo, memory: &mut MemBuffer) {
        let out = SparseColMatMut::new(self.pattern.as_ref(), &mut self.values);
        let stack = MemStack::new(memory);
        sparse_sparse_matmul_numeric(out, Accum::Replace, left.view(), right.view(), 1.0, info, Par::Seq, stack);
    }
}

/// An entry of Φ_zi, or of a driven coordinate.
struct Known {
    entry: usize,
    row: usize,
    v: usize,
    /// Column of the right-hand sides of R_z.
    column: Option<usize>,
}

/// Sparse matrices of faer.
pub struct Sparse {
    /// Φ_zd, r × r; for each entry of the layout its position.
    phi: Matrix,
    slots: Vec<(usize, usize)>,
    order: SymbolicLu<usize>,
    factors: NumericLu<usize, f64>,
    /// The other columns of Φ_z and their values.
    known: Vec<Known>,
    known_values: Vec<f64>,
    /// Right-hand sides and solutions of R_z, r × number of independent coordinates on loops.
    rates: Mat<f64>,
    /// R_z, nv × ni. Dependent entries: (row and column of `rates`, position in `null`, position in `transposed`).
    null: Matrix,
    transposed: Matrix,
    null_slots: Vec<((usize, usize), [usize; 2])>,
    /// M_open, nv × nv, and the positions of its entries in the dense matrix.
    open_mass: Matrix,
    sources: Vec<usize>,
    /// M_open R_z.
    product: Matrix,
    product_info: SparseMatMulInfo,
    /// M.
    mass: Matrix,
    mass_info: SparseMatMulInfo,
    mass_order: SymbolicCholesky<usize>,
    mass_factor: Vec<f64>,
    /// b and the solution, ni.
    force: Mat<f64>,
    memory: MemBuffer,
}

impl Algebra for Sparse {
    fn new(system: &System, layout: &Layout) -> Self {
        let (r, ni, nv) = (layout.rows.len(), layout.ni, layout.nv());
        let of_dependent: Vec<_> = layout.entries.iter().filter(|entry| entry.column < r).collect();
        let phi = Matrix::new((r, r), &of_dependent.iter().map(|e| (e.row, e.column)).collect::<Vec<_>>());
        let numbered = layout.entries.iter().enumerate();
        let slots = numbered.clone().filter(|(_, e)| e.column < r);
        let slots = slots.map(|(index, e)| (index, phi.slot(e.row, e.column))).collect();
        let order = factorize_symbolic_lu(phi.pattern.as_ref(), Default::default()).expect("the matrix is small");

        let mut on_loops: Vec<usize> =
            layout.entries.iter().map(|e| e.column).filter(|column| (r..r + ni).contains(column)).collect();
        on_loops.sort_unstable();
        on_loops.dedup();
        let known: Vec<Known> = numbered
            .filter(|(_, e)| e.column >= r)
            .map(|(entry, e)| Known { entry, row: e.row, v: e.v, column: on_loops.binary_search(&e.column).ok() })
            .collect();

        let dependents = reached(layout, &phi, &on_loops);
        let identity = layout.independent().iter().enumerate().map(|(c, &v)| (v, c));
        let moved = dependents.iter().map(|&(k, column)| (layout.order[k], on_loops[column] - r));
        let places: Vec<(usize, usize)> = identity.clone().chain(moved).collect();
        let mut null = Matrix::new((nv, ni), &places);
        let mut transposed = Matrix::new((ni, nv), &places.iter().map(|&(row, c)| (c, row)).collect::<Vec<_>>());
        for (v, c) in identity {
            let (slot, mirrored) = (null.slot(v, c), transposed.slot(c, v));
            (null.values[slot], transposed.values[mirrored]) = (1.0, 1.0);
        }
        let slot = |&(k, column): &(usize, usize)| {
            let (v, c) = (layout.order[k], on_loops[column] - r);
            ((k, column), [null.slot(v, c), transposed.slot(c, v)])
        };
        let null_slots = dependents.iter().map(slot).collect();

        let open_mass = Matrix::new((nv, nv), &open_places(system, layout));
        let sources = open_mass.places().into_iter().map(|(row, column)| row * nv + column).collect();
        let (product, product_info) = Matrix::of_product(&open_mass, &null);
        let (mass, mass_info) = Matrix::of_product(&transposed, &product);
        let (by_degree, usual) = (SymmetricOrdering::Amd, CholeskySymbolicParams::default());
        let mass_order = factorize_symbolic_cholesky(mass.pattern.as_ref(), Side::Lower, by_degree, usual)
            .expect("the matrix is small");

        let scratch = StackReq::any_of(&[
            order.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default()),
            order.solve_in_place_scratch::<f64>(on_loops.len().max(1), Par::Seq),
            sparse_sparse_matmul_numeric_scratch::<usize, f64>(product.pattern.as_ref(), Par::Seq),
            sparse_sparse_matmul_numeric_scratch::<usize, f64>(mass.pattern.as_ref(), Par::Seq),
            mass_order.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            mass_order.solve_in_place_scratch::<f64>(1, Par::Seq),
        ]);
        Sparse {
            phi,
            slots,
            order,
            factors: NumericLu::new(),
            known_values: vec![0.0; known.len()],
            known,
            rates: Mat::zeros(r, on_loops.len()),
            null,
            transposed,
            null_slots,
            open_mass,
            sources,
            product,
            product_info,
            mass,
            mass_info,
            mass_factor: vec![0.0; mass_order.len_val()],
            mass_order,
            force: Mat::zeros(ni, 1),
            memory: MemBuffer::new(scratch),
        }
    }

    fn factor(&mut self, _: &Layout, values: &[f64]) -> Result<(), Breakdown> {
        self.phi.values.fill(0.0);
        for &(entry, slot) in &self.slots {
            self.phi.values[slot] += values[entry];
        }
        for (value, known) in self.known_values.iter_mut().zip(&self.known) {
            *value = values[known.entry];
        }
        let stack = MemStack::new(&mut self.memory);
        self.order
            .factorize_numeric_lu(&mut self.factors, self.phi.view(), Par::Seq, stack, Default::default())
            .map_err(|_| Breakdown::Singular)?;
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64]) {
        let x = MatMut::from_column_major_slice_mut(x, self.phi.pattern.nrows(), 1);
        let factors = LuRef::new_unchecked(&self.order, &self.factors);
        factors.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut self.memory));
    }

    fn calc_known_rates(&mut self, _: &Layout, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (known, value) in self.known.iter().zip(&self.known_values) {
            out[known.row] += value * v[known.v];
        }
    }

    fn calc_null_space(&mut self, _: &Layout) {
        self.rates.fill(0.0);
        for (known, value) in self.known.iter().zip(&self.known_values) {
            if let Some(column) = known.column {
                self.rates[(known.row, column)] -= value;
            }
        }
        let factors = LuRef::new_unchecked(&self.order, &self.factors);
        factors.solve_in_place_with_conj(Conj::No, self.rates.as_mut(), Par::Seq, MemStack::new(&mut self.memory));
        for &(place, [slot, mirrored]) in &self.null_slots {
            let rate = self.rates[place];
            (self.null.values[slot], self.transposed.values[mirrored]) = (rate, rate);
        }
    }

    fn reduce(&mut self, open_mass: &[f64], force: &[f64]) {
        for (value, &source) in self.open_mass.values.iter_mut().zip(&self.sources) {
            *value = open_mass[source];
        }
        self.product.multiply(&self.open_mass, &self.null, &self.product_info, &mut self.memory);
        self.mass.multiply(&self.transposed, &self.product, &self.mass_info, &mut self.memory);
        let force = MatRef::from_column_major_slice(force, force.len(), 1);
        sparse_dense_matmul(self.force.as_mut(), Accum::Replace, self.transposed.view(), force, 1.0, Par::Seq);
    }

    fn add_accelerations(&mut self, zdd: &mut [f64]) -> Result<(), Breakdown> {
        let (mass, stack) = (self.mass.view(), MemStack::new(&mut self.memory));
        let (regular, usual) = (LltRegularization::default(), Default::default());
        self.mass_order
            .factorize_numeric_llt(&mut self.mass_factor, mass, Side::Lower, regular, Par::Seq, stack, usual)
            .map_err(|_| Breakdown::Indefinite)?;
        let factor = LltRef::new(&self.mass_order, &self.mass_factor);
        factor.solve_in_place_with_conj(Conj::No, self.force.as_mut(), Par::Seq, MemStack::new(&mut self.memory));
        let nv = zdd.len();
        let zdd = MatMut::from_column_major_slice_mut(zdd, nv, 1);
        sparse_dense_matmul(zdd, Accum::Add, self.null.view(), self.force.as_ref(), 1.0, Par::Seq);
        Ok(())
    }
}

/// Entries of −Φ_zd⁻¹ Φ_zi that are not zero by structure, as (dependent coordinate, place in `on_loops`): a column
/// reaches the equations that are connected with its equations.
fn reached(layout: &Layout, phi: &Matrix, on_loops: &[usize]) -> Vec<(usize, usize)> {
    let r = layout.rows.len();
    // Equations, then dependent coordinates.
    let mut connected = DisjointSets::new(2 * r);
    phi.places().iter().for_each(|&(row, k)| connected.join(row, r + k));
    let mut places = Vec::new();
    for entry in &layout.entries {
        if let Ok(column) = on_loops.binary_search(&entry.column) {
            let set = connected.leader(entry.row);
            places.extend((0..r).filter(|k| connected.leader(r + k) == set).map(|k| (k, column)));
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// Entries of M_open without driven coordinates: pairs on one path to the root, and pairs of the two ends of a rod.
fn open_places(system: &System, layout: &Layout) -> Vec<(usize, usize)> {
    let parents: Vec<usize> = system.bodies.iter().map(|body| body.parent).collect();
    let mut places = Vec::new();
    for (joint, tree) in system.joints.iter().enumerate() {
        for inboard in path_to_ground(&parents, joint + 1) {
            for i in tree.v_range() {
                places.extend(system.joints[inboard - 1].v_range().flat_map(|j| [(i, j), (j, i)]));
            }
        }
    }
    for rod in system.rods.iter().filter(|rod| rod.mass != 0.0) {
        let [p, q] = &rod.coordinates;
        places.extend(p.iter().flat_map(|&i| q.iter().flat_map(move |&j| [(i, j), (j, i)])));
    }
    let guided = &layout.order[layout.rows.len() + layout.ni..];
    places.retain(|(i, j)| !guided.contains(i) && !guided.contains(j));
    places
}
