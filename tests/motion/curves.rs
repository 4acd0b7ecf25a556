//! Joints along curves against closed forms, other joints, and conservation.

use crate::check::larger;
use crate::models;
use ballesta::compile;
use ballesta::model::schema::Integrator;
use ballesta::model::{Document, load, parse};
use ballesta::simulate::Simulator;
use ballesta::system::Fault;
use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;
use std::sync::Arc;

pub struct Run {
    simulator: Simulator,
    names: Vec<String>,
    values: Vec<f64>,
    /// `energy` at the start, J.
    start: f64,
}

impl Run {
    pub fn new(text: &str) -> Run {
        Run::of(&parse(text, "model.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}")))
    }

    pub fn of(document: &Document) -> Run {
        let system = models::compiled_with(document, &[]);
        let names = system.interface().outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        let values = vec![0.0; names.len()];
        let mut simulator = Simulator::new(Arc::new(system));
        simulator.initialize(0.0).expect("the model assembles");
        let mut run = Run { simulator, names, values, start: 0.0 };
        run.start = if run.names.iter().any(|name| name == "energy") { run.output("energy") } else { 0.0 };
        run
    }

    pub fn advance(&mut self, time: f64) {
        self.simulator.advance(time).expect("the model runs");
    }

    pub fn output(&mut self, name: &str) -> f64 {
        self.simulator.outputs(&mut self.values).expect("the model gives outputs");
        let index = self.names.iter().position(|found| found == name).expect("a name of the model");
        self.values[index]
    }

    /// What the balance of energies has lost since the start, J.
    pub fn lost(&mut self) -> f64 {
        (self.output("energy") - self.start).abs()
    }
}

/// A model of bodies, joints and curves, with outputs `name = [target, quantity]`.
pub fn model(tables: &str, outputs: &[(&str, &str, &str)]) -> String {
    let output = |(name, target, quantity): &(&str, &str, &str)| {
        format!("[[output]]\nname = '{name}'\n{target}\nquantity = '{quantity}'\n")
    };
    let outputs: String = outputs.iter().map(output).collect();
    format!("[model]\nname = 'm'\ngravity = [0, 0, -9.81]\nstep = 1e-3\n{tables}\n{outputs}")
}

/// A point mass at the lowest point of a ring with the radius 0.5 m.
const RING: &str = "
    [[curve]]
    name = 'ring'
    centre = [0.2, 0.1, 0.3]
    radius = 0.5
    normal = [0, 1, 0]
    [[body]]
    name = 'bead'
    mass = 0.7
    com = [0.2, 0.1, -0.2]
";

/// The same equation of motion in other coordinates: round-off apart the same numbers.
#[test]
fn a_bead_on_a_ring_is_a_pendulum() {
    let outputs = [
        ("q", "joint = 'j'", "position"),
        ("force", "joint = 'j'", "reaction_force"),
        ("at", "body = 'bead'", "position"),
        ("energy", "", "energy_balance"),
    ];
    let joint = |keys: &str| format!("{RING}[[joint]]\nname = 'j'\nbodies = ['ground', 'bead']\n{keys}\n");
    let bead = joint("type = 'along_curve'\ncurve = 'ring'\npoint = [0.2, 0.1, -0.2]\nspeed = 2.0");
    let pendulum = joint("type = 'revolute'\naxis = [0, 1, 0]\npoint = [0.2, 0.1, 0.3]\nspeed = 4.0");
    let (mut bead, mut pendulum) = (Run::new(&model(&bead, &outputs)), Run::new(&model(&pendulum, &outputs)));
    let mut worst = 0.0;
    for i in 1..=50 {
        let time = 0.1 * f64::from(i);
        bead.advance(time);
        pendulum.advance(time);
        worst = larger(worst, (bead.output("q") - 0.5 * pendulum.output("q")).abs());
        for name in ["at.x", "at.z", "force.x", "force.z"] {
            worst = larger(worst, (bead.output(name) - pendulum.output(name)).abs());
        }
        worst = larger(worst, bead.lost() * 1e-3);
    }
    println!("bead and pendulum differ by {worst:.1e} m, N");
    assert!(worst < 1e-11);
}

