//! Constant-velocity joints and flat-faced followers against closed forms and other ways to write the same mechanism.

use crate::check::larger;
use crate::curves::{Run, model};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::load;
use std::f64::consts::TAU;

/// Two shafts that meet in the origin: the first in a bearing along x, the second at `angle` in the plane of x and z,
/// in the bearing `far`. Torques of 6 and −4 N m act along them. `joint`: the keys of the joint between them, with
/// SHAFT for the direction of the second.
fn shafts(angle: f64, joint: &str, far: &str) -> String {
    let (sine, cosine) = angle.sin_cos();
    let at = |distance: f64| format!("[{:?}, 0, {:?}]", distance * cosine, distance * sine);
    let tables = format!(
        "[[body]]\nname = 'first'\nmass = 2\ncom = [-0.2, 0, 0]\ninertia = [0.02, 0.03, 0.03, 0, 0, 0]\n\
         [[body]]\nname = 'second'\nmass = 1\ncom = {}\ninertia = [0.04, 0.04, 0.04, 0, 0, 0]\n\
         [[joint]]\nname = 'input'\ntype = 'revolute'\nbodies = ['ground', 'first']\npoint = [-0.4, 0, 0]\n\
         axis = [1, 0, 0]\nspeed = 30\nindependent = true\n\
         [[joint]]\nname = 'cv'\ntype = 'constant_velocity'\npoint = [0, 0, 0]\n{joint}\n{far}\n\
         [[torque]]\nname = 'drive'\nbody = 'first'\nvalue = [6, 0, 0]\n\
         [[torque]]\nname = 'load'\nbody = 'second'\nvalue = {}\n",
        at(0.2),
        at(-4.0)
    );
    let outputs = [
        ("angle", "joint = 'input'", "position"),
        ("speed", "joint = 'input'", "speed"),
        ("turning", "body = 'second'", "angular_velocity"),
        ("force", "joint = 'cv'", "reaction_force"),
        ("moment", "joint = 'cv'", "reaction_moment"),
        ("gap", "", "gap"),
        ("energy", "", "energy_balance"),
    ];
    let text = model(&tables, &outputs).replace("[0, 0, -9.81]\nstep = 1e-3", "[0, 0, 0]\nstep = 2e-4");
    text.replace("SHAFT", &at(1.0)).replace("FAR", &at(0.5))
}

/// Named first or last, in the tree or cut: the same motion.
const WAYS: [&str; 4] = [
    "bodies = ['first', 'second']\naxis = [1, 0, 0]\nsecond_shaft = SHAFT\ncut = false",
    "bodies = ['first', 'second']\naxis = [1, 0, 0]\nsecond_shaft = SHAFT\ncut = true",
    "bodies = ['second', 'first']\naxis = SHAFT\nsecond_shaft = [1, 0, 0]\ncut = false",
    "bodies = ['second', 'first']\naxis = SHAFT\nsecond_shaft = [1, 0, 0]\ncut = true",
];
/// A bearing along the second shaft, and one that holds its far end across it and lets it tilt: then all reactions are
/// determined.
const STIFF: &str = "[[joint]]\nname = 'far'\ntype = 'cylindrical'\nbodies = ['ground', 'second']\npoint = FAR\n\
                     axis = SHAFT\n";
const TILTING: &str = "[[point_on_line]]\nname = 'far'\nbodies = ['ground', 'second']\npoint = FAR\naxis = SHAFT\n";

