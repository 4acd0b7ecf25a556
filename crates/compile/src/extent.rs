//! Warnings about bodies of unrealistic size, the only visible error of a file with lengths in mm, and about small
//! bodies far from the start of their branch, whose accelerations have few digits.

use ballesta_solver::dynamics::articulated;
use ballesta_solver::math::elementary;
use ballesta_solver::system::{System, Workspace};

/// Distance from a centre of mass to a joint, m, above which a warning questions the units of the file: twice the
/// distance in the longest rotor blades and masts.
const DOUBTFUL: f64 = 200.0;

/// Remaining digits of an acceleration, of the 16 of double precision, below which a warning is given.
const DIGITS: f64 = 8.0;

/// The body whose inertia loses most digits to round-off, if too few digits remain. Called after an evaluation of the
/// accelerations; only the cancellation in the inertia itself counts.
pub fn lost_digits(system: &System, ws: &Workspace) -> Option<String> {
    let (ratio, joint) = articulated::cancellation(system, ws);
    let left = -elementary::ln(ratio * f64::EPSILON) / std::f64::consts::LN_10;
    (left < DIGITS).then(|| {
        let (body, name) = (&system.bodies[joint + 1].name, system.joint_name(joint));
        format!(
            "body `{body}`: only about {left:.0} of 16 digits of its acceleration are left, because its inertia at \
             joint `{name}` is a difference of terms {ratio:.0e} times as large; connect it to the ground by a \
             `floating` joint and set `cut = true` on joint `{name}`"
        )
    })
}

/// The body with the largest distance from its centre of mass to one of its joints or to the end of a rod, if that
/// distance exceeds the limit. Of joints in the tree only joints about a point count: the position of a slide or of a
/// free body has no relation to a size.
pub fn doubt(system: &System) -> Option<String> {
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
        "`{joint}` is {reach:.0} m from the centre of mass of body `{}`; lengths are in m, not in mm",
        system.bodies[body].name,
    ))
}

#[cfg(test)]
mod tests {

    use crate::compile;
    use ballesta_model as model;

    /// Warnings for a body of `size` m and 1 kg at the end of an arm of 100 m; `more`: further keys of its joint, and
    /// tables.
    fn warnings(size: f64, more: &str) -> Vec<String> {
        let second = 0.1 * size * size;
        let text = format!(
            "[model]\nname = \"far\"\nstep = 1e-4\n[[body]]\nname = \"arm\"\nmass = 1\ncom = [50, 0, 0]\n\
            inertia = [1, 800, 800, 0, 0, 0]\n[[body]]\nname = \"tip\"\nmass = 1\ncom = [100, {size:e}, 0]\n\
            inertia = [{second:e}, {second:e}, {second:e}, 0, 0, 0]\n[[joint]]\nname = \"root\"\ntype = \"revolute\"\n\
            bodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n[[joint]]\nname = \"end\"\n\
            type = \"revolute\"\nbodies = [\"arm\", \"tip\"]\npoint = [100, 0, 0]\naxis = [0, 0.6, 0.8]\n{more}"
        );
        let document = model::parse(&text, "model.toml").expect("a model");
        compile(&document, &[]).expect("it compiles").report().warnings.clone()
    }

    #[test]
    fn a_small_body_far_from_where_its_branch_begins_is_told_with_the_digits_that_are_left() {
        let told = warnings(1e-3, "");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("body `tip`: only about 5 of 16 digits"), "{told:?}");
        assert!(told[0].contains("at joint `end`"), "{told:?}");
        assert!(warnings(0.1, "").is_empty());
    }

    #[test]
    fn a_branch_of_its_own_keeps_the_digits_of_a_small_body() {
        let free = "cut = true\n[[joint]]\nname = \"free\"\ntype = \"floating\"\nbodies = [\"ground\", \"tip\"]\n";
        assert_eq!(warnings(1e-3, free), Vec::<String>::new());
    }
}
