//! The evaluation at the start of a step, kept where it was made before: for the outputs of that point, or for a step that is made anew
//! in halves.
//!
//! The first stage of an explicit step is an evaluation at the state itself, and so are the outputs of the communication point
//! before: the same operations on the same numbers. Its rates are kept with all that an evaluation reads of a state. A step
//! whose state has the same bits there takes the rates; any other state, input at that time or parameter has it evaluated. So
//! whether they are kept changes no bit, and filling the workspace with a number forgets them.
//!
//! Cost. A copy and a comparison of a few hundred numbers. No allocation.
//!
//! Proved by: tests/fmi/real_time/first_stage.rs.

use super::{Rates, State, System};

/// Rates at a state, and the state.
pub struct FirstStage {
    /// There is such an evaluation.
    known: bool,
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    auxiliary: Vec<f64>,
    /// At `time`.
    inputs: Vec<f64>,
    parameters: Vec<f64>,
    orders: Vec<u32>,
    least_change: Vec<u32>,
    rates: Rates,
    /// It left a singular direction alone.
    near_singular: bool,
}

impl FirstStage {
    /// None yet.
    pub(super) fn new(system: &System, rates: &Rates) -> FirstStage {
        FirstStage {
            known: false,
            time: system.initial.time,
            q: system.initial.q.clone(),
            v: system.initial.v.clone(),
            auxiliary: system.initial.auxiliary.clone(),
            inputs: system.initial.inputs.clone(),
            parameters: system.initial.parameters.clone(),
            orders: system.initial.orders.clone(),
            least_change: system.initial.least_change.clone(),
            rates: rates.clone(),
            near_singular: false,
        }
    }

    /// Forgets the evaluation.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// Keeps the `rates` of a complete evaluation at `state`. Of the low-pass filters, which are stepped apart, they are zero.
    pub fn keep(&mut self, state: &State, rates: &Rates, near_singular: bool) {
        self.time = state.time;
        self.q.copy_from_slice(&state.q);
        self.v.copy_from_slice(&state.v);
        self.auxiliary.copy_from_slice(&state.auxiliary);
        for (i, input) in self.inputs.iter_mut().enumerate() {
            *input = state.input_at(i, state.time);
        }
        self.parameters.copy_from_slice(&state.parameters);
        self.orders.copy_from_slice(&state.orders);
        self.least_change.copy_from_slice(&state.least_change);
        self.rates.copy_from(rates);
        self.near_singular = near_singular;
        self.known = true;
    }

    /// Whether the kept evaluation is that of `state`.
    pub fn is_of(&self, state: &State) -> bool {
        let same = |kept: &[f64], values: &[f64]| {
            kept.len() == values.len() && kept.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        let input = |(i, kept): (usize, &f64)| kept.to_bits() == state.input_at(i, state.time).to_bits();
        self.known
            && self.time.to_bits() == state.time.to_bits()
            && same(&self.q, &state.q)
            && same(&self.v, &state.v)
            && same(&self.auxiliary, &state.auxiliary)
            && same(&self.parameters, &state.parameters)
            && self.inputs.iter().enumerate().all(input)
            && self.orders == state.orders
            && self.least_change == state.least_change
    }

    /// The kept rates, and whether their evaluation left a singular direction alone.
    pub fn rates(&self) -> (&Rates, bool) {
        (&self.rates, self.near_singular)
    }
}
