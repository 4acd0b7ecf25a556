//! The beam as a chain of rigid bodies: closed forms, convergence, and the paper's comparison (Ghidella et al., section
//! IV).

use ballesta::compile;
use ballesta::model;
use ballesta::rom::Rom;
use ballesta::rom::rom_schema::Source;
use ballesta::simulate::Simulator;
use ballesta_fem::export::state_space::{Options, StateSpace, StateSpaceError};
use ballesta_fem::lumped::{Beam, Chain, ModelOptions, Planes, Setup};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::reduction::{Damping, ModeChoice, Reducer, ResidualLoads, Settings};
use ballesta_fem::structure;
use nalgebra::Complex;
use std::f64::consts::PI;
use std::path::Path;
use std::sync::Arc;

mod joints;
mod structures;

/// Tip load of the paper: the weight of 20 kg.
const LOAD: f64 = 196.2;

fn near(found: f64, wanted: f64, digits_of: f64) {
    assert!((found - wanted).abs() <= digits_of, "{found} for {wanted}");
}

fn chain(n: usize, rotary_inertia: bool) -> Chain {
    Chain::new(&Beam::of_the_paper(), n, &Setup { rotary_inertia, ..Setup::default() })
}

#[test]
fn ten_elements_have_the_reference_deflections_and_frequencies() {
    crate::root::at_root();
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
    crate::root::at_root();
    let exact = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::of_the_paper().bending_stiffness());
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
    crate::root::at_root();
    near(1e3 * chain(10, false).corrected_deflection(LOAD, 0.0), 3.812, 1e-3);
    near(1e3 * chain(40, false).corrected_deflection(LOAD, 0.0), 3.620, 1e-3);
    let exact = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::of_the_paper().bending_stiffness());
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
    crate::root::at_root();
    let (base, gravity) = (4e3, 9.81);
    let setup = Setup { base_stiffness: Some(base), ..Setup::default() };
    let (length, bending) = (0.5_f64, Beam::of_the_paper().bending_stiffness());
    let weight = Beam::of_the_paper().mass() * gravity;
    let exact = LOAD * length.powi(3) / (3.0 * bending)
        + weight * length.powi(3) / (8.0 * bending)
        + (LOAD + 0.5 * weight) * length * length / base;
    let found = Chain::new(&Beam::of_the_paper(), 160, &setup).static_deflection(LOAD, gravity);
    near(found / exact, 1.0, 1e-5);
    // A stiff beam on a soft spring turns as a rigid body.
    let soft = Setup { base_stiffness: Some(1.0), tip_mass: 20.0, ..Setup::default() };
    let inertia = 20.0 * 0.25 + 1.35 * 0.25 / 3.0;
    let frequency = Chain::new(&Beam::of_the_paper(), 20, &soft).frequencies_hz().expect("definite")[0];
    near(frequency * 2.0 * PI * f64::sqrt(inertia), 1.0, 1e-3);
}

/// The cantilever of the gallery with `divisions` elements.
fn cantilever(divisions: usize) -> FiniteElementModel {
    let text = std::fs::read_to_string("models/structures/cantilever/structure.toml").expect("the gallery");
    build(&text.replace("divisions = 50", &format!("divisions = {divisions}")))
}

fn build(text: &str) -> FiniteElementModel {
    let structure = structure::parse(text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
    structure::build(&structure).unwrap_or_else(|e| panic!("{e}"))
}

/// Relative errors over the number of elements, against the continuous thin beam: deflection and f1 of the chain,
/// deflection and f1 of the corrected chain, f1 of beam elements.
fn errors(n: usize) -> [f64; 5] {
    let deflection = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::of_the_paper().bending_stiffness());
    let first = 65.33003806791324;
    let chain = chain(n, false);
    let of_elements = natural_modes(&cantilever(n), true, 1).expect("held").frequencies_hz[0];
    [
        chain.static_deflection(LOAD, 0.0) / deflection - 1.0,
        chain.frequencies_hz().expect("definite")[0] / first - 1.0,
        chain.corrected_deflection(LOAD, 0.0) / deflection - 1.0,
        chain.corrected_frequencies_hz()[0].re / first - 1.0,
        of_elements / first - 1.0,
    ]
}

