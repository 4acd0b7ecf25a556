//! Bodies and joints as a graph: its spanning tree, and the numbering of the bodies along the tree.

use super::{BodyRef, ConnectionKind, Defect, FlexibleBody, Joint, JointRef, Mechanism};
use crate::joint::TreeJoint;
use crate::topology::{self, Edge, Request, spanning_tree};
use alloc::{vec, vec::Vec};

/// The graph of a mechanism. Vertices are the ground (0), rigid bodies, then the frame of every flexible body with its
/// links; edges are the joints, then the links.
pub(super) struct Graph {
    /// Vertices of the flexible bodies.
    vertices: Vec<Vertices>,
    edges: Vec<Edge>,
    /// Body at every vertex.
    numbers: Vec<usize>,
    /// The spanning tree: branch `j` is tree joint `j` and carries body `j + 1`.
    pub(super) branches: Vec<Branch>,
    /// Inboard body of every body.
    pub(super) parents: Vec<usize>,
}

/// A tree joint.
pub(super) struct Branch {
    pub(super) source: Source,
    /// Its first body, or the frame of its flexible body, is the outboard one.
    pub(super) reversed: bool,
}

/// Origin of an edge.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A joint of the mechanism.
    Joint(usize),
    /// A link of a flexible body.
    Link { flexible: usize, index: usize },
}

/// Vertices that belong to a flexible body.
struct Vertices {
    /// Its frame.
    frame: usize,
    /// Its interfaces, in the order of the reduced-order model; the frame if it is tangent there or nothing is
    /// attached.
    interfaces: Vec<usize>,
}

impl Graph {
    /// Rejects bodies without a path to the ground, and loops and joints that the tree cannot represent as requested.
    pub(super) fn new(mechanism: &Mechanism) -> Result<Graph, Vec<Defect>> {
        let flexible = &mechanism.flexible;
        let vertices = vertices(mechanism.bodies.len(), flexible);
        let mut edges = joint_edges(mechanism, &vertices);
        let mut sources: Vec<Source> = (0..edges.len()).map(Source::Joint).collect();
        for (flexible, (body, draft)) in vertices.iter().zip(flexible).enumerate() {
            for (index, &interface) in draft.links.iter().enumerate() {
                let second = body.interfaces[interface];
                edges.push(Edge { first: body.frame, second, freedom: 0, request: Request::Inseparable });
                sources.push(Source::Link { flexible, index });
            }
        }
        let links: usize = flexible.iter().map(|body| 1 + body.links.len()).sum();
        let count = 1 + mechanism.bodies.len() + links;
        let tree = spanning_tree(count, &edges);
        let mut numbers = vec![0; count];
        for (index, branch) in tree.branches.iter().enumerate() {
            numbers[branch.child] = index + 1;
        }
        let parents = core::iter::once(0).chain(tree.branches.iter().map(|branch| numbers[branch.parent])).collect();
        let branch = |branch: &topology::Branch| Branch {
            source: sources[branch.edge],
            reversed: edges[branch.edge].first == branch.child,
        };
        let branches = tree.branches.iter().map(branch).collect();
        let graph = Graph { vertices, edges, numbers, branches, parents };
        let defects = graph.defects(mechanism, &tree.cuts);
        if defects.is_empty() { Ok(graph) } else { Err(defects) }
    }

    /// Number of a body.
    pub(super) fn body(&self, body: BodyRef) -> usize {
        self.numbers[vertex(&self.vertices, body)]
    }

    /// The two bodies of a joint.
    pub(super) fn ends(&self, joint: usize) -> [usize; 2] {
        [self.edges[joint].first, self.edges[joint].second].map(|vertex| self.numbers[vertex])
    }

    fn defects(&self, mechanism: &Mechanism, cuts: &[usize]) -> Vec<Defect> {
        let must_stay = |cut: &&usize| self.edges[**cut].request == Request::Tree;
        let mut defects: Vec<Defect> =
            cuts.iter().filter(must_stay).map(|&cut| Defect::MustBeCut(JointRef(cut))).collect();
        let rigid = (0..mechanism.bodies.len()).map(BodyRef::Rigid);
        let flexible = (0..mechanism.flexible.len()).map(BodyRef::Frame);
        let loose = rigid.chain(flexible).filter(|&body| self.body(body) == 0);
        defects.extend(loose.map(Defect::NotConnected));
        let reversed = self.branches.iter().filter(|branch| branch.reversed);
        let outboard_first = reversed.filter_map(|branch| match branch.source {
            Source::Joint(joint) if mechanism.joints[joint].kind.is_free() => {
                Some(Defect::OutboardFirst(JointRef(joint)))
            }
            _ => None,
        });
        defects.extend(outboard_first);
        defects
    }
}

fn vertex(vertices: &[Vertices], body: BodyRef) -> usize {
    match body {
        BodyRef::Ground => 0,
        BodyRef::Rigid(index) => index + 1,
        BodyRef::Frame(index) => vertices[index].frame,
        BodyRef::Interface(index, interface) => vertices[index].interfaces[interface],
    }
}

fn vertices(rigid: usize, flexible: &[FlexibleBody]) -> Vec<Vertices> {
    let mut next = rigid;
    let mut number = || {
        next += 1;
        next
    };
    let of = |body: &FlexibleBody| {
        let frame = number();
        // No reference leads to an interface without a link.
        let interface = |index| if body.links.contains(&index) { number() } else { frame };
        Vertices { frame, interfaces: (0..body.interfaces).map(interface).collect() }
    };
    flexible.iter().map(of).collect()
}

fn joint_edges(mechanism: &Mechanism, vertices: &[Vertices]) -> Vec<Edge> {
    let used = joints_with_coordinates(mechanism);
    let edge = |(index, joint): (usize, &Joint)| Edge {
        first: vertex(vertices, joint.bodies[0]),
        second: vertex(vertices, joint.bodies[1]),
        freedom: TreeJoint::freedom(joint.kind),
        request: if joint.kind.row().curve || joint.kind.is_rolling() || used.contains(&index) {
            Request::Tree
        } else {
            joint.request
        },
    };
    mechanism.joints.iter().enumerate().map(edge).collect()
}

/// Joints whose coordinates are used within the mechanism: they must remain in the tree.
fn joints_with_coordinates(mechanism: &Mechanism) -> Vec<usize> {
    let mut used: Vec<usize> = mechanism.driven.iter().map(|driven| driven.coordinate.joint.0).collect();
    for connection in &mechanism.connections {
        if let ConnectionKind::Coupler { terms, .. } = &connection.kind {
            used.extend(terms.iter().map(|(coordinate, _)| coordinate.joint.0));
        }
    }
    let placed = |joint: &Joint| {
        let has_start = !joint.position.is_empty() || !joint.speed.is_empty();
        joint.independent || has_start || joint.armature.iter().any(|armature| *armature != 0.0)
    };
    used.extend((0..mechanism.joints.len()).filter(|&joint| placed(&mechanism.joints[joint])));
    used
}
