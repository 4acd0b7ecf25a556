//! Numbers of coordinates and columns: joints along the tree, then flexible bodies.

use super::design::Design;
use super::graph::{Branch, Graph, Source};
use super::{BodyRef, FlexibleBody, Joint};
use crate::joint::{JointKind, Link, Path, TreeJoint, Wheel};
use crate::math::Vec3;
use crate::system::{Flexible, JointPlace};
use alloc::{boxed::Box, vec::Vec};

/// Coordinates and their owners.
pub(super) struct Numbering {
    /// Positions.
    pub(super) nq: usize,
    /// Velocities.
    pub(super) nv: usize,
    /// Columns.
    pub(super) slots: usize,
    /// Armature of every velocity coordinate, kg m² or kg.
    pub(super) armature: Vec<f64>,
    pub(super) joints: Vec<TreeJoint>,
    /// The joint of the mechanism of every tree joint; `None` for links.
    pub(super) joint_of_tree: Vec<Option<usize>>,
    /// Result for every joint; constraints of cuts follow later.
    pub(super) joint_places: Vec<JointPlace>,
    pub(super) flexible: Vec<Flexible>,
}

impl Numbering {
    pub(super) fn new(joints: &[Joint], graph: &Graph, design: &Design, drafts: Vec<FlexibleBody>) -> Numbering {
        let joint_of = |branch: &Branch| match branch.source {
            Source::Joint(joint) => Some(joint),
            Source::Link { .. } => None,
        };
        let joint_of_tree: Vec<Option<usize>> = graph.branches.iter().map(joint_of).collect();
        let place = |(index, joint): (usize, &Joint)| JointPlace {
            name: joint.name.clone(),
            tree: joint_of_tree.iter().position(|&of| of == Some(index)),
            cut: None,
            bodies: graph.ends(index),
        };
        let joint_places = joints.iter().enumerate().map(place).collect();
        let kinds = || joint_of_tree.iter().flatten().map(|&joint| joints[joint].kind);
        let (mut nq, mut nv) = (kinds().map(TreeJoint::positions).sum(), kinds().map(TreeJoint::freedom).sum());
        let mut flexible: Vec<Flexible> = Vec::new();
        for (index, draft) in drafts.into_iter().enumerate() {
            let mut body = draft.matrices;
            let modes = body.stiffness.len();
            (body.body, body.q, body.v) = (graph.body(BodyRef::Frame(index)), nq..nq + modes, nv..nv + modes);
            for (link, &interface) in body.links.iter_mut().zip(&draft.links) {
                link.body = graph.body(BodyRef::Interface(index, interface));
            }
            (nq, nv) = (body.q.end, body.v.end);
            flexible.push(body);
        }
        let mut armature: Vec<f64> =
            joint_of_tree.iter().flatten().flat_map(|&joint| joints[joint].armature_per_speed()).collect();
        armature.resize(nv, 0.0);
        let (joints, slots) = tree_joints(joints, graph, design, &flexible, nv);
        Numbering { nq, nv, slots, armature, joints, joint_of_tree, joint_places, flexible }
    }
}

/// All tree joints and the number of columns. The columns of links, of their changes along curves and of the halves of
/// constant-velocity joints follow the columns of the `nv` velocity coordinates.
fn tree_joints(
    all: &[Joint],
    graph: &Graph,
    design: &Design,
    flexible: &[Flexible],
    nv: usize,
) -> (Vec<TreeJoint>, usize) {
    let (mut q, mut v, mut slots) = (0, 0, nv);
    let mut joints = Vec::new();
    for (branch, &parent) in graph.branches.iter().zip(&graph.parents[1..]) {
        let mut joint = TreeJoint {
            kind: JointKind::Fixed,
            reversed: branch.reversed,
            root: parent == 0,
            link: None,
            path: None,
            half: None,
            wheel: None,
            q,
            v,
            anchor_first: Vec3::zeros(),
            anchor_second: Vec3::zeros(),
            axes: [Vec3::zeros(); 3],
        };
        match branch.source {
            Source::Joint(index) => {
                joint.kind = all[index].kind;
                [joint.anchor_first, joint.anchor_second] = design.local_points(index, graph.ends(index));
                joint.axes = design.axes[index];
                if let Some((curve, start, frame)) = &design.curves[index] {
                    let frame = frame.clone().map(Box::new);
                    joint.path = Some(Path { curve: Box::new(curve.clone()), start: *start, frame, slot: slots });
                    slots += 1;
                }
                if joint.kind.is_bisecting() {
                    joint.half = Some(slots);
                    slots += 1;
                }
                if joint.kind.is_rolling() {
                    joint.wheel = Some(Wheel { radius: all[index].radius.unwrap_or_default(), slot: slots });
                    slots += 2;
                }
                (q, v) = (joint.q_range().end, joint.v_range().end);
            }
            Source::Link { flexible: body, index } => {
                let modes = flexible[body].modes();
                joint.link = Some(Link { flexible: body, index, modes, slot: slots });
                (joint.q, joint.v) = (flexible[body].q.start, flexible[body].v.start);
                slots += modes;
            }
        }
        joints.push(joint);
    }
    (joints, slots)
}
