//! Dense matrices of faer, one thread: its LU with partial pivoting, matrix product and Cholesky factorisation.

use super::{Algebra, Breakdown, Layout};
use ballesta::system::System;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Matrices of faer.
pub struct Dense {
    dependent: Vec<usize>,
    /// Φ_z, columns in the order of the layout, r × nv.
    phi: Mat<f64>,
    /// Factors of Φ_zd, r × r; row k of P Φ_zd is row `rows[k]`.
    lu: Mat<f64>,
    rows: Vec<usize>,
    inverse: Vec<usize>,
    /// Independent and driven velocities.
    known: Mat<f64>,
    /// A right-hand side, r.
    x: Mat<f64>,
    /// −Φ_zd⁻¹ Φ_zi, r × ni.
    rates: Mat<f64>,
    /// R_z, nv × ni; the row of a driven coordinate is zero.
    null: Mat<f64>,
    /// M_open R_z, nv × ni.
    product: Mat<f64>,
    /// M and its factor, ni × ni.
    mass: Mat<f64>,
    /// b and the solution, ni.
    force: Mat<f64>,
    memory: MemBuffer,
}

impl Algebra for Dense {
    fn new(_: &System, layout: &Layout) -> Self {
        let (r, ni, nv) = (layout.rows.len(), layout.ni, layout.nv());
        let mut null = Mat::zeros(nv, ni);
        for (c, &v) in layout.independent().iter().enumerate() {
            null[(v, c)] = 1.0;
        }
        let lu = lu_in_place_scratch::<usize, f64>(r, r, Par::Seq, Default::default());
        let cholesky = llt::factor::cholesky_in_place_scratch::<f64>(ni, Par::Seq, Default::default());
        Dense {
            dependent: layout.dependent().to_vec(),
            phi: Mat::zeros(r, nv),
            lu: Mat::zeros(r, r),
            rows: vec![0; r],
            inverse: vec![0; r],
            known: Mat::zeros(nv - r, 1),
            x: Mat::zeros(r, 1),
            rates: Mat::zeros(r, ni),
            null,
            product: Mat::zeros(nv, ni),
            mass: Mat::zeros(ni, ni),
            force: Mat::zeros(ni, 1),
            memory: MemBuffer::new(lu.or(cholesky)),
        }
    }

    fn factor(&mut self, layout: &Layout, values: &[f64]) -> Result<(), Breakdown> {
        self.phi.fill(0.0);
        for (entry, value) in layout.entries.iter().zip(values) {
            self.phi[(entry.row, entry.column)] += value;
        }
        self.lu.copy_from(self.phi.subcols(0, self.rows.len()));
        let stack = MemStack::new(&mut self.memory);
        lu_in_place(self.lu.as_mut(), &mut self.rows, &mut self.inverse, Par::Seq, stack, Default::default());
        let regular = (0..self.rows.len()).all(|k| self.lu[(k, k)].abs() > 0.0);
        if regular { Ok(()) } else { Err(Breakdown::Singular) }
    }

    fn solve(&mut self, x: &mut [f64]) {
        for (k, &row) in self.rows.iter().enumerate() {
            self.x[(k, 0)] = x[row];
        }
        solve_permuted(&self.lu, self.x.as_mut());
        for (k, x) in x.iter_mut().enumerate() {
            *x = self.x[(k, 0)];
        }
    }

    fn calc_known_rates(&mut self, layout: &Layout, v: &[f64], out: &mut [f64]) {
        let (r, others) = (self.rows.len(), self.known.nrows());
        for (k, &v_index) in layout.order[r..].iter().enumerate() {
            self.known[(k, 0)] = v[v_index];
        }
        let out = MatMut::from_column_major_slice_mut(out, r, 1);
        matmul(out, Accum::Replace, self.phi.subcols(r, others), &self.known, 1.0, Par::Seq);
    }

    fn calc_null_space(&mut self, _: &Layout) {
        let r = self.rows.len();
        for c in 0..self.rates.ncols() {
            for (k, &row) in self.rows.iter().enumerate() {
                self.rates[(k, c)] = -self.phi[(row, r + c)];
            }
        }
        solve_permuted(&self.lu, self.rates.as_mut());
        for c in 0..self.rates.ncols() {
            for (k, &v) in self.dependent.iter().enumerate() {
                self.null[(v, c)] = self.rates[(k, c)];
            }
        }
    }

    fn reduce(&mut self, open_mass: &[f64], force: &[f64]) {
        let nv = self.null.nrows();
        // Symmetric, so the order of rows and columns does not matter.
        let open_mass = MatRef::from_column_major_slice(open_mass, nv, nv);
        let force = MatRef::from_column_major_slice(force, nv, 1);
        matmul(&mut self.product, Accum::Replace, open_mass, &self.null, 1.0, Par::Seq);
        matmul(&mut self.mass, Accum::Replace, self.null.transpose(), &self.product, 1.0, Par::Seq);
        matmul(&mut self.force, Accum::Replace, self.null.transpose(), force, 1.0, Par::Seq);
    }

    fn add_accelerations(&mut self, zdd: &mut [f64]) -> Result<(), Breakdown> {
        let stack = MemStack::new(&mut self.memory);
        llt::factor::cholesky_in_place(self.mass.as_mut(), Default::default(), Par::Seq, stack, Default::default())
            .map_err(|_| Breakdown::Indefinite)?;
        let stack = MemStack::new(&mut self.memory);
        llt::solve::solve_in_place(self.mass.as_ref(), self.force.as_mut(), Par::Seq, stack);
        let zdd = MatMut::from_column_major_slice_mut(zdd, self.null.nrows(), 1);
        matmul(zdd, Accum::Add, &self.null, &self.force, 1.0, Par::Seq);
        Ok(())
    }
}

/// X ← U⁻¹ L⁻¹ X.
fn solve_permuted(lu: &Mat<f64>, mut x: MatMut<'_, f64>) {
    solve_unit_lower_triangular_in_place(lu.as_ref(), x.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(lu.as_ref(), x.as_mut(), Par::Seq);
}
