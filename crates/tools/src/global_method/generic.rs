//! Dense matrices in plain loops, row by row, dimensions known at run time.

use super::{Algebra, Breakdown, Layout};
use ballesta::system::System;

/// Matrices are row-major.
pub struct Generic {
    r: usize,
    ni: usize,
    nv: usize,
    dependent: Vec<usize>,
    /// Φ_z, columns in the order of the layout, r × nv.
    phi: Vec<f64>,
    /// Factors of Φ_zd, r × r, and the row with which each row was exchanged.
    lu: Vec<f64>,
    exchanges: Vec<usize>,
    /// −Φ_zd⁻¹ Φ_zi, r × ni.
    rates: Vec<f64>,
    /// R_z, nv × ni; the row of a driven coordinate is zero.
    null: Vec<f64>,
    /// M_open R_z, nv × ni.
    product: Vec<f64>,
    /// M and its factor, ni × ni.
    mass: Vec<f64>,
    /// b and the solution, ni.
    force: Vec<f64>,
}

impl Algebra for Generic {
    fn new(_: &System, layout: &Layout) -> Self {
        let (r, ni, nv) = (layout.rows.len(), layout.ni, layout.nv());
        let zeros = |count: usize| vec![0.0; count];
        let mut null = zeros(nv * ni);
        for (c, &v) in layout.independent().iter().enumerate() {
            null[v * ni + c] = 1.0;
        }
        Generic {
            r,
            ni,
            nv,
            dependent: layout.dependent().to_vec(),
            phi: zeros(r * nv),
            lu: zeros(r * r),
            exchanges: vec![0; r],
            rates: zeros(r * ni),
            null,
            product: zeros(nv * ni),
            mass: zeros(ni * ni),
            force: zeros(ni),
        }
    }

    fn factor(&mut self, layout: &Layout, values: &[f64]) -> Result<(), Breakdown> {
        let (r, nv) = (self.r, self.nv);
        self.phi.fill(0.0);
        for (entry, value) in layout.entries.iter().zip(values) {
            self.phi[entry.row * nv + entry.column] += value;
        }
        for i in 0..r {
            self.lu[i * r..(i + 1) * r].copy_from_slice(&self.phi[i * nv..i * nv + r]);
        }
        factor_lu(&mut self.lu, r, &mut self.exchanges)
    }

    fn solve(&mut self, x: &mut [f64]) {
        solve_lu(&self.lu, self.r, &self.exchanges, x, 1);
    }

    fn calc_known_rates(&mut self, layout: &Layout, v: &[f64], out: &mut [f64]) {
        for i in 0..self.r {
            let mut sum = 0.0;
            for j in self.r..self.nv {
                sum += self.phi[i * self.nv + j] * v[layout.order[j]];
            }
            out[i] = sum;
        }
    }

    fn calc_null_space(&mut self, _: &Layout) {
        let (r, ni, nv) = (self.r, self.ni, self.nv);
        for i in 0..r {
            for j in 0..ni {
                self.rates[i * ni + j] = -self.phi[i * nv + r + j];
            }
        }
        solve_lu(&self.lu, r, &self.exchanges, &mut self.rates, ni);
        for (i, &v) in self.dependent.iter().enumerate() {
            self.null[v * ni..(v + 1) * ni].copy_from_slice(&self.rates[i * ni..(i + 1) * ni]);
        }
    }

    fn reduce(&mut self, open_mass: &[f64], force: &[f64]) {
        let (ni, nv) = (self.ni, self.nv);
        self.product.fill(0.0);
        for i in 0..nv {
            for k in 0..nv {
                add_row(&mut self.product[i * ni..], open_mass[i * nv + k], &self.null[k * ni..(k + 1) * ni]);
            }
        }
        self.mass.fill(0.0);
        self.force.fill(0.0);
        for k in 0..nv {
            let (row, product) = (&self.null[k * ni..(k + 1) * ni], &self.product[k * ni..(k + 1) * ni]);
            for i in 0..ni {
                add_row(&mut self.mass[i * ni..], row[i], product);
            }
            add_row(&mut self.force, force[k], row);
        }
    }

    fn add_accelerations(&mut self, zdd: &mut [f64]) -> Result<(), Breakdown> {
        let ni = self.ni;
        factor_cholesky(&mut self.mass, ni)?;
        solve_cholesky(&self.mass, ni, &mut self.force);
        for (i, zdd) in zdd.iter_mut().enumerate() {
            for j in 0..ni {
                *zdd += self.null[i * ni + j] * self.force[j];
            }
        }
        Ok(())
    }
}

/// out ← out + factor · row.
fn add_row(out: &mut [f64], factor: f64, row: &[f64]) {
    for (out, value) in out.iter_mut().zip(row) {
        *out += factor * value;
    }
}

/// P A = L U in place, partial pivoting; `exchanges[k]` is the row with which row k was exchanged.
fn factor_lu(a: &mut [f64], n: usize, exchanges: &mut [usize]) -> Result<(), Breakdown> {
    for k in 0..n {
        let mut chosen = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[chosen * n + k].abs() {
                chosen = i;
            }
        }
        if !(a[chosen * n + k].abs() > 0.0) {
            return Err(Breakdown::Singular);
        }
        exchanges[k] = chosen;
        for j in 0..n {
            a.swap(k * n + j, chosen * n + j);
        }
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let pivot_row = &head[k * n + k..];
        for row in tail.chunks_exact_mut(n) {
            let factor = row[k] / pivot_row[0];
            row[k] = factor;
            add_row(&mut row[k + 1..], -factor, &pivot_row[1..]);
        }
    }
    Ok(())
}

/// X ← A⁻¹ X for `width` right-hand sides, n × width.
fn solve_lu(lu: &[f64], n: usize, exchanges: &[usize], x: &mut [f64], width: usize) {
    for (k, &other) in exchanges.iter().enumerate() {
        for j in 0..width {
            x.swap(k * width + j, other * width + j);
        }
    }
    for i in 0..n {
        let (head, tail) = x.split_at_mut(i * width);
        for (j, row) in head.chunks_exact(width).enumerate() {
            add_row(&mut tail[..width], -lu[i * n + j], row);
        }
    }
    for i in (0..n).rev() {
        let (head, tail) = x.split_at_mut((i + 1) * width);
        let row = &mut head[i * width..];
        for (j, other) in (i + 1..n).zip(tail.chunks_exact(width)) {
            add_row(row, -lu[i * n + j], other);
        }
        row.iter_mut().for_each(|value| *value /= lu[i * n + i]);
    }
}

/// Lower triangle L of A = L Lᵀ in place.
fn factor_cholesky(a: &mut [f64], n: usize) -> Result<(), Breakdown> {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if !(sum > 0.0) {
                    return Err(Breakdown::Indefinite);
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    Ok(())
}

/// x ← A⁻¹ x from L.
fn solve_cholesky(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        for j in 0..i {
            x[i] -= l[i * n + j] * x[j];
        }
        x[i] /= l[i * n + i];
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= l[j * n + i] * x[j];
        }
        x[i] /= l[i * n + i];
    }
}
