//! A whole structure of beams as rigid bodies with lumped joints.
//!
//! The beams are divided as for finite elements. Each element is body–joint–body (Ghidella et al., section II A): a
//! joint in its middle with the stiffness `[k]` = Jᵀ K J of [`super::element`], and two rigid halves. All halves that
//! meet at a node, its masses and all nodes tied rigidly to it are welded to one body. So every node of the
//! finite-element model is a body, and every beam element a joint: branches become trees, closed rings of beams become
//! loops. A tapered beam uses the section at the middle of each element; a curved beam is the polygon of the file.
//!
//! Trusses become springs between the bodies with half of their mass at each end. Springs remain springs. Released ends
//! become hinges without stiffness between the node and the first half element.

use super::element::ElementJoint;
use crate::element::{BeamStiffness, Element, Line, LineKind, SpringStiffness};
use crate::model::{Dimension, FiniteElementModel};
use crate::structure::structure_schema::Load;
use crate::structure::{self, Structure};
use ballesta::document::{Diagnostic, Diagnostics};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::JointKind;
use std::collections::HashMap;

/// Most bodies of a lumped structure: a model file has at most 4000 tables of one kind.
pub const MAX_BODIES: usize = 1000;

/// A rigid body: a node of the structure with the halves of elements around it.
#[derive(Clone, Debug, PartialEq)]
pub struct LumpedBody {
    /// Name in the model file.
    pub name: String,
    /// Position of its node in C, m.
    pub origin: Vec3,
    /// Mass in kg.
    pub mass: f64,
    /// Mass times centre of mass, measured from the origin, kg·m, axes of C.
    pub moment: Vec3,
    /// Inertia about the origin, kg·m², axes of C.
    pub inertia: Mat3,
    /// Directions of C (translations, rotations) that a support fixes.
    pub held: [bool; 6],
    /// Key of the file for messages.
    pub key: String,
}

impl LumpedBody {
    fn new(name: String, origin: Vec3, key: String) -> LumpedBody {
        let (moment, inertia) = (Vec3::zeros(), Mat3::zeros());
        LumpedBody { name, origin, mass: 0.0, moment, inertia, held: [false; 6], key }
    }

    /// Adds a mass (kg) at a position in C (m) with its inertia about its own centre (kg·m², axes of C).
    fn add(&mut self, mass: f64, place: Vec3, inertia: &Mat3) {
        let arm = place - self.origin;
        self.mass += mass;
        self.moment += mass * arm;
        self.inertia += inertia + mass * steiner(arm);
    }

    /// Centre of mass in C (m), and the inertia about it (kg·m², axes of C).
    pub fn centre(&self) -> (Vec3, Mat3) {
        let arm = self.moment / self.mass;
        (self.origin + arm, self.inertia - self.mass * steiner(arm))
    }
}

/// |r|² 1 − r rᵀ.
fn steiner(arm: Vec3) -> Mat3 {
    Mat3::identity() * arm.norm_squared() - arm * arm.transpose()
}

/// Connection between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct LumpedJoint {
    /// Name in the model file.
    pub name: String,
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Position in C, m.
    pub point: Vec3,
    /// Columns: its axes in C.
    pub axes: Mat3,
    /// Stiffness of each motion along (N/m) and about (N·m/rad) the axes; `None`: held. Motions out of the plane of a
    /// plane structure do not count.
    pub stiffness: [Option<f64>; 6],
    /// Key of the file for messages.
    pub key: String,
}

/// A spring along the line between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct LumpedSpring {
    /// Name in the model file.
    pub name: String,
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Its ends in C, m.
    pub points: [Vec3; 2],
    /// N/m.
    pub stiffness: f64,
}

/// A point where loads act or whose motion is an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Name in the model file.
    pub name: String,
    /// Name of the node in the structure.
    pub node: String,
    /// Index of its body.
    pub body: usize,
    /// Position in C, m.
    pub place: Vec3,
    /// Whether the point has force inputs, as interfaces and nodes with loads do.
    pub loaded: bool,
}

