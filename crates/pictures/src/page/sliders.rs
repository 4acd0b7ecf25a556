//! Joints with a slider: joints outside loops. Their outboard bodies move rigidly, so that the page needs no solver.
//!
//! The pose of a body is the product of the screws of the coordinates on its path from the ground, each about its axis
//! at the start, times its pose at the start.

use super::items::{Items, JOINTS};
use ballesta::joint::TreeJoint;
use ballesta::system::{System, Workspace};
use serde::Serialize;

/// A coordinate.
#[derive(Serialize)]
pub struct Slider {
    /// Row of its joint in the tree.
    pub i: usize,
    /// Name of the joint, with the coordinate if it has several.
    pub n: String,
    /// Whether it is a rotation.
    pub turns: bool,
    /// Value at the start, rad or m.
    pub start: f64,
    /// A point of the axis, world, m.
    pub p: [f64; 3],
    /// The axis, or the direction of the travel, per unit of the coordinate.
    pub a: [f64; 3],
    /// Bodies that move.
    pub b: Vec<usize>,
}

/// A joint without a slider.
#[derive(Serialize)]
pub struct FixedSlider {
    /// Row of the joint in the tree.
    pub i: usize,
    /// Reason.
    pub why: String,
}

/// Sliders from the root outwards, and the reasons why other joints have none. The workspace holds the evaluated start.
pub fn sliders(system: &System, ws: &Workspace, items: &Items) -> (Vec<Slider>, Vec<FixedSlider>) {
    let (mut sliders, mut unmoved) = (Vec::new(), Vec::new());
    // A slider moves one coordinate alone, so joints in loops have none.
    let on_loop = |j: usize| system.blocks.iter().any(|block| block.joints.contains(&j));
    for (j, joint) in system.joints.iter().enumerate() {
        let Some(name) = system.joint_of_tree[j].map(|file| &system.joint_places[file].name) else { continue };
        let Some(i) = items.find(JOINTS, name) else { continue };
        let coordinates = joint.v_range();
        if coordinates.is_empty() {
            continue;
        }
        // Curves and ball joints have no straight or circular path that one number describes.
        if on_loop(j) {
            unmoved.push(FixedSlider { i, why: "part of a closed loop".into() });
            continue;
        }
        if joint.path.is_some() {
            unmoved.push(FixedSlider { i, why: "moves along a curve".into() });
            continue;
        }
        if joint.kind.quaternion().is_some() {
            unmoved.push(FixedSlider { i, why: "three free rotations".into() });
            continue;
        }
        // The slider moves all bodies outward of the joint.
        let carried = carried(system, j + 1);
        let names = joint.kind.speed_names();
        // In a reversed joint the last coordinate is next to the root.
        let mut order: Vec<usize> = (0..coordinates.len()).collect();
        if joint.reversed {
            order.reverse();
        }
        for k in order {
            let turns = TreeJoint::is_rotation(joint.kind, k);
            // The column of the Jacobian gives the axis; for a rotation, also the nearest point of the axis.
            let column = &ws.kinematics.columns[coordinates.start + k];
            let (axis, point) = if turns {
                let squared = column.ang.norm_squared();
                (column.ang, column.ang.cross(&column.lin) / squared)
            } else {
                (column.lin, ws.kinematics.points[j])
            };
            let o = ws.kinematics.bodies[j + 1].reference + system.origin;
            sliders.push(Slider {
                i,
                n: if names.len() > 1 { format!("{name} {}", names[k]) } else { name.clone() },
                turns,
                start: ws.stage.q[joint.q + k],
                p: (point + o).into(),
                a: axis.into(),
                b: carried.clone(),
            });
        }
    }
    // Cut joints close loops.
    for cut in system.joint_places.iter().filter(|place| place.tree.is_none()) {
        if let Some(i) = items.find(JOINTS, &cut.name) {
            unmoved.push(FixedSlider { i, why: "part of a closed loop".into() });
        }
    }
    (sliders, unmoved)
}

