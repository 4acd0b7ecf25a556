//! Bodies of a size that nobody builds: a file with lengths in mm has them, and nothing else of it is wrong.

use crate::system::System;

/// A distance from a centre of mass to a joint, m, beyond which the units of the file are doubted: twice that of the
/// longest rotor blades and masts.
const DOUBTFUL: f64 = 200.0;

/// The body that reaches farthest from its centre of mass to one of its joints or to the end of a rod, where that is
/// farther than bodies do. Of joints in the tree only those about a point count: the place of a slide or of a free body
/// says nothing of a size.
pub(crate) fn doubt(system: &System) -> Option<String> {
    let tree = system.joints.iter().enumerate().filter(|(_, joint)| joint.kind.turns_about_point());
    let tree = tree.flat_map(|(tree, joint)| {
        let anchors = if joint.reversed {
            [joint.anchor_second, joint.anchor_first]
        } else {
            [joint.anchor_first, joint.anchor_second]
        };
        let bodies = [system.bodies[tree + 1].parent, tree + 1];
        [0, 1].map(|end| (bodies[end], anchors[end].norm(), system.joint_name(tree)))
    });
    let loops = system.constraints.iter().flat_map(|constraint| {
        [0, 1].map(|end| (constraint.bodies[end], constraint.points[end].norm(), constraint.name.as_str()))
    });
    let reaches = tree.chain(loops).filter(|(body, _, _)| *body != 0);
    let (body, reach, joint) = reaches.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, reach, _)| *reach > DOUBTFUL)?;
    Some(format!(
        "body `{}` reaches {reach:.0} m from its centre of mass to `{joint}`: lengths are in m, not in mm",
        system.bodies[body].name,
    ))
}
