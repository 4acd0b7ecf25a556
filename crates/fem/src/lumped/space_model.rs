//! A chain with any joint in its elements as a model file.

use super::element::ElementJoint;
use super::model::{before, input, position, settings, spring, tidy};
use super::{Beam, ModelOptions, SpaceChain};
use ballesta::math::Vec3;
use ballesta::model::schema::{
    Bushing, Force, Joint, JointKind, JointSpring, Model, Output, Quantity, Torque, numbers,
};
use ballesta::rom::elastic_modes::ModesError;

/// Loads at the tip: the corresponding motion, force or torque, component, name of the input.
const LOADS: [(usize, bool, usize, &str); 4] = [
    (0, true, 0, "tip.axial_force"),
    (5, true, 1, "tip.force"),
    (4, true, 2, "tip.side_force"),
    (3, false, 0, "tip.torque"),
];

impl Beam {
    /// The text of a `model.toml` like [`Beam::lumped_model`], with this joint in the elements: springs by `[k]` = Jᵀ K
    /// J, an input for every load at the tip that can deform the chain. The options for planes and for the spring at
    /// the support are not used.
    ///
    /// # Errors
    /// See [`SpaceChain::frequencies_hz`].
    pub fn lumped_model_with(&self, joint: ElementJoint, options: &ModelOptions) -> Result<String, ModesError> {
        let chain = SpaceChain::new(self, options.elements, joint, options.tip_mass, options.tip_inertia);
        let families = chain.frequencies_hz()?;
        let all = || families.iter().flat_map(|(_, hertz)| hertz.iter().copied());
        let (first, highest) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        let description = format!("Cantilever beam as a chain of rigid bodies with {} elements", joint.word());
        let gravity = [0.0, options.gravity, 0.0];
        let (mut model, beta) = settings(&options.name, &description, gravity, [first, highest], options.damping_ratio);
        let element = self.length / options.elements as f64;
        let springs = self.joint_stiffness(joint, element, 0.5 * element);
        let springs: Vec<f64> = (0..springs.nrows()).map(|i| tidy(springs[(i, i)])).collect();
        let head = format!(
            "A beam of {} m as a chain of {} elements (Ghidella et al.): a {} in the middle of each, with the \
             stiffness J^T K J.\n\
             Written by `ballesta lump`. First frequency of the chain: {first:.6} Hz.\n",
            self.length,
            options.elements,
            match joint {
                ElementJoint::Bushing => "bushing".to_string(),
                other => format!("{} joint", other.word()),
            },
        );
        self.add_points(&chain.joints, &mut model);
        for body in 0..options.elements {
            let (start, end) = chain.ends(body);
            self.add_piece(body + 1, 0.5 * (start + end), end - start, &mut model);
            model.joints.push(joint_before(joint, body + 1));
            add_springs(joint, body + 1, &springs, beta, &mut model);
        }
        options.add_tip(options.elements, &mut model);
        add_loads(joint, options, &mut model);
        add_outputs(joint, options.elements, &mut model);
        Ok(ballesta::model::write(&model, &head, &[]))
    }
}

/// Inputs and loads at the tip for the motions of the joints.
fn add_loads(joint: ElementJoint, options: &ModelOptions, model: &mut Model) {
    let body = format!("body_{}", options.elements);
    let [mut force, mut torque] = [numbers([0.0; 3]), numbers([0.0; 3])];
    for (motion, is_force, component, name) in LOADS.iter().filter(|(motion, ..)| joint.motions().contains(motion)) {
        let start = if *motion == 5 { options.tip_force } else { 0.0 };
        let (unit, kind) = if *is_force { ("N", "Force") } else { ("N.m", "Torque") };
        let axis = ["x", "y", "z"][*component];
        model.inputs.push(input(name, unit, start, format!("{kind} at the tip along {axis}")));
        (if *is_force { &mut force } else { &mut torque })[*component] = (*name).into();
    }
    if force != numbers([0.0; 3]) {
        model.forces.push(Force::new("tip", &body, "tip", force));
    }
    if torque != numbers([0.0; 3]) {
        model.torques.push(Torque::new("tip_torque", &body, torque));
    }
}

