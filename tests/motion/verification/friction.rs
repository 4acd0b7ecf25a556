//! `[[friction]]`: what it holds does not move in any integrator; stick and slip beside closed solutions.

use crate::check::larger;
use crate::models;
use crate::verification::support::{Run, compile, parse};
use ballesta::compile;
use ballesta::model::Document;
use ballesta::model::schema::{Integrator, Model};
use ballesta::simulate::Simulator;
use std::sync::Arc;

const INTEGRATORS: [Integrator; 4] =
    [Integrator::Rk4, Integrator::Heun, Integrator::SemiImplicitEuler, Integrator::GeneralizedAlpha];

/// A block of `mass` kg on a rail, down an incline of 30° if `inclined`, with an input force along the rail.
fn block(mass: f64, inclined: bool, friction: &str) -> String {
    let gravity = if inclined { "[4.905, 0, -8.495709]" } else { "[0, 0, -9.81]" };
    format!(
        r#"
        [model]
        name = "block"
        gravity = {gravity}
        step = 1e-3
        [[input]]
        name = "u"
        unit = "N"
        [[body]]
        name = "block"
        mass = {mass}
        com = [0, 0, 0]
        [[joint]]
        name = "rail"
        type = "prismatic"
        bodies = ["ground", "block"]
        axis = [1, 0, 0]
        [[force]]
        name = "push"
        body = "block"
        point = [0, 0, 0]
        value = ["u", 0, 0]
        [[friction]]
        name = "dry"
        joint = "rail"
        {friction}
        [[output]]
        name = "x"
        joint = "rail"
        quantity = "position"
        [[output]]
        name = "v"
        joint = "rail"
        quantity = "speed"
        [[output]]
        name = "balance"
        quantity = "energy_balance"
        [[output]]
        name = "lost"
        quantity = "dissipated_energy"
        "#
    )
}

const SLIDER_CRANK: &str = r#"
    [model]
    name = "slider_crank"
    gravity = [0, 0, 0]
    step = 1e-3
    [[body]]
    name = "crank"
    mass = 1.0
    com = [0.025, 0.04330127018922193, 0]
    inertia = [0.000625, 0.00020833333333333348, 0.0008333333333333335, -0.00036084391824351623, 0, 0]
    [[body]]
    name = "rod"
    mass = 0.6
    com = [0.19361406616345073, 0.04330127018922193, 0]
    inertia = [0.000375, 0.0041249999999999, 0.0045, 0.0012437342963832747, 0, 0]
    [[body]]
    name = "slider"
    mass = 0.4
    com = [0.3372281323269014, 0, 0]
    [[joint]]
    name = "crank"
    type = "revolute"
    bodies = ["ground", "crank"]
    point = [0, 0, 0]
    axis = [0, 0, 1]
    [[joint]]
    name = "pin"
    type = "revolute"
    bodies = ["crank", "rod"]
    point = [0.05, 0.08660254037844387, 0]
    axis = [0, 0, 1]
    [[joint]]
    name = "wrist"
    type = "revolute"
    bodies = ["rod", "slider"]
    point = [0.3372281323269014, 0, 0]
    axis = [0, 0, 1]
    [[joint]]
    name = "rail"
    type = "prismatic"
    bodies = ["ground", "slider"]
    axis = [1, 0, 0]
    [[friction]]
    name = "rail"
    joint = "rail"
    coulomb = 20
    presliding = 5e-5
    [[drive]]
    name = "motor"
    joint = "crank"
    value = TORQUE
    [[output]]
    name = "x"
    joint = "rail"
    quantity = "position"
    [[output]]
    name = "v"
    joint = "rail"
    quantity = "speed"
"#;

fn with(integrator: Integrator, text: &str) -> Model {
    let mut model = parse(text);
    model.general.integrator = integrator;
    model
}

/// Largest distance from the start, and largest speed of the last second, over `time` s.
fn farthest(run: &mut Run, time: usize) -> (f64, f64) {
    let start = run.time();
    let (mut distance, mut speed) = (0.0f64, 0.0f64);
    for i in 1..=100 * time {
        run.advance(start + 0.01 * i as f64);
        let (x, v) = (run.get("x"), run.get("v"));
        assert!(x.is_finite() && v.is_finite());
        distance = larger(distance, x.abs());
        if i > 100 * (time - 1) {
            speed = larger(speed, v.abs());
        }
    }
    (distance, speed)
}

