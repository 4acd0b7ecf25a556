//! Kinematics and compliance: three tests of all axles at once, and loads on single wheels.
//!
//! `bump`: all wheels up and down together. `roll`: left wheels up, right ones as far down, and back. `steer`: the
//! steering input, at height 0. Every figure of [`WHEEL`] and [`AXLE`] is computed at every point. Slopes over the
//! height are for both wheels of the axle in parallel (`.rate`, gradients, support angles) or in opposition (roll
//! centre, roll rate), with the other axles held.
//!
//! The steering axis is the axis of the carrier's motion by the steering input. In this motion the springs and dampers
//! of the suspension change their lengths least, so the suspension is at rest. Without springs and dampers, heights are
//! held. Angles of springs that twist count with an arm of 0.3 m. The twist of the steering column does not count.
//!
//! Compliance is computed at height 0 with the heights of all wheels held. Loads act at the contact or at the wheel
//! centre, on both wheels of the axle, in parallel or in opposition.

use super::wheel::{Pose, SteeringAxis, Twist, ackermann, roll_centre};
use super::{Axle, Direction, Reading, Rig};
use ballesta::math::elementary::atan2;
use ballesta::math::{Vec3, largest};
use ballesta::system::State;
use ballesta_files::failure::Failure;
use serde::Serialize;

/// Name, unit and meaning of a figure.
pub type Figure = (&'static str, &'static str, &'static str);

/// Figures of every wheel.
pub const WHEEL: [Figure; 17] = [
    ("height", "m", "wheel centre above its design position"),
    ("load", "N", "vertical force of the rig on the wheel"),
    ("steer", "rad", "steer angle, to the left"),
    ("toe", "rad", "toe angle, toe-in positive"),
    ("camber", "rad", "camber, top outward positive"),
    ("forward", "m", "wheel centre ahead of its design position"),
    ("outward", "m", "wheel centre outboard of its design position"),
    ("rate", "N/m", "wheel rate, parallel wheel travel of the axle"),
    ("toe_gradient", "rad/m", "toe change per wheel travel"),
    ("camber_gradient", "rad/m", "camber change per wheel travel"),
    (
        "contact_support",
        "rad",
        "support angle for forces at the contact: anti-dive at the front, anti-lift at the rear",
    ),
    (
        "centre_support",
        "rad",
        "support angle for forces at the wheel centre: anti-lift at the front, anti-squat at the rear",
    ),
    ("caster", "rad", "caster angle, top rearward positive"),
    ("inclination", "rad", "kingpin inclination, top inward positive"),
    ("scrub_radius", "m", "steering axis to contact, on the ground, contact outboard positive"),
    ("trail", "m", "contact to steering axis, on the ground, axis ahead positive"),
    ("ackermann", "rad", "steer angle of the inner wheel minus the Ackermann angle"),
];
/// The first figure of [`WHEEL`] that only steered wheels have.
const STEERED: usize = 12;

/// Figures of every axle with two wheels.
pub const AXLE: [Figure; 7] = [
    ("track_change", "m", "distance between the contacts, change from the design position"),
    ("forward", "m", "mean forward displacement of the wheel centres: change of the wheelbase"),
    ("roll_centre.height", "m", "roll centre above the contacts"),
    ("roll_centre.y", "m", "roll centre to the left"),
    ("roll_rate", "N.m/rad", "roll rate of the axle at the wheels"),
    ("roll_steer", "rad/rad", "mean steer angle per roll angle of the body relative to the wheels"),
    ("steering_ratio", "1", "steering ratio: input per mean steer angle"),
];

/// Settings of the tests.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    /// Largest height in `bump` and `roll`, m.
    pub travel: f64,
    /// Largest change of the steering input in `steer`, its unit. None: the input that steers the wheels by
    /// [`DEFAULT_STEER`].
    pub steering: Option<f64>,
    /// Points of every test; odd, so one point is at 0.
    pub points: usize,
}

/// Target mean steer angle of the test `steer`, rad.
pub const DEFAULT_STEER: f64 = 0.35;
/// Fraction of the largest steer angle per input below which a wheel is not steered.
const STEER_TOLERANCE: f64 = 1e-3;

/// The three tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All wheels up and down.
    Bump,
    /// Left wheels against right wheels.
    Roll,
    /// The steering input.
    Steer,
}

impl Kind {
    /// Name of the test.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Bump => "bump",
            Kind::Roll => "roll",
            Kind::Steer => "steer",
        }
    }
}

