//! Exact propagation of the modes of linear flexible bodies over a step.
//!
//! Problem. η̈ + D η̇ + Ω² η = f(t) with f linear in time during the step. With y = (η, η̇, f, ḟ) this is
//!
//! ```text
//!     ẏ = Â y,      Â = [ 0 1 0 0 ; −Ω² −D 1 0 ; 0 0 0 1 ; 0 0 0 0 ],      y(t + τ) = e^{Âτ} y(t)
//! ```
//!
//! of size 4m for m modes. Modes that damping does not couple are groups of their own: with modal damping every mode is
//! one, and a step costs 8 multiplications per mode; with coupled damping 8 m².
//!
//! Method. E(τ) = e^{Âτ} − 1 is a Taylor polynomial at τ = h/2^K, where ‖Â‖τ ≤ 1/16 (norm with displacements times ω),
//! and from there E(2τ) = 2 E(τ) + E(τ)²: doubling E instead of e^{Âτ} preserves the accuracy of modes that are slow
//! relative to the fastest one. All E(h/2^k) on the way are kept. A step that is shorter than h is a sum of these, by
//! its binary digits, and a rest below h/2^K, for which the Taylor polynomial is applied to y. Both polynomials are cut
//! where the rest is below 1e-24.
//!
//! Real time. A full step is one matrix product; a shorter one at most K + 1 of them, K ≤ 60. Nothing allocates.
//!
//! References. C. Moler, C. Van Loan, SIAM Rev. 45 (2003) 3-49 (scaling and squaring); C. Van Loan, IEEE Trans. Autom.
//! Control 23 (1978) 395-404 (inputs as states).
//!
//! Verified by: tests below (against the closed form), crates/fem/tests/fem/flexible_exact.rs.

#![expect(clippy::disallowed_types, reason = "creates constants of the scheme, before the first step")]

use super::Flexible;
use crate::math::elementary::sqrt;
use crate::topology::DisjointSets;
use alloc::vec::Vec;
use nalgebra::DMatrix;

/// ‖Â‖τ for which the Taylor polynomial is used.
const SMALL: f64 = 0.0625;
/// Degree of the Taylor polynomial.
const DEGREE: usize = 14;
/// Largest number of halvings of the step.
const HALVINGS: usize = 60;

/// Propagates modes over steps of any length up to the internal step, see the module documentation.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Propagation {
    groups: Vec<Group>,
    /// Internal step h, s.
    step: f64,
}

/// Modes that damping couples.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Group {
    /// Position and velocity coordinate of every mode.
    modes: Vec<(usize, usize)>,
    /// ω², rad²/s².
    stiffness: Vec<f64>,
    /// D, m × m, 1/s.
    damping: Vec<f64>,
    /// E(h/2^k), k = 0, 1, …: the 2m rows of η and η̇, 4m columns.
    levels: Vec<Vec<f64>>,
}

impl Propagation {
    /// For all modes of `bodies` and the internal step `step` in s. Allocates.
    #[expect(clippy::disallowed_methods, reason = "creates constants of the scheme, before the first step")]
    pub fn new(bodies: &[Flexible], step: f64) -> Propagation {
        let mut groups = Vec::new();
        for body in bodies {
            let n = body.modes();
            let mut coupled = DisjointSets::new(n);
            for (at, _) in body.damping.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                coupled.join(at / n, at % n);
            }
            let leaders: Vec<usize> = (0..n).map(|mode| coupled.leader(mode)).collect();
            for leader in 0..n {
                let members: Vec<usize> = (0..n).filter(|&mode| leaders[mode] == leader).collect();
                if !members.is_empty() {
                    groups.push(Group::new(body, &members, step));
                }
            }
        }
        Propagation { groups, step }
    }

    /// Size of the scratch memory of [`Propagation::advance`].
    pub(crate) fn scratch(&self) -> usize {
        self.groups.iter().map(|group| 12 * group.modes.len()).max().unwrap_or(0)
    }

    /// Advances `q` and `v` (all coordinates of the system) by `h` (s, not longer than the internal step) under the
    /// modal loads `load` at its start (per velocity coordinate) that grow by `slope` per s.
    pub fn advance(&self, h: f64, motion: (&mut [f64], &mut [f64]), loads: (&[f64], &[f64]), scratch: &mut [f64]) {
        let (q, v) = motion;
        for group in &self.groups {
            let m = group.modes.len();
            let (y, rest) = scratch.split_at_mut(4 * m);
            for (i, &(position, velocity)) in group.modes.iter().enumerate() {
                (y[i], y[m + i]) = (q[position], v[velocity]);
                (y[2 * m + i], y[3 * m + i]) = (loads.0[velocity], loads.1[velocity]);
            }
            group.advance(self.step, h, y, rest);
            for (i, &(position, velocity)) in group.modes.iter().enumerate() {
                (q[position], v[velocity]) = (y[i], y[m + i]);
            }
        }
    }
}

