//! Rows of the velocity equations in absolute coordinates, from the tables of the model file.
//!
//! Unknowns per body: velocity of its centre of mass and angular velocity, world axes. A row says J v = `rate` and J v̇
//! = `acceleration`. The velocity-dependent terms are written out by hand: a row e · (ω₂ − ω₁) with the direction e
//! fixed in the first body has the derivative e · (α₂ − α₁) + (ω₁ × e) · (ω₂ − ω₁), and so on.

use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{CoordinateRef, Joint, JointKind, Model, Number, Place, Vector};

/// Position and velocity of a body's centre of mass, rotation since the design position, angular velocity; world axes.
#[derive(Clone, Copy, Debug)]
pub struct BodyState {
    pub position: Vec3,
    pub rotation: Mat3,
    pub velocity: Vec3,
    pub spin: Vec3,
}

/// One equation between the velocities of bodies. The number behind the last body is the ground.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Body; what its velocity and its angular velocity are multiplied with.
    pub entries: Vec<(usize, Vec3, Vec3)>,
    /// J v.
    pub rate: f64,
    /// J v̇.
    pub acceleration: f64,
    /// How far the equation of positions is from being met, m or rad; of a coordinate its value.
    pub gap: f64,
}

impl Row {
    /// `factor` times the other row is added, everything but the gap.
    pub fn add(&mut self, factor: f64, other: &Row) {
        self.entries.extend(other.entries.iter().map(|(body, v, w)| (*body, v * factor, w * factor)));
        self.rate += factor * other.rate;
        self.acceleration += factor * other.acceleration;
    }
}

/// A point that a body carries.
#[derive(Clone, Copy)]
pub struct Point {
    pub body: usize,
    /// From the centre of mass.
    pub arm: Vec3,
    pub position: Vec3,
    pub velocity: Vec3,
    /// ω × (ω × arm).
    pub centripetal: Vec3,
}

/// The bodies of a model in a state.
pub struct Scene<'m> {
    pub model: &'m Model,
    /// The ground is the last.
    pub states: Vec<BodyState>,
    /// Centres of mass in the design position.
    pub centres: Vec<Vec3>,
}

/// A number of the file.
pub fn number(number: &Number) -> f64 {
    match number {
        Number::Value(value) => *value,
        Number::Parameter(name) => panic!("no parameters here: {name}"),
    }
}

pub fn vector(v: &Vector) -> Vec3 {
    Vec3::new(number(&v[0]), number(&v[1]), number(&v[2]))
}

pub fn place(model: &Model, place: &Place) -> Vec3 {
    match place {
        Place::At(v) => vector(v),
        Place::Point(name) => vector(&model.points[name]),
    }
}

/// Two directions that make a right-handed triad with the unit vector `u`.
fn across(u: &Vec3) -> (Vec3, Vec3) {
    let k = u.iamin();
    let mut helper = Vec3::zeros();
    helper[k] = 1.0;
    let first = (helper - u * u[k]).normalize();
    (first, u.cross(&first))
}

impl<'m> Scene<'m> {
    /// `states`: one per body of the file.
    pub fn new(model: &'m Model, states: &[BodyState]) -> Self {
        let rest = BodyState {
            position: Vec3::zeros(),
            rotation: Mat3::identity(),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
        };
        let centre =
            |com: &Option<Place>| place(model, com.as_ref().expect("generated bodies say where their centre is"));
        let centres = model.bodies.iter().map(|body| centre(&body.com)).chain([Vec3::zeros()]).collect();
        let states = states.iter().copied().chain([rest]).collect();
        Scene { model, states, centres }
    }

    pub fn body(&self, name: &str) -> usize {
        let found = self.model.bodies.iter().position(|body| body.name == name);
        found.unwrap_or_else(|| if name == "ground" { self.model.bodies.len() } else { panic!("no body {name}") })
    }

    /// The point of a body that is at `design` in the design position.
    pub fn point(&self, body: usize, design: &Vec3) -> Point {
        let state = &self.states[body];
        let arm = state.rotation * (design - self.centres[body]);
        let turning = state.spin.cross(&arm);
        Point {
            body,
            arm,
            position: state.position + arm,
            velocity: state.velocity + turning,
            centripetal: state.spin.cross(&turning),
        }
    }

    /// The place of a joint in the design position; without `point` the centre of mass of the second body, or of the
    /// first if that is the ground.
    pub fn joint_point(&self, joint: &Joint) -> Vec3 {
        let [first, second] = [0, 1].map(|k| self.body(&joint.bodies[k]));
        let carrier = if second == self.model.bodies.len() { first } else { second };
        joint.point.as_ref().map_or(self.centres[carrier], |point| place(self.model, point))
    }

