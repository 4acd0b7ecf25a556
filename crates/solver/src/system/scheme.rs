//! Settings of the time integration of a system.

/// Fixed-step integration scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Integrator {
    /// Classical Runge-Kutta, order 4, four evaluations.
    #[default]
    Rk4,
    /// Heun's method, order 2, two evaluations.
    Heun,
    /// Velocities first, then positions with the new velocities; order 1, one evaluation.
    SemiImplicitEuler,
    /// Generalized-alpha method, implicit in the stiffness and damping of flexible bodies, springs, bushings, stops and
    /// friction; order 2, one evaluation and one linear solve, no iteration.
    GeneralizedAlpha,
    /// Index-3 augmented Lagrangian with projections of velocities and accelerations, trapezoidal rule; order 2,
    /// iterated to convergence at every step. For verification: all coordinates are integrated, the loops are
    /// constraints, and no independent coordinates are chosen.
    AugmentedLagrangian,
    /// The exact solution for loads that are linear in time during a step; for linear flexible bodies fixed to the
    /// ground, alone.
    Exponential,
}

/// Terms that an implicit scheme treats implicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Implicit {
    /// Stiffness and damping of flexible bodies, springs, bushings, stops and friction.
    #[default]
    Stiff,
    /// All forces, inertia forces included, by differences: one more evaluation of the open chain per coordinate and
    /// step.
    All,
}
