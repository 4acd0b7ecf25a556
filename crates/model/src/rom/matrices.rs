//! The unpacked matrices of a reduced-order model, and the indices of its coordinates.

use super::elastic_modes::{ElasticModes, ModesError, elastic_modes, unpack};
use super::rom_schema::{Interface, Rom};
use nalgebra::DMatrix;
use std::ops::Range;

impl Rom {
    /// Number of coordinates N.
    pub fn size(&self) -> usize {
        self.matrices.size
    }

    /// Number of interface coordinates b; the internal modes follow them.
    pub fn boundary(&self) -> usize {
        self.interfaces.iter().map(Interface::width).sum()
    }

    /// Stiffness K, N × N.
    pub fn stiffness(&self) -> DMatrix<f64> {
        unpack(&self.matrices.stiffness, self.size())
    }

    /// Mass M, N × N.
    pub fn mass(&self) -> DMatrix<f64> {
        unpack(&self.matrices.mass, self.size())
    }

    /// Damping C, N × N.
    pub fn damping(&self) -> DMatrix<f64> {
        unpack(&self.matrices.damping, self.size())
    }

    /// The rigid motions R in q, N × 6: unit translations, unit rotations about the origin of C. Columns of motions
    /// that the body does not have (out of its plane) are zero.
    pub fn rigid_motions(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.size(), 6, |i, j| self.rigid.motions[i][j])
    }

    /// The columns of [`Rom::rigid_motions`] that are not zero, N × r: r = 6, 3 in the plane.
    pub fn independent_rigid_motions(&self) -> DMatrix<f64> {
        let all = self.rigid_motions();
        let kept: Vec<usize> = (0..6).filter(|j| all.column(*j).amax() > 0.0).collect();
        all.select_columns(&kept)
    }

    /// Elastic modes of the free body.
    ///
    /// # Errors
    /// See [`ModesError`]; the only error of a loaded model is an ill-conditioned mass.
    pub fn elastic_modes(&self) -> Result<ElasticModes, ModesError> {
        elastic_modes(&self.stiffness(), &self.mass(), &self.independent_rigid_motions())
    }
}

impl Interface {
    /// Number of its active directions.
    pub fn width(&self) -> usize {
        self.active.iter().filter(|active| **active).count()
    }

    /// Its coordinates.
    pub fn columns(&self) -> Range<usize> {
        self.first_column..self.first_column + self.width()
    }

    /// The coordinate of a direction 0..6, if it is active.
    pub fn column(&self, direction: usize) -> Option<usize> {
        let before = self.active[..direction].iter().filter(|active| **active).count();
        self.active[direction].then_some(self.first_column + before)
    }
}
