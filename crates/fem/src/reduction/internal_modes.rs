//! The internal modes: number, selection, normal form and completeness.

use super::{InteriorFactor, ModeChoice, Reducer, Refusal};
use crate::lanczos::{self, CLUSTER_TOLERANCE, Complete, Eigenpairs, Start};
use ballesta::math::Vec3;
use faer::Mat;
use std::f64::consts::TAU;

/// Participation, relative to the root of the mass, below which it is round-off.
const PARTICIPATION_TOLERANCE: f64 = 1e-6;

/// Modes with all interfaces fixed.
pub(super) struct FixedModes {
    /// ω², ascending.
    pub squares: Vec<f64>,
    /// Interior × modes, orthonormal in M_ii.
    pub shapes: Mat<f64>,
    /// Number of modes that the search found up to the highest kept mode.
    pub found: usize,
    /// Number of modes by Sylvester's law.
    pub counted: usize,
    /// Number of modes added to complete the cluster of the last requested mode.
    pub completed: usize,
}

/// The modes selected by `choice`.
pub(super) fn choose(
    reducer: &Reducer<'_>,
    factor: &InteriorFactor<'_>,
    constraint: &Mat<f64>,
    choice: &ModeChoice,
) -> Result<FixedModes, Refusal> {
    // Modes with the interfaces fixed; there are at most as many as internal degrees of freedom.
    let search = Search { reducer, factor, constraint };
    let interior = reducer.interior.len();
    let too_many = |count: usize, key: &str| {
        let found = format!("mode {count} requested, but there are only {interior} internal degrees of freedom");
        (count > interior).then(|| Refusal::new(key, found, "request fewer modes, or subdivide the members"))
    };
    // A number of modes, selected numbers, a frequency limit or a fraction of the effective mass.
    match choice {
        ModeChoice::Count(0) => Ok(search.none()),
        ModeChoice::Count(count) => too_many(*count, "reduction.modes").map_or_else(|| search.lowest(*count), Err),
        ModeChoice::Numbers(numbers) => match numbers.iter().max() {
            None => Ok(search.none()),
            Some(last) => match too_many(*last, "reduction.mode_numbers") {
                Some(refusal) => Err(refusal),
                None => Ok(search.lowest(*last)?.only(numbers)),
            },
        },
        // The inertia of K − ω² M (Sylvester) is the number of modes below the limit.
        ModeChoice::Frequency(limit) => match search.count_below((TAU * limit).powi(2)) {
            Some(0) => Ok(search.none()),
            Some(count) => search.lowest(count),
            None => {
                let found = format!("a mode coincides with the limit of {limit} Hz");
                Err(Refusal::new("reduction.frequency_hz", found, "change the limit slightly"))
            }
        },
        ModeChoice::EffectiveMass(part) => search.until(*part),
    }
}

impl FixedModes {
    /// Only the modes of these numbers, from 1, in ascending order.
    fn only(self, numbers: &[usize]) -> FixedModes {
        let kept: Vec<usize> = (0..self.squares.len()).filter(|q| numbers.contains(&(q + 1))).collect();
        FixedModes {
            squares: kept.iter().map(|q| self.squares[*q]).collect(),
            shapes: Mat::from_fn(self.shapes.nrows(), kept.len(), |i, k| self.shapes[(i, kept[k])]),
            completed: 0,
            ..self
        }
    }
}

struct Search<'r, 'f> {
    reducer: &'r Reducer<'r>,
    factor: &'r InteriorFactor<'f>,
    constraint: &'r Mat<f64>,
}

impl Search<'_, '_> {
    fn none(&self) -> FixedModes {
        FixedModes {
            squares: Vec::new(),
            shapes: Mat::zeros(self.reducer.interior.len(), 0),
            found: 0,
            counted: 0,
            completed: 0,
        }
    }

    /// Number of ω² below `limit`; `None` if one is too close to the limit.
    fn count_below(&self, limit: f64) -> Option<usize> {
        self.factor.make_room();
        self.reducer.analysis.negative_eigenvalues(&self.reducer.stiffness.plus(-limit, &self.reducer.mass))
    }

