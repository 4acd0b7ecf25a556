//! Everything that survives a step, as flat data: copying it is taking a snapshot.

/// State of one instance. Sizes are fixed by the system; `clone_from` between states of one system does not allocate.
#[derive(Debug, PartialEq)]
pub struct State {
    /// Time in s.
    pub time: f64,
    /// Joint positions q (rad, m, quaternion components), all coordinates, loops closed.
    pub q: Vec<f64>,
    /// Joint velocities ż (rad/s, m/s), all coordinates.
    pub v: Vec<f64>,
    /// Further integrated states: dissipated energy, input work (J), then three per filtered guided coordinate, two
    /// per residual mode, those of force elements, and the states of the low-pass filters.
    pub auxiliary: Vec<f64>,
    /// Accelerations z̈ at the end of the last step, all coordinates. Like the next two, empty unless the integrator is the
    /// generalized-alpha method or the augmented Lagrangian formulation.
    pub accelerations: Vec<f64>,
    /// How far the algorithmic accelerations of the generalized-alpha method are from `accelerations`.
    pub offsets: Vec<f64>,
    /// Of the end of the last step: dissipated and input power (W), the length of step for which `offsets` stand (s), the rates
    /// of the force elements' states, and the changes of the elastic coordinates.
    pub last_step: Vec<f64>,
    /// Of every output with `turns`: the angle at `time`, rad, continuous since the start.
    pub angles: Vec<f64>,
    /// Of the augmented Lagrangian formulation, empty otherwise: multipliers of all closure rows at the end of the last step (N).
    pub multipliers: Vec<f64>,
    /// Values of the inputs at `input_time`.
    pub inputs: Vec<f64>,
    /// Slopes of the inputs, per s.
    pub input_slopes: Vec<f64>,
    /// When each input was set, s.
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
    /// How often coordinates were chosen anew since the initialization.
    pub repartitions: u32,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State {
            time: self.time,
            q: self.q.clone(),
            v: self.v.clone(),
            auxiliary: self.auxiliary.clone(),
            accelerations: self.accelerations.clone(),
            offsets: self.offsets.clone(),
            last_step: self.last_step.clone(),
            angles: self.angles.clone(),
            multipliers: self.multipliers.clone(),
            inputs: self.inputs.clone(),
            input_slopes: self.input_slopes.clone(),
            input_times: self.input_times.clone(),
            parameters: self.parameters.clone(),
            orders: self.orders.clone(),
            pivots: self.pivots.clone(),
            growth_limits: self.growth_limits.clone(),
            least_change: self.least_change.clone(),
            near_singular: self.near_singular,
            repartitions: self.repartitions,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        for (to, from) in self.reals_mut().into_iter().zip(source.reals()) {
            to.clone_from(from);
        }
        for (to, from) in self.integers_mut().into_iter().zip(source.integers()) {
            to.clone_from(from);
        }
        self.near_singular = source.near_singular;
        self.repartitions = source.repartitions;
    }
}

impl State {
    /// Value of input `index` at time `t`, s.
    pub fn input_at(&self, index: usize, t: f64) -> f64 {
        self.inputs[index] + self.input_slopes[index] * (t - self.input_times[index])
    }

    fn reals(&self) -> [&Vec<f64>; 14] {
        [
            &self.q,
            &self.v,
            &self.auxiliary,
            &self.accelerations,
            &self.offsets,
            &self.last_step,
            &self.angles,
            &self.multipliers,
            &self.inputs,
            &self.input_slopes,
            &self.input_times,
            &self.parameters,
            &self.pivots,
            &self.growth_limits,
        ]
    }

    fn reals_mut(&mut self) -> [&mut Vec<f64>; 14] {
        [
            &mut self.q,
            &mut self.v,
            &mut self.auxiliary,
            &mut self.accelerations,
            &mut self.offsets,
            &mut self.last_step,
            &mut self.angles,
            &mut self.multipliers,
            &mut self.inputs,
            &mut self.input_slopes,
            &mut self.input_times,
            &mut self.parameters,
            &mut self.pivots,
            &mut self.growth_limits,
        ]
    }

    fn integers(&self) -> [&Vec<u32>; 2] {
        [&self.orders, &self.least_change]
    }

    fn integers_mut(&mut self) -> [&mut Vec<u32>; 2] {
        [&mut self.orders, &mut self.least_change]
    }

    /// Number of bytes of [`State::to_bytes`].
    pub fn byte_length(&self) -> usize {
        let reals: usize = self.reals().iter().map(|list| list.len()).sum();
        let integers: usize = self.integers().iter().map(|list| list.len()).sum();
        8 * (1 + reals) + 4 * (2 + integers)
    }

    /// Everything as bytes, little endian, the same length for every state of a system.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.byte_length());
        bytes.extend(self.time.to_le_bytes());
        for list in self.reals() {
            list.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        }
        for list in self.integers() {
            list.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        }
        bytes.extend(self.near_singular.to_le_bytes());
        bytes.extend(self.repartitions.to_le_bytes());
        bytes
    }

    /// Reads what [`State::to_bytes`] wrote. `false`, and nothing changed, when the length does not fit, an order is not
    /// a permutation (such a state would index out of range), or a number is none that a run gives (`State::is_sound`).
    pub fn copy_from_bytes(&mut self, bytes: &[u8], system: &super::System) -> bool {
        if bytes.len() != self.byte_length() {
            return false;
        }
        let mut copy = self.clone();
        let mut rest = bytes;
        let mut real = || {
            let (head, tail) = rest.split_at(8);
            rest = tail;
            f64::from_le_bytes(head.try_into().unwrap_or_default())
        };
        copy.time = real();
        for list in copy.reals_mut() {
            list.iter_mut().for_each(|value| *value = real());
        }
        let mut integer = || {
            let (head, tail) = rest.split_at(4);
            rest = tail;
            u32::from_le_bytes(head.try_into().unwrap_or_default())
        };
        for list in copy.integers_mut() {
            list.iter_mut().for_each(|value| *value = integer());
        }
        copy.near_singular = integer();
        copy.repartitions = integer();
        let valid = system.blocks.iter().all(|block| {
            is_permutation(&copy.orders[block.row_order()]) && is_permutation(&copy.orders[block.column_order()])
        }) && copy.is_sound(system);
        if valid {
            *self = copy;
        }
        valid
    }

    /// Whether every number is one that a run may leave: finite; flags 0 or 1; pivots and limits not negative (infinite ones bound
    /// nothing, as those of a loop without coordinates); inputs set before `time`; parameters within their limits. Inputs
    /// and their slopes are what the host has set and may be NaN: a step refuses them.
    fn is_sound(&self, system: &super::System) -> bool {
        let others: [*const Vec<f64>; 4] = [&self.inputs, &self.input_slopes, &self.pivots, &self.growth_limits];
        let finite = |list: &&Vec<f64>| list.iter().all(|value| value.is_finite());
        let flag = |value: &u32| *value <= 1;
        self.time.is_finite()
            && self.reals().iter().filter(|list| !others.contains(&std::ptr::from_ref(**list))).all(finite)
            && self.least_change.iter().all(flag)
            && flag(&self.near_singular)
            && self.pivots.iter().chain(&self.growth_limits).all(|value| *value >= 0.0)
            && self.input_times.iter().all(|time| *time <= self.time)
            && system.interface.parameters.iter().zip(&self.parameters).all(|(info, value)| info.admits(*value))
    }
}

fn is_permutation(order: &[u32]) -> bool {
    (0..order.len()).all(|i| order.iter().filter(|&&k| k as usize == i).count() == 1)
}
