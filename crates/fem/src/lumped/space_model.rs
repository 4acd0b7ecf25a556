//! A chain with any joint in its elements as a model file.

use super::element::ElementJoint;
use super::model::{angular, reports, round_down, tidy};
use super::{Beam, ModelOptions, SpaceChain};
use ballesta::rom::elastic_modes::ModesError;
use std::fmt::Write;

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
        let (first, highest) = (angular(all().fold(f64::INFINITY, f64::min)), angular(all().fold(0.0, f64::max)));
        // Damping per stiffness.
        let beta = 2.0 * options.damping_ratio / first;
        let step = round_down(1.4 / highest.max(beta * highest * highest));
        // Two periods of the first mode, in whole twentieths of a second.
        let stop = (20.0 * 4.0 * std::f64::consts::PI / first).ceil().max(2.0) / 20.0;
        let element = self.length / options.elements as f64;
        let springs = self.joint_stiffness(joint, element, 0.5 * element);
        let springs: Vec<f64> = (0..springs.nrows()).map(|i| tidy(springs[(i, i)])).collect();
        let loads: Vec<_> = LOADS.iter().filter(|(motion, ..)| joint.motions().contains(motion)).collect();

        // Writing into a String does not fail.
        let mut text = String::new();
        let _ = write!(
            text,
            "# A beam of {} m as a chain of {} elements (Ghidella et al.): a {} in the middle of each, with the \
             stiffness J^T K J.\n\
             # Written by `ballesta lump`. First frequency of the chain: {:.6} Hz.\n\
             \n[model]\nname = {:?}\ndescription = \"Cantilever beam as a chain of rigid bodies with {} elements\"\n\
             gravity = [0, {:?}, 0]\nstep = {step:?}\nintegrator = \"rk4\"\n\
             \n[experiment]\nstop = {stop:?}\nstep = {:?}\n\n[points]\ntip = [{:?}, 0, 0]\n",
            self.length,
            options.elements,
            match joint {
                ElementJoint::Bushing => "bushing".to_string(),
                other => format!("{} joint", other.word()),
            },
            first / (2.0 * std::f64::consts::PI),
            options.name,
            joint.word(),
            options.gravity + 0.0,
            (1e-3_f64).max(step),
            self.length
        );
        for (i, x) in chain.joints.iter().enumerate() {
            let _ = writeln!(text, "joint_{} = [{:?}, 0, 0]", i + 1, tidy(*x));
        }
        for body in 0..options.elements {
            let (start, end) = chain.ends(body);
            let [mass, .., xx, yy, zz] = self.piece(end - start).map(tidy);
            let number = body + 1;
            let before = if body == 0 { "ground".to_string() } else { format!("body_{body}") };
            let _ = write!(
                text,
                "\n[[body]]\nname = \"body_{number}\"\nmass = {mass:?}\ncom = [{:?}, 0, 0]\n\
                 inertia = [{xx:?}, {yy:?}, {zz:?}, 0, 0, 0]\n\n{}",
                tidy(0.5 * (start + end)),
                joint_table(joint, number, &before)
            );
            text.push_str(&spring_tables(joint, number, &before, &springs, beta));
        }
        text.push_str(&self.tip(options, &loads));
        text.push_str(&outputs(joint));
        text.push_str(&reports());
        Ok(text)
    }

    /// Mass, inputs and loads at the tip.
    fn tip(&self, options: &ModelOptions, loads: &[&(usize, bool, usize, &str)]) -> String {
        let last = options.elements;
        let mut text = options.tip(last);
        let (mut force, mut torque) = ([const { String::new() }; 3], [const { String::new() }; 3]);
        for (motion, is_force, component, name) in loads {
            let start = if *motion == 5 { options.tip_force + 0.0 } else { 0.0 };
            let (unit, kind) = if *is_force { ("N", "Force") } else { ("N.m", "Torque") };
            let axis = ["x", "y", "z"][*component];
            let _ = write!(
                text,
                "\n[[input]]\nname = \"{name}\"\nunit = \"{unit}\"\nstart = {start:?}\ndescription = \"{kind} at the \
                 tip along {axis}\"\n"
            );
            let parts = if *is_force { &mut force } else { &mut torque };
            parts[*component] = format!("\"{name}\"");
        }
        let vector = |parts: &[String; 3]| {
            parts.iter().map(|part| if part.is_empty() { "0" } else { part.as_str() }).collect::<Vec<_>>().join(", ")
        };
        if force.iter().any(|part| !part.is_empty()) {
            let _ = write!(
                text,
                "\n[[force]]\nname = \"tip\"\nbody = \"body_{last}\"\npoint = \"tip\"\nvalue = [{}]\n",
                vector(&force)
            );
        }
        if torque.iter().any(|part| !part.is_empty()) {
            let _ = write!(
                text,
                "\n[[torque]]\nname = \"tip_torque\"\nbody = \"body_{last}\"\nvalue = [{}]\n",
                vector(&torque)
            );
        }
        let _ = write!(
            text,
            "\n[[output]]\nname = \"tip\"\nbody = \"body_{last}\"\npoint = \"tip\"\nquantity = \"position\"\n\
             \n[[output]]\nname = \"tip.rotation\"\nbody = \"body_{last}\"\nquantity = \"rotation\"\n"
        );
        text
    }
}

