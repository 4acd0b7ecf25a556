//! Complete state between steps as flat data; a copy is a snapshot.

use alloc::vec::Vec;
use core::ops::{Range, RangeFrom};

/// Dissipated energy among the auxiliary states.
pub const DISSIPATED: usize = 0;
/// Input work.
pub const INPUT_WORK: usize = 1;
/// Both, in the order of their powers.
pub(crate) const ENERGIES: Range<usize> = DISSIPATED..INPUT_WORK + 1;

/// Ranges of the parts of [`State::last_step`].
pub struct Memory {
    /// Dissipated and input power, W.
    pub powers: Range<usize>,
    /// Step length of [`State::offsets`], s.
    pub length: usize,
    /// Rates of the force elements' states.
    pub element_rates: Range<usize>,
    /// Changes of the elastic coordinates, with the generalized-alpha method.
    pub mode_changes: RangeFrom<usize>,
}

impl Memory {
    /// With `element_states` states of force elements.
    pub fn new(element_states: usize) -> Memory {
        let (length, first) = (ENERGIES.end, ENERGIES.end + 1);
        let end = first + element_states;
        Memory { powers: ENERGIES, length, element_rates: first..end, mode_changes: end.. }
    }
}

/// State of one instance. Sizes are fixed by the system; `clone_from` between states of one system does not allocate.
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct State {
    /// Time in s.
    pub time: f64,
    /// Joint positions q (rad, m, quaternion components), all coordinates, loops closed.
    pub q: Vec<f64>,
    /// Joint velocities ż (rad/s, m/s), all coordinates.
    pub v: Vec<f64>,
    /// Further integrated states: dissipated energy, input work (J), then three per filtered prescribed motion, two per
    /// residual mode, the states of force elements, and the states of the low-pass filters.
    pub auxiliary: Vec<f64>,
    /// Accelerations z̈ at the end of the last step, all coordinates. Like the next two, empty unless the integrator is
    /// the generalized-alpha method or the augmented Lagrangian formulation.
    pub accelerations: Vec<f64>,
    /// Algorithmic accelerations of the generalized-alpha method minus `accelerations`.
    pub offsets: Vec<f64>,
    /// Of the end of the last step, in the parts of `Memory`.
    pub last_step: Vec<f64>,
    /// Of every output with `turns`: the angle at `time`, rad, continuous since the start.
    pub angles: Vec<f64>,
    /// Of the augmented Lagrangian formulation, empty otherwise: multipliers of all closure rows at the end of the last
    /// step (N).
    pub multipliers: Vec<f64>,
    /// Values of the inputs at `input_time`.
    pub inputs: Vec<f64>,
    /// Slopes of the inputs, per s.
    pub input_slopes: Vec<f64>,
    /// Time at which each input was set, s.
    pub input_times: Vec<f64>,
    /// Values of all parameters.
    pub parameters: Vec<f64>,
    /// Row and column order of every block, first the pivots (see [`super::Block`]).
    pub orders: Vec<u32>,
    /// Smallest pivot of every block: its best value since the coordinates were chosen.
    pub pivots: Vec<f64>,
    /// Largest entry of R_z of every block, coordinates scaled to m, up to which its choice of coordinates is kept.
    pub growth_limits: Vec<f64>,
    /// 1 for every block that is closed by least change instead of by partition.
    pub least_change: Vec<u32>,
    /// 1 if a block passed a singular position in the last communication step.
    pub near_singular: u32,
    /// Number of new choices of coordinates since the initialization.
    pub repartitions: u32,
}

/// The fields of a borrowed state in the order of their bytes: time, lists of numbers, lists of whole numbers, counts.
/// A new field does not compile until it is listed here.
macro_rules! fields {
    ($state:expr) => {{
        let State {
            time,
            q,
            v,
            auxiliary,
            accelerations,
            offsets,
            last_step,
            angles,
            multipliers,
            inputs,
            input_slopes,
            input_times,
            parameters,
            orders,
            pivots,
            growth_limits,
            least_change,
            near_singular,
            repartitions,
        } = $state;
        let motion = [q, v, auxiliary, accelerations, offsets, last_step, angles, multipliers];
        let others = [inputs, input_slopes, input_times, parameters, pivots, growth_limits];
        (time, motion.into_iter().chain(others), [orders, least_change], [near_singular, repartitions])
    }};
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = State::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        let (time, reals, integers, counts) = fields!(self);
        let (source_time, source_reals, source_integers, source_counts) = fields!(source);
        *time = *source_time;
        reals.zip(source_reals).for_each(|(to, from)| to.clone_from(from));
        integers.into_iter().zip(source_integers).for_each(|(to, from)| to.clone_from(from));
        counts.into_iter().zip(source_counts).for_each(|(to, from)| *to = *from);
    }
}

