//! Bodies that another program has reduced. The frame of the sample stands for one: the directions of its inner node 11
//! are its modal coordinates, which the stiffness couples with the interfaces. Reduced here with all six modes, it is
//! the same body as the frame itself.

use crate::sample::{self, Sample};
use ballesta::rom::elastic_modes::unpack;
use ballesta::rom::rom_schema::MassModel;
use ballesta::rom::{self, Rom};
use ballesta_fem::export::{self, matrices};
use ballesta_fem::reduce::{Options, reduce};
use ballesta_fem::structure;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const INTERFACES: [(&str, usize); 3] = [("x", 3), ("y", 7), ("z", 20)];

/// A structure file with the interfaces at the ends of the frame.
fn put(folder: &Path, name: &str, matrices: &str, rest: &str) {
    let mut text = format!("[structure]\nname = \"frame\"\n[matrices]\n{matrices}\n");
    for (interface, node) in INTERFACES {
        let _ = write!(text, "[[interface]]\nname = \"{interface}\"\nnode = \"{node}\"\n");
    }
    fs::write(folder.join(name), text + rest).expect("writable");
}

fn try_reduced(folder: &Path, name: &str) -> Result<(Rom, Vec<String>), String> {
    let (structure, model) = structure::open(&folder.join(name)).map_err(|failure| failure.to_string())?;
    let output = folder.join(format!("{name}.rom.toml"));
    let options = Options { modes: None, compare: true, recovery: None };
    let (reduction, findings) =
        reduce(&structure, &model, &output, &options, |_| ()).map_err(|failure| failure.to_string())?;
    assert!(findings.comparison.iter().all(|pair| pair.relative_error.abs() < 1e-9), "all modes are kept");
    let read = rom::load(&output).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(read, reduction.rom);
    Ok((read, findings.notes))
}

fn reduced(folder: &Path, name: &str) -> (Rom, Vec<String>) {
    try_reduced(folder, name).unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

/// Node places without node 11.
fn ends() -> String {
    sample::csv(1.0).lines().filter(|line| !line.starts_with("11,")).map(|line| format!("{line}\n")).collect()
}

/// The frame with its whole matrices, and what of the files all share.
fn frame(folder: &Path) -> Rom {
    let sample = Sample::new();
    for (name, matrix) in [("k.mtx", &sample.stiffness), ("m.mtx", &sample.mass)] {
        sample::put(folder, name, &sample::matrix_market(matrix, false, true));
    }
    sample::put(folder, "map.txt", &sample::row_map());
    sample::put(folder, "modal.txt", &sample::modal_map());
    sample::put(folder, "nodes.csv", &sample::csv(1.0));
    sample::put(folder, "ends.csv", &ends());
    put(folder, "whole.toml", WHOLE, "[reduction]\nmodes = 6\n");
    reduced(folder, "whole.toml").0
}

const WHOLE: &str = "format = \"matrix_market\"\nstiffness = \"k.mtx\"\nmass = \"m.mtx\"\n\
                     dof_map = \"map.txt\"\nnodes = \"nodes.csv\"";
const MODAL: &str = "format = \"matrix_market\"\nstiffness = \"k.mtx\"\nmass = \"m.mtx\"\n\
                     dof_map = \"modal.txt\"\nnodes = \"ends.csv\"";

/// Largest relative difference of two lists.
fn difference(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, crate::check::larger)
}

fn expect_the_same_body(one: &Rom, other: &Rom, tolerance: f64) {
    assert_eq!(one.matrices.size, other.matrices.size);
    assert!(difference(&one.modes.frequencies_hz, &other.modes.frequencies_hz) < tolerance);
    assert!(difference(&one.checks.free_frequencies_hz, &other.checks.free_frequencies_hz) < tolerance);
    assert!(difference(&[one.rigid.mass], &[other.rigid.mass]) < tolerance);
    assert!(difference(&one.rigid.centre, &other.rigid.centre) < tolerance);
    let b = one.boundary();
    let (k, other_k) = (one.stiffness(), other.stiffness());
    let off = (k.view((0, 0), (b, b)) - other_k.view((0, 0), (b, b))).amax() / k.view((0, 0), (b, b)).amax();
    assert!(off < tolerance, "{off:e}");
}

