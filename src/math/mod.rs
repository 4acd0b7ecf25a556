//! Vectors, rotations, spatial algebra, elementary functions with the same bits everywhere, and factorisations on the caller's scratch.

#[cfg(test)]
pub mod check;
pub mod eigen;
pub mod elementary;
pub mod linear;
pub mod rotation;
pub mod skyline;
pub mod spatial;
pub mod svd;

/// Vector with three components.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3 × 3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
