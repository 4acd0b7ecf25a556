//! Curves that touch curves, and bodies that turn with a curve, against closed forms and other mechanisms that move
//! alike.

use crate::check::larger;
use crate::curves::{Run, model};
use std::f64::consts::TAU;

fn body(name: &str, mass: f64, com: [f64; 3], inertia: f64) -> String {
    format!(
        "[[body]]\nname = '{name}'\nmass = {mass}\ncom = {com:?}\n\
         inertia = [{inertia}, {inertia}, {inertia}, 0, 0, 0]\n"
    )
}

fn joint(name: &str, kind: &str, bodies: [&str; 2], point: [f64; 3], keys: &str) -> String {
    format!("[[joint]]\nname = '{name}'\ntype = '{kind}'\nbodies = {bodies:?}\npoint = {point:?}\n{keys}\n")
}

/// A circle in the plane of x and z; travel is right-handed about `sense` times y.
fn circle(name: &str, centre: [f64; 3], radius: f64, sense: f64) -> String {
    format!("[[curve]]\nname = '{name}'\ncentre = {centre:?}\nradius = {radius:?}\nnormal = [0, {sense}, 0]\n")
}

/// An ellipse with the semiaxes `a` and `b` along x and z about `centre` through `count` points.
fn ellipse(name: &str, centre: f64, [a, b]: [f64; 2], count: usize) -> String {
    let point = |i: usize| {
        let (sine, cosine) = (TAU * i as f64 / count as f64).sin_cos();
        format!("[{:?}, 0, {:?}]", centre + a * cosine, b * sine)
    };
    let points: Vec<String> = (0..count).map(point).collect();
    format!("[[curve]]\nname = '{name}'\nclosed = true\npoints = [{}]\n", points.join(", "))
}

fn pair(bodies: [&str; 2], curves: [&str; 2], point: [f64; 3], rolling: bool) -> String {
    format!(
        "[[curve_on_curve]]\nname = 'contact'\nbodies = {bodies:?}\ncurves = {curves:?}\npoint = {point:?}\n\
         rolling = {rolling}\n"
    )
}

const PRESSURE: (&str, &str, &str) = ("pressure", "constraint = 'contact'", "force");
const FRICTION: (&str, &str, &str) = ("friction", "constraint = 'contact'", "tangential_force");
const LEAN: (&str, &str, &str) = ("lean", "constraint = 'contact'", "friction_angle");
const GAP: (&str, &str, &str) = ("gap", "", "gap");
const ENERGY: (&str, &str, &str) = ("energy", "", "energy_balance");