    /// e · (second − first) = 0 for the direction `e` in world axes, fixed in the world: a coincidence of points.
    fn coincidence(&self, first: &Point, second: &Point, e: Vec3) -> Row {
        Row {
            entries: vec![(second.body, e, second.arm.cross(&e)), (first.body, -e, -first.arm.cross(&e))],
            rate: 0.0,
            acceleration: -e.dot(&(second.centripetal - first.centripetal)),
            gap: e.dot(&(second.position - first.position)),
        }
    }

    /// Translation of the second point along `e`, which is fixed in the body of the first.
    fn translation(&self, first: &Point, second: &Point, e: &Vec3) -> Row {
        let body = &self.states[first.body];
        let e = body.rotation * e;
        let d = second.position - first.position;
        let d_rate = second.velocity - first.velocity;
        let carried = d_rate - body.spin.cross(&d);
        let bias = body.spin.cross(&e).dot(&carried)
            + e.dot(&(second.centripetal - first.centripetal - body.spin.cross(&d_rate)));
        Row {
            entries: vec![(second.body, e, second.arm.cross(&e)), (first.body, -e, -(first.arm + d).cross(&e))],
            rate: 0.0,
            acceleration: -bias,
            gap: e.dot(&d),
        }
    }

    /// e · (ω₂ − ω₁) = 0 for a direction in world axes with the rate `e_rate`.
    fn turning(&self, first: usize, second: usize, e: Vec3, e_rate: Vec3, gap: f64) -> Row {
        let none = Vec3::zeros();
        let bias = e_rate.dot(&(self.states[second].spin - self.states[first].spin));
        Row { entries: vec![(second, none, e), (first, none, -e)], rate: 0.0, acceleration: -bias, gap }
    }

    /// The same for a direction fixed in the first body.
    fn turning_about(&self, first: usize, second: usize, e: &Vec3, gap: f64) -> Row {
        let e = self.states[first].rotation * e;
        self.turning(first, second, e, self.states[first].spin.cross(&e), gap)
    }

    /// Unit axis and what completes it to a triad. Universal, planar: with the second axis.
    fn axes(&self, joint: &Joint) -> [Vec3; 3] {
        let axis = joint.axis.as_ref().map_or(Vec3::x(), |axis| vector(axis).normalize());
        let helper = match (joint.kind, &joint.second_axis) {
            (JointKind::Universal | JointKind::Planar, Some(second)) => vector(second),
            (JointKind::Planar, None) => {
                if axis.x.abs() < 0.9 {
                    Vec3::x()
                } else {
                    Vec3::y()
                }
            }
            _ => across(&axis).0,
        };
        let second = (helper - axis * axis.dot(&helper)).normalize();
        [axis, second, axis.cross(&second)]
    }

    /// The equations of a joint.
    pub fn joint(&self, joint: &Joint) -> Vec<Row> {
        let [a, b] = [0, 1].map(|k| self.body(&joint.bodies[k]));
        let design = self.joint_point(joint);
        let (first, second) = (self.point(a, &design), self.point(b, &design));
        let [axis, t1, t2] = self.axes(joint);
        let (r1, r2) = (self.states[a].rotation, self.states[b].rotation);
        let point = || [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| self.coincidence(&first, &second, e)).to_vec();
        let parallel = || [t1, t2].map(|t| self.turning_about(a, b, &t, (r1 * t).dot(&(r2 * axis)))).to_vec();
        let twist = || vec![self.turning_about(a, b, &axis, (r1 * t2).dot(&(r2 * t1)))];
        let across = || [t1, t2].map(|t| self.translation(&first, &second, &t)).to_vec();
        match joint.kind {
            JointKind::Fixed => [point(), parallel(), twist()].concat(),
            JointKind::Revolute => [point(), parallel()].concat(),
            JointKind::Prismatic => [across(), parallel(), twist()].concat(),
            JointKind::Cylindrical => [across(), parallel()].concat(),
            JointKind::Planar => [vec![self.translation(&first, &second, &axis)], parallel()].concat(),
            JointKind::Spherical => point(),
            JointKind::Floating => vec![],
            JointKind::Universal => {
                // No turning about the common perpendicular of the two axes.
                let (u, w) = (r1 * axis, r2 * t1);
                let (spin_1, spin_2) = (self.states[a].spin, self.states[b].spin);
                let normal_rate = spin_1.cross(&u).cross(&w) + u.cross(&spin_2.cross(&w));
                let mut rows = point();
                rows.push(self.turning(a, b, u.cross(&w), normal_rate, u.dot(&w)));
                rows
            }
            other => panic!("no equations for {other:?}"),
        }
    }

