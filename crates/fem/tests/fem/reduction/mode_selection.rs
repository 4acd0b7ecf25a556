//! Choice of modes, residual vectors, damping, refusals.

use super::support::{load, parse, reduce, settings, try_reduce};
use ballesta::math::largest;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::reduction::{Damping, ModeChoice, ResidualLoads};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use std::f64::consts::TAU;

fn reference() -> serde_json::Value {
    let text = std::fs::read_to_string("tests/reference/structures.json").expect("the reference is there");
    serde_json::from_str(&text).expect("valid JSON")
}

fn frequencies(reference: &serde_json::Value, key: &str) -> Vec<f64> {
    reference["truss"][key].as_array().expect(key).iter().map(|f| f.as_f64().unwrap()).collect()
}

#[test]
fn sparse_frequencies_of_the_truss_are_those_of_the_reference() {
    crate::root::at_root();
    let (structure, consistent) = load("truss");
    let lumped = parse(
        &structure.text.replace("material = \"steel\"\nsection", "mass = \"lumped\"\nmaterial = \"steel\"\nsection"),
    );
    let reference = reference();
    for (model, name) in [(&consistent, "consistent"), (&lumped, "lumped")] {
        for (supported, state) in [(false, "free_free"), (true, "supported")] {
            let expected = frequencies(&reference, &format!("{state}_{name}_Hz"));
            let found = natural_modes(model, supported, expected.len()).expect("a sound structure").frequencies_hz;
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found / expected - 1.0).abs() < 1e-9, "{state} {name}: {found} {expected}");
            }
        }
    }
}

#[test]
fn a_limit_of_frequency_keeps_exactly_the_modes_below_it() {
    crate::root::at_root();
    let (_, model) = load("space_frame");
    let many = reduce(&model, ModeChoice::Count(30)).rom.modes.frequencies_hz;
    let limit = 0.5 * (many[11] + many[12]);
    let kept = reduce(&model, ModeChoice::Frequency(limit)).rom;
    assert_eq!(kept.modes.frequencies_hz.len(), 12);
    assert_eq!((kept.checks.modes_counted, kept.checks.modes_found), (12, 12));
    assert_eq!(reduce(&model, ModeChoice::Frequency(1e-3)).rom.modes.frequencies_hz.len(), 0);
}

#[test]
fn a_part_of_the_effective_mass_keeps_as_few_modes_as_carry_it() {
    crate::root::at_root();
    let (_, model) = load("frame");
    let reduction = reduce(&model, ModeChoice::EffectiveMass(0.9));
    let carried = |count: usize, direction: usize| {
        let masses = reduction.rom.modes.effective_mass.iter().take(count);
        masses.map(|mass| mass[direction]).sum::<f64>() / reduction.interior_mass[direction]
    };
    let count = reduction.rom.modes.effective_mass.len();
    assert!([0, 1, 5].iter().all(|direction| carried(count, *direction) >= 0.9));
    assert!([0, 1, 5].iter().any(|direction| carried(count - 1, *direction) < 0.9));
    // All modes together carry everything; the interior mass is accurate to 1e-6 of the mass and never too large.
    let interior = model.size() - reduction.rom.boundary();
    let all = reduce(&model, ModeChoice::Count(interior));
    for direction in [0, 1, 5] {
        let sum: f64 = all.rom.modes.effective_mass.iter().map(|mass| mass[direction]).sum();
        assert!((-1e-12..1e-6).contains(&(sum / all.interior_mass[direction] - 1.0)), "{direction}: {sum}");
    }
}

#[test]
fn the_interior_mass_of_a_solid_is_accurate_to_a_millionth_of_the_mass() {
    crate::root::at_root();
    let (_, model) = load("solid");
    let reduction = reduce(&model, ModeChoice::Count(1));
    let boundary: Vec<usize> = model.interfaces.iter().flat_map(|interface| interface.dofs).flatten().collect();
    let interior: Vec<usize> = (0..model.size()).filter(|dof| !boundary.contains(dof)).collect();
    let motions = model.rigid_motions(reduction.rom.rigid.centre.into());
    let image = model.mass.multiply(motions.as_ref());
    let load = Mat::from_fn(interior.len(), 6, |i, k| image[(interior[i], k)]);
    let factor = model.mass.block(&interior, &interior).llt(Side::Lower).expect("a positive definite mass");
    let answer = load.transpose() * factor.solve(&load);
    let whole = motions.transpose() * &image;
    for k in 0..6 {
        let error = (answer[(k, k)] - reduction.interior_mass[k]) / whole[(k, k)];
        assert!((-1e-12..1e-6).contains(&error), "{k}: {error:e}");
    }
}

