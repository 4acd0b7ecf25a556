//! Reduction of a linearized system with rigid and flexible motions to fewer states.
//!
//! x has n states, u selected inputs, y selected outputs: ẋ = A x + B u, y = C x + D u. Eigenvalues of A that do not
//! decay (unstable, or on the imaginary axis up to rounding: rigid motions, integrators, undamped modes) have no
//! Gramians. So the system is split, G = G_k + G_s: an ordered Schur form and a Sylvester equation make A block
//! diagonal. The part G_k that does not decay is unchanged, and only the stable part G_s is reduced.
//!
//! *Balanced*: the square-root method. With the factors of both Gramians, P = S Sᵀ and Q = F Fᵀ, and the singular value
//! decomposition Fᵀ S = Y Σ Zᵀ, x = S Z Σ^(−1/2) z keeps the r largest Hankel singular values σ. The error is ‖G −
//! G_r‖∞ ≤ 2 Σ_{i>r} σ_i. *Modal*: the pairs of eigenvalues with the smallest contribution are left out. A pair λ with
//! residue R contributes at most |R| (1/|Re λ| + 1/|λ|) to any gain; the bound is the smaller of two values: the sum of
//! these contributions, and twice the sum of the Hankel singular values of the part left out.
//!
//! Both methods use channels divided by their scales; bound and error are scaled too: 1 means that an input as large as
//! its scale changes an output by its scale.
//!
//! The bound holds up to rounding, which is visible when only the smallest singular values are left out.
//!
//! Limits: undamped modes can be left out by the modal method only, and then the error is not bounded. E and F of the
//! parameters are projected too; the bound does not cover them. Cost O(n³). Offline: allocates.
//!
//! Sources: Moore, IEEE Trans. AC-26 (1981) 17 (balancing); Glover, Int. J. Control 39 (1984) 1115 (bound); Tombs &
//! Postlethwaite, Int. J. Control 46 (1987) 1319 (square-root method); Zhou, Salomon & Wu, Int. J. Robust Nonlinear
//! Control 9 (1999) 183 (unstable systems by splitting). Verified by: the tests below, tests/harness/test_reduction.py.

mod response;
mod schur;
#[cfg(test)]
mod truncation_tests;

use super::linearize::Linearization;
use super::modal::{self, Modes};
use ballesta_solver::math::{eigen, svd};
use nalgebra::Complex;
pub use response::Peak;
use response::{Transfer, gain, peak};
use schur::{Complexes, Real, Schur, Split};
use std::fmt;

/// Fraction of |λ| up to which a decay rate counts as zero.
const DECAY_TOLERANCE: f64 = 1e-9;
/// Fraction of |λ| above which an uncertain decay rate still counts as a decay.
const MAX_DOUBT: f64 = 1e-3;
/// Fraction of the largest Hankel singular value up to which others are round-off.
const MIN_SIGNIFICANT: f64 = 1e-12;
/// Norm of the Sylvester solution above which the kept and the stable part are too close to be separated.
pub const MAX_COUPLING: f64 = 1e6;

/// The reduction method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Balanced: leaves out the states of the balanced stable part with the smallest Hankel singular values.
    Balanced,
    /// Modal: leaves out the states of the modes that contribute least to the gains.
    Modal,
}

/// The size of the reduced system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// This number of states, including the states kept exactly.
    Order(usize),
    /// The smallest number of states whose error bound is at most this value.
    Error(f64),
}

/// An input or output of the reduced system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Index among the inputs or outputs of the linearization.
    pub index: usize,
    /// Change, in its own unit, that counts as 1 in bound and error; positive.
    pub scale: f64,
}

/// The request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: Method,
    pub target: Target,
    /// Whether D is corrected so that the gains at ω = 0 of the stable part are exact.
    pub static_correction: bool,
    pub inputs: Vec<Channel>,
    pub outputs: Vec<Channel>,
}

