//! Straight uniform beams and trusses.
//!
//! Element axes: x from the first node to the second, y and z the principal axes of the cross section. Element
//! displacements are (u, v, w, θx, θy, θz) at both ends, with right-handed rotations. An Euler-Bernoulli beam therefore
//! has θz = v′ and θy = −w′.
//!
//! Beam: axial and torsional motion linear; bending by the exact static solution of a beam with shear flexibility Φ =
//! 12 EI/(G A_s L²) that is loaded at its ends (Φ = 0: the cubics of Hermite). Consistent mass ∫ρ NᵀN with the same
//! functions for deflection and rotation of the section: Friedman & Kosmatka, Comput. Struct. 47 (1993) 473;
//! Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 11. The integrand is a polynomial of degree 6: four
//! Gauss points are exact. Truss: all translations linear, rotations none.
//!
//! Releases: the released directions r of the ends are eliminated statically, u = T u_kept with T_r = −K_rr⁻¹ K_rk,
//! from stiffness and mass alike (TᵀKT, TᵀMT).

use super::Matrix12;
use ballesta::math::Mat3;
use nalgebra::{DMatrix, SMatrix, SVector};

/// Displacements of a point of the axis in terms of the 12 element displacements: u, v, w, θx, θy, θz.
pub type ShapeMatrix = SMatrix<f64, 6, 12>;

/// Four Gauss points on 0..1 and their weights.
pub const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Stiffness of a beam except the axial stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamStiffness {
    /// G × torsion constant, N·m².
    pub torsion: f64,
    /// E I about y and z, N·m².
    pub bending: [f64; 2],
    /// Shear flexibility Φ of bending about y and about z; 0 for Euler-Bernoulli beams.
    pub shear: [f64; 2],
}

/// Beam or truss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineKind {
    /// Axial force only.
    Truss,
    /// With bending and torsion.
    Beam(BeamStiffness),
}

/// The releases leave a part of the element unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedRelease;

/// Motion of all 12 element displacements as a function of the kept displacements (columns of released displacements
/// are zero).
pub type Released = Matrix12;

/// A beam or truss element.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name of the member in the file.
    pub name: String,
    /// Its nodes.
    pub nodes: [usize; 2],
    /// Columns: element axes x, y, z in C.
    pub axes: Mat3,
    /// Length in m.
    pub length: f64,
    /// E A in N.
    pub axial: f64,
    /// Truss or beam.
    pub kind: LineKind,
    /// Mass per length ρA (kg/m) and rotary inertia per length about x, y, z (kg·m).
    pub inertia: [f64; 4],
    /// (I_y + I_z)/A in m², for the torsional stiffness of an axial force.
    pub polar_radius_squared: f64,
    /// Whether half of the mass is lumped at each end.
    pub lumped: bool,
    /// Releases; the identity without releases.
    pub released: Box<Released>,
}

impl Line {
    /// Releases the element displacements marked in `released`.
    ///
    /// # Errors
    /// If the releases leave the element unsupported.
    pub fn release(&mut self, released: &[bool; 12]) -> Result<(), UnsupportedRelease> {
        let (loose, kept): (Vec<usize>, Vec<usize>) = (0..12).partition(|i| released[*i]);
        let stiffness = self.full_stiffness();
        let rr = DMatrix::from_fn(loose.len(), loose.len(), |i, j| stiffness[(loose[i], loose[j])]);
        let rk = DMatrix::from_fn(loose.len(), kept.len(), |i, j| stiffness[(loose[i], kept[j])]);
        // Pivots of the matrix scaled to a unit diagonal distinguish a mechanism from a soft element.
        let scale: Vec<f64> = loose.iter().map(|i| stiffness[(*i, *i)].sqrt()).collect();
        if scale.contains(&0.0) {
            return Err(UnsupportedRelease);
        }
        let scaled = DMatrix::from_fn(loose.len(), loose.len(), |i, j| rr[(i, j)] / (scale[i] * scale[j]));
        let factor = scaled.cholesky().filter(|factor| factor.l_dirty().diagonal().iter().all(|pivot| *pivot > 1e-6));
        let scaled_right = DMatrix::from_fn(loose.len(), kept.len(), |i, j| rk[(i, j)] / scale[i]);
        let solution = factor.ok_or(UnsupportedRelease)?.solve(&scaled_right);
        *self.released = Released::zeros();
        for (j, kept) in kept.iter().enumerate() {
            self.released[(*kept, *kept)] = 1.0;
            for (i, loose) in loose.iter().enumerate() {
                self.released[(*loose, *kept)] = -solution[(i, j)] / scale[i];
            }
        }
        Ok(())
    }

    /// Stiffness in C.
    pub fn stiffness(&self) -> Matrix12 {
        self.to_common(&self.own_stiffness())
    }

    /// Mass in C.
    pub fn mass(&self) -> Matrix12 {
        self.to_common(&self.own_mass())
    }

    /// Stiffness in element axes, releases included.
    pub fn own_stiffness(&self) -> Matrix12 {
        symmetric(&(self.released.transpose() * self.full_stiffness() * *self.released))
    }

    /// Mass in element axes, releases included.
    pub fn own_mass(&self) -> Matrix12 {
        symmetric(&(self.released.transpose() * self.full_mass() * *self.released))
    }

    /// Displacements of the point at ξ (0..1) over the element displacements of the nodes, releases included.
    pub fn shape(&self, xi: f64) -> ShapeMatrix {
        self.full_shape(xi) * *self.released
    }