#[test]
fn a_reduced_body_is_that_of_the_whole_matrices() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let whole = frame(folder);
    put(folder, "modal.toml", MODAL, "");
    let (body, notes) = reduced(folder, "modal.toml");
    expect_the_same_body(&body, &whole, 1e-9);
    assert_eq!((body.inertia.mass_model, whole.inertia.mass_model), (MassModel::Rigid, MassModel::Lumped));
    assert!(notes.iter().any(|note| note.contains("without `matrices.shapes`")), "{notes:?}");
    // Momentum of every coordinate is that of the mass matrix.
    let momentum = body.rigid_motions().tr_mul(&body.mass());
    for (a, row) in body.inertia.translation.iter().enumerate() {
        let off = row.iter().enumerate().map(|(q, value)| (value - momentum[(a, q)]).abs());
        assert!(off.fold(0.0, crate::check::larger) < 1e-12);
    }
    // And so is angular momentum: ∫ (x × Φ) dm.
    for a in 0..3 {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        for q in 0..body.size() {
            let turned = body.inertia.position[3 * b + c][q] - body.inertia.position[3 * c + b][q];
            assert!((turned - momentum[(3 + a, q)]).abs() < 1e-12, "{a} {q}");
        }
    }
}

#[test]
fn scalar_points_of_a_punch_file_are_modal_coordinates() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (whole, sample) = (frame(folder), Sample::new());
    let matrices = [("KAAX", &sample.stiffness), ("MAAX", &sample.mass), ("BAAX", &sample.stiffness)];
    let mut text: String = matrices.iter().map(|(name, matrix)| sample::nastran(name, matrix, false)).collect();
    for direction in 1..=6 {
        text = text.replace(&format!(",11,{direction},"), &format!(",{},0,", 100 + direction));
    }
    sample::put(folder, "body.pch", &text);
    let files = "stiffness = \"body.pch\"\nmass = \"body.pch\"\ndamping = \"body.pch\"\nnodes = \"ends.csv\"";
    put(folder, "punch.toml", &format!("format = \"nastran\"\n{files}"), "");
    let (body, _) = reduced(folder, "punch.toml");
    expect_the_same_body(&body, &whole, 1e-9);
    // The damping is the stiffness, per second.
    let (c, k) = (unpack(&body.matrices.damping, body.size()), body.stiffness());
    for i in 0..body.size() {
        for j in 0..=i {
            let scale = (k[(i, i)] * k[(j, j)]).sqrt();
            assert!((c[(i, j)] - k[(i, j)]).abs() < 1e-9 * scale, "{i} {j}: {} {}", c[(i, j)], k[(i, j)]);
        }
    }
}

#[test]
fn units_are_brought_to_si() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let whole = frame(folder);
    // mm, t, s: displacementᵀ·matrix·displacement in mJ and t mm².
    let scaled = Sample::new().scaled(1e-3, 1e3, 1e3);
    sample::put(folder, "k.mtx", &sample::matrix_market(&scaled.stiffness, false, true));
    sample::put(folder, "m.mtx", &sample::matrix_market(&scaled.mass, false, true));
    let nodes: String =
        sample::csv(1e3).lines().filter(|line| !line.starts_with("11,")).map(|line| format!("{line}\n")).collect();
    sample::put(folder, "ends.csv", &nodes);
    put(folder, "modal.toml", &format!("{MODAL}\nunits = \"mm-t-s\""), "");
    expect_the_same_body(&reduced(folder, "modal.toml").0, &whole, 1e-9);
}

/// Shapes of node 11 (its modal coordinates, in the order of the rows), and masses of all nodes.
fn put_shapes(folder: &Path) {
    let sample = Sample::new();
    let order = sample::order();
    let column = |direction: usize| order.iter().position(|row| *row == 12 + direction).expect("a row") + 1;
    let entries: String = (0..6).map(|d| format!("{} {} 1\n", d + 1, column(d))).collect();
    sample::put(folder, "phi.mtx", &format!("%%MatrixMarket matrix coordinate real general\n6 24 6\n{entries}"));
    sample::put(folder, "phi.dof", &(1..=6).map(|d| format!("11.{d}\n")).collect::<String>());
    let of = |node: usize| -> f64 {
        let rows = (0..3).map(|d| (0..4).map(|other| sample.mass[6 * node + d][6 * other + d]).sum::<f64>());
        rows.sum::<f64>() / 3.0
    };
    let masses: String =
        sample::NODES.iter().enumerate().map(|(i, (node, _))| format!("{node}, {:e}\n", of(i))).collect();
    sample::put(folder, "masses.csv", &format!("node, mass\n{masses}"));
}

