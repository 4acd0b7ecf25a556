//! An interactive model: it is displayed while the user changes its inputs.
//!
//! [`frame`] computes the displayed state at one instant, also for recorded runs. [`session`] steps a model between
//! communication points with changing inputs, and returns to earlier points. Both are plain Rust. For pages they are
//! compiled to WebAssembly (`scripts/platforms.sh wasm32`), where `exports` has the functions that the page's worker
//! calls (`crates/pictures/viewer/worker.js`).

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod frame;
pub mod session;
