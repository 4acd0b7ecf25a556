//! Structures that came as matrices with states under load: their stiffening is that of own elements, and what is not
//! the stiffness of the load that stands beside it is refused.

use crate::reduction::support::{parse, settings, try_reduce};
use ballesta::document::Source;
use ballesta::rom::rom_schema::{MassModel, Packed, Rom};
use ballesta_fem::matrices::{self, matrices_schema::MatricesTable, matrices_schema::StressedTable};
use ballesta_fem::model::{Dof, FiniteElementModel, PRODUCTS, Stressed};
use ballesta_fem::reduction::{ModeChoice, Refusal};
use ballesta_fem::sparse::SparseSymmetric;
use ballesta_fem::stiffening::geometric_stiffness;
use ballesta_fem::structure;
use nalgebra::{DMatrix, Vector3};
use std::fs;
use std::path::Path;

/// An arm with a bend, off the origin, held at its root and loaded at its tip.
fn arm() -> FiniteElementModel {
    parse(
        r#"
        structure = { name = "arm" }
        nodes = { root = [0.1, 0.2, 0], elbow = [1, 0.4, 0.1], tip = [1.2, 0.5, 0.8] }
        material = [{ name = "m", youngs_modulus = 70e9, density = 2700 }]
        section = [{ name = "s", shape = "rectangle", width = 0.03, height = 0.02 }]
        interface = [{ name = "root", node = "root" }, { name = "tip", node = "tip" }]
        [[beam]]
        name = "upper"
        nodes = ["root", "elbow"]
        material = "m"
        section = "s"
        divisions = 3
        [[beam]]
        name = "lower"
        nodes = ["elbow", "tip"]
        material = "m"
        section = "s"
        divisions = 2
        "#,
    )
}

/// Acceleration of a degree of freedom in a motion: translations and rotations about the origin, products of ω.
fn acceleration(model: &FiniteElementModel, dof: Dof, motion: &[f64; 12]) -> f64 {
    let x = model.nodes[dof.node].position;
    let unit = |axis: usize| Vector3::ith(axis, 1.0);
    let turn = Vector3::new(motion[3], motion[4], motion[5]);
    if dof.direction >= 3 {
        return turn[dof.direction - 3];
    }
    let mut sum = Vector3::new(motion[0], motion[1], motion[2]) + turn.cross(&x);
    for (value, (a, b)) in motion[6..].iter().zip(PRODUCTS) {
        sum += unit(a).cross(&unit(b).cross(&x)) * *value;
        if a != b {
            sum += unit(b).cross(&unit(a).cross(&x)) * *value;
        }
    }
    sum[dof.direction]
}

/// The state under the inertia of a motion and forces at the tip, by the elements of the structure.
fn state(model: &FiniteElementModel, motion: [f64; 12], tip: [f64; 6]) -> Stressed {
    let n = model.size();
    let field = faer::Mat::from_fn(n, 1, |row, _| -acceleration(model, model.dofs[row], &motion));
    let mut load = model.mass.multiply(field.as_ref());
    for (dof, force) in model.interfaces[1].dofs.iter().zip(tip) {
        load[(dof.expect("six directions"), 0)] += force;
    }
    let held = model.interfaces[0].dofs.map(|dof| dof.expect("six directions"));
    let free: Vec<usize> = (0..n).filter(|dof| !held.contains(dof)).collect();
    let block = model.stiffness.block(&free, &free);
    let stiffness = DMatrix::from_fn(free.len(), free.len(), |i, j| block[(i, j)]);
    let right = DMatrix::from_fn(free.len(), 1, |i, _| load[(free[i], 0)]);
    let answer = stiffness.cholesky().expect("held").solve(&right);
    let mut u = faer::Mat::zeros(n, 1);
    free.iter().enumerate().for_each(|(i, dof)| u[(*dof, 0)] = answer[i]);
    let geometric = geometric_stiffness(model, u.col(0));
    Stressed { geometric, difference: false, motion, interface: Some((1, tip)) }
}

/// The same structure without its elements, with these states.
fn foreign(model: &FiniteElementModel, stressed: Vec<Stressed>) -> FiniteElementModel {
    // Matrices alone, with masses at the nodes.
    let mass_model = MassModel::Lumped;
    FiniteElementModel { elements: Vec::new(), points_only: false, mass_model, stressed, ..model.clone() }
}