/// One test with a row per point.
pub struct Test {
    /// The test.
    pub kind: Kind,
    /// Height of the left wheels in m, or change of the steering input, at every point, ascending.
    pub along: Vec<f64>,
    /// Figures at every point, in the order of [`Report::columns`].
    pub rows: Vec<Vec<f64>>,
    /// States at every point.
    pub states: Vec<State>,
    /// Outputs of the system on the rig at every point.
    pub outputs: Vec<Vec<f64>>,
    /// Position and reason of an early end.
    pub ended: Vec<String>,
}

/// A figure of a wheel or an axle.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// `axle1.left.toe`.
    pub name: String,
    /// Symbol of the unit.
    pub unit: &'static str,
    /// Description.
    pub description: &'static str,
}

/// Effect of a load on its wheel, per N or N m, with all heights held.
#[derive(Clone, Debug, Serialize)]
pub struct Compliance {
    /// `axle1.left`.
    pub wheel: String,
    /// `lateral`, `braking`, `driving`, `aligning`.
    pub load: &'static str,
    /// Whether the load on the other wheel is opposite.
    pub opposite: bool,
    /// Steer angle, to the left, rad.
    pub steer: f64,
    /// Toe, rad.
    pub toe: f64,
    /// Camber, rad.
    pub camber: f64,
    /// Wheel centre forward, m.
    pub forward: f64,
    /// Wheel centre to the left, m.
    pub left: f64,
    /// Contact to the left, m.
    pub contact_left: f64,
}

/// Loads: name, force forward and to the left, torque about z; whether they act at the contact.
const LOADS: [(&str, [f64; 3], bool); 4] = [
    ("lateral", [0.0, 1.0, 0.0], true),
    ("braking", [1.0, 0.0, 0.0], true),
    ("driving", [1.0, 0.0, 0.0], false),
    ("aligning", [0.0, 0.0, 1.0], true),
];

/// All results of the rig.
pub struct Report {
    /// Meaning of the entries of a row.
    pub columns: Vec<Column>,
    /// Figures at height 0, straight ahead.
    pub home: Vec<f64>,
    /// The tests.
    pub tests: Vec<Test>,
    /// Compliance at height 0, straight ahead.
    pub compliance: Vec<Compliance>,
    /// Wheelbase of every axle to the mean of the unsteered axles, m; none if all are steered.
    pub wheelbase: Vec<Option<f64>>,
}

/// Runs all tests. The rig is left in its design position.
pub fn run(rig: &mut Rig, ranges: &Ranges) -> Result<Report, Failure> {
    rig.go_home();
    let (still, straight) = (vec![0.0; rig.wheels.len()], rig.straight());
    let design = rig.go(&still, straight)?;
    let looks = DesignReference::new(rig, design);
    let home = looks.row(rig, &looks.design);
    let mut tests = Vec::new();
    let sides: Vec<f64> = rig.wheels.iter().map(|wheel| wheel.side).collect();
    let none = vec![0.0; sides.len()];
    let mut kinds = vec![(Kind::Bump, vec![1.0; sides.len()], 0.0, ranges.travel)];
    if rig.axles.iter().any(|axle| axle.wheels.len() == 2) {
        kinds.push((Kind::Roll, sides, 0.0, ranges.travel));
    }
    let turned = largest(&looks.steered);
    if let (Some(index), true) = (rig.steering, turned > 0.0) {
        let input = &rig.document.model.inputs[index];
        let room = [input.min.map(|min| straight - min), input.max.map(|max| max - straight)];
        let room = room.into_iter().flatten().fold(f64::INFINITY, f64::min);
        let most = ranges.steering.unwrap_or((DEFAULT_STEER / turned).min(room));
        // At the end of its range an input can change to one side only.
        if most > 0.0 {
            kinds.push((Kind::Steer, none, 1.0, most));
        }
    }
    for (kind, heights, steering, most) in kinds {
        let place = |amount: f64| -> (Vec<f64>, f64) {
            (heights.iter().map(|part| part * amount).collect(), straight + steering * amount)
        };
        tests.push(sweep(rig, &looks, kind, most, ranges.points, &place)?);
    }
    rig.go_home();
    let wheelbase = looks.wheelbase.clone();
    Ok(Report { columns: looks.columns(rig), home, tests, compliance: compliance(rig, &looks.design), wheelbase })
}