impl State {
    /// Value of input `index` at time `t`, s.
    pub(crate) fn input_at(&self, index: usize, t: f64) -> f64 {
        self.inputs[index] + self.input_slopes[index] * (t - self.input_times[index])
    }

    /// Number of bytes of [`State::to_bytes`].
    pub fn byte_length(&self) -> usize {
        let (_, reals, integers, counts) = fields!(self);
        let reals: usize = reals.map(|list| list.len()).sum();
        let integers: usize = integers.iter().map(|list| list.len()).sum();
        8 * (1 + reals) + 4 * (integers + counts.len())
    }

    /// Everything as bytes, little endian, the same length for every state of a system.
    #[expect(clippy::disallowed_methods, reason = "stored states of an FMU, between steps")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (time, reals, integers, counts) = fields!(self);
        let mut bytes = Vec::with_capacity(self.byte_length());
        for value in [time].into_iter().chain(reals.flatten()) {
            bytes.extend(value.to_le_bytes());
        }
        for value in integers.into_iter().flatten().chain(counts) {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`State::to_bytes`] wrote. Returns `false` without changes if the length is wrong, an order is not a
    /// permutation (such a state would index out of range), or a number is not valid in a run (`State::is_sound`).
    pub fn copy_from_bytes(&mut self, bytes: &[u8], system: &super::System) -> bool {
        if bytes.len() != self.byte_length() {
            return false;
        }
        let mut copy = self.clone();
        let mut rest = bytes;
        let (time, reals, integers, counts) = fields!(&mut copy);
        for value in [time].into_iter().chain(reals.flatten()) {
            let (head, tail) = rest.split_at(8);
            rest = tail;
            *value = f64::from_le_bytes(head.try_into().unwrap_or_default());
        }
        for value in integers.into_iter().flatten().chain(counts) {
            let (head, tail) = rest.split_at(4);
            rest = tail;
            *value = u32::from_le_bytes(head.try_into().unwrap_or_default());
        }
        let valid = system.blocks.iter().all(|block| {
            is_permutation(&copy.orders[block.row_order()]) && is_permutation(&copy.orders[block.column_order()])
        }) && copy.is_sound(system);
        if valid {
            *self = copy;
        }
        valid
    }

    /// Whether every number is valid: finite; flags 0 or 1; pivots and limits not negative (infinite limits have no
    /// effect, as for a loop without coordinates); inputs set before `time`; parameters within their limits. Inputs and
    /// their slopes are set by the host and may be NaN: a step rejects them.
    fn is_sound(&self, system: &super::System) -> bool {
        let State {
            time,
            q,
            v,
            auxiliary,
            accelerations,
            offsets,
            last_step,
            angles,
            multipliers,
            inputs: _,
            input_slopes: _,
            input_times,
            parameters,
            orders: _,
            pivots,
            growth_limits,
            least_change,
            near_singular,
            repartitions: _,
        } = self;
        let motion = [q, v, auxiliary, accelerations, offsets, last_step, angles, multipliers];
        let numbers = motion.into_iter().chain([input_times, parameters]).flatten();
        numbers.chain([time]).all(|value| value.is_finite())
            && least_change.iter().chain([near_singular]).all(|flag| *flag <= 1)
            && pivots.iter().chain(growth_limits).all(|value| *value >= 0.0)
            && input_times.iter().all(|set| set <= time)
            && system.interface.parameters.iter().zip(parameters).all(|(info, value)| info.admits(*value))
    }
}

fn is_permutation(order: &[u32]) -> bool {
    (0..order.len()).all(|i| order.iter().filter(|&&k| k as usize == i).count() == 1)
}
