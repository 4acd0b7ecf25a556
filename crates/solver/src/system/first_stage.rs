//! Cache of the evaluation at the start of a step, from the outputs of that point or from a step that is repeated in
//! halves.
//!
//! The first stage of an explicit step is an evaluation at the state itself, and so are the outputs of the
//! communication point before: the same operations on the same numbers. Its rates are kept with all parts of a state
//! that an evaluation reads. A step whose state has the same bits there uses the rates; any other state, input at that
//! time or parameter causes an evaluation. So the cache does not change any bit of the results, and overwriting the
//! workspace discards it.
//!
//! Cost. A copy and a comparison of a few hundred numbers. No allocation.
//!
//! Verified by: tests/fmi/real_time/first_stage.rs.

use super::{Rates, State, System};
use alloc::vec::Vec;

/// The parts of a state that an evaluation reads, in addition to the values of the inputs at its time. A new field of
/// the state does not compile until it is listed here as read or not read.
fn read(state: &State) -> (f64, [&Vec<f64>; 4], [&Vec<u32>; 2]) {
    let State {
        time,
        q,
        v,
        auxiliary,
        accelerations: _,
        offsets: _,
        last_step: _,
        angles: _,
        multipliers: _,
        inputs: _,
        input_slopes: _,
        input_times: _,
        parameters,
        orders,
        pivots: _,
        growth_limits: _,
        least_change,
        near_singular: _,
        repartitions: _,
    } = state;
    (*time, [q, v, auxiliary, parameters], [orders, least_change])
}

/// Rates at a state, and the data from which they were computed.
pub(crate) struct FirstStage {
    /// Whether an evaluation is kept.
    known: bool,
    time: f64,
    /// At `time`.
    inputs: Vec<f64>,
    reals: [Vec<f64>; 4],
    integers: [Vec<u32>; 2],
    rates: Rates,
    /// Whether it left out a singular direction.
    near_singular: bool,
}

impl FirstStage {
    /// No evaluation kept.
    pub(super) fn new(system: &System, rates: &Rates) -> FirstStage {
        let (time, reals, integers) = read(&system.initial);
        FirstStage {
            known: false,
            time,
            inputs: system.initial.inputs.clone(),
            reals: reals.map(Vec::clone),
            integers: integers.map(Vec::clone),
            rates: rates.clone(),
            near_singular: false,
        }
    }

    /// Forgets the evaluation.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }

    /// Keeps the `rates` of a complete evaluation at `state`. The rates of the low-pass filters, which are stepped
    /// separately, are zero.
    pub(crate) fn keep(&mut self, state: &State, rates: &Rates, near_singular: bool) {
        let (time, reals, integers) = read(state);
        self.time = time;
        for (i, input) in self.inputs.iter_mut().enumerate() {
            *input = state.input_at(i, time);
        }
        self.reals.iter_mut().zip(reals).for_each(|(kept, values)| kept.copy_from_slice(values));
        self.integers.iter_mut().zip(integers).for_each(|(kept, values)| kept.copy_from_slice(values));
        self.rates.copy_from(rates);
        self.near_singular = near_singular;
        self.known = true;
    }

    /// Whether the kept evaluation belongs to `state`.
    pub fn is_of(&self, state: &State) -> bool {
        let (time, reals, integers) = read(state);
        let same = |(kept, values): (&Vec<f64>, &Vec<f64>)| {
            kept.len() == values.len() && kept.iter().zip(values).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        let input = |(i, kept): (usize, &f64)| kept.to_bits() == state.input_at(i, time).to_bits();
        self.known
            && self.time.to_bits() == time.to_bits()
            && self.reals.iter().zip(reals).all(same)
            && self.inputs.iter().enumerate().all(input)
            && self.integers.iter().zip(integers).all(|(kept, values)| kept == values)
    }

    /// The kept rates, and whether their evaluation left out a singular direction.
    pub(crate) fn rates(&self) -> (&Rates, bool) {
        (&self.rates, self.near_singular)
    }
}
