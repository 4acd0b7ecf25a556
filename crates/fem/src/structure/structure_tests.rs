//! The elements, the assembly and the ties, checked on whole structures.

use super::load;
use crate::dense_reference::*;
use crate::matrices::matrices_schema::MatrixUnits;
use crate::matrices::matrix_checks::check as check_matrices;
use crate::model::{Dimension, FiniteElementModel};
use crate::sparse::SparseSymmetric;
use ballesta::math::rotation::about;
use ballesta::math::{Mat3, Vec3};
use faer::Mat;
use std::path::Path;

fn gallery(name: &str) -> FiniteElementModel {
    let structure = load(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/structures")).join(name))
        .unwrap_or_else(|error| panic!("{error}"));
    super::build(&structure).unwrap_or_else(|error| panic!("{error}"))
}

/// Natural frequencies of the truss, Hz: two independent finite-element codes, which agree to 2e-14.
const TRUSS: [(&str, bool, [f64; 10]); 4] = [
    (
        "consistent",
        false,
        [
            80.23554316510085,
            143.83883482711093,
            169.0414380489681,
            221.20472112917372,
            253.9596568295376,
            295.6667127592632,
            308.93887198322363,
            373.0380004991782,
            451.7555192911872,
            514.7568904742376,
        ],
    ),
    (
        "lumped",
        false,
        [
            72.20776683983053,
            121.59785040082502,
            162.10636233310305,
            170.64553170076786,
            197.5430352138637,
            222.01018492989863,
            259.04593494101675,
            325.18798402450767,
            352.0879493929714,
            396.8535438667087,
        ],
    ),
    (
        "consistent",
        true,
        [
            39.47308413916136,
            60.78271342944491,
            112.02492328160734,
            187.02127835198965,
            200.06815563659194,
            257.32456392672367,
            264.26260334970925,
            361.5015624544105,
            373.36424323961614,
            447.97651866147964,
        ],
    ),
    (
        "lumped",
        true,
        [
            38.41903803928383,
            60.18546505521127,
            102.64358335385096,
            156.22185623067358,
            189.4594446469038,
            197.18986078558157,
            205.37438594096136,
            286.569574387034,
            325.3815988217815,
            353.7836834634098,
        ],
    ),
];

#[test]
fn the_truss_has_the_frequencies_of_two_other_programs() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/structures/truss/structure.toml"))
            .unwrap();
    for (mass, supported, reference) in TRUSS {
        let lumped = text.replace("section = \"bar\"\n", &format!("section = \"bar\"\nmass = \"{mass}\"\n"));
        let model = model(&lumped);
        let held = if supported { model.supports.clone() } else { Vec::new() };
        let found = frequencies(&model, &held);
        let rigid = if supported { 0 } else { 3 };
        assert!(found[..rigid].iter().all(|f| *f < 1e-3), "{:?}", &found[..rigid]);
        let error = difference(&found[rigid..], &reference);
        assert!(error < 1e-11, "{mass} {supported}: {error:e}");
    }
}

#[test]
fn the_cantilever_has_the_frequencies_and_deflection_of_the_closed_form() {
    let model = gallery("cantilever");
    let found = frequencies(&model, &model.supports);
    let error = difference(&found, &[65.33003806791324, 409.4163599411377]);
    assert!(error < 1e-6, "{error:e}");
    let u = displacement(&model, &model.supports, &model.loads[0].forces);
    let tip = -u[(dof(&model, "tip", 1), 0)];
    assert!(difference(&[tip], &[0.0035543478260869556]) < 1e-10, "{tip}");
}

const GALLERY: [&str; 5] = ["truss", "cantilever", "frame", "space_frame", "slender_beam"];

/// Mass properties of a structure from its rigid motions about the origin: RᵀMR.
fn rigid_mass(model: &FiniteElementModel) -> Mat<f64> {
    let rigid = model.rigid_motions(Vec3::zeros());
    rigid.transpose() * model.mass.multiply(rigid.as_ref())
}

