//! Applied forces on the bodies, from the tables of the model file.

use super::geometry::{Row, Scene, number, place, vector};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Axes, Bushing};

/// An effort on a coordinate of a joint.
pub struct Effort {
    pub joint: String,
    pub row: Row,
    pub value: f64,
}

/// Force and moment about the centre of mass of every body, and the efforts on coordinates, which are not among them.
pub struct Loads {
    pub wrenches: Vec<(Vec3, Vec3)>,
    pub efforts: Vec<Effort>,
}

impl Loads {
    fn add(&mut self, scene: &Scene, body: usize, at: &Vec3, force: Vec3) {
        self.wrenches[body].0 += force;
        self.wrenches[body].1 += (at - scene.states[body].position).cross(&force);
    }
}

/// J v.
pub fn rate(row: &Row, scene: &Scene) -> f64 {
    let part = |(body, v, w): &(usize, Vec3, Vec3)| {
        scene.states.get(*body).map_or(0.0, |state| v.dot(&state.velocity) + w.dot(&state.spin))
    };
    row.entries.iter().map(part).sum()
}

/// All loads but inertia forces.
pub fn loads(scene: &Scene) -> Loads {
    let model = scene.model;
    let gravity = vector(&model.general.gravity);
    let none = (Vec3::zeros(), Vec3::zeros());
    let mut loads = Loads { wrenches: vec![none; scene.states.len()], efforts: vec![] };
    for (index, body) in model.bodies.iter().enumerate() {
        loads.wrenches[index].0 += gravity * number(&body.mass);
    }
    let turned =
        |axes: Axes, body: usize, v: Vec3| if axes == Axes::Body { scene.states[body].rotation * v } else { v };
    for force in &model.forces {
        let body = scene.body(&force.body);
        let point = scene.point(body, &place(model, &force.point));
        loads.add(scene, body, &point.position, turned(force.axes, body, vector(&force.value)));
    }
    for torque in &model.torques {
        let body = scene.body(&torque.body);
        loads.wrenches[body].1 += turned(torque.axes, body, vector(&torque.value));
    }
    for spring in &model.springs {
        assert!(spring.force_table.is_none() && spring.damping_table.is_none(), "no tables here");
        let design = spring.points.each_ref().map(|point| place(model, point));
        let [first, second] = [0, 1].map(|k| scene.point(scene.body(&spring.bodies[k]), &design[k]));
        let d = second.position - first.position;
        let u = d.normalize();
        let free = spring.free_length.as_ref().map_or((design[1] - design[0]).norm(), number);
        let tension = number(&spring.stiffness) * (d.norm() - free)
            + number(&spring.damping) * u.dot(&(second.velocity - first.velocity))
            + number(&spring.preload);
        loads.add(scene, first.body, &first.position, u * tension);
        loads.add(scene, second.body, &second.position, -u * tension);
    }
    for bushing in &model.bushings {
        add_bushing(scene, bushing, &mut loads);
    }
    for spring in &model.joint_springs {
        let row = scene.coordinate(&spring.joint, spring.coordinate.as_deref());
        let value = -(number(&spring.stiffness) * (row.gap - number(&spring.free_position))
            + number(&spring.damping) * rate(&row, scene)
            + number(&spring.preload));
        loads.efforts.push(Effort { joint: spring.joint.clone(), row, value });
    }
    for drive in &model.drives {
        let row = scene.coordinate(&drive.joint, drive.coordinate.as_deref());
        let value = number(&drive.gain) * number(&drive.value);
        loads.efforts.push(Effort { joint: drive.joint.clone(), row, value });
    }
    loads
}

/// On the second body f = f₀ − K x − C ẋ at its origin and t = J⁻ᵀ (t₀ − K θ) − C ω, J the left Jacobian of SO(3), all
/// in the axes of the first; the opposite on the first at the same place of space.
fn add_bushing(scene: &Scene, bushing: &Bushing, loads: &mut Loads) {
    let design = place(scene.model, &bushing.point);
    let [first, second] = [0, 1].map(|k| scene.point(scene.body(&bushing.bodies[k]), &design));
    let [x, y] =
        [&bushing.axis, &bushing.second_axis].map(|axis| vector(axis.as_ref().expect("both axes")).normalize());
    let triad = Mat3::from_columns(&[x, y, x.cross(&y)]);
    let (a, b) = (&scene.states[first.body], &scene.states[second.body]);
    let (frame, other) = (a.rotation * triad, b.rotation * triad);
    let d = second.position - first.position;
    let speed = frame.tr_mul(&(second.velocity - first.velocity - a.spin.cross(&d)));
    let spin = frame.tr_mul(&(b.spin - a.spin));
    // By a quaternion: the arc cosine of the trace is not a number where rounding takes it beyond 1.
    let turn = nalgebra::Rotation3::from_matrix_unchecked(frame.tr_mul(&other));
    let turn = nalgebra::UnitQuaternion::from_rotation_matrix(&turn).scaled_axis();
    let three = |six: &[ballesta::model::schema::Number; 6], at: usize| Vec3::from_fn(|i, _| number(&six[at + i]));
    let optional = |six: &Option<[ballesta::model::schema::Number; 6]>, at: usize| {
        six.as_ref().map_or(Vec3::zeros(), |six| three(six, at))
    };
    let elastic = |x: &Vec3, at: usize| optional(&bushing.preload, at) - three(&bushing.stiffness, at).component_mul(x);
    let force = elastic(&frame.tr_mul(&d), 0) - optional(&bushing.damping, 0).component_mul(&speed);
    let damping = optional(&bushing.damping, 3).component_mul(&spin);
    let torque =
        left_jacobian(&turn).transpose().try_inverse().expect("less than a turn") * elastic(&turn, 3) - damping;
    let (force, torque) = (frame * force, frame * torque);
    loads.add(scene, second.body, &second.position, force);
    loads.add(scene, first.body, &second.position, -force);
    loads.wrenches[second.body].1 += torque;
    loads.wrenches[first.body].1 -= torque;
}

/// Σ θ̃ᵏ / (k + 1)!
fn left_jacobian(turn: &Vec3) -> Mat3 {
    let (skew, mut term) = (turn.cross_matrix(), Mat3::identity());
    let mut sum = term;
    for k in 2..40 {
        term = term * skew / k as f64;
        sum += term;
    }
    sum
}