/// A round nose on a round cam moves as the four-bar whose coupler joins the centres, pushes as hard as that, and would
/// pull where that is in tension. Inside a ring the coupler is as long as the radii differ.
#[test]
fn two_circles_that_slide_on_each_other_are_a_four_bar() {
    for (sense, inside) in [(1.0, false), (-1.0, false), (1.0, true)] {
        // Cam about the origin with its centre above; the lever about (0.12, 0, 0), the centre of its nose above left.
        let (cam, reach) = ([0.0, 0.0, 0.02], 0.07);
        let (sine, cosine) = 0.4_f64.sin_cos();
        let nose = [cam[0] + reach * sine, 0.0, cam[2] + reach * cosine];
        let radii = if inside { [0.09, 0.02] } else { [0.05, 0.02] };
        let touch = [cam[0] + radii[0] * sine, 0.0, cam[2] + radii[0] * cosine];
        let common = [
            body("cam", 1.0, [0.0; 3], 1e-3),
            body("lever", 0.2, [0.06, 0.0, 0.05], 2e-4),
            joint("cam", "revolute", ["ground", "cam"], [0.0; 3], "axis = [0, 1, 0]\nspeed = 60\nindependent = true"),
            joint("lever", "revolute", ["ground", "lever"], [0.12, 0.0, 0.0], "axis = [0, 1, 0]"),
            "[[joint_spring]]\nname = 'spring'\njoint = 'lever'\nstiffness = 2\nfree_position = -0.2\n".into(),
        ]
        .concat();
        let outputs = [("cam", "joint = 'cam'", "position"), ("lever", "joint = 'lever'", "position"), GAP, ENERGY];
        let touching = common.clone()
            + &circle("cam", cam, radii[0], sense)
            + &circle("nose", nose, radii[1], 1.0)
            + &pair(["cam", "lever"], ["cam", "nose"], touch, false);
        let rod =
            format!("{common}[[rod]]\nname = 'contact'\nbodies = ['cam', 'lever']\npoints = [{cam:?}, {nose:?}]\n");
        let mut four_bar = Run::new(&model(&rod, &[&outputs[..], &[PRESSURE]].concat()));
        let mut run = Run::new(&model(&touching, &[&outputs[..], &[PRESSURE, FRICTION, LEAN]].concat()));
        let (mut worst, mut force, mut friction, mut gap, mut lost, mut pulls) = (0.0, 0.0, 0.0, 0.0, 0.0, 0);
        for i in 1..=100 {
            run.advance(0.01 * f64::from(i));
            four_bar.advance(0.01 * f64::from(i));
            for name in ["cam", "lever"] {
                worst = larger(worst, (run.output(name) - four_bar.output(name)).abs());
            }
            // A nose in a ring pulls its coupler.
            let pressure = if inside { four_bar.output("pressure") } else { -four_bar.output("pressure") };
            force = larger(force, (run.output("pressure") - pressure).abs());
            friction = larger(friction, run.output("friction").abs());
            gap = larger(gap, run.output("gap"));
            lost = larger(lost, run.lost());
            pulls += i32::from(pressure < 0.0);
            let lean = if pressure < 0.0 { TAU / 2.0 } else { 0.0 };
            assert!((run.output("lean") - lean).abs() < 1e-9, "{}", run.output("lean"));
        }
        println!(
            "circles as a four-bar, inside {inside}: {worst:.1e} rad, {force:.1e} N, friction {friction:.1e} N, gap \
             {gap:.1e} m, energy {lost:.1e} J, would pull {pulls} times"
        );
        assert!(worst < 1e-11 && force < 1e-8 && friction < 1e-10 && gap < 1e-12 && lost < 1e-6);
        assert!(pulls > 5 && pulls < 95);
    }
}

/// A disc in a round track is a pendulum of the length 1.5 (R − r), so that small swings have ω² = 2 g / 3 (R − r).
/// With θ from the lowest place, friction is m g sin θ / 3 and the pressure m g cos θ + m (R − r) θ̇².
#[test]
fn a_disc_that_rolls_in_a_round_track_is_a_pendulum() {
    let (outer, radius, mass): (f64, f64, f64) = (0.5, 0.1, 2.0);
    let arm = outer - radius;
    for [first, second] in [["track", "disc"], ["disc", "track"]] {
        let carrier = |name: &str| if name == "track" { "ground" } else { "disc" };
        let tables = [
            body("disc", mass, [0.0, 0.0, -arm], 0.5 * mass * radius * radius),
            circle("track", [0.0; 3], outer, 1.0),
            circle("disc", [0.0, 0.0, -arm], radius, -1.0),
            joint("disc", "planar", ["ground", "disc"], [0.0, 0.0, -arm], "axis = [0, 1, 0]\nspeed = [1.2, 0, 12]"),
            pair([carrier(first), carrier(second)], [first, second], [0.0, 0.0, -outer], true),
        ]
        .concat();
        let pendulum = [
            body("bob", 1.0, [0.0, 0.0, -1.5 * arm], 0.0),
            joint(
                "pin",
                "revolute",
                ["ground", "bob"],
                [0.0; 3],
                &format!("axis = [0, -1, 0]\nspeed = {:?}", 1.2 / arm),
            ),
        ]
        .concat();
        let outputs = [
            ("at", "body = 'disc'", "position"),
            ("turn", "joint = 'disc'\ncoordinate = 'angle'", "position"),
            PRESSURE,
            FRICTION,
            LEAN,
            GAP,
            ENERGY,
        ];
        let mut run = Run::new(&model(&tables, &outputs));
        let swing = [("angle", "joint = 'pin'", "position"), ("speed", "joint = 'pin'", "speed")];
        let mut pendulum = Run::new(&model(&pendulum, &swing));
        let (mut place, mut turn, mut force, mut gap, mut lost) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for i in 1..=40 {
            run.advance(0.05 * f64::from(i));
            pendulum.advance(0.05 * f64::from(i));
            let (angle, speed) = (pendulum.output("angle"), pendulum.output("speed"));
            let (sine, cosine) = angle.sin_cos();
            place = larger(place, (run.output("at.x") - arm * sine).abs());
            place = larger(place, (run.output("at.z") + arm * cosine).abs());
            // About y the disc turns with its way to the right, the arm against it.
            turn = larger(turn, (run.output("turn") - angle * arm / radius).abs());
            let normal = mass * (9.81 * cosine + arm * speed * speed);
            let friction = mass * 9.81 * sine / 3.0;
            force = larger(force, (run.output("pressure") - normal).abs());
            force = larger(force, (run.output("friction").abs() - friction.abs()).abs());
            force = larger(force, (run.output("lean") - friction.abs().atan2(normal)).abs());
            gap = larger(gap, run.output("gap"));
            lost = larger(lost, run.lost());
        }
        println!("disc in a track: {place:.1e} m, {turn:.1e} rad, {force:.1e} N, gap {gap:.1e} m, energy {lost:.1e} J");
        assert!(place < 1e-10 && turn < 1e-9 && force < 1e-8 && gap < 1e-12 && lost < 1e-8);
    }
}