#[test]
fn a_block_on_an_incline_at_0_999_of_breakaway_stays_within_the_deflection_of_the_bristles_for_a_minute() {
    for integrator in INTEGRATORS {
        // 1 kg and 800 kg; without and with a lower friction once it slides.
        for (mass, falling) in [(1.0, false), (800.0, true)] {
            let breakaway = 4.905 * mass / 0.999;
            let coulomb = if falling { 0.6 * breakaway } else { breakaway };
            let friction = format!(
                "coulomb = {coulomb:e}\nstatic = {breakaway:e}\nstribeck_speed = 1e-3\npresliding = 2e-5\nviscous = 0"
            );
            let (moved, speed) = farthest(&mut Run::new(&with(integrator, &block(mass, true, &friction))), 60);
            println!("block of {mass} kg, {integrator:?}: {moved:.1e} m in 60 s, {speed:.1e} m/s at the end");
            assert!(moved < 2e-5 && speed < 1e-12, "{moved} {speed}");
        }
    }
}

#[test]
fn a_block_above_breakaway_slides_with_what_is_left() {
    for integrator in INTEGRATORS {
        let friction = format!("coulomb = {}\npresliding = 2e-5", 4.905 / 1.01);
        let mut run = Run::new(&with(integrator, &block(1.0, true, &friction)));
        run.advance(2.0);
        let expected = 0.5 * (4.905 - 4.905 / 1.01) * 4.0;
        assert!((run.get("x") - expected).abs() < 2e-4, "{integrator:?}: {} {expected}", run.get("x"));
    }
}

#[test]
fn a_slider_crank_at_0_999_of_breakaway_stands_for_a_minute() {
    // dx/dθ of the slider at a crank angle of 60°: 0.0866 (1 + 0.05/0.28723) m.
    let lever = 0.0866025403784 * (1.0 + 0.05 / 0.287228132327);
    for integrator in INTEGRATORS {
        let text = SLIDER_CRANK.replace("TORQUE", &format!("{}", 0.999 * 20.0 * lever));
        let (moved, speed) = farthest(&mut Run::new(&with(integrator, &text)), 60);
        println!("slider-crank, {integrator:?}: {moved:.1e} m in 60 s, {speed:.1e} m/s at the end");
        assert!(moved < 5e-5 && speed < 1e-11, "{moved} {speed}");
        let text = SLIDER_CRANK.replace("TORQUE", &format!("{}", 1.01 * 20.0 * lever));
        let mut run = Run::new(&with(integrator, &text));
        run.advance(1.0);
        // It goes on until its lever has grown by as much.
        assert!(run.get("x").abs() > 0.005, "{integrator:?}: {}", run.get("x"));
    }
}

#[test]
fn a_load_that_shakes_below_breakaway_moves_nothing_on() {
    for integrator in INTEGRATORS {
        let mut run = Run::new(&with(integrator, &block(1.0, false, "coulomb = 10\npresliding = 2e-5")));
        // Between −3 and 9.5 N, as a saw.
        let (mut first, mut last) = (0.0, 0.0);
        for cycle in 0..200 {
            for (slope, time) in [(125.0, 0.1), (-125.0, 0.2)] {
                run.set_slope("u", if cycle == 0 && time == 0.1 { 95.0 } else { slope });
                let end = run.time() + 0.1;
                run.advance(end);
            }
            run.set_slope("u", 0.0);
            if cycle == 0 {
                first = run.get("x");
            }
            last = run.get("x");
        }
        assert!((last - first).abs() < 1e-9 && last.abs() < 2e-5, "{integrator:?}: {first:e} {last:e}");
    }
}

#[test]
fn a_sliding_block_stops_where_its_energy_is_spent_and_stays() {
    for integrator in INTEGRATORS {
        let text = block(2.0, false, "coulomb = 10\npresliding = 4e-5");
        let model = with(integrator, &text.replace("type = \"prismatic\"", "type = \"prismatic\"\nspeed = 1.5"));
        let mut run = Run::new(&model);
        let before = run.get("balance");
        run.advance(1.0);
        let stopped = run.get("x");
        let balance = (run.get("balance") - before).abs();
        let (_, speed) = farthest(&mut run, 5);
        println!("{integrator:?}: stops after {stopped} m, energy balance off by {balance:.2e} J of 2.25 J");
        // ½ m v²/F, and at most the deflection of the bristles and the way of one step more.
        assert!((stopped - 0.225).abs() < 1.6e-3, "{stopped}");
        assert!((run.get("x") - stopped).abs() < 1e-9 && speed < 1e-10, "{speed:e}");
    }
}