/// Huygens: on a cycloid of rolling radius R the height is z₀ cos² ωt with ω² = g / 4R from wherever it starts.
#[test]
fn a_bead_on_a_cycloid_swings_with_one_period_whatever_its_amplitude() {
    const R: f64 = 0.25;
    let omega = (9.81_f64 / (4.0 * R)).sqrt();
    let error = |count: i32, start: f64| {
        let point = |i: i32| {
            let theta = 2.8 * f64::from(i) / f64::from(count);
            format!("[{:?}, 0, {:?}]", R * (theta + theta.sin()), R * (1.0 - theta.cos()))
        };
        let points: Vec<String> = (-count..=count).map(point).collect();
        let tables = format!(
            "[[curve]]\nname = 'cycloid'\npoints = [{}]\n[[body]]\nname = 'bead'\nmass = 2\ncom = [0, 0, 0]\n\
             [[joint]]\nname = 'j'\ntype = 'along_curve'\n\
             bodies = ['ground', 'bead']\ncurve = 'cycloid'\npoint = [0, 0, 0]\n\
             position = {start}\n",
            points.join(", ")
        );
        let mut run = Run::new(&model(&tables, &[("at", "body = 'bead'", "position")]));
        let (from, mut worst) = (run.output("at.z"), 0.0);
        for i in 1..=20 {
            let time = TAU / omega * 0.05 * f64::from(i);
            run.advance(time);
            worst = larger(worst, (run.output("at.z") - from * (omega * time).cos().powi(2)).abs());
        }
        worst
    };
    for start in [0.02, -0.3, 0.7] {
        let (coarse, fine) = (error(40, start), error(160, start));
        println!("cycloid from {start} m: {coarse:.1e} m with 81 points, {fine:.1e} m with 321");
        assert!(fine < 1e-7 && (fine < coarse / 8.0 || coarse < 1e-10), "{start}: {coarse} {fine}");
    }
}

/// Equilibrium beside the axis at cos φ = g / ω² r.
#[test]
fn a_bead_on_a_spinning_ring_stays_at_the_angle_where_the_slope_holds_it() {
    let speed: f64 = 8.0;
    let angle = (9.81 / (speed * speed * 0.5)).acos();
    let start = 0.5 * angle;
    let tables = format!(
        "{RING}inertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]\n\
         [[body]]\nname = 'hoop'\nmass = 1\ncom = [0.2, 0.1, 0.3]\ninertia = [1, 1, 1, 0, 0, 0]\n\
         [[joint]]\nname = 'spin'\ntype = 'revolute'\nbodies = ['ground', 'hoop']\npoint = [0.2, 0.1, 0.3]\naxis = [0, \
         0, 1]\n\
         [[guided]]\nname = 'g'\njoint = 'spin'\nmotion = {{ speed = {speed} }}\n\
         [[joint]]\nname = 'j'\ntype = 'point_on_curve'\nbodies = ['hoop', 'bead']\ncurve = 'ring'\npoint = [0.2, 0.1, \
         -0.2]\nposition = [{start:?}, 1, 0, 0, 0]\n"
    );
    let outputs = [("s", "joint = 'j'\ncoordinate = 'travel'", "position"), ("energy", "", "energy_balance")];
    let mut run = Run::new(&model(&tables, &outputs));
    for i in 1..=10 {
        run.advance(0.1 * f64::from(i));
        assert!((run.output("s") - start).abs() < 1e-11, "{:e}", run.output("s") - start);
        assert!(run.lost() < 1e-9);
    }
}