#[test]
fn the_chain_converges_at_second_order_the_corrected_one_at_first_and_elements_at_fourth() {
    crate::root::at_root();
    let (coarse, fine) = (errors(20), errors(40));
    for (i, order) in [2.0, 2.0, 1.0, 1.0, 4.0].into_iter().enumerate() {
        let measured = (coarse[i] / fine[i]).log2();
        println!("column {i}: {:.3e} with 20, {:.3e} with 40 elements, order {measured:.3}", coarse[i], fine[i]);
        near(measured, order, 0.06);
    }
    // The static deflection of beam elements is exact at their nodes.
    let rom = reduce(&cantilever(3), &settings(0));
    let held = rom.interfaces[1].columns();
    let tip = rom.stiffness().view((held.start, held.start), (3, 3)).into_owned().try_inverse().expect("held")[(1, 1)];
    near(1e3 * LOAD * tip, 3.5543478260869556, 1e-9);
}

/// Settings of a reduction with this number of modes.
fn settings(modes: usize) -> Settings {
    let residual = ResidualLoads { gravity: true, ..ResidualLoads::default() };
    Settings { modes: ModeChoice::Count(modes), residual, damping: Damping::Ratio(0.01), support: None }
}

fn reduce(model: &FiniteElementModel, settings: &Settings) -> Rom {
    let source = Source {
        program: "tests".into(),
        file: "structure.toml".into(),
        sha256: "0".repeat(64),
        dimension: 2,
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    };
    let reducer = Reducer::new(model).unwrap_or_else(|e| panic!("{e:?}"));
    reducer.reduce(settings, source).unwrap_or_else(|e| panic!("{e:?}")).rom
}

/// Torsional spring at the support: 10 000 N·m per degree, in N·m/rad.
const BASE: f64 = 10_000.0 * 180.0 / PI;

/// The cantilever on its spring with 20 kg at the tip, reduced. The spring's node is the first interface, the tip the
/// second.
fn mounted(youngs_modulus: f64) -> Rom {
    reduce(&build(&mounted_text(youngs_modulus)), &settings(6))
}

fn mounted_text(youngs_modulus: f64) -> String {
    let text = std::fs::read_to_string("models/structures/cantilever/structure.toml").expect("the gallery");
    text.replace("youngs_modulus = 69e9", &format!("youngs_modulus = {youngs_modulus:?}"))
        .replace("divisions = 50", "divisions = 50\nrotary_inertia = true")
        .replace("[nodes]\n", "[nodes]\nwall = [0, 0]\n")
        .replace("name = \"root\"\nnode = \"root\"", "name = \"wall\"\nnode = \"wall\"")
        // Translations are all but rigid: 1e12 N/m add 2e-10 m.
        + &format!("\n[[spring]]\nnodes = [\"wall\", \"root\"]\nstiffness = [1e12, 1e12, 0, 0, 0, {BASE:?}]\n")
        + "\n[[mass]]\nnode = \"tip\"\nmass = 20\n"
}

/// First frequency in Hz; deflections in m under the load at the tip, and under the weight of beam and tip mass.
fn of_state_space(rom: &Rom) -> [f64; 3] {
    let options = Options { fixed: vec!["wall".into()], ..Options::default() };
    let system = StateSpace::new(rom, &options).expect("a system");
    let (input, output) = ("tip.Fy", "tip.position.y");
    let at = |names: &[String], name: &str| names.iter().position(|other| other == name).expect(name);
    // The answer to a constant force: −C A⁻¹ B.
    let rest = system.a.clone().lu().solve(&system.b).expect("held, so regular");
    let gain = -(&system.c * rest)[(at(&system.outputs, output), at(&system.inputs, input))];
    // Weight acts everywhere: K q = M R_y g with the wall held.
    let free: Vec<usize> = (rom.interfaces[0].width()..rom.size()).collect();
    let weight = (rom.mass() * rom.rigid_motions().column(1) * 9.81).select_rows(&free);
    let sag = rom.stiffness().select_rows(&free).select_columns(&free).lu().solve(&weight).expect("held");
    let tip = rom.interfaces[1].column(1).expect("y") - free[0];
    [system.frequencies_hz[0], LOAD * gain, sag[tip]]
}

