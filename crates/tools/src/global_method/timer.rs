//! Times of the stages of an evaluation by the global method.

use super::{Algebra, Layout, Reference, Refusal};
use crate::stages::{STAGES, predict};
use ballesta::system::{Fault, State, System, Workspace};
use std::time::Instant;

/// Times evaluations by the global method, in a workspace of its own.
pub struct ReferenceTimer<A> {
    reference: Reference<A>,
    /// Choice of coordinates for which it was made.
    orders: Vec<u32>,
    workspace: Workspace,
}

impl<A: Algebra> ReferenceTimer<A> {
    /// For the coordinates that are independent in `state`.
    pub fn new(system: &System, state: &State) -> Result<Self, Refusal> {
        let reference = Reference::new(system, state)?;
        Ok(ReferenceTimer { reference, orders: state.orders.clone(), workspace: Workspace::new(system) })
    }

    /// Times one evaluation half a step ahead of `state`, in s: as a whole, then the stages of [`STAGES`]. An error is
    /// a sentence.
    pub fn time(&mut self, system: &System, state: &State, seconds: &mut [f64]) -> Result<(), String> {
        let words = |fault: Fault| system.describe(&fault);
        let refused = |refusal: Refusal| refusal.describe(system);
        if self.orders != state.orders {
            self.reference = Reference::new(system, state).map_err(refused)?;
            self.orders.clone_from(&state.orders);
        }
        let ws = &mut self.workspace;
        let t = predict(system, state, ws).map_err(words)?;
        let clock = Instant::now();
        self.reference.evaluate(system, state, ws, t, |_| ()).map_err(refused)?;
        let whole = clock.elapsed().as_secs_f64();

        predict(system, state, ws).map_err(words)?;
        seconds[..STAGES.len()].fill(0.0);
        seconds[0] = whole;
        let mut before = Instant::now();
        let lap = |stage: usize| {
            let now = Instant::now();
            seconds[stage] += (now - std::mem::replace(&mut before, now)).as_secs_f64();
        };
        self.reference.evaluate(system, state, ws, t, lap).map_err(refused)
    }

    /// How the coordinates and equations are arranged.
    pub fn layout(&self) -> &Layout {
        self.reference.layout()
    }
}
