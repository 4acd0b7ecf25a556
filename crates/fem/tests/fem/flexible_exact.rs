//! Exponential integration of a linear flexible body against the exact solution, and low-pass filters behind outputs.
//!
//! The exact solution is computed apart from the program's way: the state space of the reduced-order model with its
//! root held ([`ballesta_fem::export::state_space`]), its complex eigenvectors, and the closed form of every mode under
//! an input that is linear between points.

use crate::check::larger;
use ballesta::analysis::modal::modes;
use ballesta::compile;
use ballesta::math::eigen::Spectrum;
use ballesta::math::largest;
use ballesta::model;
use ballesta::rom;
use ballesta::simulate::Simulator;
use ballesta_fem::export::state_space::{Options, StateSpace};
use nalgebra::{Complex, DMatrix, DVector};
use std::f64::consts::TAU;
use std::sync::Arc;

const MODEL: &str = "models/cantilever_state_space/model.toml";
const H: f64 = 1e-3;

fn text() -> String {
    std::fs::read_to_string(MODEL).expect("the gallery")
}

fn simulator(text: &str) -> Simulator {
    let document = model::parse(text, MODEL).unwrap_or_else(|errors| panic!("{errors}"));
    let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    Simulator::new(Arc::new(system))
}

/// The model with some of its lines replaced.
fn variant(replacements: &[(&str, &str)]) -> Simulator {
    let mut text = text();
    for (from, to) in replacements {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    simulator(&text)
}

fn read(simulator: &mut Simulator, names: &[&str]) -> Vec<f64> {
    let outputs = &simulator.system().interface().outputs;
    let indices: Vec<usize> = names
        .iter()
        .map(|name| outputs.iter().position(|output| output.name == *name).unwrap_or_else(|| panic!("{name}")))
        .collect();
    let mut values = vec![0.0; outputs.len()];
    simulator.outputs(&mut values).expect("outputs");
    indices.iter().map(|&index| values[index]).collect()
}

/// Numbers for people.
fn short(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.1e}")).collect::<Vec<_>>().join(", ")
}

fn state_space() -> StateSpace {
    let path = "models/cantilever_state_space/beam.rom.toml";
    let rom =
        rom::parse(&std::fs::read_to_string(path).expect("there"), path).unwrap_or_else(|errors| panic!("{errors}"));
    StateSpace::new(&rom, &Options { fixed: vec!["root".into()], ..Options::default() }).expect("a state space")
}

/// ẋ = A x + b u in its eigenvectors, u linear between points.
struct Exact {
    values: Vec<Complex<f64>>,
    vectors: DMatrix<Complex<f64>>,
    /// V⁻¹ b.
    input: DVector<Complex<f64>>,
    /// V⁻¹ x.
    state: DVector<Complex<f64>>,
}

impl Exact {
    fn new(a: &DMatrix<f64>, b: &DVector<f64>, start: &DVector<f64>) -> Exact {
        let n = a.nrows();
        let spectrum = Spectrum::new(a.transpose().as_slice(), n).expect("eigenvalues");
        let columns = spectrum.vectors();
        let vectors = DMatrix::from_fn(n, n, |i, j| columns[j][i]);
        let lu = vectors.clone().lu();
        let complex = |x: &DVector<f64>| x.map(|x| Complex::new(x, 0.0));
        let input = lu.solve(&complex(b)).expect("independent");
        let state = lu.solve(&complex(start)).expect("independent");
        Exact { values: spectrum.values.clone(), vectors, input, state }
    }

    /// Over `h` with the input going from `u0` to `u1`.
    fn advance(&mut self, h: f64, u0: f64, u1: f64) {
        for k in 0..self.values.len() {
            let (z, w) = (self.values[k], self.input[k]);
            let slope = (u1 - u0) / h;
            // Particular solution p + r t of z' = λ z + w (u0 + slope t).
            let r = -w * slope / z;
            let p = (r - w * u0) / z;
            self.state[k] = (self.state[k] - p) * (z * h).exp() + p + r * h;
        }
    }

    fn state(&self) -> DVector<f64> {
        (&self.vectors * &self.state).map(|z| z.re)
    }
}

/// Column of the input `tip.Fy`.
fn force(space: &StateSpace) -> usize {
    space.inputs.iter().position(|name| name == "tip.Fy").expect("the force")
}