/// The structure as rigid bodies, joints and springs.
#[derive(Clone, Debug)]
pub struct LumpedStructure {
    /// Name of the structure.
    pub name: String,
    /// Plane or space.
    pub dimension: Dimension,
    /// Elements of each beam.
    pub elements: usize,
    /// The joint in each element.
    pub joint: ElementJoint,
    /// Bodies; bodies held in all directions are the ground.
    pub bodies: Vec<LumpedBody>,
    /// Joints, element joints first, and springs with six stiffnesses.
    pub joints: Vec<LumpedJoint>,
    /// Trusses, and springs along a line.
    pub springs: Vec<LumpedSpring>,
    /// Interfaces, loaded nodes and output nodes; without any of them, the nodes of the file.
    pub ports: Vec<Port>,
    /// The loads of the file.
    pub loads: Vec<Load>,
    /// The finite elements with the same division, with rotary inertia of the sections, as rigid bodies have it.
    pub finite_elements: FiniteElementModel,
}

impl LumpedStructure {
    /// Lumps all beams of a structure, each divided into `elements` ≥ 1.
    ///
    /// # Errors
    /// Diagnostics of the structure itself, and of features that rigid bodies and joints cannot represent: matrices,
    /// averages, supports and releases that no joint has, nodes without inertia, joints that do not fit the dimension.
    pub fn new(structure: &Structure, joint: ElementJoint, elements: usize) -> Result<LumpedStructure, Diagnostics> {
        // Reject features that rigid bodies and joints cannot represent.
        Diagnostics(unsuitable(structure, joint)).into_result(())?;
        // Beams are divided into elements; rotary inertia is needed because nodes become bodies.
        let mut divided = structure.clone();
        for beam in &mut divided.file.beams {
            beam.divisions = elements;
            beam.rotary_inertia = Some(true);
        }
        // The number of bodies is limited before the structure is built.
        let beams = divided.file.beams.len();
        let count = divided.file.nodes.len() + beams.saturating_mul(elements - 1);
        if count > MAX_BODIES {
            let found = format!("{beams} beams of {elements} elements give {count} bodies");
            let expected = format!("use fewer elements; the limit is {MAX_BODIES} bodies");
            return Err(Diagnostics(vec![structure.source.at("beam", found, expected)]));
        }
        // Nodes become bodies, elements become joints or springs, supports fix bodies.
        let model = structure::build(&divided)?;
        let mut lumping = Lumping::new(structure, &model, joint);
        model.elements.iter().for_each(|element| lumping.add(element));
        lumping.hold(&model);
        let Lumping { bodies, joints, springs, mut wrong, body_of, .. } = lumping;
        // Each body needs a mass and an inertia.
        wrong.extend(bodies.iter().filter_map(|body| weightless(structure, model.dimension, body)));
        Diagnostics(wrong).into_result(())?;
        let ports = ports(structure, &model, &body_of);
        Ok(LumpedStructure {
            name: model.name.clone(),
            dimension: model.dimension,
            elements,
            joint,
            bodies,
            joints,
            springs,
            ports,
            loads: structure.file.loads.clone(),
            finite_elements: model,
        })
    }

    /// Whether a support fixes all motions of a body.
    pub fn is_ground(&self, body: usize) -> bool {
        self.dimension.directions().iter().all(|direction| self.bodies[body].held[*direction])
    }
}

/// Features of the file that cannot be lumped.
fn unsuitable(structure: &Structure, joint: ElementJoint) -> Vec<Diagnostic> {
    let (file, source) = (&structure.file, &structure.source);
    if file.matrices.is_some() {
        let found = "the structure is defined by matrices and has no beams";
        return vec![source.at("matrices", found, "define it by nodes and [[beam]]")];
    }
    let mut wrong = Vec::new();
    if file.beams.is_empty() {
        wrong.push(source.at("structure", "the structure has no beams", "add a [[beam]]; only beams can be lumped"));
    }
    let averages = (0..file.averages.len()).map(|i| format!("average[{i}]"));
    let interfaces = file.interfaces.iter().enumerate().filter(|(_, interface)| interface.average.is_some());
    for key in averages.chain(interfaces.map(|(i, _)| format!("interface[{i}].average"))) {
        let found = "an average of nodes is not a rigid body";
        wrong.push(source.at(key, found, "tie the nodes rigidly, or remove the average"));
    }
    let plane = file.general.dimension == 2;
    let expected = match (plane, joint) {
        (true, ElementJoint::Revolute | ElementJoint::Planar | ElementJoint::Bushing) => None,
        (false, ElementJoint::Universal | ElementJoint::Spherical | ElementJoint::Bushing) => None,
        (true, _) => Some("use --joint revolute, planar or bushing"),
        (false, _) => Some("use --joint universal, spherical or bushing"),
    };
    if let Some(expected) = expected {
        let place = if plane { "plane" } else { "in space" };
        let found = format!("the structure is {place}, where {} joints do not bend like its beams", joint.word());
        wrong.push(source.at("structure", found, expected));
    }
    wrong
}

