//! Scratch of the integration: rates, data of schemes between their stages, filters, and events of the step.

use super::Number;
use super::poison::{blank, poisoned};
use crate::math::spatial::SixNumbers;
use crate::system::System;
use alloc::vec::Vec;

/// Rates of the three kinds of states. Rates of a stage are set by the end of its evaluation.
#[derive(Clone)]
pub struct Rates<S = f64> {
    /// q̇, nq.
    pub q: Vec<S>,
    /// z̈, nv.
    pub v: Vec<S>,
    /// Rates of the auxiliary states.
    pub auxiliary: Vec<S>,
}

poisoned!(Rates<S> { q, v, auxiliary });

impl<S: Number> Rates<S> {
    pub(super) fn new(system: &System) -> Rates<S> {
        Rates { q: blank(system.nq), v: blank(system.nv), auxiliary: blank(system.auxiliary) }
    }
}

impl Rates {
    /// Copies rates of the same system, without allocating.
    pub(crate) fn copy_from(&mut self, other: &Rates) {
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.auxiliary.copy_from_slice(&other.auxiliary);
    }
}

/// Data that a scheme keeps between stages. By the file of the scheme in `integrate`.
pub(crate) struct Integration {
    /// Weighted sum of the rates of all stages.
    pub sum: Rates,
    /// Of a Runge-Kutta step: its length · (z̈ of the third stage − z̈ of the second), nv.
    pub disagreement: Vec<f64>,
    /// Velocities at the end of a step as the scheme gives them, before loops are closed, nv.
    pub predicted: Vec<f64>,
    /// Velocity of every body for the velocities that `integrate::refinement` weighs, m/s and rad/s.
    pub swept: Vec<SixNumbers>,
    /// Exponential steps: modes of one group with their loads, three times.
    pub propagated: Vec<f64>,
}

poisoned!(Integration { sum, disagreement, predicted, swept, propagated });

impl Integration {
    pub(super) fn new(system: &System) -> Integration {
        Integration {
            sum: Rates::new(system),
            disagreement: blank(system.nv),
            predicted: blank(system.nv),
            swept: blank(system.bodies.len()),
            propagated: blank(system.propagation.scratch()),
        }
    }
}

/// Input of every low-pass filter of an output, in the unit of the output. By `dynamics::observe` and
/// `integrate::filters`.
pub(crate) struct Unfiltered {
    /// At the evaluation that was read last.
    pub now: Vec<f64>,
    /// At the start of the step.
    pub start: Vec<f64>,
}

poisoned!(Unfiltered { now, start });

impl Unfiltered {
    pub(super) fn new(system: &System) -> Unfiltered {
        Unfiltered { now: blank(system.filters.len()), start: blank(system.filters.len()) }
    }
}

/// Events of a step. Not scratch memory: the reader clears it, so it is not overwritten.
#[derive(Default)]
pub struct StepEvents {
    /// Whether a singular direction was left out since the flag was last cleared. By `dynamics::least_change`.
    pub near_singular: bool,
    /// Whether the present step was halved. By `integrate`.
    pub halved: bool,
}
