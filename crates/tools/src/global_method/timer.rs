//! Times of the stages of an evaluation by the global method.

use super::dense::Dense;
use super::generic::Generic;
use super::sparse::Sparse;
use super::{Algebra, Layout, Reference, Refusal};
use crate::stages::{STAGES, predict};
use ballesta::system::{Fault, State, System, Workspace};
use std::time::Instant;

/// Linear algebra of the global method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearAlgebra {
    /// Dense matrices in plain loops ([`Generic`]).
    Loops,
    /// Dense matrices of faer ([`Dense`]).
    Dense,
    /// Sparse matrices of faer ([`Sparse`]).
    Sparse,
}

/// Times evaluations by the global method in a separate workspace.
pub trait Timer {
    /// Times one evaluation half a step ahead of `state`, in s: as a whole, then the stages of [`STAGES`]. The error is
    /// a sentence.
    fn time(&mut self, system: &System, state: &State, seconds: &mut [f64]) -> Result<(), String>;

    /// Arrangement of the coordinates and equations.
    fn layout(&self) -> &Layout;
}

/// A timer for the coordinates that are independent in `state`. This crate compiles the method for each kind of linear
/// algebra: generic code that another crate instantiates would be optimised with the settings of that crate.
pub fn timer(algebra: LinearAlgebra, system: &System, state: &State) -> Result<Box<dyn Timer>, Refusal> {
    match algebra {
        LinearAlgebra::Loops => Ok(Box::new(ReferenceTimer::<Generic>::new(system, state)?)),
        LinearAlgebra::Dense => Ok(Box::new(ReferenceTimer::<Dense>::new(system, state)?)),
        LinearAlgebra::Sparse => Ok(Box::new(ReferenceTimer::<Sparse>::new(system, state)?)),
    }
}

/// [`Timer`] with any matrices.
struct ReferenceTimer<A> {
    reference: Reference<A>,
    /// Choice of coordinates for which it was created.
    orders: Vec<u32>,
    workspace: Workspace,
}

impl<A: Algebra> ReferenceTimer<A> {
    /// For the coordinates that are independent in `state`.
    fn new(system: &System, state: &State) -> Result<Self, Refusal> {
        let reference = Reference::new(system, state)?;
        Ok(ReferenceTimer { reference, orders: state.orders.clone(), workspace: Workspace::new(system) })
    }
}

impl<A: Algebra> Timer for ReferenceTimer<A> {
    fn time(&mut self, system: &System, state: &State, seconds: &mut [f64]) -> Result<(), String> {
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

    fn layout(&self) -> &Layout {
        self.reference.layout()
    }
}