/// A point on the rim of a wheel on a straight track, on a hill and in a hollow.
#[test]
fn points_of_a_rolling_wheel_run_along_cycloids() {
    let radius = 0.2;
    for bend in [0.0, 1.0 / 0.8, -1.0 / 1.5] {
        // The track touches the origin from below; its centre is there for a hill, above for a hollow.
        let track = match bend {
            0.0 => "[[curve]]\nname = 'track'\npoints = [[-1, 0, 0], [4, 0, 0]]\n".to_string(),
            _ => circle("track", [0.0, 0.0, -1.0 / bend], (1.0_f64 / bend).abs(), 1.0),
        };
        let tables = [
            body("wheel", 1.0, [0.0, 0.0, radius], 0.02),
            track,
            circle("wheel", [0.0, 0.0, radius], radius, 1.0),
            joint("wheel", "planar", ["ground", "wheel"], [0.0, 0.0, radius], "axis = [0, 1, 0]"),
            pair(["ground", "wheel"], ["track", "wheel"], [0.0; 3], true),
            "[[guided]]\nname = 'g'\njoint = 'wheel'\ncoordinate = 'angle'\nmotion = { speed = 2.0 }\n".into(),
        ]
        .concat();
        let outputs = [("rim", "body = 'wheel'\npoint = [0, 0, 0]", "position"), GAP, ENERGY];
        let mut run = Run::new(&model(&tables, &outputs));
        let mut worst = 0.0;
        for i in 1..=60 {
            run.advance(0.05 * f64::from(i));
            let turn = 0.1 * f64::from(i);
            // The way of the centre over the arm from the centre of the track.
            let (way, arm) = match bend {
                0.0 => ([radius * turn, radius], turn),
                _ => {
                    let (sine, cosine) = (turn * radius / (1.0 / bend + radius)).sin_cos();
                    let arm = 1.0 / bend + radius;
                    ([arm * sine, arm * cosine - 1.0 / bend], turn)
                }
            };
            worst = larger(worst, (run.output("rim.x") - (way[0] - radius * arm.sin())).abs());
            worst = larger(worst, (run.output("rim.z") - (way[1] - radius * arm.cos())).abs());
        }
        println!("wheel on a track of curvature {bend:.2}/m: {worst:.1e} m, gap {:.1e} m", run.output("gap"));
        assert!(worst < 1e-12 && run.output("gap") < 1e-12 && run.lost() < 1e-8);
    }
}

