//! Bodies and joints as a graph: its spanning tree, and the numbering of the bodies along the tree.

use super::flexible;
use ballesta_model::elements;
use ballesta_model::flexible::BodyRef;
use ballesta_model::schema::{self, Model};
use ballesta_model::{Diagnostics, Document};
use ballesta_solver::joint::TreeJoint;
use ballesta_solver::topology::{self, Edge, Request, spanning_tree};

/// The graph of a mechanism. Vertices are the ground (0), rigid bodies, then the frame of every flexible body with its
/// links; edges are the joints of the file, then the links.
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
    /// Its first body in the file, or the frame of its flexible body, is the outboard one.
    pub(super) reversed: bool,
}

/// Origin of an edge.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A joint of the file.
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
    /// Rejects bodies without a path to the ground, and loops and joints that the tree cannot represent as the file
    /// requires.
    pub(super) fn new(document: &Document, flexible: &[flexible::Draft]) -> Result<Graph, Diagnostics> {
        let vertices = vertices(document, flexible);
        let mut edges = joint_edges(document, &vertices);
        let mut sources: Vec<Source> = (0..edges.len()).map(Source::Joint).collect();
        for (flexible, (body, draft)) in vertices.iter().zip(flexible).enumerate() {
            for (index, &interface) in draft.interfaces.iter().enumerate() {
                let second = body.interfaces[interface];
                edges.push(Edge { first: body.frame, second, freedom: 0, request: Request::Inseparable });
                sources.push(Source::Link { flexible, index });
            }
        }
        let links: usize = flexible.iter().map(|draft| 1 + draft.interfaces.len()).sum();
        let count = 1 + document.model.bodies.len() + links;
        let tree = spanning_tree(count, &edges);
        let mut numbers = vec![0; count];
        for (index, branch) in tree.branches.iter().enumerate() {
            numbers[branch.child] = index + 1;
        }
        let parents = std::iter::once(0).chain(tree.branches.iter().map(|branch| numbers[branch.parent])).collect();
        let branch = |branch: &topology::Branch| Branch {
            source: sources[branch.edge],
            reversed: edges[branch.edge].first == branch.child,
        };
        let branches = tree.branches.iter().map(branch).collect();
        let graph = Graph { vertices, edges, numbers, branches, parents };
        graph.check(document, &tree.cuts).into_result(graph)
    }

    /// Body of a name in the file.
    pub(super) fn body(&self, document: &Document, name: &str) -> usize {
        self.numbers[vertex(document, &self.vertices, name)]
    }

    /// Floating frame of a flexible body of the file.
    pub(super) fn frame(&self, index: usize) -> usize {
        self.numbers[self.vertices[index].frame]
    }

    /// Body at an interface of a flexible body.
    pub(super) fn interface(&self, index: usize, interface: usize) -> usize {
        self.numbers[self.vertices[index].interfaces[interface]]
    }

    /// The two bodies of a joint of the file.
    pub(super) fn ends(&self, joint: usize) -> [usize; 2] {
        [self.edges[joint].first, self.edges[joint].second].map(|vertex| self.numbers[vertex])
    }

    fn check(&self, document: &Document, cuts: &[usize]) -> Diagnostics {
        let model = &document.model;
        let mut diagnostics = Diagnostics::default();
        let mut report = |key, message, help| diagnostics.0.push(document.source.at(key, message, help));
        for &cut in cuts.iter().filter(|&&cut| self.edges[cut].request == Request::Tree) {
            let name = &model.joints[cut].name;
            if model.joints[cut].kind.row().curve {
                report(
                    format!("joint[{cut}]"),
                    format!("joint `{name}` runs along a curve, and no other joint of its loop can be cut"),
                    "insert a massless body: connect it by an `along_curve` joint on one side and a `spherical` or \
                     `revolute` joint on the other",
                );
                continue;
            }
            report(
                format!("joint[{cut}]"),
                format!(
                    "joint `{name}` must be cut to open its loop, but its coordinate is used or it has `cut = false`"
                ),
                "leave one joint of the loop free to be cut (no `cut = false`, no coordinate used by springs, drives \
                 or outputs)",
            );
        }
        let rigid = model.bodies.iter().enumerate();
        let rigid = rigid.map(|(index, body)| (format!("body[{index}]"), &body.name));
        let flexible = model.flexible_bodies.iter().enumerate();
        let flexible = flexible.map(|(index, body)| (format!("flexible_body[{index}]"), &body.name));
        for (key, name) in rigid.chain(flexible).filter(|(_, name)| self.body(document, name) == 0) {
            let help = "connect it by a joint (type \"floating\" if it moves freely)";
            report(key, format!("body `{name}` is not connected to the ground"), help);
        }
        for branch in self.branches.iter().filter(|branch| branch.reversed) {
            let Source::Joint(file) = branch.source else { continue };
            let joint = &model.joints[file];
            if joint.kind.is_free() {
                let message = format!("floating joint `{}` names its outboard body first", joint.name);
                report(format!("joint[{file}].bodies"), message, "write the body nearer to the ground first");
            }
        }
        diagnostics
    }
}