#[test]
fn a_double_frequency_is_kept_whole() {
    crate::root::at_root();
    // A square bar: bending modes come in pairs.
    let text = r#"
        [structure]
        name = "bar"
        [nodes]
        A = [0, 0, 0]
        B = [1, 0, 0]
        [[material]]
        name = "steel"
        youngs_modulus = 2.1e11
        density = 7800
        [[section]]
        name = "square"
        shape = "rectangle"
        width = 0.01
        height = 0.01
        [[beam]]
        name = "bar"
        nodes = ["A", "B"]
        material = "steel"
        section = "square"
        divisions = 20
        [[interface]]
        name = "A"
        node = "A"
    "#;
    let reduction = reduce(&parse(text), ModeChoice::Count(3));
    assert_eq!((reduction.rom.modes.frequencies_hz.len(), reduction.completed), (4, 1));
    // Turned so that the first of a pair takes all of x, the next of y: bending in y, then in z.
    let mass = &reduction.rom.modes.effective_mass;
    for pair in 0..2 {
        assert!(mass[2 * pair][2] < 1e-12 * mass[2 * pair][1], "{mass:?}");
        assert!(mass[2 * pair + 1][1] < 1e-12 * mass[2 * pair + 1][2], "{mass:?}");
    }
}

#[test]
fn residual_vectors_make_their_loads_statically_exact() {
    crate::root::at_root();
    let (_, model) = load("space_frame");
    let mut wanted = settings(ModeChoice::Count(4));
    let tip = |reduction: &ballesta_fem::reduction::Reduction| {
        // Interfaces held, gravity along −z: displacement of the bracket.
        let rom = &reduction.rom;
        let b = rom.boundary();
        let modes = rom.size() - b;
        let load = rom.mass().view((b, 0), (modes, b)) * rom.rigid_motions().view((0, 2), (b, 1));
        let answer: Vec<f64> = (0..modes).map(|i| load[i] / (TAU * rom.modes.frequencies_hz[i]).powi(2)).collect();
        let row = &rom.nodes[0].displacement[2];
        (0..modes).map(|i| row[b + i] * answer[i]).sum::<f64>()
    };
    let exact = tip(&reduce(&model, ModeChoice::Count(model.size() - 18)));
    let without = tip(&try_reduce(&model, &wanted).unwrap());
    wanted.residual = ResidualLoads { gravity: true, rotation: false, cases: false };
    let with = try_reduce(&model, &wanted).unwrap();
    assert!((1..=3).contains(&with.rom.modes.residual), "{}", with.rom.modes.residual);
    assert!((without / exact - 1.0).abs() > 1e-4, "{without} {exact}");
    assert!((tip(&with) / exact - 1.0).abs() < 1e-8, "{} {exact}", tip(&with));
}

#[test]
fn damping_is_that_of_the_elastic_modes_and_leaves_rigid_motions_alone() {
    crate::root::at_root();
    let (_, model) = load("frame");
    for damping in [Damping::Ratio(0.02), Damping::Ratios(vec![0.05, 0.01]), Damping::Rayleigh(0.3, 1e-5)] {
        let mut wanted = settings(ModeChoice::Count(6));
        wanted.damping = damping.clone();
        let rom = try_reduce(&model, &wanted).unwrap().rom;
        let (c, modes) = (rom.damping(), rom.elastic_modes().unwrap());
        let modal = modes.shapes.transpose() * &c * &modes.shapes;
        for (i, omega) in modes.omega.iter().enumerate() {
            let expected = match &damping {
                Damping::Ratio(ratio) => 2.0 * ratio * omega,
                Damping::Ratios(ratios) => 2.0 * ratios[i.min(1)] * omega,
                Damping::Rayleigh(alpha, beta) => alpha + beta * omega * omega,
                Damping::None => 0.0,
            };
            assert!((modal[(i, i)] / expected - 1.0).abs() < 1e-7, "{damping:?} {i}: {} {expected}", modal[(i, i)]);
        }
        let rigid = largest(&(&c * rom.independent_rigid_motions()));
        assert!(rigid < 1e-9 * c.amax(), "{damping:?}: {rigid:e}");
    }
}

