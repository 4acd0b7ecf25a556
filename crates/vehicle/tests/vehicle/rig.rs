//! Axles on the rig against the geometry of their hardpoints, against differences, and against themselves.

use ballesta::math::Vec3;
use ballesta::model::Document;
use ballesta::model::schema::{Number, Place};
use ballesta_run::model::{self, Assignment};
use ballesta_vehicle::rig::kc::{self, Kind, Ranges, Report};
use ballesta_vehicle::rig::{Rig, Setup};
use std::path::Path;

const RANGES: Ranges = Ranges { travel: 0.06, steering: None, points: 7 };

fn open(path: &str) -> Document {
    crate::root::at_root();
    model::open(Path::new(path)).unwrap()
}

/// The double wishbone axle of the gallery, with springs in place of tyres, which are taken off.
fn double_wishbones() -> Setup {
    let names = |list: [&str; 2]| list.map(String::from).to_vec();
    Setup {
        wheels: names(["left.bearing", "right.bearing"]),
        radius: Some(0.3),
        fixed: vec!["chassis".into()],
        without: names(["left.tyre", "right.tyre"]),
        steering: None,
    }
}

fn measure(path: &str, set: &[Assignment], setup: &Setup, ranges: &Ranges) -> (Rig, Report) {
    let mut rig = Rig::new(&open(path), set, setup).unwrap_or_else(|failure| panic!("{failure}"));
    let report = kc::run(&mut rig, ranges).unwrap_or_else(|failure| panic!("{failure}"));
    (rig, report)
}

fn column(report: &Report, name: &str) -> usize {
    let found = report.columns.iter().position(|column| column.name == name);
    found.unwrap_or_else(|| panic!("no figure {name}"))
}

fn home(report: &Report, name: &str) -> f64 {
    report.home[column(report, name)]
}

fn close(name: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{name}: {found}, expected {expected}");
}

/// A left corner with two arms on hinges and a tie rod, as points that keep their distances: no rotation, no Jacobian.
struct Corner {
    /// Point and direction of the hinge, ball joint: of the lower and the upper arm.
    arms: [[Vec3; 3]; 2],
    tie_rod: [Vec3; 2],
    centre: Vec3,
    radius: f64,
}

/// Where a corner is: both ball joints, the outer end of the tie rod, the centre and a point on the spin axis.
struct Found {
    balls: [Vec3; 2],
    centre: Vec3,
    axis: Vec3,
}

/// `point` turned by `angle` about a hinge (Rodrigues).
fn turned(point: Vec3, hinge: Vec3, direction: Vec3, angle: f64) -> Vec3 {
    let (k, r) = (direction.normalize(), point - hinge);
    hinge + r * angle.cos() + k.cross(&r) * angle.sin() + k * (k.dot(&r) * (1.0 - angle.cos()))
}

/// A root of `f` near `start`, by the secant method.
fn root(start: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (start, start + 1e-3);
    let mut of_a = f(a);
    for _ in 0..60 {
        let of_b = f(b);
        if of_b == of_a || (b - a).abs() < 1e-16 {
            break;
        }
        let next = b - of_b * (b - a) / (of_b - of_a);
        (a, of_a, b) = (b, of_b, next);
    }
    b
}

/// The right-handed frame of three points.
fn frame([a, b, c]: [Vec3; 3]) -> [Vec3; 3] {
    let x = (b - a).normalize();
    let z = x.cross(&(c - a)).normalize();
    [x, z.cross(&x), z]
}

impl Corner {
    /// Of a model's points below `prefix`.
    fn of(
        document: &Document,
        prefix: &str,
        names: [[&str; 2]; 2],
        ends: [&str; 2],
        wheel: &str,
        radius: f64,
    ) -> Corner {
        let values = document.model.parameter_values();
        let point = |name: &str| document.model.resolve_place(&Place::Point(format!("{prefix}{name}")), &values);
        let arm = |joint: &str, ball: &str| {
            let joint = document.model.joints.iter().find(|found| found.name == format!("{prefix}{joint}")).unwrap();
            let axis = document.model.resolve_vector(joint.axis.as_ref().unwrap(), &values);
            [document.model.resolve_place(joint.point.as_ref().unwrap(), &values), axis, point(ball)]
        };
        let arms = names.map(|[joint, ball]| arm(joint, ball));
        Corner { arms, tie_rod: ends.map(point), centre: point(wheel), radius }
    }