/// Why a system cannot be reduced.
#[derive(Clone, Debug, PartialEq)]
pub enum ReductionError {
    /// No input or no output was selected.
    NoChannel { kind: &'static str },
    /// Fewer states were requested than must be kept.
    TooFew { order: usize, kept: usize },
    /// More states were requested than exist.
    TooMany { order: usize, states: usize },
    /// No mode decays.
    NothingStable { states: usize },
    /// The kept and the stable part have eigenvalues that rounding makes indistinguishable.
    NotSeparate,
    /// A decomposition did not converge, or a matrix is not finite.
    NoConvergence,
}

impl fmt::Display for ReductionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReductionError::NoChannel { kind } => write!(f, "no {kind} is selected; a reduction needs at least one"),
            ReductionError::TooFew { order, kept } => write!(
                f,
                "order {order} is less than the {kept} states that must be kept because their eigenvalues do not \
                 decay; choose an order of at least {kept}"
            ),
            ReductionError::TooMany { order, states } => {
                write!(f, "order {order} exceeds the {states} states of the model")
            }
            ReductionError::NothingStable { states } => write!(
                f,
                "none of the {states} eigenvalues decays, so balanced truncation is not possible; give the modes \
                 damping or use the modal method"
            ),
            ReductionError::NotSeparate => {
                f.write_str("decaying and non-decaying eigenvalues are too close to each other to be separated")
            }
            ReductionError::NoConvergence => f.write_str("the decomposition of the linearized system did not converge"),
        }
    }
}

/// A reduced system, ż = A z + B u + E p, y = C z + D u + F p, and its error.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    pub a: Vec<Vec<f64>>,
    pub b: Vec<Vec<f64>>,
    pub c: Vec<Vec<f64>>,
    pub d: Vec<Vec<f64>>,
    pub e: Vec<Vec<f64>>,
    pub f: Vec<Vec<f64>>,
    /// x ≈ `to_full` z, states × order.
    pub to_full: Vec<Vec<f64>>,
    /// z = `from_full` x, order × states.
    pub from_full: Vec<Vec<f64>>,
    /// Number of states that are kept exactly; they are the first.
    pub kept: usize,
    /// Indices of the modes that are kept exactly, in the list of modes.
    pub kept_modes: Vec<usize>,
    /// Whether a mode of the list does not decay.
    pub persistent: Vec<bool>,
    /// Eigenvalues of the balanced part of A.
    pub balanced: Vec<Complex<f64>>,
    /// Hankel singular values of the stable part, falling, in scaled channels.
    pub hankel: Vec<f64>,
    /// Modal method: largest contribution of every mode of the list to the gains; infinite where nothing decays.
    pub contributions: Vec<f64>,
    /// Upper bound of the H-infinity norm of the error. `None` if undamped modes were left out.
    pub bound: Option<f64>,
    /// Largest gain of the error over the evaluated frequencies. `None` if there is no bound.
    pub error: Option<Peak>,
    /// Largest gain of the stable part without D, as a reference for the error.
    pub stable_gain: Peak,
    /// Deviation of the kept and the stable subspace from orthogonality; see [`MAX_COUPLING`].
    pub coupling: f64,
}

/// Decay rate that may be zero, 1/s.
fn doubt(mode: &modal::Mode) -> f64 {
    let part = if mode.uncertainty.is_nan() { MAX_DOUBT } else { mode.uncertainty.clamp(DECAY_TOLERANCE, MAX_DOUBT) };
    part * modal::magnitude(mode.eigenvalue)
}

/// Whether the eigenvalue does not decay, or rounding leaves that open. `scatter`: how far rounding moves a double
/// eigenvalue of A, 1/s. Keeping a slow mode unnecessarily costs a state but no accuracy.
fn persists(mode: &modal::Mode, scatter: f64) -> bool {
    mode.eigenvalue.re >= -doubt(mode) || modal::magnitude(mode.eigenvalue) <= scatter
}

/// Reduces `model`, whose modes are `modes`.
pub fn reduce(model: &Linearization, modes: &Modes, request: &Request) -> Result<Reduced, ReductionError> {
    let n = model.states.len();
    for (kind, channels) in [("input", &request.inputs), ("output", &request.outputs)] {
        if channels.is_empty() {
            return Err(ReductionError::NoChannel { kind });
        }
    }
    if let Target::Order(order) = request.target
        && order > n
    {
        return Err(ReductionError::TooMany { order, states: n });
    }
    Work::new(model, modes, request)?.finish()
}

