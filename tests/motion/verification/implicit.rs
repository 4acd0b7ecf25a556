//! The generalized-alpha method: order, what it does to frequencies above the step's resolution, what it conserves.

use crate::check::larger;
use crate::verification::support::{
    Run, add_body_output, add_system_output, gallery, in_parallel, load, number, output_times, parse, times,
};
use crate::verification::verification_page::went_through;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Implicit, Integrator, JointKind, Model, Quantity};

/// The gallery model `name` with the generalized-alpha method.
fn implicit(name: &str, radius: f64, step: f64) -> Model {
    let mut model = load(name);
    model.general.integrator = Integrator::GeneralizedAlpha;
    model.general.spectral_radius = Some(radius);
    model.general.step = step;
    model
}

/// Vector output `point` at `times`.
fn path(model: &Model, point: &str, times: &[f64]) -> Vec<Vec3> {
    let mut run = Run::new(model);
    let at = |&time: &f64| {
        run.advance(time);
        run.vector(point)
    };
    times.iter().map(at).collect()
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
}

/// Order from three runs with steps 4h, 2h, h.
fn order(name: &str, point: &str, radius: f64, step: f64, times: &[f64]) -> f64 {
    let [coarse, middle, fine] = [4.0, 2.0, 1.0].map(|n| path(&implicit(name, radius, n * step), point, times));
    let (first, second) = (apart(&coarse, &middle), apart(&middle, &fine));
    let order = (first / second).log2();
    println!(
        "order of generalized_alpha ({radius}) on {name}, {step:e} s × 4, 2, 1: {order:.3} ({first:.2e}, {second:.2e} \
         m)"
    );
    order
}

#[test]
fn generalized_alpha_has_order_two_on_open_and_closed_chains_with_springs() {
    for (name, point, step, end) in [
        ("spatial_double_pendulum", "tip", 0.125e-3, 0.5),
        ("four_bar_3d", "C", 0.125e-3, 0.5),
        ("watt_six_bar", "E", 0.25e-3, 1.0),
        ("guided_five_bar", "C", 0.25e-3, 1.0),
        ("bushing_mount", "engine", 0.125e-3, 0.5),
        ("planar_puck", "puck", 0.25e-3, 1.0),
    ] {
        for radius in [0.0, 0.8, 1.0] {
            let order = order(name, point, radius, step, &times(0.0, end, end / 20.0));
            assert!((order - 2.0).abs() <= 0.1, "{name}, {radius}: {order}");
        }
    }
}

#[test]
fn order_two_is_kept_when_every_communication_interval_ends_with_a_clipped_step() {
    // Intervals of 1.3 steps, and of a little more than ten, at every step.
    for part in [1.3, 10.1] {
        for radius in [0.0, 0.8, 1.0] {
            let run = |factor: usize| {
                let step = 0.125e-3 * factor as f64;
                let mut run = Run::new(&implicit("four_bar_3d", radius, step));
                let intervals = (0.4 / (0.5e-3 * part)) as usize * 4 / factor;
                let mut points = Vec::new();
                for i in 1..=intervals {
                    run.advance(i as f64 * part * step);
                    if i % (4 / factor) == 0 {
                        points.push(run.vector("C"));
                    }
                }
                points
            };
            let [coarse, middle, fine] = [4, 2, 1].map(run);
            let order = (apart(&coarse, &middle) / apart(&middle, &fine)).log2();
            println!("order of generalized_alpha ({radius}) on four_bar_3d, intervals of {part} steps: {order:.3}");
            assert!((order - 2.0).abs() <= 0.2, "{part}, {radius}: {order}");
        }
    }
}

/// Rotation matrix of a unit quaternion (w, x, y, z).
fn rotation([w, x, y, z]: [f64; 4]) -> Mat3 {
    ballesta::math::rotation::matrix(&[w, x, y, z])
}