/// Torque 2 N m on 0.06 kg m² together.
#[test]
fn both_shafts_of_a_constant_velocity_joint_turn_alike_at_thirty_degrees() {
    let angle = 30.0_f64.to_radians();
    for joint in WAYS {
        for far in [STIFF, TILTING] {
            // With the far end held by a point there is no loop to cut.
            if far == TILTING && joint.contains("cut = true") {
                continue;
            }
            let mut run = Run::new(&shafts(angle, joint, far));
            let (mut alike, mut law, mut gap, mut lost) = (0.0, 0.0, 0.0, 0.0);
            for i in 1..=20 {
                let time = 0.02 * f64::from(i);
                run.advance(time);
                let speed = run.output("speed");
                let turning = ["turning.x", "turning.y", "turning.z"].map(|name| run.output(name));
                let expected = [speed * angle.cos(), 0.0, speed * angle.sin()];
                alike = turning.iter().zip(expected).fold(alike, |worst, (a, b)| larger(worst, (a - b).abs()));
                law = larger(law, (speed - 30.0 - time * 2.0 / 0.06).abs());
                law = larger(law, (run.output("angle") - 30.0 * time - time * time / 0.06).abs());
                gap = larger(gap, run.output("gap"));
                lost = larger(lost, run.lost());
            }
            println!(
                "constant-velocity joint: speeds alike to {alike:.1e} rad/s, law {law:.1e}, gap {gap:.1e} m, {lost:.1e} J"
            );
            assert!(alike < 1e-10 && law < 1e-8 && gap < 1e-12 && lost < 1e-7, "{joint} {far}");
        }
    }
}

/// The couple of the joint is normal to the bisecting plane: T along the shafts and T tan(β/2) across them, which the
/// bearings take as a pair of forces. T = 4 + 0.04 · 2 / 0.06 N m drives the second shaft.
#[test]
fn a_constant_velocity_joint_bends_its_shafts_by_the_tangent_of_half_the_angle() {
    let angle = 30.0_f64.to_radians();
    let torque = 4.0 + 0.04 * 2.0 / 0.06;
    let across = torque * (0.5 * angle).tan();
    for (joint, side) in [(WAYS[0], 1.0), (WAYS[2], -1.0)] {
        let mut run = Run::new(&shafts(angle, joint, TILTING));
        let mut worst = 0.0;
        for i in 1..=20 {
            run.advance(0.02 * f64::from(i));
            // On the second shaft: T along it and T tan(β/2) across it, towards the first.
            let expected =
                [torque * angle.cos() + across * angle.sin(), 0.0, torque * angle.sin() - across * angle.cos()];
            for (name, expected) in ["moment.x", "moment.y", "moment.z"].iter().zip(expected) {
                worst = larger(worst, (run.output(name) - side * expected).abs());
            }
        }
        println!("constant-velocity joint: couple to {worst:.1e} N m of {torque:.1} N m");
        assert!(worst < 1e-10);
    }
}

/// Lift of `models/flat_follower` and its first two derivatives by the angle: 3-4-5 up and down over 120° each.
fn lift_of_the_profile(angle: f64) -> [f64; 3] {
    let (x, over) = (angle.rem_euclid(TAU), TAU / 3.0);
    let (u, side) = (x % over / over, if x < over { 1.0 } else { -1.0 });
    if x >= 2.0 * over {
        return [0.0; 3];
    }
    let shape = [
        u.powi(3) * (10.0 + u * (-15.0 + 6.0 * u)),
        u.powi(2) * (30.0 + u * (-60.0 + 30.0 * u)) / over,
        u * (60.0 + u * (-180.0 + 120.0 * u)) / (over * over),
    ];
    let start = if side > 0.0 { 0.0 } else { 0.006 };
    [start + side * 0.006 * shape[0], side * 0.006 * shape[1], side * 0.006 * shape[2]]
}