/// The scaled system in its Schur form during the reduction.
struct Work<'a> {
    model: &'a Linearization,
    modes: &'a Modes,
    request: &'a Request,
    /// The original states are these factors times the states of the balanced A.
    units: Vec<f64>,
    a: Real,
    b: Real,
    c: Real,
    schur: Schur,
    /// Mode of every eigenvalue on the diagonal of the Schur form.
    mode_of: Vec<usize>,
    /// Whether a mode of the list does not decay.
    persistent: Vec<bool>,
}

impl<'a> Work<'a> {
    fn new(model: &'a Linearization, modes: &'a Modes, request: &'a Request) -> Result<Work<'a>, ReductionError> {
        let n = model.states.len();
        let mut balanced: Vec<f64> = model.a.iter().flatten().copied().collect();
        if !balanced.iter().all(|x| x.is_finite()) {
            return Err(ReductionError::NoConvergence);
        }
        // Powers of two between m, rad, m/s and the states of filters; the eigenvalues are unchanged.
        let units = eigen::balance(&mut balanced, n);
        let a = Real::from_row_slice(n, n, &balanced);
        let b = Real::from_fn(n, request.inputs.len(), |i, j| {
            let channel = request.inputs[j];
            model.b[i][channel.index] * channel.scale / units[i]
        });
        let c = Real::from_fn(request.outputs.len(), n, |i, j| {
            let channel = request.outputs[i];
            model.c[channel.index][j] * units[j] / channel.scale
        });
        let schur = Schur::new(&a).ok_or(ReductionError::NoConvergence)?;
        let nearest = |place: usize| {
            let value = schur.eigenvalue(place);
            let upper = Complex::new(value.re, value.im.abs());
            let distance = |mode: &modal::Mode| (mode.eigenvalue - upper).norm_sqr();
            let all = (0..modes.modes.len()).map(|k| (distance(&modes.modes[k]), k));
            all.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |found| found.1)
        };
        let mode_of = (0..n).map(nearest).collect();
        let scatter = (n as f64 * f64::EPSILON).sqrt() * a.norm();
        let persistent = modes.modes.iter().map(|mode| persists(mode, scatter)).collect();
        Ok(Work { model, modes, request, units, a, b, c, schur, mode_of, persistent })
    }

    /// Moves the eigenvalues of the modes that `first` marks to the top, and splits after them.
    fn split(&mut self, first: &dyn Fn(usize) -> bool) -> Result<Split, ReductionError> {
        let marks: Vec<bool> = self.mode_of.iter().map(|&mode| first(mode)).collect();
        self.schur.order(&marks);
        // A stable partition, as the Schur form is ordered.
        self.mode_of.sort_by_key(|&mode| !first(mode));
        let kept = marks.iter().filter(|mark| **mark).count();
        let split = Split::new(&self.schur, kept).ok_or(ReductionError::NotSeparate)?;
        if split.coupling <= MAX_COUPLING { Ok(split) } else { Err(ReductionError::NotSeparate) }
    }

    /// Transfer function of the lower block of the Schur form.
    fn lower_transfer(&self, split: &Split) -> Transfer {
        let count = self.units.len() - split.kept;
        let b = (split.left.rows(split.kept, count) * &self.b).map(Complex::from);
        let c = (&self.c * split.right.columns(split.kept, count)).map(Complex::from);
        Transfer { a: split.t.clone(), b: split.turn.adjoint() * b, c: c * &split.turn, triangular: true }
    }

    fn finish(mut self) -> Result<Reduced, ReductionError> {
        let split = loop {
            let persistent = self.persistent.clone();
            match self.split(&|k| persistent[k]) {
                // Stable eigenvalues too near to eigenvalues that do not decay are kept with them.
                Err(ReductionError::NotSeparate) => self.keep_slowest()?,
                split => break split?,
            }
        };
        let stable = Stable::new(&self, &split)?;
        match self.request.method {
            Method::Balanced => self.balance(split, stable),
            Method::Modal => self.truncate(split, stable),
        }
    }