#[test]
fn what_cannot_be_reduced_is_refused_with_the_reason() {
    crate::root::at_root();
    let (_, mut model) = load("truss");
    let refused = |model: &_, modes| try_reduce(model, &settings(modes)).expect_err("a refusal");
    let refusal = refused(&model, ModeChoice::Count(1000));
    assert!(refusal.key == "reduction.modes" && refusal.found.contains("18 internal"), "{refusal:?}");
    let mut wanted = settings(ModeChoice::Count(2));
    wanted.support = Some("lef".into());
    let refusal = try_reduce(&model, &wanted).expect_err("no such interface");
    assert!(refusal.expected.contains("left"), "{refusal:?}");
    wanted.support = Some("left".into());
    assert!(try_reduce(&model, &wanted).expect_err("a hinge").found.contains("alone"));
    model.interfaces.truncate(1);
    let refusal = refused(&model, ModeChoice::Count(2));
    assert!(refusal.found.contains("2 of the 3 rigid motions"), "{refusal:?}");
    model.interfaces.clear();
    assert!(refused(&model, ModeChoice::Count(2)).found.contains("no interface"));
}

#[test]
fn frequencies_of_the_cantilever_converge_to_the_closed_form_with_order_four() {
    crate::root::at_root();
    let (structure, _) = load("cantilever");
    let exact: Vec<f64> =
        reference()["cantilever"]["f_EB_Hz"].as_array().expect("three").iter().map(|f| f.as_f64().unwrap()).collect();
    let errors = |divisions: usize| -> Vec<f64> {
        let model = parse(&structure.text.replace("divisions = 50", &format!("divisions = {divisions}")));
        // Bending only: the first axial mode is the sixth.
        let found = natural_modes(&model, true, 3).expect("a sound structure").frequencies_hz;
        found.iter().zip(&exact).map(|(found, exact)| found / exact - 1.0).collect()
    };
    let steps = [4, 8, 16, 32, 64].map(|divisions| (divisions, errors(divisions)));
    for (divisions, errors) in &steps {
        println!("{divisions:3} elements: {}", errors.iter().map(|e| format!("{e:.2e}  ")).collect::<String>());
    }
    for mode in 0..3 {
        let order = (steps[1].1[mode] / steps[2].1[mode]).log2();
        println!("f{}: order {order:.3}", mode + 1);
        assert!((3.9..4.1).contains(&order), "f{}: {order}", mode + 1);
        assert!(steps[4].1[mode].abs() < 1e-6, "f{}: {:e}", mode + 1, steps[4].1[mode]);
    }
}

#[test]
fn a_mechanism_that_only_elimination_finds_is_named() {
    crate::root::at_root();
    // A square of four bars without a diagonal between its two supports.
    let text = r#"
        [structure]
        name = "square"
        dimension = 2
        [nodes]
        A = [0, 0]
        B = [1, 0]
        C = [1, 1]
        D = [0, 1]
        [[material]]
        name = "steel"
        youngs_modulus = 2.1e11
        density = 7800
        [[truss]]
        name = "left"
        nodes = ["A", "D"]
        material = "steel"
        area = 1e-4
        [[truss]]
        name = "right"
        nodes = ["B", "C"]
        material = "steel"
        area = 1e-4
        [[truss]]
        name = "top"
        nodes = ["D", "C"]
        material = "steel"
        area = 1e-4
        [[truss]]
        name = "bottom"
        nodes = ["A", "B"]
        material = "steel"
        area = 1e-4
        [[interface]]
        name = "A"
        node = "A"
        [[interface]]
        name = "B"
        node = "B"
    "#;
    let refusal = try_reduce(&parse(text), &settings(ModeChoice::Count(1))).expect_err("a mechanism");
    let named = refusal.found.contains("node \"C\", direction x") || refusal.found.contains("node \"D\", direction x");
    assert!(named && refusal.found.contains("has no stiffness"), "{refusal:?}");
}

