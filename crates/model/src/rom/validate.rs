//! Checks a reduced-order model that has the right shape: sizes first, then names and numbers, then the physics; last,
//! whether its tables describe one body ([`consistency`]).

use super::consistency;
use super::elastic_modes::{MAX_CONDITION_NUMBER, ModesError, cholesky, held_stiffness};
use super::rom_schema::{Foreshortening, Interface, Packed, Rom, Stiffening, StiffeningLoad};
use crate::document::nearest::did_you_mean;
use crate::document::{Diagnostic, Source};
use ballesta_solver::math::{Mat3, Vec3};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// Largest relative deviation of a number from its required value.
const TOLERANCE: f64 = 1e-9;

/// Names of the six directions.
pub const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// All errors of a model; `source` has the positions of its keys.
pub fn validate(rom: &Rom, source: &Source) -> Vec<Diagnostic> {
    let mut check = Check { rom, source, found: Vec::new() };
    check.source();
    check.names();
    check.interfaces();
    check.modes();
    check.stiffening_names();
    check.numbers();
    if check.sizes() {
        check.matrices();
    }
    // Contradictions in an invalid model would only repeat its errors.
    if check.found.is_empty() {
        for (key, found, expected) in consistency::findings(rom) {
            check.report(key, found, expected);
        }
    }
    check.found
}