/// The cantilever, free, with its root as the first interface and its tip as the second.
fn free(youngs_modulus: f64, rotary_inertia: bool) -> Rom {
    let text = std::fs::read_to_string("models/structures/cantilever/structure.toml").expect("the gallery");
    let text = text.replace("youngs_modulus = 69e9", &format!("youngs_modulus = {youngs_modulus:?}"));
    let text = match rotary_inertia {
        true => text.replace("divisions = 50", "divisions = 50\nrotary_inertia = true"),
        false => text,
    };
    reduce(&build(&text), &settings(6))
}

/// The free cantilever, mounted by options of the state space.
fn mounting(modes: Option<usize>) -> Options {
    Options {
        base_springs: vec![("root".into(), BASE)],
        tip_masses: vec![("tip".into(), 20.0)],
        modes,
        ..Options::default()
    }
}

/// Frequencies in Hz, and the tip's deflection in m under the load at the tip.
fn answers(rom: &Rom, options: &Options) -> (Vec<f64>, f64) {
    let system = StateSpace::new(rom, options).expect("a system");
    let rest = system.a.clone().lu().solve(&system.b).expect("held, so regular");
    let at = |names: &[String], name: &str| names.iter().position(|other| other == name).expect(name);
    let gain = -(&system.c * rest)[(at(&system.outputs, "tip.position.y"), at(&system.inputs, "tip.Fy"))];
    (system.frequencies_hz, LOAD * gain)
}

#[test]
fn spring_and_point_mass_as_options_are_those_of_a_structure_that_has_them() {
    crate::root::at_root();
    let [frequency, deflection, _] = of_state_space(&mounted(6.9e10));
    let (frequencies, found) = answers(&free(6.9e10, true), &mounting(None));
    println!("{:.9} Hz and {frequency:.9} Hz, {found:.9e} m and {deflection:.9e} m", frequencies[0]);
    near(frequencies[0] / frequency, 1.0, 1e-6);
    near(found / deflection, 1.0, 1e-6);
    // No rigid motion is left, and a soft spring turns the beam as a whole.
    assert!(frequencies[0] > 1.0);
    let soft = Options { base_springs: vec![("root".into(), 1.0)], ..mounting(None) };
    let inertia = 20.0 * 0.25 + 1.35 * 0.25 / 3.0 + 2700.0 * 0.05 * 0.02_f64.powi(3) / 12.0 * 0.5;
    near(answers(&free(6.9e10, true), &soft).0[0] * 2.0 * PI * f64::sqrt(inertia), 1.0, 1e-4);
}

/// A factor on the stiffness is another Young's modulus, and a moment of inertia at an interface that of a mass there.
#[test]
fn stiffness_factor_and_tip_inertia_as_options_are_those_of_a_structure_that_has_them() {
    crate::root::at_root();
    let options = Options { tip_inertias: vec![("tip".into(), 1.0)], stiffness_factor: Some(1.3), ..mounting(None) };
    let (frequencies, deflection) = answers(&free(6.9e10, true), &options);
    let block = |rom: &str| rom.replace("mass = 20\n", "mass = 20\ninertia = [1, 1, 1, 0, 0, 0]\n");
    let [first, sag, _] = of_state_space(&reduce(&build(&block(&mounted_text(1.3 * 6.9e10))), &settings(6)));
    near(frequencies[0] / first, 1.0, 1e-6);
    near(deflection / sag, 1.0, 1e-6);
    // A factor of the stiffness alone, without springs: frequencies grow by its root.
    let held = |stiffness_factor| Options { fixed: vec!["root".into()], stiffness_factor, ..Options::default() };
    let [plain, stiff] = [None, Some(4.0)].map(|factor| answers(&free(6.9e10, true), &held(factor)));
    plain.0.iter().zip(&stiff.0).for_each(|(plain, stiff)| near(stiff / plain, 2.0, 1e-9));
    near(stiff.1 / plain.1, 0.25, 1e-9);
    let held_and_heavy = Options { tip_inertias: vec![("root".into(), 1.0)], ..held(None) };
    let refused = StateSpace::new(&free(6.9e10, true), &held_and_heavy);
    assert_eq!(refused, Err(StateSpaceError::Held("root".into())));
    // Without anything that holds it, a body has no position of rest.
    let floating = StateSpace::new(&free(6.9e10, true), &Options::default()).expect("a system");
    assert_eq!(floating.static_response(&[(0, 1.0)]), None);
}

