//! Reduced-order models as files: their own format, and scripts and matrices for other programs.

mod matlab;
pub mod matrices;
mod rom_text;
pub mod simscape;
pub mod simscape_block;
pub mod state_space;
mod write;

pub use write::{recovery_to_toml, to_toml};
