//! Conversion of `[[rod]]` to bodies: the same mechanism without `[[rod]]`.
//!
//! A `[[rod]]` of length L and mass m, from body A to body B, becomes a body with mass m, its centre in the middle and
//! the inertia m L²/12 (1 − e eᵀ) of a uniform slender bar with direction e; a universal joint on A, whose axes are
//! perpendicular to the rod and to each other, so that the rod does not spin about itself; and a spherical joint on B.
//! Two coordinates and three equations replace one closure equation (Hidalgo & García de Jalón 2013, eq. 22, do the
//! reverse and remove rods). A slender bar has no inertia about its axis, so the motion of everything else is the same.
//!
//! Limits: the universal joint is singular where the rod has turned by 90° about its second axis. Quantities of a
//! `[[rod]]` no longer exist; outputs of them, and plots of these outputs, are left out. The points of a rod with mass
//! must be numbers, because its centre and inertia cannot follow parameters.
//!
//! Verified by `crates/cli/tests/cli/expand.rs`: the same motion.

use super::schema::{Body, Joint, JointKind, Model, Number, Place, Rod, numbers};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::rotation::complement;

/// The reasons why rods cannot be kept as bodies, one sentence each.
pub type Refusals = Vec<String>;

/// Turns every rod of a validated flat model into a body; returns the names of the outputs that are left out.
///
/// # Errors
/// Rods with mass whose mass or points are parameters; names that already exist.
pub fn keep_rods(model: &mut Model) -> Result<Vec<String>, Refusals> {
    let rods = std::mem::take(&mut model.rods);
    let mut refusals = Vec::new();
    for (index, rod) in rods.iter().enumerate() {
        let mut add = || -> Result<(), String> {
            if bodies_named(model).any(|name| *name == rod.name) {
                return Err(format!("a body `{}` already exists", rod.name));
            }
            let joints = [format!("{}.first", rod.name), format!("{}.second", rod.name)];
            if let Some(joint) = model.joints.iter().find(|joint| joints.contains(&joint.name)) {
                return Err(format!("a joint `{}` already exists", joint.name));
            }
            let body = kept(model, rod)?;
            let [universal, spherical] = joints_of(model, rod, joints);
            model.bodies.push(body);
            model.joints.extend([universal, spherical]);
            Ok(())
        };
        if let Err(reason) = add() {
            refusals.push(format!("rod[{index}] `{}` cannot be kept as a body: {reason}", rod.name));
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(leave_out(model, &rods))
}

fn bodies_named(model: &Model) -> impl Iterator<Item = &String> {
    model.bodies.iter().map(|body| &body.name).chain(model.flexible_bodies.iter().map(|body| &body.name))
}

/// The rod as a body.
fn kept(model: &Model, rod: &Rod) -> Result<Body, String> {
    let Number::Value(mass) = rod.mass else {
        return Err("its mass is a parameter; give a number".into());
    };
    if mass == 0.0 {
        return Ok(Body::new(&rod.name));
    }
    let [p, q] = [0, 1].map(|end| fixed_place(model, &rod.points[end]));
    let (Some(p), Some(q)) = (p, q) else {
        return Err("its points depend on parameters; give numbers, or set its mass to 0".into());
    };
    let axis = (q - p).normalize();
    let transverse = mass * (q - p).norm_squared() / 12.0;
    let entry = |i: usize, j: usize| transverse * (if i == j { 1.0 } else { 0.0 } - axis[i] * axis[j]);
    let inertia = numbers([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|(i, j)| entry(i, j)));
    let com = Some((0.5 * (p + q)).into());
    Ok(Body { mass: mass.into(), com, inertia: Some(inertia), ..Body::new(&rod.name) })
}

/// A universal joint at the first end, a spherical joint, which is cut, at the second.
fn joints_of(model: &Model, rod: &Rod, [first, second]: [String; 2]) -> [Joint; 2] {
    let values = model.parameter_values();
    let [p, q] = [0, 1].map(|end| model.resolve_place(&rod.points[end], &values));
    let (u, w) = complement(&(q - p).normalize());
    let [a, b] = rod.bodies.clone();
    let universal = Joint::new(first, JointKind::Universal, [a, rod.name.clone()]);
    let spherical = Joint::new(second, JointKind::Spherical, [rod.name.clone(), b]);
    let [p, q] = rod.points.clone().map(Some);
    let [axis, second_axis] = [u, w].map(|axis| Some(numbers(axis)));
    [
        Joint { point: p, axis, second_axis, cut: Some(false), ..universal },
        Joint { point: q, cut: Some(true), ..spherical },
    ]
}

/// A point that no parameter moves.
fn fixed_place(model: &Model, place: &Place) -> Option<Vec3> {
    let vector = match place {
        Place::At(vector) => vector,
        Place::Point(name) => model.points.get(name)?,
    };
    let number = |number: &Number| if let Number::Value(value) = number { Some(*value) } else { None };
    let [x, y, z] = vector;
    Some(Vec3::new(number(x)?, number(y)?, number(z)?))
}

/// Removes the outputs of rods, and the curves of plots that show them; returns their names.
fn leave_out(model: &mut Model, rods: &[Rod]) -> Vec<String> {
    let of_rod = |constraint: &String| rods.iter().any(|rod| rod.name == *constraint);
    let gone: Vec<String> = model
        .outputs
        .iter()
        .filter(|output| output.constraint.as_ref().is_some_and(of_rod))
        .map(|output| output.name.clone())
        .collect();
    model.outputs.retain(|output| !output.constraint.as_ref().is_some_and(of_rod));
    // A vector's name, or `name.x`.
    let left = |model: &Model, name: &str| {
        let belongs =
            |gone: &String| name.strip_prefix(gone.as_str()).is_some_and(|rest| rest.is_empty() || is_component(rest));
        let other = model.outputs.iter().any(|output| output.name == name);
        gone.iter().any(belongs) && !other
    };
    let mut plots = std::mem::take(&mut model.plots);
    for plot in &mut plots {
        let keep: Vec<bool> = plot.outputs.iter().map(|name| !left(model, name)).collect();
        let mut kept = keep.iter();
        plot.outputs.retain(|_| kept.next() == Some(&true));
        if keep.contains(&false) {
            // There is one label per curve, and a vector has three curves: without all of them the labels do not fit.
            plot.labels = None;
        }
    }
    plots.retain(|plot| !plot.outputs.is_empty() && !plot.against.as_ref().is_some_and(|name| left(model, name)));
    model.plots = plots;
    gone
}

fn is_component(rest: &str) -> bool {
    matches!(rest, ".x" | ".y" | ".z" | ".w")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const TEXT: &str = "
        [model]
        name = 'm'
        [points]
        A = [0, 0, 0]
        B = [1, 2, 2]
        [[body]]
        name = 'b'
        mass = 1
        com = [2, 2, 2]
        inertia = [1, 1, 1, 0, 0, 0]
        [[joint]]
        name = 'j'
        type = 'floating'
        bodies = ['ground', 'b']
        [[rod]]
        name = 'r'
        bodies = ['ground', 'b']
        points = ['A', 'B']
        mass = 12
        [[output]]
        name = 'r.force'
        constraint = 'r'
        quantity = 'force'
        [[output]]
        name = 'b.position'
        body = 'b'
        quantity = 'position'
        [[plot]]
        outputs = ['b.position.x']
        labels = ['x']
        [[plot]]
        outputs = ['r.force']
    ";

    fn model() -> Model {
        parse(TEXT, "m.toml").unwrap_or_else(|errors| panic!("{errors}")).model
    }

    #[test]
    fn a_rod_becomes_a_slender_bar_between_a_universal_and_a_spherical_joint() {
        let mut model = model();
        assert_eq!(keep_rods(&mut model), Ok(vec!["r.force".to_string()]));
        assert_eq!((model.rods.len(), model.outputs.len(), model.plots.len()), (0, 1, 1));
        let body = &model.bodies[1];
        let values = model.parameter_values();
        let entries = body.inertia.as_ref().unwrap().each_ref().map(|number| model.resolve(number, &values));
        // e = (1, 2, 2)/3, m L²/12 = 9.
        let expected = [8.0, 5.0, 5.0, -2.0, -4.0, -2.0];
        assert!(entries.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{entries:?}");
        let e = Vec3::new(1.0, 2.0, 2.0) / 3.0;
        let universal = &model.joints[1];
        let axes =
            [&universal.axis, &universal.second_axis].map(|axis| model.resolve_vector(axis.as_ref().unwrap(), &values));
        assert!(axes.iter().all(|axis| axis.dot(&e).abs() < 1e-12) && axes[0].dot(&axes[1]).abs() < 1e-12, "{axes:?}");
        assert_eq!((model.joints[2].kind, model.joints[2].cut), (JointKind::Spherical, Some(true)));
    }

    #[test]
    fn what_would_follow_a_parameter_is_refused() {
        let mut model = model();
        model.rods[0].mass = Number::Parameter("m".into());
        let refusals = keep_rods(&mut model).unwrap_err();
        assert!(
            refusals.len() == 1 && refusals[0].contains("rod[0] `r`") && refusals[0].contains("parameter"),
            "{refusals:?}"
        );
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        let mut model = model();
        model.rods[0].name = "b".into();
        assert!(keep_rods(&mut model).unwrap_err()[0].contains("a body `b` already exists"));
    }
}
