//! The C interface of FMI 2.0 and FMI 3.0 for Co-Simulation and Model Exchange.
//!
//! An importer loads the library of an FMU and calls the functions of [`exports`], 44 of FMI 2.0 or 75 of FMI 3.0. One
//! library serves every model and both versions: the model is in the resource folder of the FMU, next to a GUID that
//! ties both to `modelDescription.xml`.
//!
//! | file | content |
//! |---|---|
//! | [`exports`] | the exported functions, each about one line over the guard; a folder per version |
//! | [`types`] | the C types |
//! | [`guard`] | the boundary: environment, NULL, re-entrance, call order, panics, status, logging |
//! | [`environment`] | floating-point environments of the library and of the host |
//! | [`states`] | which function may be called in which state, a table per version |
//! | [`status`] | the outcome of a call, with the statuses of both versions |
//! | [`instance`] | life of an instance, the step, what the statuses mean |
//! | [`access`] | get, set, derivatives |
//! | [`intermediate`] | FMI 3.0: the callback after internal steps |
//! | [`hold`] | hold mode: outputs keep their values after a fault, and the rig continues |
//! | [`exchange`] | Model Exchange: states, derivatives, modes |
//! | [`variables`] | the table of variables, from which `modelDescription.xml` is written too |
//! | [`arrays`] | the table for FMI 3.0: vectors as arrays, the time, dependencies |
//! | [`state_file`] | stored and serialized FMU states |
//! | [`log`] | logger and log categories |
//! | `portable` | the core of C sources: an instance in a memory that is copied |
//! | [`reserve`] | memory, before an instance needs it |
//! | [`resource`] | from the resource location to a folder |
//! | [`mod@guid`] | the GUID of a content |
//!
//! Capabilities (identical to the flags of `modelDescription.xml`). Co-Simulation: variable communication step size,
//! output derivatives of order 1, get, set and serialized FMU state, any number of instances per process, in any
//! threads. FMI 2.0: interpolated inputs of order 1. FMI 3.0: adjoint derivatives, dependencies at run time,
//! intermediate update for outputs. Model Exchange, for models with continuous states: the same stored states, no event
//! indicators, completed integrator steps are needed. Both: directional derivatives. Not offered: Scheduled Execution,
//! asynchronous steps, event mode in Co-Simulation, inputs in intermediate updates, early return, clocks, structural
//! parameters. The importer's memory functions are not used. There is no global mutable state: instances share constant
//! data at most.
//!
//! | | FMI 2.0 | FMI 3.0 |
//! |---|---|---|
//! | a step with a fault that is not held | fmi2Discard, fmi2Terminated true | fmi3Error, `terminateSimulation` true |
//! | time reached | fmi2LastSuccessfulTime | `lastSuccessfulTime` |
//! | start and stop time | fmi2SetupExperiment | fmi3EnterInitializationMode |
//! | inputs between communication points | linear, with their slopes | constant |
//! | vectors | scalars | arrays |
//! | bytes of a serialized state | the same | the same |
//!
//! Sources: FMI 2.0.x and FMI 3.0.x specification. Proof: `tests/fmi/call_order.rs`, `tests/fmi/rules.rs`,
//! `tests/fmi/fmi3`, `tests/fmi/exchange`, `tests/fmi/instances.rs`, `tests/fmi/host_cycle.rs`,
//! `crates/tools/tests/header/main.rs`.

pub(crate) mod access;
pub mod arrays;
pub(crate) mod environment;
pub(crate) mod exchange;
// A library of WebAssembly exports every function with an unmangled name, used or not. Pages call none of them; the
// core of C sources consists of them.
#[cfg(any(not(target_family = "wasm"), feature = "portable"))]
pub mod exports;
pub(crate) mod guard;
pub mod guid;
pub mod hold;
pub(crate) mod instance;
pub mod intermediate;
pub mod log;
#[cfg(all(target_family = "wasm", feature = "portable"))]
pub mod portable;
pub(crate) mod reserve;
pub(crate) mod resource;
pub(crate) mod state_file;
pub(crate) mod states;
pub(crate) mod status;
pub mod types;
pub mod variables;

pub use guid::guid;
pub use instance::CONSTANTS_FILE;