    /// With the inner end of the tie rod moved by `rack` to the left, and the lower arm turned by `angle`.
    fn at_angle(&self, angle: f64, rack: f64) -> Found {
        let [lower, upper] = self.arms;
        let swing = |arm: [Vec3; 3], angle: f64| turned(arm[2], arm[0], arm[1], angle);
        let first = swing(lower, angle);
        let length = (upper[2] - lower[2]).norm();
        let second = swing(upper, root(angle, |angle| (swing(upper, angle) - first).norm() - length));
        // Outer end of the tie rod: on a circle about the line of the balls, at its distance from the inner end.
        let [inner, outer] = [self.tie_rod[0] + Vec3::y() * rack, self.tie_rod[1]];
        let design = frame([lower[2], upper[2], outer]);
        let inside = |point: Vec3| design.map(|axis| axis.dot(&(point - lower[2])));
        let local = inside(outer);
        let x = (second - first).normalize();
        let rod = (self.tie_rod[1] - self.tie_rod[0]).norm();
        let guess = design[1];
        let y0 = (guess - x * guess.dot(&x)).normalize();
        let place = |turn: f64, local: [f64; 3]| {
            let y = turned(y0, Vec3::zeros(), x, turn);
            first + x * local[0] + y * local[1] + x.cross(&y) * local[2]
        };
        let turn = root(0.0, |turn| (place(turn, local) - inner).norm() - rod);
        let [centre, beyond] = [self.centre, self.centre + Vec3::y()].map(|point| place(turn, inside(point)));
        Found { balls: [first, second], centre, axis: beyond - centre }
    }

    /// With its wheel centre `height` above the design position.
    fn at(&self, height: f64, rack: f64) -> Found {
        let arm = self.arms[0];
        let start = height / (arm[2] - arm[0]).y.abs() * arm[1].x.signum();
        self.at_angle(root(start, |angle| self.at_angle(angle, rack).centre.z - self.centre.z - height), rack)
    }
}

impl Found {
    fn toe(&self) -> f64 {
        (self.axis.x / self.axis.y).atan()
    }

    fn camber(&self) -> f64 {
        -self.axis.z.asin()
    }

    fn contact(&self, radius: f64) -> Vec3 {
        let down = -Vec3::z() + self.axis * self.axis.z;
        self.centre + down.normalize() * radius
    }
}

/// Figures of a left front wheel with double wishbones at `height`, by hand.
fn by_hand(corner: &Corner, height: f64) -> Vec<(&'static str, f64)> {
    let h = 1e-4;
    let (place, up, down) = (corner.at(height, 0.0), corner.at(height + h, 0.0), corner.at(height - h, 0.0));
    let contact = place.contact(corner.radius);
    // The point of the carrier at the contact, by the frames of the three places.
    let fixed = |other: &Found| {
        let carrier = |place: &Found| {
            let x = (place.balls[1] - place.balls[0]).normalize();
            let z = x.cross(&place.axis).normalize();
            [x, z.cross(&x), z]
        };
        let (here, there) = (carrier(&place), carrier(other));
        let local = here.map(|axis| axis.dot(&(contact - place.balls[0])));
        other.balls[0] + there[0] * local[0] + there[1] * local[1] + there[2] * local[2]
    };
    let path = (fixed(&up) - fixed(&down)) / (2.0 * h);
    let of_centre = (up.centre - down.centre) / (2.0 * h);
    let [lower, upper] = place.balls;
    let axis = (upper - lower).normalize();
    let ground = lower + axis * ((contact.z - lower.z) / axis.z);
    let level = Vec3::new(place.axis.x, place.axis.y, 0.0).normalize();
    let forward = Vec3::new(level.y, -level.x, 0.0);
    vec![
        ("toe", place.toe()),
        ("camber", place.camber()),
        ("forward", place.centre.x - corner.centre.x),
        ("outward", place.centre.y - corner.centre.y),
        ("toe_gradient", (up.toe() - down.toe()) / (2.0 * h)),
        ("camber_gradient", (up.camber() - down.camber()) / (2.0 * h)),
        ("contact_support", (path.x / path.z).atan()),
        ("centre_support", (of_centre.x / of_centre.z).atan()),
        ("caster", (-axis.x / axis.z).atan()),
        ("inclination", (-axis.y / axis.z).atan()),
        ("scrub_radius", (contact - ground).dot(&level)),
        ("trail", -(contact - ground).dot(&forward)),
        ("roll_centre.height", contact.y * path.y / path.z),
    ]
}