#[test]
fn one_mode_is_the_lowest_and_modal_damping_is_diagonal() {
    crate::root::at_root();
    let rom = free(6.9e10, true);
    let all = StateSpace::new(&rom, &mounting(None)).expect("a system");
    let ratios: Vec<f64> = (1..=3).map(|i| 0.01 * f64::from(i)).collect();
    let options = Options { modal_damping: ratios.clone(), ..mounting(Some(3)) };
    let three = StateSpace::new(&rom, &options).expect("a system");
    assert_eq!(three.frequencies_hz, all.frequencies_hz[..3]);
    assert!(all.damping_coupling > 1e-3 && three.damping_coupling == 0.0);
    for (i, (found, wanted)) in three.damping_ratios.iter().zip(&ratios).enumerate() {
        near(*found, *wanted, 1e-12);
        near(three.a[(3 + i, 3 + i)], -4.0 * PI * wanted * three.frequencies_hz[i], 1e-9);
    }
    let one = StateSpace::new(&rom, &mounting(Some(1))).expect("a system");
    assert_eq!((one.a.nrows(), one.frequencies_hz.len()), (2, 1));
    let wrong = StateSpace::new(&rom, &Options { modal_damping: vec![0.1; 2], ..mounting(Some(3)) });
    assert_eq!(wrong, Err(StateSpaceError::DampingRatios(2, 3)));
}

/// The reduced cantilever of the gallery, which the commands of the page convert.
fn converted() -> Rom {
    ballesta::rom::load(Path::new("models/beam_on_spring/beam.rom.toml")).unwrap_or_else(|e| panic!("{e}"))
}

/// Factor on the stiffness that gives the clamped beam the 69.8 Hz of the paper's finite elements, with the digits that
/// the commands of the page have.
fn mesh_factor() -> f64 {
    let held = Options { fixed: vec!["root".into()], ..Options::default() };
    let first = StateSpace::new(&converted(), &held).expect("a system").frequencies_hz[0];
    format!("{:.6}", (69.8 / first).powi(2)).parse().expect("a number")
}

