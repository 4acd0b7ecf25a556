//! Craig-Bampton reduction of a free structure to a [`Rom`].
//!
//! With interface degrees of freedom b and interior ones i, the displacement of the structure is u = T q, q = (u_b, η):
//!
//! ```text
//!     T = [ I 0 ; Ψ Φ ]      Ψ = −K_ii⁻¹ K_ib      (K_ii − ω² M_ii) Φ = 0      K̂ = Tᵀ K T      M̂ = Tᵀ M T
//! ```
//!
//! K̂ is block diagonal, with ω² below; Φ is orthonormal in M_ii. The constraint modes Ψ are corrected to reproduce the
//! rigid motions R exactly, Ψ += (R_i − Ψ R_b)(R_bᵀ R_b)⁻¹ R_bᵀ. Elimination alone loses up to 1e-8 of them on slender
//! structures. Only K_ii is factorised, so the structure needs no supports; its interfaces must be able to hold it.
//!
//! Cost: one factorisation of K_ii, one more for the count of modes, about five solves per mode. Memory: two factors
//! (one if nothing needs K_ii⁻¹ after the modes), a few blocks n × N and the matrices; it is predicted before the first
//! factorisation.
//!
//! Source: R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968) 1313-1319; residual vectors: J. M. Dickens, J. M.
//! Nakagawa, M. J. Wittbrodt, Computers & Structures 62 (1997) 985-998.

mod basis;
mod damping;
mod inertia;
mod internal_forces;
mod internal_modes;
mod prestress;
mod residual;
mod straight;

pub use damping::Damping;

use super::element::{Element, Released};
use super::factor::{Analysis, Cholesky, FactorError};
use super::matrices::covariance;
use super::model::FiniteElementModel;
use super::rigid::RigidMotions;
use super::sparse::SparseSymmetric;
use ballesta::rom::{self, Rom, rom_schema};
use basis::Basis;
use faer::{Mat, MatMut};
use nalgebra::DMatrix;
use std::cell::RefCell;

/// Selection of the internal modes.
#[derive(Clone, Debug, PartialEq)]
pub enum ModeChoice {
    /// The given number of lowest modes.
    Count(usize),
    /// All modes below this frequency, Hz.
    Frequency(f64),
    /// The lowest modes whose effective mass is this fraction of the interior mass in every direction.
    EffectiveMass(f64),
    /// Modes of these numbers, from 1 in ascending frequency.
    Numbers(Vec<usize>),
}

/// Loads for which the reduced model is statically exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResidualLoads {
    /// Uniform accelerations.
    pub gravity: bool,
    /// Angular accelerations and products of angular velocities.
    pub rotation: bool,
    /// The load cases of the structure.
    pub cases: bool,
}

/// Settings of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Selection of the modes.
    pub modes: ModeChoice,
    /// Residual vectors.
    pub residual: ResidualLoads,
    /// Damping.
    pub damping: Damping,
    /// Name of the interface that holds the structure in the static load cases; by default the first suitable
    /// interface.
    pub support: Option<String>,
}

/// Size of a reduction, known before it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Interior degrees of freedom.
    pub interior: usize,
    /// Interface degrees of freedom.
    pub interface: usize,
    /// Entries of the factor of K_ii.
    pub fill: usize,
    /// Peak memory in bytes, including the structure.
    pub bytes: usize,
}

/// Reason why a structure cannot be reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Key of the structure file that causes the error.
    pub key: String,
    /// The fault.
    pub found: String,
    /// The correction.
    pub expected: String,
}

impl Refusal {
    fn new(key: &str, found: impl Into<String>, expected: impl Into<String>) -> Refusal {
        Refusal { key: key.into(), found: found.into(), expected: expected.into() }
    }
}

/// A reduced model with additional data for the report.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The model.
    pub rom: Rom,
    /// The basis T, n × N.
    pub basis: Mat<f64>,
    /// Elastic modes of the free reduced model.
    pub elastic: rom::elastic_modes::ElasticModes,
    /// Size of the reduction.
    pub prediction: Prediction,
    /// Mass (x, y, z in kg) and inertia (about x, y, z, through the centre of mass, kg·m²) that the internal modes can
    /// represent at most; 0 in missing directions.
    pub interior_mass: [f64; 6],
    /// Modes that were added because their frequencies belong to the last one requested.
    pub completed: usize,
}