/// A straight line is an incline; at its end the run stops with the name of the joint.
#[test]
fn a_bead_falls_along_an_incline_and_stops_the_run_at_its_end() {
    let tables = "
        [[curve]]
        name = 'incline'
        points = [[0, 0, 4], [3, 0, 0]]
        [[body]]
        name = 'bead'
        mass = 1
        com = [0, 0, 4]
        [[joint]]
        name = 'bead'
        type = 'along_curve'
        bodies = ['ground', 'bead']
        curve = 'incline'
        point = [0, 0, 4]
    ";
    let mut run = Run::new(&model(tables, &[("s", "joint = 'bead'", "position")]));
    let acceleration = 9.81 * 0.8;
    run.advance(1.0);
    assert!((run.output("s") - 0.5 * acceleration).abs() < 1e-13);
    let fault = run.simulator.advance(2.0).expect_err("the incline is 5 m long");
    let at = (10.0_f64 / acceleration).sqrt();
    let Fault::BeyondCurve { joint: 0, time } = fault else { panic!("{fault}") };
    assert!((time - at).abs() <= 1e-3, "{time} {at}");
    let words = run.simulator.describe(&fault);
    assert!(words.starts_with("joint `bead` passed an end of its curve at t ="), "{words}");
    let early = model(&tables.replace("type =", "position = -0.1\ntype ="), &[]);
    let refused = compile::compile(&parse(&early, "m.toml").unwrap(), &[]).err().expect("it starts before the curve");
    assert!(refused.to_string().contains("joint `bead` starts beyond an end of its curve"), "{refused}");
}

/// A crank that drives a lever by a pin in its slot, with a block without mass, since all angles are outputs.
#[test]
fn a_slotted_lever_turns_as_the_geometry_of_its_crank_demands() {
    let tables = "
        [[curve]]
        name = 'slot'
        points = [[0.1, 0, -0.2], [0.4, 0, -0.2]]
        [[body]]
        name = 'crank'
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.01, 0.01, 0, 0, 0]
        [[body]]
        name = 'lever'
        mass = 1
        com = [0.2, 0, -0.2]
        inertia = [0.01, 0.01, 0.01, 0, 0, 0]
        [[body]]
        name = 'block'
        com = [0.25, 0, -0.2]
        [[joint]]
        name = 'crank'
        type = 'revolute'
        bodies = ['ground', 'crank']
        point = [0.25, 0, -0.1]
        axis = [0, 1, 0]
        [[joint]]
        name = 'lever'
        type = 'revolute'
        bodies = ['ground', 'lever']
        point = [0, 0, -0.2]
        axis = [0, 1, 0]
        [[joint]]
        name = 'slot'
        type = 'along_curve'
        bodies = ['lever', 'block']
        curve = 'slot'
        point = [0.25, 0, -0.2]
        [[joint]]
        name = 'pin'
        type = 'revolute'
        bodies = ['block', 'crank']
        point = [0.25, 0, -0.2]
        axis = [0, 1, 0]
        [[guided]]
        name = 'g'
        joint = 'crank'
        motion = { speed = 7 }
    ";
    let outputs = [
        ("crank", "joint = 'crank'", "position"),
        ("lever", "joint = 'lever'", "position"),
        ("travel", "joint = 'slot'", "position"),
        ("rate", "joint = 'lever'", "speed"),
        ("gap", "", "gap"),
        ("energy", "", "energy_balance"),
    ];
    let mut run = Run::new(&model(tables, &outputs));
    // From the pivot of the lever the pin is at (0.25, 0.1) − 0.1 (sin φ, cos φ); angles about y turn z to x.
    let (mut worst, mut energy) = (0.0, 0.0);
    for i in 1..=200 {
        run.advance(0.01 * f64::from(i));
        let (sine, cosine) = run.output("crank").sin_cos();
        let (x, z) = (0.25 - 0.1 * sine, 0.1 - 0.1 * cosine);
        let (x_rate, z_rate) = (-0.7 * cosine, 0.7 * sine);
        let errors = [
            run.output("lever") + z.atan2(x),
            run.output("travel") - (x.hypot(z) - 0.25),
            run.output("rate") + (x * z_rate - z * x_rate) / (x * x + z * z),
            run.output("gap"),
        ];
        worst = errors.iter().fold(worst, |worst, error| larger(worst, error.abs()));
        energy = larger(energy, run.lost());
    }
    println!("slotted lever: {worst:.1e} m, rad, rad/s, energy {energy:.1e} J");
    assert!(worst < 1e-12 && energy < 1e-6);
}

