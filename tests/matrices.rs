//! Matrices of other finite-element programs: every dialect gives the same structure, and CalculiX's matrices give CalculiX's
//! frequencies.

#[path = "matrices/sample.rs"]
mod sample;

use ballesta::document::{Diagnostics, Source};
use ballesta::fem::matrices::schema::{MatricesTable, MatrixFormat, MatrixUnits};
use ballesta::fem::matrices::{ForeignStructure, read};
use ballesta::fem::model::{Dimension, FiniteElementModel};
use faer::{Mat, Side};
use sample::Sample;
use std::f64::consts::TAU;
use std::path::Path;

fn rod() -> ForeignStructure {
    let table = MatricesTable {
        format: MatrixFormat::Calculix,
        stiffness: "rod_matrices.sti".into(),
        mass: "rod_matrices.mas".into(),
        dof_map: Some("rod_matrices.dof".into()),
        nodes: "rod_mesh.inp".into(),
        units: MatrixUnits::MmTonneS,
    };
    let folder = Path::new("models/structures/solid");
    read(&table, &Source::default(), folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// Natural frequencies in Hz, ascending, negative for negative eigenvalues.
fn frequencies(model: &FiniteElementModel) -> Vec<f64> {
    let all: Vec<usize> = (0..model.size()).collect();
    let (stiffness, mass) = (model.stiffness.block(&all, &all), model.mass.block(&all, &all));
    let factor = mass.llt(Side::Lower).expect("the mass is positive definite");
    let lower = factor.L();
    let half = lower.partial_solve(stiffness);
    let standard = lower.partial_solve(half.transpose().to_owned());
    let symmetric = Mat::from_fn(all.len(), all.len(), |i, j| 0.5 * (standard[(i, j)] + standard[(j, i)]));
    let values = symmetric.self_adjoint_eigenvalues(Side::Lower).expect("converges");
    values.into_iter().map(|value| value.signum() * value.abs().sqrt() / TAU).collect()
}

/// Reads the sample from files that `table` names.
fn structure(table: &MatricesTable, folder: &Path) -> Result<ForeignStructure, Diagnostics> {
    read(table, &Source::new("frame.toml", vec![("matrices".into(), 1, 1)]), folder)
}

/// Largest difference between the model's matrices and the sample's, relative to √(aᵢᵢ aⱼⱼ).
fn difference(model: &FiniteElementModel, sample: &Sample) -> f64 {
    let all: Vec<usize> = (0..24).collect();
    assert_eq!(model.size(), 24);
    let mut worst = 0.0_f64;
    for (matrix, expected) in [(&model.stiffness, &sample.stiffness), (&model.mass, &sample.mass)] {
        let matrix = matrix.block(&all, &all);
        for i in 0..24 {
            for j in 0..24 {
                let scale = (expected[i][i] * expected[j][j]).sqrt();
                worst = worst.max((matrix[(i, j)] - expected[i][j]).abs() / scale);
            }
        }
    }
    worst
}

#[test]
fn every_dialect_gives_the_same_structure() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: String| sample::put(folder, name, &text);
    let sample = Sample::new();
    let (k, m) = (&sample.stiffness, &sample.mass);
    let (row_map, label_map) = (put("rows.txt", sample::row_map()), put("labels.dof", sample::label_map()));
    let nodes = [put("n.csv", sample::csv(1.0)), put("n.inp", sample::deck()), put("n.bdf", sample::grids())];
    let mut pairs = Vec::new();
    for (array, symmetric) in [(false, false), (false, true), (true, false), (true, true)] {
        let name = |matrix: &str| format!("{matrix}{array}{symmetric}.mtx");
        let k = put(&name("k"), sample::matrix_market(k, array, symmetric));
        let m = put(&name("m"), sample::matrix_market(m, array, symmetric));
        pairs.push((MatrixFormat::MatrixMarket, k, m, Some(&row_map), 0.0));
    }
    let (stiffness, mass) = (put("k.mtx", sample::abaqus_labels(k)), put("m.mtx", sample::abaqus_labels(m)));
    pairs.push((MatrixFormat::Abaqus, stiffness, mass, None, 0.0));
    let (stiffness, mass) = (put("kc.mtx", sample::abaqus_coordinate(k)), put("mc.mtx", sample::abaqus_coordinate(m)));
    pairs.push((MatrixFormat::Abaqus, stiffness, mass, Some(&label_map), 0.0));
    let (stiffness, mass) = (put("f.sti", sample::calculix(k)), put("f.mas", sample::calculix(m)));
    pairs.push((MatrixFormat::Calculix, stiffness, mass, Some(&label_map), 0.0));
    for long in [false, true] {
        let text = sample::nastran("KAAX", k, long) + &sample::nastran("MAAX", m, long);
        let file = put(&format!("{long}.pch"), text);
        pairs.push((MatrixFormat::Nastran, file.clone(), file, None, if long { 1e-9 } else { 0.0 }));
    }
    for (format, stiffness, mass, dof_map, tolerance) in pairs {
        for nodes in &nodes {
            let (stiffness, mass, dof_map, nodes) = (stiffness.clone(), mass.clone(), dof_map.cloned(), nodes.clone());
            let units = MatrixUnits::SI;
            let table = MatricesTable { format, stiffness, mass, dof_map, nodes, units };
            let read = structure(&table, folder).unwrap_or_else(|diagnostics| panic!("{table:?}\n{diagnostics}"));
            assert!(difference(&read.model, &sample) <= tolerance, "{table:?}: {}", difference(&read.model, &sample));
            assert_eq!(read.model.dimension, Dimension::Space);
            for (node, (number, place)) in read.model.nodes.iter().zip(sample::NODES) {
                assert_eq!((node.name.as_str(), node.position.into()), (number.to_string().as_str(), place));
            }
            for (row, dof) in read.model.dofs.iter().enumerate() {
                assert_eq!((dof.node, dof.direction), (row / 6, row % 6));
                assert_eq!(read.model.motion.row(row).collect::<Vec<_>>(), [(row, 1.0)]);
            }
            if !table.nodes.ends_with("bdf") {
                assert_eq!(read.node_sets["TIPS"], [0, 1, 3]);
                assert_eq!(read.node_sets["ALONG_X"], [0]);
            }
        }
    }
}

#[test]
fn the_free_rod_has_the_frequencies_that_calculix_computes() {
    /// `rod_frequencies.dat` of the same deck without SOLVER=MATRIXSTORAGE, Hz; it has seven digits.
    const CALCULIX: [f64; 14] = [
        3086.392, 4202.991, 6264.054, 7239.750, 9808.660, 11316.14, 12619.68, 12886.44, 16758.98, 18353.99, 18598.51,
        20258.17, 21804.31, 27066.11,
    ];
    let rod = rod();
    assert_eq!((rod.model.size(), rod.model.nodes.len()), (783, 261));
    assert_eq!((rod.node_sets["BIG_BORE"].len(), rod.node_sets["SMALL_BORE"].len()), (36, 36));
    let frequencies = frequencies(&rod.model);
    let rigid = frequencies[..6].iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    println!("rigid: at most {rigid:.1e} Hz; K·R {:.1e}", rod.checks.largest_rigid_stiffness());
    println!("{:?} asymmetry {:e}", rod.checks, rod.asymmetry);
    assert!(rigid < 0.02);
    let mut worst = 0.0_f64;
    for (own, theirs) in frequencies[6..].iter().zip(CALCULIX) {
        worst = worst.max((own / theirs - 1.0).abs());
    }
    println!("frequencies differ by at most {worst:.1e}");
    assert!(worst < 1.5e-7, "{worst:e}");
}