/// Rows of the tip's position, velocity and acceleration along y.
fn rows(space: &StateSpace) -> [usize; 3] {
    ["tip.position.y", "tip.velocity.y", "tip.acceleration.y"]
        .map(|name| space.outputs.iter().position(|output| output == name).expect("an output"))
}

const TIP: [&str; 3] = ["tip.position.y", "tip.velocity.y", "tip.acceleration.y"];

/// Largest differences of position, velocity and acceleration of the tip, relative to their largest values.
fn difference_to_exact(simulator: &mut Simulator, samples: &[f64]) -> [f64; 3] {
    let space = state_space();
    let (column, rows) = (force(&space), rows(&space));
    let b = space.b.column(column).into_owned();
    let mut exact = Exact::new(&space.a, &b, &DVector::zeros(b.len()));
    simulator.set_input(0, samples[0]);
    simulator.initialize(0.0).expect("a start");
    let (mut off, mut size) = ([0.0f64; 3], [0.0f64; 3]);
    for (k, pair) in samples.windows(2).enumerate() {
        simulator.set_input(0, pair[0]);
        simulator.set_input_derivative(0, (pair[1] - pair[0]) / H);
        simulator.advance((k + 1) as f64 * H).expect("a step");
        exact.advance(H, pair[0], pair[1]);
        let x = exact.state();
        let found = read(simulator, &TIP);
        for i in 0..3 {
            let wanted = space.c.row(rows[i]).dot(&x.transpose()) + space.d[(rows[i], column)] * pair[1];
            off[i] = larger(off[i], (found[i] - wanted).abs());
            size[i] = larger(size[i], wanted.abs());
        }
    }
    std::array::from_fn(|i| off[i] / size[i])
}

#[test]
fn step_and_sine_responses_are_exact_to_1e_9() {
    crate::root::at_root();
    let cases = [
        ("step", vec![-196.2; 1001]),
        ("sine", (0..=1000).map(|k| 196.2 * (TAU * 60.0 * f64::from(k) * H).sin()).collect::<Vec<f64>>()),
    ];
    for (what, samples) in cases {
        let off = difference_to_exact(&mut simulator(&text()), &samples);
        println!("{what}: position, velocity, acceleration off by {}", short(&off));
        assert!(off.iter().all(|off| *off < 1e-9), "{what}: {}", short(&off));
    }
}

#[test]
fn the_root_carries_what_the_force_and_the_inertia_leave() {
    crate::root::at_root();
    // Settled: N, V and M of statics, stress M e / I.
    let mut simulator = variant(&[("frame = \"root\"", "frame = \"root\"\ndamping_ratio = 0.1")]);
    simulator.initialize(0.0).expect("a start");
    simulator.advance(2.0).expect("settles");
    let found =
        read(&mut simulator, &["root.force.y", "root.force.z", "root.moment.y", "root.moment.z", "root.stress"]);
    let shear = largest(&found[..2]);
    let moment = largest(&found[2..4]);
    assert!((shear - 196.2).abs() < 1e-6, "{found:?}");
    assert!((moment - 98.1).abs() < 1e-6, "{found:?}");
    assert!((found[4].abs() - 98.1 * 0.01 / (0.05 * 0.02f64.powi(3) / 12.0)).abs() < 1.0, "{found:?}");
}

#[test]
fn short_and_long_communication_steps_give_the_same() {
    crate::root::at_root();
    let names = ["tip.position.y", "tip.velocity.y", "tip.acceleration.y", "dissipated", "work"];
    let mut largest = [0.0f64; 5];
    let mut run = |points: &[f64]| {
        let mut simulator = simulator(&text());
        simulator.set_input(0, 5.0);
        simulator.initialize(0.0).expect("a start");
        simulator.set_input_derivative(0, 3000.0);
        for &point in points {
            simulator.advance(point).expect("a step");
            let values = read(&mut simulator, &names);
            largest.iter_mut().zip(values).for_each(|(largest, value)| *largest = larger(*largest, value.abs()));
        }
        read(&mut simulator, &names)
    };
    let whole = run(&[0.05]);
    let uneven: Vec<f64> = (1..=173).map(|k| 0.05 * (f64::from(k) / 173.0).powf(1.5)).collect();
    let thirds: Vec<f64> = (1..=150).map(|k| f64::from(k) * 0.05 / 150.0).collect();
    let parts = [run(&thirds), run(&uneven), run(&[1e-9, 0.0123456789, 0.0123456790, 0.05])];
    for values in &parts {
        for i in 0..names.len() {
            let off = (values[i] - whole[i]).abs() / largest[i];
            assert!(off < 1e-12, "{}: {off:.1e}, {} {}", names[i], values[i], whole[i]);
        }
    }
}

