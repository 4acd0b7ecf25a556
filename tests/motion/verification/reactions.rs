//! Reactions against the laws of Newton and Euler, body by body, from outputs alone; and inverse against forward
//! dynamics.

use crate::check::larger;
use crate::verification::support::{Run, in_parallel, load, number, output, output_times, vector};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Axes, Body, Guided, Input, JointKind, Model, Output, Place, Quantity, Signal};

/// A place of the design position.
fn place(model: &Model, place: &Place) -> Vec3 {
    match place {
        Place::Point(name) => vector(model, &model.points[name]),
        Place::At(v) => vector(model, v),
    }
}

/// Balance of the forces and moments of every body.
struct Balance {
    model: Model,
    run: Run,
}

impl Balance {
    /// Adds the outputs that the balance needs and starts the model.
    fn new(model: &Model) -> Balance {
        let mut model = model.clone();
        model.outputs.clear();
        for body in model.bodies.clone() {
            for quantity in [
                Quantity::Position,
                Quantity::Acceleration,
                Quantity::Rotation,
                Quantity::AngularVelocity,
                Quantity::AngularAcceleration,
            ] {
                let name = format!("{quantity:?}.{}", body.name);
                model.outputs.push(Output { body: Some(body.name.clone()), ..output(name, quantity) });
            }
        }
        for joint in model.joints.clone().iter().filter(|joint| joint.kind != JointKind::Floating) {
            for quantity in [Quantity::ReactionForce, Quantity::ReactionMoment] {
                let name = format!("{quantity:?}.{}", joint.name);
                model.outputs.push(Output { joint: Some(joint.name.clone()), ..output(name, quantity) });
            }
            let place = joint_place(&model, joint);
            add_point(&mut model, &joint.bodies[1], &format!("point.{}", joint.name), &place);
        }
        for rod in model.rods.clone() {
            model.outputs.push(Output {
                constraint: Some(rod.name.clone()),
                ..output(format!("tension.{}", rod.name), Quantity::Force)
            });
            for end in 0..2 {
                add_point(&mut model, &rod.bodies[end], &format!("rod.{}.{end}", rod.name), &rod.points[end]);
            }
        }
        let lines = model.points_on_line.clone().into_iter().map(|c| (c.name, c.bodies, c.point));
        let planes = model.points_in_plane.clone().into_iter().map(|c| (c.name, c.bodies, c.point));
        for (name, bodies, point) in lines.chain(planes) {
            let force = output(format!("contact.{name}"), Quantity::ReactionForce);
            model.outputs.push(Output { constraint: Some(name.clone()), ..force });
            add_point(&mut model, &bodies[1], &format!("at.{name}"), &point);
        }
        for spring in model.springs.clone() {
            model.outputs.push(Output {
                spring: Some(spring.name.clone()),
                ..output(format!("spring.{}", spring.name), Quantity::Force)
            });
            for end in 0..2 {
                add_point(&mut model, &spring.bodies[end], &format!("hook.{}.{end}", spring.name), &spring.points[end]);
            }
        }
        for bushing in model.bushings.clone() {
            for quantity in [Quantity::Force, Quantity::Torque] {
                let name = format!("bushing.{quantity:?}.{}", bushing.name);
                model.outputs.push(Output { bushing: Some(bushing.name.clone()), ..output(name, quantity) });
            }
            add_point(&mut model, &bushing.bodies[1], &format!("mount.{}", bushing.name), &bushing.point);
        }
        for leaves in model.leaf_springs.clone() {
            let force = output(format!("leaves.{}", leaves.name), Quantity::Force);
            model.outputs.push(Output { spring: Some(leaves.name.clone()), ..force });
            add_point(&mut model, &leaves.bodies[1], &format!("seat.{}", leaves.name), &leaves.point);
        }
        for bar in model.anti_roll_bars.clone() {
            let force = output(format!("bar.{}", bar.name), Quantity::Force);
            model.outputs.push(Output { spring: Some(bar.name.clone()), ..force });
            for end in 0..2 {
                add_point(&mut model, &bar.bodies[1 + end], &format!("drop.{}.{end}", bar.name), &bar.points[end]);
            }
        }
        for force in model.forces.clone() {
            add_point(&mut model, &force.body, &format!("load.{}", force.name), &force.point);
        }
        Balance { run: Run::new(&model), model }
    }

