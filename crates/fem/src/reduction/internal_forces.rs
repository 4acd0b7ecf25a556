//! Results that need the elements: stress stiffening by unit loads, internal forces at sections; and displacements at
//! nodes.
//!
//! Stress stiffening. A static load f (n), with the structure held without stress at one interface, gives u; the axial
//! forces of the elements in u give a geometric stiffness K_G(u), and Tᵀ K_G T is a block of the model. The static
//! response is exact: the interior response K_ii⁻¹ f_i plus Ψ times the response of the condensed structure. Any state
//! of internal forces of the moving body is a sum of these states, because its inertia forces and interface forces are
//! in equilibrium. For structures given by matrices, [`super::prestress`] makes the blocks.
//!
//! Internal forces are S_K u + S_M ü at a section, ü = T q̈ + ω×(ω×x). With u = T q alone, the omitted modes carry no
//! force. Their static answer to the inertia forces −M ü is added to the rows of q̈ and of the products of ω (mode
//! acceleration method). The forces are then in equilibrium for any number of modes. Mass matrix, loads of the modes
//! and these rows describe one mass ([`super::inertia`]). At every node the element forces are in equilibrium with the
//! inertia and the load there.

use super::basis::Basis;
use super::inertia::centrifugal_loads;
use super::residual::centrifugal;
use super::straight::StraightBeam;
use super::{InteriorFactor, Reducer, Refusal};
use crate::element::Element;
use crate::internal_force_rows::{geometric_rows, section_rows, spin_column};
use crate::model::{DIRECTIONS, Interface, PRODUCTS};
use crate::sparse::{SparseRows, SparseSymmetric};
use crate::stiffening::geometric_stiffness;
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::{self, Packed};
use faer::linalg::solvers::Solve;
use faer::{ColRef, Mat};
use std::ops::SubAssign;

/// Sum of terms, relative to the sum of their magnitudes, below which it is round-off.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Largest internal forces in rigid motions (entries near 1) that are removed, relative to the largest.
const RIGID_FORCE_TOLERANCE: f64 = 1e-12;

/// The basis, and the solver for its internal forces.
pub(super) struct Internal<'r> {
    pub reducer: &'r Reducer<'r>,
    factor: &'r InteriorFactor<'r>,
    pub basis: &'r Basis,
}

/// A force of 1 N or moment of 1 N·m at an interface.
pub(super) struct UnitForce<'m> {
    pub interface: &'m Interface,
    pub direction: usize,
    dof: usize,
}

/// Unit loads: accelerations, angular accelerations, products of angular velocities; then forces at interfaces.
pub(super) struct UnitLoads<'m> {
    /// Accelerations of the nodes, n × 1 each.
    pub fields: Vec<Mat<f64>>,
    pub forces: Vec<UnitForce<'m>>,
    /// Static displacements, n × (fields and forces).
    pub answers: Mat<f64>,
}