    /// Keeps one more mode exactly, the slowest decaying mode.
    fn keep_slowest(&mut self) -> Result<(), ReductionError> {
        let size = |k: &usize| modal::magnitude(self.modes.modes[*k].eigenvalue);
        let decaying = (0..self.persistent.len()).filter(|&k| !self.persistent[k]);
        let slowest = decaying.min_by(|i, j| size(i).total_cmp(&size(j))).ok_or(ReductionError::NotSeparate)?;
        self.persistent[slowest] = true;
        Ok(())
    }

    fn balance(self, split: Split, stable: Stable) -> Result<Reduced, ReductionError> {
        let (n, kept) = (self.units.len(), split.kept);
        if kept == n {
            return Err(ReductionError::NothingStable { states: n });
        }
        let tail = |from: usize| 2.0 * sum(&stable.hankel[from..]);
        // Division by a smaller value would only amplify rounding.
        let floor = MIN_SIGNIFICANT * stable.hankel[0];
        let significant = stable.hankel.iter().filter(|sigma| **sigma > floor).count();
        let order = match self.request.target {
            Target::Order(order) => order.checked_sub(kept).ok_or(ReductionError::TooFew { order, kept })?,
            Target::Error(most) => (0..n - kept).find(|&r| tail(r) <= most).unwrap_or(n - kept),
        };
        let order = order.min(significant);
        let (into, from) = stable.projections(order);
        let lower = n - kept;
        let mut right = Real::zeros(n, kept + order);
        right.columns_mut(0, kept).copy_from(&split.right.columns(0, kept));
        right.columns_mut(kept, order).copy_from(&(split.right.columns(kept, lower) * &into));
        let mut left = Real::zeros(kept + order, n);
        left.rows_mut(0, kept).copy_from(&split.left.rows(0, kept));
        left.rows_mut(kept, order).copy_from(&(&from * split.left.rows(kept, lower)));
        let own = Subspaces { right, left, exact: kept };
        let part = own.rest(&self);
        let bound = tail(order);
        let lost = |omega: f64| stable.transfer.at(omega) - part.at(omega);
        let mut reduced = self.assemble(&own, &stable, &lost, Some(bound));
        let balanced: Vec<f64> = reduced.a[kept..].iter().flat_map(|row| row[kept..].iter().copied()).collect();
        reduced.balanced = eigen::Spectrum::new(&balanced, order).ok_or(ReductionError::NoConvergence)?.values;
        reduced.kept_modes = (0..self.persistent.len()).filter(|&k| self.persistent[k]).collect();
        reduced.coupling = split.coupling;
        Ok(reduced)
    }

    fn truncate(mut self, split: Split, stable: Stable) -> Result<Reduced, ReductionError> {
        let listed = &self.modes.modes;
        let contributions = self.contributions(&split, &stable);
        let states: Vec<usize> =
            (0..listed.len()).map(|k| self.mode_of.iter().filter(|&&mode| mode == k).count()).collect();
        // Undamped oscillations may be left out; growing and rigid motions may not.
        let is_undamped = |k: usize| listed[k].oscillates() && listed[k].eigenvalue.re <= doubt(&listed[k]);
        let mut chosen: Vec<bool> = (0..listed.len()).map(|k| self.persistent[k] && !is_undamped(k)).collect();
        let fixed = (0..listed.len()).filter(|&k| chosen[k]).map(|k| states[k]).sum();
        let mut ranked: Vec<usize> = (0..listed.len()).filter(|&k| !chosen[k]).collect();
        // Largest first; undamped modes, whose contribution is infinite, by ascending frequency.
        ranked.sort_by(|&i, &j| contributions[j].total_cmp(&contributions[i]).then(i.cmp(&j)));
        let count = match self.request.target {
            Target::Order(order) => {
                let mut free = order.checked_sub(fixed).ok_or(ReductionError::TooFew { order, kept: fixed })?;
                let fits = |&&k: &&usize| free.checked_sub(states[k]).map(|rest| free = rest).is_some();
                ranked.iter().take_while(fits).count()
            }
            Target::Error(most) => {
                let mut sum = 0.0;
                let small = |&&k: &&usize| {
                    sum += contributions[k];
                    sum <= most
                };
                ranked.len() - ranked.iter().rev().take_while(small).count()
            }
        };
        let left_out = ranked.split_off(count);
        ranked.iter().for_each(|&k| chosen[k] = true);
        let contributed = sum(&left_out.iter().map(|&k| contributions[k]).collect::<Vec<_>>());
        let is_bounded = left_out.iter().all(|&k| !self.persistent[k]);
        let split = self.split(&|k| chosen[k])?;
        let (transfer, bound) = if is_bounded {
            let rest = Stable::new(&self, &split)?;
            (rest.transfer, Some(contributed.min(2.0 * sum(&rest.hankel))))
        } else {
            (self.lower_transfer(&split), None)
        };
        let kept = split.kept;
        let own = Subspaces {
            right: split.right.columns(0, kept).into_owned(),
            left: split.left.rows(0, kept).into_owned(),
            exact: kept,
        };
        let mut reduced = self.assemble(&own, &stable, &|omega| transfer.at(omega), bound);
        reduced.kept_modes = (0..chosen.len()).filter(|&k| chosen[k]).collect();
        reduced.contributions = contributions;
        reduced.coupling = split.coupling;
        Ok(reduced)
    }