/// Two equal ellipses that turn about foci 2a apart roll on each other: tan(ψ/2) = (1 − ε)/(1 + ε) tan(φ/2). The second
/// axis may slide along the line of the foci, and does not.
#[test]
fn equal_ellipses_roll_about_their_foci_at_a_constant_distance() {
    let (a, e): (f64, f64) = (0.1, 0.4);
    let b = a * (1.0 - e * e).sqrt();
    let slide = |count: usize| {
        let tables = [
            body("first", 1.0, [0.0; 3], 1e-3),
            body("slide", 0.0, [2.0 * a, 0.0, 0.0], 0.0),
            body("second", 1.0, [2.0 * a, 0.0, 0.0], 1e-3),
            // The first touches with its near end, the second with its far one.
            ellipse("first", -a * e, [a, b], count),
            ellipse("second", 2.0 * a - a * e, [a, b], count),
            joint("first", "revolute", ["ground", "first"], [0.0; 3], "axis = [0, 1, 0]"),
            joint("slide", "prismatic", ["ground", "slide"], [2.0 * a, 0.0, 0.0], "axis = [1, 0, 0]"),
            joint("second", "revolute", ["slide", "second"], [2.0 * a, 0.0, 0.0], "axis = [0, -1, 0]"),
            pair(["first", "second"], ["first", "second"], [a - a * e, 0.0, 0.0], true),
            "[[guided]]\nname = 'g'\njoint = 'first'\nmotion = { speed = 6.0 }\n".into(),
        ]
        .concat();
        let outputs = [
            ("slide", "joint = 'slide'", "position"),
            ("first", "joint = 'first'", "position"),
            ("second", "joint = 'second'", "position"),
            GAP,
            ENERGY,
        ];
        let mut run = Run::new(&model(&tables, &outputs));
        let (mut distance, mut angle, mut gap) = (0.0, 0.0, 0.0);
        for i in 1..=150 {
            run.advance(0.02 * f64::from(i));
            let turn = run.output("first");
            let half = 0.5 * turn - TAU / 2.0 * (turn / TAU).round();
            let expected = 2.0 * ((1.0 - e) / (1.0 + e) * half.tan()).atan() + TAU * (turn / TAU).round();
            distance = larger(distance, run.output("slide").abs());
            angle = larger(angle, (run.output("second") - expected).abs());
            gap = larger(gap, run.output("gap"));
        }
        println!(
            "ellipses of {count} points: distance {distance:.1e} m, angle {angle:.1e} rad, gap {gap:.1e} m, energy \
             {:.1e} J",
            run.lost()
        );
        assert!(gap < 1e-12 && run.lost() < 1e-6);
        (distance, angle)
    };
    let (coarse, fine) = (slide(60), slide(240));
    assert!(fine.0 < 1e-9 && fine.1 < 1e-8 && fine.0 < coarse.0 / 100.0, "{coarse:?} {fine:?}");
}

/// An elliptic disc rocks on the ground; released from a tilt it rolls back and forth.
#[test]
fn a_rocking_ellipse_keeps_its_energy() {
    let [a, b] = [0.2, 0.12];
    let tables = [
        body("disc", 3.0, [0.0; 3], 0.03),
        ellipse("disc", 0.0, [a, b], 240),
        "[[curve]]\nname = 'floor'\npoints = [[-1, 0, -0.12], [1, 0, -0.12]]\n".into(),
        joint(
            "disc",
            "planar",
            ["ground", "disc"],
            [0.0; 3],
            "axis = [0, 1, 0]\nspeed = [0.6, 0, 5]\nindependent = true",
        ),
        pair(["ground", "disc"], ["floor", "disc"], [0.0, 0.0, -b], true),
    ]
    .concat();
    let outputs = [
        ("angle", "joint = 'disc'\ncoordinate = 'angle'", "position"),
        ("height", "body = 'disc'", "position"),
        PRESSURE,
        GAP,
        ENERGY,
    ];
    let mut run = Run::new(&model(&tables, &outputs));
    let (mut height, mut lost, mut gap, mut swing) = (0.0, 0.0, 0.0, 0.0);
    for i in 1..=300 {
        run.advance(0.01 * f64::from(i));
        let (sine, cosine) = run.output("angle").sin_cos();
        // The distance of a tangent from the centre.
        let expected = (a * a * sine * sine + b * b * cosine * cosine).sqrt() - b;
        height = larger(height, (run.output("height.z") - expected).abs());
        lost = larger(lost, run.lost());
        gap = larger(gap, run.output("gap"));
        swing = larger(swing, run.output("angle").abs());
        assert!(run.output("pressure") > 0.0);
    }
    println!("rocking ellipse: height {height:.1e} m, energy {lost:.1e} J, gap {gap:.1e} m, swing {swing:.2} rad");
    assert!(height < 1e-9 && lost < 1e-7 && gap < 1e-12 && swing > 0.4);
}