struct Check<'r> {
    rom: &'r Rom,
    source: &'r Source,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn report(&mut self, key: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) {
        self.found.push(self.source.at(key, found, expected));
    }

    fn require(&mut self, holds: bool, key: &str, found: impl FnOnce() -> String, expected: &str) {
        if !holds {
            self.report(key, found(), expected);
        }
    }

    fn source(&mut self) {
        let source = &self.rom.source;
        let dimension = source.dimension;
        self.require(
            matches!(dimension, 2 | 3),
            "source.dimension",
            || format!("found {dimension}"),
            "write 2 for a planar structure or 3 for a spatial structure",
        );
        let hash = &source.sha256;
        self.require(
            hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "source.sha256",
            || format!("found \"{}\"", hash.escape_debug()),
            "write 64 hexadecimal digits",
        );
    }

    fn names(&mut self) {
        let rom = self.rom;
        self.distinct("interface", rom.interfaces.iter().map(|interface| interface.name.as_str()));
        self.distinct("node", rom.nodes.iter().map(|node| node.name.as_str()));
        self.distinct("section", rom.sections.iter().map(|section| section.name.as_str()));
        for (i, section) in rom.sections.iter().enumerate() {
            let points = section.points.iter().map(|point| point.name.as_str());
            self.distinct(&format!("section[{i}].point"), points);
        }
        if rom.interfaces.is_empty() {
            self.report("", "the model has no interface", "add an `[[interface]]`; a body needs at least one");
        }
    }

    fn distinct<'n>(&mut self, table: &str, names: impl Iterator<Item = &'n str>) {
        let mut first = BTreeMap::new();
        for (i, name) in names.enumerate() {
            let key = format!("{table}[{i}].name");
            if name.is_empty() {
                self.report(&key, "found an empty name", "write a name");
            } else if let Some(before) = first.insert(name, i) {
                let found = format!("found \"{name}\" a second time; {table}[{before}] has the same name");
                self.report(&key, found, "give each of them a unique name");
            }
        }
    }

    fn interfaces(&mut self) {
        let boundary = self.rom.boundary();
        let mut owner: Vec<Option<usize>> = vec![None; boundary];
        for (i, interface) in self.rom.interfaces.iter().enumerate() {
            let norm = interface.quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
            self.require(
                (norm - 1.0).abs() <= TOLERANCE,
                &format!("interface[{i}].quaternion"),
                || format!("its length is {norm}"),
                "write a unit quaternion w, x, y, z",
            );
            self.columns(i, interface, &mut owner);
        }
    }

    /// The columns of an interface: within the matrix, and used by no other interface.
    fn columns(&mut self, i: usize, interface: &Interface, owner: &mut [Option<usize>]) {
        let key = format!("interface[{i}].first_column");
        if interface.width() == 0 {
            let expected = "set at least one of x, y, z, rx, ry, rz to true";
            return self.report(format!("interface[{i}].active"), "the interface has no direction", expected);
        }
        let (first, last) = (interface.first_column, interface.first_column.saturating_add(interface.width() - 1));
        if last >= owner.len() {
            let found = format!("the interface has the coordinates {first} to {last}");
            let expected = format!("the interfaces share the coordinates 0 to {}", owner.len() - 1);
            return self.report(key, found, expected);
        }
        if let Some(other) = owner[first..=last].iter().flatten().next() {
            let name = &self.rom.interfaces[*other].name;
            let found = format!(
                "the interface has the coordinates {first} to {last}, but \"{name}\" also has some of \
                                 them"
            );
            return self.report(key, found, "give each interface its own coordinates");
        }
        owner[first..=last].fill(Some(i));
    }

    fn modes(&mut self) {
        let modes = &self.rom.modes;
        let count = modes.frequencies_hz.len();
        if modes.residual > count {
            let found = format!("found {} residual vectors among {count} modes", modes.residual);
            return self.report("modes.residual", found, format!("write at most {count}"));
        }
        let (normal, residual) = modes.frequencies_hz.split_at(count - modes.residual);
        if let Some(i) = modes.frequencies_hz.iter().position(|frequency| !(*frequency > 0.0)) {
            let found = format!("found {} Hz", modes.frequencies_hz[i]);
            self.report(format!("modes.frequencies_hz[{i}]"), found, "write positive frequencies");
        } else if !normal.is_sorted() || !residual.is_sorted() {
            let expected = "write the modes in ascending order, then the residual vectors in ascending order";
            self.report("modes.frequencies_hz", "the frequencies are not sorted", expected);
        }
        if let Some(i) = modes.effective_mass.iter().position(|row| row.iter().any(|mass| *mass < 0.0)) {
            self.report(format!("modes.effective_mass[{i}]"), "found a negative mass", "write 0 or more");
        }
    }

    fn stiffening_names(&mut self) {
        let rom = self.rom;
        let Some(stiffening) = &rom.stiffening else { return };
        let names: Vec<&str> = rom.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        if !names.contains(&stiffening.support.as_str()) {
            let found = format!("found \"{}\", which is not an interface", stiffening.support);
            self.report("stiffening.support", found, did_you_mean(&stiffening.support, &names));
        }
        let known: Vec<String> = Stiffening::motions().collect();
        for (i, word) in stiffening.missing.iter().enumerate().filter(|(_, word)| !known.contains(word)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            self.report(format!("stiffening.missing[{i}]"), format!("found \"{word}\""), did_you_mean(word, &known));
        }
        self.loads("stiffening", &stiffening.loads);
        if let Some(foreshortening) = &stiffening.foreshortening {
            self.loads("stiffening.foreshortening", &foreshortening.loads);
        }
    }

    /// Loads must act in directions that interfaces have.
    fn loads(&mut self, table: &str, loads: &[StiffeningLoad]) {
        let rom = self.rom;
        let names: Vec<&str> = rom.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        for (i, load) in loads.iter().enumerate() {
            let Some(interface) = rom.interfaces.iter().find(|interface| interface.name == load.interface) else {
                let found = format!("found \"{}\", which is not an interface", load.interface);
                self.report(format!("{table}.load[{i}].interface"), found, did_you_mean(&load.interface, &names));
                continue;
            };
            let direction = DIRECTIONS.iter().position(|direction| *direction == load.direction);
            let key = format!("{table}.load[{i}].direction");
            let found = format!("found \"{}\"", load.direction);
            match direction {
                None => self.report(key, found, did_you_mean(&load.direction, &DIRECTIONS)),
                Some(direction) if !interface.active[direction] => {
                    self.report(key, found, format!("name a direction that \"{}\" has", interface.name));
                }
                Some(_) => {}
            }
        }
    }

    /// Scalars and small arrays that must be positive, orthonormal or equal.
    fn numbers(&mut self) {
        // Mass and section axes.
        let (rigid, checks) = (&self.rom.rigid, &self.rom.checks);
        self.require(rigid.mass > 0.0, "rigid.mass", || format!("found {} kg", rigid.mass), "write a positive mass");
        for (i, section) in self.rom.sections.iter().enumerate() {
            let axes = Mat3::from_fn(|row, column| section.axes[row][column]);
            let off = (axes * axes.transpose() - Mat3::identity()).amax();
            let key = format!("section[{i}].axes");
            self.require(
                off <= TOLERANCE,
                &key,
                || format!("the axes deviate from an orthonormal basis by {off:.1e}"),
                "write three mutually perpendicular unit vectors",
            );
        }
        // Results of the checks that the reduction wrote into the file.
        let (counted, modes) = (checks.modes_counted, checks.modes_found);
        self.require(
            counted == modes,
            "checks.modes_found",
            || format!("found {modes} of {counted} modes"),
            "reduce the structure again: a mode is missing",
        );
        // An ill-conditioned mass matrix amplifies round-off in the accelerations.
        let condition = checks.mass_condition;
        self.require(
            condition <= MAX_CONDITION_NUMBER,
            "checks.mass_condition",
            || format!("found {condition:.1e}"),
            &format!("the condition number must be at most {MAX_CONDITION_NUMBER:.0e}; omit linearly dependent modes"),
        );
        let free = &checks.free_frequencies_hz;
        let ascending = free.is_sorted() && free.iter().all(|frequency| *frequency > 0.0);
        let key = "checks.free_frequencies_hz";
        self.require(
            ascending,
            key,
            || "the frequencies are not positive and ascending".to_string(),
            "write the elastic modes only, sorted",
        );
    }

    /// Whether all blocks have the size that interfaces and modes give.
    fn sizes(&mut self) -> bool {
        let before = self.found.len();
        // Interface coordinates and internal modes together are the coordinates of the ROM.
        let rom = self.rom;
        let (b, m) = (rom.boundary(), rom.modes.frequencies_hz.len());
        let n = rom.matrices.size;
        if n != b + m {
            let expected = format!("write {}: {b} interface coordinates and {m} internal modes", b + m);
            self.report("matrices.size", format!("found {n}"), expected);
            return false;
        }
        // Symmetric matrices are packed: one triangle, n (n + 1) / 2 numbers.
        let packed = n * (n + 1) / 2;
        self.length("modes.effective_mass", rom.modes.effective_mass.len(), m, "rows, one per mode");
        self.length("matrices.stiffness", rom.matrices.stiffness.len(), packed, "numbers");
        self.length("matrices.mass", rom.matrices.mass.len(), packed, "numbers");
        self.length("matrices.damping", rom.matrices.damping.len(), packed, "numbers");
        self.length("rigid.motions", rom.rigid.motions.len(), n, "rows, one per coordinate");
        // Inertia invariants of a floating frame of reference, per coordinate or per pair of coordinates.
        let inertia = &rom.inertia;
        self.blocks("inertia.translation", &inertia.translation, 3, n);
        self.blocks("inertia.position", &inertia.position, 9, n);
        self.blocks("inertia.square", &inertia.square, 3, packed);
        self.blocks("inertia.product", &inertia.product, 3, n * n);
        if let Some(rotary) = &inertia.rotary {
            self.blocks("inertia.rotary.rotation", &rotary.rotation, 3, packed);
            self.blocks("inertia.rotary.angular_velocity", &rotary.angular_velocity, 6, packed);
        }
        // Geometric stiffening is optional, per unit inertial load and per axial mode.
        if let Some(stiffening) = &rom.stiffening {
            let Stiffening { translation, rotation, angular_velocity, loads, .. } = stiffening;
            self.stiffening("stiffening", [translation, rotation, angular_velocity], loads);
            for (i, mode) in stiffening.axial.iter().enumerate() {
                self.length(&format!("stiffening.axial[{i}].force"), mode.force.len(), n, "numbers");
                self.length(&format!("stiffening.axial[{i}].stiffness"), mode.stiffness.len(), packed, "numbers");
            }
            if let Some(Foreshortening { translation, rotation, angular_velocity, loads }) = &stiffening.foreshortening
            {
                self.stiffening("stiffening.foreshortening", [translation, rotation, angular_velocity], loads);
            }
        }
        // Shapes of output nodes and stress sections, 6 rows per node.
        for (i, node) in rom.nodes.iter().enumerate() {
            self.blocks(&format!("node[{i}].displacement"), &node.displacement, 6, n);
        }
        for (i, section) in rom.sections.iter().enumerate() {
            self.blocks(&format!("section[{i}].displacement"), &section.displacement, 6, n);
            self.blocks(&format!("section[{i}].acceleration"), &section.acceleration, 6, n);
            if !section.geometric.is_empty() {
                self.blocks(&format!("section[{i}].geometric"), &section.geometric, 6, n);
            }
            if !section.centrifugal.is_empty() {
                self.length(&format!("section[{i}].centrifugal"), section.centrifugal.len(), 6, "rows");
            }
        }
        self.found.len() == before
    }

    /// Blocks of unit accelerations, rotation and loads.
    fn stiffening(&mut self, table: &str, inertial: [&[Packed]; 3], loads: &[StiffeningLoad]) {
        let n = self.rom.matrices.size;
        let packed = n * (n + 1) / 2;
        for ((key, count), blocks) in
            [("translation", 3), ("rotation", 3), ("angular_velocity", 6)].iter().zip(inertial)
        {
            self.blocks(&format!("{table}.{key}"), blocks, *count, packed);
        }
        for (i, load) in loads.iter().enumerate() {
            self.length(&format!("{table}.load[{i}].stiffness"), load.stiffness.len(), packed, "numbers");
        }
    }

    fn length(&mut self, key: &str, length: usize, wanted: usize, what: &str) {
        self.require(length == wanted, key, || format!("found {length} {what}"), &format!("write {wanted}"));
    }

    fn blocks(&mut self, key: &str, blocks: &[Vec<f64>], count: usize, length: usize) {
        self.length(key, blocks.len(), count, "blocks");
        for (i, block) in blocks.iter().enumerate() {
            self.length(&format!("{key}[{i}]"), block.len(), length, "numbers");
        }
    }

    /// Definiteness, rigid motions and mass properties.
    fn matrices(&mut self) {
        // A planar body has 3 rigid motions, a spatial body has 6.
        let (k, m, c) = (self.rom.stiffness(), self.rom.mass(), self.rom.damping());
        let r = self.rom.independent_rigid_motions();
        let (count, expected) = (r.ncols(), if self.rom.source.dimension == 2 { 3 } else { 6 });
        self.require(
            count == expected && self.rom.checks.rigid_modes == count,
            "checks.rigid_modes",
            || format!("found {} rigid modes and {count} motions in `rigid.motions`", self.rom.checks.rigid_modes),
            &format!("a body in {} dimensions must have {expected}", self.rom.source.dimension),
        );
        // The mass matrix must be positive definite.
        if let Err(coordinate) = cholesky(&m) {
            let found =
                format!("the matrix is not positive definite: the pivot of coordinate {coordinate} is not positive");
            return self.report("matrices.mass", found, "give every motion a positive mass");
        }
        // Rigid motions must not cause elastic or damping forces.
        self.at_rest("matrices.stiffness", "stiffness", &k, &r);
        self.at_rest("matrices.damping", "damping", &c, &r);
        self.axial_modes(&r);
        // Without rigid motions the stiffness must be positive definite.
        match held_stiffness(&k, &r) {
            Ok(_) => {}
            Err(ModesError::Rigid { rank }) => {
                let found = format!("only {rank} of {count} motions are independent");
                self.report(
                    "rigid.motions",
                    found,
                    "add interface directions until all rigid motions are \
                                                     distinguishable",
                );
            }
            Err(error) => {
                self.report(
                    "matrices.stiffness",
                    error.to_string(),
                    "give every motion except the rigid motions a stiffness",
                );
            }
        }
        // A damping matrix with a negative eigenvalue would add energy.
        if c.amax() > 0.0 && cholesky(&lifted(&c, &m)).is_err() {
            let found = "the matrix has a negative eigenvalue: it adds energy";
            self.report("matrices.damping", found, "write damping that is zero or positive in every motion");
        }
        self.mass_properties(&m);
    }

    /// K R = 0: no rigid motion is resisted.
    fn at_rest(&mut self, key: &str, name: &str, matrix: &DMatrix<f64>, motions: &DMatrix<f64>) {
        let resisted = (matrix * motions)
            .column_iter()
            .zip(motions.column_iter())
            .map(|(force, motion)| force.amax() / motion.amax())
            .fold(0.0, f64::max);
        let relative = resisted / matrix.amax().max(f64::MIN_POSITIVE);
        if relative > TOLERANCE {
            let found =
                format!("the {name} resists rigid motions: {name} times motion is {relative:.1e} of its largest entry");
            self.report(
                key,
                found,
                format!(
                    "values up to {TOLERANCE:.0e} are accepted as round-off; a free body must move without \
                         resistance"
                ),
            );
        }
    }

    /// Axial modes have no amplitude in rigid motions.
    fn axial_modes(&mut self, motions: &DMatrix<f64>) {
        for (i, mode) in self.rom.stiffening.iter().flat_map(|stiffening| &stiffening.axial).enumerate() {
            let force = DMatrix::from_row_slice(1, mode.force.len(), &mode.force);
            let amplitudes = &force * motions;
            let sizes = amplitudes.iter().zip(motions.column_iter()).map(|(a, motion)| a.abs() / motion.amax());
            let relative = sizes.fold(0.0, f64::max) / force.amax().max(f64::MIN_POSITIVE);
            if relative > TOLERANCE {
                let found = format!("rigid motions have {relative:.1e} of the amplitude");
                self.report(format!("stiffening.axial[{i}].force"), found, "axial modes must be zero in rigid motions");
            }
        }
    }

    /// Rᵀ M R against mass, centre of mass and inertia.
    fn mass_properties(&mut self, mass: &DMatrix<f64>) {
        let rigid = &self.rom.rigid;
        let motions = self.rom.rigid_motions();
        let reduced = motions.tr_mul(&(mass * &motions));
        let expected = rigid_mass(rigid.mass, Vec3::from(rigid.centre), &rigid.inertia);
        let keys = [("rigid.mass", 0..3, 0..3), ("rigid.centre", 0..3, 3..6), ("rigid.inertia", 3..6, 3..6)];
        for (key, rows, columns) in keys {
            let mut worst: Option<(f64, f64, f64)> = None;
            for i in rows {
                for j in columns.clone() {
                    // Motions that the body does not have carry no mass.
                    if motions.column(i).amax() == 0.0 || motions.column(j).amax() == 0.0 {
                        continue;
                    }
                    let scale = (reduced[(i, i)] * reduced[(j, j)]).sqrt();
                    let off = (reduced[(i, j)] - expected[(i, j)]).abs() / scale;
                    if !(off <= TOLERANCE) && worst.is_none_or(|(most, ..)| off > most) {
                        worst = Some((off, reduced[(i, j)], expected[(i, j)]));
                    }
                }
            }
            if let Some((_, of_matrix, of_table)) = worst {
                let found = format!("it gives {of_table}, but the mass matrix gives {of_matrix} for rigid motions");
                self.report(key, found, "`rigid` and `matrices.mass` must describe the same body");
            }
        }
    }
}

/// C plus a small multiple of the diagonal of M, so that a semidefinite C becomes definite.
fn lifted(c: &DMatrix<f64>, m: &DMatrix<f64>) -> DMatrix<f64> {
    let largest = (0..c.nrows()).map(|i| c[(i, i)].abs() / m[(i, i)]).fold(0.0, f64::max);
    let lift = if largest > 0.0 { TOLERANCE * largest } else { 0.0 };
    c + DMatrix::from_diagonal(&m.diagonal()) * lift
}

/// Mass matrix of a rigid body for unit translations and rotations about the origin.
fn rigid_mass(mass: f64, centre: Vec3, inertia: &[f64; 6]) -> DMatrix<f64> {
    let [xx, yy, zz, xy, yz, xz] = *inertia;
    let skew = centre.cross_matrix();
    let about_origin = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) - mass * skew * skew;
    let mut matrix = DMatrix::zeros(6, 6);
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-mass * skew));
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&(mass * skew));
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&about_origin);
    matrix
}
