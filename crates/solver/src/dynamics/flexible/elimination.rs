//! The modes of a flexible body in the elimination from the leaves.
//!
//! Problem. The columns of the elastic coordinates at the interfaces belong to links, which are tree joints like
//! others. The remaining terms are the terms of the modes themselves ([`super`]): ½ η̇ᵀ η̇, the momentum Σ C_k η̇_k
//! that they give the floating frame, and the residuals of their equations. With η̈ = R y, the rows R of the modes in
//! the reduced coordinates of their cluster, and W = Σ C_k R_k, and the columns B_F of the frame (none if the frame is
//! the cluster's base),
//!
//! ```text
//!     D += Rᵀ R + B_Fᵀ W + Wᵀ B_F,    U += W,    u −= Rᵀ residual,
//! ```
//!
//! in the notation of [`super::super::articulated`]; and over an implicit step D += Rᵀ (β'h² K + γ'h C) R.
//!
//! Cost. A mode that is independent, or on no loop, has one entry in R: n f additions for n modes. Others n f², with
//! the modal damping matrix n² f² where it is not diagonal. No allocation, no iteration.
//!
//! Verified by: `dynamics::articulated` (against the dense solution).

use crate::dynamics::articulated::row_of;
use crate::dynamics::implicit::Lengths;
use crate::math::spatial::{SixNumbers, add_scaled, dot};
use crate::system::workspace::FlexibleScratch;
use crate::system::{BlockScratch, Cluster, Elastic, System};

/// Sums for one cluster with f reduced coordinates, see [`crate::system::ClusterScratch`].
pub(crate) struct Reduced<'a> {
    /// B of every body, n × f.
    pub columns: &'a [SixNumbers],
    /// D, f × f, lower triangle.
    pub d: &'a mut [f64],
    /// Inertias from the composites without cancellation, f.
    pub sizes: &'a mut [f64],
    /// u, f.
    pub force: &'a mut [f64],
    /// U, f.
    pub coupling: &'a mut [SixNumbers],
    /// Scratch for W, f or more, used if the frame is not the base.
    pub modes: &'a mut [SixNumbers],
}

/// Adds the modes of one flexible body to its cluster.
pub(crate) fn add(
    cluster: &Cluster,
    elastic: &Elastic,
    scratch: &FlexibleScratch,
    blocks: &[BlockScratch],
    reduced: Reduced,
) {
    let Reduced { columns, d, sizes, force, coupling, modes } = reduced;
    let f = force.len();
    // A frame that the cluster itself moves needs its coupling with the cluster's columns too.
    let inside = elastic.frame.is_some();
    let momenta = if inside { &mut modes[..f] } else { &mut *coupling };
    if inside {
        momenta.fill([0.0; 6]);
    }
    // Each mode adds its unit mass, its force, and its momentum.
    for &(mode, drive) in &elastic.modes {
        let row = row_of(drive, cluster, blocks);
        let wrench = scratch.coupling[mode].six();
        for (c, &value) in row.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let index = row.first + c;
            sizes[index] += value * value;
            force[index] -= value * scratch.residual[mode];
            for (entry, other) in d[index * f + row.first..][..c + 1].iter_mut().zip(row.values) {
                *entry += value * other;
            }
            add_scaled(&mut momenta[index], value, &wrench);
        }
    }
    // The momenta of the modes on the motion of the frame, symmetric.
    let Some(frame) = elastic.frame else { return };
    let (frame, momenta) = (&columns[frame * f..][..f], &modes[..f]);
    for c in 0..f {
        for e in 0..=c {
            d[c * f + e] += dot(&frame[e], &momenta[c]) + dot(&frame[c], &momenta[e]);
        }
        add_scaled(&mut coupling[c], 1.0, &momenta[c]);
    }
}

/// u −= Rᵀ residual of the modes of one flexible body.
pub(crate) fn add_forces(
    cluster: &Cluster,
    elastic: &Elastic,
    scratch: &FlexibleScratch,
    blocks: &[BlockScratch],
    force: &mut [f64],
) {
    for &(mode, drive) in &elastic.modes {
        let row = row_of(drive, cluster, blocks);
        for (force, value) in force[row.first..].iter_mut().zip(row.values) {
            *force -= value * scratch.residual[mode];
        }
    }
}

/// Adds stiffness and damping of all modes of a cluster over an implicit step to its D, f × f, lower triangle.
pub(crate) fn add_stiffness(
    system: &System,
    cluster: &Cluster,
    d: &mut [f64],
    f: usize,
    blocks: &[BlockScratch],
    lengths: Lengths,
) {
    for elastic in &cluster.elastic {
        let body = &system.flexible[elastic.flexible];
        for &(k, drive) in &elastic.modes {
            let row = row_of(drive, cluster, blocks);
            for &(l, other) in &elastic.modes {
                let own = if k == l { lengths.position * body.stiffness[k] } else { 0.0 };
                let weight = own + lengths.velocity * body.damping[k * body.modes() + l];
                if weight == 0.0 {
                    continue;
                }
                let other = if k == l { row } else { row_of(other, cluster, blocks) };
                for (c, value) in row.values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    let at = row.first + c;
                    let below = (at + 1).saturating_sub(other.first).min(other.values.len());
                    for (entry, other) in d[at * f + other.first..].iter_mut().zip(&other.values[..below]) {
                        *entry += weight * value * other;
                    }
                }
            }
        }
    }
}