impl Group {
    #[expect(clippy::disallowed_methods, reason = "creates constants of the scheme, before the first step")]
    fn new(body: &Flexible, members: &[usize], step: f64) -> Group {
        let (n, m) = (body.modes(), members.len());
        let modes = members.iter().map(|mode| (body.q.start + mode, body.v.start + mode)).collect();
        let stiffness: Vec<f64> = members.iter().map(|&mode| body.stiffness[mode]).collect();
        let damping = members.iter().flat_map(|i| members.iter().map(move |j| body.damping[i * n + j])).collect();
        let mut group = Group { modes, stiffness, damping, levels: Vec::new() };
        let row = |i: usize| group.damping[i * m..(i + 1) * m].iter().map(|d| d.abs()).sum::<f64>();
        let norm = (0..m).map(|i| sqrt(group.stiffness[i]) + row(i)).fold(0.0, f64::max);
        let (mut halvings, mut length) = (0, step);
        while norm * length > SMALL && halvings < HALVINGS {
            (halvings, length) = (halvings + 1, 0.5 * length);
        }
        let mut change = taylor(&(group.matrix() * length));
        group.levels.push(group.upper_rows(&change));
        for _ in 0..halvings {
            change = &change * 2.0 + &change * &change;
            group.levels.push(group.upper_rows(&change));
        }
        group.levels.reverse();
        group
    }

    /// Â.
    fn matrix(&self) -> DMatrix<f64> {
        let m = self.modes.len();
        let mut matrix = DMatrix::zeros(4 * m, 4 * m);
        for i in 0..m {
            (matrix[(i, m + i)], matrix[(m + i, 2 * m + i)], matrix[(2 * m + i, 3 * m + i)]) = (1.0, 1.0, 1.0);
            matrix[(m + i, i)] = -self.stiffness[i];
            for j in 0..m {
                matrix[(m + i, m + j)] = -self.damping[i * m + j];
            }
        }
        matrix
    }

    /// Rows of η and η̇, row-major.
    #[expect(clippy::disallowed_methods, reason = "creates constants of the scheme, before the first step")]
    fn upper_rows(&self, matrix: &DMatrix<f64>) -> Vec<f64> {
        matrix.rows(0, 2 * self.modes.len()).transpose().as_slice().to_vec()
    }

    /// y ← e^{Âh} y; `scratch`: 8m numbers.
    fn advance(&self, step: f64, h: f64, y: &mut [f64], scratch: &mut [f64]) {
        let (mut length, mut rest) = (step, h);
        for level in &self.levels {
            for _ in 0..(rest / length) as usize {
                self.apply(level, length, y, scratch);
                rest -= length;
            }
            length *= 0.5;
        }
        if rest > 0.0 {
            self.add_taylor(rest, y, scratch);
        }
    }

    fn apply(&self, level: &[f64], length: f64, y: &mut [f64], change: &mut [f64]) {
        let m = self.modes.len();
        for (change, row) in change.iter_mut().zip(level.chunks_exact(4 * m)) {
            *change = row.iter().zip(y.iter()).map(|(entry, y)| entry * y).sum();
        }
        y[..2 * m].iter_mut().zip(change.iter()).for_each(|(y, change)| *y += change);
        for i in 2 * m..3 * m {
            y[i] += length * y[m + i];
        }
    }

    /// y ← Σ (Â t)^j / j! y.
    fn add_taylor(&self, t: f64, y: &mut [f64], scratch: &mut [f64]) {
        let m = self.modes.len();
        let (term, rest) = scratch.split_at_mut(4 * m);
        let next = &mut rest[..4 * m];
        term.copy_from_slice(y);
        for j in 1..=DEGREE {
            let factor = t / j as f64;
            for i in 0..m {
                let damping: f64 = self.damping[i * m..(i + 1) * m].iter().zip(&term[m..]).map(|(d, v)| d * v).sum();
                next[i] = factor * term[m + i];
                next[m + i] = factor * (term[2 * m + i] - self.stiffness[i] * term[i] - damping);
                next[2 * m + i] = factor * term[3 * m + i];
                next[3 * m + i] = 0.0;
            }
            y.iter_mut().zip(next.iter()).for_each(|(y, next)| *y += next);
            term.copy_from_slice(next);
        }
    }
}

