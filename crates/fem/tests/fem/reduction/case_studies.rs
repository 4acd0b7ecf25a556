//! The two case studies of Míguez et al.: a step load on the reduced model, the spectrum of its answer, and its peaks
//! beside the frequencies of the full structure.
//!
//! The reduced model is integrated in time like any other (Runge-Kutta of order 4, 32 s); the spectrum is that of a
//! Blackman-Harris window, its peaks interpolated by a parabola through the logarithms of three lines. Lines are 1/32
//! Hz apart.

use super::support::{GALLERY, load, reduce, settings, try_reduce};
use crate::check::larger;
use ballesta::rom::Rom;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::reduction::{ModeChoice, ResidualLoads, Settings};
use nalgebra::{DMatrix, DVector};
use rustfft::{FftPlanner, num_complex::Complex};
use std::f64::consts::TAU;

/// Samples of the answer, per second and in all: 32 s.
const RATE: f64 = 4096.0;
const SAMPLES: usize = 1 << 17;

/// K and M of a reduced model whose held coordinates are taken out.
fn held(rom: &Rom, held: &[(usize, usize)]) -> (DMatrix<f64>, DMatrix<f64>, Vec<usize>) {
    let fixed: Vec<usize> =
        held.iter().map(|(interface, direction)| rom.interfaces[*interface].column(*direction).unwrap()).collect();
    let free: Vec<usize> = (0..rom.size()).filter(|q| !fixed.contains(q)).collect();
    let part = |matrix: DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
    (part(rom.stiffness()), part(rom.mass()), free)
}

/// Displacement of coordinate `at` after a unit step of the force on it, at RATE.
fn step_response(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>, at: usize) -> Vec<f64> {
    let size = stiffness.nrows();
    let factor = mass.clone().cholesky().expect("a positive definite mass");
    let operator = factor.solve(stiffness);
    let load = factor.solve(&DVector::from_fn(size, |i, _| f64::from(u8::from(i == at))));
    // ωh = 0.25 for the fastest mode: its period is stretched by (ωh)⁴/120, and that of slower ones by far less.
    let fastest = operator.clone().complex_eigenvalues().iter().map(|value| value.re).fold(0.0, larger).sqrt();
    let inner = (fastest / (0.25 * RATE)).ceil();
    let h = 1.0 / (RATE * inner);
    let (mut q, mut v) = (DVector::zeros(size), DVector::zeros(size));
    let acceleration = |q: &DVector<f64>| &load - &operator * q;
    let mut answer = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        answer.push(q[at]);
        for _ in 0..inner as usize {
            let a1 = acceleration(&q);
            let a2 = acceleration(&(&q + &v * (0.5 * h)));
            let v3 = &v + &a2 * (0.5 * h);
            let a3 = acceleration(&(&q + (&v + &a1 * (0.5 * h)) * (0.5 * h)));
            let a4 = acceleration(&(&q + (&v + &a2 * (0.5 * h)) * h));
            let v2 = &v + &a1 * (0.5 * h);
            let v4 = &v + &a3 * h;
            q += (&v + (v2 + v3) * 2.0 + v4) * (h / 6.0);
            v += (a1 + (a2 + a3) * 2.0 + a4) * (h / 6.0);
        }
    }
    answer
}

/// Frequencies of the peaks of the spectrum, Hz, ascending, that rise above 1e-7 of the highest.
fn peaks(answer: &[f64]) -> Vec<f64> {
    let mean = answer.iter().sum::<f64>() / answer.len() as f64;
    let window = |i: usize| {
        let phase = TAU * i as f64 / answer.len() as f64;
        0.35875 - 0.48829 * phase.cos() + 0.14128 * (2.0 * phase).cos() - 0.01168 * (3.0 * phase).cos()
    };
    let mut spectrum: Vec<Complex<f64>> =
        answer.iter().enumerate().map(|(i, value)| Complex::new((value - mean) * window(i), 0.0)).collect();
    FftPlanner::new().plan_fft_forward(answer.len()).process(&mut spectrum);
    let size: Vec<f64> = spectrum[..answer.len() / 2].iter().map(|line| line.norm()).collect();
    let highest = size.iter().fold(0.0_f64, |a, b| larger(a, *b));
    let reach = 8;
    let is_peak = |i: &usize| {
        let around = &size[i - reach..=i + reach];
        // Side lobes of the window reach 2.5e-5 of their peak, 92 dB below it: a true peak stands alone.
        size[*i] > 1e-7 * highest
            && around.iter().all(|other| *other <= size[*i])
            && size[i - reach] < 0.01 * size[*i]
            && size[i + reach] < 0.01 * size[*i]
    };
    let line = |i: usize| {
        let [a, b, c] = [size[i - 1].ln(), size[i].ln(), size[i + 1].ln()];
        (i as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)) * RATE / answer.len() as f64
    };
    (reach..size.len() - reach).filter(is_peak).map(line).collect()
}

