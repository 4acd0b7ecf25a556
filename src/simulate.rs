//! `Simulator`: one running instance of a system (skeleton: signatures that other modules may rely on).

use std::sync::Arc;

use crate::system::{Fault, State, System, Workspace};

/// A system, its state and its scratch memory. Allocates when built, never afterwards.
pub struct Simulator {
    system: Arc<System>,
    state: State,
    workspace: Workspace,
}

impl Simulator {
    /// A simulator in the start state of `system` (inputs at their start values, t = 0), not yet initialized.
    pub fn new(_system: Arc<System>) -> Simulator {
        todo!()
    }
    /// The system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }
    /// Present time in s.
    pub fn time(&self) -> f64 {
        todo!()
    }
    /// Back to the assembled initial position at `start_time`, with the inputs and parameters that are set now. Zeroes the energy integrals.
    pub fn initialize(&mut self, _start_time: f64) -> Result<(), Fault> {
        todo!()
    }
    /// Sets input `index` from now on (and its slope to zero).
    pub fn set_input(&mut self, _index: usize, _value: f64) {
        todo!()
    }
    /// Present value of input `index`.
    pub fn input(&self, _index: usize) -> f64 {
        todo!()
    }
    /// Slope of input `index` per s from the present time on; cleared by the next `set_input` of it.
    pub fn set_input_derivative(&mut self, _index: usize, _slope: f64) {
        todo!()
    }
    /// Sets tunable parameter `index` (index into `interface().parameters`).
    pub fn set_parameter(&mut self, _index: usize, _value: f64) {
        todo!()
    }
    /// Present value of parameter `index`.
    pub fn parameter(&self, _index: usize) -> f64 {
        todo!()
    }
    /// Integrates to exactly `end` with internal steps, the last one clipped. On a fault the state stays at the last good internal step.
    pub fn advance(&mut self, _end: f64) -> Result<(), Fault> {
        todo!()
    }
    /// Writes all outputs at the present state and inputs; `out` has `interface().outputs.len()` entries.
    pub fn outputs(&mut self, _out: &mut [f64]) -> Result<(), Fault> {
        todo!()
    }
    /// First time derivatives of all outputs at the present state (0 for Integer and Boolean).
    pub fn output_derivatives(&mut self, _out: &mut [f64]) -> Result<(), Fault> {
        todo!()
    }
    /// Σ over `known` inputs of ∂output/∂input · seed, for all outputs.
    pub fn directional_derivative(&mut self, _known: &[usize], _seed: &[f64], _out: &mut [f64]) -> Result<(), Fault> {
        todo!()
    }
    /// The state, to copy (`clone_from` does not allocate between states of one system).
    pub fn state(&self) -> &State {
        &self.state
    }
    /// Restores a state of the same system.
    pub fn set_state(&mut self, state: &State) {
        self.state.clone_from(state);
    }
    /// Fills the scratch memory with NaN: results must not change.
    pub fn poison_workspace(&mut self) {
        self.workspace.fill(f64::NAN);
    }
}