/// Period and way per period of a block of 1 kg that a spring of 100 N/m pulls by 0.05 m/s: static friction of 2 N, 1 N
/// as it slides.
fn stick_slip(integrator: Integrator, stribeck_speed: f64) -> (f64, f64, f64) {
    let friction =
        format!("coulomb = 1\nstatic = 2\nstribeck_speed = {stribeck_speed:e}\npresliding = 1e-7\ntime = 2e-4");
    let spring = "[[joint_spring]]\nname = \"spring\"\njoint = \"rail\"\nstiffness = 100";
    let mut model = with(integrator, &format!("{}{spring}", block(1.0, false, &friction)));
    model.general.step = 1e-4;
    let mut run = Run::new(&model);
    run.set_slope("u", 100.0 * 0.05);
    let (mut starts, mut places, mut before) = (Vec::new(), Vec::new(), 0.0);
    let mut standing = 0.0;
    for i in 1..=6000 {
        run.advance(1e-3 * f64::from(i));
        let speed = run.get("v");
        if speed.abs() < 1e-4 {
            standing = run.get("x");
        }
        if before < 0.05 && speed >= 0.05 {
            starts.push(1e-3 * (f64::from(i) - (speed - 0.05) / (speed - before)));
            places.push(standing);
        }
        before = speed;
    }
    let n = starts.len() - 1;
    let per_cycle = |values: &[f64]| (values[n] - values[1]) / (n - 1) as f64;
    (per_cycle(&starts), per_cycle(&places), run.get("balance").abs() / run.get("lost"))
}

#[test]
fn stick_slip_has_the_period_and_the_way_of_the_closed_solution() {
    // Slip: the oscillator about the Coulomb friction until the speed is zero again; stick: the spring is drawn.
    let (omega, ratio) = (10.0, (2.0 - 1.0) * 10.0 / (100.0 * 0.05));
    let slip = 2.0 * (std::f64::consts::PI - f64::atan(ratio)) / omega;
    let period = slip + 2.0 * (2.0 - 1.0) / (100.0 * 0.05);
    for integrator in [Integrator::Rk4, Integrator::Heun, Integrator::GeneralizedAlpha] {
        let mut errors = Vec::new();
        for stribeck_speed in [1e-3, 1e-4, 1e-5] {
            let (found, way, balance) = stick_slip(integrator, stribeck_speed);
            errors.push(found / period - 1.0);
            println!(
                "stick-slip, {integrator:?}, Stribeck speed {stribeck_speed:e}: period {found:.6} s, closed \
                 {period:.6}; way \
                 {way:.6} m, closed {:.6}; balance {balance:.1e} of the loss",
                0.05 * period
            );
            assert!((way - 0.05 * found).abs() < 1e-5, "{way}");
            assert!(balance < 1e-5, "{balance:e}");
        }
        // Friction falls at once in the closed solution, over v_s here: 2 v_s = (k V/m) t² later, and less at the end
        // of slip.
        assert!(errors[2].abs() < 6e-3, "{errors:?}");
        assert!(errors.windows(2).all(|pair| pair[1].abs() < 0.5 * pair[0].abs()), "{errors:?}");
    }
}

#[test]
fn a_state_saved_in_stick_continues_with_the_same_bits() {
    for integrator in INTEGRATORS {
        let friction = "coulomb = 3\nstatic = 5\nstribeck_speed = 0.01\npresliding = 2e-5";
        let system = Arc::new(compile(&with(integrator, &block(1.0, true, friction))));
        let advance = |simulator: &mut Simulator, end: f64| {
            simulator.advance(end).unwrap_or_else(|fault| panic!("{fault:?}"));
        };
        let start = || {
            let mut simulator = Simulator::new(system.clone());
            simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
            simulator
        };
        let mut through = start();
        advance(&mut through, 1.0);
        let saved = through.state().to_bytes();
        assert!(through.state().v[0].abs() < 1e-12 && through.state().auxiliary[2] > 0.5);
        let mut other = start();
        assert!(other.restore_bytes(&saved));
        for simulator in [&mut through, &mut other] {
            // Held for a second, then pushed off.
            advance(simulator, 2.0);
            simulator.set_input(0, 0.2);
            advance(simulator, 3.0);
        }
        assert!(through.state().v[0] > 0.1);
        assert_eq!(through.state().to_bytes(), other.state().to_bytes(), "{integrator:?}");
    }
}

fn document(integrator: Integrator, friction: &str) -> Document {
    let mut document = models::parse(&block(1.0, true, friction), "model.toml");
    document.model.general.integrator = integrator;
    document
}