/// The joint before a body.
fn joint_table(joint: ElementJoint, number: usize, before: &str) -> String {
    let (kind, bodies, place) = match joint {
        // The bushing between the bodies is a force element; the bodies float.
        ElementJoint::Bushing => ("floating", "ground", String::new()),
        ElementJoint::Prismatic => ("prismatic", before, "axis = [1, 0, 0]\n".to_string()),
        other => {
            let axes = match other {
                ElementJoint::Revolute => "axis = [0, 0, 1]\n",
                ElementJoint::Universal => "axis = [0, 0, 1]\nsecond_axis = [0, 1, 0]\n",
                ElementJoint::Cylindrical => "axis = [1, 0, 0]\n",
                ElementJoint::Planar => "axis = [0, 0, 1]\nsecond_axis = [1, 0, 0]\n",
                _ => "",
            };
            (other.word(), before, format!("point = \"joint_{number}\"\n{axes}"))
        }
    };
    format!(
        "[[joint]]\nname = \"joint_{number}\"\ntype = \"{kind}\"\nbodies = [\"{bodies}\", \"body_{number}\"]\n{place}"
    )
}

/// The springs of one joint, whose stiffnesses are given in the order of its motions.
fn spring_tables(joint: ElementJoint, number: usize, before: &str, springs: &[f64], beta: f64) -> String {
    let mut text = String::new();
    if matches!(joint, ElementJoint::Spherical | ElementJoint::Bushing) {
        // Held translations of a spherical joint have no spring.
        let mut six = [0.0; 6];
        joint.motions().iter().zip(springs).for_each(|(motion, stiffness)| six[*motion] = *stiffness);
        let list = |factor: f64| six.map(|k| format!("{:?}", tidy(factor * k))).join(", ");
        let _ = write!(
            text,
            "\n[[bushing]]\nname = \"bushing_{number}\"\nbodies = [\"{before}\", \"body_{number}\"]\npoint = \
             \"joint_{number}\"\n\
             axis = [1, 0, 0]\nsecond_axis = [0, 1, 0]\nstiffness = [{}]\n",
            list(1.0)
        );
        if beta > 0.0 {
            let _ = writeln!(text, "damping = [{}]", list(beta));
        }
        return text;
    }
    for (motion, stiffness) in joint.motions().iter().zip(springs) {
        let coordinate = match (joint, motion) {
            (ElementJoint::Planar, 0) => "x",
            (ElementJoint::Planar, 1) => "y",
            (ElementJoint::Universal, 4) => "second_angle",
            (_, 0) => "travel",
            _ => "angle",
        };
        let _ = write!(
            text,
            "\n[[joint_spring]]\nname = \"{coordinate}_{number}\"\njoint = \"joint_{number}\"\ncoordinate = \
             \"{coordinate}\"\nstiffness = {stiffness:?}\n"
        );
        if beta > 0.0 {
            let _ = writeln!(text, "damping = {:?}", tidy(beta * stiffness));
        }
    }
    text
}

/// Parts fixed to the support.
fn outputs(joint: ElementJoint) -> String {
    let (of, quantities) = match joint {
        ElementJoint::Bushing => ("bushing = \"bushing_1\"", ["force", "torque"]),
        _ => ("joint = \"joint_1\"", ["reaction_force", "reaction_moment"]),
    };
    let names = ["root.force", "root.moment"];
    names
        .iter()
        .zip(quantities)
        .map(|(name, quantity)| format!("\n[[output]]\nname = \"{name}\"\n{of}\nquantity = \"{quantity}\"\n"))
        .collect()
}
