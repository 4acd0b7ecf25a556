//! Matrices of other finite-element programs: every dialect gives the same structure, and CalculiX's matrices give
//! CalculiX's frequencies.

use crate::check::larger;
use crate::sample::{self, Sample};
use ballesta::document::{Diagnostics, Source};
use ballesta::math::Vec3;
use ballesta::rom::rom_schema::MassModel;
use ballesta_fem::matrices::covariance::covariant_mass;
use ballesta_fem::matrices::matrices_schema::{MatricesTable, MatrixFormat, MatrixUnits};
use ballesta_fem::matrices::{ForeignStructure, matrix_checks, read};
use ballesta_fem::model::{Dimension, FiniteElementModel};
use ballesta_fem::sparse::SparseSymmetric;
use ballesta_fem::structure;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par, Side};
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

fn rod() -> ForeignStructure {
    let folder = Path::new("models/structures/solid");
    let text = fs::read_to_string(folder.join("structure.toml")).expect("readable");
    let file: toml::Table = text.parse().expect("TOML");
    let table: MatricesTable = file["matrices"].clone().try_into().expect("a table of matrices");
    read(&table, &Source::default(), folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// Natural frequencies in Hz, ascending, negative for negative eigenvalues.
fn frequencies(model: &FiniteElementModel) -> Vec<f64> {
    let all: Vec<usize> = (0..model.size()).collect();
    let (stiffness, mass) = (model.stiffness.block(&all, &all), model.mass.block(&all, &all));
    let factor = mass.llt(Side::Lower).expect("the mass is positive definite");
    let mut half = stiffness;
    solve_lower_triangular_in_place(factor.L(), half.as_mut(), Par::Seq);
    let mut standard = half.transpose().to_owned();
    solve_lower_triangular_in_place(factor.L(), standard.as_mut(), Par::Seq);
    let symmetric = Mat::from_fn(all.len(), all.len(), |i, j| 0.5 * (standard[(i, j)] + standard[(j, i)]));
    let values = symmetric.self_adjoint_eigenvalues(Side::Lower).expect("converges");
    values.into_iter().map(|value| value.signum() * value.abs().sqrt() / TAU).collect()
}

/// Reads the sample from files that `table` names.
fn structure(table: &MatricesTable, folder: &Path) -> Result<ForeignStructure, Diagnostics> {
    read(table, &Source::new("frame.toml", vec![("matrices".into(), 1, 1, 0)]), folder)
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
                worst = larger(worst, (matrix[(i, j)] - expected[i][j]).abs() / scale);
            }
        }
    }
    worst
}

#[test]
fn every_dialect_gives_the_same_structure() {
    crate::root::at_root();
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
            let table = MatricesTable {
                format,
                stiffness,
                mass,
                dof_map,
                nodes,
                units,
                damping: None,
                shapes: None,
                stressed: Vec::new(),
            };
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
    crate::root::at_root();
    /// `rod_frequencies.dat` of the same deck without SOLVER=MATRIXSTORAGE, Hz; it has seven digits.
    const CALCULIX: [f64; 14] = [
        3086.392, 4202.991, 6264.054, 7239.750, 9808.660, 11316.14, 12619.68, 12886.44, 16758.98, 18353.99, 18598.51,
        20258.17, 21804.31, 27066.11,
    ];
    let rod = rod();
    assert_eq!((rod.model.size(), rod.model.nodes.len()), (783, 261));
    assert_eq!((rod.node_sets["BIG_BORE"].len(), rod.node_sets["SMALL_BORE"].len()), (36, 36));
    let frequencies = frequencies(&rod.model);
    let rigid = frequencies[..6].iter().fold(0.0_f64, |most, value| larger(most, value.abs()));
    println!("rigid: at most {rigid:.1e} Hz; K·R {:.1e}", rod.checks.largest_rigid_stiffness());
    println!("{:?} asymmetry {:e}", rod.checks, rod.asymmetry);
    assert!(rigid < 0.02);
    let mut worst = 0.0_f64;
    for (own, theirs) in frequencies[6..].iter().zip(CALCULIX) {
        let last_digit = if theirs < 1e4 { 1e-3 } else { 1e-2 };
        worst = larger(worst, (own - theirs).abs() / last_digit);
    }
    println!("frequencies differ by at most {worst:.2} units of CalculiX's last digit");
    assert!(worst < 0.6);
}

