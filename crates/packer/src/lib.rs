//! FMUs from files in memory.
//!
//! [`Packer`] has the files of a model and the compressed libraries of FMUs. Its FMU has the same bytes as an FMU of
//! `ballesta export` with the same model and libraries, unless the time limit of `export` cuts the reference
//! trajectory: the packer has no clock and no limit. For pages the crate is compiled to WebAssembly
//! (`scripts/platforms.sh wasm32-packer`), where `exports` has the functions that the worker of the download calls
//! (`crates/pictures/viewer/packer.js`).
//!
//! The library is separate from the library of pages (`ballesta-workshop`), because it also contains fonts and the
//! rasterizer of the icon. Only pages of `ballesta edit --with-fmu` have it.

#[cfg(target_arch = "wasm32")]
mod exports;
mod packer;

pub use packer::{Options, Packer};