/// An eccentric disc with an oscillating roller follower is a four-bar whose coupler is as long as both radii together.
#[test]
fn a_roller_on_an_eccentric_disc_moves_its_arm_as_a_four_bar_does() {
    let (eccentricity, reach, pivot, arm): (f64, f64, f64, f64) = (0.02, 0.07, 0.12, 0.1);
    // Cam and arm turn about (0, 0) and (pivot, 0); the centre of the disc starts above the axis of the cam.
    let arm_angle = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        let (x, z) = (eccentricity * sine - pivot, eccentricity * cosine);
        let distance = x.hypot(z);
        let opening = ((arm * arm + distance * distance - reach * reach) / (2.0 * arm * distance)).acos();
        // Angle of the arm from −x towards z.
        z.atan2(-x) + opening
    };
    let start = arm_angle(0.0);
    let roller = [pivot - arm * start.cos(), arm * start.sin()];
    let disc = |count: usize| match count {
        0 => "centre = [0, 0, 0.02]\nradius = 0.05".to_string(),
        _ => {
            let point = |i: usize| {
                let (sine, cosine) = (TAU * i as f64 / count as f64).sin_cos();
                format!("[{:?}, 0, {:?}]", 0.05 * sine, 0.02 + 0.05 * cosine)
            };
            format!("closed = true\npoints = [{}]", (0..count).map(point).collect::<Vec<_>>().join(", "))
        }
    };
    let error = |count: usize| {
        let tables = format!(
            "[[curve]]\nname = 'cam'\n{}\noffset = 0.02\nnormal = [0, 1, 0]\n\
             [[body]]\nname = 'cam'\nmass = 1\ncom = [0, 0, 0]\ninertia = [1e-3, 1e-3, 1e-3, 0, 0, 0]\n\
             [[body]]\nname = 'arm'\nmass = 0.2\ncom = [0.06, 0, 0.05]\ninertia = [2e-4, 2e-4, 2e-4, 0, 0, 0]\n\
             [[body]]\nname = 'roller'\nmass = 0.05\ncom = [{x:?}, 0, {z:?}]\ninertia = [1e-5, 1e-5, 1e-5, 0, 0, \
             0]\n\
             [[joint]]\nname = 'cam'\ntype = 'revolute'\nbodies = ['ground', 'cam']\npoint = [0, 0, 0]\naxis = [0, 1, \
             0]\nspeed = 20\n\
             [[joint]]\nname = 'arm'\ntype = 'revolute'\nbodies = ['ground', 'arm']\npoint = [{pivot:?}, 0, 0]\naxis = \
             [0, 1, 0]\n\
             [[joint]]\nname = 'contact'\ntype = 'pin_on_curve'\nbodies = ['cam', 'roller']\ncurve = 'cam'\npoint = \
             [{x:?}, 0, {z:?}]\naxis = [0, 1, 0]\n\
             [[joint]]\nname = 'pin'\ntype = 'revolute'\nbodies = ['arm', 'roller']\npoint = [{x:?}, 0, {z:?}]\naxis = \
             [0, 1, 0]\n",
            disc(count),
            x = roller[0],
            z = roller[1],
        );
        let outputs = [
            ("cam", "joint = 'cam'", "position"),
            ("arm", "joint = 'arm'", "position"),
            ("gap", "", "gap"),
            ("energy", "", "energy_balance"),
        ];
        let mut run = Run::new(&model(&tables, &outputs));
        let (mut worst, mut gap, mut energy) = (0.0, 0.0, 0.0);
        for i in 1..=100 {
            run.advance(0.01 * f64::from(i));
            let expected = arm_angle(run.output("cam")) - start;
            worst = larger(worst, (run.output("arm") - expected).abs());
            gap = larger(gap, run.output("gap").abs());
            energy = larger(energy, run.lost());
        }
        println!("eccentric cam, {count} points: {worst:.1e} rad, gap {gap:.1e} m, energy {energy:.1e} J");
        assert!(gap < 1e-12 && energy < if count == 0 { 1e-9 } else { 1e-5 });
        worst
    };
    assert!(error(0) < 1e-12);
    let (coarse, fine) = (error(24), error(96));
    assert!(fine < 1e-6 && fine < coarse / 100.0, "{coarse} {fine}");
}