/// A body and all outboard of it.
fn carried(system: &System, first: usize) -> Vec<usize> {
    let mut carried = vec![first];
    for body in first + 1..system.bodies.len() {
        if carried.contains(&system.bodies[body].parent) {
            carried.push(body);
        }
    }
    carried
}

#[cfg(test)]
mod tests {
    use super::super::frames::pose;
    use super::*;
    use ballesta::compile;
    use ballesta::dynamics::{evaluate, load_stage};
    use ballesta::math::Vec3;
    use ballesta::math::rotation::about;
    use ballesta::model;

    /// An arm with a universal joint, a slide on it, a cylindrical joint with the outboard body first, and a separate
    /// loop.
    const ARM: &str = "
        [model]
        name = 'arm'
        [[body]]
        name = 'arm'
        mass = 1
        com = [0.5, 0.2, 1]
        inertia = [1, 1, 1, 0, 0, 0]
        [[body]]
        name = 'slide'
        mass = 1
        com = [1.5, 0.2, 1.1]
        inertia = [1, 1, 1, 0, 0, 0]
        [[body]]
        name = 'tool'
        mass = 1
        com = [2.5, 0.2, 1.3]
        inertia = [1, 1, 1, 0, 0, 0]
        [[joint]]
        name = 'shoulder'
        type = 'universal'
        bodies = ['arm', 'ground']
        point = [0, 0, 1]
        axis = [1, 1, 0]
        second_axis = [0, 0, 1]
        position = [0.2, -0.4]
        [[joint]]
        name = 'guide'
        type = 'planar'
        bodies = ['arm', 'slide']
        point = [1, 0, 1]
        axis = [1, 0, 2]
        position = [0.1, -0.2, 0.3]
        [[joint]]
        name = 'spindle'
        type = 'cylindrical'
        bodies = ['tool', 'slide']
        point = [2, 0, 1.2]
        axis = [0, 1, 1]
    ";

    fn evaluated(system: &System, q: &[(usize, f64)]) -> Workspace {
        let (mut state, mut ws) = (system.initial().clone(), Workspace::new(system));
        q.iter().for_each(|(v, amount)| system.add_increment(&mut state.q, *v, *amount));
        load_stage(system, &state, &mut ws, 0.0);
        evaluate(system, &state, &mut ws, 0.0).unwrap();
        ws
    }

    #[test]
    fn products_of_screws_are_the_poses_that_the_solver_finds() {
        let document = model::parse(ARM, "arm.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let start = evaluated(&system, &[]);
        let (sliders, unmoved) = sliders(&system, &start, &Items::new(&document, &[], &[]));
        assert!(unmoved.is_empty() && sliders.len() == 7, "{}", sliders.len());
        // As in the page: sliders from the root outwards, the last slider first.
        let mut moves = Vec::new();
        let mut amounts = Vec::new();
        for (s, slider) in sliders.iter().enumerate() {
            amounts.push(0.3 + 0.17 * s as f64);
            let (name, coordinate) = slider.n.split_once(' ').unwrap();
            let of_name =
                |j: &usize| system.joint_of_tree[*j].is_some_and(|file| system.joint_places[file].name == name);
            let joint = &system.joints[(0..system.joints.len()).find(of_name).unwrap()];
            let k = joint.kind.speed_names().iter().position(|other| *other == coordinate).unwrap();
            moves.push((joint.v + k, amounts[s]));
        }
        let moved = evaluated(&system, &moves);
        for body in 1..system.bodies.len() {
            let (mut at, mut rotation) = pose(&system, &start, body);
            for (slider, amount) in sliders.iter().zip(&amounts).rev().filter(|(slider, _)| slider.b.contains(&body)) {
                let (p, a) = (Vec3::from(slider.p), Vec3::from(slider.a));
                if slider.turns {
                    let turn = about(&a.normalize(), *amount * a.norm());
                    (at, rotation) = (p + turn * (at - p), turn * rotation);
                } else {
                    at += a * *amount;
                }
            }
            let expected = pose(&system, &moved, body);
            assert!(
                (at - expected.0).norm() < 1e-12 && (rotation - expected.1).norm() < 1e-12,
                "{body}: {at} {}",
                expected.0
            );
        }
    }
}
