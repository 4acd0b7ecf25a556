//! A MATLAB script with the data of Simscape Multibody's block "Reduced Order Flexible Solid".
//!
//! The block takes the origins of the interface frames (p × 3, one per row), their orientations (p × 4, one unit
//! quaternion w, x, y, z a row), K, M and optionally C of 6 p + m coordinates: Tx, Ty, Tz, Rx, Ry, Rz of every
//! interface, then the modes, all in one frame. A free body must have exactly six rigid motions. Interfaces of a plane
//! body or of a truss do not have all six directions; the missing directions x̂ are added so that they follow the rigid
//! motion of the body ([`Padding::Rigid`]):
//!
//! * Directions of motions that the model has (rotations of a truss): they follow the rigid motion H q fitted to all
//!   interface coordinates q. Only the deviation d = x̂ − H q has energy: elastic ½ dᵀ (ω² μ) d, kinetic ½ ḋᵀ μ ḋ.
//!   Every mode with d = 0 and every rigid motion remain exact. Each added coordinate adds one mode at ω.
//! * Motions that a plane model does not have (z, rx, ry): the coordinates follow one rigid motion P x̂ with the mass
//!   and the inertia of the body about its centre of mass, K = ω² μ (I − P), M = M_rigid + μ (I − P).
//!
//! ω is the highest natural frequency of the free model, so that the maximum frequency does not change; μ is a sixth of
//! the mass per interface, rotations weighted by the square of the radius of gyration; the added modes are critically
//! damped. The added modes carry no rigid momentum. [`Padding::Unit`] is the paper's choice instead (Míguez et al., eq.
//! 7): 1 on the diagonals of K and M. That leaves fewer than six rigid motions and adds modes at 1 rad/s. The mechanism
//! must then hold the added directions. For a plane body, angular constraints keep the z axes of all interface frames
//! parallel. Small masses at the interfaces help the integrator (section 2.2 there; step by step in
//! docs/papers/miguez.md). The script has the numbers of the added directions, a mass, and a check of the model's
//! frequencies with these directions held. `tests/harness/test_octave.py` runs the scripts in GNU Octave.

use super::matlab::{literal, matrix, one_line};
use ballesta::rom::Rom;
use ballesta::rom::elastic_modes::{ModesError, elastic_modes};
use nalgebra::{DMatrix, Matrix6, Vector3};

/// Least out-of-plane inertia of a plane body, relative to its inertia in the plane.
const MIN_INERTIA: f64 = 1e-4;

/// Mass at an interface frame if the padding needs one, as a fraction of the body's mass.
const INTERFACE_MASS: f64 = 1e-6;

/// Replacement for directions that interfaces do not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// They follow the rigid motions: exactly six rigid motions.
    #[default]
    Rigid,
    /// Unit stiffness and unit mass.
    Unit,
}

/// The data of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct SimscapeSolid {
    /// Name of the body.
    pub name: String,
    /// Names of the interfaces.
    pub interfaces: Vec<String>,
    /// p × 3, m.
    pub origins: DMatrix<f64>,
    /// p × 4: w, x, y, z.
    pub quaternions: DMatrix<f64>,
    /// (6 p + m) × (6 p + m).
    pub stiffness: DMatrix<f64>,
    /// Mass matrix, the size of `stiffness`.
    pub mass: DMatrix<f64>,
    /// Damping matrix with the size of `stiffness`.
    pub damping: DMatrix<f64>,
    /// Indices of the added coordinates, from 0.
    pub added: Vec<usize>,
    /// Method of padding.
    pub padding: Padding,
    /// A point mass for each interface frame that hardly changes the frequencies, kg; for [`Padding::Unit`].
    pub interface_mass: f64,
    /// Features of the model that the block does not support.
    pub lost: Vec<String>,
}

