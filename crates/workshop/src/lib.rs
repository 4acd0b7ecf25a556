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
mod handles;
mod outline;
mod workshop;

pub use handles::{Handle, Kind, NumberSpan, handles};
pub use outline::Row;

pub use workshop::{Carry, Workshop};
