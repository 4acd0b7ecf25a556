//! The C interface of FMI 2.0 for Co-Simulation.
//!
//! An importer loads the library of an FMU and calls the 44 functions of [`exports`]. One library serves every model:
//! the model lies in the resource folder of the FMU, next to a GUID that ties both to `modelDescription.xml`.
//!
//! | file | content |
//! |---|---|
//! | [`exports`] | the exported functions, each about one line over the guard |
//! | [`types`] | the C types |
//! | [`guard`] | the boundary: NULL, re-entrance, call order, panics, status, logging |
//! | [`states`] | which function may be called in which state, as a table |
//! | [`instance`] | life of an instance, the step, what the statuses mean |
//! | [`access`] | get, set, derivatives |
//! | [`variables`] | the table of variables, from which `modelDescription.xml` is written too |
//! | [`state_file`] | stored and serialized FMU states |
//! | [`log`] | logger and log categories |
//! | [`resource`] | from the resource URI to a folder |
//! | [`mod@guid`] | the GUID of a content |
//!
//! Capabilities (the flags of `modelDescription.xml` say the same): variable communication step size, interpolated
//! inputs of order 1, output derivatives of order 1, directional derivatives, get, set and serialized FMU state, any
//! number of instances per process, in any threads. Not offered: Model Exchange, asynchronous steps. The importer's
//! memory functions are not used. There is no global mutable state: instances share constant data at most.
//!
//! Source: FMI 2.0.x specification. Proof: `tests/fmi/call_order.rs`, `tests/fmi/rules.rs`, `tests/fmi/instances.rs`,
//! `tests/fmi/host_cycle.rs`, `tests/project/header.rs`.

pub mod access;
pub mod exports;
pub mod guard;
pub mod guid;
pub mod instance;
pub mod log;
pub mod resource;
pub mod state_file;
pub mod states;
pub mod types;
pub mod variables;

pub use guid::guid;