#[test]
fn angular_momentum_of_a_free_spinning_body_errs_with_the_square_of_the_step() {
    let mut model = load("free_pair");
    model.bodies.truncate(1);
    model.joints.truncate(1);
    model.outputs.clear();
    let name = model.bodies[0].name.clone();
    add_body_output(&mut model, "rotation", &name, Quantity::Rotation);
    add_body_output(&mut model, "spin", &name, Quantity::AngularVelocity);
    model.general.integrator = Integrator::GeneralizedAlpha;
    let j: Vec<f64> = model.bodies[0].inertia.as_ref().expect("given").iter().map(|n| number(&model, n)).collect();
    let inertia = Mat3::new(j[0], j[3], j[5], j[3], j[1], j[4], j[5], j[4], j[2]);
    for radius in [0.0, 0.8, 1.0] {
        model.general.spectral_radius = Some(radius);
        let error = |step: f64| {
            let mut model = model.clone();
            model.general.step = step;
            let mut run = Run::new(&model);
            let momentum = |run: &Run| {
                let r = rotation(run.quaternion(&format!("rotation.{name}")));
                r * (inertia * r.tr_mul(&run.vector(&format!("spin.{name}"))))
            };
            let start = momentum(&run);
            let mut worst = 0.0_f64;
            for time in times(0.0, 2.0, 0.1) {
                run.advance(time);
                worst = larger(worst, (momentum(&run) - start).norm() / start.norm());
            }
            worst
        };
        let (coarse, fine) = (error(2e-3), error(1e-3));
        let order = (coarse / fine).log2();
        println!(
            "angular momentum of a free body ({radius}), relative: {coarse:.2e} at 2 ms, {fine:.2e} at 1 ms, order \
             {order:.2}"
        );
        assert!(fine < 1e-4 && order > 1.9, "{radius}: {order}");
    }
}

/// A mass of 1 kg on a spring of `stiffness` and `damping`, deflected by 0.1 m, with steps of 1 ms; without `radius` by
/// RK4.
fn oscillator(stiffness: f64, damping: f64, radius: Option<f64>) -> Model {
    let mut model = parse(&format!(
        r#"
        [model]
        name = "oscillator"
        [[body]]
        name = "mass"
        mass = 1
        com = [0, 0, 0]
        [[joint]]
        name = "slide"
        type = "prismatic"
        bodies = ["ground", "mass"]
        axis = [0, 0, 1]
        position = 0.1
        [[joint_spring]]
        name = "spring"
        joint = "slide"
        stiffness = {stiffness}
        damping = {damping}
        [[output]]
        name = "z"
        joint = "slide"
        quantity = "position"
        [[output]]
        name = "speed"
        joint = "slide"
        quantity = "speed"
        [[output]]
        name = "balance"
        quantity = "energy_balance"
        "#
    ));
    model.general.spectral_radius = radius;
    if radius.is_some() {
        model.general.integrator = Integrator::GeneralizedAlpha;
    }
    model
}

#[test]
fn a_linear_oscillator_keeps_its_energy_to_round_off_without_numerical_damping() {
    for (stiffness, cycles) in [(1e4, "16 cycles per s"), (1e10, "16 cycles per step")] {
        let mut run = Run::new(&oscillator(stiffness, 0.0, Some(1.0)));
        let (start, mut worst) = (run.get("balance"), 0.0_f64);
        for time in times(0.0, 10.0, 0.01) {
            run.advance(time);
            worst = larger(worst, (run.get("balance") / start - 1.0).abs());
        }
        println!("energy of a linear oscillator ({cycles}), ϱ = 1, 10 000 steps: changes by {worst:.1e}");
        assert!(worst < 1e-11, "{stiffness}: {worst}");
    }
}

#[test]
fn ringing_far_above_the_step_is_damped_as_the_spectral_radius_says() {
    for (radius, steps) in [(0.0, 8), (0.8, 200)] {
        let mut run = Run::new(&oscillator(1e12, 0.0, Some(radius)));
        run.advance(1e-3 * f64::from(steps));
        let (position, speed) = (run.get("z").abs(), run.get("speed").abs());
        println!(
            "ringing of a spring with ωh = 1000, ϱ = {radius}, after {steps} steps: {position:.1e} of 0.1 m, \
             {speed:.1e} m/s"
        );
        assert!(position < 1e-6 && speed < 1e-2, "{radius}: {position}, {speed}");
    }
}