#[test]
fn rigid_motions_meet_no_resistance_and_one_mass_in_all_directions() {
    for name in GALLERY {
        let model = gallery(name);
        let rigid = model.rigid_motions(Vec3::zeros());
        let forces = model.stiffness.multiply(rigid.as_ref()).norm_max();
        assert!(forces <= 1e-12 * model.stiffness.largest(), "{name}: {:e}", forces / model.stiffness.largest());
        let mass = rigid_mass(&model);
        let covariant = &model.covariant_mass;
        let total: f64 = covariant.compressed().2.iter().sum();
        let translations = if model.dimension == Dimension::Plane { 2 } else { 3 };
        for i in 0..translations {
            assert!((mass[(i, i)] - total).abs() < 1e-12 * total, "{name}: {} {total}", mass[(i, i)]);
        }
        let row = |i: usize| covariant.column(i).map(|(_, m)| m).sum::<f64>();
        let first = (0..model.nodes.len()).fold(Vec3::zeros(), |sum, i| sum + model.nodes[i].position * row(i));
        // ∫x dm occurs in the coupling of the translation along y and the rotation about z, and so on.
        assert!(
            (mass[(1, 5)] - first.x).abs() < 1e-11 * total && (mass[(0, 5)] + first.y).abs() < 1e-11 * total,
            "{name}"
        );
        if model.dimension == Dimension::Space {
            assert!((mass[(1, 3)] + first.z).abs() < 1e-11 * total, "{name}");
        }
    }
}

const SPACE_BEAM: &str = r#"
[structure]
name = "beam"
[nodes]
A = [0, 0, 0]
B = [1.2, 0, 0]
[[material]]
name = "m"
youngs_modulus = 70e9
density = 2700
[[section]]
name = "s"
shape = "rectangle"
width = 0.03
height = 0.05
[[beam]]
name = "b"
nodes = ["A", "B"]
material = "m"
section = "s"
"#;

#[test]
fn a_uniform_beam_has_the_inertia_of_a_slender_body() {
    let text = format!("{SPACE_BEAM}theory = \"timoshenko\"\ndivisions = 3\n");
    let (mass, total) = (rigid_mass(&model(&text)), 2700.0 * 0.03 * 0.05 * 1.2);
    let about_end = total * (1.2 * 1.2 / 3.0 + 0.03 * 0.03 / 12.0);
    let about_axis = total * (0.03 * 0.03 + 0.05 * 0.05) / 12.0;
    assert!((mass[(5, 5)] - about_end).abs() < 1e-13 * about_end);
    assert!((mass[(3, 3)] - about_axis).abs() < 1e-13 * about_axis);
}

/// The text with A and B rotated to general positions and an `up` that keeps the orientation of the section.
fn turned(text: &str, rotation: &Mat3) -> String {
    let list = |v: Vec3| format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z);
    let text = text.replace("A = [0, 0, 0]", &format!("A = {}", list(rotation * Vec3::zeros())));
    let text = text.replace("B = [1.2, 0, 0]", &format!("B = {}", list(rotation * Vec3::new(1.2, 0.0, 0.0))));
    text.replace("section = \"s\"\n", &format!("section = \"s\"\nup = {}\n", list(rotation * Vec3::z())))
}

#[test]
fn turning_or_reversing_a_structure_leaves_its_frequencies() {
    let text = format!("{SPACE_BEAM}theory = \"timoshenko\"\ndivisions = 5\n");
    let plain = frequencies(&model(&text), &[])[6..].to_vec();
    let rotation = about(&Vec3::new(1.0, 2.0, -0.5).normalize(), 0.9);
    let other = frequencies(&model(&turned(&text, &rotation)), &[])[6..].to_vec();
    assert!(difference(&other, &plain) < 1e-8, "{:e}", difference(&other, &plain));
    let reversed = frequencies(&model(&text.replace("[\"A\", \"B\"]", "[\"B\", \"A\"]")), &[])[6..].to_vec();
    assert!(difference(&reversed, &plain) < 1e-8, "{:e}", difference(&reversed, &plain));
}

