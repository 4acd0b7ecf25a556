//! The model of a page that is edited while it moves.
//!
//! [`Workshop`] has the files of a model in memory, compiles them after every change, and draws the result. It also
//! contains the session that runs ([`ballesta_live::session`]). For pages the crate is compiled to WebAssembly
//! (`scripts/platforms.sh wasm32`), where `exports` has the functions that the page's worker calls
//! (`crates/pictures/viewer/worker.js`). Live pages use the same library. `analyses` computes the analyses of the
//! commands `check`, `modes`, `linearize` and `verify`.

mod analyses;
#[cfg(target_arch = "wasm32")]
mod exports;
mod outline;
mod points;
mod workshop;

pub use outline::Row;
pub use points::{NumberSpan, Point};
pub use workshop::{Carry, Workshop};
