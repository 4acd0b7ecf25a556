//! K, M and C of a reduced-order model as Matrix Market files, for comparison with other programs. The map of the rows,
//! the interface positions and a structure file that reads the matrices are included.
//!
//! Numbers have the fewest digits that read back to the same bits. The first b rows are the directions of the
//! interfaces (N/m, N, N m), the others modal coordinates with unit modal mass.

use super::rom_text::{number, quoted};
use ballesta::rom::rom_schema::Packed;
use ballesta::rom::{DIRECTIONS, Rom};
use std::fmt::Write;

/// A file: suffix to the name of the structure file, and text.
pub type File = (&'static str, String);

/// The structure file and the other files, whose names begin with `stem`.
pub fn files(rom: &Rom, stem: &str) -> (String, Vec<File>) {
    let matrices = &rom.matrices;
    let mut files = vec![
        ("_stiffness.mtx", matrix_market(rom, "stiffness K", &matrices.stiffness)),
        ("_mass.mtx", matrix_market(rom, "mass M", &matrices.mass)),
    ];
    let mut named = vec![("stiffness", "_stiffness.mtx"), ("mass", "_mass.mtx")];
    if matrices.damping.iter().any(|entry| *entry != 0.0) {
        files.push(("_damping.mtx", matrix_market(rom, "damping C", &matrices.damping)));
        named.push(("damping", "_damping.mtx"));
    }
    files.push(("_rows.dof", rows(rom)));
    files.push(("_nodes.csv", nodes(rom)));
    named.extend([("dof_map", "_rows.dof"), ("nodes", "_nodes.csv")]);
    let mut text = format!("[structure]\nname = {}\n\n[matrices]\nformat = \"matrix_market\"\n", quoted(&rom.name));
    for (key, ending) in named {
        let _ = writeln!(text, "{key} = {}", quoted(&format!("{stem}{ending}")));
    }
    for (i, interface) in rom.interfaces.iter().enumerate() {
        let [w, x, y, z] = interface.quaternion.map(number);
        let _ = write!(text, "\n[[interface]]\nname = {}\nnode = \"{}\"\n", quoted(&interface.name), i + 1);
        if interface.quaternion != [1.0, 0.0, 0.0, 0.0] {
            let _ = writeln!(text, "quaternion = [{w}, {x}, {y}, {z}]");
        }
    }
    (text, files)
}

/// Notes about data that the files do not contain.
pub fn remarks(rom: &Rom) -> Vec<String> {
    let mut lost = vec!["the integrals of the mass distribution"];
    let parts = [
        (rom.stiffening.is_some(), "stress stiffening"),
        (!rom.nodes.is_empty(), "the output nodes"),
        (!rom.sections.is_empty(), "the section forces"),
    ];
    lost.extend(parts.iter().filter(|(there, _)| *there).map(|(_, what)| *what));
    let mut remarks = vec![format!("not included in the matrices: {}", lost.join(", "))];
    if rom.source.dimension == 2 {
        remarks.push("`ballesta reduce` does not accept the reduced matrices of planar bodies".into());
    }
    remarks
}

/// The lower half, by columns, without zeros.
fn matrix_market(rom: &Rom, what: &str, packed: &Packed) -> String {
    let size = rom.matrices.size;
    let entry = |i: usize, j: usize| packed[i * (i + 1) / 2 + j];
    let places = (0..size).flat_map(|j| (j..size).map(move |i| (i, j)));
    let entries: Vec<_> = places.filter(|(i, j)| entry(*i, *j) != 0.0).collect();
    let name = rom.name.replace(['\n', '\r'], " ");
    let mut text = format!("%%MatrixMarket matrix coordinate real symmetric\n% {what} of {name}, SI units\n");
    let _ = writeln!(text, "{size} {size} {}", entries.len());
    for (i, j) in entries {
        let _ = writeln!(text, "{} {} {}", i + 1, j + 1, number(entry(i, j)));
    }
    text
}

/// The map: row, node, direction, then row, `modal`, number.
fn rows(rom: &Rom) -> String {
    let mut rows: Vec<(usize, String)> = Vec::new();
    for (i, interface) in rom.interfaces.iter().enumerate() {
        let column = |direction: usize| Some((interface.column(direction)?, direction));
        let named = (0..6).filter_map(column).map(|(column, d)| (column, format!("{} {}", i + 1, DIRECTIONS[d])));
        rows.extend(named);
    }
    let boundary = rom.boundary();
    rows.extend((boundary..rom.size()).map(|row| (row, format!("modal {}", row - boundary + 1))));
    rows.sort();
    rows.into_iter().map(|(row, what)| format!("{} {what}\n", row + 1)).collect()
}

/// Positions of the interfaces in C, m.
fn nodes(rom: &Rom) -> String {
    let line = |(i, interface): (usize, &ballesta::rom::rom_schema::Interface)| {
        let [x, y, z] = interface.position.map(number);
        format!("{}, {x}, {y}, {z}\n", i + 1)
    };
    "node, x, y, z\n".to_string() + &rom.interfaces.iter().enumerate().map(line).collect::<String>()
}