    /// Position of a point that `add_point` added.
    fn point(&self, body: &str, name: &str, design: &Place) -> Vec3 {
        if body == "ground" { place(&self.model, design) } else { self.run.vector(name) }
    }

    /// Adds `force` at `at` and `moment` to the balance of `body`.
    fn add(&self, sums: &mut [(Vec3, Vec3, f64)], body: &str, at: Vec3, force: Vec3, moment: Vec3) {
        let Some(index) = self.model.bodies.iter().position(|b| b.name == body) else { return };
        let arm = at - self.run.vector(&format!("Position.{body}"));
        sums[index].0 += force;
        sums[index].1 += moment + arm.cross(&force);
        sums[index].2 = larger(larger(larger(sums[index].2, force.norm()), moment.norm()), arm.cross(&force).norm());
    }

    /// Largest imbalance of any body, and the largest force or moment in the mechanism, at the present time.
    fn imbalance(&self) -> (f64, f64) {
        let model = &self.model;
        let gravity = vector(model, &model.general.gravity);
        let mut sums = vec![(Vec3::zeros(), Vec3::zeros(), 0.0); model.bodies.len()];
        for joint in model.joints.iter().filter(|joint| joint.kind != JointKind::Floating) {
            let at = self.point(&joint.bodies[1], &format!("point.{}", joint.name), &joint_place(model, joint));
            let force = self.run.vector(&format!("ReactionForce.{}", joint.name));
            let moment = self.run.vector(&format!("ReactionMoment.{}", joint.name));
            self.add(&mut sums, &joint.bodies[1], at, force, moment);
            self.add(&mut sums, &joint.bodies[0], at, -force, -moment);
        }
        self.add_rods(&mut sums, gravity);
        self.add_forces(&mut sums);
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (body, (force, moment, size)) in model.bodies.iter().zip(&sums) {
            let (inertia_force, inertia_moment) = self.inertia(body);
            let weight = gravity * number(model, &body.mass);
            worst = larger(larger(worst, (force + weight - inertia_force).norm()), (moment - inertia_moment).norm());
            largest = larger(larger(larger(largest, *size), weight.norm()), inertia_force.norm());
            assert!(worst.is_finite());
        }
        (worst, largest)
    }

    /// A rod pulls with its tension and hands on its weight and inertia: m g / 2 − m/3 a_end − m/6 a_other.
    fn add_rods(&self, sums: &mut [(Vec3, Vec3, f64)], gravity: Vec3) {
        for rod in &self.model.rods {
            let mass = number(&self.model, &rod.mass);
            let ends = [0, 1].map(|e| self.point(&rod.bodies[e], &format!("rod.{}.{e}", rod.name), &rod.points[e]));
            let accelerations = [0, 1].map(|e| match rod.bodies[e].as_str() {
                "ground" => Vec3::zeros(),
                _ => self.run.vector(&format!("rod.{}.{e}.acceleration", rod.name)),
            });
            let along = (ends[1] - ends[0]).normalize() * self.run.get(&format!("tension.{}", rod.name));
            for e in 0..2 {
                let pull = if e == 0 { along } else { -along };
                let inertia = accelerations[e] * (mass / 3.0) + accelerations[1 - e] * (mass / 6.0);
                self.add(sums, &rod.bodies[e], ends[e], pull + gravity * (0.5 * mass) - inertia, Vec3::zeros());
            }
        }
    }

