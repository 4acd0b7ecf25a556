//! Straight beams: the modes, stiffening and section forces of the beam of Gutiérrez et al. against closed forms
//! (numbers of equations are theirs).

use super::support::{load, parse, reduce, settings, try_reduce};
use crate::check::larger;
use ballesta::math;
use ballesta::rom::Rom;
use ballesta::rom::elastic_modes::unpack;
use ballesta::rom::rom_schema::{Foreshortening, Packed, Section, StiffeningLoad};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::reduction::{ModeChoice, Reduction, Settings};
use nalgebra::{DMatrix, DVector, Vector6};
use std::f64::consts::{PI, TAU};

const EA: f64 = 2.8e7;
const EI: f64 = 1.4e4;
const RHO_A: f64 = 1.2;
const L: f64 = 10.0;

/// β L of the clamped-pinned beam.
const BETA: [f64; 2] = [3.926_602_312_047_919, 7.068_582_745_628_732];

/// Columns of the spin-up beam: x, y, rz of the root, x, y of the tip, internal modes.
const TIP_X: usize = 3;
const TIP_Y: usize = 4;

fn spin_up(name: &str, numbers: &[usize]) -> (FiniteElementModel, Reduction) {
    let (_, model) = load(name);
    let reduction = try_reduce(&model, &settings(ModeChoice::Numbers(numbers.to_vec()))).expect("a sound structure");
    (model, reduction)
}

/// The beam with another number of elements and all modes that `modes` asks for.
fn divided(divisions: usize, modes: usize) -> Rom {
    let text = std::fs::read_to_string("models/structures/spinup_beam/structure.toml").expect("the gallery");
    let text = text.replace("divisions = 64", &format!("divisions = {divisions}"));
    reduce(&parse(&text), ModeChoice::Count(modes)).rom
}

/// Ψ₁, Ψ₂ of equation 38 and their derivatives at x/L.
fn psi(mode: usize, xi: f64) -> [f64; 2] {
    let beta = BETA[mode];
    let alpha = (beta.sin() - beta.sinh()) / (beta.cos() - beta.cosh());
    let b = beta * xi;
    let value = b.sin() - b.sinh() + alpha * (b.cosh() - b.cos());
    let slope = beta / L * (b.cos() - b.cosh() + alpha * (b.sinh() + b.sin()));
    [value, slope]
}

/// Largest difference of a column to a multiple of a closed form at the nodes, relative to the largest value, and the
/// factor.
fn misfit(
    model: &FiniteElementModel,
    reduction: &Reduction,
    q: usize,
    direction: usize,
    form: impl Fn(f64) -> f64,
) -> (f64, f64) {
    let rows: Vec<usize> = (0..model.size()).filter(|i| model.dofs[*i].direction == direction).collect();
    let pairs: Vec<(f64, f64)> = rows
        .iter()
        .map(|i| (reduction.basis[(*i, q)], form(model.nodes[model.dofs[*i].node].position.x / L)))
        .collect();
    let factor = pairs.iter().map(|(u, v)| u * v).sum::<f64>() / pairs.iter().map(|(_, v)| v * v).sum::<f64>();
    let largest = pairs.iter().fold(0.0_f64, |most, (u, _)| larger(most, u.abs()));
    (pairs.iter().fold(0.0_f64, |most, (u, v)| larger(most, (u - factor * v).abs())) / largest, factor)
}

#[test]
fn the_basis_is_that_of_equations_38_and_42() {
    crate::root::at_root();
    let (model, reduction) = spin_up("spinup_beam_two_axial", &[1, 2, 12]);
    let static_forms = [
        misfit(&model, &reduction, TIP_X, 0, |xi| xi),
        misfit(&model, &reduction, TIP_Y, 1, |xi| 1.5 * xi * xi - 0.5 * xi.powi(3)),
        misfit(&model, &reduction, TIP_Y, 5, |xi| (3.0 * xi - 1.5 * xi * xi) / L),
    ];
    for (q, (error, factor)) in static_forms.into_iter().enumerate() {
        assert!(error < 1e-9 && (factor - 1.0).abs() < 1e-9, "Φ, form {q}: {error:e} {factor}");
    }
    for mode in [0, 1] {
        let (value, slope) = (|xi| psi(mode, xi)[0], |xi| psi(mode, xi)[1]);
        let (deflection, factor) = misfit(&model, &reduction, 5 + mode, 1, value);
        let (rotation, _) = misfit(&model, &reduction, 5 + mode, 5, slope);
        println!("Ψ{}: deflection {deflection:.1e}, rotation {rotation:.1e}", mode + 1);
        assert!(deflection < 1e-6 && rotation < 1e-5 && factor.abs() > 0.1);
        let exact = BETA[mode].powi(2) / (L * L) * (EI / RHO_A).sqrt() / TAU;
        let found = reduction.rom.modes.frequencies_hz[mode];
        assert!((found / exact - 1.0).abs() < 1e-6, "{found} {exact}");
    }
    let (error, _) = misfit(&model, &reduction, 7, 0, |xi| (PI * xi).sin());
    assert!(error < 1e-9, "Ψ₃: {error:e}");
    // Linear elements: (π/64)²/24 above.
    let exact = 0.5 / L * (EA / RHO_A).sqrt();
    let found = reduction.rom.modes.frequencies_hz[2] / exact - 1.0;
    assert!((found - (PI / 64.0).powi(2) / 24.0).abs() < 1e-7, "{found:e}");
}