/// Runs one test, from 0 to both ends.
fn sweep(
    rig: &mut Rig,
    looks: &DesignReference,
    kind: Kind,
    most: f64,
    points: usize,
    place: &dyn Fn(f64) -> (Vec<f64>, f64),
) -> Result<Test, Failure> {
    // Each half starts at the design position, so that every point starts from a near solution.
    let mut test = Test { kind, along: vec![], rows: vec![], states: vec![], outputs: vec![], ended: vec![] };
    let half = points / 2;
    for sign in [-1.0, 1.0] {
        rig.go_home();
        for k in usize::from(sign > 0.0)..=half {
            let driven_value = sign * most * k as f64 / half as f64;
            let (heights, steering) = place(driven_value);
            // A point that cannot be reached ends its half; the design position must be reachable.
            match rig.go(&heights, steering) {
                Ok(reading) => {
                    test.along.push(driven_value);
                    test.rows.push(looks.row(rig, &reading));
                    test.states.push(rig.state().clone());
                    test.outputs.push(reading.outputs);
                }
                Err(failure) if k > 0 => {
                    test.ended.push(format!("before {driven_value}: {failure}"));
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        // Negative values were computed outwards; ascending order is needed.
        if sign < 0.0 {
            test.along.reverse();
            test.rows.reverse();
            test.states.reverse();
            test.outputs.reverse();
        }
    }
    Ok(test)
}

/// Reference values of the design position.
struct DesignReference {
    design: Reading,
    /// Mean steer angle of every axle per steering input, rad; 0 for an unsteered axle.
    steered: Vec<f64>,
    wheelbase: Vec<Option<f64>>,
}

impl DesignReference {
    fn new(rig: &Rig, design: Reading) -> DesignReference {
        let steer = |axle: &Axle| match rig.steering {
            Some(input) => {
                let slope = |&k: &usize| design.pose(k, &rig.wheels[k]).slopes(&design.twist(k, &[(input, 1.0)]))[0];
                axle.wheels.iter().map(slope).sum::<f64>() / axle.wheels.len() as f64
            }
            None => 0.0,
        };
        let mut steered: Vec<f64> = rig.axles.iter().map(steer).collect();
        let most = largest(&steered);
        steered.iter_mut().filter(|steer| steer.abs() <= STEER_TOLERANCE * most).for_each(|steer| *steer = 0.0);
        let place = |axle: &Axle| rig.wheels[axle.wheels[0]].centre.x;
        let straight: Vec<f64> =
            rig.axles.iter().zip(&steered).filter(|(_, steer)| **steer == 0.0).map(|(axle, _)| place(axle)).collect();
        let behind = straight.iter().sum::<f64>() / straight.len() as f64;
        let base = |(axle, steer): (&Axle, &f64)| {
            (*steer != 0.0 && !straight.is_empty()).then(|| (place(axle) - behind).abs())
        };
        let wheelbase = rig.axles.iter().zip(&steered).map(base).collect();
        DesignReference { design, steered, wheelbase }
    }

    /// Number of figures per wheel of an axle.
    fn figures(&self, axle: usize) -> usize {
        match (self.steered[axle] != 0.0, self.wheelbase[axle]) {
            (false, _) => STEERED,
            (true, None) => WHEEL.len() - 1,
            (true, Some(_)) => WHEEL.len(),
        }
    }

    fn of_axle(&self, rig: &Rig, axle: usize) -> usize {
        match (rig.axles[axle].wheels.len(), self.steered[axle] != 0.0) {
            (1, _) => 0,
            (_, false) => AXLE.len() - 1,
            (_, true) => AXLE.len(),
        }
    }

    fn columns(&self, rig: &Rig) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut add = |owner: &str, figures: &[Figure]| {
            let column =
                |&(name, unit, description): &Figure| Column { name: format!("{owner}.{name}"), unit, description };
            columns.extend(figures.iter().map(column));
        };
        for (number, axle) in rig.axles.iter().enumerate() {
            axle.wheels.iter().for_each(|&k| add(&rig.wheels[k].name, &WHEEL[..self.figures(number)]));
            add(&axle.name, &AXLE[..self.of_axle(rig, number)]);
        }
        columns
    }

    fn row(&self, rig: &Rig, reading: &Reading) -> Vec<f64> {
        let mut row = Vec::new();
        for (number, axle) in rig.axles.iter().enumerate() {
            let at = AxleState { rig, axle, reading, looks: self, number };
            let steering = at.steering();
            for &k in &axle.wheels {
                row.extend_from_slice(&at.wheel(k, &steering)[..self.figures(number)]);
            }
            if axle.wheels.len() == 2 {
                row.extend_from_slice(&at.axle()[..self.of_axle(rig, number)]);
            }
        }
        row
    }
}

/// An axle at one position of the rig.
struct AxleState<'a> {
    rig: &'a Rig,
    axle: &'a Axle,
    number: usize,
    reading: &'a Reading,
    looks: &'a DesignReference,
}

impl AxleState<'_> {
    /// Heights of both wheels in parallel, or with `opposite` the left wheel up and the right wheel down.
    fn together(&self, opposite: bool) -> Direction {
        let part = |k: usize| if opposite { self.rig.wheels[k].side } else { 1.0 };
        self.axle.wheels.iter().map(|&k| (self.rig.height(k), part(k))).collect()
    }

    fn twist(&self, wheel: usize, direction: &[(usize, f64)]) -> Twist {
        self.reading.twist(wheel, direction)
    }

    /// Steering input with the heights that change the spring lengths least.
    fn steering_motion(&self) -> Option<Direction> {
        let input = self.rig.steering.filter(|_| self.looks.steered[self.number] != 0.0)?;
        let (wheels, axle) = (self.rig.wheels.len(), &self.axle.wheels);
        let springs = &self.rig.springs;
        let slope =
            |number: usize, input: usize| springs[number] * self.reading.spring_slope(wheels, number, &[(input, 1.0)]);
        // Normal equations of the least squares, with one or two unknowns.
        let (mut matrix, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for number in 0..springs.len() {
            let of = |k: usize| axle.get(k).map_or(0.0, |&wheel| slope(number, self.rig.height(wheel)));
            let (columns, own) = ([of(0), of(1)], slope(number, input));
            for i in 0..2 {
                (0..2).for_each(|j| matrix[i][j] += columns[i] * columns[j]);
                right[i] -= columns[i] * own;
            }
        }
        let [[a, b], [_, d]] = matrix;
        let determinant = a * d - b * b;
        let heights = if determinant > 1e-12 * a * d {
            [(d * right[0] - b * right[1]) / determinant, (a * right[1] - b * right[0]) / determinant]
        } else if a > 0.0 {
            [right[0] / a, 0.0]
        } else {
            [0.0; 2]
        };
        let mut direction = vec![(input, 1.0)];
        direction.extend(axle.iter().zip(heights).map(|(&wheel, height)| (self.rig.height(wheel), height)));
        Some(direction)
    }

    /// Steering axes of the wheels of this axle.
    fn steering(&self) -> Vec<Option<SteeringAxis>> {
        let motion = self.steering_motion();
        let axis = |&k: &usize| {
            let pose = self.reading.pose(k, &self.rig.wheels[k]);
            pose.steering_axis(&self.twist(k, motion.as_ref()?))
        };
        self.axle.wheels.iter().map(axis).collect()
    }

    fn wheel(&self, k: usize, steering: &[Option<SteeringAxis>]) -> [f64; WHEEL.len()] {
        // Pose relative to the design position.
        let wheel = &self.rig.wheels[k];
        let pose = self.reading.pose(k, wheel);
        let design = self.looks.design.pose(k, wheel);
        let moved = pose.centre - design.centre;
        // Motion of the wheel per unit of parallel bump.
        let bump = self.together(false);
        let twist = self.twist(k, &bump);
        let [steer, camber] = pose.slopes(&twist);
        let contact = pose.contact_motion(&twist);
        // Support angles: direction of the motion of the contact point and of the wheel centre in side view.
        let support = |motion: &Vec3| atan2(self.axle.end * motion.x, motion.z);
        // Wheels that are not steered have no steering axis.
        let own = self.axle.wheels.iter().position(|&wheel| wheel == k).and_then(|index| steering[index]);
        let of_axis = |figure: fn(&SteeringAxis) -> f64| own.as_ref().map_or(f64::NAN, figure);
        // Values in the order of `WHEEL`.
        [
            pose.centre.z - wheel.centre.z,
            self.reading.load(k),
            pose.steer(),
            pose.toe(),
            pose.camber(),
            moved.x,
            wheel.side * moved.y,
            self.reading.load_slope(k, &bump),
            -wheel.side * steer,
            camber,
            support(&contact),
            support(&twist.velocity),
            of_axis(|axis| axis.caster),
            of_axis(|axis| axis.inclination),
            of_axis(|axis| axis.scrub_radius),
            of_axis(|axis| axis.trail),
            self.beyond_ackermann(k, steering),
        ]
    }

    /// Value for the wheel inside the turn; 0 for the other wheel, and if both wheels do not steer to one side.
    fn beyond_ackermann(&self, k: usize, steering: &[Option<SteeringAxis>]) -> f64 {
        let (Some(base), &[left, right]) = (self.looks.wheelbase[self.number], self.axle.wheels.as_slice()) else {
            return 0.0;
        };
        let [to_left, other] = [left, right].map(|k| self.reading.pose(k, &self.rig.wheels[k]).steer());
        let sign = if to_left > 0.0 { 1.0 } else { -1.0 };
        if !(to_left * other > 0.0) || sign != self.rig.wheels[k].side {
            return 0.0;
        }
        let &[Some(first), Some(second)] = steering else { return f64::NAN };
        let track = (first.ground.y - second.ground.y).abs();
        let (inner, outer) = if sign > 0.0 { (to_left, other) } else { (other, to_left) };
        sign * inner - ackermann(sign * outer, track, base)
    }

    fn axle(&self) -> [f64; AXLE.len()] {
        let (rig, [left, right]) = (self.rig, [self.axle.wheels[0], self.axle.wheels[1]]);
        let poses = [left, right].map(|k| self.reading.pose(k, &rig.wheels[k]));
        let design = [left, right].map(|k| self.looks.design.pose(k, &rig.wheels[k]));
        let track = |poses: &[Pose; 2]| poses[0].contact.y - poses[1].contact.y;
        let moved = |k: usize| poses[k].centre.x - design[k].centre.x;
        let roll = self.together(true);
        let twists = [left, right].map(|k| self.twist(k, &roll));
        let motions = [0, 1].map(|k: usize| poses[k].contact_motion(&twists[k]));
        let [y, z] = roll_centre(poses.map(|pose| pose.contact), motions);
        let ground = 0.5 * (poses[0].contact.z + poses[1].contact.z);
        // The body rolls relative to the wheels: to the right (positive about x) if the right wheels move up.
        let width = poses[0].centre.y - poses[1].centre.y;
        let angle = -2.0 / width;
        let loads = [left, right].map(|k| self.reading.load_slope(k, &roll));
        let moment = poses[0].centre.y * loads[0] + poses[1].centre.y * loads[1]
            - 0.5 * (poses[0].centre.y + poses[1].centre.y) * (loads[0] + loads[1]);
        let steer = |twists: &[Twist; 2]| 0.5 * (poses[0].slopes(&twists[0])[0] + poses[1].slopes(&twists[1])[0]);
        let turned =
            rig.steering.map_or(f64::NAN, |input| steer(&[left, right].map(|k| self.twist(k, &[(input, 1.0)]))));
        [
            track(&poses) - track(&design),
            0.5 * (moved(0) + moved(1)),
            z - ground,
            y,
            -moment / angle,
            steer(&twists) / angle,
            1.0 / turned,
        ]
    }
}

/// Compliance of all wheels at one position.
fn compliance(rig: &Rig, reading: &Reading) -> Vec<Compliance> {
    let mut list = Vec::new();
    for axle in &rig.axles {
        for (load, [forward, lateral, turn], at_contact) in LOADS {
            for opposite in [false, true].into_iter().take(axle.wheels.len()) {
                let mut direction = Direction::new();
                for &k in &axle.wheels {
                    let wheel = &rig.wheels[k];
                    let pose = reading.pose(k, wheel);
                    let arm = if at_contact { pose.contact - pose.centre } else { Vec3::zeros() };
                    let sign = if opposite { wheel.side } else { 1.0 };
                    let (force, torque) = (Vec3::new(forward, lateral, 0.0) * sign, Vec3::new(0.0, 0.0, turn) * sign);
                    direction.extend(rig.load(k, force, torque, arm));
                }
                for &k in &axle.wheels {
                    let wheel = &rig.wheels[k];
                    let (pose, twist) = (reading.pose(k, wheel), reading.twist(k, &direction));
                    // Per load on this wheel itself.
                    let own = if opposite { wheel.side } else { 1.0 };
                    let [steer, camber] = pose.slopes(&twist).map(|slope| own * slope);
                    let contact = pose.contact_motion(&twist);
                    list.push(Compliance {
                        wheel: wheel.name.clone(),
                        load,
                        opposite,
                        steer,
                        toe: -wheel.side * steer,
                        camber,
                        forward: own * twist.velocity.x,
                        left: own * twist.velocity.y,
                        contact_left: own * contact.y,
                    });
                }
            }
        }
    }
    list
}