    /// Largest contribution of every mode of the list to a gain, in scaled channels; infinite where nothing decays.
    fn contributions(&self, split: &Split, stable: &Stable) -> Vec<f64> {
        let residues = self.schur.residues(split.kept, &stable.transfer.b, &stable.transfer.c);
        let mut found: Vec<f64> =
            self.persistent.iter().map(|&persists| if persists { f64::INFINITY } else { 0.0 }).collect();
        for (k, residue) in residues.iter().enumerate() {
            let (value, mode) = (split.t[(k, k)], self.mode_of[split.kept + k]);
            let oscillates = self.modes.modes[mode].oscillates();
            // |jω − λ| ≥ −Re λ of one eigenvalue of a pair, and then ≥ |λ| of the other one.
            let other = if oscillates { 1.0 / modal::magnitude(value) } else { -1.0 / value.re };
            found[mode] += 0.5 * residue * (other - 1.0 / value.re);
        }
        found
    }

    /// The reduced system, with the error that `lost` computes at a frequency before any static correction.
    fn assemble(
        &self,
        own: &Subspaces,
        stable: &Stable,
        lost: &dyn Fn(f64) -> Complexes,
        bound: Option<f64>,
    ) -> Reduced {
        let (model, request) = (self.model, self.request);
        let (inputs, outputs) = (&request.inputs, &request.outputs);
        let correction = match request.static_correction {
            true => lost(0.0).map(|x| x.re),
            false => Real::zeros(outputs.len(), inputs.len()),
        };
        let constant = correction.map(Complex::from);
        let bound = bound.map(|bound| bound + gain(&constant));
        let poles = &stable.eigenvalues;
        let error = bound.map(|_| {
            let found = peak(poles, |omega| gain(&(lost(omega) - &constant)));
            // The correction also adds its value at all high frequencies.
            if gain(&constant) > found.gain { Peak { gain: gain(&constant), omega: f64::INFINITY } } else { found }
        });
        let (b, c) = (&own.left * &self.b, &self.c * &own.right);
        let unit = |i: usize| self.units[i];
        let parameters = model.parameters.len();
        let e = Real::from_fn(self.units.len(), parameters, |i, j| model.e[i][j] / unit(i));
        let scale = |channels: &[Channel], k: usize| channels[k].scale;
        Reduced {
            a: rows(&own.a(self)),
            b: rows(&Real::from_fn(b.nrows(), b.ncols(), |i, j| b[(i, j)] / scale(inputs, j))),
            c: rows(&Real::from_fn(c.nrows(), c.ncols(), |i, j| c[(i, j)] * scale(outputs, i))),
            d: rows(&Real::from_fn(outputs.len(), inputs.len(), |i, j| {
                let change = correction[(i, j)] * scale(outputs, i) / scale(inputs, j);
                model.d[outputs[i].index][inputs[j].index] + change
            })),
            e: rows(&(&own.left * e)),
            f: outputs.iter().map(|output| model.f[output.index].clone()).collect(),
            to_full: rows(&Real::from_fn(own.right.nrows(), own.right.ncols(), |i, j| own.right[(i, j)] * unit(i))),
            from_full: rows(&Real::from_fn(own.left.nrows(), own.left.ncols(), |i, j| own.left[(i, j)] / unit(j))),
            kept: own.exact,
            kept_modes: Vec::new(),
            persistent: self.persistent.clone(),
            balanced: Vec::new(),
            hankel: stable.hankel.clone(),
            contributions: Vec::new(),
            bound,
            error,
            stable_gain: peak(poles, |omega| gain(&stable.transfer.at(omega))),
            coupling: 0.0,
        }
    }
}