impl SimscapeSolid {
    /// The data of a reduced model.
    ///
    /// # Errors
    /// The model has no elastic modes, see [`ModesError`].
    pub fn new(rom: &Rom, padding: Padding) -> Result<SimscapeSolid, ModesError> {
        let p = rom.interfaces.len();
        let size = 6 * p + rom.size() - rom.boundary();
        // Index of each model coordinate in the block.
        let mut place: Vec<usize> = (0..rom.size()).map(|i| (6 * p + i).saturating_sub(rom.boundary())).collect();
        let mut added = Vec::new();
        for (i, interface) in rom.interfaces.iter().enumerate() {
            for direction in 0..6 {
                match interface.column(direction) {
                    Some(column) => place[column] = 6 * i + direction,
                    None => added.push(6 * i + direction),
                }
            }
        }
        let spread = |matrix: DMatrix<f64>| {
            let mut all = DMatrix::zeros(size, size);
            for (i, j) in (0..rom.size()).flat_map(|i| (0..rom.size()).map(move |j| (i, j))) {
                all[(place[i], place[j])] = matrix[(i, j)];
            }
            all
        };
        let mut solid = SimscapeSolid {
            name: rom.name.clone(),
            interfaces: rom.interfaces.iter().map(|interface| interface.name.clone()).collect(),
            origins: DMatrix::from_fn(p, 3, |i, j| rom.interfaces[i].position[j]),
            quaternions: DMatrix::from_fn(p, 4, |i, j| rom.interfaces[i].quaternion[j]),
            stiffness: spread(rom.stiffness()),
            mass: spread(rom.mass()),
            damping: spread(rom.damping()),
            added,
            padding,
            interface_mass: INTERFACE_MASS * rom.rigid.mass,
            lost: lost(rom),
        };
        match padding {
            Padding::Unit => solid.added.clone().into_iter().for_each(|i| {
                solid.stiffness[(i, i)] = 1.0;
                solid.mass[(i, i)] = 1.0;
            }),
            Padding::Rigid if !solid.added.is_empty() => solid.follow_rigid_motions(rom)?,
            Padding::Rigid => {}
        }
        Ok(solid)
    }