impl<'r> Internal<'r> {
    pub fn new(reducer: &'r Reducer<'r>, factor: &'r InteriorFactor<'r>, basis: &'r Basis) -> Internal<'r> {
        Internal { reducer, factor, basis }
    }

    /// Geometric stiffness of all unit loads; `None` if the elements are unknown.
    ///
    /// # Errors
    /// The support is no interface, or it cannot hold the structure.
    pub fn stiffening(&self, support: Option<&str>) -> Result<Option<rom_schema::Stiffening>, Refusal> {
        let model = self.reducer.model;
        let (support, held) = self.support(support)?;
        if model.elements.is_empty() {
            return self.prestress(support, &held);
        }
        let UnitLoads { fields, forces, answers } = self.unit_loads(&held);
        let mut blocks = answers.col_iter().map(|u| self.geometric_block(u));
        let mut next = |count: usize| blocks.by_ref().take(count).collect::<Vec<Packed>>();
        let straight = StraightBeam::of(model);
        let foreshortening = |beam| self.foreshortening(beam, model.interfaces[support].node, &fields, &forces);
        Ok(Some(rom_schema::Stiffening {
            support: model.interfaces[support].name.clone(),
            missing: Vec::new(),
            translation: next(3),
            rotation: next(3),
            angular_velocity: next(PRODUCTS.len()),
            loads: next(forces.len())
                .into_iter()
                .zip(&forces)
                .map(|(stiffness, force)| rom_schema::StiffeningLoad {
                    interface: force.interface.name.clone(),
                    direction: DIRECTIONS[force.direction].into(),
                    stiffness,
                })
                .collect(),
            axial: straight.as_ref().map(|beam| self.axial(beam)).unwrap_or_default(),
            foreshortening: straight.as_ref().map(foreshortening),
        }))
    }

    /// Unit loads of the structure fixed in the degrees of freedom `held`, and its responses.
    pub(super) fn unit_loads(&self, held: &[usize]) -> UnitLoads<'r> {
        let model = self.reducer.model;
        let motions = model.rigid_motions(Vec3::zeros());
        let mut fields: Vec<Mat<f64>> = (0..6).map(|column| motions.subcols(column, 1).to_owned()).collect();
        fields.extend(PRODUCTS.iter().map(|pair| centrifugal(model, *pair)));
        let mut forces = Vec::new();
        for interface in &model.interfaces {
            let free = |dof: &Option<usize>| dof.filter(|dof| !held.contains(dof));
            let directions = interface.dofs.iter().enumerate();
            let force = |(direction, dof)| Some(UnitForce { interface, direction, dof: free(dof)? });
            forces.extend(directions.filter_map(force));
        }
        let mut loads: Mat<f64> = Mat::zeros(model.size(), fields.len() + forces.len());
        for (k, field) in fields[..6].iter().enumerate() {
            loads.col_mut(k).copy_from(-model.mass.multiply(field.as_ref()).col(0));
        }
        for (k, load) in centrifugal_loads(model).iter().enumerate() {
            loads.col_mut(6 + k).copy_from(-load.col(0));
        }
        for (k, force) in forces.iter().enumerate() {
            loads[(force.dof, fields.len() + k)] = 1.0;
        }
        UnitLoads { fields, forces, answers: self.displacements(held, &loads) }
    }

    /// Φ at the nodes whose displacement is an output.
    pub fn nodes(&self) -> Vec<rom_schema::Node> {
        let model = self.reducer.model;
        let motion = |node: usize, direction: usize| {
            let entries: Vec<(usize, f64)> = model.motion.row(6 * node + direction).collect();
            let of = |q: usize| entries.iter().map(|(dof, value)| value * self.basis.shapes[(*dof, q)]).sum::<f64>();
            (0..self.basis.shapes.ncols()).map(of).collect::<Vec<f64>>()
        };
        let output = |(name, node): &(String, usize)| rom_schema::Node {
            name: name.clone(),
            position: model.nodes[*node].position.into(),
            displacement: (0..6).map(|direction| motion(*node, direction)).collect(),
            recovered: false,
        };
        model.output_nodes.iter().map(output).collect()
    }

