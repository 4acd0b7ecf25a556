//! Numbers of bodies and coordinates of a mechanism, and its system in the design position.

use super::blocks::Loops;
use super::clusters::{cluster_map, clusters};
use super::constraints::Constraints;
use super::design::Design;
use super::graph::Graph;
use super::motion::{Start, driven};
use super::numbering::Numbering;
use super::references::Counts;
use super::{BodyRef, BuildError, InvalidMechanism, JointCoordinate, JointRef, Mechanism, Reading, checks};
use crate::assembly::{self, AssemblyRemarks};
use crate::force::{BodyIx, CoordinateIx, Element, Marker};
use crate::joint::TreeJoint;
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::system::{
    Body, Cluster, Constraint, Flexible, Implicit, Interface, JointPlace, Memory, Propagation, Report, Rod, State,
    System, Workspace,
};
use alloc::{string::String, vec, vec::Vec};
use core::ops::Range;

/// A mechanism with its spanning tree and the numbers of its bodies and coordinates.
pub struct Layout {
    pub(super) mechanism: Mechanism,
    pub(super) graph: Graph,
    pub(super) design: Design,
    pub(super) numbering: Numbering,
}

impl Mechanism {
    /// Selects the spanning tree and numbers bodies and coordinates.
    pub fn layout(self) -> Result<Layout, InvalidMechanism> {
        let defects = checks::invalid(&self);
        if defects.is_empty() { self.layout_of_valid() } else { Err(InvalidMechanism::new(&self, defects)) }
    }

    /// As [`Mechanism::layout`], for references that the caller has validated. Panics if one of them does not exist.
    pub fn layout_of_valid(mut self) -> Result<Layout, InvalidMechanism> {
        let graph = match Graph::new(&self) {
            Ok(graph) => graph,
            Err(defects) => return Err(InvalidMechanism::new(&self, defects)),
        };
        let design = Design::new(&self, &graph);
        let flexible = core::mem::take(&mut self.flexible);
        let numbering = Numbering::new(&self.joints, &graph, &design, flexible);
        Ok(Layout { mechanism: self, graph, design, numbering })
    }
}

impl Layout {
    /// Number of a body.
    pub fn body(&self, body: BodyRef) -> BodyIx {
        BodyIx(self.graph.body(body))
    }

    /// A point of W in the design position in the frame of a body, m.
    pub fn body_point(&self, body: BodyIx, point: &Vec3) -> Vec3 {
        self.from_origin(point) - self.design.bodies[body.0].design
    }

    /// A point of W in the design position as a point of a body.
    pub fn marker(&self, body: BodyRef, point: &Vec3) -> Marker {
        let body = self.body(body);
        Marker { body, point: self.body_point(body, point) }
    }

    /// A point of W relative to the origin of the system, m.
    pub fn from_origin(&self, point: &Vec3) -> Vec3 {
        point - self.design.origin
    }

    /// World coordinates of the origin of the system, m: of the first joint at the ground.
    pub fn origin(&self) -> Vec3 {
        self.design.origin
    }

    /// A coordinate; `None` for a joint that is cut. [`Request::Tree`](crate::topology::Request::Tree) keeps a joint.
    pub fn coordinate(&self, on: JointCoordinate) -> Option<CoordinateIx> {
        let tree = &self.numbering.joints[self.tree_joint(on.joint)?];
        let found = tree.kind.coordinates().get(on.index)?;
        Some(CoordinateIx { position: tree.q + found.position, velocity: tree.v + found.velocity })
    }

    /// A coordinate of a joint that was requested to be in the tree.
    pub(super) fn kept(&self, on: JointCoordinate) -> CoordinateIx {
        self.coordinate(on).expect("joints with driven or coupled coordinates are in the tree")
    }

    /// Index of a joint among the joints of the tree; `None` for a joint that is cut.
    pub fn tree_joint(&self, joint: JointRef) -> Option<usize> {
        self.numbering.joint_places[joint.0].tree
    }

    /// Joints with their bodies.
    pub fn joint_places(&self) -> &[JointPlace] {
        &self.numbering.joint_places
    }

    /// Joints of the tree; tree joint `j` carries body `j + 1`.
    pub fn joints(&self) -> &[TreeJoint] {
        &self.numbering.joints
    }

    /// Bodies in the design position, without rods.
    pub fn bodies(&self) -> &[Body] {
        &self.design.bodies
    }

    /// Assembles the mechanism with force elements and outputs: loops closed, speeds consistent. The step is not
    /// compared with the limit of stability.
    pub fn build(self, elements: Vec<Element>, outputs: Vec<Reading>) -> Result<System, BuildError> {
        let counts = Counts {
            bodies: self.design.bodies.len(),
            positions: self.numbering.nq,
            velocities: self.numbering.nv,
            inputs: self.mechanism.inputs.len(),
            parameters: self.mechanism.parameters.len(),
        };
        let all_valid = |found: Vec<String>| match found.is_empty() {
            true => Ok(()),
            false => Err(BuildError::Invalid(InvalidMechanism::of_texts(found))),
        };
        all_valid(counts.invalid_elements(&elements))?;
        let mut system = self.system(elements);
        all_valid(counts.invalid_readings(&system, &outputs))?;
        system.set_readings(outputs);
        let mut ws = Workspace::new(&system);
        let remarks = assembly::assemble(&mut system, &mut ws, AssemblyRemarks::default())?;
        system.report = assembly::report(&system, &ws, remarks);
        Ok(system)
    }