/// Compares all points of the bump test with the geometry; what it names is measured.
fn agrees_with_geometry(report: &Report, corner: &Corner, wheel: &str, axle: &str) {
    let bump = report.tests.iter().find(|test| test.kind == Kind::Bump).unwrap();
    let mut compared = 0;
    for (height, row) in bump.along.iter().zip(&bump.rows) {
        for (figure, expected) in by_hand(corner, *height) {
            let owner = if figure.contains('.') { axle } else { wheel };
            let name = format!("{owner}.{figure}");
            let Some(index) = report.columns.iter().position(|column| column.name == name) else { continue };
            // Differences of 0.1 mm leave 1e-7 of curvature.
            close(&format!("{name} at {height}"), row[index], expected, 2e-7);
            compared += 1;
        }
    }
    assert!(compared >= 7 * bump.rows.len(), "{compared} figures were compared");
}

#[test]
fn double_wishbones_follow_the_geometry_of_their_hardpoints() {
    let (_, report) = measure("models/double_wishbone_axle", &[], &double_wishbones(), &RANGES);
    let document = open("models/double_wishbone_axle");
    let arms = [["lower_arm", "lower_ball"], ["upper_arm", "upper_ball"]];
    let corner = Corner::of(&document, "left.", arms, ["rack_end", "steering_arm"], "wheel", 0.3);
    agrees_with_geometry(&report, &corner, "axle1.left", "axle1");
}

#[test]
fn the_front_axle_of_the_van_follows_the_geometry_of_its_hardpoints() {
    let (rig, report) = measure("models/van", &[], &Setup::default(), &RANGES);
    let document = open("models/van");
    let arms = [["lower_arm", "lower_ball"], ["upper_arm", "upper_ball"]];
    let ends = ["tie_rod_inner", "tie_rod_outer"];
    let corner = Corner::of(&document, "axle1.left.", arms, ends, "centre", rig.wheels[0].radius);
    agrees_with_geometry(&report, &corner, "axle1.left", "axle1");
    for name in ["caster", "scrub_radius", "trail", "inclination"] {
        column(&report, &format!("axle1.left.{name}"));
    }
    // 6.9 mm of rack per radian of the steering wheel, to the right where it turns to the left.
    let turned = |angle: f64| -corner.at(0.0, -0.0069 * angle).toe();
    let ratio = 2e-2 / (turned(1e-2) - turned(-1e-2));
    close("steering ratio", home(&report, "axle1.steering_ratio"), ratio, 1e-3 * ratio);
    let steer = report.tests.iter().find(|test| test.kind == Kind::Steer).unwrap();
    let index = column(&report, "axle1.left.steer");
    for (angle, row) in steer.along.iter().zip(&steer.rows) {
        close(&format!("steer angle at {angle}"), row[index], turned(*angle), 1e-9);
    }
}