/// A body that turns with a circle is on a hinge in its middle, whichever of the two bodies is named first.
#[test]
fn a_body_that_turns_with_a_circle_is_a_pendulum() {
    let outputs = [
        ("at", "body = 'car'", "position"),
        ("turn", "body = 'car'", "rotation"),
        ("spin", "body = 'car'", "angular_velocity"),
        ("force", "joint = 'j'", "reaction_force"),
        ENERGY,
    ];
    let place = [0.2, 0.1, -0.2];
    let car = "[[body]]\nname = 'car'\nmass = 0.7\ncom = [0.25, 0.13, -0.15]\n\
               inertia = [0.03, 0.02, 0.04, 0.001, 0.002, -0.003]\n";
    let ring = circle("ring", [0.2, 0.1, 0.3], 0.5, 1.0);
    let keys = "curve = 'ring'\nup = [0, 1, 0]\nspeed = 3.5";
    let hinge = joint("j", "revolute", ["ground", "car"], [0.2, 0.1, 0.3], "axis = [0, 1, 0]\nspeed = 7");
    let mut hinge = Run::new(&model(&format!("{car}{hinge}"), &outputs));
    let along = joint("j", "along_curve", ["ground", "car"], place, keys);
    // The ring on the car, the point on the ground.
    let inverse = joint("j", "along_curve", ["car", "ground"], place, "curve = 'ring'\nup = [0, 1, 0]\nspeed = -3.5");
    let mut along = Run::new(&model(&format!("{car}{ring}{along}"), &outputs));
    let (mut worst, mut force) = (0.0, 0.0);
    for i in 1..=50 {
        let time = 0.1 * f64::from(i);
        hinge.advance(time);
        along.advance(time);
        for name in ["at.x", "at.y", "at.z", "turn.w", "turn.y", "spin.y"] {
            worst = larger(worst, (along.output(name) - hinge.output(name)).abs());
        }
        for name in ["force.x", "force.y", "force.z"] {
            force = larger(force, (along.output(name) - hinge.output(name)).abs());
        }
        worst = larger(worst, 1e-3 * along.lost());
    }
    println!("body that turns with a circle: {worst:.1e} m, rad/s, {force:.1e} N");
    assert!(worst < 1e-10 && force < 1e-8);
    let mut inverse = Run::new(&model(&format!("{car}{ring}{inverse}"), &outputs));
    for i in 1..=20 {
        inverse.advance(0.1 * f64::from(i));
        assert!(inverse.lost() < 1e-6);
    }
}

/// A helix turns a body as a screw does: by one turn per pitch, with the acceleration of masses on a screw. The third
/// derivative of a cubic spline is right to the first power of the distance of its points, and jumps there.
#[test]
fn a_body_that_turns_with_a_helix_is_on_a_screw() {
    // Radius, rise per rad, mass, inertia about the axis of the helix.
    let (radius, rise, mass, inertia): (f64, f64, f64, f64) = (0.3, 0.1, 1.5, 0.04);
    let error = |count: i32, degree: u32| {
        let point = |i: i32| {
            let angle = 4.0 * TAU * f64::from(i - count / 2) / f64::from(count);
            format!("[{:?}, {:?}, {:?}]", radius * angle.cos(), radius * angle.sin(), rise * angle)
        };
        let points: Vec<String> = (0..=count).map(point).collect();
        let tables = [
            format!("[[curve]]\nname = 'helix'\ndegree = {degree}\npoints = [{}]\n", points.join(", ")),
            body("nut", mass, [radius, 0.0, 0.0], inertia),
            joint("j", "along_curve", ["ground", "nut"], [radius, 0.0, 0.0], "curve = 'helix'\nup = [0, 0, 1]"),
        ]
        .concat();
        let outputs = [("at", "body = 'nut'", "position"), ("turn", "body = 'nut'", "angles"), ENERGY];
        let mut run = Run::new(&model(&tables, &outputs));
        let acceleration = -mass * 9.81 * rise / (mass * (radius * radius + rise * rise) + inertia);
        let (mut fall, mut turn) = (0.0, 0.0);
        for i in 1..=20 {
            let time = 0.05 * f64::from(i);
            run.advance(time);
            fall = larger(fall, (run.output("at.z") - 0.5 * rise * acceleration * time * time).abs());
            turn = larger(turn, (run.output("turn.yaw") - run.output("at.z") / rise).abs());
        }
        println!(
            "helix of {count} points, degree {degree}: fall {fall:.1e} m, turn {turn:.1e} rad, energy {:.1e} J",
            run.lost()
        );
        (fall, turn, run.lost())
    };
    let (coarse, fine) = (error(128, 3), error(512, 3));
    let smooth = [error(128, 5), error(512, 5)];
    assert!(fine.0 < 1e-4 && fine.1 < 1e-5 && fine.1 < coarse.1 / 30.0, "{coarse:?} {fine:?}");
    let [coarse, fine] = smooth;
    assert!(fine.0 < 1e-9 && fine.1 < 1e-9 && fine.2 < 1e-8 && fine.1 < coarse.1 / 300.0, "{coarse:?} {fine:?}");
}