#[test]
fn a_stiff_spring_settles_where_an_explicit_step_explodes() {
    let mut explicit = Run::new(&oscillator(1e10, 1e6, None));
    let failed = explicit.simulator().advance(0.5).is_err();
    assert!(failed || !(explicit.simulator().state().q[0].abs() < 1.0), "the step resolves the spring");
    let mut run = Run::new(&oscillator(1e10, 1e6, Some(0.8)));
    run.advance(0.5);
    println!("spring of 1e10 N/m on 1 kg at 1 ms, pulled by 0.1 m: {:.1e} m from rest after 0.5 s", run.get("z"));
    assert!(run.get("z").abs() < 1e-12);
}

/// The gallery's crank-rocker with its stiff bushings, or with joints in their places.
fn crank_rocker(joints: bool) -> Model {
    let mut model = load("stiff_bushings");
    if joints {
        model.general.integrator = Integrator::Rk4;
        model.general.spectral_radius = None;
        model.general.step = 2e-4;
        model.outputs.retain(|output| output.bushing.is_none());
        for bushing in std::mem::take(&mut model.bushings) {
            let pivot = model.joints.iter().find(|joint| joint.name == "A").expect("the crank's pivot").clone();
            let replaced = ballesta::model::schema::Joint {
                name: bushing.name,
                kind: JointKind::Revolute,
                bodies: bushing.bodies,
                point: Some(bushing.point),
                speed: None,
                ..pivot
            };
            model.joints.push(replaced);
        }
        model.joints.retain(|joint| joint.name != "rocker");
    }
    model
}

#[test]
fn a_mechanism_on_stiff_bushings_moves_like_one_with_joints() {
    let [soft, rigid] = [false, true].map(|joints| path(&crank_rocker(joints), "C", &times(0.0, 4.0, 0.01)));
    let worst = soft.iter().zip(&rigid).map(|(a, b)| (a - b).norm()).fold(0.0, larger);
    println!("crank-rocker on bushings of 4e8 N/m at 1 ms, against RK4 with joints: {worst:.2e} m over 4 s");
    assert!(worst < 1e-3);
    let mut explicit = crank_rocker(false);
    explicit.general.integrator = Integrator::Rk4;
    let mut run = Run::new(&explicit);
    assert!(run.simulator().advance(0.1).is_err() || !(run.simulator().state().q[0].abs() < 100.0));
}

#[test]
fn implicit_all_has_order_two() {
    for (name, point) in [("spatial_double_pendulum", "tip"), ("four_bar_3d", "C"), ("bushing_mount", "engine")] {
        let [coarse, middle, fine] = [4.0, 2.0, 1.0].map(|n| {
            let mut model = implicit(name, 0.8, n * 0.125e-3);
            model.general.implicit = Some(Implicit::All);
            path(&model, point, &times(0.0, 0.5, 0.025))
        });
        let order = (apart(&coarse, &middle) / apart(&middle, &fine)).log2();
        println!("order of generalized_alpha (implicit = all) on {name}: {order:.3}");
        assert!((order - 2.0).abs() <= 0.1, "{name}: {order}");
    }
}

/// A load of 1000 kg on three links of 1 g: the tension moves the links sideways at about 10 000 rad/s.
fn load_on_light_links(implicit: Implicit) -> Model {
    let mut text = String::from(
        "[model]\nname = 'cable'\ngravity = [0, 0, -9.81]\nintegrator = 'generalized_alpha'\n[[output]]\nname = \
         'balance'\n\
         quantity = 'energy_balance'\n[[output]]\nname = 'kinetic'\nquantity = 'kinetic_energy'\n",
    );
    let mut inboard = String::from("ground");
    for i in 0..4 {
        let (mass, length) = if i == 3 { (1000.0, 0.2) } else { (1e-3, 0.1) };
        let (top, name) = (-0.1 * f64::from(i), format!("link_{i}"));
        let (middle, inertia) = (top - 0.5 * length, mass * length * length / 12.0);
        text += &format!(
            "[[body]]\nname = '{name}'\nmass = {mass}\ncom = [0, 0, {middle}]\ninertia = [{inertia}, {inertia}, \
             {inertia}, 0, 0, 0]\n\
             [[joint]]\nname = 'pin_{i}'\ntype = 'revolute'\nbodies = ['{inboard}', '{name}']\npoint = [0, 0, {top}]\n\
             axis = [0, 1, 0]\nposition = {}\n",
            if i == 0 { 0.3 } else { 0.0 }
        );
        inboard = name;
    }
    let mut model = parse(&text);
    model.general.implicit = Some(implicit);
    model
}

