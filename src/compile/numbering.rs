//! Spanning tree, numbers of bodies and coordinates, constant geometry of the tree.

use super::flexible;
use super::names::{Names, Sizes, Vertices, vertex};
use crate::force::Lookup;
use crate::joint::{Link, TreeJoint};
use crate::math::rotation::complement;
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::model::coordinates::SecondAxis;
use crate::model::elements;
use crate::model::flexible::BodyRef;
use crate::model::schema::{self, JointKind, Model};
use crate::model::{Diagnostics, Document};
use crate::system::{Body, JointPlace};
use crate::topology::{Edge, Request, spanning_tree};

/// Spanning tree, numbers of bodies and coordinates; geometry follows in [`place_bodies`].
pub(super) fn number_tree<'a>(
    document: &'a Document,
    parameters: &'a [f64],
    flexible: &mut [flexible::Draft],
) -> Result<Names<'a>, Diagnostics> {
    let model = &document.model;
    let vertices = vertices(document, flexible);
    let file_body = |name: &str| vertex(document, &vertices, name);
    let used = joints_with_coordinates(model);
    let mut edges: Vec<Edge> = model
        .joints
        .iter()
        .map(|joint| Edge {
            first: file_body(&joint.bodies[0]),
            second: file_body(&joint.bodies[1]),
            freedom: TreeJoint::freedom(joint.kind),
            request: match joint.cut {
                _ if used.contains(&joint.name.as_str()) => Request::Tree,
                Some(true) => Request::Cut,
                Some(false) => Request::Tree,
                None => Request::Free,
            },
        })
        .collect();
    // Flexible body and link of every edge behind those of the joints.
    let mut links = Vec::new();
    for (index, body) in vertices.iter().enumerate() {
        for (link, &interface) in flexible[index].interfaces.iter().enumerate() {
            let second = body.interfaces[interface];
            edges.push(Edge { first: body.frame, second, freedom: 0, request: Request::Inseparable });
            links.push((index, link));
        }
    }
    let count = model.bodies.len() + flexible.iter().map(|draft| 1 + draft.interfaces.len()).sum::<usize>();
    let tree = spanning_tree(count + 1, &edges);

    let mut diagnostics = Diagnostics::default();
    for &cut in tree.cuts.iter().filter(|&&cut| edges[cut].request == Request::Tree) {
        let joint = &model.joints[cut];
        diagnostics.0.push(document.source.at(
            format!("joint[{cut}]"),
            format!("joint `{}` has to be cut to open its loop, but its coordinate is used or it has `cut = false`", joint.name),
            "leave one joint of the loop free to be cut (no `cut = false`, no coordinate used by springs, drives, outputs)",
        ));
    }
    let mut body_numbers = vec![0; count];
    for (index, branch) in tree.branches.iter().enumerate() {
        body_numbers[branch.child - 1] = index + 1;
    }
    let rigid = model.bodies.iter().enumerate().map(|(index, body)| (format!("body[{index}]"), &body.name, index));
    let frames = model.flexible_bodies.iter().zip(&vertices).enumerate();
    let frames =
        frames.map(|(index, (body, vertices))| (format!("flexible_body[{index}]"), &body.name, vertices.frame - 1));
    for (key, name, _) in rigid.chain(frames).filter(|(_, _, vertex)| body_numbers[*vertex] == 0) {
        diagnostics.0.push(document.source.at(
            key,
            format!("body `{name}` is not connected to the ground"),
            "connect it by a joint (type \"floating\" if it moves freely)",
        ));
    }
    let number = |file: usize| if file == 0 { 0 } else { body_numbers[file - 1] };
    let mut joint_places: Vec<JointPlace> = model
        .joints
        .iter()
        .zip(&edges)
        .map(|(joint, edge)| JointPlace {
            name: joint.name.clone(),
            tree: None,
            cut: None,
            bodies: [number(edge.first), number(edge.second)],
        })
        .collect();
    let (mut q, mut v) = (0, 0);
    let mut joints = Vec::new();
    for (index, branch) in tree.branches.iter().enumerate() {
        let reversed = edges[branch.edge].first == branch.child;
        let mut tree_joint = TreeJoint {
            kind: JointKind::Fixed,
            reversed,
            root: branch.parent == 0,
            link: None,
            q: 0,
            v: 0,
            anchor_first: Vec3::zeros(),
            anchor_second: Vec3::zeros(),
            axes: [Vec3::zeros(); 3],
        };
        if let Some(joint) = model.joints.get(branch.edge) {
            joint_places[branch.edge].tree = Some(index);
            if reversed && joint.kind.is_free() {
                diagnostics.0.push(document.source.at(
                    format!("joint[{}].bodies", branch.edge),
                    format!("floating joint `{}` names its outboard body first", joint.name),
                    "write the body nearer to the ground first",
                ));
            }
            (tree_joint.kind, tree_joint.q, tree_joint.v) = (joint.kind, q, v);
            q += TreeJoint::positions(joint.kind);
            v += TreeJoint::freedom(joint.kind);
        }
        joints.push(tree_joint);
    }
    for (body, draft) in vertices.iter().zip(flexible.iter_mut()) {
        let modes = draft.flexible.stiffness.len();
        draft.flexible.body = number(body.frame);
        (draft.flexible.q, draft.flexible.v) = (q..q + modes, v..v + modes);
        for (link, &interface) in draft.flexible.links.iter_mut().zip(&draft.interfaces) {
            link.body = number(body.interfaces[interface]);
        }
        q += modes;
        v += modes;
    }
    let (nq, nv, mut slots) = (q, v, v);
    for (tree_joint, branch) in joints.iter_mut().zip(&tree.branches) {
        let Some(&(index, link)) = branch.edge.checked_sub(model.joints.len()).and_then(|at| links.get(at)) else {
            continue;
        };
        let body = &flexible[index].flexible;
        let modes = body.modes();
        tree_joint.link = Some(Link { flexible: index, index: link, modes, slot: slots });
        (tree_joint.q, tree_joint.v) = (body.q.start, body.v.start);
        slots += modes;
    }
    diagnostics.into_result(Names {
        document,
        model,
        frame_numbers: vertices.iter().map(|body| number(body.frame)).collect(),
        parameters,
        origin: Vec3::zeros(),
        body_numbers,
        vertices,
        centres: vec![Vec3::zeros(); count + 1],
        joints,
        joint_places,
        sizes: Sizes { nq, nv, slots },
        roads: Vec::new(),
    })
}