#[test]
fn matrices_in_other_units_give_the_structure_in_si() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: String| sample::put(folder, name, &text);
    let frame = Sample::new();
    let inch = 0.0254;
    // Energies in the units of the files: mJ (N·mm), µJ (mN·mm), J (kN·mm), lbf·in; masses times length squared
    // likewise.
    let pound = 0.45359237 * 9.80665;
    for (units, length, stiffness, mass) in [
        (MatrixUnits::MmTonneS, 1e-3, 1e3, 1e3),
        (MatrixUnits::MmKgS, 1e-3, 1e6, 1e6),
        (MatrixUnits::MmKgMs, 1e-3, 1.0, 1e6),
        (MatrixUnits::InLbfS, inch, 1.0 / (pound * inch), 1.0 / (pound * inch)),
    ] {
        let scaled = frame.scaled(length, stiffness, mass);
        let table = MatricesTable {
            format: MatrixFormat::Abaqus,
            stiffness: put("k.mtx", sample::abaqus_labels(&scaled.stiffness)),
            mass: put("m.mtx", sample::abaqus_labels(&scaled.mass)),
            dof_map: None,
            nodes: put("n.csv", sample::csv(1.0 / length)),
            units,
            damping: None,
            shapes: None,
            stressed: Vec::new(),
        };
        let read = structure(&table, folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert!(difference(&read.model, &frame) < 1e-14, "{units:?}: {:e}", difference(&read.model, &frame));
        // Steel: 0.4 kg/m of bars of 0.5, 0.625 and 0.5 m.
        let mass = 7850.0 * 4e-4 * 1.625;
        for found in read.checks.masses {
            assert!((found / mass - 1.0).abs() < 1e-14);
        }
        // Bars along x, y, z from the corner, at their middles.
        let centre = [0.25 + 0.25 * 0.5 / 1.625, 0.1 + 0.3125 * 0.625 / 1.625, -0.2 + 0.25 * 0.5 / 1.625];
        for (found, expected) in read.checks.centre.iter().zip(centre) {
            assert!((found - expected).abs() < 1e-14);
        }
        // Along the bars c = √(E/ρ) = 5172 m/s; across they are softer at this length.
        let speed = read.checks.wave_speed.expect("bars have mass");
        assert!((50.0..20_000.0).contains(&speed), "{speed}");
    }
}

/// Total and first moment about the origin of a mass between nodes.
fn moments(model: &FiniteElementModel, mass: &SparseSymmetric) -> (f64, Vec3) {
    let entries = (0..mass.size()).flat_map(|j| mass.column(j).map(move |(_, value)| (j, value)));
    entries.fold((0.0, Vec3::zeros()), |(total, moment), (j, value)| {
        (total + value, moment + model.nodes[j].position * value)
    })
}

#[test]
fn the_mass_of_solids_is_covariant_and_kept_as_it_is() {
    crate::root::at_root();
    let rod = rod();
    assert!(rod.checks.covariance <= 1e-15);
    let (mass, kind) = covariant_mass(&rod.model);
    assert_eq!(kind, MassModel::Consistent);
    assert_eq!(rod.model.covariant_mass, mass);
    for (j, dof) in rod.model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction == 2) {
        let column: Vec<(usize, f64)> = rod.model.mass.column(j).map(|(i, m)| (rod.model.dofs[i].node, m)).collect();
        assert_eq!(column, mass.column(dof.node).collect::<Vec<_>>());
    }
    let (total, moment) = moments(&rod.model, &mass);
    assert!((total / rod.checks.masses[0] - 1.0).abs() < 1e-13);
    assert!((moment / total - rod.checks.centre).norm() < 1e-13);
    // CalculiX prints the total mass with seven digits: 0.5490189 kg.
    assert!((total - 0.5490189).abs() < 0.6e-7);
}