/// Vertex of a body of the file.
fn vertex(document: &Document, vertices: &[Vertices], name: &str) -> usize {
    match document.body_ref(name).expect("validated") {
        BodyRef::Ground => 0,
        BodyRef::Rigid(index) => index + 1,
        BodyRef::Frame(index) => vertices[index].frame,
        BodyRef::Interface(index, interface) => vertices[index].interfaces[interface],
    }
}

fn vertices(document: &Document, flexible: &[flexible::Draft]) -> Vec<Vertices> {
    let mut next = document.model.bodies.len();
    let mut number = || {
        next += 1;
        next
    };
    let of = |(draft, rom): (&flexible::Draft, &ballesta_model::rom::Rom)| {
        let frame = number();
        // No name refers to an interface without a link.
        let interface = |index| if draft.interfaces.contains(&index) { number() } else { frame };
        Vertices { frame, interfaces: (0..rom.interfaces.len()).map(interface).collect() }
    };
    flexible.iter().zip(&document.roms).map(of).collect()
}

fn joint_edges(document: &Document, vertices: &[Vertices]) -> Vec<Edge> {
    let used = joints_with_coordinates(&document.model);
    let edge = |joint: &schema::Joint| Edge {
        first: vertex(document, vertices, &joint.bodies[0]),
        second: vertex(document, vertices, &joint.bodies[1]),
        freedom: TreeJoint::freedom(joint.kind),
        request: match joint.cut {
            _ if joint.kind.row().curve || used.contains(&joint.name.as_str()) => Request::Tree,
            Some(true) => Request::Cut,
            Some(false) => Request::Tree,
            None => Request::Free,
        },
    };
    document.model.joints.iter().map(edge).collect()
}

/// Names of joints whose coordinates are referenced elsewhere: they must remain in the tree.
fn joints_with_coordinates(model: &Model) -> Vec<&str> {
    let mut used: Vec<&str> = Vec::new();
    used.extend(model.couplers.iter().flat_map(|c| c.coordinates.iter().map(|r| r.joint.as_str())));
    used.extend(model.racks.iter().flat_map(|r| [r.pinion.joint.as_str(), r.rack.joint.as_str()]));
    used.extend(model.guided.iter().map(|g| g.joint.as_str()));
    let of_elements = elements::TABLES.iter().flat_map(|table| (table.coordinates)(model));
    used.extend(of_elements.flat_map(|(_, on)| on).map(|(joint, _)| joint));
    let reaction = |q| matches!(q, schema::Quantity::ReactionForce | schema::Quantity::ReactionMoment);
    used.extend(model.outputs.iter().filter(|o| !reaction(o.quantity)).filter_map(|o| o.joint.as_deref()));
    let placed =
        |j: &&schema::Joint| j.independent || j.position.is_some() || j.position_deg.is_some() || j.speed.is_some();
    used.extend(model.joints.iter().filter(placed).map(|j| j.name.as_str()));
    used
}
