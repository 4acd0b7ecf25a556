//! Finite-element structures and their reduction, offline. The code may allocate memory and fail with diagnostics.
//!
//! A structure is defined by elements ([`structure`]) or by the matrices of another program ([`matrices`]). Both become
//! a [`model::FiniteElementModel`]: sparse symmetric stiffness and mass without supports, and a map of degrees of
//! freedom. The Craig-Bampton reduction turns it into a [`ballesta::rom::Rom`].

pub mod comparison;
pub mod constraints;
#[cfg(test)]
pub mod dense_reference;
pub mod drawing;
pub mod element;
pub mod export;
pub mod factor;
pub mod internal_force_rows;
pub mod lanczos;
pub mod lumped;
pub mod matrices;
pub mod model;
pub mod natural;
pub mod reduce;
pub mod reduction;
pub mod rigid;
pub mod sparse;
pub mod stiffening;
pub mod structure;