#[test]
fn friction_too_stiff_for_the_step_is_refused_with_a_travel_that_holds() {
    for integrator in [Integrator::Rk4, Integrator::Heun, Integrator::SemiImplicitEuler] {
        let refused = compile::compile(&document(integrator, "coulomb = 5\npresliding = 1e-6"), &[]);
        let message = refused.err().expect("the step is too long").to_string();
        assert!(message.contains("friction[0].presliding"), "{message}");
        let travel: f64 = between(&message, "a travel of at least ", ",");
        // The travel that is named, rounded, is taken, and holds.
        let friction = format!("coulomb = 5\npresliding = {:e}", 1.02 * travel);
        let (moved, speed) = farthest(&mut Run::new(&document(integrator, &friction).model), 2);
        assert!(moved < travel && speed < 1e-12, "{integrator:?}: {moved:e} {speed:e}");
        let refused = compile::compile(&document(integrator, "coulomb = 5\npresliding = 1e-4\ntime = 1e-4"), &[]);
        let message = refused.err().expect("the time is too short").to_string();
        assert!(message.contains("friction[0].time"), "{message}");
    }
    // The implicit scheme takes both.
    for friction in ["coulomb = 5\npresliding = 1e-9", "coulomb = 5\npresliding = 1e-4\ntime = 1e-5"] {
        let model = document(Integrator::GeneralizedAlpha, friction).model;
        let (moved, speed) = farthest(&mut Run::new(&model), 10);
        assert!(moved < 1e-4 && speed < 1e-12, "{moved:e} {speed:e}");
    }
}

/// The number between two texts.
fn between(message: &str, before: &str, behind: &str) -> f64 {
    let rest = message.split(before).nth(1).unwrap_or_else(|| panic!("{message}"));
    rest.split(behind).next().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{message}"))
}

#[test]
fn two_frictions_on_one_motion_share_the_load_whatever_their_order_is() {
    let other = "[[friction]]\nname = \"seal\"\njoint = \"rail\"\ncoulomb = 5\npresliding = 4e-3\ntime = 0.02\n";
    let first = "coulomb = 3\npresliding = 1e-3\ntime = 0.01\n";
    let text = block(1.0, false, first);
    let marker = "[[friction]]";
    let orders = [text.replacen("[[output]]", &format!("{other}[[output]]"), 1), {
        text.replacen(marker, &format!("{other}{marker}"), 1)
    }];
    let ends = orders.map(|text| {
        let mut model = with(Integrator::Rk4, &text);
        model.inputs[0].start = 4.0;
        let mut run = Run::new(&model);
        // The stiffer one reaches its breakaway at 3.75 N together with a share of the other; 7 N bend on.
        run.set_input("u", 7.0);
        run.advance(0.2);
        (run.get("x"), run.get("balance"))
    });
    println!("{ends:?}");
    assert!((ends[0].0 - ends[1].0).abs() < 1e-12 && ends[0].0 > 1e-4, "{ends:?}");
}

#[test]
fn a_slow_block_starts_with_its_whole_friction() {
    for speed in [5e-3, -5e-4, 2.0] {
        let text = block(1.0, false, "coulomb = 10\npresliding = 1e-3\ntime = 0.002\n")
            .replacen("axis = [1, 0, 0]", &format!("axis = [1, 0, 0]\nspeed = {speed}"), 1)
            .replacen("quantity = \"speed\"", "quantity = \"acceleration\"", 1);
        let run = Run::new(&with(Integrator::Rk4, &text));
        let started = run.get("v");
        assert!((started + 10.0f64.copysign(speed)).abs() < 1e-9, "{speed}: {started}");
    }
}

/// The slider-crank with friction, motor and weight, its time in units of 1/`pace` s.
fn paced(pace: f64) -> Model {
    let text = SLIDER_CRANK
        .replacen("gravity = [0, 0, 0]", &format!("gravity = [0, {}, 0]", -9.81 * pace * pace), 1)
        .replacen("step = 1e-3", &format!("step = {}", 1e-3 / pace), 1)
        .replacen("coulomb = 20", &format!("coulomb = {}\ntime = {}", 20.0 * pace * pace, 0.002 / pace), 1)
        .replacen("TORQUE", &format!("{}", 3.0 * pace * pace), 1)
        .replacen("axis = [0, 0, 1]", &format!("axis = [0, 0, 1]\nspeed = {}", 9.0 * pace), 1);
    parse(&text)
}

#[test]
fn nothing_in_the_solver_has_a_unit_of_time_of_its_own() {
    let ends = [1.0, 1024.0, 1.0 / 1024.0].map(|pace| {
        let mut run = Run::new(&paced(pace));
        (1..=100)
            .map(|i| {
                run.advance(5e-3 * f64::from(i) / pace);
                (run.get("x"), run.get("v") / pace)
            })
            .collect()
    });
    let [plain, others @ ..]: [Vec<(f64, f64)>; 3] = ends;
    for other in others {
        for ((x, v), (scaled_x, scaled_v)) in plain.iter().zip(&other) {
            assert!((x - scaled_x).abs() < 1e-12 && (v - scaled_v).abs() < 1e-10, "{x} {scaled_x}, {v} {scaled_v}");
        }
    }
    assert!(plain.iter().any(|(_, v)| *v < -0.1) && plain.iter().any(|(_, v)| *v > 0.1));
}