    /// Block-diagonal rotation from C to element axes: u_element = rotation · u_C.
    pub fn rotation(&self) -> Matrix12 {
        let mut rotation = Matrix12::zeros();
        for block in 0..4 {
            rotation.fixed_view_mut::<3, 3>(3 * block, 3 * block).copy_from(&self.axes.transpose());
        }
        rotation
    }

    /// Mass per length and rotary inertias as a diagonal over u, v, w, θx, θy, θz.
    pub fn density(&self) -> SVector<f64, 6> {
        let [mass, x, y, z] = self.inertia;
        SVector::from([mass, mass, mass, x, y, z])
    }

    /// Translational mass in kg between its nodes, of linear shape functions or lumped.
    pub fn translational_mass(&self) -> [[f64; 2]; 2] {
        let mass = self.inertia[0] * self.length;
        if self.lumped {
            [[mass / 2.0, 0.0], [0.0, mass / 2.0]]
        } else {
            [[mass / 3.0, mass / 6.0], [mass / 6.0, mass / 3.0]]
        }
    }

    fn to_common(&self, matrix: &Matrix12) -> Matrix12 {
        let rotation = self.rotation();
        symmetric(&(rotation.transpose() * matrix * rotation))
    }

    fn full_stiffness(&self) -> Matrix12 {
        let l = self.length;
        let mut k = Matrix12::zeros();
        let mut couple = |i: usize, j: usize, value: f64| {
            k[(i, j)] = value;
            k[(j, i)] = value;
        };
        for (direction, stiffness) in [(0, self.axial), (3, self.torsion())] {
            couple(direction, direction, stiffness / l);
            couple(direction + 6, direction + 6, stiffness / l);
            couple(direction, direction + 6, -stiffness / l);
        }
        if let LineKind::Beam(beam) = self.kind {
            // Bending about z: deflection v, rotation θz. Bending about y: deflection w, rotation θy = −w′.
            for (deflection, rotation, sign, plane) in [(1, 5, 1.0, 1), (2, 4, -1.0, 0)] {
                let phi = beam.shear[plane];
                let unit = beam.bending[plane] / (l * l * l * (1.0 + phi));
                let (v1, r1, v2, r2) = (deflection, rotation, deflection + 6, rotation + 6);
                couple(v1, v1, 12.0 * unit);
                couple(v2, v2, 12.0 * unit);
                couple(v1, v2, -12.0 * unit);
                for (v, side) in [(v1, 1.0), (v2, -1.0)] {
                    couple(v, r1, side * sign * 6.0 * l * unit);
                    couple(v, r2, side * sign * 6.0 * l * unit);
                }
                couple(r1, r1, (4.0 + phi) * l * l * unit);
                couple(r2, r2, (4.0 + phi) * l * l * unit);
                couple(r1, r2, (2.0 - phi) * l * l * unit);
            }
        }
        k
    }

    fn torsion(&self) -> f64 {
        match self.kind {
            LineKind::Truss => 0.0,
            LineKind::Beam(beam) => beam.torsion,
        }
    }

    fn full_mass(&self) -> Matrix12 {
        let mut matrix = Matrix12::zeros();
        if self.lumped {
            for end in [0, 6] {
                for (i, density) in self.density().iter().enumerate() {
                    matrix[(end + i, end + i)] = density * self.length / 2.0;
                }
            }
            return matrix;
        }
        let density = SMatrix::<f64, 6, 6>::from_diagonal(&self.density());
        for (xi, weight) in GAUSS {
            let shape = self.full_shape(xi);
            matrix += shape.transpose() * density * shape * (weight * self.length);
        }
        matrix
    }

    fn full_shape(&self, xi: f64) -> ShapeMatrix {
        let mut shape = ShapeMatrix::zeros();
        let mut linear = |direction: usize| {
            shape[(direction, direction)] = 1.0 - xi;
            shape[(direction, direction + 6)] = xi;
        };
        let LineKind::Beam(beam) = self.kind else {
            (0..3).for_each(linear);
            return shape;
        };
        linear(0);
        linear(3);
        let (l, xi2, xi3) = (self.length, xi * xi, xi * xi * xi);
        for (deflection, rotation, sign, plane) in [(1, 5, 1.0, 1), (2, 4, -1.0, 0)] {
            let phi = beam.shear[plane];
            let unit = 1.0 / (1.0 + phi);
            let (v1, r1, v2, r2) = (deflection, rotation, deflection + 6, rotation + 6);
            shape[(deflection, v1)] = unit * (1.0 - 3.0 * xi2 + 2.0 * xi3 + phi * (1.0 - xi));
            shape[(deflection, v2)] = unit * (3.0 * xi2 - 2.0 * xi3 + phi * xi);
            shape[(deflection, r1)] = sign * unit * l * (xi - 2.0 * xi2 + xi3 + phi / 2.0 * (xi - xi2));
            shape[(deflection, r2)] = sign * unit * l * (xi3 - xi2 + phi / 2.0 * (xi2 - xi));
            shape[(rotation, v1)] = sign * unit * 6.0 / l * (xi2 - xi);
            shape[(rotation, v2)] = sign * unit * 6.0 / l * (xi - xi2);
            shape[(rotation, r1)] = unit * (1.0 - 4.0 * xi + 3.0 * xi2 + phi * (1.0 - xi));
            shape[(rotation, r2)] = unit * (3.0 * xi2 - 2.0 * xi + phi * xi);
        }
        shape
    }
}

fn symmetric(matrix: &Matrix12) -> Matrix12 {
    0.5 * (matrix + matrix.transpose())
}
