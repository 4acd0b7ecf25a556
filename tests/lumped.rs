//! The beam as a chain of rigid bodies: closed forms, convergence, and the paper's comparison (Ghidella et al., section IV).
#![cfg(feature = "fem")]

use ballesta::fem::lumped::{Beam, Chain, Setup};
use std::f64::consts::PI;

/// Tip load of the paper: the weight of 20 kg.
const LOAD: f64 = 196.2;

fn near(found: f64, wanted: f64, digits_of: f64) {
    assert!((found - wanted).abs() <= digits_of, "{found} for {wanted}");
}

fn chain(n: usize, rotary_inertia: bool) -> Chain {
    Chain::new(&Beam::PAPER, n, &Setup { rotary_inertia, ..Setup::default() })
}

#[test]
fn ten_elements_have_the_reference_deflections_and_frequencies() {
    let thin = chain(10, false);
    near(1e3 * thin.static_deflection(LOAD, 0.0), 3.5454619565217374, 1e-12);
    near(1e3 * thin.finite_deflection(LOAD), 3.5452772261697404, 1e-10);
    let references = [
        (thin, [65.48022016519577, 412.69854489505224, 1161.3132562866683]),
        (chain(10, true), [65.45977586131112, 411.78570016986237, 1154.9811211262493]),
    ];
    for (chain, wanted) in references {
        let found = chain.frequencies_hz().expect("definite");
        wanted.iter().zip(&found).for_each(|(wanted, found)| near(*found, *wanted, 1e-9 * wanted));
    }
}

#[test]
fn the_plain_chain_converges_at_second_order_in_statics_and_frequencies() {
    let exact = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::PAPER.bending_stiffness());
    let first = 65.33003806791324;
    let errors = |n: usize| {
        let chain = chain(n, false);
        let frequency = chain.frequencies_hz().expect("definite")[0];
        [(chain.static_deflection(LOAD, 0.0) - exact).abs(), (frequency - first).abs()]
    };
    for n in [5, 10, 20] {
        let order = |i: usize| (errors(n)[i] / errors(2 * n)[i]).log2();
        assert!((order(0) - 2.0).abs() < 1e-6 && (order(1) - 2.0).abs() < 0.05, "{} {}", order(0), order(1));
    }
}

#[test]
fn the_corrected_chain_converges_at_first_order_and_has_growing_modes() {
    near(1e3 * chain(10, false).corrected_deflection(LOAD, 0.0), 3.812, 1e-3);
    near(1e3 * chain(40, false).corrected_deflection(LOAD, 0.0), 3.620, 1e-3);
    let exact = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::PAPER.bending_stiffness());
    let error = |n: usize| chain(n, false).corrected_deflection(LOAD, 0.0) - exact;
    near((error(40) / error(80)).log2(), 1.0, 0.02);
    let frequencies = chain(10, false).corrected_frequencies_hz();
    near(frequencies[0].re, 62.4, 0.05);
    let pair: Vec<_> = frequencies.iter().filter(|f| f.im.abs() > 100.0).take(2).collect();
    near(pair[0].re, 2450.0, 1.0);
    near(pair[0].im.abs(), 269.0, 1.0);
    near(pair[1].im, -pair[0].im, 1e-6);
}

#[test]
fn a_heavy_beam_on_a_spring_has_its_closed_form() {
    let (base, gravity) = (4e3, 9.81);
    let setup = Setup { base_stiffness: Some(base), ..Setup::default() };
    let (length, bending) = (0.5_f64, Beam::PAPER.bending_stiffness());
    let weight = Beam::PAPER.mass() * gravity;
    let exact = LOAD * length.powi(3) / (3.0 * bending)
        + weight * length.powi(3) / (8.0 * bending)
        + (LOAD + 0.5 * weight) * length * length / base;
    let found = Chain::new(&Beam::PAPER, 160, &setup).static_deflection(LOAD, gravity);
    near(found / exact, 1.0, 1e-5);
    // A stiff beam on a soft spring turns as a rigid body.
    let soft = Setup { base_stiffness: Some(1.0), tip_mass: 20.0, ..Setup::default() };
    let inertia = 20.0 * 0.25 + 1.35 * 0.25 / 3.0;
    let frequency = Chain::new(&Beam::PAPER, 20, &soft).frequencies_hz().expect("definite")[0];
    near(frequency * 2.0 * PI * f64::sqrt(inertia), 1.0, 1e-3);
}

/// Rows of the table of docs/lumped-beams.md.
fn table() -> Vec<String> {
    let base = 10_000.0 * 180.0 / PI;
    let setup = Setup { rotary_inertia: true, base_stiffness: Some(base), tip_mass: 20.0 };
    let row = |name: &str, n: usize, paper: &str| {
        let chain = Chain::new(&Beam::PAPER, n, &setup);
        let frequency = chain.frequencies_hz().expect("definite")[0];
        let (load, all) = (chain.static_deflection(LOAD, 0.0), chain.static_deflection(LOAD, 9.81));
        format!("| {name} | {frequency:.3} | {:.3} | {:.3} | {paper} |", 1e3 * load, 1e3 * all)
    };
    vec![
        row("chain of 10 elements", 10, "6.79 Hz, 3.63 mm"),
        row("chain of 20 elements", 20, "–"),
        row("chain of 40 elements", 40, "–"),
        row("chain of 160 elements", 160, "8.76 Hz, 3.20 mm (finite elements, one mode)"),
    ]
}

#[test]
fn the_table_of_the_documentation_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/lumped-beams.md");
    let text = std::fs::read_to_string(path).expect("readable");
    let rows = table().join("\n");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let start = text.find("| chain of 10").expect("the table");
        let end = start + text[start..].find("\n\n").expect("text after the table");
        std::fs::write(path, format!("{}{rows}{}", &text[..start], &text[end..])).expect("writable");
    } else {
        assert!(text.contains(&rows), "the table is\n{rows}");
    }
}