    /// Rows for the internal forces at sections.
    pub fn sections(&self) -> Vec<rom_schema::Section> {
        let model = self.reducer.model;
        if model.sections.is_empty() {
            return Vec::new();
        }
        let missed = self.missed_statics(&self.basis.weighted);
        let fields: Vec<Mat<f64>> = PRODUCTS.iter().map(|pair| centrifugal(model, *pair)).collect();
        let field = Mat::from_fn(model.size(), fields.len(), |i, k| fields[k][(i, 0)]);
        let loads = centrifugal_loads(model);
        let missed_by_turning = self.missed_statics(&Mat::from_fn(model.size(), loads.len(), |i, k| loads[k][(i, 0)]));
        let rows = |matrix: &Mat<f64>| {
            (0..6).map(|i| (0..matrix.ncols()).map(|q| matrix[(i, q)]).collect::<Vec<f64>>()).collect::<Vec<_>>()
        };
        let section = |section: &crate::internal_force_rows::RecoverySection| {
            let Element::Line(line) = &model.elements[section.element] else { return None };
            let (stiffness, inertia) = section_rows(model, section);
            let [from, to] = model.elements[section.element].nodes().map(|node| model.nodes[node].position);
            let displacement = self.without_rounding(&stiffness);
            let acceleration = inertia.multiply(self.basis.shapes.as_ref()) - stiffness.multiply(missed.as_ref());
            let own = match model.points_only {
                true => {
                    let columns = PRODUCTS.map(|pair| spin_column(model, section, pair));
                    Mat::from_fn(6, PRODUCTS.len(), |i, k| columns[k][i])
                }
                false => inertia.multiply(field.as_ref()),
            };
            let turning = own - stiffness.multiply(missed_by_turning.as_ref());
            Some(rom_schema::Section {
                name: section.name.clone(),
                element: line.name.clone(),
                position: (from + section.at * (to - from)).into(),
                axes: std::array::from_fn(|i| line.axes.column(i).into()),
                displacement: rows(&displacement),
                // Unlike a stiffness it has forces in rigid rotations, because N rotates with the element.
                geometric: rows(&geometric_rows(model, section).multiply(self.basis.shapes.as_ref())),
                acceleration: rows(&acceleration),
                centrifugal: (0..6).map(|i| std::array::from_fn(|k| turning[(i, k)])).collect(),
                points: section.points.clone(),
            })
        };
        model.sections.iter().filter_map(section).collect()
    }

    /// Forces per coordinate (rows × N). A sum below the rounding of its terms is 0, so a part without load has zero
    /// forces instead of noise. Rigid motions cause no forces and are removed from the rest.
    fn without_rounding(&self, stiffness: &SparseRows) -> Mat<f64> {
        let shapes = &self.basis.shapes;
        let mut forces = stiffness.multiply(shapes.as_ref());
        for i in 0..forces.nrows() {
            for q in 0..forces.ncols() {
                let size: f64 = stiffness.row(i).map(|(dof, value)| (value * shapes[(dof, q)]).abs()).sum();
                if forces[(i, q)].abs() <= ROUNDING * size {
                    forces[(i, q)] = 0.0;
                }
            }
        }
        let (boundary, rigid) = (&self.reducer.boundary, &self.reducer.rigid);
        let motions = rigid.rows(boundary);
        let resisted = forces.subcols(0, boundary.len()) * &motions;
        if resisted.norm_max() > RIGID_FORCE_TOLERANCE * forces.norm_max() {
            let corrected = &resisted * rigid.left_inverse(boundary);
            forces.subcols_mut(0, boundary.len()).sub_assign(corrected);
        }
        forces
    }

    /// (K_ii⁻¹ − Φ ω⁻² Φᵀ) f_i for loads f (n × l): the static response of the omitted modes, n × l.
    fn missed_statics(&self, loads: &Mat<f64>) -> Mat<f64> {
        let (interior, shapes) = (&self.reducer.interior, &self.basis.shapes);
        let size = loads.ncols();
        let mut answer = Mat::from_fn(interior.len(), size, |i, q| loads[(interior[i], q)]);
        let load = answer.clone();
        self.factor.solve_in_place(answer.as_mut());
        let modes = self.basis.squares.len();
        let inside = Mat::from_fn(interior.len(), modes, |i, k| shapes[(interior[i], self.basis.boundary + k)]);
        let share = inside.transpose() * &load;
        let scaled = Mat::from_fn(modes, size, |k, q| share[(k, q)] / self.basis.squares[k]);
        answer -= inside * scaled;
        let mut all = Mat::zeros(shapes.nrows(), size);
        for (i, dof) in interior.iter().enumerate() {
            all.row_mut(*dof).copy_from(answer.row(i));
        }
        all
    }