/// On a spatial spline of a free body: nothing acts, so energy and momentum stay.
#[test]
fn a_body_that_turns_with_the_curve_of_a_free_body_keeps_energy_and_momentum() {
    let lost = |bodies: [&str; 2], degree: u32, step: f64| {
        let tables = [
            "[[curve]]\nname = 'wire'\nclosed = true\ndegree = DEGREE\n\
             points = [[0.5, 0.1, 0], [0.3, 0.5, 0.2], [-0.2, 0.4, 0], [0.1, -0.2, -0.2]]\n"
                .replace("DEGREE", &degree.to_string()),
            "[[body]]\nname = 'base'\nmass = 2\ncom = [0.1, 0.2, -0.1]\ninertia = [0.3, 0.4, 0.5, 0.01, -0.02, 0.03]\n"
                .into(),
            "[[body]]\nname = 'rider'\nmass = 1\ncom = [0.55, 0.1, 0.04]\ninertia = [0.03, 0.02, 0.04, 0, 0.001, 0]\n"
                .to_string(),
            format!(
                "[[joint]]\nname = 'free'\ntype = 'floating'\nbodies = ['ground', '{}']\n\
                 speed = [0.1, -0.2, 0.3, 1, -0.5, 0.7]\n",
                bodies[0]
            ),
            joint(
                "j",
                "along_curve",
                ["base", "rider"],
                [0.5, 0.1, 0.0],
                "curve = 'wire'\nup = [0.1, 0, 1]\nspeed = 1.5",
            ),
        ]
        .concat();
        let outputs = [("base", "body = 'base'", "velocity"), ("rider", "body = 'rider'", "velocity"), ENERGY];
        let text = model(&tables, &outputs).replace("[0, 0, -9.81]", "[0, 0, 0]");
        let mut run = Run::new(&text.replace("step = 1e-3", &format!("step = {step:?}")));
        let momentum = |run: &mut Run| {
            ["x", "y", "z"].map(|c| 2.0 * run.output(&format!("base.{c}")) + run.output(&format!("rider.{c}")))
        };
        let start = momentum(&mut run);
        let mut worst = 0.0;
        for i in 1..=20 {
            run.advance(0.1 * f64::from(i));
            let now = momentum(&mut run);
            worst = start.iter().zip(now).fold(larger(worst, run.lost()), |worst, (a, b)| larger(worst, (a - b).abs()));
        }
        println!("rider that turns with a wire, {bodies:?}, degree {degree}: {worst:.1e} J, N s at {step} s");
        worst
    };
    for bodies in [["base", "rider"], ["rider", "base"]] {
        let (coarse, fine) = (lost(bodies, 3, 1e-3), lost(bodies, 3, 2.5e-4));
        let smooth = lost(bodies, 5, 1e-3);
        assert!(fine < 2e-3 && fine < coarse / 2.0 && smooth < 1e-7, "{coarse} {fine} {smooth}");
    }
}
