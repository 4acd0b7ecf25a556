//! Tests of the solver with models, roads and tyres from files. They are here and not in the crate of the solver, which
//! reads no files.

mod articulated;
mod enveloping;
mod evaluation;
mod extent;
mod flexible;
mod guided;
mod gyroscopic;
mod implicit;
mod integration;
mod residual_modes;
mod road;
mod tyre;
mod tyre_contact;
