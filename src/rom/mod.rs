//! Reduced-order models of flexible bodies: what the file holds, reading, checking and writing it.
//!
//! A reduced model has N = b + m coordinates q: the b displacements of its interface nodes in the order of their columns, then m
//! internal modes. The displacement of any point is u = Φ q with one basis Φ that contains the rigid motions; K, M, C are the
//! projections of the full matrices. All quantities are SI, in the common frame C of the structure.

pub mod modes;
pub mod schema;

pub use schema::Rom;
