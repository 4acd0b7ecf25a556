//! Spanning tree, numbers of bodies and coordinates, constant geometry of the tree.

use crate::force::Lookup;
use crate::joint::TreeJoint;
use crate::math::rotation::complement;
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::model::schema::{self, JointKind, Model};
use crate::model::{Diagnostics, Document};
use crate::system::names::Names;
use crate::system::{Body, JointPlace};
use crate::topology::{Edge, Wish, spanning_tree};

/// Spanning tree, numbers of bodies and coordinates; geometry follows in [`place_bodies`].
pub(super) fn number_tree<'a>(document: &'a Document, parameters: &'a [f64]) -> Result<Names<'a>, Diagnostics> {
    let model = &document.model;
    let file_body = |name: &str| model.bodies.iter().position(|body| body.name == name).map_or(0, |index| index + 1);
    let used = joints_with_coordinates(model);
    let edges: Vec<Edge> = model
        .joints
        .iter()
        .map(|joint| Edge {
            first: file_body(&joint.bodies[0]),
            second: file_body(&joint.bodies[1]),
            freedom: TreeJoint::freedom(joint.kind),
            wish: match joint.cut {
                _ if used.contains(&joint.name.as_str()) => Wish::Tree,
                Some(true) => Wish::Cut,
                Some(false) => Wish::Tree,
                None => Wish::Free,
            },
        })
        .collect();
    let tree = spanning_tree(model.bodies.len() + 1, &edges);

    let mut diagnostics = Diagnostics::default();
    for &cut in tree.cuts.iter().filter(|&&cut| edges[cut].wish == Wish::Tree) {
        let joint = &model.joints[cut];
        diagnostics.0.push(document.source.at(
            format!("joint[{cut}]"),
            format!("joint `{}` has to be cut to open its loop, but its coordinate is used or it has `cut = false`", joint.name),
            "leave one joint of the loop free to be cut (no `cut = false`, no coordinate used by springs, drives, outputs)",
        ));
    }
    let mut body_numbers = vec![0; model.bodies.len()];
    for (index, branch) in tree.branches.iter().enumerate() {
        body_numbers[branch.child - 1] = index + 1;
    }
    for (index, body) in model.bodies.iter().enumerate().filter(|(index, _)| body_numbers[*index] == 0) {
        diagnostics.0.push(document.source.at(
            format!("body[{index}]"),
            format!("body `{}` is not connected to the ground", body.name),
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
        let joint = &model.joints[branch.edge];
        joint_places[branch.edge].tree = Some(index);
        let reversed = edges[branch.edge].first == branch.child;
        if reversed && joint.kind == JointKind::Floating {
            diagnostics.0.push(document.source.at(
                format!("joint[{}].bodies", branch.edge),
                format!("floating joint `{}` names its outboard body first", joint.name),
                "write the body nearer to the ground first",
            ));
        }
        joints.push(TreeJoint {
            kind: joint.kind,
            reversed,
            root: branch.parent == 0,
            q,
            v,
            anchor_first: Vec3::zeros(),
            anchor_second: Vec3::zeros(),
            axes: [Vec3::zeros(); 3],
        });
        q += TreeJoint::positions(joint.kind);
        v += TreeJoint::freedom(joint.kind);
    }
    diagnostics.into_result(Names {
        model,
        roms: &document.roms,
        frame_numbers: vec![0; model.flexible_bodies.len()],
        parameters,
        origin: Vec3::zeros(),
        body_numbers,
        centres: vec![Vec3::zeros(); model.bodies.len() + 1],
        joints,
        joint_places,
    })
}

/// Names of joints whose coordinates something else refers to: they must stay in the tree.
fn joints_with_coordinates(model: &Model) -> Vec<&str> {
    let mut used: Vec<&str> = Vec::new();
    used.extend(model.couplers.iter().flat_map(|c| c.coordinates.iter().map(|r| r.joint.as_str())));
    used.extend(model.racks.iter().flat_map(|r| [r.pinion.joint.as_str(), r.rack.joint.as_str()]));
    used.extend(model.guided.iter().map(|g| g.joint.as_str()));
    used.extend(model.joint_springs.iter().map(|s| s.joint.as_str()));
    used.extend(model.bump_stops.iter().map(|s| s.joint.as_str()));
    used.extend(model.frictions.iter().map(|s| s.joint.as_str()));
    used.extend(model.drives.iter().map(|s| s.joint.as_str()));
    let reaction = |q| matches!(q, schema::Quantity::ReactionForce | schema::Quantity::ReactionMoment);
    used.extend(model.outputs.iter().filter(|o| !reaction(o.quantity)).filter_map(|o| o.joint.as_deref()));
    let placed =
        |j: &&schema::Joint| j.independent || j.position.is_some() || j.position_deg.is_some() || j.speed.is_some();
    used.extend(model.joints.iter().filter(placed).map(|j| j.name.as_str()));
    used
}

/// Design positions relative to the model's origin (the point of the first joint at the ground, so that digits are not
/// lost far from the world's origin), and the geometry of the tree joints.
pub(super) fn place_bodies(names: &mut Names) -> Vec<Body> {
    let model = names.model;
    if let Some(root) = names.joint_places.iter().position(|place| place.tree.is_some() && place.bodies.contains(&0)) {
        names.origin = joint_world(names, root);
    }
    let mut bodies =
        vec![Body { name: "ground".into(), parent: 0, mass: 0.0, inertia: Inertia::zero(), design: Vec3::zeros() }];
    for tree in 0..names.joints.len() {
        let file_joint = names.joint_places.iter().position(|place| place.tree == Some(tree)).unwrap_or(0);
        let place = &names.joint_places[file_joint];
        let [first, second] = place.bodies;
        let (parent, child) = if names.joints[tree].reversed { (second, first) } else { (first, second) };
        let file_body = names.body_numbers.iter().position(|&number| number == child).unwrap_or(0);
        let body = &model.bodies[file_body];
        let design = model.centre_of_mass(body).map_or(Vec3::zeros(), |place| names.place(place));
        names.centres[child] = design;
        let mass = names.number(&body.mass);
        let second_moment = body.inertia.as_ref().map_or(Mat3::zeros(), |values| {
            let [xx, yy, zz, xy, yz, xz] = [0, 1, 2, 3, 4, 5].map(|i| names.number(&values[i]));
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        });
        bodies.push(Body {
            name: body.name.clone(),
            parent,
            mass,
            inertia: Inertia { mass, first: Vec3::zeros(), second: second_moment },
            design,
        });
    }
    for tree in 0..names.joints.len() {
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
    let place = names.model.joint_place(joint);
    place.map_or(Vec3::zeros(), |place| names.world(place))
}

/// Joint point from the model's origin; default the centre of mass of the second body (of the first, if that is the ground).
pub(super) fn joint_point(names: &Names, file_joint: usize) -> Vec3 {
    let [first, second] = names.joint_places[file_joint].bodies;
    let default = names.centres[if second == 0 { first } else { second }];
    names.model.joints[file_joint].point.as_ref().map_or(default, |place| names.place(place))
}

/// Unit axes of a joint in the sense of [`TreeJoint::axes`].
pub(super) fn joint_axes(names: &Names, file_joint: usize) -> [Vec3; 3] {
    let joint = &names.model.joints[file_joint];
    let Some(axis) = joint.axis.as_ref().map(|axis| names.direction(axis)) else {
        return [Vec3::x(), Vec3::y(), Vec3::z()];
    };
    let second = joint.second_axis.as_ref().map(|second| names.vector(second));
    let helper = match (joint.kind, second) {
        (JointKind::Universal | JointKind::Planar, Some(second)) => Some(second),
        (JointKind::Planar, None) if axis.x.abs() < 0.9 => Some(Vec3::x()),
        (JointKind::Planar, None) => Some(Vec3::y()),
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