fn reduce(model: &FiniteElementModel) -> Result<Rom, Refusal> {
    try_reduce(model, &settings(ModeChoice::Count(4))).map(|reduction| reduction.rom)
}

/// Blocks of all unit loads, with their names.
fn blocks(rom: &Rom) -> Vec<(String, Packed)> {
    let stiffening = rom.stiffening.as_ref().expect("states or elements");
    let motions = [&stiffening.translation, &stiffening.rotation, &stiffening.angular_velocity];
    let motions = motions.into_iter().flatten().enumerate().map(|(k, block)| (format!("{k}"), block.clone()));
    let loads =
        stiffening.loads.iter().map(|load| (format!("{} {}", load.interface, load.direction), load.stiffness.clone()));
    motions.chain(loads).collect()
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most, value| ballesta::math::larger(most, value.abs()))
}

/// Numbers between −1 and 1.
fn numbers<const N: usize>(seed: &mut u64) -> [f64; N] {
    std::array::from_fn(|_| {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

#[test]
fn states_of_mixed_loads_give_the_stiffening_of_the_elements() {
    crate::root::at_root();
    let model = arm();
    let own = blocks(&reduce(&model).unwrap_or_else(|refusal| panic!("{refusal:?}")));
    let mut seed = 3;
    // Twenty loads for eighteen units.
    let states = (0..20).map(|_| state(&model, numbers(&mut seed), numbers::<6>(&mut seed).map(|force| 50.0 * force)));
    let rom = reduce(&foreign(&model, states.collect())).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert!(rom.stiffening.as_ref().is_some_and(|stiffening| stiffening.missing.is_empty()));
    let imported = blocks(&rom);
    assert_eq!(own.len(), 18);
    for (k, ((name, own_block), (other, imported))) in own.iter().zip(&imported).enumerate() {
        assert_eq!(name, other);
        // Moments at the tip cause next to no axial forces: the largest of the kind.
        let kind = [0..3, 3..6, 6..12, 12..18].into_iter().find(|kind| kind.contains(&k)).expect("18 loads");
        let size = own[kind].iter().map(|(_, block)| largest(block.iter().copied())).fold(0.0, ballesta::math::larger);
        let off = largest(own_block.iter().zip(imported).map(|(own, imported)| own - imported));
        assert!(off <= 1e-8 * size && size > 0.0, "{name}: {off:e} of {size:e}");
    }
}

fn unit(k: usize) -> [f64; 12] {
    std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 })
}

#[test]
fn what_no_state_has_is_listed_and_does_not_stiffen() {
    crate::root::at_root();
    let model = arm();
    let states = vec![state(&model, unit(8), [0.0; 6]), state(&model, unit(0), [10.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
    let refusal = reduce(&foreign(&model, states.clone())).expect_err("gravity and force are in one state");
    assert!(refusal.found.contains("translation.x, load.tip.x"), "{refusal:?}");
    let states = [states, vec![state(&model, unit(0), [0.0; 6])]].concat();
    let rom = reduce(&foreign(&model, states)).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let stiffening = rom.stiffening.as_ref().expect("states");
    let missing = "translation.y translation.z rotation.x rotation.y rotation.z angular_velocity.xx \
                   angular_velocity.yy angular_velocity.xy angular_velocity.yz angular_velocity.xz";
    assert_eq!(stiffening.missing.join(" "), missing);
    assert!(stiffening.angular_velocity[0].iter().all(|entry| *entry == 0.0));
    assert!(stiffening.angular_velocity[2].iter().any(|entry| *entry != 0.0));
    assert_eq!(stiffening.loads.len(), 1);
    // The file says so, and is read again.
    let text = ballesta_fem::export::to_toml(&rom);
    assert!(text.contains("missing = [\"translation.y\""));
    assert_eq!(ballesta::rom::parse(&text, "arm.rom.toml").unwrap_or_else(|wrong| panic!("{wrong}")), rom);
    let wrong = text.replace("\"angular_velocity.xx\"", "\"angular_velocity.xxx\"");
    let wrong = ballesta::rom::parse(&wrong, "arm.rom.toml").expect_err("no such load").to_string();
    assert!(wrong.contains("stiffening.missing[5]") && wrong.contains("angular_velocity.xx"), "{wrong}");
}

#[test]
fn a_stiffness_that_is_not_that_of_its_load_is_refused() {
    crate::root::at_root();
    let model = arm();
    let right = state(&model, unit(8), [0.0; 6]);
    assert!(reduce(&foreign(&model, vec![right.clone()])).is_ok());
    // Revolutions per minute for radians per second, a turned sign.
    for factor in [(60.0 / std::f64::consts::TAU).powi(2), -1.0] {
        let motion = right.motion.map(|value| value * factor);
        let refusal = reduce(&foreign(&model, vec![Stressed { motion, ..right.clone() }])).expect_err("another load");
        assert_eq!(refusal.key, "matrices.stressed[0]");
        assert!(refusal.found.contains("times the stiffness caused by the load"), "{refusal:?}");
    }
    let at_root = Stressed { interface: Some((0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])), ..right };
    let refusal = reduce(&foreign(&model, vec![at_root])).expect_err("the root is held");
    assert!(refusal.found.contains("along x at \"root\", where the structure is held"), "{refusal:?}");
}

#[test]
fn differences_of_loads_that_bend_are_left_out() {
    crate::root::at_root();
    let bar = parse(
        r#"
        structure = { name = "bar" }
        nodes = { root = [0, 0, 0], tip = [1, 0, 0] }
        material = [{ name = "m", youngs_modulus = 70e9, density = 2700 }]
        section = [{ name = "s", shape = "rectangle", width = 0.03, height = 0.02 }]
        interface = [{ name = "root", node = "root" }, { name = "tip", node = "tip" }]
        beam = [{ name = "b", nodes = ["root", "tip"], material = "m", section = "s", divisions = 6 }]
        "#,
    );
    let difference = |k: usize| Stressed { difference: true, ..state(&bar, unit(k), [0.0; 6]) };
    let rom = reduce(&foreign(&bar, vec![difference(0), difference(1), difference(7), difference(8)]));
    let missing = rom.unwrap_or_else(|refusal| panic!("{refusal:?}")).stiffening.expect("states").missing;
    let is_missing = |word: &str| missing.iter().any(|missing| missing == word);
    assert!(is_missing("translation.y"), "{missing:?}");
    for stretches in ["translation.x", "angular_velocity.yy", "angular_velocity.zz"] {
        assert!(!is_missing(stretches), "{missing:?}");
    }
}

/// A symmetric matrix as Matrix Market, all digits.
fn write(path: &Path, matrix: &SparseSymmetric) {
    let entries: Vec<(usize, usize, f64)> = (0..matrix.size())
        .flat_map(|column| matrix.column(column).map(move |(row, value)| (row + 1, column + 1, value)))
        .filter(|(row, column, _)| row >= column)
        .collect();
    let mut text =
        format!("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {1}\n", matrix.size(), entries.len());
    entries.iter().for_each(|(row, column, value)| text += &format!("{row} {column} {value:e}\n"));
    fs::write(path, text).expect("writable");
}

#[test]
fn softening_by_turning_is_given_back() {
    crate::root::at_root();
    let solid = Path::new("models/structures/solid");
    let text = fs::read_to_string(solid.join("structure.toml")).expect("readable");
    let file: toml::Table = text.parse().expect("TOML");
    let table: MatricesTable = file["matrices"].clone().try_into().expect("a table of matrices");
    let rod = matrices::read(&table, &Source::default(), solid).unwrap_or_else(|wrong| panic!("{wrong}")).model;
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, matrix: &SparseSymmetric| {
        write(&folder.path().join(name), matrix);
        name.to_string()
    };
    let mut map = String::new();
    for (row, dof) in rod.dofs.iter().enumerate() {
        map += &format!("{} {} {}\n", row + 1, rod.nodes[dof.node].name, dof.direction + 1);
    }
    let nodes = rod
        .nodes
        .iter()
        .map(|node| format!("{}, {:e}, {:e}, {:e}\n", node.name, node.position.x, node.position.y, node.position.z));
    fs::write(folder.path().join("n.csv"), nodes.collect::<String>()).expect("writable");
    fs::write(folder.path().join("m.txt"), map).expect("writable");
    // Any stiffness without resistance to translations stands for that of stress.
    let spin = Vector3::new(30.0, -20.0, 50.0);
    let mut softening = Vec::new();
    for (j, column) in rod.dofs.iter().enumerate() {
        for (node, mass) in rod.covariant_mass.column(column.node) {
            for (i, row) in rod.dofs.iter().enumerate().filter(|(i, row)| *i <= j && row.node == node) {
                let unit = if row.direction == column.direction { spin.norm_squared() } else { 0.0 };
                softening.push((i, j, mass * (unit - spin[row.direction] * spin[column.direction])));
            }
        }
    }
    let softening = SparseSymmetric::from_half(rod.size(), &softening);
    let hard = rod.stiffness.plus(1e-4, &rod.stiffness);
    let state = |name: &str, matrix: &SparseSymmetric| StressedTable {
        stiffness: Some(put(name, matrix)),
        angular_velocity: spin.into(),
        ..StressedTable::default()
    };
    let table = MatricesTable {
        format: matrices::matrices_schema::MatrixFormat::MatrixMarket,
        stiffness: put("k.mtx", &rod.stiffness),
        mass: put("mass.mtx", &rod.mass),
        dof_map: Some("m.txt".into()),
        nodes: "n.csv".into(),
        units: matrices::matrices_schema::MatrixUnits::SI,
        damping: None,
        shapes: None,
        stressed: vec![state("hard.mtx", &hard), state("soft.mtx", &hard.plus(-1.0, &softening))],
    };
    let read = matrices::read(&table, &Source::default(), folder.path()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let noted = |i: usize| read.model.notes.iter().any(|note| note.contains(&format!("stressed[{i}]")));
    assert!(!noted(0) && noted(1), "{:?}", read.model.notes);
    let expected = rod.stiffness.largest() * 1e-4;
    for stressed in &read.model.stressed {
        let off = stressed.geometric.plus(-1e-4, &rod.stiffness).largest();
        assert!(off <= 1e-9 * expected, "{off:e} of {expected:e}");
    }
    // ω²x, ω²y, ω²z, and their mixed products.
    assert_eq!(read.model.stressed[0].motion[6..], [900.0, 400.0, 2500.0, -600.0, -1000.0, 1500.0]);
}

#[test]
fn loads_that_are_not_there_are_refused_at_their_keys() {
    crate::root::at_root();
    let triangle = |state: &str| {
        let text = format!(
            r#"
            structure = {{ name = "triangle", dimension = 2 }}
            interface = [{{ name = "a", node = "1" }}, {{ name = "b", node = "2" }}]
            [matrices]
            format = "matrix_market"
            stiffness = "stiffness.mtx"
            mass = "mass.mtx"
            dof_map = "map.txt"
            nodes = "nodes.csv"
            [[matrices.stressed]]
            geometric = "stressed.mtx"
            {state}
            "#
        );
        let structure =
            structure::parse(&text, "tests/broken_matrices/in_memory.toml").unwrap_or_else(|e| panic!("{e}"));
        structure::build(&structure).map_err(|wrong| wrong.to_string())
    };
    let model = triangle("gravity = [0, -9.81, 0]\ncentre = [1, 2, 0]").unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(model.stressed[0].motion[..3], [0.0, 9.81, 0.0]);
    let model = triangle("angular_velocity = [0, 0, 3]\ncentre = [1, 2, 0]").unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(
        (model.stressed[0].motion[0], model.stressed[0].motion[1], model.stressed[0].motion[8]),
        (9.0, 18.0, 9.0)
    );
    for (state, key, found) in [
        ("", "matrices.stressed[0]", "has no load"),
        ("force = [1, 0, 0]", "matrices.stressed[0]", "have no interface"),
        ("interface = \"c\"\nforce = [1, 0, 0]", "matrices.stressed[0].interface", "no interface \"c\""),
        ("interface = \"b\"\nmoment = [0, 0, 1]", "matrices.stressed[0].interface", "no independent direction rz"),
    ] {
        let wrong = triangle(state).expect_err("wrong");
        assert!(wrong.contains(key) && wrong.contains(found), "{state}: {wrong}");
    }
}