/// A structure during its reduction.
pub struct Reducer<'m> {
    model: &'m FiniteElementModel,
    rigid: RigidMotions,
    /// Interface degrees of freedom in the order of the columns.
    boundary: Vec<usize>,
    /// Interior degrees of freedom.
    interior: Vec<usize>,
    /// K_ii, with the pattern of M_ii included, so that K_ii − σ M_ii has the same pattern.
    stiffness: SparseSymmetric,
    /// M_ii.
    mass: SparseSymmetric,
    analysis: Analysis,
}

/// The factor of K_ii, which can be released while another matrix is factorised.
struct InteriorFactor<'r> {
    reducer: &'r Reducer<'r>,
    held: RefCell<Option<Cholesky<'r>>>,
    /// Whether the factor is needed after the search for the modes.
    is_kept: bool,
}

impl<'r> InteriorFactor<'r> {
    fn new(reducer: &'r Reducer<'r>, settings: &Settings) -> Result<Self, FactorError> {
        let factor = reducer.analysis.cholesky(&reducer.stiffness)?;
        let is_kept = reducer.keeps_factor(settings);
        Ok(InteriorFactor { reducer, held: RefCell::new(Some(factor)), is_kept })
    }

    /// Replaces each column of `x` (interior × k) by K_ii⁻¹ times it.
    fn solve_in_place(&self, x: MatMut<'_, f64>) {
        if x.ncols() == 0 {
            return;
        }
        let again = || self.reducer.analysis.cholesky(&self.reducer.stiffness);
        let mut held = self.held.borrow_mut();
        held.get_or_insert_with(|| again().expect("the same matrix was factorised before")).solve_in_place(x);
    }

    /// Releases the memory of the factor before another factorisation, if later solutions are unlikely.
    fn make_room(&self) {
        if !self.is_kept {
            self.held.take();
        }
    }
}