/// Rows of the table of results of docs/papers/ghidella.md: each figure of ours is printed by the command of its row.
fn published() -> String {
    let thin = LOAD * 0.5_f64.powi(3) / (3.0 * Beam::of_the_paper().bending_stiffness());
    let clamped = chain(10, true);
    let setup = Setup { rotary_inertia: true, base_stiffness: Some(BASE), tip_mass: 20.0, tip_inertia: 0.0 };
    let mounted = Chain::new(&Beam::of_the_paper(), 10, &setup);
    let hertz = |chain: &Chain| chain.frequencies_hz().expect("definite")[0];
    // The block of the paper's program for a mass has 1 kg m² about each axis where nothing else is typed.
    let block = |base_stiffness| {
        hertz(&Chain::new(&Beam::of_the_paper(), 10, &Setup { base_stiffness, tip_inertia: 1.0, ..setup }))
    };
    let supported = natural_modes(&cantilever(50), true, 2).expect("held").frequencies_hz;
    let factor = mesh_factor();
    let rom = converted();
    let of_mesh = |options: Options| answers(&rom, &Options { stiffness_factor: Some(factor), ..options });
    let held = || Options { fixed: vec!["root".into()], ..Options::default() };
    let (one, sag) = answers(&rom, &mounting(Some(1)));
    let (stiff, stiff_sag) = of_mesh(mounting(Some(1)));
    let block_at_tip = || Options { tip_inertias: vec![("tip".into(), 1.0)], ..mounting(Some(1)) };
    let (with_block, stiff_with_block) = (answers(&rom, &block_at_tip()).0[0], of_mesh(block_at_tip()).0[0]);
    let lump =
        |options: &str| format!("`ballesta lump models/structures/cantilever --elements 10 {options} --compare`");
    let on_spring = "--base-spring 572957.8 --tip-mass 20";
    let convert = |options: &str| {
        format!("`ballesta convert models/beam_on_spring/beam.rom.toml --state-space beam.toml {options}`")
    };
    let one_mode = "--base-spring root=572957.8 --tip-mass tip=20 --modes 1";
    let mesh = format!("--stiffness-factor {factor}");
    let mm = |metres: f64| format!("{:.3} mm", 1e3 * metres);
    let hz = |hertz: f64| format!("{hertz:.3} Hz");
    let rows = [
        [
            "mass of the beam",
            "1.35 kg",
            &format!("{:.2} kg", Beam::of_the_paper().mass()),
            "`ballesta reduce models/structures/cantilever_clamped -o beam.rom.toml`",
            "same",
        ],
        [
            "deflection, analytic",
            "3.56 mm",
            &mm(thin),
            &lump("--force 196.2"),
            "differs by 0.2 %, one unit of the last digit printed",
        ],
        [
            "deflection, 10 elements",
            "3.54 mm",
            &mm(clamped.static_deflection(LOAD, 0.0)),
            &lump("--force 196.2"),
            "same to 0.2 %",
        ],
        [
            "frequency, 10 elements",
            "63.7 Hz",
            &format!("{:.2} Hz", hertz(&clamped)),
            &lump("--force 196.2"),
            "differs because the paper's value is below the exact thin beam, 65.33 Hz, the limit of our chains",
        ],
        [
            "frequencies, finite elements",
            "69.8, 434 Hz",
            &format!("{:.2}, {:.1} Hz", supported[0], supported[1]),
            "`ballesta modes models/structures/cantilever --supported`",
            "differs, presumably because the paper's solid mesh is coarse: 7 and 6 % above the beam",
        ],
        [
            "with the stiffness of the paper's mesh",
            "69.8, 434 Hz",
            &{
                let frequencies = of_mesh(held()).0;
                format!("{:.2}, {:.1} Hz", frequencies[0], frequencies[1])
            },
            &convert(&format!("--fixed root {mesh}")),
            "same: the factor was chosen for the first, and gives the second to 1 %",
        ],
        [
            "on the spring, 10 elements: frequency, 20 kg as a point",
            "6.82 Hz, 6.79 Hz",
            &hz(hertz(&mounted)),
            &lump(on_spring),
            "differs because the mass of the paper has a moment of inertia: next two rows",
        ],
        [
            "with 1 kg m² about the tip",
            "6.79 Hz (section IV)",
            &hz(block(Some(BASE))),
            &lump(&format!("{on_spring} --tip-inertia 1")),
            "same to 0.8 %, with the default inertia of a mass block",
        ],
        [
            "with 1 kg m² about the tip, clamped",
            "6.82 Hz (section II)",
            &hz(block(None)),
            &lump("--tip-mass 20 --tip-inertia 1"),
            "same to 0.3 %",
        ],
        [
            "on the spring, 10 elements: deflection",
            "3.63 mm (section IV)",
            &mm(mounted.static_deflection(LOAD, 0.0)),
            &lump(&format!("--force 196.2 {on_spring}")),
            "same, with the spring per degree and without the beam's weight; the clamped chain has the 3.55 mm of \
             section II",
        ],
        [
            "with the beam's weight",
            "3.63 mm (section IV)",
            &mm(mounted.static_deflection(LOAD, 9.81)),
            &lump(&format!("--gravity=-9.81 {on_spring}")),
            "differs by 2.6 %: the paper's figure excludes the weight, contrary to its text",
        ],
        [
            "on the spring, one mode: frequency",
            "8.76 Hz",
            &hz(one[0]),
            &convert(one_mode),
            "differs by the stiffness of the paper's mesh: next row",
        ],
        [
            "with the stiffness of the paper's mesh",
            "8.76 Hz",
            &hz(stiff[0]),
            &convert(&format!("{one_mode} {mesh}")),
            "same to 0.2 %",
        ],
        [
            "on the spring, one mode: deflection",
            "3.20 mm",
            &mm(sag),
            &convert(&format!("{one_mode} --load tip.Fy=196.2")),
            "differs by the stiffness of the paper's mesh: next row",
        ],
        [
            "with the stiffness of the paper's mesh",
            "3.20 mm",
            &mm(stiff_sag),
            &convert(&format!("{one_mode} {mesh} --load tip.Fy=196.2")),
            "same",
        ],
        [
            "on the spring, one mode: frequency with 1 kg m² about the tip",
            "8.76 Hz",
            &hz(with_block),
            &convert(&format!("{one_mode} --tip-inertia tip=1")),
            "differs: this would be the value with the inertia of the paper's chain",
        ],
        [
            "with the stiffness of the paper's mesh",
            "8.76 Hz",
            &hz(stiff_with_block),
            &convert(&format!("{one_mode} --tip-inertia tip=1 {mesh}")),
            "differs, so the paper's finite elements carry 20 kg as a point, its chain as a block",
        ],
    ];
    rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect()
}