#[test]
fn cantilever_frequencies_converge_with_order_4() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/structures/cantilever/structure.toml"
    ))
    .unwrap();
    let exact = [65.33003806791324, 409.4163599411377, 1146.3776629277158];
    let error = |divisions: usize| {
        let model = model(&text.replace("divisions = 50", &format!("divisions = {divisions}")));
        let found = frequencies(&model, &model.supports);
        (found[1] - exact[1]) / exact[1]
    };
    let (coarse, fine) = (error(8), error(16));
    let order = (coarse / fine).log2();
    assert!(coarse > 0.0 && fine > 0.0 && (3.8..4.2).contains(&order), "{coarse:e} {fine:e} {order}");
}

#[test]
fn a_timoshenko_cantilever_deflects_by_the_closed_form() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/structures/cantilever/structure.toml"
    ))
    .unwrap();
    let text = text.replace("divisions = 50", "divisions = 2\ntheory = \"timoshenko\"");
    let model = model(&text);
    let u = displacement(&model, &model.supports, &model.loads[0].forces);
    let tip = -u[(dof(&model, "tip", 1), 0)];
    assert!(difference(&[tip], &[0.0035588860173913035]) < 1e-10, "{tip}");
}

#[test]
fn an_offset_is_a_rigid_link_to_a_node_of_its_own() {
    let with_offset = format!("{SPACE_BEAM}offsets = [[0, 0.1, 0.2], [0, 0, 0]]\ndivisions = 2\n");
    let explicit = format!("{SPACE_BEAM}divisions = 2\n[[rigid]]\nnode = \"A\"\nfollowers = [\"C\"]\n")
        .replace("B = [1.2", "C = [0, 0.1, 0.2]\nB = [1.2")
        .replace("nodes = [\"A\"", "nodes = [\"C\"");
    let (a, b) = (model(&with_offset), model(&explicit));
    assert_eq!(dense(&a.stiffness), dense(&b.stiffness));
    assert_eq!(dense(&a.mass), dense(&b.mass));
}

#[test]
fn a_release_is_a_hinge_of_springs_without_rotational_stiffness() {
    let beams = |first: &str, extra: &str| {
        let second = "[[beam]]\nname = \"c\"\nmaterial = \"m\"\nsection = \"s\"\ndivisions = 8\n";
        let nodes = "C = [1.2, 1, 0]\nB2 = [1.2, 0, 0]\nB = [1.2";
        let text = format!("{SPACE_BEAM}divisions = 3\n{first}\n{second}{extra}\n");
        if extra.contains("B2") {
            text.replace("B = [1.2", nodes)
        } else {
            text.replace("B = [1.2", "C = [1.2, 1, 0]\nB = [1.2")
        }
    };
    let released = model(&beams("", "nodes = [\"B\", \"C\"]\nreleases = [[\"ry\"], []]\n"));
    let spring =
        "nodes = [\"B2\", \"C\"]\n[[spring]]\nnodes = [\"B\", \"B2\"]\nstiffness = [1e12, 1e12, 1e12, 1e11, 0, 1e11]\n";
    let spring = format!("{spring}[[spring]]\nnodes = [\"B\", \"B2\"]\nstiffness = [0, 0, 0, 0, 1e11, 0]\n");
    // The beam c is along y of C, so its element axis y is −x of C: the hinge rotates about x.
    let spring = spring.replace("1e11, 0, 1e11", "0, 1e11, 1e11");
    let hinged = model(&beams("", &spring));
    let (a, b) = (frequencies(&released, &[]), frequencies(&hinged, &[]));
    assert!(difference(&b[7..14], &a[7..14]) < 2e-4, "{:?} {:?}", &a[6..14], &b[6..14]);
}