/// The joint before the body with this number.
fn joint_before(joint: ElementJoint, number: usize) -> Joint {
    let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| Some(numbers(axis)));
    let (kind, [axis, second_axis]) = match joint {
        ElementJoint::Revolute => (JointKind::Revolute, [z, None]),
        ElementJoint::Universal => (JointKind::Universal, [z, y]),
        ElementJoint::Spherical => (JointKind::Spherical, [None, None]),
        ElementJoint::Prismatic => (JointKind::Prismatic, [x, None]),
        ElementJoint::Cylindrical => (JointKind::Cylindrical, [x, None]),
        ElementJoint::Planar => (JointKind::Planar, [z, x]),
        // The bushing between the bodies is a force element; the bodies float.
        ElementJoint::Bushing => (JointKind::Floating, [None, None]),
    };
    let name = format!("joint_{number}");
    let first = if kind == JointKind::Floating { "ground".into() } else { before(number) };
    let has_point = !matches!(kind, JointKind::Floating | JointKind::Prismatic);
    let point = has_point.then(|| name.as_str().into());
    Joint { point, axis, second_axis, ..Joint::new(name, kind, [first, format!("body_{number}")]) }
}

/// The springs of one joint, whose stiffnesses are given in the order of its motions.
fn add_springs(joint: ElementJoint, number: usize, springs: &[f64], beta: f64, model: &mut Model) {
    let name = format!("joint_{number}");
    if matches!(joint, ElementJoint::Spherical | ElementJoint::Bushing) {
        // Held translations of a spherical joint have no spring.
        let mut six = [0.0; 6];
        joint.motions().iter().zip(springs).for_each(|(motion, stiffness)| six[*motion] = *stiffness);
        let list = |factor: f64| numbers(six.map(|k| tidy(factor * k)));
        let bodies = [before(number), format!("body_{number}")];
        model.bushings.push(Bushing {
            axis: Some(numbers(Vec3::x())),
            second_axis: Some(numbers(Vec3::y())),
            damping: (beta > 0.0).then(|| list(beta)),
            ..Bushing::new(format!("bushing_{number}"), bodies, name.as_str(), list(1.0))
        });
        return;
    }
    for (motion, stiffness) in joint.motions().iter().zip(springs) {
        let coordinate = match (joint, motion) {
            (ElementJoint::Planar, 0) => "x",
            (ElementJoint::Planar, 1) => "y",
            (ElementJoint::Universal, 4) => "second_angle",
            (_, 0) => "travel",
            _ => "angle",
        };
        let of_joint = spring(format!("{coordinate}_{number}"), &name, *stiffness, beta);
        model.joint_springs.push(JointSpring { coordinate: Some(coordinate.into()), ..of_joint });
    }
}

/// Motion of the tip, and load of the support.
fn add_outputs(joint: ElementJoint, last: usize, model: &mut Model) {
    let body = format!("body_{last}");
    model.outputs.push(position("tip", &body, "tip"));
    model.outputs.push(Output { body: Some(body), ..Output::new("tip.rotation", Quantity::Rotation) });
    let (joint, bushing, quantities) = match joint {
        ElementJoint::Bushing => (None, Some("bushing_1".to_string()), [Quantity::Force, Quantity::Torque]),
        _ => (Some("joint_1".to_string()), None, [Quantity::ReactionForce, Quantity::ReactionMoment]),
    };
    model.outputs.extend(["root.force", "root.moment"].into_iter().zip(quantities).map(|(name, quantity)| Output {
        joint: joint.clone(),
        bushing: bushing.clone(),
        ..Output::new(name, quantity)
    }));
    model.outputs.extend(Output::diagnostics());
}