    /// Springs, bushings, contacts, applied forces and torques.
    fn add_forces(&self, sums: &mut [(Vec3, Vec3, f64)]) {
        let model = &self.model;
        let zero = Vec3::zeros();
        for spring in &model.springs {
            let ends =
                [0, 1].map(|e| self.point(&spring.bodies[e], &format!("hook.{}.{e}", spring.name), &spring.points[e]));
            let along = (ends[1] - ends[0]).normalize() * self.run.get(&format!("spring.{}", spring.name));
            self.add(sums, &spring.bodies[0], ends[0], along, zero);
            self.add(sums, &spring.bodies[1], ends[1], -along, zero);
        }
        for bushing in &model.bushings {
            let at = self.point(&bushing.bodies[1], &format!("mount.{}", bushing.name), &bushing.point);
            let force = self.run.vector(&format!("bushing.Force.{}", bushing.name));
            let torque = self.run.vector(&format!("bushing.Torque.{}", bushing.name));
            self.add(sums, &bushing.bodies[1], at, force, torque);
            self.add(sums, &bushing.bodies[0], at, -force, -torque);
        }
        let lines = model.points_on_line.iter().map(|c| (&c.name, &c.bodies, &c.point));
        let planes = model.points_in_plane.iter().map(|c| (&c.name, &c.bodies, &c.point));
        for (name, bodies, point) in lines.chain(planes) {
            let at = self.point(&bodies[1], &format!("at.{name}"), point);
            let force = self.run.vector(&format!("contact.{name}"));
            self.add(sums, &bodies[1], at, force, zero);
            self.add(sums, &bodies[0], at, -force, zero);
        }
        // Both elements of the suspension act along the vertical of the ground in the models of the gallery.
        for leaves in &model.leaf_springs {
            assert!(leaves.bodies[0] == "ground" && leaves.axis.is_none());
            let at = self.point(&leaves.bodies[1], &format!("seat.{}", leaves.name), &leaves.point);
            let up = Vec3::z() * self.run.get(&format!("leaves.{}", leaves.name));
            self.add(sums, &leaves.bodies[1], at, -up, zero);
        }
        for bar in &model.anti_roll_bars {
            assert!(bar.bodies[0] == "ground" && bar.axis.is_none());
            for end in 0..2 {
                let (body, name) = (&bar.bodies[1 + end], format!("drop.{}.{end}", bar.name));
                let at = self.point(body, &name, &bar.points[end]);
                let up = Vec3::z() * self.run.get(&format!("bar.{}", bar.name));
                self.add(sums, body, at, if end == 0 { -up } else { up }, zero);
            }
        }
        for force in &model.forces {
            let at = self.point(&force.body, &format!("load.{}", force.name), &force.point);
            self.add(sums, &force.body, at, self.applied(&force.body, &force.value, force.axes), zero);
        }
        for torque in &model.torques {
            let at = self.run.vector(&format!("Position.{}", torque.body));
            self.add(sums, &torque.body, at, zero, self.applied(&torque.body, &torque.value, torque.axes));
        }
    }

    /// An applied vector in world axes, inputs at their start values.
    fn applied(&self, body: &str, value: &[Signal; 3], axes: Axes) -> Vec3 {
        let value = vector(&self.model, value);
        match axes {
            Axes::World => value,
            Axes::Body => self.rotation(body) * value,
        }
    }

    /// R_WB of a body, from its quaternion q = (w, v): R u = u + 2 v × (v × u + w u).
    fn rotation(&self, body: &str) -> Mat3 {
        let [w, x, y, z] = self.run.quaternion(&format!("Rotation.{body}"));
        let v = Vec3::new(x, y, z);
        let turn = |u: Vec3| u + 2.0 * v.cross(&(v.cross(&u) + w * u));
        Mat3::from_columns(&[turn(Vec3::x()), turn(Vec3::y()), turn(Vec3::z())])
    }

    /// m a, and J α + ω × J ω.
    fn inertia(&self, body: &Body) -> (Vec3, Vec3) {
        let name = &body.name;
        let force = self.run.vector(&format!("Acceleration.{name}")) * number(&self.model, &body.mass);
        let Some(j) = &body.inertia else { return (force, Vec3::zeros()) };
        let j = j.each_ref().map(|n| number(&self.model, n));
        let rotation = self.rotation(name);
        let inertia = rotation * Mat3::new(j[0], j[3], j[5], j[3], j[1], j[4], j[5], j[4], j[2]) * rotation.transpose();
        let spin = self.run.vector(&format!("AngularVelocity.{name}"));
        let moment = inertia * self.run.vector(&format!("AngularAcceleration.{name}")) + spin.cross(&(inertia * spin));
        (force, moment)
    }
}