/// Numbers of vertices for the flexible bodies, behind the rigid ones.
fn vertices(document: &Document, flexible: &[flexible::Draft]) -> Vec<Vertices> {
    let mut next = document.model.bodies.len();
    let mut number = || {
        next += 1;
        next
    };
    let of = |(draft, rom): (&flexible::Draft, &crate::rom::Rom)| {
        let frame = number();
        // Nobody names an interface without a link.
        let interface = |index| if draft.interfaces.contains(&index) { number() } else { frame };
        Vertices { frame, interfaces: (0..rom.interfaces.len()).map(interface).collect() }
    };
    flexible.iter().zip(&document.roms).map(of).collect()
}

/// Names of joints whose coordinates something else refers to: they must stay in the tree.
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

/// Design positions relative to the model's origin (the point of the first joint at the ground, so that digits are not
/// lost far from the world's origin), and the geometry of the tree joints.
pub(super) fn place_bodies(names: &mut Names, flexible: &[flexible::Draft]) -> Vec<Body> {
    let model = names.model;
    if let Some(root) = names.joint_places.iter().position(|place| place.tree.is_some() && place.bodies.contains(&0)) {
        names.origin = joint_world(names, root);
    }
    let ground = Body { name: "ground".into(), parent: 0, mass: 0.0, inertia: Inertia::zero(), design: Vec3::zeros() };
    let mut bodies = vec![ground; names.joints.len() + 1];
    for (file_body, body) in model.bodies.iter().enumerate() {
        let number = names.body_numbers[file_body];
        let design = model.centre_of_mass(body).map_or(Vec3::zeros(), |place| names.place(place));
        let mass = names.number(&body.mass);
        let second_moment = body.inertia.as_ref().map_or(Mat3::zeros(), |values| {
            let [xx, yy, zz, xy, yz, xz] = [0, 1, 2, 3, 4, 5].map(|i| names.number(&values[i]));
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        });
        let inertia = Inertia { mass, first: Vec3::zeros(), second: second_moment };
        bodies[number] = Body { name: body.name.clone(), parent: 0, mass, inertia, design };
    }
    for draft in flexible {
        // The mass of a flexible body moves with its deformation: it is not that of a rigid body.
        let massless = |name: &str, design: Vec3| Body {
            name: name.into(),
            parent: 0,
            mass: 0.0,
            inertia: Inertia::zero(),
            design: design - names.origin,
        };
        bodies[draft.flexible.body] = massless(&draft.flexible.name, draft.centre);
        for (link, place) in draft.flexible.links.iter().zip(&draft.places) {
            bodies[link.body] = massless(&link.name, *place);
        }
    }
    for (number, body) in bodies.iter().enumerate() {
        names.centres[number] = body.design;
    }
    for (tree, joint) in names.joints.iter().enumerate() {
        bodies[tree + 1].parent = match joint.link {
            Some(link) => {
                let body = &flexible[link.flexible].flexible;
                if joint.reversed { body.links[link.index].body } else { body.body }
            }
            None => {
                let file_joint = names.joint_places.iter().position(|place| place.tree == Some(tree)).unwrap_or(0);
                names.joint_places[file_joint].bodies[usize::from(joint.reversed)]
            }
        };
    }
    for tree in 0..names.joints.len() {
        if names.joints[tree].link.is_some() {
            continue;
        }
        let file_joint = names.joint_places.iter().position(|place| place.tree == Some(tree)).unwrap_or(0);
        let (point, axes) = (joint_point(names, file_joint), joint_axes(names, file_joint));
        let [first, second] = names.joint_places[file_joint].bodies;
        let (anchor_first, anchor_second) = (point - names.centres[first], point - names.centres[second]);
        let joint = &mut names.joints[tree];
        (joint.anchor_first, joint.anchor_second, joint.axes) = (anchor_first, anchor_second, axes);
    }
    bodies
}