    /// The motion of a scalar coordinate: J v is its speed, its value stands for the gap, and J v̇ + (−acceleration) is
    /// its acceleration.
    pub fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> Row {
        let joint = self.model.joints.iter().find(|other| other.name == joint).expect("a joint");
        let name = joint.kind.coordinate(coordinate).expect("a scalar coordinate").name;
        let [a, b] = [0, 1].map(|k| self.body(&joint.bodies[k]));
        let design = self.joint_point(joint);
        let (first, second) = (self.point(a, &design), self.point(b, &design));
        let [axis, t1, t2] = self.axes(joint);
        let relative = self.states[a].rotation.tr_mul(&self.states[b].rotation);
        let angle = |axis: &Vec3, from: &Vec3, to: &Vec3| to.dot(&axis.cross(from)).atan2(to.dot(from));
        match (joint.kind, name) {
            (JointKind::Universal, "angle") => self.turning_about(a, b, &axis, angle(&axis, &t1, &(relative * t1))),
            (JointKind::Universal, _) => {
                let e = self.states[b].rotation * t1;
                let value = -angle(&t1, &axis, &relative.tr_mul(&axis));
                self.turning(a, b, e, self.states[b].spin.cross(&e), value)
            }
            (_, "angle") => self.turning_about(a, b, &axis, angle(&axis, &t1, &(relative * t1))),
            (_, "travel") => self.translation(&first, &second, &axis),
            (JointKind::Planar, "x") => self.translation(&first, &second, &t1),
            (JointKind::Planar, _) => self.translation(&first, &second, &t2),
            (_, "x") => self.translation(&first, &second, &Vec3::x()),
            (_, "y") => self.translation(&first, &second, &Vec3::y()),
            _ => self.translation(&first, &second, &Vec3::z()),
        }
    }

    pub fn coordinate_of(&self, reference: &CoordinateRef) -> Row {
        self.coordinate(&reference.joint, reference.coordinate.as_deref())
    }

    /// Σ factor · coordinate = offset.
    pub fn coupler(&self, terms: &[(CoordinateRef, f64)], offset: f64) -> Row {
        let mut row = Row { entries: vec![], rate: 0.0, acceleration: 0.0, gap: -offset };
        for (on, factor) in terms {
            let on = self.coordinate_of(on);
            row.gap += factor * on.gap;
            row.add(*factor, &on);
        }
        row
    }

    /// A point of the second body in directions fixed in the first, through the same place in the design position.
    pub fn guided_point(&self, bodies: &[String; 2], design: &Vec3, directions: &[Vec3]) -> Vec<Row> {
        let [first, second] = [0, 1].map(|k| self.point(self.body(&bodies[k]), design));
        directions.iter().map(|e| self.translation(&first, &second, e)).collect()
    }

    /// Two directions across a line.
    pub fn across_line(axis: &Vec3) -> [Vec3; 2] {
        let (first, second) = across(&axis.normalize());
        [first, second]
    }

    /// The distance of two points: u · (v₂ − v₁) = 0 with the unit vector u along them.
    pub fn distance(&self, first: &Point, second: &Point, length: f64) -> Row {
        let (d, v) = (second.position - first.position, second.velocity - first.velocity);
        let u = d.normalize();
        let turning = (v - u * u.dot(&v)).norm_squared() / d.norm();
        Row {
            entries: vec![(second.body, u, second.arm.cross(&u)), (first.body, -u, -first.arm.cross(&u))],
            rate: 0.0,
            acceleration: -turning - u.dot(&(second.centripetal - first.centripetal)),
            gap: d.norm() - length,
        }
    }

    /// A rod with mass is a body of its own, number `rod` among the unknowns: its ends meet the points of the bodies,
    /// and it does not spin about its line, which nothing resists.
    pub fn rod(&self, ends: [&Point; 2], rod: usize) -> [Vec<Row>; 3] {
        let d = ends[1].position - ends[0].position;
        let (length, u) = (d.norm(), d.normalize());
        let spin = u.cross(&(ends[1].velocity - ends[0].velocity)) / length;
        let meet = |end: usize, half: f64| {
            let arm = u * (half * length);
            let centripetal = spin.cross(&spin.cross(&arm));
            let row = |e: Vec3| Row {
                entries: vec![(ends[end].body, e, ends[end].arm.cross(&e)), (rod, -e, -arm.cross(&e))],
                rate: 0.0,
                acceleration: -e.dot(&(ends[end].centripetal - centripetal)),
                gap: 0.0,
            };
            [Vec3::x(), Vec3::y(), Vec3::z()].map(row).to_vec()
        };
        let no_spin = Row { entries: vec![(rod, Vec3::zeros(), u)], ..Row::default() };
        [meet(0, -0.5), meet(1, 0.5), vec![no_spin]]
    }
}