/// Outputs of position and acceleration of a point of a body that moves.
fn add_point(model: &mut Model, body: &str, name: &str, place: &Place) {
    if body == "ground" {
        return;
    }
    for (name, quantity) in
        [(name.to_owned(), Quantity::Position), (format!("{name}.acceleration"), Quantity::Acceleration)]
    {
        model.outputs.push(Output { body: Some(body.into()), point: Some(place.clone()), ..output(name, quantity) });
    }
}

/// Where a joint is, with the defaults of the file.
fn joint_place(model: &Model, joint: &ballesta::model::schema::Joint) -> Place {
    model.joint_place(joint).cloned().expect("a joint of the gallery has a place")
}

/// Every model of the gallery: its bodies are in balance at a number of times. Where a curve touches a face or a curve,
/// the force has no fixed place: `pairs` and `curve_pairs` have them in closed form.
#[test]
fn every_body_is_in_balance_with_its_reactions() {
    let mut names = crate::verification::support::gallery();
    names.retain(|name| {
        let model = load(name);
        model.points_in_plane.iter().all(|plane| plane.curve.is_none()) && model.curves_on_curves.is_empty()
    });
    let results = in_parallel(&names, |name| {
        let model = load(name);
        let mut balance = Balance::new(&model);
        let (mut worst, mut largest) = balance.imbalance();
        let times = output_times(&model);
        let every = (times.len() / 40).max(1);
        for time in times.into_iter().step_by(every) {
            balance.run.advance(time);
            let (imbalance, size) = balance.imbalance();
            (worst, largest) = (larger(worst, imbalance), larger(largest, size));
        }
        (worst, largest)
    });
    let mut complaints = Vec::new();
    let mut most = (0.0, "");
    for (name, (worst, largest)) in names.iter().zip(&results) {
        if worst / largest > most.0 {
            most = (worst / largest, name);
        }
        println!(
            "{name}: imbalance {worst:.1e} N or N m, largest force {largest:.2e} N: {:.1e} (bar 1e-9)",
            worst / largest
        );
        if !(*worst <= 1e-9 * largest) {
            complaints.push(format!("{name}: {:.1e}", worst / largest));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join(", "));
    let is_row = |cells: &[&str]| cells[0].starts_with("balance of every body");
    crate::verification::verification_page::figure(
        "Reactions and inverse dynamics",
        is_row,
        1,
        &format!("{:.1e} of the largest force", most.0),
    );
    crate::verification::verification_page::went_through("balance of every body", &names.iter().collect::<Vec<_>>());
}

/// A model whose joint `joint` is guided by three inputs, and not driven.
fn guided_instead(model: &Model, joint: &str) -> Model {
    let mut new = model.clone();
    let before = new.drives.len();
    new.drives.retain(|drive| drive.joint != joint);
    assert_eq!(new.drives.len() + 1, before, "one drive acted on {joint}");
    let inputs = ["position", "speed", "acceleration"].map(|what| format!("{joint}.guide.{what}"));
    for name in &inputs {
        let input =
            Input { name: name.clone(), unit: None, start: 0.0, min: None, max: None, description: String::new() };
        new.inputs.push(input);
    }
    new.guided.push(Guided {
        gain: None,
        name: format!("{joint}_guide"),
        joint: joint.into(),
        coordinate: None,
        motion: None,
        spin_up: None,
        table: None,
        input: None,
        filter_frequency: None,
        inputs: Some(inputs),
    });
    for other in new.joints.iter_mut().filter(|other| other.name == joint) {
        (other.position, other.position_deg, other.speed) = (None, None, None);
    }
    new
}

/// Runs `model` forward with its drives, records position, speed and acceleration of the driven joints, prescribes them
/// in a second model, and compares the efforts which that needs with those of the drives. Returns the largest
/// difference.
fn inverse_dynamics_error(model: &Model, joints: &[(&str, f64)], end: f64, interval: f64) -> f64 {
    let recorded =
        [("position", Quantity::Position), ("speed", Quantity::Speed), ("acceleration", Quantity::Acceleration)];
    let mut forward = model.clone();
    let mut inverse = model.clone();
    forward.outputs.clear();
    inverse.outputs.clear();
    for (joint, _) in joints {
        inverse = guided_instead(&inverse, joint);
        for (what, quantity) in recorded {
            let name = format!("{joint}.guide.{what}");
            forward.outputs.push(Output { joint: Some((*joint).into()), ..output(name, quantity) });
        }
        let effort = output(format!("{joint}.effort"), Quantity::Effort);
        inverse.outputs.push(Output { guided: Some(format!("{joint}_guide")), ..effort });
    }
    let mut forward = Run::new(&forward);
    // The guided motion begins where the driven one does.
    for input in &mut inverse.inputs {
        if input.name.contains(".guide.") {
            input.start = forward.get(&input.name);
        }
    }
    let mut inverse = Run::new(&inverse);
    let mut worst = 0.0_f64;
    for i in 1..=(end / interval).round() as usize {
        let time = i as f64 * interval;
        for (joint, _) in joints {
            for (what, rate) in [("position", "speed"), ("speed", "acceleration")] {
                let slope = forward.get(&format!("{joint}.guide.{rate}"));
                inverse.set_slope(&format!("{joint}.guide.{what}"), slope);
            }
        }
        forward.advance(time);
        inverse.advance(time);
        for (joint, _) in joints {
            for (what, _) in recorded {
                let name = format!("{joint}.guide.{what}");
                inverse.set_input(&name, forward.get(&name));
            }
        }
        inverse.refresh();
        for (joint, wanted) in joints {
            let found = inverse.get(&format!("{joint}.effort"));
            assert!(found.is_finite());
            worst = larger(worst, (found - wanted).abs());
        }
    }
    worst
}

#[test]
fn inverse_dynamics_returns_the_motor_torque_of_the_squeezer() {
    let error = inverse_dynamics_error(&load("andrews"), &[("motor", 0.033)], 0.05, 1e-5);
    println!("andrews: torque from inverse dynamics differs by {error:.1e} N m from 0.033 N m");
    let is_row = |cells: &[&str]| cells[0].starts_with("andrews, motor");
    crate::verification::verification_page::figure(
        "Reactions and inverse dynamics",
        is_row,
        1,
        &format!("{error:.1e} N m"),
    );
    assert!(error <= 1e-9 * 0.033 * 1e3);
}

#[test]
fn inverse_dynamics_returns_the_torques_of_the_arm() {
    // All coordinates are guided, so the inverse problem is algebraic.
    let error = inverse_dynamics_error(&load("driven_arm"), &[("yaw", 0.4), ("elbow", -8.0)], 2.0, 1e-3);
    println!("driven arm: torques from inverse dynamics differ by {error:.1e} N m from 0.4 and -8 N m");
    let is_row = |cells: &[&str]| cells[0].starts_with("driven_arm, torques");
    crate::verification::verification_page::figure(
        "Reactions and inverse dynamics",
        is_row,
        1,
        &format!("{error:.1e} N m"),
    );
    assert!(error <= 1e-9 * 10.0);
}

#[test]
fn inverse_dynamics_returns_the_torque_of_the_cardan_shaft() {
    let error = inverse_dynamics_error(&load("cardan_shaft"), &[("input_bearing", 3.0)], 2.0, 1e-3);
    println!("cardan shaft: torque from inverse dynamics differs by {error:.1e} N m from 3 N m");
    let is_row = |cells: &[&str]| cells[0].starts_with("cardan_shaft, torque");
    crate::verification::verification_page::figure(
        "Reactions and inverse dynamics",
        is_row,
        1,
        &format!("{error:.1e} N m"),
    );
    assert!(error <= 1e-9 * 100.0);
}