/// The stable part of a split with its Gramians.
struct Stable {
    transfer: Transfer,
    eigenvalues: Vec<Complex<f64>>,
    /// Singular values of Fᵀ S, falling.
    hankel: Vec<f64>,
    /// S Z: columns of the controllability factor times right singular vectors.
    into: Real,
    /// Yᵀ Fᵀ: left singular vectors times rows of the observability factor.
    from: Real,
}

impl Stable {
    fn new(work: &Work, split: &Split) -> Result<Stable, ReductionError> {
        let transfer = work.lower_transfer(split);
        let n = transfer.a.nrows();
        let eigenvalues: Vec<_> = (0..n).map(|k| transfer.a[(k, k)]).collect();
        if eigenvalues.iter().any(|value| !(value.re < 0.0)) {
            return Err(ReductionError::NotSeparate);
        }
        if n == 0 {
            let empty = || Real::zeros(0, 0);
            return Ok(Stable { transfer, eigenvalues, hankel: Vec::new(), into: empty(), from: empty() });
        }
        let factor = |z: Option<Complexes>| z.map(|z| schur::real_factor(&(&split.turn * z)));
        let controllable = factor(schur::gramian_factor(&transfer.a, &transfer.b));
        let observable = factor(schur::observability_factor(&transfer.a, &transfer.c));
        let (Some(s), Some(f)) = (controllable, observable) else { return Err(ReductionError::NoConvergence) };
        let mut right = schur::entries(&(f.transpose() * &s));
        let (mut left, mut hankel) = (vec![0.0; n * n], vec![0.0; n]);
        svd::orthogonalise_rows(&mut right, &mut left, &mut hankel, (n, n));
        let into = s * Real::from_row_slice(n, n, &right).transpose();
        let from = Real::from_row_slice(n, n, &left) * f.transpose();
        Ok(Stable { transfer, eigenvalues, hankel, into, from })
    }

    /// Balanced coordinates of the largest `order` singular values: into the stable states, and from them.
    fn projections(&self, order: usize) -> (Real, Real) {
        let n = self.hankel.len();
        // The right singular vectors are multiplied by their singular values already.
        let into = |i: usize, k: usize| self.into[(i, k)] / (self.hankel[k] * self.hankel[k].sqrt());
        let from = |k: usize, j: usize| self.from[(k, j)] / self.hankel[k].sqrt();
        (Real::from_fn(n, order, into), Real::from_fn(order, n, from))
    }
}

/// The subspaces of a reduction, in the units of the balanced A: x = right z, z = left x.
struct Subspaces {
    right: Real,
    left: Real,
    /// Number of states at the start that the others do not act on.
    exact: usize,
}

impl Subspaces {
    fn a(&self, work: &Work) -> Real {
        let mut a = &self.left * &work.a * &self.right;
        let rest = a.nrows() - self.exact;
        // Zero to rounding.
        a.view_mut((0, self.exact), (self.exact, rest)).fill(0.0);
        a.view_mut((self.exact, 0), (rest, self.exact)).fill(0.0);
        a
    }

    /// Transfer function of the states after the exact ones.
    fn rest(&self, work: &Work) -> Transfer {
        let (first, count) = (self.exact, self.left.nrows() - self.exact);
        let a = self.a(work).view((first, first), (count, count)).map(Complex::from);
        let b = (self.left.rows(first, count) * &work.b).map(Complex::from);
        let c = (&work.c * self.right.columns(first, count)).map(Complex::from);
        Transfer { a, b, c, triangular: false }
    }
}

/// Sum that is 0 and not −0 without terms.
fn sum(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| sum + value)
}

fn rows(matrix: &Real) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
