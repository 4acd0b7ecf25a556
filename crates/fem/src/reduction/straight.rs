//! Stiffening of straight beams by their axial modes and by their foreshortening.
//!
//! A body is a straight beam here if its elements are consecutive beams and trusses on one line, without gaps or
//! overlap. The line has the axis e, and all nodes are on it. Point masses at the nodes are allowed. For other bodies
//! the tables are empty, because axial and lateral motion cannot be separated.
//!
//! Axial modes. The linear mode of a span between neighbouring interfaces has their elongation e·(u₂ − u₁) as
//! amplitude, an axial internal mode its own coordinate. Each comes with the K_G of the axial forces that its unit
//! amplitude causes, element by element, so that K_G(q) = Σ amplitude(q) K_G. Rigid motions have no amplitude.
//!
//! Foreshortening. Bending moves the node i along e by u_i = −½ qᵀ H_i q, with H_i the sum of ∫v′ᵀv′ dx over the
//! elements between the support and the node (on the other side of the support with the other sign), v the deflections
//! across the line. Forces f_i at the nodes along e work on it, δW = −qᵀ (Σ f_i H_i) δq, so that Σ f_i H_i q is on the
//! left-hand side: tension stiffens. Accelerations a give f = −M a with the covariant mass. Summed by elements, H of an
//! element has the sum of the forces beyond it as its factor.
//!
//! Source: R. Gutiérrez, U. Lugrís, J. Cuadrado, L. E. Romera, Modelización de sistemas multicuerpo flexibles para
//! análisis dinámico con no linealidad geométrica, equations 14-17 and 25-27 (axial modes), 28-36 (foreshortening).

use super::internal_forces::{Internal, UnitForce};
use crate::element::{Element, Line};
use crate::model::{DIRECTIONS, FiniteElementModel};
use crate::stiffening::slope_products;
use crate::structure::assemble;
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::{AxialStiffening, Foreshortening, Packed, StiffeningLoad};
use faer::Mat;
use nalgebra::SMatrix;

/// Distance, as a fraction of the beam length, below which points coincide.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

/// The line of a straight beam.
pub(super) struct StraightBeam {
    /// Unit vector along it, C.
    axis: Vec3,
    /// Position of each node along the axis, m.
    places: Vec<f64>,
}

impl StraightBeam {
    /// The line of a structure; `None` if it is not a straight beam.
    pub fn of(model: &FiniteElementModel) -> Option<StraightBeam> {
        let lines = || model.elements.iter().filter_map(line);
        if model.elements.iter().any(|element| matches!(element, Element::Spring(_))) {
            return None;
        }
        let axis: Vec3 = lines().next()?.axes.column(0).into();
        let origin = model.nodes[lines().next()?.nodes[0]].position;
        let places: Vec<f64> = model.nodes.iter().map(|node| axis.dot(&(node.position - origin))).collect();
        let lowest = places.iter().copied().fold(f64::INFINITY, f64::min);
        let length = places.iter().copied().fold(f64::NEG_INFINITY, f64::max) - lowest;
        let near = |distance: f64| distance.abs() <= COINCIDENCE_TOLERANCE * length;
        let on_line = |(node, place): (usize, &f64)| near((model.nodes[node].position - origin - axis * *place).norm());
        let along = |line: &Line| near((places[line.nodes[0]] - places[line.nodes[1]]).abs() - line.length);
        let holds = |line: &Line| line.released[(0, 0)] == 1.0 && line.released[(6, 6)] == 1.0;
        // The lengths add up to the line: no gaps and no parallel elements.
        let chain = near(lines().map(|line| line.length).sum::<f64>() - length) && covers(lines(), &places, near);
        let straight =
            places.iter().enumerate().all(on_line) && lines().all(|line| along(line) && holds(line)) && chain;
        straight.then_some(StraightBeam { axis, places })
    }

    /// Middle of an element along the axis.
    fn middle(&self, line: &Line) -> f64 {
        0.5 * (self.places[line.nodes[0]] + self.places[line.nodes[1]])
    }
}

fn line(element: &Element) -> Option<&Line> {
    match element {
        Element::Line(line) => Some(line),
        Element::Spring(_) | Element::Mass(_) => None,
    }
}

/// Whether every element begins at the end of another.
fn covers<'l>(lines: impl Iterator<Item = &'l Line>, places: &[f64], near: impl Fn(f64) -> bool) -> bool {
    let ends = |line: &Line| {
        let [a, b] = line.nodes.map(|node| places[node]);
        (a.min(b), a.max(b))
    };
    let mut spans: Vec<(f64, f64)> = lines.map(ends).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    spans.windows(2).all(|pair| near(pair[1].0 - pair[0].1))
}

