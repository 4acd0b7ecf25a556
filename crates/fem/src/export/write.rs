//! Writes a reduced-order model as TOML.
//!
//! Tables and keys have the order of [`ballesta::rom::rom_schema`]. Rows are wrapped, and every row of a matrix begins
//! a line. Numbers are the shortest decimals that read back to the same bits. Equal models give equal bytes. −0 is
//! written as 0.

use super::rom_text::{Text, number, quoted};
use ballesta::rom::Rom;
use ballesta::rom::rom_schema::{Foreshortening, Node, Packed, Section, Stiffening, StiffeningLoad};
use ballesta_files::recovery::Recovery;

/// The text of the file of a model.
pub fn to_toml(rom: &Rom) -> String {
    let n = rom.matrices.size;
    let mut out = Text::default();
    out.comment(&format!(
        "Reduced-order model: {n} coordinates, {} of interfaces, {} internal modes. SI units.",
        n - rom.modes.frequencies_hz.len().min(n),
        rom.modes.frequencies_hz.len()
    ));
    out.comment(
        "Everything is in the frame C of the structure. Symmetric matrices are packed: the lower half row by row.",
    );
    out.text("format", &rom.format);
    out.raw("version", rom.version);
    out.text("name", &rom.name);
    write_source(rom, &mut out);
    write_interfaces(rom, &mut out);
    write_matrices(rom, &mut out);
    if let Some(stiffening) = &rom.stiffening {
        write_stiffening(stiffening, &mut out);
    }
    write_nodes(&rom.nodes, &mut out);
    for section in &rom.sections {
        write_section(section, &mut out);
    }
    write_checks(rom, &mut out);
    out.0
}

/// The text of a recovery file.
pub fn recovery_to_toml(recovery: &Recovery) -> String {
    let mut out = Text::default();
    out.comment("Displacements and internal forces of a structure over the coordinates of its reduced-order model.");
    out.text("format", &recovery.format);
    out.raw("version", recovery.version);
    out.text("name", &recovery.name);
    out.packed("stiffness", &recovery.stiffness, "K of the reduced-order model that this belongs to, packed");
    out.packed("mass", &recovery.mass, "its M, packed");
    out.comment("nodes, by their numbers from 0, that lines connect; line k has the sections 2k and 2k + 1");
    let lines: Vec<String> = recovery.lines.iter().map(|[from, to]| format!(" [{from}, {to}],")).collect();
    out.line(&format!("lines = [\n{}\n]", lines.join("\n")));
    write_nodes(&recovery.nodes, &mut out);
    for section in &recovery.sections {
        write_section(section, &mut out);
    }
    for stress in &recovery.stresses {
        out.table("[[stress]]");
        out.text("node", &stress.node);
        out.rows("components", &stress.components, "xx, yy, zz, xy, yz, xz in Pa, axes of C");
    }
    out.0
}

fn write_nodes(nodes: &[Node], out: &mut Text) {
    for node in nodes {
        out.table("[[node]]");
        out.text("name", &node.name);
        out.vector("position", &node.position, "m");
        out.rows("displacement", &node.displacement, "rows x, y, z in m, rx, ry, rz in rad");
    }
}

fn write_source(rom: &Rom, out: &mut Text) {
    let source = &rom.source;
    out.table("[source]");
    out.text("program", &source.program);
    out.text("file", &source.file);
    out.text("sha256", &source.sha256);
    out.raw("dimension", source.dimension);
    out.raw("nodes", source.nodes);
    out.raw("elements", source.elements);
    out.raw("dofs", source.dofs);
}

fn write_interfaces(rom: &Rom, out: &mut Text) {
    for interface in &rom.interfaces {
        out.table("[[interface]]");
        out.text("name", &interface.name);
        out.text("node", &interface.node);
        out.vector("position", &interface.position, "m");
        out.vector("quaternion", &interface.quaternion, "w, x, y, z");
        out.text("coupling", &word(&interface.coupling));
        let active: Vec<String> = interface.active.iter().map(bool::to_string).collect();
        out.line(&format!("active = [{}] # x, y, z, rx, ry, rz", active.join(", ")));
        out.raw("first_column", interface.first_column);
    }
    let modes = &rom.modes;
    out.table("[modes]");
    out.array("frequencies_hz", &modes.frequencies_hz, "Hz, interfaces held");
    out.raw("residual", modes.residual);
    out.rows("effective_mass", &modes.effective_mass, "x, y, z in kg, rx, ry, rz in kg m² about the centre of mass");
    if !modes.load_cases.is_empty() {
        let cases: Vec<String> = modes.load_cases.iter().map(|case| quoted(case)).collect();
        out.line(&format!("load_cases = [{}]", cases.join(", ")));
    }
}