/// Rows of the tables of docs/lumped-beams.md.
fn tables() -> [String; 2] {
    let convergence = [5, 10, 20].map(|n| {
        let errors = errors(n).map(|error| format!("{:+.2} %", 100.0 * error));
        let of_elements = format!("{:+.1e} %", 100.0 * self::errors(n)[4]);
        format!("| {n} | {} | {of_elements} |\n", errors[..4].join(" | "))
    });
    let row = |name: &str, [frequency, load, all]: [f64; 3], paper: &str| {
        format!("| {name} | {frequency:.3} | {:.3} | {:.3} | {paper} |\n", 1e3 * load, 1e3 * all)
    };
    let of_chain = |n: usize| {
        let setup = Setup { rotary_inertia: true, base_stiffness: Some(BASE), tip_mass: 20.0, tip_inertia: 0.0 };
        let chain = Chain::new(&Beam::of_the_paper(), n, &setup);
        let frequency = chain.frequencies_hz().expect("definite")[0];
        [frequency, chain.static_deflection(LOAD, 0.0), chain.static_deflection(LOAD, 9.81)]
    };
    let stiffer = 6.9e10 * (69.8_f64 / 65.33003806791324).powi(2);
    let comparison = [
        row("chain of 10 elements", of_chain(10), "6.79 Hz, 3.63 mm"),
        row("chain of 40 elements", of_chain(40), "–"),
        row("reduced model, state space", of_state_space(&mounted(6.9e10)), "8.76 Hz, 3.20 mm (one mode)"),
        row(
            "reduced model with E for 69.8 Hz of the clamped beam",
            of_state_space(&mounted(stiffer)),
            "8.76 Hz, 3.20 mm (one mode)",
        ),
    ];
    [convergence.concat(), comparison.concat()]
}

#[test]
fn the_tables_of_the_documentation_are_current() {
    crate::root::at_root();
    let [convergence, comparison] = tables();
    let rows = [
        ("convergence", convergence),
        ("other joints", joints::table()),
        ("structures", structures::table()),
        ("comparison", comparison),
    ];
    current("docs/lumped-beams.md", &rows);
    current("docs/papers/ghidella.md", &[("results", published())]);
}

/// Compares tables of a page, or writes them with `BALLESTA_REWRITE=1`.
fn current(page: &str, tables: &[(&str, String)]) {
    let path = &std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(page);
    let mut text = std::fs::read_to_string(path).expect("readable");
    for (name, rows) in tables {
        println!("{rows}");
        let mark = format!("<!-- generated: {name} -->");
        let begin = text.find(&mark).unwrap_or_else(|| panic!("no table {name}"));
        // The header has two lines.
        let start = begin + text[begin..].match_indices('\n').nth(2).expect("a table").0 + 1;
        let end = start + text[start..].find("<!-- end -->").expect("the end of the table");
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            text.replace_range(start..end, rows);
        }
        assert_eq!(&text[start..(start + rows.len()).min(text.len())], rows, "{page} is out of date");
    }
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(path, text).expect("writable");
    }
}