/// e^A − 1 of a matrix with a small norm.
fn taylor(a: &DMatrix<f64>) -> DMatrix<f64> {
    // Horner: A (1 + A/2 (1 + A/3 (…))).
    let one = DMatrix::identity(a.nrows(), a.ncols());
    let inner = (2..=DEGREE).rev().fold(one.clone(), |inner, j| &one + a * inner / j as f64);
    a * inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elastic_sample::body;

    /// η, η̇ of one damped mode after `t` under f + g t (closed form).
    fn exact(omega: f64, zeta: f64, start: [f64; 2], f: f64, g: f64, t: f64) -> [f64; 2] {
        let (k, c) = (omega * omega, 2.0 * zeta * omega);
        // Particular solution a + b t.
        let b = g / k;
        let a = (f - c * b) / k;
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        let (x, v) = (start[0] - a, start[1] - b);
        let (sine, cosine) = (damped * t).sin_cos();
        let decay = (-zeta * omega * t).exp();
        let sway = (v + zeta * omega * x) / damped;
        let position = decay * (x * cosine + sway * sine);
        let speed = decay * (damped * (sway * cosine - x * sine)) - zeta * omega * position;
        [a + b * t + position, b + speed]
    }

    #[test]
    fn any_length_of_step_gives_the_closed_form_for_slow_and_fast_modes() {
        let (omega, zeta, h) = ([3.0, 500.0, 2e5], 0.01, 1e-3);
        let damping: Vec<f64> = (0..9).map(|at| if at % 4 == 0 { 2.0 * zeta * omega[at / 3] } else { 0.0 }).collect();
        let body = body(&omega, &damping);
        let propagation = Propagation::new(std::slice::from_ref(&body), h);
        assert_eq!(propagation.groups.len(), 3);
        let mut scratch = vec![f64::NAN; propagation.scratch()];
        for length in [h, 0.7 * h, h / 3.0, 1e-3 * h, 1e-9 * h] {
            let mut q: Vec<f64> = omega.iter().map(|omega| 1.0 / omega).collect();
            let mut v = vec![0.5, -1.0, 2.0];
            let (loads, slopes) = ([1.0, 2.0, 3.0], [100.0, -500.0, 1000.0]);
            propagation.advance(length, (&mut q, &mut v), (&loads, &slopes), &mut scratch);
            for k in 0..3 {
                let start = [1.0 / omega[k], [0.5, -1.0, 2.0][k]];
                let [position, speed] = exact(omega[k], zeta, start, loads[k], slopes[k], length);
                let error = (omega[k] * (q[k] - position)).abs().max((v[k] - speed).abs());
                assert!(error < 1e-12 * (1.0 + omega[k] * length / 10.0), "{} {length}: {error:e}", omega[k]);
            }
        }
    }

    #[test]
    fn coupled_damping_makes_one_group_and_two_half_steps_make_a_whole_one() {
        let body = body(&[100.0, 3000.0], &[4.0, 5.0, 5.0, 60.0]);
        let propagation = Propagation::new(std::slice::from_ref(&body), 1e-3);
        assert_eq!(propagation.groups.len(), 1);
        let mut scratch = vec![f64::NAN; propagation.scratch()];
        let mut run = |parts: &[f64]| {
            let (mut q, mut v, mut load) = (vec![0.01, 2e-4], vec![1.0, -1.0], vec![10.0, 20.0]);
            for &part in parts {
                propagation.advance(part, (&mut q, &mut v), (&load, &[1e4, -3e4]), &mut scratch);
                load[0] += 1e4 * part;
                load[1] -= 3e4 * part;
            }
            [q[0] * 100.0, q[1] * 3000.0, v[0], v[1]]
        };
        let whole = run(&[1e-3]);
        for parts in [&[5e-4, 5e-4][..], &[1e-4, 9e-4], &[3.3e-7, 1e-3 - 3.3e-7]] {
            let sum = run(parts);
            for k in 0..4 {
                assert!((sum[k] - whole[k]).abs() < 1e-13, "{parts:?} {k}: {} {}", sum[k], whole[k]);
            }
        }
    }
}
