use super::schur::{Schur, gramian_factor};
use super::*;

/// A linear system without mechanism: all states belong to a force element.
fn system(a: &Real, b: &[f64], c: &[f64]) -> Linearization {
    let names = |letter: &str, count: usize| (1..=count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
    let n = a.nrows();
    Linearization {
        time: 0.0,
        coordinates: Vec::new(),
        states: names("x", n),
        inputs: names("u", 1),
        outputs: names("y", 1),
        parameters: Vec::new(),
        a: rows(a),
        b: b.iter().map(|&entry| vec![entry]).collect(),
        c: vec![c.to_vec()],
        d: vec![vec![0.0]],
        e: vec![Vec::new(); n],
        f: vec![Vec::new()],
        mass: Vec::new(),
        motions: names("x", n),
        filters: Vec::new(),
        element_states: n,
        low_pass: Vec::new(),
        turning: Vec::new(),
        units: Vec::new(),
        load_energy: 0.0,
        stiffness: Vec::new(),
    }
}

fn request(method: Method, target: Target) -> Request {
    let channel = vec![Channel { index: 0, scale: 1.0 }];
    Request { method, target, static_correction: false, inputs: channel.clone(), outputs: channel }
}

fn reduced(model: &Linearization, request: &Request) -> Result<Reduced, ReductionError> {
    reduce(model, &modal::modes(model).unwrap(), request)
}

fn near(value: f64, exact: f64, tolerance: f64) {
    assert!((value - exact).abs() <= tolerance * exact.abs(), "{value} is not {exact}");
}

/// Σ c_i b_i/(s + p_i) with b = c = 1: both Gramians are the Cauchy matrix 1/(p_i + p_j).
fn relaxation(poles: &[f64]) -> Linearization {
    let n = poles.len();
    let a = Real::from_fn(n, n, |i, j| if i == j { -poles[i] } else { 0.0 });
    system(&a, &vec![1.0; n], &vec![1.0; n])
}

/// k/s² + Σ gain/(s² + 2 ζ ω s + ω²), its states mixed by a matrix that is far from orthogonal.
fn rigid_and_flexible(oscillators: &[(f64, f64, f64)]) -> Linearization {
    let n = 2 + 2 * oscillators.len();
    let (mut a, mut b, mut c) = (Real::zeros(n, n), Real::zeros(n, 1), Real::zeros(1, n));
    (a[(0, 1)], b[(1, 0)], c[(0, 0)]) = (1.0, 3.0, 1.0);
    for (k, &(omega, zeta, gain)) in oscillators.iter().enumerate() {
        let at = 2 + 2 * k;
        (a[(at, at + 1)], a[(at + 1, at)], a[(at + 1, at + 1)]) = (1.0, -omega * omega, -2.0 * zeta * omega);
        (b[(at + 1, 0)], c[(0, at)]) = (gain, 1.0);
    }
    let mix = Real::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.3 / (1.0 + (i + 2 * j) as f64) });
    let inverse = mix.clone().try_inverse().unwrap();
    system(&(&mix * a * &inverse), (&mix * b).as_slice(), (c * inverse).as_slice())
}

/// Largest value of 1/|s² + 2 ζ ω s + ω²| on the imaginary axis.
fn resonance(omega: f64, zeta: f64) -> f64 {
    1.0 / (2.0 * zeta * omega * omega * (1.0 - zeta * zeta).sqrt())
}

#[test]
fn hankel_singular_values_of_two_poles_are_those_by_hand() {
    // Eigenvalues of [1/2 1/3; 1/3 1/4].
    let root = (9.0 / 16.0 - 4.0 / 72.0f64).sqrt();
    let found = reduced(&relaxation(&[1.0, 2.0]), &request(Method::Balanced, Target::Order(1))).unwrap();
    near(found.hankel[0], 0.5 * (0.75 + root), 1e-14);
    near(found.hankel[1], 0.5 * (0.75 - root), 1e-13);
    assert_eq!((found.kept, found.a.len()), (0, 1));
}

