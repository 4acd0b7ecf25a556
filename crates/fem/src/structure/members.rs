//! Members of the file → nodes, elements and ties of the model.

use super::Structure;
use super::section::{Properties, between, properties, stress_points};
use super::structure_schema::{Beam, MassMatrix, Material, Section, Theory, Truss, Vector};
use crate::constraints::{ConstraintError, Constraints};
use crate::element::{BeamStiffness, Element, Line, LineKind, PointMass, Released, Spring, SpringStiffness};
use crate::model::{Coupling, Dimension, Node};
use ballesta::document::Diagnostic;
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::rom_schema::StressPoint;
use std::collections::HashMap;

/// A node that is the average of others.
struct AveragedNode {
    key: String,
    reference: usize,
    /// Nodes and their weights.
    followers: Vec<(usize, f64)>,
}

/// Nodes, elements and ties, each with its position in the file.
pub(super) struct Members<'s> {
    structure: &'s Structure,
    pub dimension: Dimension,
    pub nodes: Vec<Node>,
    /// Key of the file that each node comes from.
    pub node_keys: Vec<String>,
    index: HashMap<String, usize>,
    pub elements: Vec<Element>,
    /// Key of the file that each element comes from.
    pub element_keys: Vec<String>,
    /// Elements of each beam, then of each truss, by name: first element and number of them.
    pub members: HashMap<String, (usize, usize)>,
    /// Pairs of nodes that are tied, for the search for unconnected parts.
    pub ties: Vec<[usize; 2]>,
    /// (reference, follower) of rigid links.
    rigid: Vec<[usize; 2]>,
    averages: Vec<AveragedNode>,
    /// Node and coupling of each interface.
    pub interfaces: Vec<(usize, Coupling)>,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'s> Members<'s> {
    pub fn new(structure: &'s Structure) -> Self {
        // Empty tables, filled in the order in which later elements refer to earlier nodes.
        let dimension = if structure.file.general.dimension == 2 { Dimension::Plane } else { Dimension::Space };
        let mut members = Members {
            structure,
            dimension,
            nodes: Vec::new(),
            node_keys: Vec::new(),
            index: HashMap::new(),
            elements: Vec::new(),
            element_keys: Vec::new(),
            members: HashMap::new(),
            ties: Vec::new(),
            rigid: Vec::new(),
            averages: Vec::new(),
            interfaces: Vec::new(),
            diagnostics: Vec::new(),
        };
        // Nodes and interfaces first: beams and trusses create intermediate nodes after them.
        let file = &structure.file;
        for (name, position) in &file.nodes {
            members.add_node(name, position_of(position), format!("nodes.{name}"));
        }
        members.add_interfaces();
        for (i, beam) in file.beams.iter().enumerate() {
            members.add_beam(&format!("beam[{i}]"), beam);
        }
        for (i, truss) in file.trusses.iter().enumerate() {
            members.add_truss(&format!("truss[{i}]"), truss);
        }
        // Masses, springs and rigid connections between nodes.
        members.add_masses();
        members.add_springs();
        for rigid in &file.rigids {
            let reference = members.node(&rigid.node);
            for follower in &rigid.followers {
                let follower = members.node(follower);
                members.add_rigid(reference, follower);
            }
        }
        // Averages move a reference node with the mean of its followers.
        for (i, average) in file.averages.iter().enumerate() {
            let reference = members.node(&average.node);
            members.add_average(format!("average[{i}]"), reference, &average.followers, average.weights.as_deref());
        }
        members
    }

    /// Index of a node of the file.
    pub fn node(&self, name: &str) -> usize {
        *self.index.get(name).expect("loading checked the names of nodes")
    }

    /// The ties as constraints; reports ties that are impossible.
    pub fn constraints(&mut self) -> Constraints {
        let mut constraints = Constraints::new(self.dimension, self.nodes.len());
        let arm = |from: usize, to: usize| self.nodes[to].position - self.nodes[from].position;
        for [reference, follower] in &self.rigid {
            constraints.rigid(*reference, *follower, arm(*reference, *follower));
        }
        for AveragedNode { key, reference, followers } in &self.averages {
            let followers: Vec<_> =
                followers.iter().map(|(node, weight)| (*node, arm(*reference, *node), *weight)).collect();
            if let Err(ConstraintError::Undetermined) = constraints.average(*reference, &followers) {
                let found = match self.dimension {
                    Dimension::Plane => "the followers coincide",
                    Dimension::Space => "the followers are collinear or coincide",
                };
                let expected = "name followers that define a rotation";
                self.diagnostics.push(self.structure.source.at(key, found, expected));
            }
        }
        constraints
    }

    fn add_node(&mut self, name: &str, position: Vec3, key: String) -> usize {
        self.index.insert(name.to_string(), self.nodes.len());
        self.nodes.push(Node { name: name.to_string(), position });
        self.node_keys.push(key);
        self.nodes.len() - 1
    }

    fn add_rigid(&mut self, reference: usize, follower: usize) {
        self.rigid.push([reference, follower]);
        self.ties.push([reference, follower]);
    }

    fn add_average(&mut self, key: String, reference: usize, followers: &[String], weights: Option<&[f64]>) {
        let followers: Vec<(usize, f64)> = followers
            .iter()
            .enumerate()
            .map(|(i, follower)| (self.node(follower), weights.map_or(1.0, |weights| weights[i])))
            .collect();
        self.ties.extend(followers.iter().map(|(follower, _)| [reference, *follower]));
        self.averages.push(AveragedNode { key, reference, followers });
    }

    fn add_element(&mut self, element: Element, key: &str) {
        self.elements.push(element);
        self.element_keys.push(key.to_string());
    }

    /// A node at the end of a rigid arm; the node itself if there is no arm.
    fn arm(&mut self, node: usize, offset: &Vector, name: String, key: &str) -> usize {
        if *offset == [0.0; 3] {
            return node;
        }
        let end = self.add_node(&name, self.nodes[node].position + Vec3::from(*offset), key.to_string());
        self.add_rigid(node, end);
        end
    }

    fn add_interfaces(&mut self) {
        for (i, interface) in self.structure.file.interfaces.iter().enumerate() {
            let key = format!("interface[{i}]");
            let new_node = |members: &mut Self| {
                let position = interface.position.as_deref().unwrap_or_default();
                members.add_node(&interface.name, position_of(position), key.clone())
            };
            let placed = match (&interface.node, &interface.rigid, &interface.average) {
                (Some(node), _, _) => (self.node(node), Coupling::Node),
                (None, Some(followers), _) => {
                    let node = new_node(self);
                    for follower in followers {
                        self.add_rigid(node, self.node(follower));
                    }
                    (node, Coupling::Rigid)
                }
                (None, None, followers) => {
                    let node = new_node(self);
                    let followers = followers.as_deref().unwrap_or_default();
                    self.add_average(format!("{key}.average"), node, followers, None);
                    (node, Coupling::Average)
                }
            };
            self.interfaces.push(placed);
        }
    }

    fn add_beam(&mut self, key: &str, beam: &Beam) {
        // Offsets are rigid arms between the node and the end of the beam axis.
        let offsets = beam.offsets.unwrap_or_default();
        let divisions = beam.divisions.max(1);
        let [first, last] = [0, 1].map(|end| {
            let node = self.node(&beam.nodes[end]);
            self.arm(node, &offsets[end], format!("{}:{}", beam.name, end * divisions), key)
        });
        let (start, end) = (self.nodes[first].position, self.nodes[last].position);
        // Intermediate nodes divide the beam axis equally.
        let mut chain = vec![first];
        for i in 1..divisions {
            let position = start + (end - start) * (i as f64 / divisions as f64);
            chain.push(self.add_node(&format!("{}:{i}", beam.name), position, key.to_string()));
        }
        chain.push(last);
        // Coincident ends have no direction; that error was reported by the validation.
        let Some(axes) = axes(self.dimension, end - start, beam.up) else { return };
        let (material, of_section) = self.material_and_section(&beam.material, Some(&beam.section));
        self.members.insert(format!("beam {}", beam.name), (self.elements.len(), divisions));
        // A uniform beam has equal elements; a tapered beam has the section at the middle of each element.
        let length = (end - start).norm() / divisions as f64;
        let uniform = beam_line(beam, material, &of_section, axes, length);
        for (i, pair) in chain.windows(2).enumerate() {
            let mut line = match self.section_at(beam, (i as f64 + 0.5) / divisions as f64) {
                Some(section) => beam_line(beam, material, &properties(&section, material.poisson()), axes, length),
                None => uniform.clone(),
            };
            line.nodes = [pair[0], pair[1]];
            // Releases apply only to the outer ends; they must not leave a mechanism.
            let mut released = [false; 12];
            for (side, directions) in beam.releases.iter().flatten().enumerate() {
                if i == side * (divisions - 1) {
                    directions.iter().for_each(|direction| released[6 * side + direction.index()] = true);
                }
            }
            if released.contains(&true) && line.release(&released).is_err() {
                let found = format!("the releases leave a part of beam \"{}\" unsupported", beam.name);
                let expected =
                    "keep one end connected in each direction in which the beam could slide or rotate freely";
                self.diagnostics.push(self.structure.source.at(format!("{key}.releases"), found, expected));
            }
            self.add_element(Element::Line(line), key);
        }
    }

    fn add_truss(&mut self, key: &str, truss: &Truss) {
        let nodes = [0, 1].map(|end| self.node(&truss.nodes[end]));
        let along = self.nodes[nodes[1]].position - self.nodes[nodes[0]].position;
        let Some(axes) = axes(self.dimension, along, None) else { return };
        let (material, properties) = self.material_and_section(&truss.material, truss.section.as_deref());
        let area = truss.area.unwrap_or(properties.area);
        self.members.insert(format!("truss {}", truss.name), (self.elements.len(), 1));
        let line = Line {
            name: truss.name.clone(),
            nodes,
            axes,
            length: along.norm(),
            axial: material.youngs_modulus * area,
            kind: LineKind::Truss,
            inertia: [material.density * area, 0.0, 0.0, 0.0],
            polar_radius_squared: 0.0,
            lumped: truss.mass == MassMatrix::Lumped,
            released: Box::new(Released::identity()),
        };
        self.add_element(Element::Line(line), key);
    }

    fn add_masses(&mut self) {
        for (i, mass) in self.structure.file.masses.iter().enumerate() {
            let key = format!("mass[{i}]");
            let node = self.node(&mass.node);
            let node = self.arm(node, &mass.offset.unwrap_or_default(), format!("{}:mass{i}", mass.node), &key);
            let [xx, yy, zz, xy, yz, xz] = mass.inertia.unwrap_or_default();
            let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            self.add_element(Element::Mass(PointMass { node, mass: mass.mass, inertia }), &key);
        }
    }

    fn add_springs(&mut self) {
        for (i, spring) in self.structure.file.springs.iter().enumerate() {
            let nodes = [0, 1].map(|end| self.node(&spring.nodes[end]));
            let stiffness = match spring.stiffness.as_slice() {
                [k] => {
                    let along = self.nodes[nodes[1]].position - self.nodes[nodes[0]].position;
                    SpringStiffness::Along(*k, along.normalize())
                }
                numbers => {
                    let mut stiffness = [0.0; 6];
                    stiffness[..numbers.len()].copy_from_slice(numbers);
                    SpringStiffness::Axes(stiffness)
                }
            };
            self.add_element(Element::Spring(Spring { nodes, stiffness }), &format!("spring[{i}]"));
        }
    }

    /// The section of a tapered beam at a position (0..1 along the beam).
    pub fn section_at(&self, beam: &Beam, at: f64) -> Option<Section> {
        let end = self.section(beam.end_section.as_deref())?;
        Some(between(self.section(Some(&beam.section))?, end, at))
    }

    /// Points of the section at a position of a beam (0..1 along it) whose stress is an output.
    pub fn beam_stress_points(&self, beam: &Beam, at: f64) -> Vec<StressPoint> {
        match self.section_at(beam, at) {
            Some(section) => {
                let (material, _) = self.material_and_section(&beam.material, None);
                stress_points(&section, &properties(&section, material.poisson()))
            }
            None => self.stress_points(&beam.material, Some(&beam.section)),
        }
    }

    /// Points of a section whose stress is an output.
    pub fn stress_points(&self, material: &str, section: Option<&str>) -> Vec<StressPoint> {
        let (_, properties) = self.material_and_section(material, section);
        self.section(section).map_or(Vec::new(), |section| stress_points(section, &properties))
    }

    fn section(&self, name: Option<&str>) -> Option<&'s Section> {
        name.and_then(|name| self.structure.file.sections.iter().find(|item| item.name == name))
    }

    fn material_and_section(&self, material: &str, section: Option<&str>) -> (&'s Material, Properties) {
        let file = &self.structure.file;
        let material = file.materials.iter().find(|item| item.name == material);
        let material = material.expect("loading checked the names of materials");
        let found = self.section(section);
        let none = Properties { area: 0.0, inertia_y: 0.0, inertia_z: 0.0, torsion: 0.0, shear_y: 0.0, shear_z: 0.0 };
        (material, found.map_or(none, |section| properties(section, material.poisson())))
    }
}