#[test]
fn generalized_alpha_converges_to_it_with_order_2() {
    crate::root::at_root();
    let modes = ("frame = \"root\"", "frame = \"root\"\nmodes = 2");
    let run = |mut simulator: Simulator| -> Vec<f64> {
        simulator.set_input(0, 0.0);
        simulator.initialize(0.0).expect("a start");
        simulator.set_input_derivative(0, 1e4);
        let mut at = |k: u32| {
            simulator.advance(f64::from(k) * H).expect("steps");
            read(&mut simulator, &["tip.position.y"])[0]
        };
        (1..=20).map(&mut at).collect()
    };
    let exact = run(variant(&[modes]));
    let error = |step: &str| {
        let other = ("\"exponential\"", "\"generalized_alpha\"\nspectral_radius = 1.0\nresolution = 1e6");
        let found = run(variant(&[modes, other, ("step = 1e-3", step)]));
        let squares = found.iter().zip(&exact).map(|(found, exact)| (found - exact) * (found - exact));
        (squares.sum::<f64>() / 20.0).sqrt()
    };
    let errors = ["step = 4e-5", "step = 2e-5", "step = 1e-5"].map(error);
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    println!("errors {}, orders {orders:.3?}", short(&errors));
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{}", short(&errors));
}

#[test]
fn energies_are_those_of_small_steps() {
    crate::root::at_root();
    let common = [
        ("frame = \"root\"", "frame = \"root\"\nmodes = 3"),
        ("[experiment]", "gravity = [0, -9.81, 0]\n[experiment]"),
    ];
    let run = |mut simulator: Simulator| {
        simulator.initialize(0.0).expect("a start");
        simulator.set_input_derivative(0, 2000.0);
        simulator.advance(0.05).expect("steps");
        read(&mut simulator, &["dissipated", "work", "tip.position.y"])
    };
    let exact = run(variant(&common));
    let other = [("\"exponential\"", "\"rk4\""), ("step = 1e-3", "step = 4e-6")];
    let small = run(variant(&[&common[..], &other].concat()));
    for (a, b) in exact.iter().zip(&small) {
        assert!((a - b).abs() < 1e-8 * a.abs(), "{exact:?} {small:?}");
    }
}

#[test]
fn only_accelerations_and_section_forces_depend_on_the_force_at_once() {
    crate::root::at_root();
    let simulator = simulator(&text());
    for output in &simulator.system().interface().outputs {
        let at_once = ["tip.acceleration.", "tip.angular_acceleration", "root."];
        let expected: &[usize] = if at_once.iter().any(|name| output.name.starts_with(name)) { &[0] } else { &[] };
        assert_eq!(output.dependencies, expected, "{}", output.name);
    }
    // And by differences.
    let mut simulator = simulator;
    let mut values = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.directional_derivative(&[0], &[1.0], &mut values).expect("derivatives");
    for (output, value) in simulator.system().interface().outputs.iter().zip(values) {
        assert!(!output.dependencies.is_empty() || value == 0.0, "{}: {value}", output.name);
    }
}