/// A moving body without mass, or without inertia about an axis of possible rotation.
fn weightless(structure: &Structure, dimension: Dimension, body: &LumpedBody) -> Option<Diagnostic> {
    if dimension.directions().iter().all(|direction| body.held[*direction]) {
        return None;
    }
    let smallest = |inertia: &Mat3| match dimension {
        Dimension::Plane => inertia[(2, 2)],
        Dimension::Space => inertia.symmetric_eigenvalues().min(),
    };
    if body.mass > 0.0 && smallest(&body.centre().1) > 0.0 {
        return None;
    }
    let what = if body.mass > 0.0 { "moment of inertia" } else { "mass" };
    let found = format!("the body of node \"{}\" has no {what}", body.name);
    let expected = "connect a beam, add a [[mass]] with inertia, or hold the node in all directions";
    Some(structure.source.at(&body.key, found, expected))
}

/// Names of the world, of the time and of outputs that every model has.
const RESERVED: [&str; 7] =
    ["ground", "time", "gap", "velocity_gap", "near_singular", "repartitions", "energy_balance"];

/// Unique names of one table of the model file, with letters, digits and `_`.
#[derive(Clone, Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn unique(&mut self, wanted: &str) -> String {
        let mut name: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "node_");
        }
        if RESERVED.contains(&name.as_str()) {
            name.push('_');
        }
        let uses = self.0.entry(name.clone()).or_insert(0);
        *uses += 1;
        match *uses {
            1 => name,
            uses => {
                let again = format!("{name}_{uses}");
                self.unique(&again)
            }
        }
    }
}

/// The structure during its construction.
struct Lumping<'s> {
    structure: &'s Structure,
    joint: ElementJoint,
    dimension: Dimension,
    bodies: Vec<LumpedBody>,
    joints: Vec<LumpedJoint>,
    springs: Vec<LumpedSpring>,
    /// Body of each finite-element node; `None` for a node that no element moves.
    body_of: Vec<Option<usize>>,
    /// Position of each node in C, m.
    places: Vec<Vec3>,
    names: Names,
    joint_names: Names,
    /// Elements of each beam so far.
    counts: HashMap<String, usize>,
    wrong: Vec<Diagnostic>,
}

