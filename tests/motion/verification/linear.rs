//! Static equilibrium, linearization, modes and step limits against closed forms and against the simulator itself.

use crate::check::larger;
use crate::models;
use crate::verification::support::{compile, gallery, load, models_folder, parse};
use crate::verification::verification_page::went_through;
use ballesta::analysis::equilibrium::Equilibrium;
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{self, Mode};
use ballesta::analysis::operating_point::AnalysisError;
use ballesta::analysis::stability::{StepLimit, explicit_limit};
use ballesta::compile;
use ballesta::math::largest;
use ballesta::model::schema::Model;
use ballesta::simulate::Simulator;
use ballesta::system::Workspace;
use std::path::Path;
use std::sync::Arc;

const G: f64 = 9.81;

fn start(model: &Model) -> Simulator {
    let mut simulator = Simulator::new(Arc::new(compile(model)));
    simulator.initialize(model.experiment.start).unwrap();
    simulator
}

fn trimmed(model: &Model) -> (Simulator, Equilibrium) {
    let mut simulator = start(model);
    let found = simulator.trim().unwrap_or_else(|error| panic!("{}: {error}", model.general.name));
    (simulator, found)
}

fn linearize(simulator: &mut Simulator) -> Linearization {
    let name = simulator.system().name().to_string();
    simulator.linearize().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Circular frequencies of the oscillations at the present state, and whether the symmetric pencil gave them.
fn frequencies(simulator: &mut Simulator) -> (Vec<f64>, bool) {
    let modes = modal::modes(&linearize(simulator)).unwrap();
    let omega = |mode: &Mode| std::f64::consts::TAU * mode.frequency_hz();
    (modes.modes.iter().filter(|mode| mode.oscillates()).map(omega).collect(), modes.symmetric)
}

fn limit(model: &Model) -> StepLimit {
    let system = compile(model);
    let state = Simulator::new(Arc::new(compile(model))).state().clone();
    explicit_limit(&system, &state, &mut Workspace::new(&system)).unwrap()
}

fn output(simulator: &mut Simulator, name: &str) -> f64 {
    let outputs = &simulator.system().interface().outputs;
    let index = outputs.iter().position(|output| output.name == name).unwrap();
    let mut values = vec![0.0; outputs.len()];
    simulator.outputs(&mut values).unwrap();
    values[index]
}

fn header(gravity: f64) -> String {
    format!("[model]\nname = \"m\"\ngravity = [0, {gravity}, 0]\nstep = 1e-3\n[experiment]\nstop = 1\n")
}

fn body(name: &str, mass: f64, com: [f64; 3]) -> String {
    format!("[[body]]\nname = \"{name}\"\nmass = {mass}\ncom = {com:?}\n")
}

fn joint(name: &str, kind: &str, bodies: [&str; 2], point: [f64; 3], axis: [f64; 3]) -> String {
    let axis = if matches!(kind, "floating" | "spherical") { String::new() } else { format!("axis = {axis:?}\n") };
    format!("[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\nbodies = {bodies:?}\npoint = {point:?}\n{axis}")
}

fn joint_spring(joint: &str, stiffness: f64, damping: f64) -> String {
    format!(
        "[[joint_spring]]\nname = \"{joint}_spring\"\njoint = \"{joint}\"\nstiffness = {stiffness}\ndamping = \
         {damping}\n"
    )
}

/// A mass on a spring along x.
fn oscillator(mass: f64, stiffness: f64, damping: f64, extra: &str) -> Model {
    parse(
        &[
            header(0.0),
            extra.into(),
            body("cart", mass, [0.0; 3]),
            joint("rail", "prismatic", ["ground", "cart"], [0.0; 3], [1.0, 0.0, 0.0]),
            joint_spring("rail", stiffness, damping),
        ]
        .concat(),
    )
}

/// `n` equal masses between walls; joints chained, so that M is full and K is diagonal but for the last spring.
fn chain(n: usize) -> Model {
    let mut text = header(0.0);
    for i in 0..n {
        let inboard = if i == 0 { "ground".to_string() } else { format!("m{}", i - 1) };
        text += &body(&format!("m{i}"), 2.0, [0.1 * (i + 1) as f64, 0.0, 0.0]);
        text += &joint(&format!("j{i}"), "prismatic", [&inboard, &format!("m{i}")], [0.0; 3], [1.0, 0.0, 0.0]);
        text += &joint_spring(&format!("j{i}"), 3000.0, 0.0);
    }
    let end = 0.1 * (n + 1) as f64;
    text += &format!(
        "[[spring]]\nname = \"last\"\nbodies = [\"m{}\", \"ground\"]\npoints = [[{}, 0, 0], [{end}, 0, 0]]\nstiffness \
         = 3000\n",
        n - 1,
        0.1 * n as f64
    );
    parse(&text)
}

#[test]
fn a_pendulum_settles_below_its_pivot_and_swings_at_the_root_of_g_over_l() {
    let (mut simulator, found) = trimmed(&load("pendulum"));
    let angle = output(&mut simulator, "pivot.angle");
    let (omega, symmetric) = frequencies(&mut simulator);
    let error = (omega[0] / G.sqrt() - 1.0).abs();
    println!(
        "pendulum: {} iterations, angle error {:.1e}, frequency error {error:.1e}",
        found.iterations,
        angle.abs() - std::f64::consts::FRAC_PI_2
    );
    assert!((angle.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-12 && found.unstable == 0);
    assert!((found.energy + G).abs() < 1e-12);
    assert!(symmetric && error < 1e-9);
}

#[test]
fn a_double_pendulum_has_its_two_closed_form_frequencies() {
    let (m1, m2, l1, l2) = (1.5, 0.7, 0.8, 0.5);
    let model = parse(
        &[
            header(-G),
            body("upper", m1, [l1, 0.0, 0.0]),
            body("lower", m2, [l1, l2, 0.0]),
            joint("A", "revolute", ["ground", "upper"], [0.0; 3], [0.0, 0.0, 1.0]),
            joint("B", "revolute", ["upper", "lower"], [l1, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ]
        .concat(),
    );
    let (mut simulator, found) = trimmed(&model);
    let (omega, symmetric) = frequencies(&mut simulator);
    // m1 l1 l2 ω⁴ − (m1 + m2)(l1 + l2) g ω² + (m1 + m2) g² = 0
    let (a, b, c) = (m1 * l1 * l2, (m1 + m2) * (l1 + l2) * G, (m1 + m2) * G * G);
    let root = (b * b - 4.0 * a * c).sqrt();
    let exact = [((b - root) / (2.0 * a)).sqrt(), ((b + root) / (2.0 * a)).sqrt()];
    let error = omega.iter().zip(exact).map(|(x, y)| (x / y - 1.0).abs()).fold(0.0, larger);
    println!("double pendulum: {} iterations, frequency error {error:.1e}", found.iterations);
    assert!(symmetric && omega.len() == 2 && error < 1e-9);
    assert!((found.energy + G * (m1 * l1 + m2 * (l1 + l2)) + G * m2 * l2).abs() < 1e-10);
}

#[test]
fn a_chain_of_masses_and_springs_has_its_closed_form_frequencies() {
    for n in [1, 5, 30] {
        let mut simulator = start(&chain(n));
        let (omega, symmetric) = frequencies(&mut simulator);
        let exact = |k: usize| {
            2.0 * (3000.0f64 / 2.0).sqrt() * ((k + 1) as f64 * std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin()
        };
        let error = omega.iter().enumerate().map(|(k, x)| (x / exact(k) - 1.0).abs()).fold(0.0, larger);
        println!("chain of {n}: frequency error {error:.1e}");
        assert!(symmetric && omega.len() == n && error < 1e-8);
    }
}

#[test]
fn a_damped_oscillator_has_its_closed_form_eigenvalues() {
    for (damping, name) in [(0.0, "none"), (3.0, "weak"), (60.0, "strong")] {
        let mut simulator = start(&oscillator(2.0, 200.0, damping, ""));
        let modes = modal::modes(&linearize(&mut simulator)).unwrap();
        let (half, square) = (damping / 4.0, 100.0 - (damping / 4.0f64).powi(2));
        let mut values = modes.eigenvalues();
        values.sort_by(|a, b| a.im.total_cmp(&b.im).then(a.re.total_cmp(&b.re)));
        for (value, sign) in values.iter().zip([-1.0, 1.0]) {
            let exact =
                if square > 0.0 { (-half, sign * square.sqrt()) } else { (-half + sign * (-square).sqrt(), 0.0) };
            assert!(
                (value.re - exact.0).abs() < 1e-8 && (value.im - exact.1).abs() < 1e-8,
                "{name}: {value} {exact:?}"
            );
        }
        if square > 0.0 {
            assert!((modes.modes[0].frequency_hz() - 10.0 / std::f64::consts::TAU).abs() < 1e-9);
            assert!((modes.modes[0].damping() - half / 10.0).abs() < 1e-9);
        }
    }
}

#[test]
fn equal_oscillators_have_modes_of_their_own() {
    let mut text = header(0.0);
    for i in 0..3 {
        text += &body(&format!("m{i}"), 1.0, [0.0; 3]);
        text += &joint(&format!("j{i}"), "prismatic", ["ground", &format!("m{i}")], [0.0; 3], [1.0, 0.0, 0.0]);
        text += &joint_spring(&format!("j{i}"), 100.0, 0.5);
    }
    let modes = modal::modes(&linearize(&mut start(&parse(&text)))).unwrap();
    let mut movers = vec![0.0; 3];
    for mode in &modes.modes {
        mode.shares.iter().for_each(|&(index, share)| movers[index] += share);
        assert!((mode.shares.iter().map(|share| share.1).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    // Independent modes of equal oscillators move every one of them once in all.
    assert_eq!(modes.modes.len(), 3);
    assert!(movers.iter().all(|share| (share - 1.0).abs() < 1e-6), "{movers:?}");
}

/// A four-bar linkage whose rocker is held by a spring to the ground.
fn sprung_four_bar(angle: Option<f64>) -> Model {
    let guide = angle.map_or(String::new(), |angle| {
        format!("[[guided]]\nname = \"a\"\njoint = \"A\"\nmotion = {{ offset = {angle} }}\n")
    });
    parse(
        &[
            header(-G),
            body("crank", 1.0, [0.0, 0.1, 0.0]),
            body("coupler", 2.0, [0.25, 0.3, 0.0]),
            body("rocker", 1.5, [0.5, 0.2, 0.0]),
            joint("A", "revolute", ["ground", "crank"], [0.0; 3], [0.0, 0.0, 1.0]),
            joint("B", "revolute", ["crank", "coupler"], [0.0, 0.2, 0.0], [0.0, 0.0, 1.0]),
            joint("C", "revolute", ["coupler", "rocker"], [0.5, 0.4, 0.0], [0.0, 0.0, 1.0]),
            joint("D", "revolute", ["rocker", "ground"], [0.5, 0.0, 0.0], [0.0, 0.0, 1.0]),
            "[[spring]]\nname = \"s\"\nbodies = [\"rocker\", \"ground\"]\npoints = [[0.5, 0.4, 0], [0.9, 0.3, \
         0]]\nstiffness = 150\npreload = -10\n"
                .into(),
            "[[output]]\nname = \"angle\"\njoint = \"A\"\nquantity = \"position\"\n".into(),
            "[[output]]\nname = \"energy\"\nquantity = \"potential_energy\"\n".into(),
            guide,
        ]
        .concat(),
    )
}

#[test]
fn a_sprung_four_bar_settles_at_the_minimum_of_its_energy() {
    let (mut simulator, found) = trimmed(&sprung_four_bar(None));
    let angle = output(&mut simulator, "angle");
    let energy = |angle: f64| output(&mut start(&sprung_four_bar(Some(angle))), "energy");
    // Golden section would stop at the root of rounding; a parabola through three points beside it goes further.
    let h = 1e-3;
    let (behind, here, ahead) = (energy(angle - h), energy(angle), energy(angle + h));
    let minimum = 0.5 * h * (behind - ahead) / (behind - 2.0 * here + ahead);
    println!(
        "four-bar: {} iterations to {angle:.6} rad, {minimum:.1e} rad from the minimum, {:.1e} N m left",
        found.iterations,
        found.largest_force()
    );
    assert!(minimum.abs() < 1e-6 && here < behind && here < ahead);
    assert!((found.energy - here).abs() < 1e-10 && found.largest_force() < 1e-9);
    // Stiffness is the curvature of the energy, frequency follows.
    let model = linearize(&mut simulator);
    let (omega, _) = frequencies(&mut simulator);
    let curvature = (behind - 2.0 * here + ahead) / (h * h);
    let slope = model.c[model.outputs.iter().position(|name| name == "angle").unwrap()][0];
    assert!((omega[0] * omega[0] * model.mass[0] / (slope * slope * curvature) - 1.0).abs() < 1e-4);
    // Nothing moves that was released there.
    simulator.advance(1.0).unwrap();
    assert!((output(&mut simulator, "angle") - angle).abs() < 1e-10);
}

#[test]
fn what_is_neutral_stays_where_it_is() {
    let wheel =
        joint("axle", "revolute", ["ground", "wheel"], [0.0; 3], [0.0, 0.0, 1.0]) + "position = 0.7\nspeed = 3\n";
    let model = parse(
        &[
            header(-G),
            body("wheel", 2.0, [0.0; 3]) + "inertia = [0.1, 0.1, 0.2, 0, 0, 0]\n",
            wheel,
            body("cart", 1.0, [1.0, 0.0, 0.0]),
            joint("rail", "prismatic", ["ground", "cart"], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
            joint_spring("rail", 1000.0, 2.0),
            "[[output]]\nname = \"angle\"\njoint = \"axle\"\nquantity = \"position\"\n".into(),
            "[[output]]\nname = \"travel\"\njoint = \"rail\"\nquantity = \"position\"\n".into(),
        ]
        .concat(),
    );
    let (mut simulator, _) = trimmed(&model);
    assert_eq!(output(&mut simulator, "angle"), 0.7);
    assert!((output(&mut simulator, "travel") + G / 1000.0).abs() < 1e-14);
    assert!(simulator.state().v.iter().all(|&speed| speed == 0.0));
    let modes = modal::modes(&linearize(&mut simulator)).unwrap();
    let zeros: usize = modes.modes.iter().filter(|mode| mode.frequency_hz() == 0.0).map(|mode| mode.count).sum();
    assert_eq!((zeros, modes.eigenvalues().len()), (2, 4));

    let floating = joint("free", "floating", ["ground", "wheel"], [0.0; 3], [0.0; 3]);
    let text = |gravity: f64| {
        [
            header(gravity),
            body("wheel", 2.0, [0.1, 0.2, 0.3]) + "inertia = [0.1, 0.1, 0.2, 0, 0, 0]\n",
            floating.clone(),
        ]
        .concat()
    };
    let mut free = start(&parse(&text(0.0)));
    let before = free.state().q.clone();
    assert_eq!(free.trim().unwrap().iterations, 0);
    assert_eq!(free.state().q, before);
    let modes = modal::modes(&linearize(&mut free)).unwrap();
    assert!(modes.modes.iter().all(|mode| mode.frequency_hz() == 0.0) && modes.eigenvalues().len() == 12);

    let mut falling = start(&parse(&text(-G)));
    let before = falling.state().clone();
    let error = falling.trim().unwrap_err();
    println!("{error}");
    let AnalysisError::Unsupported { coordinate, force, unit } = error else { panic!("{error}") };
    assert_eq!((coordinate.as_str(), unit), ("free[2]", "N"));
    assert!((force + 2.0 * G).abs() < 1e-12);
    assert_eq!(falling.state(), &before);
}

#[test]
fn models_with_springs_settle_and_stay_settled() {
    for name in [
        "bushing_mount",
        "camera_gimbal",
        "five_link_suspension",
        "gear_train",
        "guided_five_bar",
        "lumped_beam_on_spring",
        "lumped_cantilever",
        "rack_steering",
        "scotch_yoke",
        "swash_plate",
        "watt_six_bar",
    ] {
        let model = load(name);
        let mut simulator = start(&model);
        let found = simulator.trim().unwrap_or_else(|error| panic!("{name}: {error}"));
        println!(
            "{name}: {} iterations, {:.1e} N or N m left, energy {:.6} J",
            found.iterations,
            found.largest_force(),
            found.energy
        );
        assert!(found.largest_force() < 1e-7 && found.unstable == 0, "{name}");
        assert!(simulator.trim().unwrap().iterations <= 1, "{name} moves again");
    }
}

#[test]
fn b_and_d_are_the_directional_derivatives() {
    let names = gallery();
    let mut compared = Vec::new();
    for name in &names {
        let mut simulator = start(&load(name));
        if simulator.system().interface().inputs.is_empty() {
            continue;
        }
        let linear = match simulator.linearize() {
            Ok(linear) => linear,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let mut column = vec![0.0; linear.outputs.len()];
        for j in 0..linear.inputs.len() {
            simulator.directional_derivative(&[j], &[1.0], &mut column).unwrap();
            // What redundant equations leave open has no derivative there, but differences in D.
            let open = &simulator.system().report().undetermined;
            let (none, column): (Vec<_>, Vec<_>) =
                column.iter().enumerate().partition(|(i, _)| open.contains(&linear.outputs[*i]));
            assert!(none.iter().all(|(_, value)| value.is_nan()), "{name}");
            let size = column.iter().fold(1e-3, |size, (_, value)| larger(size, value.abs()));
            for (i, value) in column {
                assert!(
                    (linear.d[i][j] - value).abs() <= 1e-9 * size,
                    "{name}: {} over {}",
                    linear.outputs[i],
                    linear.inputs[j]
                );
            }
        }
        compared.push(name);
    }
    went_through("directional derivatives", &compared);
}

#[test]
fn eigenvalues_of_every_model_are_those_of_the_whole_matrix() {
    let names = gallery();
    let (mut judged, mut regular) = (Vec::new(), 0);
    for name in &names {
        let linear = match start(&load(name)).linearize() {
            Ok(linear) => linear,
            Err(AnalysisError::Singular { .. }) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let values = modal::modes(&linear).unwrap_or_else(|error| panic!("{name}: {error}")).eigenvalues();
        let n = linear.states.len();
        assert_eq!(values.len(), n, "{name}");
        let trace: f64 = (0..n).map(|k| linear.a[k][k]).sum();
        let sum: nalgebra::Complex<f64> = values.iter().sum();
        let size: f64 = values.iter().map(|value| value.norm()).sum();
        assert!((sum.re - trace).abs() <= 1e-8 * size && sum.im.abs() <= 1e-8 * size, "{name}: {sum} {trace}");
        judged.push(name);
        // The product, as a sum of logarithms, where no eigenvalue is lost in the rounding of the largest.
        let sizes = values.iter().map(|value| value.norm());
        let (least, most) = (sizes.clone().fold(f64::INFINITY, f64::min), largest(sizes.clone()));
        if n > 0 && least > 1e-5 * most {
            let matrix = nalgebra::DMatrix::from_fn(n, n, |i, j| linear.a[i][j]);
            let determinant: f64 = matrix.lu().u().diagonal().iter().map(|pivot| pivot.abs().ln()).sum();
            let product: f64 = sizes.map(f64::ln).sum();
            println!("{name}: {n} states, trace {trace:.6e}, ln |det| {determinant:.9} and {product:.9}");
            assert!((determinant - product).abs() < 1e-6 * n as f64, "{name}: {determinant} {product}");
            regular += 1;
        }
    }
    assert!(judged.len() >= 20 && regular >= 5, "{judged:?} {regular}");
    went_through("eigenvalues, sum and product", &judged);
}

/// Model files in `folder` and below.
fn files_below(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, files);
        } else if path.extension().is_some_and(|end| end == "toml")
            && std::fs::read_to_string(&path).is_ok_and(|text| text.contains("[model]"))
        {
            files.push(path);
        }
    }
}

/// Repeated and defective eigenvalues included, as of the bristles of contacts in series. The test uses the determinant
/// of A/σ − I, with σ beyond the largest eigenvalue, which is accurate to round-off.
#[test]
fn sum_and_product_of_eigenvalues_are_those_of_the_matrix_in_every_model_file() {
    let (mut files, mut judged, mut worst) = (Vec::new(), 0, [0.0; 2]);
    files_below(&models_folder(), &mut files);
    for path in files {
        let name = path.display();
        let Ok(document) = ballesta::model::load(&path) else { continue };
        let parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
        let Ok(system) = compile::compile(&document, &parameters) else { continue };
        let mut simulator = Simulator::new(Arc::new(system));
        let begun = simulator.initialize(document.model.experiment.start).is_ok();
        let Some(linear) = begun.then(|| simulator.linearize().ok()).flatten() else { continue };
        let Ok(modes) = modal::modes(&linear) else { panic!("{name}: no eigenvalues") };
        let (values, n) = (modes.eigenvalues(), linear.states.len());
        let most = largest(values.iter().map(|value| value.norm()));
        if !(most > 0.0) {
            continue;
        }
        let trace: f64 = (0..n).map(|k| linear.a[k][k]).sum();
        let sum: nalgebra::Complex<f64> = values.iter().sum();
        let mut errors = [(sum - trace).norm() / (n as f64 * most), 0.0];
        for shift in [2.0 * most, -3.0 * most] {
            let entry = |i: usize, j: usize| linear.a[i][j] / shift - if i == j { 1.0 } else { 0.0 };
            let factors = nalgebra::DMatrix::from_fn(n, n, entry).lu();
            let determinant: f64 = factors.u().diagonal().iter().map(|pivot| pivot.abs().ln()).sum();
            let product: f64 = values.iter().map(|value| (value / shift - 1.0).norm().ln()).sum();
            errors[1] = larger(errors[1], (determinant - product).abs() / n as f64);
        }
        println!("{name}: {n} states, sum {:.1e}, product {:.1e}", errors[0], errors[1]);
        assert!(errors[0] < 1e-11 && errors[1] < 1e-9, "{name}: {errors:?}");
        (0..2).for_each(|k| worst[k] = larger(worst[k], errors[k]));
        judged += 1;
    }
    println!("{judged} models, largest errors {worst:?}");
    assert!(judged >= 90, "{judged}");
}

#[test]
fn step_limits_are_those_of_the_schemes() {
    let omega = 50.0;
    let of = |scheme: &str, damping: f64| {
        let mut model = oscillator(2.0, 2.0 * omega * omega, damping, "");
        let row = ballesta::system::integrators::SCHEMES.iter().find(|row| row.name == scheme);
        model.general.integrator = row.expect("a scheme").integrator;
        limit(&model).step * omega
    };
    println!(
        "h ω: rk4 {:.4}, heun {:.4}, semi-implicit Euler {:.4}",
        of("rk4", 0.0),
        of("heun", 0.0),
        of("semi_implicit_euler", 0.0)
    );
    assert!((of("rk4", 0.0) - 8f64.sqrt()).abs() < 2e-3);
    assert!((of("heun", 0.0) - 0.2).abs() < 1e-3);
    assert!((of("semi_implicit_euler", 0.0) - 2.0).abs() < 1e-9);
    // Damping ratio d: (hω)² + 4 d hω − 4 = 0 for semi-implicit Euler.
    let ratio = 0.3;
    let exact = 2.0 * ((ratio * ratio + 1.0f64).sqrt() - ratio);
    assert!((of("semi_implicit_euler", 4.0 * ratio * omega) - exact).abs() < 1e-6);
}

#[test]
fn no_model_of_the_gallery_has_a_step_that_is_too_long() {
    for name in gallery() {
        let model = load(&name);
        let system = compile(&model);
        let simulator = start(&model);
        let clock = std::time::Instant::now();
        match explicit_limit(&system, simulator.state(), &mut Workspace::new(&system)) {
            Ok(limit) => {
                println!(
                    "{name}: step {} limit {:.3e} at `{}` {:.2} Hz, {:.2} ms",
                    model.general.step,
                    limit.step,
                    limit.coordinate,
                    limit.eigenvalue.norm() / std::f64::consts::TAU,
                    clock.elapsed().as_secs_f64() * 1e3
                );
                assert!(limit.step >= model.general.step, "{name}");
            }
            Err(error) => println!("{name}: {error}"),
        }
    }
}

/// Cantilevers of `count` welded flexible bodies, 0.15 m each: their lowest modes.
fn lowest_of_chain(count: usize) -> Mode {
    let folder = tempfile::tempdir().unwrap();
    let given = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trust");
    std::fs::copy(given.join("seg8.rom.toml"), folder.path().join("seg8.rom.toml")).unwrap();
    let mut text = header(-0.1).replace("step = 1e-3", "step = 1e-3\nintegrator = \"generalized_alpha\"");
    for i in 0..count {
        let (frame, before) =
            if i == 0 { ("frame = \"hinge\"\n", "ground".into()) } else { ("", format!("s{}.tip", i - 1)) };
        text += &format!(
            "[[flexible_body]]\nname = \"s{i}\"\nrom = \"seg8.rom.toml\"\nposition = [{}, 0, 0]\nstiffening = \"none\"\n{frame}\
             [[joint]]\nname = \"w{i}\"\ntype = \"fixed\"\nbodies = [\"{before}\", \"s{i}.hinge\"]\n",
            0.15 * i as f64
        );
    }
    std::fs::write(folder.path().join("model.toml"), text).unwrap();
    let document = models::load(folder.path());
    let system = models::compiled_with(&document, &[]);
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(0.0).unwrap();
    modal::modes(&linearize(&mut simulator)).unwrap().modes.swap_remove(0)
}

/// The stiffest entries of A are 1e8 times what the lowest mode of eight bodies takes of them, 1e9 times with sixteen.
/// Of eight bodies, 0.3588843 Hz: the same beam made of four bodies. Frequencies of a cantilever fall with the square
/// of its length; those of the stiffest modes stay, some 1e6 times as fast as the lowest of 32 bodies.
#[test]
fn a_mode_beside_much_stiffer_ones_is_right() {
    for count in [8, 16, 32] {
        let mode = lowest_of_chain(count);
        let exact = 0.3588843 * (8.0 / count as f64).powi(2);
        let error = (mode.frequency_hz() / exact - 1.0).abs();
        println!("{count} bodies: {} Hz, wrong by {error:.1e}, said {:.1e}", mode.frequency_hz(), mode.uncertainty);
        assert!(error <= 3e-7 && mode.uncertainty < 1e-5, "{count}: {error:.1e}, said {:.1e}", mode.uncertainty);
    }
}

#[test]
fn no_mode_of_the_gallery_is_uncertain() {
    for name in gallery() {
        let mut simulator = start(&load(&name));
        let Ok(model) = simulator.linearize() else { continue };
        for mode in modal::modes(&model).unwrap().modes {
            assert!(!mode.is_uncertain(), "{name}: {} {:.1e}", mode.eigenvalue, mode.uncertainty);
        }
    }
}
