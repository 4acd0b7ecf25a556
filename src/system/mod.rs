//! The compiled system: constant data, state, scratch, faults (skeleton).

mod fault;
mod interface;
mod report;

pub use fault::Fault;
pub use interface::{InputInfo, Interface, OutputInfo, ParameterInfo, ScalarKind};
pub use report::{BlockReport, Redundancy, Report};

use crate::model::{Diagnostics, Document};

/// Constant data of a mechanism, shareable between instances.
pub struct System {
    interface: Interface,
}

impl System {
    /// Compiles a document with the values of its parameters (one per `[[parameter]]`, in file order). Assembles the
    /// initial position; what cannot be assembled or has no inertia is a diagnostic.
    pub fn compile(_document: &Document, _parameters: &[f64]) -> Result<System, Diagnostics> {
        todo!()
    }
    /// Inputs, parameters and outputs.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
    /// Name of the model.
    pub fn name(&self) -> &str {
        todo!()
    }
    /// Internal step in s.
    pub fn step(&self) -> f64 {
        todo!()
    }
    /// What the compilation found.
    pub fn report(&self) -> Report {
        todo!()
    }
    /// The fault in words, with the names of the loops or joints it means.
    pub fn describe(&self, _fault: &Fault) -> String {
        todo!()
    }
}

/// Everything that survives a step: flat data.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    values: Vec<f64>,
}

impl State {
    /// Everything as bytes (little endian), the same length for every state of a system.
    pub fn to_bytes(&self) -> Vec<u8> {
        todo!()
    }
    /// Number of bytes of [`State::to_bytes`].
    pub fn byte_length(&self) -> usize {
        todo!()
    }
    /// Reads what [`State::to_bytes`] wrote; `false` and unchanged when the length does not fit.
    pub fn copy_from_bytes(&mut self, _bytes: &[u8]) -> bool {
        todo!()
    }
}

/// Scratch memory of one instance.
pub struct Workspace {
    values: Vec<f64>,
}

impl Workspace {
    /// Overwrites everything.
    pub fn fill(&mut self, value: f64) {
        self.values.fill(value);
    }
}
