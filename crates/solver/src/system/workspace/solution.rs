//! Scratch of the solution for z̈: elimination from the leaves, gyroscopic corrections, or the dense mass matrix.

use super::poison::{blank, poisoned};
use crate::math::POISON;
use crate::math::spatial::{Articulated, SixNumbers, Wrench};
use crate::system::{Cluster, System};
use alloc::{vec, vec::Vec};

/// Elimination from the leaves. By `dynamics::articulated`, after the residuals.
pub(crate) struct Elimination {
    /// Articulated inertia of every body.
    pub articulated: Vec<Articulated>,
    /// Residual force of every body, with everything outboard of it.
    pub lacking: Vec<SixNumbers>,
    /// Mass in kg and trace of the second moment about o in kg m² of all outboard of a body, itself included.
    pub composite_sizes: Vec<[f64; 2]>,
    /// Per cluster: see [`ClusterScratch`].
    pub clusters: Vec<ClusterScratch>,
    /// Implicit steps: projection of a force element's direction to the reduced coordinates of a cluster, as many as
    /// the widest can have.
    pub gradient: Vec<f64>,
    /// Change δŻ of the acceleration of every body.
    pub change: Vec<SixNumbers>,
}

poisoned!(Elimination { articulated, lacking, composite_sizes, clusters, gradient, change });

impl Elimination {
    #[expect(clippy::disallowed_methods, reason = "scratch memory, before the first step")]
    pub(super) fn new(system: &System) -> Elimination {
        let bodies = system.bodies.len();
        Elimination {
            articulated: blank(bodies),
            lacking: blank(bodies),
            composite_sizes: blank(bodies),
            clusters: system.clusters.iter().map(ClusterScratch::new).collect(),
            gradient: blank(system.clusters.iter().map(|cluster| cluster.most).max().unwrap_or(0)),
            change: blank(bodies),
        }
    }
}

/// Scratch of one cluster with n bodies and f reduced coordinates at this stage.
#[derive(Default)]
pub(crate) struct ClusterScratch {
    /// B of every body, n × f.
    pub columns: Vec<SixNumbers>,
    /// Their momenta I B, including contributions of rods, n × f.
    pub momenta: Vec<SixNumbers>,
    /// D, then L below its diagonal and Δ⁻¹ on it, f × f.
    pub inertia: Vec<f64>,
    /// Inertia of every reduced coordinate from the composites without cancellation, f.
    pub sizes: Vec<f64>,
    /// u, then L⁻¹ u, then y, f.
    pub force: Vec<f64>,
    /// U, then the rows of L⁻¹ Uᵀ, f. For a single coordinate these three keep 1/D, u and U.
    pub coupling: Vec<SixNumbers>,
    /// Momentum of the modes of one flexible body per reduced coordinate, f; empty where every frame is the base.
    pub modes: Vec<SixNumbers>,
    /// Numbers of the reduced coordinates that move one body, f.
    pub nonzero: Vec<usize>,
}

poisoned!(ClusterScratch { columns, momenta, inertia, sizes, force, coupling, modes, nonzero });

impl ClusterScratch {
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    fn new(cluster: &Cluster) -> ClusterScratch {
        let (bodies, most) = (cluster.members.len(), cluster.most);
        let inside = cluster.elastic.iter().any(|elastic| elastic.frame.is_some());
        ClusterScratch {
            columns: blank(bodies * most),
            momenta: blank(bodies * most),
            inertia: blank(most * most),
            sizes: blank(most),
            force: blank(most),
            coupling: blank(most),
            modes: blank(if inside { most } else { 0 }),
            nonzero: vec![POISON; most],
        }
    }
}

/// The stage about which gyroscopic terms are computed by differences, and their changes. By `dynamics::gyroscopic`, in
/// implicit steps in which bodies turn fast.
pub struct GyroscopicScratch {
    /// Velocities of the stage, nv.
    pub v: Vec<f64>,
    /// Accelerations before anything is solved for, nv.
    pub zdd: Vec<f64>,
    /// Residual of every body.
    pub residuals: Vec<Wrench>,
    /// Residuals of the modes of all flexible bodies, one body after another.
    pub modes: Vec<f64>,
    /// Sum of the changes of z̈, nv.
    pub change: Vec<f64>,
}

poisoned!(GyroscopicScratch { v, zdd, residuals, modes, change });

impl GyroscopicScratch {
    pub(super) fn new(system: &System) -> GyroscopicScratch {
        GyroscopicScratch {
            v: blank(system.nv),
            zdd: blank(system.nv),
            residuals: blank(system.bodies.len()),
            modes: blank(system.flexible.iter().map(|body| body.modes()).sum()),
            change: blank(system.nv),
        }
    }
}

/// Scratch of the methods with a dense mass matrix: `dynamics::dense`, fast bodies beyond corrections, the augmented
/// Lagrangian (where A is the reduced mass matrix), and offline readers of M. Sizes: nv coordinates, `size` independent
/// ones.
pub struct Dense {
    /// Mass matrix M of the open tree, nv × nv, symmetric; over an implicit step M + S. By `dynamics::mass` and
    /// `dynamics::implicit`.
    pub mass: Vec<f64>,
    /// Implicit steps: projection of a force element's direction to the coordinates of `path`, at most one per column.
    pub gradient: Vec<f64>,
    /// Implicit steps: velocity coordinates between the bodies of a force element.
    pub path: Vec<usize>,
    /// M R, nv × size.
    pub mass_times_r: Vec<f64>,
    /// Rᵀ M R and its factor, size × size.
    pub reduced_mass: Vec<f64>,
    /// Rows that changed places in the factorisation of an unsymmetric matrix, size.
    pub exchanges: Vec<u32>,
    /// Rᵀ Q and the solution y, size.
    pub reduced_force: Vec<f64>,
}

poisoned!(Dense { mass, gradient, path, mass_times_r, reduced_mass, exchanges, reduced_force });

impl Dense {
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "scratch memory, before the first step")]
    pub(super) fn new(system: &System) -> Dense {
        let nv = system.nv;
        Dense {
            mass: blank(nv * nv),
            gradient: blank(system.slots),
            path: Vec::with_capacity(system.slots),
            mass_times_r: blank(nv * nv),
            reduced_mass: blank(nv * nv),
            exchanges: vec![0; nv],
            reduced_force: blank(nv),
        }
    }
}

/// Scratch of the augmented Lagrangian. By `dynamics::augmented`.
pub(crate) struct AugmentedScratch {
    /// Weight of every closure row, kg.
    pub penalties: Vec<f64>,
    /// Rate or acceleration of every closure row while it is projected away, m/s or m/s².
    pub held: Vec<f64>,
}

poisoned!(AugmentedScratch { penalties, held });

impl AugmentedScratch {
    pub(super) fn new(system: &System) -> AugmentedScratch {
        AugmentedScratch { penalties: blank(system.rows.len()), held: blank(system.rows.len()) }
    }
}