impl<'m> Reducer<'m> {
    /// Orders the degrees of freedom and the elimination; [`Reducer::prediction`] is the expected cost.
    ///
    /// # Errors
    /// No interface, interfaces that cannot hold the structure, no interior degrees of freedom, or a structure too
    /// large for its indices.
    pub fn new(model: &'m FiniteElementModel) -> Result<Reducer<'m>, Refusal> {
        let boundary: Vec<usize> =
            model.interfaces.iter().flat_map(|interface| interface.dofs.iter().flatten().copied()).collect();
        if boundary.is_empty() {
            return Err(Refusal::new("interface", "the structure has no interface", "add [[interface]] tables"));
        }
        let mut inside = vec![true; model.size()];
        boundary.iter().for_each(|dof| inside[*dof] = false);
        let interior: Vec<usize> = (0..model.size()).filter(|dof| inside[*dof]).collect();
        if interior.is_empty() {
            let expected = "subdivide members with `divisions`, or use fewer interfaces";
            return Err(Refusal::new("interface", "all nodes of the structure are interfaces", expected));
        }
        let rigid = RigidMotions::new(model);
        let wanted = rigid.motions.ncols();
        let held = rigid.determinate(&boundary, 0).len();
        if held < wanted {
            let found = format!("the interfaces hold {held} of the {wanted} rigid motions of the structure");
            let expected = "add interfaces until holding them holds the structure";
            return Err(Refusal::new("interface", found, expected));
        }
        let mass = model.mass.principal(&interior);
        let stiffness = model.stiffness.principal(&interior).plus(0.0, &mass);
        let groups: Vec<usize> = interior.iter().map(|dof| model.dofs[*dof].node).collect();
        let analysis = Analysis::new(&stiffness, &groups).map_err(|error| unsolvable(error, model, &interior))?;
        Ok(Reducer { model, rigid, boundary, interior, stiffness, mass, analysis })
    }

    /// Whether the factor of K_ii has uses after the search for the modes: residual vectors, internal forces, stress
    /// stiffening.
    fn keeps_factor(&self, settings: &Settings) -> bool {
        let ResidualLoads { gravity, rotation, cases } = settings.residual;
        gravity || rotation || cases || !self.model.elements.is_empty() || !self.model.stressed.is_empty()
    }

    /// Predicted cost of the reduction; `modes` is the number of modes to expect.
    pub fn prediction(&self, modes: usize, settings: &Settings) -> Prediction {
        let model = self.model;
        // The count of the modes makes a second factor.
        let first_factor = if self.keeps_factor(settings) { 8 * self.analysis.fill() } else { 0 };
        // The peak is during the count of the modes: K, M, both inside the interfaces, and their shifted sum, 16 bytes
        // per entry.
        let matrices = 48 * (model.stiffness.entries() + model.mass.entries());
        let elements = (size_of::<Element>() + size_of::<Released>()) * model.elements.len();
        // The search takes about six vectors and their images per mode; then T and M·T.
        let vectors = 8 * model.size() * (12 * modes + 2 * (self.boundary.len() + modes));
        Prediction {
            interior: self.interior.len(),
            interface: self.boundary.len(),
            fill: self.analysis.fill(),
            bytes: self.analysis.bytes() + first_factor + matrices + elements + vectors,
        }
    }

    /// Reduces the structure. `source` is written to the file unchanged.
    ///
    /// # Errors
    /// A mechanism (with the degree of freedom), too many requested modes, a missed mode, or a reduced mass matrix that
    /// is not positive definite.
    pub fn reduce(&self, settings: &Settings, source: rom_schema::Source) -> Result<Reduction, Refusal> {
        let model = self.model;
        // Factor the interior stiffness; interface motions give the constraint modes.
        let singular = |error| unsolvable(error, model, &self.interior);
        let factor = InteriorFactor::new(self, settings).map_err(singular)?;
        let constraint = basis::constraint_modes(model, &self.rigid, &self.boundary, &self.interior, &factor);
        if model.mass_model == rom_schema::MassModel::Rigid && settings.residual.rotation {
            let found = "residual vectors for \"rotation\" need the mass distribution";
            let expected = "remove \"rotation\", or give `matrices.shapes`";
            return Err(Refusal::new("reduction.residual", found, expected));
        }
        // Internal modes and residual vectors complete the basis.
        let found = internal_modes::choose(self, &factor, &constraint, &settings.modes)?;
        let residual = residual::vectors(self, &factor, &found.shapes, settings.residual);
        let basis = Basis::new(self, constraint, &found, &residual);
        // Elastic modes of the free reduced body, for the check of M and for the damping.
        let rigid = self.rigid_properties(&basis);
        let (k, m) = (basis.stiffness.clone(), basis.mass.clone());
        let columns: Vec<usize> = model.dimension.directions().to_vec();
        let motions = DMatrix::from_fn(k.nrows(), columns.len(), |i, c| rigid.motions[i][columns[c]]);
        let elastic = rom::elastic_modes::elastic_modes(&k, &m, &motions)
            .map_err(|error| Refusal::new("reduction", error.to_string(), "keep fewer modes, or check the masses"))?;
        let c = match &model.damping {
            Some(given) => {
                let given = basis.shapes.transpose() * given.multiply(basis.shapes.as_ref());
                let given = DMatrix::from_fn(k.nrows(), k.nrows(), |i, j| given[(i, j)]);
                damping::elastic(&given, &m, &motions)?
            }
            None => damping::matrix(&settings.damping, &k, &m, &motions, &elastic)?,
        };
        // Quantities for stress stiffening, section forces and the report.
        let internal = internal_forces::Internal::new(self, &factor, &basis);
        let effective_mass = basis.effective_mass(self, rigid.centre.into());
        let interior_mass = basis::interior_mass(self, rigid.centre.into());
        // The file of the reduced-order model.
        let rom = Rom {
            format: rom_schema::FORMAT.into(),
            version: rom_schema::VERSION,
            name: model.name.clone(),
            source,
            interfaces: basis.interfaces(model),
            modes: rom_schema::Modes {
                frequencies_hz: basis.squares.iter().map(|square| square.sqrt() / std::f64::consts::TAU).collect(),
                residual: residual.squares.len(),
                effective_mass,
                load_cases: residual.cases.clone(),
            },
            matrices: rom_schema::Matrices {
                size: k.nrows(),
                stiffness: rom::elastic_modes::pack(&k),
                mass: rom::elastic_modes::pack(&m),
                damping: rom::elastic_modes::pack(&c),
            },
            inertia: match model.mass_model == rom_schema::MassModel::Rigid {
                true => inertia::of_rigid_motion(&rigid, &m, &motions)?,
                false => inertia::integrals(model, &basis.shapes),
            },
            stiffening: internal.stiffening(settings.support.as_deref())?,
            nodes: internal.nodes(),
            sections: internal.sections(),
            checks: rom_schema::Checks {
                full_rigid_stiffness: self.full_rigid_stiffness(),
                rigid_stiffness: basis.rigid_stiffness(),
                rigid_modes: columns.len(),
                modes_counted: found.counted,
                modes_found: found.found,
                free_frequencies_hz: elastic.omega.iter().map(|omega| omega / std::f64::consts::TAU).collect(),
                mass_condition: elastic.mass_condition,
            },
            rigid,
        };
        Ok(Reduction {
            rom,
            basis: basis.shapes,
            elastic,
            prediction: self.prediction(found.squares.len(), settings),
            interior_mass,
            completed: found.completed,
        })
    }

    /// Largest entry of K·R over the largest of K.
    fn full_rigid_stiffness(&self) -> f64 {
        self.model.stiffness.multiply(self.rigid.motions.as_ref()).norm_max() / self.model.stiffness.largest()
    }

    /// ∫ (r − c)_a (r − c) dm of the covariant mass, for an axis a, kg·m².
    fn second_moments(&self, axis: usize, centre: [f64; 3]) -> [f64; 3] {
        let nodes = &self.model.nodes;
        let arm = Mat::from_fn(nodes.len(), 3, |node, a| nodes[node].position[a] - centre[a]);
        let moments = arm.subcols(axis, 1).transpose() * self.model.covariant_mass.multiply(arm.as_ref());
        std::array::from_fn(|a| moments[(0, a)])
    }

    /// Mass, centre of mass, inertia and rigid motions, from the consistent mass matrix.
    fn rigid_properties(&self, basis: &Basis) -> rom_schema::Rigid {
        let plane = self.model.dimension == super::model::Dimension::Plane;
        let (mass, centre) = covariance::mass_and_centre(self.model);
        // Adding 0 makes −0 a 0.
        let centre: [f64; 3] = centre.map(|at| at + 0.0).into();
        let central = self.model.rigid_motions(centre.into());
        let central = central.transpose() * self.model.mass.multiply(central.as_ref());
        let at = |i: usize, j: usize| 0.5 * (central[(3 + i, 3 + j)] + central[(3 + j, 3 + i)]);
        // A plane structure has no rotations out of its plane, but its mass is at z = 0.
        let [x, y] = [0, 1].map(|a| self.second_moments(a, centre));
        let (xx, yy, xy) = if plane { (y[1], x[0], 0.0 - x[1]) } else { (at(0, 0), at(1, 1), at(0, 1)) };
        let motions = self.model.rigid_motions(ballesta::math::Vec3::zeros());
        let row = |q: usize| match self.boundary.get(q) {
            Some(dof) => std::array::from_fn(|column| motions[(*dof, column)]),
            None => [0.0; 6],
        };
        rom_schema::Rigid {
            mass,
            centre,
            inertia: [xx, yy, at(2, 2), xy, at(1, 2), at(0, 2)],
            motions: (0..basis.shapes.ncols()).map(row).collect(),
        }
    }
}

/// The error for a matrix that cannot be factorised.
fn unsolvable(error: FactorError, model: &FiniteElementModel, rows: &[usize]) -> Refusal {
    match error {
        FactorError::Singular(row) => Refusal::new(
            "",
            format!("with all interfaces held, {} has no stiffness", model.dof_name(rows[row])),
            "the structure is a mechanism or has loose parts: add members, or remove releases",
        ),
        FactorError::Missed(counted) => Refusal::new(
            "reduction",
            format!("{counted} modes exist, but not all of them converged"),
            "request a few more or fewer modes",
        ),
        FactorError::TooLarge => Refusal::new(
            "",
            format!("{} degrees of freedom are too many for this machine", model.size()),
            "use a coarser mesh, or a machine with more memory",
        ),
    }
}