fn write_matrices(rom: &Rom, out: &mut Text) {
    let n = rom.matrices.size;
    out.table("[matrices]");
    out.raw("size", n);
    out.packed("stiffness", &rom.matrices.stiffness, &format!("K, {n} x {n}, N/m and N m/rad at the interfaces"));
    out.packed("mass", &rom.matrices.mass, &format!("M, {n} x {n}, kg and kg m² at the interfaces"));
    out.packed("damping", &rom.matrices.damping, &format!("C, {n} x {n}, N s/m and N m s/rad at the interfaces"));
    let rigid = &rom.rigid;
    out.table("[rigid]");
    out.raw("mass", number(rigid.mass));
    out.vector("centre", &rigid.centre, "m");
    out.vector("inertia", &rigid.inertia, "xx, yy, zz, xy, yz, xz in kg m² about the centre of mass");
    out.rows("motions", &rigid.motions, &format!("R, {n} x 6: unit translations, unit rotations about the origin"));
    let inertia = &rom.inertia;
    out.table("[inertia]");
    out.text("mass_model", &word(&inertia.mass_model));
    out.raw("covariance", number(inertia.covariance));
    out.vector("first", &inertia.first, "kg m");
    out.vector("second", &inertia.second, "xx, yy, zz, xy, yz, xz in kg m²");
    out.rows("translation", &inertia.translation, &format!("3 x {n}"));
    out.rows("position", &inertia.position, &format!("9 x {n}: xx, xy, xz, yx, yy, yz, zx, zy, zz"));
    out.packed_blocks("square", &inertia.square, &format!("xx, yy, zz: each {n} x {n}, packed"));
    out.blocks("product", &inertia.product, n, &format!("xy, yz, zx: each {n} x {n}, row by row"));
    if let Some(rotary) = &inertia.rotary {
        out.table("[inertia.rotary]");
        write_turning(&rotary.rotation, &rotary.angular_velocity, out);
    }
}

fn write_checks(rom: &Rom, out: &mut Text) {
    let checks = &rom.checks;
    out.table("[checks]");
    out.raw("full_rigid_stiffness", number(checks.full_rigid_stiffness));
    out.raw("rigid_stiffness", number(checks.rigid_stiffness));
    out.raw("rigid_modes", checks.rigid_modes);
    out.raw("modes_counted", checks.modes_counted);
    out.raw("modes_found", checks.modes_found);
    out.array("free_frequencies_hz", &checks.free_frequencies_hz, "Hz, without the rigid motions");
    out.raw("mass_condition", number(checks.mass_condition));
}

fn write_stiffening(stiffening: &Stiffening, out: &mut Text) {
    let Stiffening { support, missing, translation, rotation, angular_velocity, loads, axial, foreshortening } =
        stiffening;
    out.table("[stiffening]");
    out.text("support", support);
    if !missing.is_empty() {
        let words: Vec<String> = missing.iter().map(|word| quoted(word)).collect();
        out.line(&format!("missing = [{}]", words.join(", ")));
    }
    write_inertial([translation, rotation, angular_velocity], out);
    write_loads("stiffening.load", loads, out);
    for mode in axial {
        out.table("[[stiffening.axial]]");
        out.array("force", &mode.force, "amplitude of the axial mode, per coordinate");
        out.packed("stiffness", &mode.stiffness, "per unit of the amplitude, packed");
    }
    if let Some(Foreshortening { translation, rotation, angular_velocity, loads }) = foreshortening {
        out.table("[stiffening.foreshortening]");
        write_inertial([translation, rotation, angular_velocity], out);
        write_loads("stiffening.foreshortening.load", loads, out);
    }
}

fn write_inertial([translation, rotation, angular_velocity]: [&[Packed]; 3], out: &mut Text) {
    out.packed_blocks("translation", translation, "per m/s² along x, y, z; packed");
    write_turning(rotation, angular_velocity, out);
}

fn write_turning(rotation: &[Packed], angular_velocity: &[Packed], out: &mut Text) {
    out.packed_blocks("rotation", rotation, "per rad/s² about x, y, z; packed");
    out.packed_blocks("angular_velocity", angular_velocity, "per rad²/s²: xx, yy, zz, xy, yz, xz; packed");
}

fn write_loads(table: &str, loads: &[StiffeningLoad], out: &mut Text) {
    for load in loads {
        out.table(&format!("[[{table}]]"));
        out.text("interface", &load.interface);
        out.text("direction", &load.direction);
        out.packed("stiffness", &load.stiffness, "per N or N m, packed");
    }
}

fn write_section(section: &Section, out: &mut Text) {
    out.table("[[section]]");
    out.text("name", &section.name);
    out.text("element", &section.element);
    out.vector("position", &section.position, "m");
    out.rows("axes", &section.axes, "x along the element, y, z: one axis a row");
    out.rows("displacement", &section.displacement, "N, Vy, Vz in N, T, My, Mz in N m, per coordinate");
    out.rows("acceleration", &section.acceleration, "the same per second derivative of the coordinate");
    if !section.geometric.is_empty() {
        out.rows("geometric", &section.geometric, "what the geometric stiffness adds per N of the axial force");
    }
    if !section.centrifugal.is_empty() {
        out.rows("centrifugal", &section.centrifugal, "the same per rad²/s²: xx, yy, zz, xy, yz, xz");
    }
    for point in &section.points {
        out.table("[[section.point]]");
        out.text("name", &point.name);
        out.vector("normal", &point.normal, "Pa per N, Vy, Vz in N, T, My, Mz in N m");
        if let Some(shear) = &point.shear {
            out.rows("shear", shear, "xy and xz on the face towards x, Pa per N, Vy, Vz in N, T, My, Mz in N m");
        }
    }
}

/// The word of an enumeration.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_string()
}