impl Internal<'_> {
    /// Stiffening by the axial modes of a straight beam: modes of its spans, from one end to the other, then internal
    /// modes. Empty if an interface does not have the directions of the axis.
    pub fn axial(&self, beam: &StraightBeam) -> Vec<AxialStiffening> {
        let size = self.basis.shapes.ncols();
        let mut order: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut first = 0;
        for interface in &self.reducer.model.interfaces {
            let mut row = vec![0.0; size];
            let mut column = first;
            for (direction, dof) in interface.dofs.iter().enumerate() {
                let part = if direction < 3 { beam.axis[direction] } else { 0.0 };
                match dof {
                    Some(_) => {
                        row[column] = part;
                        column += 1;
                    }
                    None if part.abs() > COINCIDENCE_TOLERANCE => return Vec::new(),
                    None => {}
                }
            }
            first = column;
            order.push((beam.places[interface.node], row));
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut modes: Vec<AxialStiffening> = Vec::new();
        for i in 1..order.len() {
            let force = order[i].1.iter().zip(&order[i - 1].1).map(|(to, from)| to - from).collect();
            // The rest of the beam moves along with the far end of the span.
            let beyond = Mat::from_fn(size, 1, |q, _| order[i..].iter().map(|(_, row)| row[q]).sum::<f64>());
            let u = &self.basis.shapes * beyond;
            modes.push(AxialStiffening { force, stiffness: self.geometric_block(u.col(0)) });
        }
        for q in (self.basis.boundary..size).filter(|q| self.is_axial(beam, *q)) {
            let force = (0..size).map(|i| f64::from(u8::from(i == q))).collect();
            modes.push(AxialStiffening { force, stiffness: self.geometric_block(self.basis.shapes.col(q)) });
        }
        modes
    }

    /// Whether a column of the basis moves the nodes along the beam rather than across it.
    fn is_axial(&self, beam: &StraightBeam, q: usize) -> bool {
        let motion = self.reducer.model.motion.multiply(self.basis.shapes.subcols(q, 1));
        let (mut along, mut all) = (0.0, 0.0);
        for node in 0..beam.places.len() {
            let u = Vec3::from_fn(|a, _| motion[(6 * node + a, 0)]);
            along += beam.axis.dot(&u).powi(2);
            all += u.norm_squared();
        }
        along > 0.5 * all
    }

    /// Stiffening by the foreshortening of a straight beam, seen from the node `support`, under the accelerations
    /// `fields` (n × 1 each: three translations, three rotations, then products of angular velocities) and unit forces.
    pub fn foreshortening(
        &self,
        beam: &StraightBeam,
        support: usize,
        fields: &[Mat<f64>],
        forces: &[UnitForce<'_>],
    ) -> Foreshortening {
        let model = self.reducer.model;
        // Axial inertia load of the beam under each acceleration field.
        let inertia = |field: &Mat<f64>| -> Packed {
            let motion = model.motion.multiply(field.as_ref());
            let axial = Mat::from_fn(beam.places.len(), 1, |node, _| {
                (0..3).map(|a| beam.axis[a] * motion[(6 * node + a, 0)]).sum::<f64>()
            });
            let load = model.covariant_mass.multiply(axial.as_ref());
            self.foreshortened(beam, support, &load.col(0).iter().map(|force| -force).collect::<Vec<f64>>())
        };
        // Axial part of a unit force at an interface; moments have none.
        let at_interface = |force: &UnitForce<'_>| {
            let mut load = vec![0.0; beam.places.len()];
            load[force.interface.node] = if force.direction < 3 { beam.axis[force.direction] } else { 0.0 };
            StiffeningLoad {
                interface: force.interface.name.clone(),
                direction: DIRECTIONS[force.direction].into(),
                stiffness: self.foreshortened(beam, support, &load),
            }
        };
        // Fields are in the order of the generalized accelerations.
        Foreshortening {
            translation: fields[..3].iter().map(inertia).collect(),
            rotation: fields[3..6].iter().map(inertia).collect(),
            angular_velocity: fields[6..].iter().map(inertia).collect(),
            loads: forces.iter().map(at_interface).collect(),
        }
    }

    /// Tᵀ (Σ f_i H_i) T for forces along the axis at the nodes, N.
    fn foreshortened(&self, beam: &StraightBeam, support: usize, forces: &[f64]) -> Packed {
        if forces.iter().all(|force| *force == 0.0) {
            return self.no_stiffness();
        }
        let model = self.reducer.model;
        let origin = beam.places[support];
        let sum = |chosen: &dyn Fn(f64) -> bool| -> f64 {
            beam.places.iter().zip(forces).filter(|(place, _)| chosen(**place)).map(|(_, force)| force).sum()
        };
        let of_element = |element: &Element| match line(element) {
            Some(line) => {
                let at = beam.middle(line);
                let factor = if at > origin { sum(&|place| place > at) } else { -sum(&|place| place < at) };
                slope_products(line) * factor
            }
            None => SMatrix::zeros(),
        };
        self.projected(&assemble(&model.elements, &model.motion, of_element))
    }
}
