//! Mass, centre of mass and wheel loads of a system in its present state.
//!
//! m = Σ m_i and r = Σ m_i r_i / m over bodies, flexible bodies as they are deformed, and rods. Verified by the
//! tests below. Offline: allocates.

use ballesta_solver::dynamics::evaluate;
use ballesta_solver::force::Element;
use ballesta_solver::math::Vec3;
use ballesta_solver::system::{Fault, State, System, Workspace};

/// Weights of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Total mass, kg.
    pub mass: f64,
    /// Centre of mass in the world, m; `None` without mass.
    pub centre: Option<Vec3>,
    /// Vertical load of every tyre in N: its name and F_z in the W axes, for twin tyres together.
    pub wheels: Vec<(String, f64)>,
}

impl Weights {
    /// The weights of `state`, from an evaluation in `ws`.
    ///
    /// # Errors
    /// The fault of the evaluation.
    pub fn of(system: &System, state: &State, ws: &mut Workspace) -> Result<Weights, Fault> {
        ballesta_solver::dynamics::load_stage(system, state, ws, state.time);
        evaluate(system, state, ws, state.time)?;
        let (mut mass, mut first) = (0.0, Vec3::zeros());
        let mut add = |m: f64, moment: Vec3| {
            mass += m;
            first += moment;
        };
        for (inertia, motion) in ws.inertias.bodies.iter().zip(&ws.kinematics.bodies).skip(1) {
            add(inertia.mass, inertia.first + motion.reference * inertia.mass);
        }
        // A third of a rod is already at each of its ends, as a point mass of the body there.
        for rod in &system.rods {
            for end in 0..2 {
                let motion = &ws.kinematics.bodies[rod.bodies[end]];
                let place = motion.point(&rod.points[end]) + motion.reference;
                let share = rod.mass / if rod.bodies[end] == 0 { 2.0 } else { 6.0 };
                add(share, place * share);
            }
        }
        let surroundings = ws.surroundings(state);
        let load = |element: &Element| match element {
            Element::Tyre(tyre) => {
                let readout = tyre.evaluated_readout(&surroundings, &ws.loads.patches);
                Some((element.name().to_string(), readout.force.z))
            }
            _ => None,
        };
        Ok(Weights {
            mass,
            centre: (mass > 0.0).then(|| first / mass + system.origin),
            wheels: system.elements.iter().filter_map(load).collect(),
        })
    }

    /// Loads of axles in N: sums over tyres whose names differ only in the part `left` or `right`. Empty without such
    /// names.
    pub fn axles(&self) -> Vec<(String, f64)> {
        let mut axles: Vec<(String, f64)> = Vec::new();
        for (name, load) in &self.wheels {
            let parts: Vec<&str> = name.split('.').collect();
            let rest: Vec<&str> = parts.iter().copied().filter(|part| !matches!(*part, "left" | "right")).collect();
            if rest.len() + 1 != parts.len() {
                continue;
            }
            let axle = rest.strip_suffix(&["tyre"]).unwrap_or(&rest).join(".");
            match axles.iter_mut().find(|(known, _)| *known == axle) {
                Some((_, sum)) => *sum += load,
                None => axles.push((axle, *load)),
            }
        }
        axles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use ballesta_model as model;

    fn weights(text: &str) -> Weights {
        let document = model::parse(text, "weights.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        Weights::of(&system, &system.initial, &mut Workspace::new(&system)).unwrap()
    }

    /// Two sliders of 1 and 3 kg, far from the origin, and a rod of 2 kg from the ground to the second.
    #[test]
    fn bodies_and_rods_have_their_mass_in_their_middle() {
        let found = weights(
            "
            [model]
            name = 'sliders'
            [[body]]
            name = 'a'
            mass = 1
            com = [1000, 1, 0]
            [[body]]
            name = 'b'
            mass = 3
            com = [1004, 1, 0]
            inertia = [1, 1, 1, 0, 0, 0]
            [[joint]]
            name = 'a'
            type = 'prismatic'
            bodies = ['ground', 'a']
            axis = [0, 1, 0]
            [[joint]]
            name = 'b'
            type = 'planar'
            bodies = ['ground', 'b']
            point = [1004, 1, 0]
            axis = [0, 0, 1]
            [[rod]]
            name = 'rod'
            bodies = ['ground', 'b']
            points = [[1000, 3, 0], [1004, 1, 0]]
            mass = 2
            ",
        );
        assert!((found.mass - 6.0).abs() < 1e-12, "{found:?}");
        // (1·1000 + 3·1004 + 2·1002) / 6 and (1 + 3 + 2·2) / 6.
        let centre = Vec3::new(6016.0 / 6.0, 8.0 / 6.0, 0.0);
        assert!((found.centre.unwrap() - centre).norm() < 1e-9, "{found:?}");
        assert!(found.wheels.is_empty() && found.axles().is_empty());
    }

    #[test]
    fn wheels_of_one_axle_are_summed() {
        let wheels = ["axle1.left.tyre", "axle1.right.tyre", "spare", "truck.axle2.left", "truck.axle2.right"];
        let wheels = wheels.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0]).map(|(name, load)| (name.to_string(), load));
        let weights = Weights { mass: 0.0, centre: None, wheels: wheels.collect() };
        assert_eq!(weights.axles(), [("axle1".to_string(), 3.0), ("truck.axle2".to_string(), 24.0)]);
    }
}