    /// The interface that holds the structure (by name, or the first suitable interface), and the degrees of freedom
    /// that it fixes.
    fn support(&self, wanted: Option<&str>) -> Result<(usize, Vec<usize>), Refusal> {
        let (model, rigid) = (self.reducer.model, &self.reducer.rigid);
        let needed = rigid.motions.ncols();
        let dofs = |interface: usize| model.interfaces[interface].dofs.iter().flatten().copied().collect::<Vec<_>>();
        let alone = |interface: usize| Some(rigid.determinate(&dofs(interface), 0)).filter(|held| held.len() == needed);
        if let Some(name) = wanted {
            let Some(interface) = model.interfaces.iter().position(|interface| interface.name == name) else {
                let known: Vec<&str> = model.interfaces.iter().map(|interface| interface.name.as_str()).collect();
                let expected = ballesta::document::nearest::did_you_mean(name, &known);
                return Err(Refusal::new("reduction.support", format!("there is no interface \"{name}\""), expected));
            };
            return alone(interface).map(|held| (interface, held)).ok_or_else(|| {
                let found = format!("interface \"{name}\" alone cannot hold the structure");
                Refusal::new(
                    "reduction.support",
                    found,
                    "name an interface that holds all rigid motions, or remove the key",
                )
            });
        }
        if let Some(found) = (0..model.interfaces.len()).find_map(|interface| Some((interface, alone(interface)?))) {
            return Ok(found);
        }
        // Trusses: no single interface can hold the structure; use the first interface as far as possible.
        let first = dofs(0);
        let all: Vec<usize> = [first.clone(), self.reducer.boundary[first.len()..].to_vec()].concat();
        Ok((0, rigid.determinate(&all, first.len())))
    }

    /// Static displacements (n × l) under loads (n × l) with the degrees of freedom `held` fixed.
    fn displacements(&self, held: &[usize], loads: &Mat<f64>) -> Mat<f64> {
        let Internal { reducer, factor, basis } = self;
        let interior = &reducer.interior;
        let free: Vec<usize> = (0..basis.boundary).filter(|q| !held.contains(&reducer.boundary[*q])).collect();
        let mut inside = Mat::from_fn(interior.len(), loads.ncols(), |i, k| loads[(interior[i], k)]);
        factor.solve_in_place(inside.as_mut());
        // The condensed structure has the loads T_bᵀ f.
        let shapes = Mat::from_fn(loads.nrows(), free.len(), |i, q| basis.shapes[(i, free[q])]);
        let condensed = Mat::from_fn(free.len(), free.len(), |i, j| basis.stiffness[(free[i], free[j])]);
        let mut u = &shapes * condensed.partial_piv_lu().solve(shapes.transpose() * loads);
        for (i, dof) in interior.iter().enumerate() {
            (0..loads.ncols()).for_each(|k| u[(*dof, k)] += inside[(i, k)]);
        }
        u
    }

    /// Tᵀ K_G T for a static displacement (n).
    pub fn geometric_block(&self, u: ColRef<'_, f64>) -> Packed {
        if u.iter().all(|entry| *entry == 0.0) {
            return self.no_stiffness();
        }
        self.projected(&geometric_stiffness(self.reducer.model, u))
    }

    /// N × N zeros, packed.
    pub fn no_stiffness(&self) -> Packed {
        let size = self.basis.shapes.ncols();
        vec![0.0; size * (size + 1) / 2]
    }

    /// Tᵀ K T, packed.
    pub fn projected(&self, matrix: &SparseSymmetric) -> Packed {
        let shapes = &self.basis.shapes;
        let block = shapes.transpose() * matrix.multiply(shapes.as_ref());
        let pairs = (0..shapes.ncols()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        pairs.map(|(i, j)| 0.5 * (block[(i, j)] + block[(j, i)])).collect()
    }
}