impl<'s> Lumping<'s> {
    /// Creates a body for every node that is not a follower.
    fn new(structure: &'s Structure, model: &FiniteElementModel, joint: ElementJoint) -> Lumping<'s> {
        // Ties are rigid: all directions of a follower depend on the leading node.
        let leader = |node: usize| model.motion.row(6 * node).next().map(|(dof, _)| model.dofs[dof].node);
        let leaders: Vec<Option<usize>> = (0..model.nodes.len()).map(leader).collect();
        let (mut bodies, mut names, mut own) = (Vec::new(), Names::default(), HashMap::new());
        for (node, found) in model.nodes.iter().enumerate().filter(|(node, _)| leaders[*node] == Some(*node)) {
            own.insert(node, bodies.len());
            let key = match structure.file.nodes.contains_key(&found.name) {
                true => format!("nodes.{}", found.name),
                false => "beam".to_string(),
            };
            bodies.push(LumpedBody::new(names.unique(&found.name), found.position, key));
        }
        Lumping {
            structure,
            joint,
            dimension: model.dimension,
            bodies,
            joints: Vec::new(),
            springs: Vec::new(),
            body_of: leaders.iter().map(|leader| leader.and_then(|leader| own.get(&leader).copied())).collect(),
            places: model.nodes.iter().map(|node| node.position).collect(),
            names,
            joint_names: Names::default(),
            counts: HashMap::new(),
            wrong: Vec::new(),
        }
    }

    fn add(&mut self, element: &Element) {
        // Both nodes belong to bodies; rigidly connected nodes share one body.
        let [Some(first), Some(second)] = element.nodes().map(|node| self.body_of[node]) else { return };
        let bodies = [first, second];
        let points = element.nodes().map(|node| self.places[node]);
        match element {
            Element::Mass(mass) => self.bodies[first].add(mass.mass, points[0], &mass.inertia),
            Element::Line(line) => match line.kind {
                LineKind::Beam(stiffness) => self.add_beam(line, &stiffness, bodies, points),
                // A truss has half of its mass at each end and no bending stiffness.
                LineKind::Truss => {
                    let half = 0.5 * line.inertia[0] * line.length;
                    for (body, point) in bodies.into_iter().zip(points) {
                        self.bodies[body].add(half, point, &Mat3::zeros());
                    }
                    let name = self.joint_names.unique(&line.name);
                    self.springs.push(LumpedSpring { name, bodies, points, stiffness: line.axial / line.length });
                }
            },
            // A spring along a line keeps its kind; a spring with axes becomes a joint with elastic coordinates.
            Element::Spring(spring) => match &spring.stiffness {
                SpringStiffness::Along(stiffness, _) => {
                    let name = self.joint_names.unique("spring_1");
                    self.springs.push(LumpedSpring { name, bodies, points, stiffness: *stiffness });
                }
                SpringStiffness::Axes(stiffness) => {
                    let name = self.joint_names.unique("spring_1");
                    let stiffness = stiffness.map(Some);
                    let (point, axes, key) = (points[0], Mat3::identity(), "spring".to_string());
                    self.joints.push(LumpedJoint { name, bodies, point, axes, stiffness, key });
                }
            },
        }
    }

    /// The joint of a beam element and its two halves.
    fn add_beam(&mut self, line: &Line, stiffness: &BeamStiffness, mut bodies: [usize; 2], points: [Vec3; 2]) {
        let file = &self.structure.file;
        let index = file.beams.iter().position(|beam| beam.name == line.name).unwrap_or(0);
        let number = *self.counts.entry(line.name.clone()).and_modify(|count| *count += 1).or_insert(1);
        let half = 0.5 * line.length;
        let along: Vec3 = line.axes.column(0).into();
        let [mass, polar, about_y, about_z] = line.inertia.map(|per_length| per_length * half);
        let rod = mass * half * half / 12.0;
        let own = line.axes * Mat3::from_diagonal(&Vec3::new(polar, about_y + rod, about_z + rod));
        let own = own * line.axes.transpose();
        for (side, sign) in [(0, 0.5), (1, -0.5)] {
            // A direction that is released has an empty column.
            let free: [bool; 6] = std::array::from_fn(|k| line.released.column(6 * side + k).amax() == 0.0);
            if free.contains(&true) {
                let end = format!("{}_{}", line.name, ["start", "end"][side]);
                let key = format!("beam[{index}].releases");
                let name = self.names.unique(&end);
                self.bodies.push(LumpedBody::new(name, points[side], key.clone()));
                let node = std::mem::replace(&mut bodies[side], self.bodies.len() - 1);
                let hinge = LumpedJoint {
                    name: self.joint_names.unique(&format!("{end}_hinge")),
                    bodies: [node, bodies[side]],
                    point: points[side],
                    axes: line.axes,
                    stiffness: free.map(|free| free.then_some(0.0)),
                    key,
                };
                if !hinge.is_free(self.dimension) && hinge.kind(self.dimension).is_none() {
                    let found = format!("no joint type matches the released directions of beam \"{}\"", line.name);
                    let expected = "release rotations, or one translation along an axis of the beam";
                    self.wrong.push(self.structure.source.at(&hinge.key, found, expected));
                }
                self.joints.push(hinge);
            }
            self.bodies[bodies[side]].add(mass, points[side] + along * (sign * half), &own);
        }
        let all = beam_stiffness(line, stiffness);
        let joint = LumpedJoint {
            name: self.joint_names.unique(&format!("{}_{number}", line.name)),
            bodies,
            point: 0.5 * (points[0] + points[1]),
            axes: line.axes,
            stiffness: std::array::from_fn(|k| self.frees(k, &line.axes).then_some(all[k])),
            key: format!("beam[{index}]"),
        };
        if self.dimension == Dimension::Space && joint.stiffness[3] == Some(0.0) && number == 1 {
            let found = format!("the section of beam \"{}\" has no torsion constant", line.name);
            let expected = "add `torsion` to the section, or use --joint universal";
            self.wrong.push(self.structure.source.at(format!("beam[{index}].section"), found, expected));
        }
        self.joints.push(joint);
    }

    /// Whether the joint of an element with these axes leaves a motion free along or about them.
    fn frees(&self, motion: usize, axes: &Mat3) -> bool {
        match (self.dimension, self.joint) {
            // The element's y or z is normal to the plane: bending is about it.
            (Dimension::Plane, ElementJoint::Revolute) => motion == 3 + normal(axes),
            (Dimension::Plane, _) => true,
            (Dimension::Space, joint) => joint.motions().contains(&motion),
        }
    }

    /// Supports of the nodes.
    fn hold(&mut self, model: &FiniteElementModel) {
        for dof in &model.supports {
            let dof = model.dofs[*dof];
            if let Some(body) = self.body_of[dof.node] {
                self.bodies[body].held[dof.direction] = true;
            }
        }
        let file = &self.structure.file;
        let mut wrong = Vec::new();
        for body in &self.bodies {
            if Support::new(body, self.dimension).is_some() {
                continue;
            }
            let at_node =
                |name: &str| model.nodes.iter().position(|node| node.name == name).and_then(|node| self.body_of[node]);
            let here = |name: &str| at_node(name).is_some_and(|found| std::ptr::eq(&self.bodies[found], body));
            let index = file.supports.iter().position(|support| here(&support.node)).unwrap_or(0);
            let found = format!("no joint to the ground holds exactly these directions of node \"{}\"", body.name);
            let expected = "hold all rotations with two or three translations, some rotations with all translations, \
                            or only one to three translations";
            wrong.push(self.structure.source.at(format!("support[{index}].fixed"), found, expected));
        }
        self.wrong.extend(wrong);
    }
}

/// Stiffness of the six motions of the joint in the middle of an element, N/m and N·m/rad.
fn beam_stiffness(line: &Line, beam: &BeamStiffness) -> [f64; 6] {
    let l = line.length;
    let [about_y, about_z] = beam.bending;
    let shear = |bending: f64, phi: f64| 12.0 * bending / ((1.0 + phi) * l * l * l);
    [
        line.axial / l,
        shear(about_z, beam.shear[1]),
        shear(about_y, beam.shear[0]),
        beam.torsion / l,
        about_y / l,
        about_z / l,
    ]
}

/// Index of the axis normal to the plane of a plane structure: 0, 1 or 2.
fn normal(axes: &Mat3) -> usize {
    (0..3).max_by(|a, b| axes[(2, *a)].abs().total_cmp(&axes[(2, *b)].abs())).unwrap_or(2)
}

/// A kind of joint of the model file for given free motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LumpedKind {
    /// Kind in the model file.
    pub kind: JointKind,
    /// Indices of `axis` and `second_axis` among the axes of the joint, as far as the kind has them.
    pub axes: [Option<usize>; 2],
}