#[test]
fn the_bound_is_attained_by_relaxation_systems() {
    let model = relaxation(&[1.0, 3.0, 10.0, 40.0]);
    for order in 0..4 {
        let found = reduced(&model, &request(Method::Balanced, Target::Order(order))).unwrap();
        near(found.error.unwrap().gain, found.bound.unwrap(), 1e-9);
        assert!(found.error.unwrap().omega < 0.1);
        near(found.bound.unwrap(), 2.0 * found.hankel[order..].iter().sum::<f64>(), 1e-14);
    }
}

#[test]
fn small_hankel_singular_values_keep_their_digits() {
    // The determinant of a Cauchy matrix is known: Π_{i<j} (p_j − p_i)² / Π_{i,j} (p_i + p_j).
    let poles: Vec<f64> = (1..=7).map(f64::from).collect();
    let mut determinant = 1.0;
    for (i, p) in poles.iter().enumerate() {
        poles[i + 1..].iter().for_each(|q| determinant *= (q - p) * (q - p));
        poles.iter().for_each(|q| determinant /= q + p);
    }
    let found = reduced(&relaxation(&poles), &request(Method::Balanced, Target::Order(3))).unwrap();
    let smallest = found.hankel[6] / found.hankel[0];
    assert!(smallest < 1e-8, "{smallest}: the square of the factors would do");
    near(found.hankel.iter().product(), determinant, 1e-6);
}

#[test]
fn rigid_motions_are_kept_exactly_and_the_error_is_the_flexible_rest() {
    let (omega, zeta, gain) = (40.0, 0.003, 5.0);
    let model = rigid_and_flexible(&[(omega, zeta, gain)]);
    for method in [Method::Balanced, Method::Modal] {
        let found = reduced(&model, &request(method, Target::Order(2))).unwrap();
        assert_eq!((found.kept, found.a.len()), (2, 2));
        near(found.error.unwrap().gain, gain * resonance(omega, zeta), 1e-7);
        near(found.error.unwrap().omega, omega * (1.0 - 2.0 * zeta * zeta).sqrt(), 1e-4);
        assert!(found.bound.unwrap() >= found.error.unwrap().gain, "{method:?}");
        // 3/s² at s = 2: C (2 − A)⁻¹ B.
        let matrix = |rows: &[Vec<f64>]| Real::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        let inverse = (Real::identity(2, 2) * 2.0 - matrix(&found.a)).try_inverse().unwrap();
        near((matrix(&found.c) * inverse * matrix(&found.b))[(0, 0)], 0.75, 1e-9);
    }
}

#[test]
fn the_modal_bound_of_one_pair_is_its_resonance_but_for_the_other_pole() {
    let (omega, zeta) = (10.0, 0.01);
    let found = reduced(&rigid_and_flexible(&[(omega, zeta, 1.0)]), &request(Method::Modal, Target::Order(3))).unwrap();
    // |R| = 1/(2 ω_d); a pair does not fit into the third state.
    let exact = (1.0 / (zeta * omega) + 1.0 / omega) / (2.0 * omega * (1.0 - zeta * zeta).sqrt());
    near(found.bound.unwrap(), exact, 1e-6);
    assert_eq!(found.a.len(), 2);
}

#[test]
fn the_order_is_the_fewest_states_whose_bound_is_small_enough() {
    let model = rigid_and_flexible(&[(5.0, 0.01, 1.0), (30.0, 0.01, 1.0), (90.0, 0.01, 1.0)]);
    for method in [Method::Balanced, Method::Modal] {
        for bound in [10.0, 0.2, 0.02, 1e-9] {
            let found = reduced(&model, &request(method, Target::Error(bound))).unwrap();
            let rounding = 1e-9 * found.stable_gain.gain;
            assert!(found.bound.unwrap() <= bound, "{method:?} {bound}");
            assert!(found.error.unwrap().gain <= found.bound.unwrap() + rounding, "{method:?} {bound}: {found:?}");
            let fewer = found.a.len() - if method == Method::Modal { 2 } else { 1 };
            if found.a.len() > 2 {
                let fewer = reduced(&model, &request(method, Target::Order(fewer))).unwrap();
                assert!(method == Method::Modal || fewer.bound.unwrap() > bound, "{method:?} {bound}");
            }
        }
    }
}

