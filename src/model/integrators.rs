//! The integrators: one row each, from which everything that is said or asked about a scheme comes. The steps themselves are in
//! `integrate`, a file per scheme.

use super::schema::Integrator;

/// What limits the step of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    /// The polynomial R(z) = Σ c_k z^k with which a mode ẏ = λ y becomes R(λh) times itself in a step: the coefficients c_k.
    Polynomial(&'static [f64]),
    /// New positions follow from the new velocities: no polynomial of λh alone.
    SemiImplicitEuler,
    /// No formula limits it.
    Unlimited,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// The integrator.
    pub integrator: Integrator,
    /// Its name in model files.
    pub name: &'static str,
    /// What the documentation page of an FMU says.
    pub title: &'static str,
    /// Global error is O(h^order). That of a scheme which is exact for some loads: for others.
    pub order: u32,
    /// Evaluations of the dynamics per step, or per iteration.
    pub evaluations: usize,
    /// Whether it iterates within a step.
    pub iterates: bool,
    /// Whether it steps from rates alone: it begins with those at the state, which outputs share, and its end is projected onto the closed
    /// positions.
    pub explicit: bool,
    /// What limits its step.
    pub stability: Stability,
    /// Steps that the time of sliding bristles has to last, with a margin to the stability function on the real axis; for explicit
    /// schemes.
    pub bristle_time: f64,
    /// The scheme whose results are to confirm its own; none for one that no other is like.
    pub confirmed_by: Option<Integrator>,
    /// Why the keys of the generalized-alpha method mean nothing to it.
    pub not_implicit: &'static str,
}

const EXPLICIT: &str = "the integrator is explicit";

/// One row per integrator, in the order of [`Integrator`].
pub const SCHEMES: [Scheme; 6] = [
    Scheme {
        integrator: Integrator::Rk4,
        name: "rk4",
        title: "Classical Runge-Kutta, order 4, four evaluations per step",
        order: 4,
        evaluations: 4,
        iterates: false,
        explicit: true,
        stability: Stability::Polynomial(&[1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0]),
        bristle_time: 0.4,
        confirmed_by: Some(Integrator::GeneralizedAlpha),
        not_implicit: EXPLICIT,
    },
    Scheme {
        integrator: Integrator::Heun,
        name: "heun",
        title: "Heun, order 2, two evaluations per step",
        order: 2,
        evaluations: 2,
        iterates: false,
        explicit: true,
        stability: Stability::Polynomial(&[1.0, 1.0, 1.0 / 2.0]),
        bristle_time: 0.6,
        confirmed_by: Some(Integrator::Rk4),
        not_implicit: EXPLICIT,
    },
    Scheme {
        integrator: Integrator::SemiImplicitEuler,
        name: "semi_implicit_euler",
        title: "Semi-implicit Euler, order 1, one evaluation per step",
        order: 1,
        evaluations: 1,
        iterates: false,
        explicit: true,
        stability: Stability::SemiImplicitEuler,
        bristle_time: 1.1,
        confirmed_by: Some(Integrator::Rk4),
        not_implicit: EXPLICIT,
    },
    Scheme {
        integrator: Integrator::GeneralizedAlpha,
        name: "generalized_alpha",
        title: "Generalized-alpha, linearly implicit, order 2, one evaluation per step",
        order: 2,
        evaluations: 1,
        iterates: false,
        explicit: false,
        stability: Stability::Unlimited,
        bristle_time: 0.0,
        confirmed_by: Some(Integrator::AugmentedLagrangian),
        not_implicit: "",
    },
    Scheme {
        integrator: Integrator::AugmentedLagrangian,
        name: "augmented_lagrangian",
        title: "Index-3 augmented Lagrangian with projections, trapezoidal rule, iterated to convergence, order 2",
        order: 2,
        evaluations: 1,
        iterates: true,
        explicit: false,
        stability: Stability::Unlimited,
        bristle_time: 0.0,
        confirmed_by: Some(Integrator::GeneralizedAlpha),
        not_implicit: "the integrator takes everything along implicitly and holds no mode",
    },
    // Exact for loads that are linear in time; no other scheme takes the bodies as linear.
    Scheme {
        integrator: Integrator::Exponential,
        name: "exponential",
        title: "Exponential, exact for loads linear in time, two evaluations per step",
        order: 2,
        evaluations: 2,
        iterates: false,
        explicit: false,
        stability: Stability::Unlimited,
        bristle_time: 0.0,
        confirmed_by: None,
        not_implicit: "the integrator is exact",
    },
];

impl Integrator {
    /// Its row.
    pub fn scheme(self) -> &'static Scheme {
        &SCHEMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_integrator_has_the_row_of_its_own_name_and_order() {
        for (index, row) in SCHEMES.iter().enumerate() {
            assert_eq!((row.integrator as usize, row.integrator.scheme()), (index, row));
            assert_eq!(serde_json::to_value(row.integrator).unwrap(), row.name);
            assert_eq!(serde_json::from_value::<Integrator>(row.name.into()).unwrap(), row.integrator);
            // R(z) agrees with eᶻ up to the order.
            if let Stability::Polynomial(coefficients) = row.stability {
                assert_eq!(coefficients.len(), row.order as usize + 1);
                let factorial = |k: usize| (1..=k).product::<usize>() as f64;
                assert!((0..coefficients.len()).all(|k| (coefficients[k] * factorial(k) - 1.0).abs() < 1e-15));
            }
            assert_eq!(row.explicit, row.bristle_time > 0.0, "{}", row.name);
        }
    }
}