    /// The unchanged internal coordinates if they are exactly normal modes. A reduced model of this program is
    /// therefore reproduced exactly.
    fn already_normal(&self, count: usize) -> Option<FixedModes> {
        let (stiffness, mass) = (&self.reducer.stiffness, &self.reducer.mass);
        let squares = stiffness.diagonal();
        let alone = |i: usize| stiffness.column(i).chain(mass.column(i)).all(|(row, value)| row == i || value == 0.0);
        let normal = |i: usize| mass.diagonal()[i] == 1.0 && squares[i] > 0.0 && alone(i);
        if !self.reducer.model.is_reduced() || !(0..squares.len()).all(normal) {
            return None;
        }
        let mut order: Vec<usize> = (0..squares.len()).collect();
        order.sort_by(|a, b| squares[*a].total_cmp(&squares[*b]));
        order.truncate(count);
        Some(FixedModes {
            squares: order.iter().map(|i| squares[*i]).collect(),
            shapes: Mat::from_fn(squares.len(), order.len(), |i, k| f64::from(u8::from(order[k] == i))),
            found: order.len(),
            counted: order.len(),
            completed: 0,
        })
    }

    /// The `count` lowest modes, and further modes that belong to the last of them.
    fn lowest(&self, count: usize) -> Result<FixedModes, Refusal> {
        if let Some(modes) = self.already_normal(count) {
            return Ok(modes);
        }
        let search = |wanted, start| self.pairs(wanted, start);
        let found = lanczos::complete(&search, &|limit| self.count_below(limit), count, 1);
        let found = found.and_then(|found| if found.kept == 0 { Err(0) } else { Ok(found) });
        let Complete { pairs, kept } = found.map_err(|counted| {
            let found = format!("{counted} modes are below the last of {count}, but not all of them converged");
            Refusal::new("reduction", found, "request a few more or fewer modes")
        })?;
        let squares = pairs.values[..kept].to_vec();
        let mut shapes = pairs.shapes.subcols(0, kept).to_owned();
        self.align(&squares, &mut shapes);
        let completed = kept.saturating_sub(count);
        Ok(FixedModes { squares, shapes, found: kept, counted: kept, completed })
    }

    fn pairs(&self, count: usize, start: Start) -> Eigenpairs {
        let flexibility = |x: faer::MatMut<'_, f64>| self.factor.solve_in_place(x);
        lanczos::lowest(&flexibility, &self.reducer.mass, count, None, start)
    }

    /// The lowest modes whose effective mass is `part` of the interior mass in every direction.
    fn until(&self, part: f64) -> Result<FixedModes, Refusal> {
        let (centre, interior) = (self.reducer.rigid.middle, self.reducer.interior.len());
        let total = super::basis::interior_mass(self.reducer, centre);
        let largest = |range: std::ops::Range<usize>| total[range].iter().fold(0.0_f64, |a, b| a.max(*b));
        let floor: [f64; 6] = std::array::from_fn(|c| 1e-9 * if c < 3 { largest(0..3) } else { largest(3..6) });
        let mut count = 8.min(interior);
        loop {
            let modes = self.lowest(count)?;
            let carried = self.participation(&modes.shapes, centre);
            let mut sum = [0.0; 6];
            for (q, of_mode) in carried.iter().enumerate() {
                (0..6).for_each(|c| sum[c] += of_mode[c].powi(2));
                if (0..6).all(|c| total[c] <= floor[c] || sum[c] >= part * total[c]) {
                    return if q + 1 == modes.squares.len() { Ok(modes) } else { self.lowest(q + 1) };
                }
            }
            if modes.squares.len() < count || count == interior {
                let least = (0..6).filter(|c| total[*c] > floor[*c]).map(|c| sum[c] / total[c]).fold(1.0, f64::min);
                let found = format!(
                    "all {} modes together have an effective mass of {least:.6} of the interior mass",
                    modes.squares.len()
                );
                return Err(Refusal::new("reduction.effective_mass", found, "request a smaller fraction"));
            }
            count = (2 * count).min(interior);
        }
    }