const PLATE: &str = r#"
[structure]
name = "tripod"
[nodes]
A = [0, 0, 0]
B = [1, 0, 0]
C = [0.2, 0.8, 0]
R = [0.3, 0.3, 0.5]
[[material]]
name = "m"
youngs_modulus = 70e9
density = 2700
[[section]]
name = "s"
shape = "tube"
outer_diameter = 0.04
thickness = 0.002
[[beam]]
name = "ab"
nodes = ["A", "B"]
material = "m"
section = "s"
[[beam]]
name = "bc"
nodes = ["B", "C"]
material = "m"
section = "s"
[[beam]]
name = "ca"
nodes = ["C", "A"]
material = "m"
section = "s"
"#;

#[test]
fn an_average_adds_no_stiffness_and_hands_on_a_statically_equivalent_load() {
    let tied = format!(
        "{PLATE}[[average]]\nnode = \"R\"\nfollowers = [\"A\", \"B\", \"C\"]\nweights = [1, 2, 0.5]\n\
        [[mass]]\nnode = \"R\"\nmass = 1e-9\ninertia = [1e-9, 1e-9, 1e-9, 0, 0, 0]\n"
    );
    let (tied, free) = (model(&tied), model(&PLATE.replace("R = [0.3, 0.3, 0.5]\n", "")));
    assert_eq!(tied.size(), free.size());
    let (a, b) = (frequencies(&tied, &[]), frequencies(&free, &[]));
    assert!(difference(&a[6..], &b[6..]) < 1e-6, "{a:?} {b:?}");
    // Forces on the nodes: the transposed rows of motion, for a force at R; total force and moment about R are
    // unchanged.
    let node = |name: &str| tied.nodes.iter().position(|node| node.name == name).unwrap();
    let r = node("R");
    assert!((0..6).all(|i| tied.motion.row(6 * r + i).count() == 1));
    let others: Vec<usize> = ["A", "B", "C"].map(node).to_vec();
    // A unit motion of R moves the weighted mean of the followers by the same amount.
    for direction in 0..3 {
        let column = tied.motion.row(6 * r + direction).next().unwrap().0;
        let moved = |n: usize, d: usize| tied.motion.row(6 * n + d).find(|(c, _)| *c == column).map_or(0.0, |(_, v)| v);
        let weights = [1.0, 2.0, 0.5];
        for d in 0..3 {
            let arms: Vec<Vec3> = others.iter().map(|n| tied.nodes[*n].position - tied.nodes[r].position).collect();
            let moment: Vec3 = (0..3)
                .map(|i| {
                    let u = Vec3::from_fn(|k, _| moved(others[i], k) - f64::from(u8::from(k == direction)));
                    arms[i].cross(&u) * weights[i]
                })
                .sum();
            let mean: f64 =
                (0..3).map(|i| weights[i] * (moved(others[i], d) - f64::from(u8::from(d == direction)))).sum();
            assert!(mean.abs() < 1e-12 && moment.norm() < 1e-12, "{direction} {d}: {mean} {moment}");
        }
    }
}

#[test]
fn trusses_have_no_rotations_and_beams_do() {
    let truss = gallery("truss");
    assert_eq!(truss.size(), 24);
    assert!(truss.dofs.iter().all(|dof| dof.direction < 2));
    assert_eq!(truss.interfaces[0].dofs.iter().flatten().count(), 2);
    let beam = gallery("cantilever");
    assert_eq!(beam.size(), 3 * 51);
    assert_eq!(beam.nodes.iter().filter(|node| node.name.starts_with("beam:")).count(), 49);
}

/// A structure with matrices and nodes written in the units `of` and read with the units `read`.
fn misread(mut model: FiniteElementModel, of: MatrixUnits, read: MatrixUnits) -> FiniteElementModel {
    let (of, read) = (of.factors(), read.factors());
    let length = read.length / of.length;
    let scale = |direction: usize| if direction < 3 { 1.0 / length } else { 1.0 };
    let change = |matrix: &SparseSymmetric, factor: f64| {
        let mut half = Vec::new();
        for j in 0..model.dofs.len() {
            for (i, value) in matrix.column(j).filter(|(i, _)| *i >= j) {
                let scales = scale(model.dofs[i].direction) * scale(model.dofs[j].direction);
                half.push((i, j, value * factor * scales));
            }
        }
        SparseSymmetric::from_half(model.dofs.len(), &half)
    };
    (model.stiffness, model.mass) =
        (change(&model.stiffness, read.stiffness / of.stiffness), change(&model.mass, read.mass / of.mass));
    model.nodes.iter_mut().for_each(|node| node.position *= length);
    model
}