/// The eccentric by its closed form to rounding, the profile of points by that of its law.
#[test]
fn the_flat_faced_followers_of_the_gallery_are_lifted_as_their_cams_say() {
    let speed = 5.0 * TAU;
    let mut run = Run::of(&load("models/flat_follower".as_ref()).unwrap_or_else(|found| panic!("{found}")));
    let (mut circle, mut lift, mut rate, mut acceleration, mut loads) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in 1..=500 {
        let time = 1e-3 * f64::from(i);
        run.advance(time);
        let (sine, cosine) = (speed * time).sin_cos();
        let e = 0.005;
        let law = [[e * (1.0 - cosine), e * sine, e * cosine], lift_of_the_profile(speed * time)];
        let mut torque = 0.0;
        for (name, law) in ["eccentric", "cam"].iter().zip(law) {
            let of = |run: &mut Run, what: &str| run.output(&format!("{name}_follower.{what}"));
            let found = ["position", "speed", "acceleration"].map(|what| of(&mut run, what));
            let errors = [found[0] - law[0], found[1] - speed * law[1], found[2] - speed * speed * law[2]];
            if *name == "eccentric" {
                circle = errors.iter().fold(circle, |worst, error| larger(worst, error.abs()));
            } else {
                lift = larger(lift, errors[0].abs());
                rate = larger(rate, errors[1].abs());
                acceleration = larger(acceleration, errors[2].abs());
            }
            let force = 0.15 * (found[2] + 9.81) + 4000.0 * (found[0] + 0.01);
            loads = larger(loads, (run.output(&format!("{name}.contact_force")) - force).abs());
            torque += force * found[1] / speed;
        }
        loads = larger(loads, (run.output("shaft.torque") - torque).abs());
    }
    println!(
        "flat followers: eccentric {circle:.1e}; profile {lift:.1e} m, {rate:.1e} m/s, {acceleration:.1e} m/s² of 7.8; \
         loads {loads:.1e} N, N m"
    );
    assert!(circle < 1e-11 && loads < 1e-10);
    assert!(lift < 1e-8 && rate < 1e-5 && acceleration < 0.1);
}

/// At fifteen times the speed the spring is too weak: the force that would hold the eccentric's follower is negative
/// where the closed form says so.
#[test]
fn the_force_of_a_flat_follower_that_would_lift_off_is_negative() {
    let speed = 75.0 * TAU;
    let mut document = load("models/flat_follower".as_ref()).unwrap_or_else(|found| panic!("{found}"));
    document.model.guided[0].motion.as_mut().expect("it is guided by a motion").speed = speed.into();
    document.model.general.step = 2e-5;
    let mut run = Run::of(&document);
    let (mut worst, mut pulls) = (0.0, 0);
    for i in 1..=200 {
        let time = 5e-4 * f64::from(i);
        run.advance(time);
        let cosine = (speed * time).cos();
        let force = 0.15 * (0.005 * speed * speed * cosine + 9.81) + 4000.0 * (0.005 * (1.0 - cosine) + 0.01);
        worst = larger(worst, (run.output("eccentric.contact_force") - force).abs());
        pulls += i32::from(force < 0.0);
    }
    println!("flat follower at 4500 rpm: force to {worst:.1e} N, it would have to pull at {pulls} of 200 instants");
    assert!(worst < 1e-8 && pulls > 50);
}