    /// Φᵀ (M_ii Ψ + M_ib) R_b for unit motions through `centre`: one row of six per mode.
    fn participation(&self, shapes: &Mat<f64>, centre: Vec3) -> Vec<[f64; 6]> {
        let reducer = self.reducer;
        let motions = reducer.model.rigid_motions(centre);
        let of_boundary = Mat::from_fn(reducer.boundary.len(), 6, |i, c| motions[(reducer.boundary[i], c)]);
        let inside = self.constraint * &of_boundary;
        let coupling = reducer.model.mass.block(&reducer.interior, &reducer.boundary) * &of_boundary;
        let load = reducer.mass.multiply(inside.as_ref()) + coupling;
        let product = shapes.transpose() * load;
        (0..product.nrows()).map(|q| std::array::from_fn(|c| product[(q, c)])).collect()
    }

    /// Gives the shapes a form that does not depend on the search. Modes of one frequency are rotated so that the first
    /// has all participation in x, the next the remaining participation in y, and so on. The largest component of each
    /// is positive.
    fn align(&self, squares: &[f64], shapes: &mut Mat<f64>) {
        let mut first = 0;
        while first < squares.len() {
            let mut end = first + 1;
            while end < squares.len() && squares[end] <= squares[first] * (1.0 + CLUSTER_TOLERANCE) {
                end += 1;
            }
            if end > first + 1 {
                let cluster = shapes.subcols(first, end - first).to_owned();
                let turn = self.turn(&cluster);
                shapes.subcols_mut(first, end - first).copy_from(cluster * turn);
            }
            first = end;
        }
        for q in 0..shapes.ncols() {
            orient(shapes, q);
        }
    }

    /// Rotation (m × m) of a cluster: Gram-Schmidt over its participations, then over its largest components.
    fn turn(&self, cluster: &Mat<f64>) -> Mat<f64> {
        let m = cluster.ncols();
        let participation = self.participation(cluster, self.reducer.rigid.middle);
        let mut candidates: Vec<Vec<f64>> = (0..6).map(|c| participation.iter().map(|of| of[c]).collect()).collect();
        let motions = self.reducer.model.rigid_motions(self.reducer.rigid.middle);
        let heavy = self.reducer.model.mass.multiply(motions.as_ref());
        for group in [0..3, 3..6] {
            let size = candidates[group.clone()].iter().map(|v| length(v)).fold(0.0, f64::max);
            // The square of a participation is a fraction of the mass; ignore values at its round-off.
            let whole = group.clone().map(|c| motions.col(c).transpose() * heavy.col(c)).fold(0.0, f64::max);
            let factor = if size > PARTICIPATION_TOLERANCE * whole.sqrt() { 1.0 / size } else { 0.0 };
            candidates[group].iter_mut().flatten().for_each(|entry| *entry *= factor);
        }
        let mut order: Vec<usize> = (0..cluster.nrows()).collect();
        let size = |row: &usize| (0..m).map(|k| cluster[(*row, k)].powi(2)).sum::<f64>();
        order.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let largest = order.iter().take(4 * m).map(|row| {
            let entries: Vec<f64> = (0..m).map(|k| cluster[(*row, k)]).collect();
            let scale = size(&order[0]).sqrt();
            entries.into_iter().map(|entry| entry / scale).collect()
        });
        candidates.extend(largest);
        let mut axes: Vec<Vec<f64>> = Vec::new();
        let units = (0..m).map(|k| (0..m).map(|i| f64::from(u8::from(i == k))).collect());
        for mut candidate in candidates.into_iter().chain(units) {
            for _ in 0..2 {
                for axis in &axes {
                    let part: f64 = candidate.iter().zip(axis).map(|(a, b)| a * b).sum();
                    candidate.iter_mut().zip(axis).for_each(|(entry, unit)| *entry -= part * unit);
                }
            }
            let size = length(&candidate);
            if size > 1e-3 && axes.len() < m {
                axes.push(candidate.iter().map(|entry| entry / size).collect());
            }
        }
        Mat::from_fn(m, m, |i, k| axes[k][i])
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// Makes the largest component of column `q` positive; of components that are equal up to round-off, the first decides.
pub(super) fn orient(shapes: &mut Mat<f64>, q: usize) {
    let largest = shapes.col(q).iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let decisive = shapes.col(q).iter().find(|entry| entry.abs() >= largest * (1.0 - 1e-6)).copied();
    if decisive.is_some_and(|entry| entry < 0.0) {
        shapes.col_mut(q).iter_mut().for_each(|entry| *entry = -*entry);
    }
}