    /// The six rigid motions about a point, one per column, with zero for the modes.
    pub fn rigid_motions(&self, point: Vector3<f64>) -> DMatrix<f64> {
        let mut motions = DMatrix::zeros(self.mass.nrows(), 6);
        for i in 0..self.origins.nrows() {
            let arm = Vector3::from_fn(|j, _| self.origins[(i, j)]) - point;
            let mut motion = Matrix6::identity();
            motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-arm.cross_matrix());
            motions.view_mut((6 * i, 0), (6, 6)).copy_from(&motion);
        }
        motions
    }

    fn follow_rigid_motions(&mut self, rom: &Rom) -> Result<(), ModesError> {
        let omega = rom.elastic_modes()?.omega.last().copied().unwrap_or(1.0);
        let mass = rom.rigid.mass;
        let [xx, yy, zz, xy, ..] = rom.rigid.inertia;
        let gyration = ((xx + yy + zz).max(0.0) / (3.0 * mass)).sqrt().max(1e-6);
        let share = mass / (6.0 * self.interfaces.len() as f64);
        let motions = self.rigid_motions(Vector3::from(rom.rigid.centre));
        let known = rom.rigid_motions();
        let is_known = |direction: usize| known.column(direction).amax() > 0.0;
        // Lengths: a rotation moves a point of the body by the radius of gyration.
        let length = |i: usize| if i % 6 < 3 { 1.0 } else { gyration };
        let (follow, new): (Vec<usize>, Vec<usize>) = self.added.iter().partition(|i| is_known(**i % 6));
        let present: Vec<usize> = (0..6 * self.interfaces.len()).filter(|i| !self.added.contains(i)).collect();

        let weigh = |rows: &[usize], columns: &[usize]| {
            DMatrix::from_fn(rows.len(), columns.len(), |i, j| {
                length(rows[i]) * motions[(rows[i], columns[j])] / length(columns[j])
            })
        };
        // Deviation of the following coordinates from the fitted motion, as rows over all coordinates.
        let columns: Vec<usize> = (0..6).filter(|j| is_known(*j)).collect();
        let fit = weigh(&follow, &columns) * pseudo_inverse(&weigh(&present, &columns))?;
        let mut deviation = DMatrix::zeros(follow.len() + new.len(), self.mass.nrows());
        for (row, i) in follow.iter().enumerate() {
            deviation[(row, *i)] = length(*i);
            present.iter().enumerate().for_each(|(at, j)| deviation[(row, *j)] = -fit[(row, at)] * length(*j));
        }
        // The unknown motions: out of the plane.
        if !new.is_empty() {
            let columns = [2, 3, 4];
            let out = weigh(&new, &columns);
            let inverse = pseudo_inverse(&out)?;
            let off = DMatrix::identity(new.len(), new.len()) - &out * &inverse;
            for (column, j) in new.iter().enumerate() {
                (0..new.len()).for_each(|row| deviation[(follow.len() + row, *j)] = off[(row, column)] * length(*j));
            }
            let l = gyration;
            // A straight plane body has no inertia about its line, but the block requires a small inertia.
            let (xx, yy) = (xx.max(MIN_INERTIA * zz), yy.max(MIN_INERTIA * zz));
            let body = nalgebra::Matrix3::new(mass, 0.0, 0.0, 0.0, xx / l / l, xy / l / l, 0.0, xy / l / l, yy / l / l);
            let body = DMatrix::from_fn(3, 3, |i, j| body[(i, j)]);
            let carried = inverse.transpose() * body * &inverse;
            for (row, i) in new.iter().enumerate() {
                for (column, j) in new.iter().enumerate() {
                    self.mass[(*i, *j)] += length(*i) * carried[(row, column)] * length(*j);
                }
            }
        }
        let square = deviation.tr_mul(&deviation);
        self.stiffness += &square * (share * omega * omega);
        self.damping += &square * (2.0 * share * omega);
        self.mass += square * share;
        // The products above are symmetric up to round-off; the block requires exact symmetry.
        for matrix in [&mut self.stiffness, &mut self.mass, &mut self.damping] {
            *matrix = (&*matrix + matrix.transpose()) * 0.5;
        }
        Ok(())
    }

    /// Notes on limits of the block.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        match (self.added.len(), self.padding) {
            (0, _) => {}
            (count, Padding::Rigid) => remarks.push(format!(
                "{count} directions missing at the interfaces were added as followers of the rigid motions; exactly \
                 six zero modes remain"
            )),
            (count, Padding::Unit) => remarks.push(format!(
                "{count} directions missing at the interfaces have unit stiffness and mass: the number of zero modes \
                 is not six, and there are extra modes at 1 rad/s"
            )),
        }
        remarks.extend(self.lost.iter().map(|lost| format!("not supported by the block, omitted: {lost}")));
        remarks
    }

    /// The script: variables `origins`, `quaternions`, `K`, `M`, `C`, `added`, for [`Padding::Unit`] `interface_mass`,
    /// and a check that prints the frequencies.
    pub fn to_matlab(&self) -> String {
        // The header describes the variables in the terms of the block.
        let mut text = format!(
            "% Data of the Simscape Multibody block \"Reduced Order Flexible Solid\" for \"{}\". SI units.\n",
            one_line(&self.name)
        );
        text.push_str(
            "% Coordinates: Tx Ty Tz Rx Ry Rz of each interface, then the modes. Give the block these variables:\n",
        );
        text.push_str(
            "% origins (one frame per row), quaternions (w x y z, one frame per row), K, M and, as damping matrix, \
             C.\n",
        );
        self.remarks().iter().for_each(|remark| text.push_str(&format!("% NOTE: {}\n", one_line(remark))));
        for (i, name) in self.interfaces.iter().enumerate() {
            text.push_str(&format!("% frame {}: {}\n", i + 1, one_line(name)));
        }
        // Frames, then matrices in the order of the coordinates.
        text.push_str(&matrix("origins", &self.origins));
        text.push_str(&matrix("quaternions", &self.quaternions));
        for (name, values) in [("K", &self.stiffness), ("M", &self.mass), ("C", &self.damping)] {
            text.push_str(&matrix(name, values));
        }
        // The block requires six directions at each interface; the model may have fewer.
        let added: Vec<String> = self.added.iter().map(|i| (i + 1).to_string()).collect();
        text.push_str("% Coordinates (from 1) of directions missing at the interfaces of the model.\n");
        text.push_str(&format!("added = [{}];\n", added.join(" ")));
        // Unit padding adds directions that the mechanism must constrain.
        if self.is_unit() {
            text.push_str(
                "% The mechanism must hold them. For a planar body: an angle constraint (parallel) between the z axes \
                 of frame 1\n",
            );
            text.push_str("% and of each other frame; a point mass in kg at each frame:\n");
            text.push_str(&format!("interface_mass = {:?};\n", self.interface_mass));
        }
        text.push_str(&self.check());
        text
    }

    /// Whether the mechanism must hold added directions.
    fn is_unit(&self) -> bool {
        self.padding == Padding::Unit && !self.added.is_empty()
    }

    /// The part of the script that checks the matrices.
    fn check(&self) -> String {
        let (wanted, held) = match self.is_unit() {
            true => ("% Not six: see the note on the added directions.\n", self.check_held()),
            false => ("assert(zero_modes == 6, 'the body must have six rigid motions');\n", String::new()),
        };
        format!(
            "% Check.\n\
             assert(issymmetric(K) && issymmetric(M) && issymmetric(C));\n\
             assert(all(eig(M) > 0), 'the mass matrix must be positive definite');\n\
             frequencies = sqrt(max(sort(eig(K, M)), 0)) / (2*pi);\n\
             zero_modes = sum(frequencies < 1e-5 * max(frequencies));\n\
             {wanted}\
             fprintf('%s: %d zero modes, natural frequencies of the free body in Hz:\\n', {}, zero_modes);\n\
             fprintf('%14.6f\\n', frequencies(zero_modes+1:end));\n\
             {held}",
            literal(&self.name)
        )
    }

    /// The check with the added directions held, without and with the masses at the interfaces.
    fn check_held(&self) -> String {
        format!(
            "model = setdiff(1:size(K, 1), added);\n\
             held = sqrt(max(sort(eig(K(model, model), M(model, model))), 0)) / (2*pi);\n\
             zero_modes = sum(held < 1e-5 * max(held));\n\
             fprintf('with the added directions held: %d zero modes, natural frequencies in Hz:\\n', zero_modes);\n\
             fprintf('%14.6f\\n', held(zero_modes+1:end));\n\
             loaded = M + diag(interface_mass * ((1:size(K, 1)) <= {} & mod(0:size(K, 1)-1, 6) < 3));\n\
             loaded = sqrt(max(sort(eig(K(model, model), loaded(model, model))), 0)) / (2*pi);\n\
             fprintf('masses of %g kg at the interfaces lower them by %.1e at most\\n', interface_mass, ...\n    \
             max(1 - loaded(zero_modes+1:end) ./ held(zero_modes+1:end)));\n",
            6 * self.interfaces.len()
        )
    }

    /// Natural frequencies of the free body in Hz without the six rigid motions.
    ///
    /// # Errors
    /// The matrices do not have exactly these rigid motions.
    pub fn free_frequencies_hz(&self) -> Result<Vec<f64>, ModesError> {
        let modes = elastic_modes(&self.stiffness, &self.mass, &self.rigid_motions(Vector3::zeros()))?;
        Ok(modes.omega.iter().map(|omega| omega / (2.0 * std::f64::consts::PI)).collect())
    }
}

/// (AᵀA)⁻¹Aᵀ.
fn pseudo_inverse(a: &DMatrix<f64>) -> Result<DMatrix<f64>, ModesError> {
    if !a.iter().all(|value| value.is_finite()) {
        return Err(ModesError::Rigid { rank: 0 });
    }
    let rank = a.clone().svd(false, false).rank(1e-9 * a.amax().max(f64::MIN_POSITIVE));
    if rank < a.ncols() {
        return Err(ModesError::Rigid { rank });
    }
    // Householder: no squared condition number.
    let qr = a.clone().qr();
    Ok(qr.r().solve_upper_triangular(&qr.q().transpose()).expect("full rank"))
}

fn lost(rom: &Rom) -> Vec<String> {
    let mut lost = Vec::new();
    if rom.stiffening.is_some() {
        lost.push("stiffening by internal forces".to_string());
    }
    if !rom.sections.is_empty() {
        lost.push("the recovery of section forces".to_string());
    }
    if !rom.nodes.is_empty() {
        lost.push("the displacements of output nodes".to_string());
    }
    lost
}
