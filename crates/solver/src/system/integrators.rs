//! Table of the integrators: one row per scheme with all its properties. The steps are in `integrate`, one file per
//! scheme.

use super::Integrator;

/// Limit of the step of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    /// The polynomial R(z) = Σ c_k z^k with which a mode ẏ = λ y becomes R(λh) times itself in a step: the coefficients
    /// c_k.
    Polynomial(&'static [f64]),
    /// New positions follow from the new velocities: no polynomial of λh alone.
    SemiImplicitEuler,
    /// No limit by a formula.
    Unlimited,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// The integrator.
    pub integrator: Integrator,
    /// Name in model files.
    pub name: &'static str,
    /// Text for the documentation page of an FMU.
    pub title: &'static str,
    /// Global error is O(h^order); for a scheme that is exact for some loads, with other loads.
    pub order: u32,
    /// Evaluations of the dynamics per step, or per iteration.
    pub evaluations: usize,
    /// Whether it iterates within a step.
    pub iterates: bool,
    /// Whether it is explicit: it starts with the rates at the state, which are shared with outputs, and its end is
    /// projected onto the closed positions.
    pub explicit: bool,
    /// Whether it solves for positions with multipliers of all closure rows: it closes the loops itself, keeps the
    /// multipliers, and takes accelerations from positions, whose round-off grows as 1 / h².
    pub index_3: bool,
    /// Whether it halves steps that are not resolved.
    pub halves_steps: bool,
    /// Whether a step ends where a brake stops its coordinate, and holds it there.
    pub holds_brakes: bool,
    /// Whether it takes flexible bodies as linear and their motion from an exact formula.
    pub linear_bodies: bool,
    /// Limit of its step.
    pub stability: Stability,
    /// Smallest time constant of sliding bristles, in steps, with a margin to the stability limit on the real axis; for
    /// explicit schemes.
    pub bristle_time: f64,
    /// The scheme that verifies its results; `None` if no scheme is comparable. [`Scheme::second`] selects it for a
    /// model with brakes.
    pub confirmed_by: Option<Integrator>,
    /// Reason why the keys of the generalized-alpha method have no effect; `None` if they have.
    pub not_implicit: Option<&'static str>,
}

/// Defaults of an explicit scheme.
const EXPLICIT: Scheme = Scheme {
    explicit: true,
    holds_brakes: true,
    confirmed_by: Some(Integrator::Rk4),
    not_implicit: Some("the integrator is explicit"),
    ..SCHEME
};

/// Defaults of an implicit scheme.
const SCHEME: Scheme = Scheme {
    integrator: Integrator::GeneralizedAlpha,
    name: "",
    title: "",
    order: 2,
    evaluations: 1,
    iterates: false,
    explicit: false,
    index_3: false,
    halves_steps: false,
    holds_brakes: false,
    linear_bodies: false,
    stability: Stability::Unlimited,
    bristle_time: 0.0,
    confirmed_by: None,
    not_implicit: None,
};

/// One row per integrator, in the order of [`Integrator`].
pub const SCHEMES: [Scheme; 6] = [
    Scheme {
        integrator: Integrator::Rk4,
        name: "rk4",
        title: "Classical Runge-Kutta, order 4, four evaluations per step",
        order: 4,
        evaluations: 4,
        halves_steps: true,
        stability: Stability::Polynomial(&[1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0]),
        bristle_time: 0.4,
        confirmed_by: Some(Integrator::GeneralizedAlpha),
        ..EXPLICIT
    },
    Scheme {
        integrator: Integrator::Heun,
        name: "heun",
        title: "Heun, order 2, two evaluations per step",
        evaluations: 2,
        stability: Stability::Polynomial(&[1.0, 1.0, 1.0 / 2.0]),
        bristle_time: 0.6,
        ..EXPLICIT
    },
    Scheme {
        integrator: Integrator::SemiImplicitEuler,
        name: "semi_implicit_euler",
        title: "Semi-implicit Euler, order 1, one evaluation per step",
        order: 1,
        stability: Stability::SemiImplicitEuler,
        bristle_time: 1.1,
        ..EXPLICIT
    },
    Scheme {
        integrator: Integrator::GeneralizedAlpha,
        name: "generalized_alpha",
        title: "Generalized-alpha, linearly implicit, order 2, one evaluation per step",
        holds_brakes: true,
        confirmed_by: Some(Integrator::AugmentedLagrangian),
        ..SCHEME
    },
    Scheme {
        integrator: Integrator::AugmentedLagrangian,
        name: "augmented_lagrangian",
        title: "Index-3 augmented Lagrangian with projections, trapezoidal rule, iterated to convergence, order 2",
        iterates: true,
        index_3: true,
        confirmed_by: Some(Integrator::GeneralizedAlpha),
        not_implicit: Some("the integrator treats all modes implicitly and holds none"),
        ..SCHEME
    },
    // Exact for loads that are linear in time; no other scheme takes the bodies as linear.
    Scheme {
        integrator: Integrator::Exponential,
        name: "exponential",
        title: "Exponential, exact for loads linear in time, two evaluations per step",
        evaluations: 2,
        linear_bodies: true,
        not_implicit: Some("the integrator is exact"),
        ..SCHEME
    },
];

impl Scheme {
    /// The scheme that verifies the results of this one in a model with `brakes`, or without. A scheme that does not
    /// hold brakes cannot verify a scheme that holds them, because stopped coordinates move back; `rk4` is used then.
    pub fn second(&self, brakes: bool) -> Option<Integrator> {
        let second = self.confirmed_by?;
        let throws_back = brakes && self.holds_brakes && !second.scheme().holds_brakes;
        Some(if throws_back { Integrator::Rk4 } else { second })
    }
}

impl Integrator {
    /// Row of the integrator.
    pub fn scheme(self) -> &'static Scheme {
        &SCHEMES[self as usize]
    }

    /// Whether the keys of the generalized-alpha method have an effect: derivatives of the forces, numerical damping,
    /// held modes.
    pub fn is_linearly_implicit(self) -> bool {
        self.scheme().not_implicit.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_integrator_has_the_row_of_its_own_name_and_order() {
        for (index, row) in SCHEMES.iter().enumerate() {
            assert_eq!((row.integrator as usize, row.integrator.scheme()), (index, row));
            // R(z) agrees with eᶻ up to the order.
            if let Stability::Polynomial(coefficients) = row.stability {
                assert_eq!(coefficients.len(), row.order as usize + 1);
                let factorial = |k: usize| (1..=k).product::<usize>() as f64;
                assert!((0..coefficients.len()).all(|k| (coefficients[k] * factorial(k) - 1.0).abs() < 1e-15));
            }
            assert_eq!(row.explicit, row.bristle_time > 0.0, "{}", row.name);
        }
    }

    #[test]
    fn a_second_scheme_is_another_one_and_holds_the_brakes_that_the_first_holds() {
        for row in SCHEMES {
            assert_eq!(row.second(false), row.confirmed_by, "{}", row.name);
            let Some(second) = row.second(true) else { continue };
            assert_ne!(second, row.integrator, "{}", row.name);
            assert!(second.scheme().holds_brakes || !row.holds_brakes, "{}", row.name);
        }
        assert_eq!(Integrator::GeneralizedAlpha.scheme().second(true), Some(Integrator::Rk4));
    }
}
