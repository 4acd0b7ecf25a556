//! State space against the direct solution of (K − ω² M + i ω C) q = f.

use crate::check::larger;
use crate::rom::fixture::{Body, DAMPING_RATIO};
use ballesta::rom::Rom;
use ballesta_fem::export::state_space::{Filter, Options, StateSpace, StateSpaceError};
use nalgebra::{Complex, DMatrix};

type Complexes = DMatrix<Complex<f64>>;

fn complex(matrix: &DMatrix<f64>) -> Complexes {
    matrix.map(|x| Complex::new(x, 0.0))
}

/// C (iω − A)⁻¹ B + D.
fn response(system: &StateSpace, omega: f64) -> Complexes {
    let n = system.a.nrows();
    let resolvent = Complexes::from_diagonal_element(n, n, Complex::new(0.0, omega)) - complex(&system.a);
    let x = resolvent.lu().solve(&complex(&system.b)).expect("no pole on the axis");
    complex(&system.c) * x + complex(&system.d)
}

/// Displacements of the free interfaces and output nodes per force at the free interfaces.
fn direct(rom: &Rom, fixed: &[&str], omega: f64) -> Complexes {
    let held: Vec<usize> =
        rom.interfaces.iter().filter(|i| fixed.contains(&i.name.as_str())).flat_map(|i| i.columns()).collect();
    let free: Vec<usize> = (0..rom.size()).filter(|i| !held.contains(i)).collect();
    let part = |matrix: DMatrix<f64>| complex(&matrix.select_rows(&free).select_columns(&free));
    let dynamic = part(rom.stiffness()) - part(rom.mass()) * Complex::new(omega * omega, 0.0)
        + part(rom.damping()) * Complex::new(0.0, omega);
    let ports: Vec<usize> = (0..free.len()).filter(|i| free[*i] < rom.boundary()).collect();
    let mut forces = Complexes::zeros(free.len(), ports.len());
    ports.iter().enumerate().for_each(|(j, i)| forces[(*i, j)] = Complex::new(1.0, 0.0));
    let q = dynamic.lu().solve(&forces).expect("regular");
    let mut rows: Vec<Vec<f64>> =
        ports.iter().map(|i| (0..rom.size()).map(|j| f64::from(u8::from(j == free[*i]))).collect()).collect();
    for node in &rom.nodes {
        rows.extend(node.displacement.iter().filter(|row| row.iter().any(|x| *x != 0.0)).cloned());
    }
    let output = DMatrix::from_fn(rows.len(), free.len(), |i, j| rows[i][free[j]]);
    complex(&output) * q
}

fn close(found: &Complexes, wanted: &Complexes, tolerance: f64) {
    let size = wanted.iter().map(|z| z.norm()).fold(0.0, larger);
    let off = (found - wanted).iter().map(|z| z.norm()).fold(0.0, larger);
    assert!(off <= tolerance * size, "off by {:.1e}", off / size);
}

fn cases() -> Vec<(Rom, Vec<&'static str>)> {
    vec![
        (Body::frame(6, 4).reduce(false), vec![]),
        (Body::plane_truss(4, 4).reduce(false), vec![]),
        (Body::frame(6, 4).reduce(false), vec!["end_0"]),
        // One node of a truss holds its translations only: it can still turn.
        (Body::mast(5, 3).reduce(false), vec!["end_0"]),
    ]
}

fn options(fixed: &[&str], filter: Filter) -> Options {
    Options { fixed: fixed.iter().map(|name| name.to_string()).collect(), filter, ..Options::default() }
}