#[test]
fn implicit_all_holds_the_geometric_stiffness_that_is_explicit_otherwise() {
    let drift = |implicit: Implicit| {
        let mut run = Run::new(&load_on_light_links(implicit));
        let (start, mut moved) = (run.get("balance"), 0.0_f64);
        for time in times(0.0, 2.0, 0.01) {
            let made = run.simulator().advance(time).is_ok();
            // Squares of these are beyond the numbers.
            if !made || run.simulator().state().v.iter().any(|speed| speed.abs() > 1e100) {
                return f64::INFINITY;
            }
            run.refresh();
            moved = larger(moved, run.get("kinetic"));
        }
        ((run.get("balance") - start) / moved).abs()
    };
    let (stiff, all) = (drift(Implicit::Stiff), drift(Implicit::All));
    println!("load of 1000 kg on links of 1 g, 2 s at 1 ms: energy drift {stiff:.1e} (stiff), {all:.1e} (all)");
    assert!(!(stiff < 1.0) && all < 1e-3);
}

#[test]
fn every_model_of_the_gallery_runs_with_the_implicit_scheme() {
    let names = gallery();
    let results = in_parallel(&names, |name| {
        [Implicit::Stiff, Implicit::All].map(|implicit| {
            let mut model = load(name);
            model.general.integrator = Integrator::GeneralizedAlpha;
            model.general.implicit = Some(implicit);
            model.outputs.clear();
            add_system_output(&mut model, "balance", Quantity::EnergyBalance);
            add_system_output(&mut model, "kinetic", Quantity::KineticEnergy);
            add_system_output(&mut model, "potential", Quantity::PotentialEnergy);
            let mut run = Run::new(&model);
            let (start, potential) = (run.get("balance"), run.get("potential"));
            let (mut drift, mut scale) = (0.0_f64, run.get("kinetic"));
            for time in output_times(&model) {
                run.advance(time);
                drift = larger(drift, (run.get("balance") - start).abs());
                scale = larger(larger(scale, run.get("kinetic")), (run.get("potential") - potential).abs());
            }
            drift / scale
        })
    });
    for (name, [stiff, all]) in names.iter().zip(results) {
        println!("{name}: relative energy drift {stiff:.1e} (stiff), {all:.1e} (all)");
        assert!(stiff < 1e-2 && all < 1e-2, "{name}");
    }
    went_through("generalized-alpha at its own step", &names.iter().collect::<Vec<_>>());
}

#[test]
fn a_linkage_that_very_stiff_springs_set_free_loses_energy_and_gains_none() {
    for radius in [0.0, 0.8] {
        let mut model = implicit("watt_six_bar", radius, 1e-3);
        for stiffness in model.springs.iter_mut().map(|s| &mut s.stiffness) {
            *stiffness = (1e3 * number(&load("watt_six_bar"), stiffness)).into();
        }
        for stiffness in model.joint_springs.iter_mut().map(|s| &mut s.stiffness) {
            *stiffness = (1e3 * number(&load("watt_six_bar"), stiffness)).into();
        }
        model.outputs.clear();
        add_system_output(&mut model, "balance", Quantity::EnergyBalance);
        add_system_output(&mut model, "potential", Quantity::PotentialEnergy);
        let mut run = Run::new(&model);
        let (start, potential, mut rise) = (run.get("balance"), run.get("potential"), 0.0_f64);
        for time in times(0.0, 2.0, 1e-2) {
            run.advance(time);
            rise = larger(rise, run.get("balance") - start);
        }
        println!(
            "watt_six_bar with springs 1000 times as stiff ({radius}): of {potential:.1} J the scheme takes {:.1} J, \
             gives {rise:.1e} J",
            start - run.get("balance")
        );
        assert!(rise <= 1e-6 * potential);
    }
}