impl LumpedKind {
    /// The joint with exactly these free motions along and about its axes.
    fn new(free: [bool; 6]) -> Option<LumpedKind> {
        let of = |from: usize| (0..3).filter(|k| free[from + k]).collect::<Vec<_>>();
        let (kind, axes) = match (of(0).as_slice(), of(3).as_slice()) {
            ([], []) => (JointKind::Fixed, [None, None]),
            ([], [a]) => (JointKind::Revolute, [Some(*a), None]),
            ([], [a, b]) => (JointKind::Universal, [Some(*b), Some(*a)]),
            ([], [_, _, _]) => (JointKind::Spherical, [None, None]),
            ([a], []) => (JointKind::Prismatic, [Some(*a), None]),
            ([a], [b]) if a == b => (JointKind::Cylindrical, [Some(*a), None]),
            ([a, b], [c]) if a != c && b != c => (JointKind::Planar, [Some(*c), Some(*a)]),
            _ => return None,
        };
        Some(LumpedKind { kind, axes })
    }

    /// The coordinate of a free motion; `None` for a rotation of a spherical joint.
    pub fn coordinate(&self, motion: usize) -> Option<&'static str> {
        match (self.kind, motion) {
            (JointKind::Spherical, _) => None,
            (JointKind::Universal, _) if Some(motion - 3) == self.axes[1] => Some("second_angle"),
            (JointKind::Planar, 0..3) => Some(if Some(motion) == self.axes[1] { "x" } else { "y" }),
            (_, 0..3) => Some("travel"),
            _ => Some("angle"),
        }
    }
}