/// Nothing acts on a body that carries a curve and a body on it. At the points of a spline, where the third derivative
/// jumps, a step of a Runge-Kutta method errs by h².
#[test]
fn a_body_on_the_curve_of_a_free_body_keeps_energy_and_momentum() {
    let lost = |kind: &str, keys: &str, curve: &str, step: f64| {
        let tables = format!(
            "[[curve]]\nname = 'wire'\n{curve}\n\
             [[body]]\nname = 'base'\nmass = 2\ncom = [0.1, 0.2, -0.1]\ninertia = [0.3, 0.4, 0.5, 0.01, -0.02, 0.03]\n\
             [[body]]\nname = 'rider'\nmass = 1\ncom = [0.5, 0.1, 0]\ninertia = [0.03, 0.02, 0.04, 0, 0.001, 0]\n\
             [[joint]]\nname = 'free'\ntype = 'floating'\nbodies = ['ground', 'base']\nspeed = [0.1, -0.2, 0.3, 1, \
             2, -1]\n\
             [[joint]]\nname = 'j'\ntype = '{kind}'\nbodies = ['base', 'rider']\ncurve = 'wire'\npoint = [0.5, 0, \
             0]\n{keys}\n"
        );
        let outputs = [
            ("energy", "", "kinetic_energy"),
            ("v1", "body = 'base'", "velocity"),
            ("v2", "body = 'rider'", "velocity"),
        ];
        let text = model(&tables, &outputs).replace("[0, 0, -9.81]", "[0, 0, 0]");
        let mut run = Run::new(&text.replace("step = 1e-3", &format!("step = {step}")));
        let momentum = |run: &mut Run| {
            ["x", "y", "z"].map(|k| 2.0 * run.output(&format!("v1.{k}")) + run.output(&format!("v2.{k}")))
        };
        let before = momentum(&mut run);
        run.advance(2.0);
        let moved = before.iter().zip(momentum(&mut run)).map(|(a, b)| (a - b).abs()).fold(run.lost(), larger);
        println!("{kind}, {step} s: energy and momentum to {moved:.1e} J, N s");
        moved
    };
    let spline = "closed = true\npoints = [[0.5, 0, 0], [0, 0.6, 0.2], [-0.4, 0.1, 0.1], [0.1, -0.5, -0.2]]";
    let circle = "centre = [0.2, 0, 0]\nradius = 0.3\nnormal = [0, 0.6, 0.8]";
    for (kind, keys) in [
        ("along_curve", "speed = 3"),
        ("pin_on_curve", "axis = [0.6, 0, 0.8]\nspeed = [3, 2]"),
        ("point_on_curve", "speed = [3, 1, -2, 1]"),
    ] {
        assert!(lost(kind, keys, circle, 1e-3) < 1e-8, "{kind}");
        let (coarse, fine) = (lost(kind, keys, spline, 1e-3), lost(kind, keys, spline, 2.5e-4));
        assert!(coarse < 1e-4 && fine < coarse / 6.0, "{kind}: {coarse} {fine}");
    }
}

/// Through the loop and up the other ramp, to where the centre of the car is as high as at its start.
#[test]
fn the_car_of_the_gallery_climbs_as_high_as_it_started() {
    let mut run = Run::of(&load("models/roller_coaster".as_ref()).unwrap());
    let (top, start) = (run.output("car.position.z"), run.output("energy_balance"));
    let (mut drift, mut gap, mut last, mut turns) = (0.0, 0.0, 0.0, Vec::new());
    for i in 1..=1000 {
        run.advance(0.02 * f64::from(i));
        drift = larger(drift, (run.output("energy_balance") - start).abs());
        gap = larger(gap, run.output("gap"));
        let speed = run.output("rear.speed");
        turns.extend((last * speed < 0.0).then(|| run.output("car.position.z")));
        last = speed;
    }
    println!("coaster: turns at {turns:?} of {top} m, drift {drift:.1e} J, gap {gap:.1e} m");
    assert!(gap < 1e-9 && drift < 1.0, "{gap} {drift}");
    assert!(turns.len() == 1 && (turns[0] - top).abs() < 1e-3, "{turns:?}");
}