const SHAPES: &str = "\n[matrices.shapes]\nfile = \"phi.mtx\"\ndof_map = \"phi.dof\"\nmasses = \"masses.csv\"\n";

#[test]
fn shapes_and_masses_give_the_integrals_of_the_whole_matrices() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let whole = frame(folder);
    put_shapes(folder);
    let files = MODAL.replace("ends.csv", "nodes.csv") + SHAPES;
    put(folder, "shapes.toml", &files, "[[output]]\nname = \"middle\"\nnode = \"11\"\n");
    let (body, notes) = reduced(folder, "shapes.toml");
    expect_the_same_body(&body, &whole, 1e-9);
    assert_eq!(body.inertia.mass_model, MassModel::Lumped);
    assert!(!notes.iter().any(|note| note.contains("without `matrices.shapes`")), "{notes:?}");
    // Modes of either sign; the interfaces come first. The whole matrices have the rotary inertia of the nodes as well
    // (sums of its rows in rotations of all nodes), masses alone do not: the difference is at most all of it, while no
    // node turns further than the interface.
    let mass = Sample::new().mass;
    let of_node = |node: usize| {
        let rotation = |a: usize, b: usize| (0..4).map(|other| mass[6 * node + a][6 * other + b]).sum::<f64>();
        (0..9).map(|k| rotation(3 + k / 3, 3 + k % 3).abs()).fold(0.0, crate::check::larger)
    };
    let rotary: f64 = (0..4).map(of_node).sum();
    println!("rotary inertia of the nodes: at most {rotary:e} kg m²");
    const ROTARY_OF_MODES: f64 = 5e-2;
    let b = body.boundary();
    for (one, other) in body.inertia.position.iter().zip(&whole.inertia.position) {
        let off = one[..b].iter().zip(&other[..b]).map(|(a, b)| (a - b).abs()).fold(0.0, crate::check::larger);
        let modes = one[b..].iter().zip(&other[b..]).map(|(a, b)| (a.abs() - b.abs()).abs());
        let modes = modes.fold(0.0, crate::check::larger);
        println!("off by {off:e}, modes by {modes:e}");
        assert!(off < rotary && modes < ROTARY_OF_MODES, "{off:e} {modes:e}");
    }
    assert_eq!(body.nodes.len(), 1);
}

#[test]
fn matrices_of_a_reduced_model_come_back_with_their_bits() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let rom = rom::load(Path::new("models/truck/frame.rom.toml")).unwrap_or_else(|wrong| panic!("{wrong}"));
    let write = |rom: &Rom, stem: &str| {
        let (structure, files) = matrices::files(rom, stem);
        fs::write(folder.join(format!("{stem}.toml")), structure).expect("writable");
        for (ending, text) in files {
            fs::write(folder.join(format!("{stem}{ending}")), text).expect("writable");
        }
    };
    write(&rom, "first");
    let (body, _) = reduced(folder, "first.toml");
    assert_eq!(body.matrices, rom.matrices);
    assert_eq!(body.modes.frequencies_hz, rom.modes.frequencies_hz);
    // The file of the gallery may be of another version's eigensolver.
    let free = rom.elastic_modes().expect("a body").omega;
    let free: Vec<f64> = free.iter().map(|omega| omega / std::f64::consts::TAU).collect();
    assert_eq!(body.checks.free_frequencies_hz, free);
    for (one, other) in body.interfaces.iter().zip(&rom.interfaces) {
        assert_eq!((&one.name, one.position, one.active), (&other.name, other.position, other.active));
    }
    assert!(difference(&[body.rigid.mass], &[rom.rigid.mass]) < 1e-12);
    write(&body, "second");
    let (again, _) = reduced(folder, "second.toml");
    let without_source = |rom: &Rom| export::to_toml(&Rom { source: body.source.clone(), ..rom.clone() });
    assert_eq!(without_source(&again), without_source(&body));
    assert!(matrices::remarks(&rom)[0].contains("stress stiffening"));
}