#[test]
fn the_mass_of_beams_is_lumped_with_its_total_and_centre_kept() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: String| sample::put(folder.path(), name, &text);
    let mut frame = Sample::new();
    // A mass of 2 kg at the end of bar x, off its node by 0.1 m along y: row sums alone would put it at the node.
    let (end, offset) = (0, 0.1);
    for direction in 0..3 {
        frame.mass[6 * end + direction][6 * end + direction] += 2.0;
    }
    for (translation, rotation, value) in [(0, 5, -2.0 * offset), (2, 3, 2.0 * offset)] {
        frame.mass[6 * end + translation][6 * end + rotation] += value;
        frame.mass[6 * end + rotation][6 * end + translation] += value;
    }
    for rotation in [3, 5] {
        frame.mass[6 * end + rotation][6 * end + rotation] += 2.0 * offset * offset;
    }
    let table = MatricesTable {
        format: MatrixFormat::Abaqus,
        stiffness: put("k.mtx", sample::abaqus_labels(&frame.stiffness)),
        mass: put("m.mtx", sample::abaqus_labels(&frame.mass)),
        dof_map: None,
        nodes: put("n.csv", sample::csv(1.0)),
        units: MatrixUnits::SI,
        damping: None,
        shapes: None,
        stressed: Vec::new(),
    };
    let read = structure(&table, folder.path()).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert!(read.checks.covariance > 1e-3, "{:e}", read.checks.covariance);
    let (mass, kind) = covariant_mass(&read.model);
    assert_eq!(kind, MassModel::Lumped);
    let (total, moment) = moments(&read.model, &mass);
    let expected = 7850.0 * 4e-4 * 1.625 + 2.0;
    assert!((total / expected - 1.0).abs() < 1e-14 && (read.checks.masses[2] / expected - 1.0).abs() < 1e-14);
    assert!((moment / total - read.checks.centre).norm() < 1e-14);
}

#[test]
fn files_as_programs_write_them_are_read() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: String| sample::put(folder, name, &text);
    let sample = Sample::new();
    let (k, m) = (&sample.stiffness, &sample.mass);
    let units = MatrixUnits::SI;
    // Structural damping beside the stiffness, before and after it.
    let damping = sample::nastran("K4AAX", k, true).replace("D+", "D-");
    let (stiffness, mass) = (sample::nastran("KAAX", k, true), sample::nastran("MAAX", m, true));
    for (i, text) in
        [format!("{stiffness}{damping}{mass}"), format!("{damping}{stiffness}{mass}")].into_iter().enumerate()
    {
        let file = put(&format!("{i}.pch"), text);
        let nodes = put("n.bdf", sample::grids());
        let (format, dof_map) = (MatrixFormat::Nastran, None);
        let table = MatricesTable {
            format,
            stiffness: file.clone(),
            mass: file,
            dof_map,
            nodes,
            units,
            damping: None,
            shapes: None,
            stressed: Vec::new(),
        };
        let read = structure(&table, folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert!(difference(&read.model, &sample) <= 1e-9, "{i}: {}", difference(&read.model, &sample));
    }
    // The mapping of Ansys: a heading, then row, node, label.
    let label = |direction: &str| match direction {
        "1" | "x" => "UX",
        "2" | "y" => "UY",
        "3" | "z" => "UZ",
        "4" | "rx" => "ROTX",
        "5" | "ry" => "ROTY",
        _ => "ROTZ",
    };
    let mut mapping = "      Matrix Eqn         Node      DOF\n".to_string();
    for line in sample::row_map().lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit() || c == ' ')) {
        if let [row, node, direction] = line.split_whitespace().collect::<Vec<_>>()[..] {
            mapping += &format!("{row:>16} {node:>12}      {}\n", label(direction));
        }
    }
    // A deck with one part and one instance of it, as graphical preprocessors write them.
    let deck = sample::deck();
    let deck = format!(
        "*Heading\n*Part, name=P\n{deck}*End Part\n*Assembly, name=A\n*Instance, name=P-1, part=P\n0., 0., 0.\n\
         *End Instance\n*End Assembly\n"
    );
    let (stiffness, mass) =
        (put("k.mtx", sample::matrix_market(k, false, true)), put("m.mtx", sample::matrix_market(m, false, true)));
    let (dof_map, nodes) = (Some(put("full.mapping", mapping)), put("parts.inp", deck));
    let table = MatricesTable {
        format: MatrixFormat::MatrixMarket,
        stiffness,
        mass,
        dof_map,
        nodes,
        units,
        damping: None,
        shapes: None,
        stressed: Vec::new(),
    };
    let read = structure(&table, folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(difference(&read.model, &sample), 0.0);
    assert_eq!(read.node_sets["TIPS"], [0, 1, 3]);
}

