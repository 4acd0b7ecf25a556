//! Rigid masses and springs.

use super::Matrix12;
use ballesta::math::{Mat3, Vec3};

/// A rigid mass whose centre is at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    /// Its node.
    pub node: usize,
    /// Mass in kg.
    pub mass: f64,
    /// Inertia about the node, axes of C, kg·m².
    pub inertia: Mat3,
}

impl PointMass {
    /// Mass over the directions of its node; the second half is empty.
    pub fn matrix(&self) -> Matrix12 {
        let mut matrix = Matrix12::zeros();
        for i in 0..3 {
            matrix[(i, i)] = self.mass;
        }
        matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        matrix
    }
}

/// Stiffness against the relative motion of two nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum SpringStiffness {
    /// N/m along the unit vector from the first node to the second.
    Along(f64, Vec3),
    /// N/m along x, y, z and N·m/rad about x, y, z of C; the nodes coincide.
    Axes([f64; 6]),
}

/// A massless spring.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Its nodes.
    pub nodes: [usize; 2],
    /// Its stiffness.
    pub stiffness: SpringStiffness,
}

impl Spring {
    /// Stiffness over the directions of both nodes, axes of C.
    pub fn stiffness(&self) -> Matrix12 {
        let mut block = nalgebra::SMatrix::<f64, 6, 6>::zeros();
        match &self.stiffness {
            SpringStiffness::Along(k, e) => block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(*k * e * e.transpose())),
            SpringStiffness::Axes(k) => (0..6).for_each(|i| block[(i, i)] = k[i]),
        }
        let mut matrix = Matrix12::zeros();
        for (i, j, sign) in [(0, 0, 1.0), (0, 6, -1.0), (6, 0, -1.0), (6, 6, 1.0)] {
            matrix.fixed_view_mut::<6, 6>(i, j).copy_from(&(sign * block));
        }
        matrix
    }
}
