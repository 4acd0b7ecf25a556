//! Ties between nodes: rigid links (RBE2) and weighted averages (RBE3), eliminated exactly.
//!
//! Directions of nodes are numbered 6·node + direction. A dependent direction is a linear combination of others;
//! repeated substitution gives the motion of every direction in terms of the independent directions.
//!
//! Rigid: u_f = u_r + θ × (x_f − x_r), θ_f = θ_r. Average: (u_r, θ) = (Σ wᵢ BᵢᵀBᵢ)⁻¹ Σ wᵢ Bᵢᵀ uᵢ with Bᵢ = [I, −skew(xᵢ
//! − x_r)] is the rigid motion that best fits the translations of the followers. It has one equation per rigid motion.
//! They are solved for the same number of follower directions, selected by pivoting, so the reference node stays
//! independent. By duality a load at the reference is distributed to the followers as the forces wᵢ Bᵢ (Σ…)⁻¹ (F, M),
//! which are statically equivalent to it.

use super::model::{Dimension, rigid_motion};
use ballesta::math::Vec3;
use nalgebra::DMatrix;

/// Reasons why constraints cannot be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintError {
    /// The followers of an average do not determine a rigid motion, because they coincide or are collinear.
    Undetermined,
    /// A direction depends on itself: 6·node + direction.
    Cycle(usize),
}

/// A linear combination of directions: (direction, coefficient).
pub type Combination = Vec<(usize, f64)>;

/// The dependent directions of the nodes of a structure.
#[derive(Clone, Debug)]
pub struct Constraints {
    dimension: Dimension,
    dependent: Vec<Option<Combination>>,
}

impl Constraints {
    /// No ties yet.
    pub fn new(dimension: Dimension, nodes: usize) -> Self {
        Constraints { dimension, dependent: vec![None; 6 * nodes] }
    }

    /// Whether a direction (6·node + direction) depends on others.
    pub fn is_dependent(&self, direction: usize) -> bool {
        self.dependent[direction].is_some()
    }

    /// `follower` moves with `reference` as if welded; `arm` from the reference to the follower in C, m.
    pub fn rigid(&mut self, reference: usize, follower: usize, arm: Vec3) {
        for direction in self.dimension.directions() {
            let columns = self.dimension.directions().iter();
            let terms = columns.map(|column| (6 * reference + column, rigid_motion(arm, *direction, *column)));
            self.dependent[6 * follower + direction] = Some(terms.filter(|(_, factor)| *factor != 0.0).collect());
        }
    }

    /// `reference` moves as the average of followers: (node, arm from the reference in C in m, weight).
    pub fn average(&mut self, reference: usize, followers: &[(usize, Vec3, f64)]) -> Result<(), ConstraintError> {
        let motions = self.dimension.directions();
        let translations: Vec<usize> = motions.iter().copied().filter(|direction| *direction < 3).collect();
        let size = followers.iter().map(|(_, arm, _)| arm.norm()).fold(0.0, f64::max);
        let length = if size > 0.0 { size } else { 1.0 };
        // Rotations are multiplied by the size of the set, so all columns have one unit.
        let scale = |column: usize| if column < 3 { 1.0 } else { length };
        let rows: Vec<(usize, Vec3, f64, usize)> = followers
            .iter()
            .flat_map(|(node, arm, weight)| {
                translations.iter().map(move |direction| (*node, *arm, *weight, *direction))
            })
            .collect();
        let fit = DMatrix::from_fn(rows.len(), motions.len(), |i, j| {
            rigid_motion(rows[i].1, rows[i].3, motions[j]) / scale(motions[j])
        });
        let weighted = DMatrix::from_fn(rows.len(), motions.len(), |i, j| rows[i].2 * fit[(i, j)]);
        let normal = weighted.transpose() * &fit;
        let largest = normal.diagonal().max();
        let factor = normal.clone().cholesky().ok_or(ConstraintError::Undetermined)?;
        if normal.symmetric_eigenvalues().min() <= 1e-10 * largest {
            return Err(ConstraintError::Undetermined);
        }
        // (u_r, length·θ) = average · (translations of the followers)
        let average = factor.solve(&weighted.transpose());
        let chosen = pivots(&average);
        let solve = DMatrix::from_fn(motions.len(), motions.len(), |i, j| average[(i, chosen[j])]);
        let inverse = solve.try_inverse().ok_or(ConstraintError::Undetermined)?;
        let rest = &inverse * &average;
        for (i, row) in chosen.iter().enumerate() {
            let mut terms: Combination =
                (0..motions.len()).map(|j| (6 * reference + motions[j], inverse[(i, j)] * scale(motions[j]))).collect();
            let others = (0..rows.len()).filter(|j| !chosen.contains(j));
            terms.extend(others.map(|j| (6 * rows[j].0 + rows[j].3, -rest[(i, j)])));
            let (node, _, _, direction) = rows[*row];
            self.dependent[6 * node + direction] = Some(terms);
        }
        Ok(())
    }

    /// Every direction (6·node + direction) in terms of the independent directions.
    pub fn resolve(&self) -> Result<Vec<Combination>, ConstraintError> {
        let mut rows: Vec<Option<Combination>> = vec![None; self.dependent.len()];
        let mut open = vec![false; self.dependent.len()];
        for direction in 0..self.dependent.len() {
            self.follow(direction, &mut rows, &mut open)?;
        }
        Ok(rows.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn follow(
        &self,
        direction: usize,
        rows: &mut [Option<Combination>],
        open: &mut [bool],
    ) -> Result<(), ConstraintError> {
        // Resolved rows are final; a row that is still open depends on itself.
        if rows[direction].is_some() {
            return Ok(());
        }
        if open[direction] {
            return Err(ConstraintError::Cycle(direction));
        }
        // An independent direction is itself, or nothing if the dimension excludes it.
        let Some(terms) = &self.dependent[direction] else {
            let moves = self.dimension.directions().contains(&(direction % 6));
            rows[direction] = Some(if moves { vec![(direction, 1.0)] } else { Vec::new() });
            return Ok(());
        };
        open[direction] = true;
        // Substitute the terms recursively; each then depends on independent directions only.
        let mut row = Combination::new();
        for (term, factor) in terms {
            self.follow(*term, rows, open)?;
            row.extend(rows[*term].iter().flatten().map(|(independent, value)| (*independent, factor * value)));
        }
        // Terms with the same independent direction are added.
        row.sort_by_key(|(independent, _)| *independent);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        rows[direction] = Some(row);
        Ok(())
    }
}

/// Selects one column of `matrix` per row for a well-conditioned square matrix, by Gram-Schmidt with column pivoting.
fn pivots(matrix: &DMatrix<f64>) -> Vec<usize> {
    let mut rest = matrix.clone();
    let mut chosen = Vec::new();
    for _ in 0..matrix.nrows() {
        let norms = rest.column_iter().map(|column| column.norm_squared());
        // Prefer the first of equal columns, so that the choice depends on round-off as little as possible.
        let (best, _) = norms.enumerate().fold(
            (0, -1.0),
            |best, (j, norm)| {
                if norm > best.1 * (1.0 + 1e-9) { (j, norm) } else { best }
            },
        );
        let unit = rest.column(best).normalize();
        let along = unit.transpose() * &rest;
        rest -= unit * along;
        rest.column_mut(best).fill(0.0);
        chosen.push(best);
    }
    chosen
}