#[test]
fn modes_are_kept_by_their_numbers() {
    crate::root::at_root();
    let (_, model) = load("spinup_beam");
    let all = reduce(&model, ModeChoice::Count(12)).rom.modes.frequencies_hz;
    let (_, some) = spin_up("spinup_beam", &[2, 5, 12]);
    assert_eq!(some.rom.modes.frequencies_hz, [all[1], all[4], all[11]]);
    assert_eq!((some.rom.checks.modes_found, some.rom.checks.modes_counted), (12, 12));
    let refusal = try_reduce(&model, &settings(ModeChoice::Numbers(vec![191]))).expect_err("190 directions inside");
    assert_eq!(refusal.key, "reduction.mode_numbers");
}

/// ∫ N(x) v_i′ v_j′ dx by Simpson's rule over many intervals.
fn work(force: impl Fn(f64) -> f64, slopes: [&dyn Fn(f64) -> f64; 2]) -> f64 {
    let count = 4000;
    let value = |k: usize| {
        let xi = k as f64 / count as f64;
        force(xi) * slopes[0](xi) * slopes[1](xi)
    };
    let weight = |k: usize| if k == 0 || k == count { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
    (0..=count).map(|k| weight(k) * value(k)).sum::<f64>() * L / (3.0 * count as f64)
}

#[test]
fn axial_modes_stiffen_by_their_axial_force_as_in_equations_14_and_26() {
    crate::root::at_root();
    let (model, reduction) = spin_up("spinup_beam_two_axial", &[1, 2, 12]);
    let axial = &reduction.rom.stiffening.as_ref().expect("own elements").axial;
    assert_eq!(axial.len(), 2);
    assert_eq!(axial[0].force, [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(axial[1].force, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let factor =
        |q: usize, direction: usize, form: &dyn Fn(f64) -> f64| misfit(&model, &reduction, q, direction, form).1;
    let scale = [factor(5, 1, &|xi| psi(0, xi)[0]), factor(6, 1, &|xi| psi(1, xi)[0])];
    let slopes: [&dyn Fn(f64) -> f64; 3] =
        [&|xi| (3.0 * xi - 1.5 * xi * xi) / L, &|xi| scale[0] * psi(0, xi)[1], &|xi| scale[1] * psi(1, xi)[1]];
    let sine = factor(7, 0, &|xi| (PI * xi).sin());
    let forces: [&dyn Fn(f64) -> f64; 2] = [&|_| EA / L, &|xi| EA * sine * PI / L * (PI * xi).cos()];
    for (mode, force) in forces.into_iter().enumerate() {
        let stiffness = unpack(&axial[mode].stiffness, reduction.rom.size());
        let largest = stiffness.view((4, 4), (3, 3)).amax();
        let mut worst = 0.0_f64;
        for (i, j) in (0..3).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let exact = work(force, [slopes[i], slopes[j]]);
            let error = (stiffness[(4 + i, 4 + j)] - exact).abs() / largest;
            worst = larger(worst, error);
            assert!(error < 1e-3, "mode {mode}, ({i}, {j}): {error:e}");
        }
        println!("axial mode {mode}: {worst:.1e}");
        // Along the beam nothing stiffens.
        assert!([TIP_X, 0].iter().all(|i| math::largest(stiffness.row(*i)) < 1e-9 * largest));
    }
    // EA/L · 6/5 L of the cubic Φ₂.
    let tip = unpack(&axial[0].stiffness, reduction.rom.size())[(TIP_Y, TIP_Y)];
    assert!((tip / (EA / L * 1.2 / L) - 1.0).abs() < 1e-9, "{tip}");
}

fn blocks(translation: &[Packed], rotation: &[Packed], products: &[Packed], loads: &[StiffeningLoad]) -> Vec<Packed> {
    let loads = loads.iter().map(|load| &load.stiffness);
    translation.iter().chain(rotation).chain(products).chain(loads).cloned().collect()
}

#[test]
fn foreshortening_gives_the_blocks_of_the_general_form() {
    crate::root::at_root();
    // With linear axial elements both are Σ f_i H_i, but the ways are different: static forces here, sums of slopes
    // there. The general form has the torsion by axial forces too: in space only translations and modes are compared.
    let all: Vec<usize> = (0..12).collect();
    for (name, support, rows) in [
        ("spinup_beam", "root", &all[..11]),
        ("cantilever_clamped", "root", &all),
        ("cantilever_clamped", "tip", &all),
        ("slender_beam", "root", &[0, 1, 2, 6, 7, 8]),
        ("slender_beam", "tip", &[0, 1, 2, 6, 7, 8]),
        ("tumbling_beam", "middle", &[0, 1, 2, 6, 7, 8, 9, 10, 11]),
    ] {
        let (_, model) = load(name);
        let wanted = Settings { support: Some(support.into()), ..settings(ModeChoice::Count(6)) };
        let rom = try_reduce(&model, &wanted).expect("a sound structure").rom;
        let general = rom.stiffening.as_ref().expect("own elements");
        let Foreshortening { translation, rotation, angular_velocity, loads } =
            general.foreshortening.as_ref().expect("a straight beam");
        let short = blocks(translation, rotation, angular_velocity, loads);
        let long = blocks(&general.translation, &general.rotation, &general.angular_velocity, &general.loads);
        assert_eq!(short.len(), long.len());
        let along = |a: &StiffeningLoad, b: &StiffeningLoad| a.interface == b.interface && a.direction == b.direction;
        assert!(general.loads.iter().zip(loads).all(|(a, b)| along(a, b)));
        let largest = long.iter().flatten().fold(0.0_f64, |most, entry| larger(most, entry.abs()));
        for (k, (short, long)) in short.iter().zip(&long).enumerate() {
            let (short, long) = (unpack(short, rom.size()), unpack(long, rom.size()));
            let part = |m: &DMatrix<f64>| m.select_rows(rows).select_columns(rows);
            let difference = math::largest(&(part(&short) - part(&long)));
            println!("{name} held at {support}, block {k}: {difference:.1e} of {:.1e}", part(&long).amax());
            // Loads across the rod leave rounding in the general form.
            let scale = part(&long).amax().max(0.1 * largest);
            assert!(difference <= 1e-6 * scale, "{name}, block {k}: {difference:e} of {scale:e}");
        }
    }
}

#[test]
fn centrifugal_stiffening_converges_to_the_closed_form_with_order_2() {
    crate::root::at_root();
    // ∫ ρA (L² − x²)/2 Φ₂′² dx.
    let exact = 81.0 / 280.0 * RHO_A * L;
    let errors: Vec<[f64; 2]> = [8, 16, 32]
        .map(|divisions| {
            let stiffening = divided(divisions, 2).stiffening.expect("own elements");
            let foreshortening = stiffening.foreshortening.expect("a straight beam");
            [&stiffening.angular_velocity, &foreshortening.angular_velocity]
                .map(|blocks| unpack(&blocks[2], 7)[(TIP_Y, TIP_Y)] / exact - 1.0)
        })
        .to_vec();
    println!("{errors:?}");
    for form in 0..2 {
        let order = (errors[1][form] / errors[2][form]).log2();
        assert!((1.95..2.05).contains(&order) && errors[2][form].abs() < 5e-4, "{order} {errors:?}");
    }
}

/// Moves from its first interface held: elastic q (N) under `load` (N), rigid motions suppressed.
fn answer(rom: &Rom, load: &DVector<f64>) -> DVector<f64> {
    let free: Vec<usize> = (0..rom.size()).filter(|q| !rom.interfaces[0].columns().contains(q)).collect();
    let stiffness = rom.stiffness().select_rows(&free).select_columns(&free);
    let part = stiffness.cholesky().expect("held").solve(&load.select_rows(&free));
    let mut q = DVector::zeros(rom.size());
    free.iter().enumerate().for_each(|(i, column)| q[*column] = part[i]);
    q
}

/// −∫ Φᵀ ω×(ω×x) dm of the inertia integrals, products in the order xx, yy, zz, xy, yz, xz.
fn centrifugal_load(rom: &Rom, products: &Vector6<f64>) -> DVector<f64> {
    let [xx, yy, zz, xy, yz, xz] = (*products).into();
    // ω×(ω×x) = (ω ωᵀ − ω² 1) x
    let field = [[-yy - zz, xy, xz], [xy, -xx - zz, yz], [xz, yz, -xx - yy]];
    let mut load = DVector::zeros(rom.size());
    for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
        load -= DVector::from_row_slice(&rom.inertia.position[3 * a + b]) * field[b][a];
    }
    load
}

/// N, Vy, Vz, T, My, Mz.
fn section_forces(
    section: &Section,
    q: &DVector<f64>,
    acceleration: &DVector<f64>,
    products: &Vector6<f64>,
) -> [f64; 6] {
    let product = |row: &[f64], x: &DVector<f64>| row.iter().zip(x.iter()).map(|(a, b)| a * b).sum::<f64>();
    std::array::from_fn(|i| {
        product(&section.displacement[i], q)
            + product(&section.acceleration[i], acceleration)
            + section.centrifugal[i].iter().zip(products.iter()).map(|(a, b)| a * b).sum::<f64>()
    })
}

#[test]
fn a_steadily_turning_beam_has_the_axial_force_and_extension_of_the_closed_forms() {
    crate::root::at_root();
    let omega = 6.0;
    let products = Vector6::new(0.0, 0.0, omega * omega, 0.0, 0.0, 0.0);
    let general = [1, 2, 3, 4, 5, 6, 7, 12, 18, 23];
    for (name, numbers) in
        [("spinup_beam", &[1, 2][..]), ("spinup_beam_two_axial", &[1, 2, 12]), ("spinup_beam_general", &general)]
    {
        let rom = spin_up(name, numbers).1.rom;
        let q = answer(&rom, &centrifugal_load(&rom, &products));
        let extension = RHO_A * omega * omega * L.powi(3) / (3.0 * EA);
        assert!((q[TIP_X] / extension - 1.0).abs() < 1e-4, "{name}: {} {extension}", q[TIP_X]);
        for section in &rom.sections {
            let force = section_forces(section, &q, &DVector::zeros(rom.size()), &products);
            let exact = RHO_A * omega * omega * (L * L - section.position[0].powi(2)) / 2.0;
            println!("{name} {}: N {:.4} ({exact})", section.name, force[0]);
            assert!((force[0] - exact).abs() < 1e-6 * 2160.0, "{name} {}: {} {exact}", section.name, force[0]);
            assert!(force[1..].iter().all(|other| other.abs() < 1e-6), "{name}: {force:?}");
        }
    }
}

#[test]
fn section_forces_of_displacement_acceleration_and_turning_are_in_equilibrium() {
    crate::root::at_root();
    // The root moves with the acceleration a and turns with ω and α; the beam follows without swinging.
    let (a, alpha, omega) = ([0.3, -0.7], 0.4, 2.0);
    let (_, model) = load("spinup_beam");
    for modes in [0, 2, 9] {
        let rom = reduce(&model, ModeChoice::Count(modes)).rom;
        let products = Vector6::new(0.0, 0.0, omega * omega, 0.0, 0.0, 0.0);
        let rigid = DVector::from_row_slice(&[a[0], a[1], 0.0, 0.0, 0.0, alpha]);
        let acceleration = rom.rigid_motions() * rigid;
        let q = answer(&rom, &(centrifugal_load(&rom, &products) - rom.mass() * &acceleration));
        for section in &rom.sections {
            let force = section_forces(section, &q, &acceleration, &products);
            let x = section.position[0];
            let rest = L - x;
            // What lies beyond the section: force and moment of its inertia, about the section.
            let along = RHO_A * (a[0] * rest - omega * omega * (L * L - x * x) / 2.0);
            let across = RHO_A * (a[1] * rest + alpha * (L * L - x * x) / 2.0);
            let turning = RHO_A * ((a[1] + alpha * x) * rest * rest / 2.0 + alpha * rest.powi(3) / 3.0);
            // The element's axes in the plane: z is y of C, y is −z of C.
            let exact = [-along, 0.0, -across, 0.0, turning, 0.0];
            for i in 0..6 {
                assert!((force[i] - exact[i]).abs() < 1e-6, "{modes} {}: {force:?} {exact:?}", section.name);
            }
        }
    }
}

#[test]
fn section_forces_of_a_beam_inclined_to_its_axis_of_rotation_are_exact() {
    crate::root::at_root();
    let beam = |divisions: usize| {
        reduce(
            &parse(&format!(
                r#"
                structure = {{ name = "beam" }}
                nodes = {{ A = [0, 0, 0], B = [2, 0, 0] }}
                material = [{{ name = "m", youngs_modulus = 70e9, density = 2700 }}]
                section = [{{ name = "s", shape = "rectangle", width = 0.03, height = 0.01 }}]
                beam = [{{ name = "b", nodes = ["A", "B"], material = "m", section = "s", divisions = {divisions} }}]
                interface = [{{ name = "A", node = "A" }}]
                output = [{{ name = "o", beam = "b", at = 0.5 }}]
                "#
            )),
            ModeChoice::Count(2),
        )
        .rom
    };
    // ω along (1, 1, 0): the field ω×(ω×x) = (−1, 1, 0) x along the beam.
    let products = Vector6::new(1.0, 1.0, 0.0, 1.0, 0.0, 0.0);
    let errors = [4, 8].map(|divisions| {
        let rom = beam(divisions);
        let q = answer(&rom, &centrifugal_load(&rom, &products));
        let force = section_forces(&rom.sections[0], &q, &DVector::zeros(rom.size()), &products);
        let (rho, x, l) = (2700.0 * 3e-4, 1.0_f64, 2.0_f64);
        let shear = -rho * (l * l - x * x) / 2.0;
        // Sections have rotary inertia about the axis of the beam: a gyroscopic moment along the length.
        let polar = 2700.0 * (0.03 * 0.01_f64.powi(3) + 0.01 * 0.03_f64.powi(3)) / 12.0;
        let moment = -rho * ((l.powi(3) - x.powi(3)) / 3.0 - x * (l * l - x * x) / 2.0) + polar * (l - x);
        println!("{force:?} {shear} {moment}");
        assert!((force[0] + shear).abs() < 1e-6 && (force[1] / shear - 1.0).abs() < 1e-9);
        (force[5] / moment - 1.0).abs()
    });
    assert!(errors.iter().all(|error| *error < 1e-9), "{errors:?}");
}

#[test]
fn tables_of_straight_beams_are_empty_for_other_structures() {
    crate::root::at_root();
    for name in ["frame", "truss", "space_frame", "crane"] {
        let (_, model) = load(name);
        let stiffening = reduce(&model, ModeChoice::Count(3)).rom.stiffening.expect("own elements");
        assert!(stiffening.axial.is_empty() && stiffening.foreshortening.is_none(), "{name}");
    }
}

#[test]
fn points_of_a_section_have_the_stress_of_beam_theory() {
    crate::root::at_root();
    let rom = reduce(&load("arm_link").1, ModeChoice::Count(2)).rom;
    let points = &rom.sections[0].points;
    let area = PI * (0.02_f64.powi(2) - 0.018_f64.powi(2));
    let inertia = PI / 4.0 * (0.02_f64.powi(4) - 0.018_f64.powi(4));
    let close =
        |found: [f64; 6], exact: [f64; 6]| (0..6).all(|i| (found[i] - exact[i]).abs() <= 1e-12 * exact[i].abs());
    assert_eq!(points.iter().map(|point| point.name.as_str()).collect::<Vec<_>>(), ["top", "side"]);
    assert!(close(points[0].normal, [1.0 / area, 0.0, 0.0, 0.0, 0.02 / inertia, 0.0]), "{points:?}");
    assert!(close(points[1].normal, [1.0 / area, 0.0, 0.0, 0.0, 0.0, -0.02 / inertia]), "{points:?}");
    // A force down at the tip pulls at the top of the root: σ = F L z / I.
    let mut load = DVector::zeros(rom.size());
    load[rom.interfaces[1].column(2).expect("z")] = -100.0;
    let q = answer(&rom, &load);
    let force = section_forces(&rom.sections[0], &q, &DVector::zeros(rom.size()), &Vector6::zeros());
    let stress: f64 = points[0].normal.iter().zip(force).map(|(a, b)| a * b).sum();
    let exact = 100.0 * 1.0 * 0.02 / inertia;
    assert!((stress / exact - 1.0).abs() < 1e-9, "{stress} {exact}");
}