/// The centre of the roller is 52 mm from the axis of the cam while it dwells below, and 64 mm while it dwells above.
#[test]
fn the_follower_of_the_gallery_is_lifted_as_the_profile_says() {
    let mut run = Run::of(&load("models/cam_follower".as_ref()).unwrap());
    let (mut worst, mut gap) = (0.0, 0.0);
    for i in 1..=500 {
        run.advance(0.002 * f64::from(i));
        let (x, z) = (run.output("roller.position.x"), run.output("roller.position.z"));
        gap = larger(gap, run.output("gap"));
        let turned = (x.atan2(z) - run.output("cam.angle")).rem_euclid(TAU).to_degrees();
        let wanted = match turned {
            t if !(20.0..=340.0).contains(&t) => 0.052,
            t if (160.0..=200.0).contains(&t) => 0.064,
            _ => continue,
        };
        worst = larger(worst, (x.hypot(z) - wanted).abs());
    }
    println!("cam: dwells to {worst:.1e} m, gap {gap:.1e} m");
    assert!(worst < 1e-6 && gap < 1e-9);
}

/// Loops with massless and heavy bodies on curves, by schemes that have nothing in common but the equations.
#[test]
fn every_scheme_moves_the_car_and_the_cam_alike() {
    for (name, output, tolerance) in [
        ("roller_coaster", "car.position.x", 1e-4),
        ("roller_coaster", "rear.force.z", 1.0),
        ("cam_follower", "arm.angle", 1e-9),
    ] {
        let document = load(format!("models/{name}").as_ref()).unwrap();
        let at_end = |integrator: Integrator| {
            let mut document = document.clone();
            document.model.general.integrator = integrator;
            let mut run = Run::of(&document);
            run.advance(0.4);
            run.output(output)
        };
        let wanted = at_end(Integrator::Rk4);
        use Integrator::{AugmentedLagrangian, GeneralizedAlpha, Heun, SemiImplicitEuler};
        for integrator in [Heun, GeneralizedAlpha, AugmentedLagrangian, SemiImplicitEuler] {
            // The first-order scheme errs by h g t / 2.
            let tolerance = if integrator == SemiImplicitEuler { 100.0 * tolerance } else { tolerance };
            let error = (at_end(integrator) - wanted).abs();
            println!("{name}, {output}, {integrator:?}: {error:.1e} of {wanted}");
            assert!(error < tolerance, "{name}, {output}, {integrator:?}: {error} of {wanted}");
        }
    }
}

/// Newton's method on as many equations as unknowns, with the Jacobian by central differences.
fn newton(equations: impl Fn(&[f64]) -> Vec<f64>, x: &mut [f64]) {
    for _ in 0..20 {
        let now = DVector::from_vec(equations(x));
        let columns: Vec<DVector<f64>> = (0..x.len())
            .map(|i| {
                let at = |by: f64| DVector::from_vec(equations(&[&x[..i], &[x[i] + by], &x[i + 1..]].concat()));
                (at(1e-6) - at(-1e-6)) / 2e-6
            })
            .collect();
        let change = DMatrix::from_columns(&columns).lu().solve(&now).expect("a regular position");
        x.iter_mut().zip(change.iter()).for_each(|(x, change)| *x -= change);
        if change.amax() < 1e-14 {
            return;
        }
    }
    assert!(equations(x).iter().all(|left| left.abs() < 1e-13), "Newton's method converges");
}

/// Where a point of a link is that stands at `[x, y, angle]`.
fn of_link(link: &[f64], [a, b]: [f64; 2]) -> [f64; 2] {
    let (s, c) = link[2].sin_cos();
    [link[0] + c * a - s * b, link[1] + s * a + c * b]
}

