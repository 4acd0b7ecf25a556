//! Bodies of a size that nobody builds: a file with lengths in mm has them, and nothing else of it is wrong.

use crate::model::schema::JointKind;
use crate::system::System;

/// A distance from a centre of mass to a joint, m, beyond which the units of the file are doubted: twice that of the longest
/// rotor blades and masts.
const DOUBTFUL: f64 = 200.0;

/// The body that reaches farthest from its centre of mass to the joint that carries it, where that is farther than bodies do. Only joints
/// about a point count: the place of a slide or of a free body says nothing of a size.
pub fn doubt(system: &System) -> Option<String> {
    let about_a_point = |kind| matches!(kind, JointKind::Revolute | JointKind::Universal | JointKind::Spherical);
    let reaches =
        system.joints.iter().enumerate().filter(|(_, joint)| joint.link.is_none() && about_a_point(joint.kind));
    let reaches = reaches.map(|(tree, joint)| {
        let anchor = if joint.reversed { joint.anchor_first } else { joint.anchor_second };
        (tree, anchor.norm())
    });
    let (tree, reach) = reaches.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, reach)| *reach > DOUBTFUL)?;
    Some(format!(
        "body `{}` reaches {reach:.0} m from its centre of mass to joint `{}`: lengths are in m, not in mm",
        system.bodies[tree + 1].name,
        system.joint_name(tree)
    ))
}