/// `free` without the motions that a plane structure does not have; `axes` as columns.
fn within(dimension: Dimension, axes: &Mat3, free: [bool; 6]) -> [bool; 6] {
    match dimension {
        Dimension::Space => free,
        Dimension::Plane => {
            let normal = normal(axes);
            std::array::from_fn(|k| free[k] && if k < 3 { k != normal } else { k == 3 + normal })
        }
    }
}

impl LumpedJoint {
    /// Free motions along and about its axes, limited to the motions of the structure.
    pub fn within(&self, dimension: Dimension) -> [bool; 6] {
        within(dimension, &self.axes, self.stiffness.map(|stiffness| stiffness.is_some()))
    }

    /// Whether it constrains no motion, so that it is a force element.
    pub fn is_free(&self, dimension: Dimension) -> bool {
        self.within(dimension).iter().filter(|free| **free).count() == dimension.directions().len()
    }

    /// Its kind in the model file, if one has exactly its free motions.
    pub fn kind(&self, dimension: Dimension) -> Option<LumpedKind> {
        LumpedKind::new(self.within(dimension))
    }
}

/// Support of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Fixed: the body is the ground.
    Ground,
    /// No support.
    Free,
    /// A joint to the ground.
    Joint(LumpedKind),
    /// The node remains in a plane normal to this axis of C.
    Plane(usize),
    /// The node remains on a line along this axis of C.
    Line(usize),
}

impl Support {
    /// Support of a body; `None` if no joint fixes exactly these directions.
    pub fn new(body: &LumpedBody, dimension: Dimension) -> Option<Support> {
        let free = within(dimension, &Mat3::identity(), body.held.map(|held| !held));
        let held = within(dimension, &Mat3::identity(), body.held);
        let of = |from: usize| (0..3).filter(|k| held[from + k]).collect::<Vec<_>>();
        if !free.contains(&true) {
            return Some(Support::Ground);
        }
        match (of(0).as_slice(), of(3).as_slice()) {
            ([], []) => Some(Support::Free),
            _ if LumpedKind::new(free).is_some() => LumpedKind::new(free).map(Support::Joint),
            ([a], []) => Some(Support::Plane(*a)),
            ([a, b], []) => Some(Support::Line(3 - a - b)),
            _ => None,
        }
    }
}

/// Interfaces, loaded nodes and output nodes; without any of them, the nodes of the file.
fn ports(structure: &Structure, model: &FiniteElementModel, body_of: &[Option<usize>]) -> Vec<Port> {
    let file = &structure.file;
    let interfaces = file.interfaces.iter().map(|found| (found.node.as_ref().unwrap_or(&found.name), true));
    let loads = file.loads.iter().map(|load| (&load.node, true));
    let outputs = file.outputs.iter().filter_map(|output| output.node.as_ref().map(|node| (node, false)));
    let mut wanted: Vec<(&String, bool)> = interfaces.chain(loads).chain(outputs).collect();
    if wanted.is_empty() {
        wanted.extend(file.nodes.keys().map(|node| (node, false)));
    }
    let (mut ports, mut names): (Vec<Port>, Names) = Default::default();
    for (node, loaded) in wanted {
        if ports.iter().any(|port| port.node == *node) {
            continue;
        }
        let Some(index) = model.nodes.iter().position(|found| found.name == *node) else { continue };
        let Some(body) = body_of[index] else { continue };
        let place = model.nodes[index].position;
        ports.push(Port { name: names.unique(node), node: node.clone(), body, place, loaded });
    }
    ports
}