    /// The system in the design position, not assembled: blocks have no ranks yet. Sets the positions of the states of
    /// the elements. The system has no outputs.
    pub fn system(&self, elements: Vec<Element>) -> System {
        let Layout { mechanism, design, numbering, .. } = self;
        let Start { q, requests } = Start::new(self);
        let (guided, states) = driven(self);
        let loops = Loops::new(self, Constraints::new(self), &guided);
        let (elements, element_states) = with_states(elements, states);
        let initial = self.initial_state(&loops, &element_states, q);
        let clusters = self.clusters(&loops, &elements);
        let flexible = numbering.flexible.clone();
        System {
            name: mechanism.name.clone(),
            interface: Interface {
                inputs: mechanism.inputs.clone(),
                parameters: mechanism.parameters.clone(),
                rheonomic: guided.iter().any(|guided| guided.guide.is_in_time()),
                ..Interface::default()
            },
            gravity: mechanism.gravity,
            step: mechanism.step,
            integrator: mechanism.integrator,
            halving_scale: 1.0,
            step_halvings: mechanism.step_halvings,
            spectral_radius: mechanism.spectral_radius,
            augmented: mechanism.augmented,
            implicit: mechanism.implicit,
            start_time: mechanism.start_time,
            trim: false,
            origin: design.origin,
            nq: numbering.nq,
            nv: numbering.nv,
            slots: numbering.slots,
            armature: numbering.armature.clone(),
            auxiliary: element_states.end,
            element_states,
            cluster_map: cluster_map(&clusters, [design.bodies.len(), numbering.nv, loops.blocks.len()]),
            needs_reactions: false,
            shared: Vec::new(),
            propagation: match mechanism.integrator.scheme().linear_bodies {
                true => Propagation::new(&flexible, mechanism.step),
                false => Propagation::default(),
            },
            bodies: with_rods(design.bodies.clone(), &loops.rods),
            flexible,
            joint_of_tree: numbering.joint_of_tree.clone(),
            joints: numbering.joints.clone(),
            joint_places: with_cuts(numbering.joint_places.clone(), &loops.constraints),
            constraints: loops.constraints,
            rows: loops.rows,
            rods: loops.rods,
            blocks: loops.blocks,
            guided,
            clusters,
            free: loops.free,
            load_frictions: (0..elements.len()).filter(|&index| elements[index].load_friction().is_some()).collect(),
            elements,
            outputs: Vec::new(),
            filters: Vec::new(),
            requests,
            initial,
            report: Report::default(),
        }
    }

    /// The state in the design position `q` at rest, before the assembly.
    fn initial_state(&self, loops: &Loops, element_states: &Range<usize>, q: Vec<f64>) -> State {
        let Layout { mechanism, numbering, .. } = self;
        let implicit = mechanism.integrator.is_linearly_implicit();
        let augmented = mechanism.integrator.scheme().index_3;
        // Data that a scheme stores from its last step.
        let kept = |length: usize| vec![0.0; if implicit || augmented { length } else { 0 }];
        let elastic: usize = numbering.flexible.iter().map(Flexible::modes).sum();
        let (nv, blocks, time) = (numbering.nv, &loops.blocks, mechanism.start_time);
        let memory = Memory::new(element_states.len());
        State {
            time,
            q,
            v: vec![0.0; nv],
            auxiliary: vec![0.0; element_states.end],
            angles: Vec::new(),
            accelerations: kept(nv),
            offsets: kept(nv),
            last_step: kept(memory.mode_changes.start + if implicit { elastic } else { 0 }),
            multipliers: vec![0.0; if augmented { loops.rows.len() } else { 0 }],
            inputs: mechanism.inputs.iter().map(|input| input.start).collect(),
            input_slopes: vec![0.0; mechanism.inputs.len()],
            input_times: vec![time; mechanism.inputs.len()],
            parameters: mechanism.parameters.iter().map(|parameter| parameter.start).collect(),
            orders: blocks.iter().flat_map(|b| (0..b.rows.len() as u32).chain(0..b.coordinates.len() as u32)).collect(),
            pivots: vec![0.0; blocks.len()],
            growth_limits: vec![0.0; blocks.len()],
            least_change: vec![0; blocks.len()],
            near_singular: 0,
            repartitions: 0,
        }
    }

    /// Clusters that are eliminated together; none if the derivatives of all forces fill a mass matrix.
    fn clusters(&self, loops: &Loops, elements: &[Element]) -> Vec<Cluster> {
        let implicit = self.mechanism.integrator.is_linearly_implicit();
        if implicit && self.mechanism.implicit == Implicit::All {
            return Vec::new();
        }
        let on_moving = |element: &Element| {
            element.bodies().iter().map(|body| body.0).filter(|&body| body != 0).collect::<Vec<usize>>()
        };
        let together = if implicit { elements.iter().map(on_moving).collect() } else { Vec::new() };
        clusters(self, loops, &together)
    }
}

/// The elements with the positions of their states, which begin at `first`, and the range of these.
fn with_states(mut elements: Vec<Element>, first: usize) -> (Vec<Element>, Range<usize>) {
    let (mut end, mut patches) = (first, 0);
    for element in &mut elements {
        patches = element.place_patches(patches);
        element.place_states(end);
        end += element.states().len();
    }
    (elements, first..end)
}

/// The bodies with a third of the mass of every attached rod as point masses.
fn with_rods(mut bodies: Vec<Body>, rods: &[Rod]) -> Vec<Body> {
    for rod in rods {
        for (&body, point) in rod.bodies.iter().zip(&rod.points) {
            bodies[body].inertia += Inertia::new(rod.mass / 3.0, point, &Mat3::zeros());
        }
    }
    bodies
}

/// The joints with the constraints of the cut joints.
fn with_cuts(mut joints: Vec<JointPlace>, constraints: &[Constraint]) -> Vec<JointPlace> {
    for (index, constraint) in constraints.iter().enumerate() {
        if let Some(joint) = constraint.joint {
            joints[joint].cut = Some(index);
        }
    }
    joints
}
