//! Warnings about floating frames that are tangent to a freely rotating interface.
//!
//! A tangent frame has no deformation at its interface. If a joint lets the interface turn, the modes of a body with
//! many modes leave the frame little inertia. The terms of second order in the deformation can make it negative in
//! ordinary motion ([`crate::system::Fault::NoInertia`]). The interface is held if a prescribed motion, a spring or a
//! drive acts on the rotation of the joint, or if the joint has no rotational coordinate.

use crate::joint::TreeJoint;
use crate::system::{Flexible, System};
use alloc::{format, string::String, vec::Vec};

/// A warning for every body whose frame is tangent to an interface with a free rotation.
pub(super) fn loose(system: &System) -> Vec<String> {
    system.flexible.iter().filter_map(|body| loose_joint(system, body)).collect()
}

fn loose_joint(system: &System, body: &Flexible) -> Option<String> {
    let interface = body.tangent.as_ref()?;
    let at_frame = system.joint_places.iter().filter(|place| place.bodies.contains(&body.body));
    let mut turning = None;
    for place in at_frame {
        // A cut joint has no coordinate that could be held.
        let free = place.tree.map_or(place.cut.is_some(), |tree| turns_freely(system, &system.joints[tree]));
        if !free {
            return None;
        }
        turning = turning.or(Some(place.name.as_str()));
    }
    let cause = match turning {
        Some(joint) => format!("joint `{joint}` rotates freely there"),
        None => "no joint holds this interface".into(),
    };
    Some(format!(
        "the floating frame of `{}` is tangent to its interface \"{interface}\", but {cause}: deformation can make \
         the small inertia of this frame negative, which stops the simulation; set `frame = \"mean_axis\"` or hold \
         the interface",
        body.name
    ))
}

/// Whether the joint has an angle that is neither driven nor held by a force element.
fn turns_freely(system: &System, joint: &TreeJoint) -> bool {
    joint.v_range().enumerate().filter(|(k, _)| TreeJoint::is_rotation(joint.kind, *k)).any(|(_, v)| {
        let guided = system.guided.iter().any(|guided| guided.coordinate.velocity == v);
        let mut coordinates = system.elements.iter().flat_map(|element| element.coordinates());
        !guided && !coordinates.any(|coordinate| coordinate.velocity == v)
    })
}