/// The chain of ten elements as a model, being simulated.
struct Simulated {
    simulator: Simulator,
    tip: usize,
    outputs: Vec<f64>,
}

impl Simulated {
    /// With the force `start` at the tip, N along y, from the beginning on.
    fn new(start: f64) -> Simulated {
        let options = ModelOptions {
            name: "beam".into(),
            elements: 10,
            planes: Planes::One,
            damping_ratio: 0.0,
            tip_force: start,
            gravity: 0.0,
            base_stiffness: None,
            tip_mass: 0.0,
            tip_inertia: 0.0,
        };
        let text = Beam::of_the_paper().lumped_model(&options).expect("definite");
        let document = model::parse(&text, "model.toml").unwrap_or_else(|e| panic!("{e}"));
        let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|e| panic!("{e}")));
        let names: Vec<&str> = system.interface().outputs.iter().map(|output| output.name.as_str()).collect();
        let tip = names.iter().position(|name| *name == "tip.y").expect("the tip");
        let outputs = vec![0.0; names.len()];
        let mut simulator = Simulator::new(system);
        simulator.initialize(0.0).expect("assembled");
        Simulated { simulator, tip, outputs }
    }

    /// Deflection along y in m at a later time; until then the force goes to `force` linearly.
    fn advance(&mut self, time: f64, force: f64) -> f64 {
        let slope = (force - self.simulator.input(0)) / (time - self.simulator.time());
        self.simulator.set_input_derivative(0, slope);
        self.simulator.advance(time).expect("no fault");
        self.simulator.set_input(0, force);
        self.simulator.outputs(&mut self.outputs).expect("no fault");
        self.outputs[self.tip]
    }
}

/// A bell over 0 ≤ x ≤ 1, flat to seventh order at its ends.
fn bell(x: f64) -> f64 {
    (PI * x).sin().powi(8)
}

/// The load comes so smoothly, over 13 periods of the first mode, that nothing is left swinging.
#[test]
fn the_simulated_chain_settles_at_the_reference_deflection_with_finite_angles() {
    crate::root::at_root();
    let (steps, interval) = (1000, 2e-4);
    let total: f64 = (0..steps).map(|i| bell((f64::from(i) + 0.5) / f64::from(steps))).sum();
    let mut beam = Simulated::new(0.0);
    let (mut part, mut seen) = (0.0, Vec::new());
    for i in 0..steps {
        part += bell((f64::from(i) + 0.5) / f64::from(steps)) / total;
        beam.advance(f64::from(i + 1) * interval, -LOAD * part);
    }
    for i in steps..steps + 80 {
        seen.push(-1e3 * beam.advance(f64::from(i + 1) * interval, -LOAD));
    }
    let (least, most) = seen.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
    println!("deflection between {least:.9} and {most:.9} mm over a period, reference 3.545277226 mm");
    near(least, 3.5452772261697404, 1e-6);
    near(most, 3.5452772261697404, 1e-6);
}

/// Phases of the first mode in two windows 0.4 s apart, which the other modes do not reach.
#[test]
fn the_simulated_chain_swings_with_the_reference_frequency() {
    crate::root::at_root();
    let (count, interval, apart) = (2000, 1e-4, 4000);
    let mut beam = Simulated::new(-0.1);
    let wanted = 65.45977586131112;
    let seen: Vec<f64> = (0..count + apart).map(|i| beam.advance(f64::from(i + 1) * interval, -0.1)).collect();
    let phase = |from: i32| {
        let mut sum = Complex::new(0.0, 0.0);
        for i in 0..count {
            let angle = 2.0 * PI * wanted * f64::from(from + i + 1) * interval;
            sum += Complex::from_polar(bell(f64::from(i) / f64::from(count)), -angle) * seen[(from + i) as usize];
        }
        sum.arg()
    };
    let drift = phase(apart) - phase(0);
    let found = wanted + drift / (2.0 * PI * f64::from(apart) * interval);
    println!("free oscillation at {found:.6} Hz, reference {wanted:.6} Hz, {:+.1e}", found / wanted - 1.0);
    near(found, wanted, 1e-6 * wanted);
}