#[test]
fn a_body_with_one_interface_is_read_back_too() {
    crate::root::at_root();
    let (structure, _) = load("cantilever");
    let text = structure.text.replace("[[interface]]\nname = \"tip\"\nnode = \"tip\"\n", "");
    let rom = reduce(&parse(&text), ModeChoice::Count(4)).rom;
    assert_eq!((rom.interfaces.len(), rom.size()), (1, 7));
    let read = ballesta::rom::parse(&ballesta_fem::export::to_toml(&rom), "rom.toml").unwrap_or_else(|e| panic!("{e}"));
    // Its free frequencies with all modes are those of the structure.
    assert!((read.checks.free_frequencies_hz[0] / 415.711 - 1.0).abs() < 1e-2, "{:?}", read.checks.free_frequencies_hz);
}

/// A straight tube along x of `spans` spans of 1 m, an interface at every joint.
fn tube(spans: usize) -> String {
    let node = |i: usize| format!("n{i} = [{i}, 0, 0]\n");
    let beam = |i: usize| {
        let next = i + 1;
        format!(
            "[[beam]]\nname = \"b{i}\"\nnodes = [\"n{i}\", \"n{next}\"]\nmaterial = \"m\"\nsection = \"s\"\n\
             divisions = 6\n"
        )
    };
    let interface = |i: usize| format!("[[interface]]\nname = \"i{i}\"\nnode = \"n{i}\"\n");
    format!(
        "[structure]\nname = \"tube\"\n[nodes]\n{}[[material]]\nname = \"m\"\nyoungs_modulus = 70e9\ndensity = 2700\n\
         [[section]]\nname = \"s\"\nshape = \"tube\"\nouter_diameter = 0.03\nthickness = 0.002\n{}{}",
        (0..=spans).map(node).collect::<String>(),
        (0..spans).map(beam).collect::<String>(),
        (0..=spans).map(interface).collect::<String>(),
    )
}

#[test]
fn all_copies_of_the_modes_of_equal_spans_are_found() {
    crate::root::at_root();
    // Two bending modes a span, all alike while the interfaces are held.
    for spans in [12, 16] {
        let model = parse(&tube(spans));
        for asked in [4, 8, 10, 2 * spans + 1] {
            let rom = reduce(&model, ModeChoice::Count(asked)).rom;
            let wanted = if asked <= 2 * spans { 2 * spans } else { 4 * spans };
            let frequencies = &rom.modes.frequencies_hz;
            let counts = (frequencies.len(), rom.checks.modes_counted, rom.checks.modes_found);
            assert_eq!(counts, (wanted, wanted, wanted), "{spans} spans, {asked} modes asked for");
            let lowest = &frequencies[..2 * spans];
            assert!(lowest.iter().all(|hz| (hz / lowest[0] - 1.0).abs() < 1e-9), "{lowest:?}");
        }
    }
}

#[test]
fn all_copies_of_natural_modes_are_found() {
    crate::root::at_root();
    // The same tube with all its joints clamped: no interfaces are held here, but supports.
    let spans = 12;
    let clamped = |i| format!("[[support]]\nnode = \"n{i}\"\nfixed = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]\n");
    let model = parse(&(tube(spans) + &(0..=spans).map(clamped).collect::<String>()));
    for count in [4, 10, 23, 27] {
        let found = natural_modes(&model, true, count).expect("all of them are there").frequencies_hz;
        assert_eq!(found.len(), count);
        let (lowest, higher) = found.split_at(count.min(2 * spans));
        assert!(lowest.iter().all(|hz| (hz / lowest[0] - 1.0).abs() < 1e-9), "{count}: {found:?}");
        assert!(higher.iter().all(|hz| *hz > 2.0 * lowest[0]), "{count}: {found:?}");
    }
}