/// Links 2 to 5 of the worked example as x, y and angle each, of points of their own, for its inputs: the three
/// structural groups of Saura et al. one after the other, each from what the ones before gave, in `links`.
fn worked_example([q1, q2]: [f64; 2], links: &mut [[f64; 3]; 4]) {
    let [wheel, arm, follower, end] = links;
    // Links 2 and 3: the arcs that wheel 2 has rolled on wheel 1 and on its own rim are equal, 60 and 30 mm.
    let mut first = [*wheel, *arm].concat();
    let train = |x: &[f64]| {
        let (s, c) = x[5].sin_cos();
        let around = x[5] + (x[1] * c - x[0] * s).atan2(x[0] * c + x[1] * s);
        let pin = of_link(&x[3..], [0.09, 0.0]);
        vec![x[2] - q1, 0.06 * around - 0.03 * (x[2] - around), x[3], x[4], pin[0] - x[0], pin[1] - x[1]]
    };
    newton(train, &mut first);
    wheel.copy_from_slice(&first[..3]);
    arm.copy_from_slice(&first[3..]);
    // Link 4: its nose of 10 mm touches the disc of 50 mm.
    let centre = of_link(arm, [-0.02, 0.0]);
    let touch = |x: &[f64]| {
        let nose = of_link(x, [-0.12, 0.0]);
        vec![x[0] - 0.1, x[1] - 0.06, (nose[0] - centre[0]).hypot(nose[1] - centre[1]) - 0.06]
    };
    newton(touch, follower);
    // Link 5.
    let (joint, angle) = (of_link(follower, [0.1, 0.0]), follower[2] + q2);
    newton(|x| vec![x[0] - joint[0], x[1] - joint[1], x[2] - angle], end);
}

#[test]
fn the_worked_example_of_structural_groups_moves_as_its_equations_say_group_by_group() {
    let mut run = Run::of(&load("models/epicyclic_cam".as_ref()).unwrap());
    let inputs = |t: f64| [6.0 * std::f64::consts::PI * t, 0.6 * (3.0 * std::f64::consts::PI * t).sin()];
    let start = [[0.09, 0.0, 0.0], [0.0; 3], [0.1, 0.06, 0.0], [0.2, 0.06, 0.0]];
    let (mut links, energy) = (start, run.output("energy_balance"));
    let (mut place, mut speed, mut drift, mut gap, mut lift, mut press) = (0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY);
    for i in 1..=400 {
        let t = 0.005 * f64::from(i);
        run.advance(t);
        worked_example(inputs(t), &mut links);
        let nose = of_link(&links[2], [-0.12, 0.0]);
        let tip = of_link(&links[3], [0.0, -0.08]);
        for (name, wanted) in [
            ("wheel_2.position.x", links[0][0]),
            ("wheel_2.position.y", links[0][1]),
            ("wheel_2.angle", links[0][2]),
            ("arm_3.angle", links[1][2]),
            ("follower_4.nose.x", nose[0]),
            ("follower_4.nose.y", nose[1]),
            ("link_5.tip.x", tip[0]),
            ("link_5.tip.y", tip[1]),
        ] {
            place = larger(place, (run.output(name) - wanted).abs());
        }
        let mut angle = |by: f64| {
            worked_example(inputs(t + by), &mut links);
            links[2][2]
        };
        let step = 1e-3;
        let rate = (8.0 * (angle(step) - angle(-step)) - (angle(2.0 * step) - angle(-2.0 * step))) / (12.0 * step);
        speed = larger(speed, (run.output("follower_4.angular_velocity.z") - rate).abs());
        drift = larger(drift, (run.output("energy_balance") - energy).abs());
        gap = larger(gap, run.output("gap"));
        lift = larger(lift, (nose[1] - 0.06).abs());
        let centre = of_link(&links[1], [-0.02, 0.0]);
        let normal = [(nose[0] - centre[0]) / 0.06, (nose[1] - centre[1]) / 0.06];
        press = f64::min(press, normal[0] * run.output("cam.force.x") + normal[1] * run.output("cam.force.y"));
    }
    println!("worked example: {place:.1e} m, {speed:.1e} rad/s, {drift:.1e} J, gap {gap:.1e} m, {press:.1} N");
    assert!(place < 1e-11 && gap < 1e-12, "{place} {gap}");
    // The difference quotient errs by the fifth derivative times step⁴/30, 1e-8.
    assert!(speed < 1e-7 && drift < 1e-8, "{speed} {drift}");
    // The follower moves, and its nose stays pressed on the cam, as a nose without a groove needs it.
    assert!(lift > 0.02 && press > 5.0, "{lift} {press}");
}