#[test]
fn a_body_with_one_interface_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // Everything but one end is modal: the interface has no stiffness of its own but rounding.
    frame(folder);
    let one = format!(
        "[structure]\nname = \"frame\"\n[matrices]\n{WHOLE}\n[[interface]]\nname = \"x\"\nnode = \"3\"\n\
         [reduction]\nmodes = 18\n"
    );
    fs::write(folder.join("one.toml"), one).expect("writable");
    let (rom, _) = reduced(folder, "one.toml");
    let (structure, files) = matrices::files(&rom, "again");
    fs::write(folder.join("again.toml"), structure).expect("writable");
    for (ending, text) in files {
        fs::write(folder.join(format!("again{ending}")), text).expect("writable");
    }
    let (body, _) = reduced(folder, "again.toml");
    assert!(difference(&body.modes.frequencies_hz, &rom.modes.frequencies_hz) == 0.0);
    assert!(difference(&body.checks.free_frequencies_hz, &rom.checks.free_frequencies_hz) < 1e-9);
}

#[test]
fn what_is_no_reduced_body_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    frame(folder);
    put_shapes(folder);
    let refused = |name: &str, matrices: &str, rest: &str, words: &[&str]| {
        put(folder, name, matrices, rest);
        let failure = try_reduced(folder, name).expect_err(name);
        words.iter().for_each(|words| assert!(failure.contains(words), "{name}: {words} in {failure}"));
    };
    let shapes = MODAL.replace("ends.csv", "nodes.csv") + SHAPES;
    let twice = sample::modal_map().replace(" modal 2\n", " modal 1\n");
    sample::put(folder, "twice.txt", &twice);
    refused(
        "twice.toml",
        &MODAL.replace("modal.txt", "twice.txt"),
        "",
        &["twice.txt:", "modal coordinate 1 is also row"],
    );
    let numbered = sample::modal_map().replace(" modal 2\n", " modal two\n");
    sample::put(folder, "numbered.txt", &numbered);
    refused("numbered.toml", &MODAL.replace("modal.txt", "numbered.txt"), "", &["found `two`", "modal coordinate"]);
    let wrong = ends().replace("7, ", "7, 1");
    sample::put(folder, "wrong.csv", &wrong);
    refused(
        "places.toml",
        &MODAL.replace("ends.csv", "wrong.csv"),
        "",
        &["rigid motion is resisted", "coordinates are wrong"],
    );
    let stressed = "[[matrices.stressed]]\ngeometric = \"k.mtx\"\ngravity = [9.81, 0, 0]\n";
    refused(
        "stressed.toml",
        &format!("{MODAL}\n{stressed}"),
        "",
        &["`stressed` given for a body that is already reduced"],
    );
    let both = "[damping]\nratio = 0.01\n";
    refused("damped.toml", &format!("{MODAL}\ndamping = \"k.mtx\""), both, &["here and as a matrix"]);
    let rotation = "[reduction]\nmodes = 3\nresidual = [\"rotation\"]\n";
    refused("rotation.toml", MODAL, rotation, &["need the mass distribution", "matrices.shapes"]);
    let whole = MODAL.replace("modal.txt", "map.txt").replace("ends.csv", "nodes.csv") + SHAPES;
    refused("whole_shapes.toml", &whole, "", &["`shapes` given for a body that is not reduced"]);
    sample::put(folder, "heavy.csv", "3, 1\n7, 1\n20, 1\n11, 1\n");
    refused("heavy.toml", &shapes.replace("masses.csv", "heavy.csv"), "", &["heavy.csv", "the matrices have"]);
    sample::put(folder, "turned.dof", "11.2\n11.1\n11.3\n11.4\n11.5\n11.6\n");
    refused("turned.toml", &shapes.replace("phi.dof", "turned.dof"), "", &["turned.dof:1:1", "for the unit motion x"]);
    sample::put(folder, "short.dof", "11.1\n11.2\n");
    refused("short.toml", &shapes.replace("phi.dof", "short.dof"), "", &["found 6 rows and 24 columns", "2 rows"]);
    // All ends modal, then all but three directions of one: rigid motions are modal too.
    let modal = |kept: usize| {
        let mut map = sample::modal_map();
        for (i, direction) in ["x", "y", "z", "rx", "ry", "rz"].iter().enumerate() {
            for (node, first) in [(3, 11), (7, 21), (20, 31)].into_iter().filter(|(node, _)| *node != 3 || i >= kept) {
                map = map.replace(&format!(" {node} {direction}\n"), &format!(" modal {}\n", first + i));
            }
        }
        map
    };
    for (kept, words) in [(0, "modal coordinates but no interface"), (3, "has no stiffness with the interfaces fixed")]
    {
        sample::put(folder, "loose.txt", &modal(kept));
        refused("loose.toml", &MODAL.replace("modal.txt", "loose.txt"), "", &[words]);
    }
}