fn beam_line(beam: &Beam, material: &Material, section: &Properties, axes: Mat3, length: f64) -> Line {
    let (e, g, density) = (material.youngs_modulus, material.shear(), material.density);
    let bending = [e * section.inertia_y, e * section.inertia_z];
    let timoshenko = beam.theory == Theory::Timoshenko;
    let shear = |bending: f64, area: f64| if timoshenko { 12.0 * bending / (g * area * length * length) } else { 0.0 };
    let rotary = beam.rotary_inertia.unwrap_or(timoshenko);
    let about = |inertia: f64| if rotary { density * inertia } else { 0.0 };
    let polar = section.inertia_y + section.inertia_z;
    Line {
        name: beam.name.clone(),
        nodes: [0, 0],
        axes,
        length,
        axial: e * section.area,
        kind: LineKind::Beam(BeamStiffness {
            torsion: g * section.torsion,
            bending,
            // Bending about y goes with forces along z, and vice versa.
            shear: [shear(bending[0], section.shear_z), shear(bending[1], section.shear_y)],
        }),
        inertia: [density * section.area, density * polar, about(section.inertia_y), about(section.inertia_z)],
        polar_radius_squared: polar / section.area,
        lumped: beam.mass == MassMatrix::Lumped,
        released: Box::new(Released::identity()),
    }
}

/// Position in C of two or three numbers.
pub(super) fn position_of(numbers: &[f64]) -> Vec3 {
    Vec3::from_fn(|i, _| numbers.get(i).copied().unwrap_or(0.0))
}

/// Sine of the angle below which two directions count as parallel.
pub(super) const PARALLEL_TOLERANCE: f64 = 1e-6;

/// Element axes as columns: x along the member, z the part of `up` normal to it. `None` if they do not exist.
pub(super) fn axes(dimension: Dimension, along: Vec3, up: Option<Vector>) -> Option<Mat3> {
    let x = along.try_normalize(f64::MIN_POSITIVE)?;
    let up = match (up, dimension) {
        (Some(up), _) => Vec3::from(up).try_normalize(f64::MIN_POSITIVE)?,
        (None, Dimension::Plane) => Vec3::z().cross(&x),
        (None, Dimension::Space) if x.xy().norm() <= 1e-3 => Vec3::x(),
        (None, Dimension::Space) => Vec3::z(),
    };
    let normal = up - x * x.dot(&up);
    if normal.norm() < PARALLEL_TOLERANCE {
        return None;
    }
    let z = normal.normalize();
    Some(Mat3::from_columns(&[x, z.cross(&x), z]))
}
