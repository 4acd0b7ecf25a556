//! A model that runs interactively: it is displayed while the user changes its inputs.
//!
//! [`frame`] is what a page shows of one instant; recorded runs take their frames by it too. [`session`] steps a model
//! from communication point to communication point with whatever inputs are wanted, and goes back to points before.
//! Both are plain Rust. For pages they are compiled to WebAssembly (`scripts/platforms.sh wasm32`), where `exports` has
//! the functions that the page's worker calls (`crates/pictures/viewer/worker.js`).

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod frame;
pub mod session;