/// Units of matrices.
const UNITS: [MatrixUnits; 5] =
    [MatrixUnits::SI, MatrixUnits::MmTonneS, MatrixUnits::MmKgS, MatrixUnits::MmKgMs, MatrixUnits::InLbfS];

/// A steel rod of 2 m with a square section, free in space.
fn steel_rod(mass: &str) -> FiniteElementModel {
    let mut text = format!("{SPACE_BEAM}divisions = 5\nmass = \"{mass}\"\n");
    for (aluminium, steel) in [
        ("B = [1.2", "B = [2"),
        ("youngs_modulus = 70e9", "youngs_modulus = 210e9"),
        ("density = 2700", "density = 7850"),
        ("width = 0.03", "width = 0.02"),
        ("height = 0.05", "height = 0.02"),
    ] {
        assert!(text.contains(aluminium), "{aluminium}");
        text = text.replace(aluminium, steel);
    }
    model(&text)
}

#[test]
fn the_density_of_square_beams_is_that_of_their_material() {
    for mass in ["consistent", "lumped"] {
        let found = check_matrices(&steel_rod(mass)).0.beams.expect("a frame");
        assert!((found / 7850.0 - 1.0).abs() < 1e-9, "{mass}: {found}");
    }
}

#[test]
fn wrong_units_of_a_beam_with_a_consistent_mass_are_doubted() {
    let rod = steel_rod("consistent");
    for (of, read) in UNITS.into_iter().flat_map(|of| UNITS.into_iter().map(move |read| (of, read))) {
        let (checks, findings) = check_matrices(&misread(rod.clone(), of, read));
        let doubted = !findings.is_empty() || !checks.notes().is_empty();
        // These two change densities by a factor of 94, and speeds by 25 or 40, and both remain plausible for some
        // material.
        let plausible = read == MatrixUnits::InLbfS && (of == MatrixUnits::MmKgS || of == MatrixUnits::MmKgMs);
        assert_eq!(doubted, of != read && !plausible, "{of:?} as {read:?}: {findings:?} {checks:?}");
    }
}

#[test]
fn wrong_units_of_matrices_are_doubted() {
    let names = [
        "arm_link",
        "cantilever",
        "connecting_rod",
        "crane",
        "slender_beam",
        "space_frame",
        "tumbling_beam",
        "twist_beam",
    ];
    let (mut pairs, mut silent, mut before) = (0, Vec::new(), 0);
    for name in names {
        let structure = gallery(name);
        for of in UNITS {
            for read in UNITS {
                let (checks, findings) = check_matrices(&misread(structure.clone(), of, read));
                let doubted = !findings.is_empty() || !checks.notes().is_empty();
                if of == read {
                    assert!(!doubted, "{name} in {of:?}: {findings:?} {:?}", checks.notes());
                    continue;
                }
                pairs += 1;
                // Limits of wave speeds, and of boxes with a volume.
                let within = |value: Option<f64>, low, high| value.is_none_or(|value| low <= value && value <= high);
                before += usize::from(within(checks.wave_speed, 0.1, 1e6) && within(checks.density, 1e-6, 1e7));
                let named = findings
                    .iter()
                    .map(|finding| &finding.expected)
                    .chain(&checks.notes())
                    .all(|text| text.contains("units"));
                assert!(named, "{name}: {findings:?}");
                if !doubted {
                    silent.push(format!("{name} {of:?} as {read:?}"));
                }
            }
        }
    }
    println!("{} of {pairs} wrong units pass without a word, {before} before: {silent:?}", silent.len());
    assert!(silent.len() * 4 <= pairs, "{silent:?}");
}