/// Compares the peaks with the frequencies of the full structure and returns the largest error, relative.
fn compare(name: &str, wanted: &Settings, supports: &[(usize, usize)], loaded: (usize, usize), count: usize) -> f64 {
    let (_, model) = load(name);
    let full = natural_modes(&model, true, count).expect("a sound structure").frequencies_hz;
    let rom = try_reduce(&model, wanted).expect("a sound structure").rom;
    let (stiffness, mass, free) = held(&rom, supports);
    let load = rom.interfaces[loaded.0].column(loaded.1).unwrap();
    let at = free.iter().position(|q| *q == load).unwrap();
    let squares = mass.clone().cholesky().unwrap().solve(&stiffness).complex_eigenvalues();
    let mut own: Vec<f64> = squares.iter().map(|square| square.re.sqrt() / TAU).collect();
    own.sort_by(f64::total_cmp);
    let peaks = peaks(&step_response(&stiffness, &mass, at));
    println!("{name}, {} coordinates: full Hz, peak of the reduced model Hz, difference; its eigenvalue", rom.size());
    let mut worst = 0.0_f64;
    for (i, full) in full.iter().enumerate() {
        let error = peaks[i] / full - 1.0;
        println!(
            "  {full:10.4} {:10.4} {:+.4} %   {:10.4} {:+.4} %",
            peaks[i],
            100.0 * error,
            own[i],
            100.0 * (own[i] / full - 1.0)
        );
        assert!(own[i] / full - 1.0 > -1e-9, "a reduced structure is never softer");
        worst = larger(worst, error.abs());
    }
    worst
}

#[test]
fn spectrum_of_the_truss_shows_its_first_four_frequencies_within_a_thousandth() {
    crate::root::at_root();
    let worst = compare("truss", &settings(ModeChoice::Count(12)), &[(0, 0), (0, 1), (1, 1)], (2, 1), 4);
    assert!(worst <= 1e-3, "{worst:e}");
}

#[test]
fn spectrum_of_the_frame_shows_its_first_seven_frequencies_within_two_thousandths() {
    crate::root::at_root();
    // Seven modes alone leave the sixth frequency 0.7 % high; their residual vectors, static shapes, bring it to 0.02
    // %.
    let mut wanted = settings(ModeChoice::Count(7));
    let arguments = ([(0, 0), (0, 1), (0, 5)], (1, 1));
    assert!(compare("crane", &wanted, &arguments.0, arguments.1, 7) <= 1e-2);
    wanted.residual = ResidualLoads { gravity: true, rotation: true, cases: false };
    let worst = compare("crane", &wanted, &arguments.0, arguments.1, 7);
    assert!(worst <= 2e-3, "{worst:e}");
}

#[test]
fn eigenvalues_of_reduced_structures_are_never_below_those_of_the_full_ones() {
    crate::root::at_root();
    for name in GALLERY {
        let (_, model) = load(name);
        if model.supports.is_empty() {
            continue;
        }
        let full = natural_modes(&model, false, 6).expect("a sound structure").frequencies_hz;
        for modes in [1, 3, 6, 10] {
            let reduced = reduce(&model, ModeChoice::Count(modes)).rom.checks.free_frequencies_hz;
            for (full, reduced) in full.iter().zip(&reduced) {
                assert!(reduced / full - 1.0 > -1e-9, "{name}, {modes} modes: {reduced} {full}");
            }
        }
    }
}