/// World position of a joint that needs no centre of mass of its own bodies, for the model's origin.
fn joint_world(names: &Names, file_joint: usize) -> Vec3 {
    let joint = &names.model.joints[file_joint];
    names.document.joint_design(joint, names.parameters).unwrap_or_default()
}

/// Joint point from the model's origin; default the interface that the joint names, else the centre of mass of the second body
/// (of the first, if that is the ground).
pub(super) fn joint_point(names: &Names, file_joint: usize) -> Vec3 {
    let [first, second] = names.joint_places[file_joint].bodies;
    let default = names.centres[if second == 0 { first } else { second }];
    let joint = &names.model.joints[file_joint];
    let interface = |name: &String| matches!(names.document.body_ref(name), Some(BodyRef::Interface(..)));
    if joint.point.is_none() && !joint.bodies.iter().any(interface) {
        return default;
    }
    names.document.joint_design(joint, names.parameters).map_or(default, |point| point - names.origin)
}

/// Unit axes of a joint in the sense of [`TreeJoint::axes`].
pub(super) fn joint_axes(names: &Names, file_joint: usize) -> [Vec3; 3] {
    let joint = &names.model.joints[file_joint];
    let Some(axis) = joint.axis.as_ref().map(|axis| names.direction(axis)) else {
        return [Vec3::x(), Vec3::y(), Vec3::z()];
    };
    let second = joint.second_axis.as_ref().map(|second| names.vector(second));
    let helper = match (joint.kind.row().second_axis, second) {
        (SecondAxis::Needed | SecondAxis::Optional, Some(second)) => Some(second),
        (SecondAxis::Optional, None) if axis.x.abs() < 0.9 => Some(Vec3::x()),
        (SecondAxis::Optional, None) => Some(Vec3::y()),
        _ => None,
    };
    match helper {
        Some(helper) => {
            let second = (helper - axis * helper.dot(&axis)).normalize();
            [axis, second, axis.cross(&second)]
        }
        None => {
            let (second, third) = complement(&axis);
            [axis, second, third]
        }
    }
}