#[test]
fn a_density_that_no_material_has_is_noted() {
    crate::root::at_root();
    let folder = Path::new("models/structures/solid");
    let text = fs::read_to_string(folder.join("structure.toml")).expect("readable");
    let file: toml::Table = text.parse().expect("TOML");
    let mut table: MatricesTable = file["matrices"].clone().try_into().expect("a table of matrices");
    let right = read(&table, &Source::default(), folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(right.model.notes, Vec::<String>::new(), "{:?}", right.checks.material);
    // A thousandth of stiffness and mass: every frequency is as it was.
    table.units = MatrixUnits::MmKgS;
    let light = read(&table, &Source::default(), folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert!(light.model.notes.len() == 1 && light.model.notes[0].contains("kg/m³"), "{:?}", light.model.notes);
}

#[test]
fn an_output_takes_a_node_of_the_matrices_or_an_interface_and_answers_a_set_with_what_it_takes() {
    crate::root::at_root();
    let text = fs::read_to_string("models/structures/solid/structure.toml").expect("readable");
    let with = |node: &str| {
        let text = format!("{text}\n[[output]]\nname = \"here\"\nnode = \"{node}\"\n");
        let structure = structure::parse(&text, "models/structures/solid/other.toml").unwrap_or_else(|e| panic!("{e}"));
        structure::build(&structure)
    };
    let plain = structure::load(Path::new("models/structures/solid")).unwrap_or_else(|e| panic!("{e}"));
    let number = structure::build(&plain).unwrap_or_else(|e| panic!("{e}")).nodes[3].name.clone();
    for (node, place) in [(number.as_str(), None), ("small_end", Some([0.12, 0.0, 0.0]))] {
        let model = with(node).unwrap_or_else(|e| panic!("{e}"));
        let (name, index) = &model.output_nodes[0];
        assert_eq!((name.as_str(), model.nodes[*index].name.as_str()), ("here", node));
        assert!(place.is_none_or(|place| model.nodes[*index].position.as_slice() == place), "{node}");
    }
    for (node, found) in [("BIG_BORE", "is a node set"), ("small", "there is no node \"small\"")] {
        let message = with(node).expect_err("refused").to_string();
        assert!(message.contains(found) && message.contains("output[0].node"), "{message}");
    }
    assert!(with("small").expect_err("refused").to_string().contains("or the name of an interface"));
}

/// Bulk data of the sample: nodes 3 and 20 have displacements in a cylindrical system about z, node 7 in a rectangular
/// one, which also gives its position.
const LOCAL_SYSTEMS: &str = "CORD2C,5,,-0.3,0.4,0.,-0.3,0.4,1.\n,0.7,0.4,0.\n\
     CORD2R,6,,0.,0.,0.,0.,0.,1.\n,0.8,0.6,0.\n\
     GRID,3,,0.75,.1,-.2,5\nGRID,7,6,0.635,0.43,-0.2,6\nGRID,11,,.25,.1,-.2\nGRID,20,,.25,.1,.3,5\n";

/// The rows of the sample in the systems of [`LOCAL_SYSTEMS`]: 3 × 3 blocks u_local = B u.
fn local(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let block = |node: usize| -> [[f64; 3]; 3] {
        let [x, y, _] = sample::NODES[node].1;
        let (dx, dy) = (x + 0.3, y - 0.4);
        let (c, s) = match node {
            0 | 3 => (dx / dx.hypot(dy), dy / dx.hypot(dy)),
            1 => (0.8, 0.6),
            _ => (1.0, 0.0),
        };
        [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
    };
    let rotation = |i: usize, j: usize| if i / 3 == j / 3 { block(i / 6)[i % 3][j % 3] } else { 0.0 };
    let t = Mat::from_fn(24, 24, rotation);
    let product = &t * Mat::from_fn(24, 24, |i, j| matrix[i][j]) * t.transpose();
    (0..24).map(|i| (0..24).map(|j| product[(i.max(j), i.min(j))]).collect()).collect()
}

#[test]
fn nodes_in_local_coordinate_systems_give_the_structure_in_the_basic_system() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let sample = Sample::new();
    let punch = sample::nastran("KAAX", &local(&sample.stiffness), false)
        + &sample::nastran("MAAX", &local(&sample.mass), false);
    let table = |nodes: &str, punch: &str| MatricesTable {
        format: MatrixFormat::Nastran,
        stiffness: sample::put(folder, "m.pch", punch),
        mass: "m.pch".into(),
        dof_map: None,
        nodes: sample::put(folder, "n.bdf", nodes),
        units: MatrixUnits::SI,
        damping: None,
        shapes: None,
        stressed: Vec::new(),
    };
    // Nodes without rows may be in any system.
    for unused in ["", "GRID,900,9,1.,2.,3.\nGRID,901,,1.,2.,3.,-1\nGRID,902,5,0.,0.,0.,5\n"] {
        let read = structure(&table(&format!("{LOCAL_SYSTEMS}{unused}"), &punch), folder);
        let read = read.unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        for (node, (number, place)) in read.model.nodes.iter().zip(sample::NODES) {
            assert!(node.name == number.to_string() && (node.position - Vec3::from(place)).norm() < 1e-15, "{node:?}");
        }
        assert!(difference(&read.model, &sample) <= 1e-13, "{:e}", difference(&read.model, &sample));
    }
    // Without the systems, the same matrices are rejected.
    let plain = LOCAL_SYSTEMS.replace("-.2,5", "-.2").replace(",.3,5", ",.3").replace(",-0.2,6", ",-0.2");
    assert!(structure(&table(&plain, &punch), folder).is_err());
    // Faults of nodes with rows are at their cards.
    for (from, to, place, part) in [
        (",-0.2,6", ",-0.2,8", "n.bdf:6:26", "node 7 is in the coordinate system 8: the file does not define"),
        ("GRID,7,6", "GRID,7,8", "n.bdf:6:8", "node 7 is in the coordinate system 8: the file does not define"),
        ("CORD2R,6,,", "CORD2R,6,6,", "n.bdf:6:8", "refers to itself"),
    ] {
        let nodes = LOCAL_SYSTEMS.replace(from, to);
        let message = structure(&table(&nodes, &punch), folder).expect_err(to).to_string();
        assert!(message.contains(place) && message.contains(part), "{message}");
    }
    // A row of x alone cannot be rotated.
    let rows = "DMIG,KAAX,0,6,2,0\nDMIG,KAAX,3,1,,3,1,1.\nDMIG,MAAX,0,6,2,0\nDMIG,MAAX,3,1,,3,1,1.\n";
    let message = structure(&table(LOCAL_SYSTEMS, rows), folder).expect_err("one direction").to_string();
    assert!(message.contains("have x of node 3 in its own coordinate system, but not all"), "{message}");
}

#[test]
fn a_density_that_no_solid_has_is_rejected() {
    crate::root::at_root();
    let of = |factor: f64| {
        // Frequencies and wave speed do not change.
        let mut model = rod().model;
        for matrix in [&mut model.stiffness, &mut model.mass] {
            *matrix = matrix.plus(factor - 1.0, matrix);
        }
        matrix_checks::check(&model)
    };
    // 7.85e-3 and 7.85e6 kg/m³.
    for factor in [1e-6, 1e3] {
        let (_, findings) = of(factor);
        assert_eq!(findings.len(), 1, "{factor}");
        assert!(findings[0].found.contains("implies a solid of about"), "{findings:?}");
        assert!(findings[0].expected.contains("`units`"), "{findings:?}");
    }
    for (factor, notes) in [(1.0, 0), (1e-3, 1), (3e1, 1)] {
        let (checks, findings) = of(factor);
        assert_eq!((findings.len(), checks.notes().len()), (0, notes), "{factor}: {:?}", checks.material);
    }
}

#[test]
fn an_interface_may_have_the_name_of_its_node_set() {
    crate::root::at_root();
    let text = fs::read_to_string("models/structures/solid/structure.toml").expect("readable");
    let build = |text: &str| {
        let structure = structure::parse(text, "models/structures/solid/other.toml").unwrap_or_else(|e| panic!("{e}"));
        structure::build(&structure).unwrap_or_else(|e| panic!("{e}"))
    };
    let renamed = text.replace("name = \"big_end\"", "name = \"BIG_BORE\"");
    let renamed = renamed.replace("name = \"small_end\"", "name = \"SMALL_BORE\"");
    assert_ne!(renamed, text);
    let (plain, same) = (build(&text), build(&renamed));
    assert!(plain.stiffness == same.stiffness && plain.mass == same.mass);
    assert_eq!(same.interfaces[0].name, "BIG_BORE");
}
