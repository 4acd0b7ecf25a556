//! Reduced-order models of flexible bodies: content of the file, reading and validation, elastic modes.
//!
//! A reduced model has N = b + m coordinates q: the b displacements of its interface nodes in the order of their
//! columns, then m internal modes. The displacement of any point is u = Φ q with one basis Φ that contains the rigid
//! motions; K, M, C are the projections of the full matrices. All quantities are SI, in the common frame C of the
//! structure.
//!
//! The file stores matrices in full (packed symmetric halves, plain TOML arrays of numbers);
//! [`crate::document::read_long`] makes that fast. The matrices of a [`Rom`] are available from [`Rom::stiffness`],
//! [`Rom::mass`], [`Rom::damping`] and [`Rom::rigid_motions`].

mod consistency;
pub mod elastic_modes;
mod matrices;
mod read_rom;
pub mod rom_schema;
mod validate;

pub use read_rom::{load, parse};
pub use rom_schema::Rom;
pub use validate::{DIRECTIONS, validate};
