//! Energy that the formulation of flexible bodies leaves out, computed along the motion.
//!
//! **Axial modes.** Stiffening by axial modes has the strain energy ½ ηᵀ K η + ½ Σ N ηᵀ K_G η with N = f · η. The force
//! −½ (ηᵀ K_G η) f on the axial modes, a part of its derivative, is left out, as is the quartic term of the energy (R.
//! Gutiérrez, U. Lugrís, J. Cuadrado, L. E. Romera, equations 4 and 5). So kinetic and strain energy grow by
//!
//! ```text
//!     W = ∫ ½ Σ (ηᵀ K_G η) (f · η̇) dt
//! ```
//!
//! more than the loads work, whatever the step is: [`LeftOut::work`], by the trapezoidal rule over the internal steps.
//!
//! **Quasi-static modes.** They move at the end of a step without a speed, so no load works on them. The work that a
//! load would have done is at least 0, if the load has a potential that moves along. It is at most 2 ω² η dη, in a
//! turning frame, whose inertia changes too. [`LeftOut::bound`] sums the largest value over all steps.
//!
//! **Use.** The change of the energy balance less W is the change of a complete formulation: the error of the step, of
//! jumps, or of other forces. [`super::Judgement`] compares it with the limit. Nothing here reads the name of a
//! formulation. Cost: n² multiplications per axial mode and step; nothing for other bodies. Nothing allocates.
//!
//! Verified by: tests below, crates/cli/tests/cli/verdicts.rs.

use crate::math::larger;
use crate::system::flexible::quadratic;
use crate::system::{Guide, State, System};

/// The omitted work from the start of a run to its present state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Time in s and power in W of the last state.
    time: f64,
    power: f64,
    /// Work W in J of the omitted forces.
    pub work: f64,
    /// Largest work in J that loads may have done on quasi-static modes.
    pub bound: f64,
    /// Least and largest deviation of the energy balance from its start, less W, J.
    least: f64,
    most: f64,
}

impl LeftOut {
    /// Number of numbers of [`LeftOut::numbers`].
    pub(super) const NUMBERS: usize = 6;

    /// Starts at this state.
    pub(super) fn begin(system: &System, state: &State) -> LeftOut {
        LeftOut { time: state.time, power: power(system, state), ..LeftOut::default() }
    }

    /// Adds the end of a step; does nothing if no step was made since the last call.
    pub(super) fn follow(&mut self, system: &System, state: &State) {
        if state.time == self.time || system.flexible.is_empty() {
            return;
        }
        let power = power(system, state);
        self.work += 0.5 * (state.time - self.time) * (self.power + power);
        self.bound += 2.0 * quasi_static(system, state);
        (self.time, self.power) = (state.time, power);
    }

    /// Adds a deviation of the energy balance, J.
    pub(super) fn take(&mut self, deviation: f64) {
        let rest = deviation - self.work;
        (self.least, self.most) = (-larger(-self.least, -rest), larger(self.most, rest));
    }

    /// The largest deviation of the energy balance that is not the work of forces that are left out, with its sign, J.
    pub fn rest(&self) -> f64 {
        if -self.least > self.most { self.least } else { self.most }
    }

    pub(super) fn numbers(&self) -> [f64; LeftOut::NUMBERS] {
        [self.time, self.power, self.work, self.bound, self.least, self.most]
    }

    pub(super) fn from_numbers([time, power, work, bound, least, most]: [f64; LeftOut::NUMBERS]) -> LeftOut {
        LeftOut { time, power, work, bound, least, most }
    }
}

/// ½ Σ (ηᵀ K_G η) (f · η̇) in W.
fn power(system: &System, state: &State) -> f64 {
    let of = |body: &crate::system::Flexible| -> f64 {
        let (eta, rate) = (&state.q[body.q.clone()], &state.v[body.v.clone()]);
        let part = |(form, matrix): &(Vec<f64>, Vec<f64>)| -> f64 {
            0.5 * quadratic(matrix, eta) * form.iter().zip(rate).map(|(form, rate)| form * rate).sum::<f64>()
        };
        body.axial.iter().map(part).sum()
    };
    system.flexible.iter().map(of).sum()
}

/// Σ |∫ ω² η dη| in J of the quasi-static modes over the last step.
fn quasi_static(system: &System, state: &State) -> f64 {
    let of = |guided: &crate::system::Guided| -> Option<f64> {
        let Guide::Residual { state: at } = guided.guide else { return None };
        let v = guided.coordinate.velocity;
        let body = system.flexible.iter().find(|body| body.v.contains(&v))?;
        let (now, change) = (state.auxiliary[at], state.auxiliary[at + 1]);
        Some((body.stiffness[v - body.v.start] * change * (now - 0.5 * change)).abs())
    };
    system.guided.iter().filter_map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use crate::model;
    use crate::simulate::Simulator;
    use std::path::Path;
    use std::sync::Arc;

    /// A model of the gallery at `stop` with the change of its energy balance, J, and the omitted work.
    fn run(file: &str, stop: f64, step: f64) -> (f64, LeftOut) {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(file);
        let mut document = model::load(&place).unwrap_or_else(|errors| panic!("{errors}"));
        document.model.general.take_step(step);
        let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}")));
        let mut simulator = Simulator::new(system.clone());
        simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{file}: {}", system.describe(&fault)));
        let mut outputs = vec![0.0; system.interface().outputs.len()];
        let mut to = |time: f64| {
            simulator.advance(time).and_then(|()| simulator.outputs(&mut outputs)).unwrap_or_else(|fault| {
                panic!("{file}: {}", system.describe(&fault));
            });
            (simulator.judgement().energy_change(), *simulator.judgement().left_out())
        };
        to(0.0);
        to(stop)
    }

    #[test]
    fn the_force_that_axial_modes_leave_out_does_the_work_that_the_balance_gains() {
        for file in ["spinup_beam/paper_1.toml", "spinup_beam/paper_2.toml"] {
            let (change, left_out) = run(file, 7.0, 2e-3);
            assert!(change > 1.0 && (left_out.work - change).abs() < 1e-2 * change, "{file}: {change} {left_out:?}");
            assert_eq!(left_out.bound, 0.0, "{file}");
        }
        let (change, left_out) = run("spinup_beam/paper_3.toml", 7.0, 2e-3);
        assert!(left_out.work == 0.0 && change.abs() < 1e-3, "{change} {left_out:?}");
    }

    #[test]
    fn the_rest_is_what_is_not_left_out_and_keeps_its_sign() {
        let mut left_out = LeftOut { work: 2.0, ..LeftOut::default() };
        left_out.take(1.0);
        left_out.take(2.5);
        assert_eq!((left_out.rest(), LeftOut::from_numbers(left_out.numbers())), (-1.0, left_out));
        left_out.take(f64::NAN);
        assert!(left_out.rest().is_nan());
    }
}
