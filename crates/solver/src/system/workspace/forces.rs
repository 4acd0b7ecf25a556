//! Inertias, loads and residuals: all wrenches about the point o of the branch, world axes, N and N m.

use super::Number;
use super::poison::{blank, poisoned};
use crate::force::Element;
use crate::force::tyre::Patch;
use crate::math::scalar::Scalar;
use crate::math::spatial::{Inertia, Wrench};
use crate::math::{Mat3, Vec3};
use crate::system::{Sharing, System};
use alloc::{vec, vec::Vec};

/// Inertias of the rigid part, about o, world axes. By `dynamics::mass`, from the poses of the bodies.
pub struct Inertias<S = f64> {
    /// Of every body, rods' shares included.
    pub bodies: Vec<Inertia<S>>,
    /// Inertia including all outboard bodies. Only for mass matrices: of a block, or of the open tree.
    pub composites: Vec<Inertia<S>>,
    /// Point Jacobian columns of the two ends of the rod at work, nv each.
    pub rod_columns: Vec<[Vec3<S>; 2]>,
}

poisoned!(Inertias<S> { bodies, composites, rod_columns });

impl<S: Number> Inertias<S> {
    pub(super) fn new(system: &System) -> Inertias<S> {
        let bodies = system.bodies.len();
        Inertias { bodies: blank(bodies), composites: blank(bodies), rod_columns: blank(system.nv) }
    }
}

/// Scratch of one flexible body with n elastic coordinates, in the axes of C about the origin of B unless stated
/// otherwise. By `dynamics::flexible`: the residual with the residuals of the bodies, all else with the inertias.
#[derive(Default)]
pub struct FlexibleScratch<S: Scalar = f64> {
    /// R_WC.
    pub axes: Mat3<S>,
    /// W_ab = ∫ (x + u)_a Φ_b dm, 9 rows of n.
    pub moments: [Vec<S>; 9],
    /// C_t, 3 rows of n.
    pub translation: [Vec<S>; 3],
    /// C_r, 3 rows of n.
    pub rotation: [Vec<S>; 3],
    /// K_ω η for the six products of ω, 6 rows of n.
    pub spin: [Vec<S>; 6],
    /// h, kg m.
    pub first: Vec3<S>,
    /// J, kg m².
    pub second: Mat3<S>,
    /// C_k in world axes about o, n.
    pub coupling: Vec<Wrench<S>>,
    /// Inertia, elasticity, damping less loads of every mode, n.
    pub residual: Vec<S>,
    /// Accelerations of the modes that these belong to, n.
    pub acceleration: Vec<S>,
}

poisoned!(FlexibleScratch<S> {
    axes,
    moments,
    translation,
    rotation,
    spin,
    first,
    second,
    coupling,
    residual,
    acceleration
});

impl<S: Number> FlexibleScratch<S> {
    pub(super) fn new(n: usize) -> FlexibleScratch<S> {
        let mut scratch = FlexibleScratch {
            moments: core::array::from_fn(|_| blank(n)),
            translation: core::array::from_fn(|_| blank(n)),
            rotation: core::array::from_fn(|_| blank(n)),
            spin: core::array::from_fn(|_| blank(n)),
            coupling: blank(n),
            residual: blank(n),
            acceleration: blank(n),
            ..FlexibleScratch::default()
        };
        super::poison::Poison::poison(&mut scratch, f64::NAN);
        scratch
    }
}

/// Loads on the bodies. By `dynamics::loads`, from the closed stage.
pub struct AppliedLoads<S = f64> {
    /// Applied forces and weight on every body.
    pub wrenches: Vec<Wrench<S>>,
    /// Ends of every rod, each from the o of its body, m.
    pub rod_ends: Vec<[Vec3<S>; 2]>,
    /// Result of every tyre on the road, one entry per tyre of a pair.
    pub patches: Vec<Option<Patch<S>>>,
    /// Applied efforts on every velocity coordinate, nv, N or N m.
    pub efforts: Vec<S>,
    /// Powers: dissipated, input, W. The power of prescribed coordinates is added once z̈ is known.
    pub powers: [S; 2],
}

poisoned!(AppliedLoads<S> { wrenches, rod_ends, patches, efforts, powers });

impl<S: Number> AppliedLoads<S> {
    pub(super) fn new(system: &System) -> AppliedLoads<S> {
        let tyres = system.elements.iter();
        let tyres = tyres.map(|element| if let Element::Tyre(tyre) = element { tyre.count } else { 0 });
        AppliedLoads {
            wrenches: blank(system.bodies.len()),
            rod_ends: blank(system.rods.len()),
            patches: blank(tyres.sum()),
            efforts: blank(system.nv),
            powers: [S::from_f64(f64::NAN); 2],
        }
    }
}

/// Residuals of the equations of motion at given accelerations. By `dynamics::residuals`, after inertias, loads and
/// accelerations.
pub struct Residuals<S = f64> {
    /// Inertia force minus load of every body; accumulated outboard to inboard where the mass matrix or reactions are
    /// made.
    pub bodies: Vec<Wrench<S>>,
    /// Momentum M̄ Z of every body, rods' coupling included, N s and N m s.
    pub momenta: Vec<Wrench<S>>,
    /// Armature · z̈ minus effort of every velocity coordinate, nv, N or N m.
    pub efforts: Vec<S>,
    /// Generalized force of the open tree, nv: the accumulated load along every coordinate.
    pub force: Vec<S>,
}

poisoned!(Residuals<S> { bodies, momenta, efforts, force });

impl<S: Number> Residuals<S> {
    pub(super) fn new(system: &System) -> Residuals<S> {
        let (bodies, nv) = (system.bodies.len(), system.nv);
        Residuals { bodies: blank(bodies), momenta: blank(bodies), efforts: blank(nv), force: blank(nv) }
    }
}

/// Forces transmitted by the closure. By `dynamics::reactions` for outputs; the augmented Lagrangian iterates on the
/// multipliers.
pub struct Reactions<S = f64> {
    /// Residuals of the bodies before they were accumulated.
    pub open_residuals: Vec<Wrench<S>>,
    /// Multiplier of every closure row, N.
    pub multipliers: Vec<S>,
    /// Of the loops that share reactions, one [`crate::system::Sharing`] after the other: multipliers and the terms of
    /// their norm, N.
    pub shared: Vec<f64>,
    /// For every state of stress; as many as rows, since near a singular position more of them are left out.
    pub stresses: Vec<f64>,
}

poisoned!(Reactions<S> { open_residuals, multipliers, shared, stresses });

impl<S: Number> Reactions<S> {
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub fn new(system: &System) -> Reactions<S> {
        let most = |size: &dyn Fn(&Sharing) -> usize| system.shared.iter().map(size).max().unwrap_or(0);
        Reactions {
            open_residuals: blank(system.bodies.len()),
            multipliers: blank(system.rows.len()),
            shared: blank(most(&|sharing| sharing.width())),
            // Zeros, for which the operating system commits no memory until first use.
            stresses: vec![0.0; most(&|sharing| sharing.rows * sharing.width())],
        }
    }
}