#[test]
fn left_and_right_are_mirrored() {
    for (path, setup) in [("models/van", Setup::default()), ("models/double_wishbone_axle", double_wishbones())] {
        let (_, report) = measure(path, &[], &setup, &Ranges { steering: None, ..RANGES });
        let bump = &report.tests[0];
        for (index, found) in report.columns.iter().enumerate().filter(|(_, found)| found.name.contains(".left.")) {
            let other = column(&report, &found.name.replace(".left.", ".right."));
            // To the left is outward on one side, and inward on the other.
            let sign = if found.name.ends_with(".steer") { -1.0 } else { 1.0 };
            for row in &bump.rows {
                let scale = 1.0 + row[index].abs();
                close(&format!("{path}: {}", found.name), row[index], sign * row[other], 1e-9 * scale);
            }
        }
        for axle in 1.. {
            let Some(index) = report.columns.iter().position(|c| c.name == format!("axle{axle}.roll_centre.y")) else {
                break;
            };
            close(path, report.home[index], 0.0, 1e-9);
        }
    }
}

#[test]
fn slopes_are_those_of_the_positions() {
    let mut rig = Rig::new(&open("models/van"), &[], &Setup::default()).unwrap();
    let h = 1e-4;
    let wheels = rig.wheels.clone();
    // Every height by itself, and the steering input.
    for moved in 0..=wheels.len() {
        let side = |rig: &mut Rig, amount: f64| {
            rig.go_home();
            let mut heights = vec![0.02; wheels.len()];
            let mut steering = 0.3;
            match heights.get_mut(moved) {
                Some(height) => *height += amount,
                None => steering += amount,
            }
            rig.go(&heights, steering).unwrap()
        };
        let (ahead, behind, here) = (side(&mut rig, h), side(&mut rig, -h), side(&mut rig, 0.0));
        let input = if moved < wheels.len() { rig.height(moved) } else { rig.steering.unwrap() };
        for (k, wheel) in wheels.iter().enumerate() {
            let poses = [&ahead, &behind].map(|reading| reading.pose(k, wheel));
            let twist = here.twist(k, &[(input, 1.0)]);
            let expected = (poses[0].centre - poses[1].centre) / (2.0 * h);
            assert!((twist.velocity - expected).norm() < 1e-6, "{}: {} {expected}", wheel.name, twist.velocity);
            let [steer, camber] = here.pose(k, wheel).slopes(&twist);
            close(&wheel.name, steer, (poses[0].steer() - poses[1].steer()) / (2.0 * h), 1e-6);
            close(&wheel.name, camber, (poses[0].camber() - poses[1].camber()) / (2.0 * h), 1e-6);
            let load = (ahead.load(k) - behind.load(k)) / (2.0 * h);
            close(&wheel.name, here.load_slope(k, &[(input, 1.0)]), load, 1e-3 * (1.0 + load.abs()));
        }
    }
}

#[test]
fn the_steering_axis_is_the_line_through_the_ball_joints_for_every_column() {
    for (path, [lower, upper]) in [
        ("models/car/saloon.toml", ["axle1.left.lower_ball", "axle1.left.upper_ball"]),
        ("models/car", ["axle1.left.lower_ball", "axle1.left.strut_top"]),
    ] {
        let mut others: Vec<[f64; 2]> = Vec::new();
        for stiffness in [1e9, 1e4, 150.0, 20.0, 3.0] {
            let mut document = open(path);
            let column = document.model.joint_springs.iter_mut().find(|spring| spring.name == "column");
            column.expect("a column").stiffness = Number::Value(stiffness);
            let mut rig = Rig::new(&document, &[], &Setup::default()).unwrap_or_else(|failure| panic!("{failure}"));
            let report = kc::run(&mut rig, &RANGES).unwrap_or_else(|failure| panic!("{failure}"));
            let values = document.model.parameter_values();
            let point = |name: &str| document.model.resolve_place(&Place::Point(name.into()), &values);
            let axis = point(upper) - point(lower);
            let name = |figure: &str| format!("axle1.left.{figure}");
            close(path, home(&report, &name("caster")), (-axis.x / axis.z).atan(), 1e-7);
            close(path, home(&report, &name("inclination")), (-axis.y / axis.z).atan(), 1e-7);
            others.push(["trail", "scrub_radius"].map(|figure| home(&report, &name(figure))));
        }
        // A soft column lets the wheels toe a little, which moves their contacts.
        for found in &others {
            (0..2).for_each(|k| close(path, found[k], others[0][k], 2e-4));
        }
    }
}