#[test]
fn the_frequency_response_is_the_one_of_the_matrices() {
    crate::root::at_root();
    for (rom, fixed) in cases() {
        let system = StateSpace::new(&rom, &options(&fixed, Filter::None)).expect("a system");
        let count = system.outputs.len() / 3;
        for omega in [3.0, 700.0, 3000.0, 1e5] {
            let tolerance = 1e-8;
            let found = response(&system, omega);
            let wanted = direct(&rom, &fixed, omega);
            close(&found.rows(0, count).into_owned(), &wanted, tolerance);
            close(&found.rows(count, count).into_owned(), &(&wanted * Complex::new(0.0, omega)), tolerance);
            close(
                &found.rows(2 * count, count).into_owned(),
                &(&wanted * Complex::new(-omega * omega, 0.0)),
                tolerance,
            );
        }
    }
}

#[test]
fn the_damping_of_a_held_body_couples_its_modes_and_that_of_a_free_one_does_not() {
    crate::root::at_root();
    let rom = Body::frame(6, 4).reduce(false);
    let free = StateSpace::new(&rom, &Options::default()).expect("a system");
    assert!(free.damping_coupling < 1e-7, "{:e}", free.damping_coupling);
    let held = StateSpace::new(&rom, &options(&["end_0"], Filter::None)).expect("a system");
    assert!(held.frequencies_hz[0] > 0.0 && held.damping_coupling > 1e-3, "{:e}", held.damping_coupling);
    assert!(held.remarks().iter().any(|remark| remark.contains("couples the modes")));
}

#[test]
fn damping_ratios_are_those_that_the_body_was_given() {
    crate::root::at_root();
    let system = StateSpace::new(&Body::frame(6, 4).reduce(false), &Options::default()).expect("a system");
    let (rigid, elastic) = system.damping_ratios.split_at(6);
    assert!(rigid.iter().all(|ratio| *ratio == 0.0) && system.frequencies_hz[5] == 0.0);
    assert!(elastic.iter().all(|ratio| (ratio / DAMPING_RATIO - 1.0).abs() < 1e-8), "{elastic:?}");
}

#[test]
fn filters_take_the_direct_feedthrough_away_and_multiply_the_response() {
    crate::root::at_root();
    let rom = Body::plane_truss(4, 4).reduce(false);
    let plain = StateSpace::new(&rom, &Options::default()).expect("a system");
    assert!(plain.has_direct_feedthrough());
    let (cutoff, omega) = (2e3, 800.0);
    let first = StateSpace::new(&rom, &options(&[], Filter::First(cutoff))).expect("a system");
    let third = StateSpace::new(&rom, &options(&[], Filter::Third(cutoff))).expect("a system");
    assert!(!first.has_direct_feedthrough() && !third.has_direct_feedthrough());
    let low_pass = Complex::new(cutoff, 0.0) / Complex::new(cutoff, omega);
    let wanted = response(&plain, omega);
    close(&response(&first, omega), &(&wanted * low_pass), 1e-9);
    let count = plain.outputs.len() / 3;
    let cubed = &wanted * (low_pass * low_pass * low_pass);
    for block in 0..3 {
        let rows = |matrix: &Complexes| matrix.rows(block * count, count).into_owned();
        close(&rows(&response(&third, omega)), &rows(&cubed), 1e-9);
    }
}

#[test]
fn elastic_only_leaves_out_the_rigid_motions_and_unknown_names_are_refused() {
    crate::root::at_root();
    let rom = Body::frame(6, 4).reduce(false);
    let elastic = StateSpace::new(&rom, &Options { elastic_only: true, ..Options::default() }).expect("a system");
    assert_eq!(elastic.frequencies_hz.len(), rom.size() - 6);
    let unknown = StateSpace::new(&rom, &options(&["hub"], Filter::None));
    assert_eq!(unknown, Err(StateSpaceError::UnknownInterface("hub".into())));
    let all = StateSpace::new(&rom, &options(&["end_0", "end_1"], Filter::None));
    assert_eq!(all, Err(StateSpaceError::NothingFree));
    let table: toml::Table = elastic.to_toml().parse().expect("TOML");
    assert_eq!(table["a"].as_array().map(Vec::len), Some(2 * elastic.frequencies_hz.len()));
    assert!(elastic.to_matlab().contains("sys = ss(A, B, C, D"));
}