/// A flat arm on a pivot, lifted by an eccentric disc, circle or spline: the tangent from the pivot to the circle.
#[test]
fn a_flat_arm_turns_as_the_tangent_to_the_eccentric_disc() {
    let (e, radius, pivot) = (0.01, 0.03, 0.1);
    let angle = |turn: f64| {
        let (sine, cosine) = turn.sin_cos();
        let (x, z) = (pivot - e * sine, e * cosine);
        z.atan2(x) + (radius / x.hypot(z)).asin()
    };
    let (sine, cosine) = angle(0.0).sin_cos();
    let disc = |count: i32| match count {
        0 => format!("centre = [0, 0, {e}]\nradius = {radius}\nnormal = [0, -1, 0]"),
        _ => {
            let point = |i: i32| {
                let (sine, cosine) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
                format!("[{:?}, 0, {:?}]", radius * sine, e + radius * cosine)
            };
            format!("closed = true\npoints = [{}]", (0..count).map(point).collect::<Vec<_>>().join(", "))
        }
    };
    for (count, tolerance, loss) in [(0, 1e-12, 1e-9), (100, 1e-7, 1e-5)] {
        let tables = format!(
            "[[curve]]\nname = 'disc'\n{}\n\
             [[body]]\nname = 'cam'\nmass = 1\ncom = [0, 0, 0]\ninertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]\n\
             [[body]]\nname = 'arm'\nmass = 0.2\ncom = [0.05, 0, 0.04]\ninertia = [2e-4, 2e-4, 2e-4, 0, 0, 0]\n\
             [[joint]]\nname = 'cam'\ntype = 'revolute'\nbodies = ['ground', 'cam']\npoint = [0, 0, 0]\naxis = [0, 1, \
             0]\nspeed = 20\nindependent = true\n\
             [[joint]]\nname = 'arm'\ntype = 'revolute'\nbodies = ['ground', 'arm']\npoint = [{pivot}, 0, 0]\n\
             axis = [0, 1, 0]\n\
             [[point_in_plane]]\nname = 'contact'\nbodies = ['arm', 'cam']\ncurve = 'disc'\npoint = [{pivot}, 0, 0]\n\
             normal = [{:?}, 0, {:?}]\n",
            disc(count),
            -sine,
            -cosine
        );
        let outputs = [
            ("cam", "joint = 'cam'", "position"),
            ("arm", "joint = 'arm'", "position"),
            ("gap", "", "gap"),
            ("energy", "", "energy_balance"),
        ];
        let mut run = Run::new(&model(&tables, &outputs));
        let (mut worst, mut gap, mut lost) = (0.0, 0.0, 0.0);
        for i in 1..=100 {
            run.advance(0.01 * f64::from(i));
            let expected = angle(run.output("cam")) - angle(0.0);
            worst = larger(worst, (run.output("arm") - expected).abs());
            gap = larger(gap, run.output("gap").abs());
            lost = larger(lost, run.lost());
        }
        println!("flat arm, {count} points: {worst:.1e} rad, gap {gap:.1e} m, energy {lost:.1e} J");
        assert!(worst < tolerance && gap < 1e-12 && lost < loss);
    }
}

/// The way from the flange to the wheel of `models/half_shaft` by turns without twist: along the shaft, then along the
/// axis of the wheel. What they leave beside the steering is the angle of the wheel less that of the flange, and what
/// the ends are apart beyond the design position is the plunge.
#[test]
fn the_wheel_of_the_half_shaft_turns_with_its_flange_but_for_the_way_the_shaft_is_bent() {
    let swing = |from: Vec3, to: Vec3| {
        let across = from.cross(&to);
        let [c, s] = [from.dot(&to), 1.0];
        let skew = Mat3::new(0.0, -across.z, across.y, across.z, 0.0, -across.x, -across.y, across.x, 0.0);
        Mat3::identity() + skew * s + skew * skew / (1.0 + c)
    };
    let mut run = Run::of(&load("models/half_shaft".as_ref()).unwrap_or_else(|found| panic!("{found}")));
    let (mut angle, mut plunge, mut gap) = (0.0, 0.0, 0.0);
    for i in 1..=400 {
        run.advance(0.01 * f64::from(i));
        let [steering, bounce] = ["steering.angle", "bounce.travel"].map(|name| run.output(name));
        let shaft = Vec3::new(0.0, 0.4, -0.05 + bounce);
        let (sine, cosine) = steering.sin_cos();
        let axle = Vec3::new(-sine, cosine, 0.0);
        let along = shaft.normalize();
        let back = Mat3::new(cosine, sine, 0.0, -sine, cosine, 0.0, 0.0, 0.0, 1.0);
        let left = back * swing(along, axle) * swing(Vec3::y(), along);
        let twist = left[(0, 2)].atan2(left[(0, 0)]);
        angle = larger(angle, (run.output("wheel.angle") - run.output("flange.angle") - twist).abs());
        plunge = larger(plunge, (run.output("plunge.travel") - shaft.norm() + 0.4f64.hypot(0.05)).abs());
        gap = larger(gap, run.output("gap"));
    }
    println!("half shaft: wheel to {angle:.1e} rad, plunge to {plunge:.1e} m, gap {gap:.1e} m");
    assert!(angle < 1e-10 && plunge < 1e-10 && gap < 1e-11);
}