#[test]
fn linearization_has_the_poles_and_gains_of_the_state_space() {
    crate::root::at_root();
    let space = state_space();
    let mut simulator = simulator(&text());
    let found = simulator.linearize().expect("a linear system");
    let spectrum = Spectrum::new(space.a.transpose().as_slice(), space.a.nrows()).expect("eigenvalues");
    let mut wanted: Vec<Complex<f64>> = spectrum.values.iter().copied().filter(|value| value.im > 0.0).collect();
    wanted.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    let modes: Vec<_> = modes(&found).expect("modes").modes.into_iter().filter(|mode| mode.oscillates()).collect();
    assert_eq!(modes.len(), wanted.len());
    for (mode, wanted) in modes.iter().zip(&wanted) {
        let off = (mode.frequency_hz() * TAU / wanted.norm() - 1.0).abs();
        println!("{:.4} Hz, off by {off:.1e}", mode.frequency_hz());
        assert!(off < 1e-9, "{}", mode.frequency_hz());
        assert!((mode.damping() + wanted.re / wanted.norm()).abs() < 1e-9, "{}", mode.frequency_hz());
    }
    // Transfer functions C (iω − A)⁻¹ B + D.
    let matrix = |rows: &[Vec<f64>]| DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
    let [a, b, c, d] = [&found.a, &found.b, &found.c, &found.d].map(|rows| matrix(rows));
    let transfer = |[a, b, c, d]: [&DMatrix<f64>; 4], omega: f64, i: usize, j: usize| {
        let complex = |m: &DMatrix<f64>| m.map(|x| Complex::new(x, 0.0));
        let n = a.nrows();
        let resolvent = DMatrix::from_diagonal_element(n, n, Complex::new(0.0, omega)) - complex(a);
        let x = resolvent.lu().solve(&complex(b)).expect("regular");
        (complex(c) * x + complex(d))[(i, j)]
    };
    let (column, rows) = (force(&space), rows(&space));
    for (name, row) in TIP.iter().zip(rows) {
        let output = found.outputs.iter().position(|output| output == name).expect("there");
        for omega in [0.0, 300.0, 4000.0, 1e5] {
            let wanted = transfer([&space.a, &space.b, &space.c, &space.d], omega, row, column);
            let mine = transfer([&a, &b, &c, &d], omega, output, 0);
            let direct = space.d[(row, column)].abs();
            assert!((mine - wanted).norm() <= 1e-7 * wanted.norm() + 1e-9 * direct, "{name} {omega}: {mine} {wanted}");
        }
    }
    // K³/(s + K)³ behind the acceleration.
    let (raw, smooth) = (
        found.outputs.iter().position(|name| name == TIP[2]).expect("there"),
        found.outputs.iter().position(|name| name == "tip.smooth_acceleration").expect("there"),
    );
    let k = TAU * 100.0;
    for omega in [100.0, 600.0, 2000.0] {
        let pole = Complex::new(k, 0.0) / Complex::new(k, omega);
        let wanted = transfer([&a, &b, &c, &d], omega, raw, 0) * pole * pole * pole;
        let mine = transfer([&a, &b, &c, &d], omega, smooth, 0);
        assert!((mine - wanted).norm() < 1e-7 * wanted.norm(), "{omega}: {mine} {wanted}");
    }
    assert_eq!(found.d[smooth], [0.0]);
}

#[test]
fn a_low_pass_has_order_2_starts_settled_and_does_not_jump() {
    crate::root::at_root();
    let space = state_space();
    let (column, rows) = (force(&space), rows(&space));
    let (n, k) = (space.a.nrows(), TAU * 100.0);
    // One pole behind the acceleration as a state more.
    let mut a = DMatrix::zeros(n + 1, n + 1);
    a.view_mut((0, 0), (n, n)).copy_from(&space.a);
    a.view_mut((n, 0), (1, n)).copy_from(&(space.c.row(rows[2]) * k));
    a[(n, n)] = -k;
    let mut b = DVector::zeros(n + 1);
    b.rows_mut(0, n).copy_from(&space.b.column(column));
    b[n] = k * space.d[(rows[2], column)];
    let mut start = DVector::zeros(n + 1);
    start[n] = space.d[(rows[2], column)] * 10.0;
    let mut exact = Exact::new(&a, &b, &start);
    exact.advance(5e-3, 10.0, 20.0);
    exact.advance(5e-3, -30.0, -10.0);
    let wanted = exact.state()[n];
    let error = |step: &str| {
        let mut simulator = variant(&[("order = 3", "order = 1"), ("step = 1e-3", step)]);
        simulator.set_input(0, 10.0);
        simulator.initialize(0.0).expect("a start");
        let first = read(&mut simulator, &["tip.smooth_acceleration", "tip.acceleration.y"]);
        assert_eq!(first[0], first[1], "settled at the start");
        simulator.set_input_derivative(0, 2000.0);
        simulator.advance(5e-3).expect("steps");
        let before = read(&mut simulator, &["tip.smooth_acceleration", "tip.acceleration.y"]);
        simulator.set_input(0, -30.0);
        simulator.set_input_derivative(0, 4000.0);
        let after = read(&mut simulator, &["tip.smooth_acceleration", "tip.acceleration.y"]);
        assert!(before[0] == after[0] && before[1] != after[1], "{before:?} {after:?}");
        simulator.advance(10e-3).expect("steps");
        (read(&mut simulator, &["tip.smooth_acceleration"])[0] - wanted).abs()
    };
    let errors = ["step = 4e-6", "step = 2e-6", "step = 1e-6"].map(error);
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    println!("filter: wanted {wanted:.3e}, errors {}, orders {orders:.3?}", short(&errors));
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{}", short(&errors));
}