#[test]
fn static_gains_are_exact_after_the_correction() {
    let model = rigid_and_flexible(&[(5.0, 0.02, 1.0), (30.0, 0.02, 1.0)]);
    for method in [Method::Balanced, Method::Modal] {
        let request = Request { static_correction: true, ..request(method, Target::Order(4)) };
        let found = reduced(&model, &request).unwrap();
        // Contribution of the mode at 30 rad/s at ω = 0; the modal error is its resonance less this contribution.
        if method == Method::Modal {
            near(found.d[0][0], 1.0 / 900.0, 1e-9);
        }
        assert!(found.error.unwrap().gain <= found.bound.unwrap(), "{method:?}: {found:?}");
    }
}

#[test]
fn scales_of_channels_only_scale_bound_and_error() {
    let model = rigid_and_flexible(&[(5.0, 0.02, 1.0), (30.0, 0.02, 1.0)]);
    let plain = request(Method::Balanced, Target::Order(4));
    let mut scaled = plain.clone();
    (scaled.inputs[0].scale, scaled.outputs[0].scale) = (8.0, 0.5);
    let (plain, scaled) = (reduced(&model, &plain).unwrap(), reduced(&model, &scaled).unwrap());
    near(scaled.bound.unwrap(), 16.0 * plain.bound.unwrap(), 1e-9);
    let gain = |found: &Reduced| (0..4).map(|k| found.c[0][k] * found.b[k][0]).sum::<f64>();
    assert!((gain(&plain) - gain(&scaled)).abs() <= 1e-12);
}

#[test]
fn undamped_modes_are_kept_or_left_out_without_a_bound() {
    let model = rigid_and_flexible(&[(5.0, 0.0, 1.0), (30.0, 0.0, 1.0)]);
    let states = reduced(&model, &request(Method::Balanced, Target::Order(6))).unwrap_err();
    assert_eq!(states, ReductionError::NothingStable { states: 6 });
    let found = reduced(&model, &request(Method::Modal, Target::Order(4))).unwrap();
    assert_eq!((found.bound, found.error, found.a.len()), (None, None, 4));
    // The slower mode is kept.
    let a: Vec<f64> = found.a.iter().flatten().copied().collect();
    near(eigen::Spectrum::new(&a, 4).unwrap().values[3].im.abs(), 5.0, 1e-9);
    let kept = reduced(&model, &request(Method::Modal, Target::Error(1e-3))).unwrap();
    assert_eq!((kept.bound, kept.a.len()), (Some(0.0), 6));
}

#[test]
fn impossible_orders_are_refused() {
    let model = rigid_and_flexible(&[(5.0, 0.01, 1.0)]);
    for method in [Method::Balanced, Method::Modal] {
        let refused = |order| reduced(&model, &request(method, Target::Order(order))).unwrap_err();
        assert_eq!(refused(1), ReductionError::TooFew { order: 1, kept: 2 });
        assert_eq!(refused(5), ReductionError::TooMany { order: 5, states: 4 });
    }
    let none = Request { outputs: Vec::new(), ..request(Method::Balanced, Target::Order(3)) };
    assert_eq!(reduced(&model, &none), Err(ReductionError::NoChannel { kind: "output" }));
}

#[test]
fn the_ordered_form_is_the_matrix_and_its_factor_solves_the_lyapunov_equation() {
    let n = 7;
    let a = Real::from_fn(n, n, |i, j| ((3 * i * i + 5 * j + i * j) % 11) as f64 - if i == j { 25.0 } else { 5.0 });
    let mut form = Schur::new(&a).unwrap();
    form.order(&[false, true, false, false, true, true, false]);
    let back = &form.q * &form.t * form.q.adjoint();
    assert!((back - a.map(Complex::from)).norm() < 1e-13 * a.norm());
    let b = Complexes::from_fn(n, 2, |i, j| Complex::new(i as f64 - 2.0, j as f64));
    let u = gramian_factor(&form.t, &b).unwrap();
    let p = &u * u.adjoint();
    let residual = &form.t * &p + &p * form.t.adjoint() + &b * b.adjoint();
    assert!(residual.norm() < 1e-12 * (form.t.norm() * p.norm()), "{}", residual.norm());
}
