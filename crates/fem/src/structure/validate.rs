//! Checks of a structure file that need no assembly: names, references, counts, signs, geometry.
//!
//! A table with a key that does not match the schema is omitted. If such a key could cause false errors in other
//! tables, all checks are omitted.

use super::Structure;
use super::members::{PARALLEL_TOLERANCE, axes, position_of};
use super::structure_schema::{Interface, Section, Shape};
use crate::model::Dimension;
use ballesta::document::Diagnostic;
use ballesta::document::nearest::did_you_mean;
use ballesta::math::Vec3;
use std::collections::HashMap;

/// All faults of a structure that matches the schema; `replaced`: keys whose value is not the user's.
pub(super) fn validate(structure: &Structure, replaced: &[String]) -> Vec<Diagnostic> {
    if replaced.iter().any(|path| reaches_far(path)) {
        return Vec::new();
    }
    let mut check = Check::new(structure, replaced);
    general(&mut check);
    names(&mut check);
    materials(&mut check);
    sections(&mut check);
    members(&mut check);
    points(&mut check);
    ties(&mut check);
    requests(&mut check);
    check.diagnostics
}

/// Whether a wrong value at `path` could cause false errors in another table: names, nodes, whole tables.
fn reaches_far(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or_default();
    !path.contains('.') || path.starts_with("nodes.") || matches!(key, "name" | "dimension")
}

/// The structure and its diagnostics so far.
struct Check<'s> {
    structure: &'s Structure,
    broken: Vec<&'s str>,
    /// Names to items, and positions of nodes.
    nodes: HashMap<&'s str, Vec3>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Check<'s> {
    fn new(structure: &'s Structure, replaced: &'s [String]) -> Self {
        let broken = replaced.iter().map(|path| item(path)).collect();
        let file = &structure.file;
        let mut nodes: HashMap<&str, Vec3> =
            file.nodes.iter().map(|(name, position)| (name.as_str(), position_of(position))).collect();
        for interface in file.interfaces.iter().filter(|interface| interface.node.is_none()) {
            let position = position_of(interface.position.as_deref().unwrap_or_default());
            nodes.entry(&interface.name).or_insert(position);
        }
        Check { structure, broken, nodes, diagnostics: Vec::new() }
    }

    fn report(&mut self, key: impl AsRef<str>, found: impl Into<String>, expected: impl Into<String>) {
        let key = key.as_ref();
        if !self.broken.contains(&item(key)) {
            self.diagnostics.push(self.structure.source.at(key, found, expected));
        }
    }

    /// The position of a node; reports an unknown node. Nodes of matrices are known only after reading their files.
    fn node(&mut self, key: &str, name: &str) -> Option<Vec3> {
        if self.structure.file.matrices.is_some() {
            return None;
        }
        let found = self.nodes.get(name).copied();
        if found.is_none() {
            let known: Vec<&str> = self.structure.file.nodes.keys().map(String::as_str).collect();
            self.report(key, format!("there is no node \"{name}\""), did_you_mean(name, &known));
        }
        found
    }

    fn known<'n>(&mut self, key: &str, kind: &str, name: &str, names: impl Iterator<Item = &'n String>) -> bool {
        let names: Vec<&str> = names.map(String::as_str).collect();
        let exists = names.contains(&name);
        if !exists {
            self.report(key, format!("there is no {kind} \"{name}\""), did_you_mean(name, &names));
        }
        exists
    }

    fn positive(&mut self, key: &str, value: f64, expected: &str) {
        if value <= 0.0 {
            self.report(key, format!("found {value}"), expected);
        }
    }

    fn not_negative(&mut self, key: &str, value: f64, expected: &str) {
        if value < 0.0 {
            self.report(key, format!("found {value}"), expected);
        }
    }

    fn plane(&self) -> bool {
        self.structure.file.general.dimension == 2
    }

    /// Two or three coordinates, in the plane xy for a plane structure.
    fn position(&mut self, key: &str, position: &[f64]) {
        // Beyond it, squares and fourth powers of distances overflow.
        const MAX_DISTANCE: f64 = 1e12;
        if let Some(value) = position.iter().find(|value| !(value.abs() <= MAX_DISTANCE)) {
            self.report(key, format!("coordinate {value:e} m"), "use coordinates within 1e12 m of the origin");
            return;
        }
        let wanted = if self.plane() { "write [x, y]" } else { "write [x, y, z]" };
        if position.len() != 3 && !(self.plane() && position.len() == 2) {
            self.report(key, format!("found {} numbers", position.len()), wanted);
        } else if self.plane() && position.get(2).is_some_and(|z| *z != 0.0) {
            self.report(
                key,
                format!("found z = {} in a planar structure", position[2]),
                "planar structures lie in the plane xy",
            );
        }
    }
}

/// Table of a key: `beam[2]` for `beam[2].nodes[0]`.
fn item(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn general(check: &mut Check) {
    let general = &check.structure.file.general;
    if !matches!(general.dimension, 2 | 3) {
        check.report("structure.dimension", format!("found {}", general.dimension), "write 2 (planar) or 3 (spatial)");
    }
    if check.structure.file.matrices.is_some() {
        let tables = ["nodes", "material", "section", "beam", "truss", "mass", "spring", "rigid", "average"];
        for table in tables.into_iter().filter(|table| check.structure.source.contains(table)) {
            let expected = "remove it, or remove [matrices]; define ties by `rigid` or `average` of an interface";
            check.report(table, "a structure with [matrices] cannot have elements", expected);
        }
    }
    for (name, position) in &check.structure.file.nodes {
        let key = format!("nodes.{name}");
        check.position(&key, position);
        if name.contains(':') {
            check.report(
                &key,
                "the node name contains a colon",
                "remove it; colons are reserved for inner nodes of beams, like \"beam:1\"",
            );
        }
    }
}

fn names(check: &mut Check) {
    let file = &check.structure.file;
    // Beams and trusses have one name space, because outputs and loads refer to both.
    let named = |table: &str, names: Vec<&'_ String>| {
        names.into_iter().enumerate().map(|(i, name)| (format!("{table}[{i}]"), name.clone())).collect::<Vec<_>>()
    };
    let mut members = named("beam", file.beams.iter().map(|item| &item.name).collect());
    members.extend(named("truss", file.trusses.iter().map(|item| &item.name).collect()));
    let spaces = [
        named("material", file.materials.iter().map(|item| &item.name).collect()),
        named("section", file.sections.iter().map(|item| &item.name).collect()),
        members,
        named("interface", file.interfaces.iter().map(|item| &item.name).collect()),
        named("output", file.outputs.iter().map(|item| &item.name).collect()),
    ];
    // Names are unique in their name space and have no invisible characters.
    for space in spaces {
        let mut first: HashMap<String, String> = HashMap::new();
        for (item, name) in space {
            let key = format!("{item}.name");
            if name.is_empty() || name.trim() != name || name.chars().any(char::is_control) {
                let found = format!("\"{}\" is not a valid name", name.escape_debug());
                check.report(&key, found, "use at least one character, no spaces at the ends, no control characters");
            }
            if let Some(earlier) = first.get(&name) {
                check.report(&key, format!("the name \"{name}\" is already used by {earlier}"), "choose a unique name");
            } else {
                first.insert(name, item);
            }
        }
    }
    // An interface without `node` creates a node with its own name.
    for (i, interface) in file.interfaces.iter().enumerate() {
        if interface.node.is_none() && file.nodes.contains_key(&interface.name) {
            let found = format!(
                "the name \"{}\" is already used by a node, and the interface creates a new node",
                interface.name
            );
            check.report(
                format!("interface[{i}].name"),
                found,
                "choose another name, or refer to the node with `node`",
            );
        }
    }
}

fn materials(check: &mut Check) {
    for (i, material) in check.structure.file.materials.iter().enumerate() {
        let key = |name: &str| format!("material[{i}].{name}");
        check.positive(&key("youngs_modulus"), material.youngs_modulus, "give Young's modulus in Pa, like 210e9");
        check.not_negative(&key("density"), material.density, "give a density in kg/m³, 0 or more");
        if let Some(shear) = material.shear_modulus {
            check.positive(&key("shear_modulus"), shear, "give the shear modulus in Pa, like 80e9");
        }
        if let Some(ratio) = material.poisson_ratio.filter(|ratio| !(*ratio > -1.0 && *ratio <= 0.5)) {
            check.report(
                key("poisson_ratio"),
                format!("found {ratio}"),
                "give a Poisson's ratio above -1 and at most 0.5",
            );
        }
    }
}

/// Keys of a section with their values.
fn section_keys(section: &Section) -> [(&'static str, Option<f64>); 12] {
    [
        ("width", section.width),
        ("height", section.height),
        ("web", section.web),
        ("flange", section.flange),
        ("outer_diameter", section.outer_diameter),
        ("thickness", section.thickness),
        ("area", section.area),
        ("inertia_y", section.inertia_y),
        ("inertia_z", section.inertia_z),
        ("torsion", section.torsion),
        ("shear_y", section.shear_y),
        ("shear_z", section.shear_z),
    ]
}

fn sections(check: &mut Check) {
    for (i, section) in check.structure.file.sections.iter().enumerate() {
        // Each shape has its own required and optional dimensions.
        let (needed, allowed): (&[&str], &[&str]) = match section.shape {
            Shape::Rectangle => (&["width", "height"], &[]),
            Shape::Tube => (&["outer_diameter", "thickness"], &[]),
            Shape::I => (&["height", "width", "web", "flange"], &[]),
            Shape::Given => (&["area"], &["inertia_y", "inertia_z", "torsion", "shear_y", "shear_z"]),
        };
        for (name, value) in section_keys(section) {
            let key = format!("section[{i}].{name}");
            match value {
                Some(value) if needed.contains(&name) || allowed.contains(&name) => {
                    check.positive(&key, value, "give a number above 0");
                }
                Some(_) => {
                    let found = format!("`{name}` does not belong to this shape");
                    check.report(&key, found, format!("its keys are {}", [needed, allowed].concat().join(", ")));
                }
                None if needed.contains(&name) => {
                    check.report(&key, format!("key `{name}` is missing"), "add the key; this shape requires it");
                }
                None => {}
            }
        }
        // Opposite walls must not overlap.
        let too_thick = match section.shape {
            Shape::Tube => {
                section.thickness.zip(section.outer_diameter).filter(|(t, d)| 2.0 * t > *d).map(|_| "thickness")
            }
            Shape::I => {
                let flange = section.flange.zip(section.height).filter(|(t, h)| 2.0 * t >= *h).map(|_| "flange");
                flange.or(section.web.zip(section.width).filter(|(t, b)| t > b).map(|_| "web"))
            }
            _ => None,
        };
        if let Some(key) = too_thick {
            check.report(
                format!("section[{i}].{key}"),
                "the wall is too thick for the section",
                "reduce the thickness",
            );
        }
        stress_points(check, i, section);
    }
}

/// Points of a section: unique names, inside the section.
fn stress_points(check: &mut Check, i: usize, section: &Section) {
    let within =
        |value: f64, extent: Option<f64>| extent.is_none_or(|extent| 2.0 * value.abs() <= extent * (1.0 + 1e-9));
    for (k, point) in section.points.iter().enumerate() {
        let item = format!("section[{i}].point[{k}]");
        if point.name.trim().is_empty() {
            check.report(format!("{item}.name"), "found an empty name", "write a name");
        } else if let Some(earlier) = section.points[..k].iter().position(|other| other.name == point.name) {
            let found = format!("the name \"{}\" is already used by section[{i}].point[{earlier}]", point.name);
            check.report(format!("{item}.name"), found, "choose a unique name");
        }
        let inside = match section.shape {
            Shape::Tube => within(point.y.hypot(point.z), section.outer_diameter),
            Shape::Rectangle | Shape::I => within(point.y, section.width) && within(point.z, section.height),
            Shape::Given => true,
        };
        if !inside {
            let found = format!("y = {}, z = {} is outside the section", point.y, point.z);
            check.report(item, found, "measure y and z from the centroid, in m");
        }
    }
}

/// Beams and trusses.
fn members(check: &mut Check) {
    let file = &check.structure.file;
    let dimension = if check.plane() { Dimension::Plane } else { Dimension::Space };
    // Beams: material, section, divisions, offsets, and the direction of the section axes.
    for (i, beam) in file.beams.iter().enumerate() {
        let key = |name: &str| format!("beam[{i}].{name}");
        check.known(&key("material"), "material", &beam.material, file.materials.iter().map(|item| &item.name));
        if check.known(&key("section"), "section", &beam.section, file.sections.iter().map(|item| &item.name)) {
            let section = file.sections.iter().find(|item| item.name == beam.section);
            beam_section(check, &key("section"), section, beam.theory == super::structure_schema::Theory::Timoshenko);
            end_section(check, i, section);
        }
        if !(1..=100_000).contains(&beam.divisions) {
            let found = format!("found {}", beam.divisions);
            check.report(key("divisions"), found, "write a number of elements from 1 to 100000");
        }
        let offsets = beam.offsets.unwrap_or_default();
        if check.plane() && offsets.iter().any(|offset| offset[2] != 0.0) {
            check.report(
                key("offsets"),
                "the offset has a component out of the plane",
                "give z = 0 in planar structures",
            );
        }
        let Some(along) = along(check, &format!("beam[{i}]"), &beam.nodes, Some(offsets)) else { continue };
        let Some(up) = beam.up else { continue };
        match axes(dimension, along, Some(up)) {
            None => {
                let found = if Vec3::from(up).norm() == 0.0 {
                    "the vector is zero"
                } else {
                    "the vector is parallel to the beam"
                };
                check.report(key("up"), found, "give a direction across the beam");
            }
            Some(axes)
                if check.plane()
                    && axes[(2, 2)].abs() > PARALLEL_TOLERANCE
                    && axes[(2, 1)].abs() > PARALLEL_TOLERANCE =>
            {
                let found = "neither principal axis of the section is in the plane";
                check.report(key("up"), found, "give a direction in the xy plane, or [0, 0, 1]");
            }
            Some(_) => {}
        }
    }
    // Trusses: material, and a section or an area.
    for (i, truss) in file.trusses.iter().enumerate() {
        let key = |name: &str| format!("truss[{i}].{name}");
        check.known(&key("material"), "material", &truss.material, file.materials.iter().map(|item| &item.name));
        match (&truss.section, truss.area) {
            (Some(section), None) => {
                check.known(&key("section"), "section", section, file.sections.iter().map(|item| &item.name));
            }
            (None, Some(area)) => check.positive(&key("area"), area, "give an area in m² above 0"),
            _ => check.report(
                format!("truss[{i}]"),
                "found none or both of `section` and `area`",
                "give exactly one of them",
            ),
        }
        along(check, &format!("truss[{i}]"), &truss.nodes, None);
    }
}

/// A section with given values must have all properties of a beam.
fn beam_section(check: &mut Check, key: &str, section: Option<&Section>, timoshenko: bool) {
    let Some(section) = section.filter(|section| section.shape == Shape::Given) else { return };
    let shear: &[&str] = if timoshenko { &["shear_y", "shear_z"] } else { &[] };
    let needed = [&["inertia_y", "inertia_z", "torsion"], shear].concat();
    let keys = section_keys(section);
    let missing: Vec<&str> =
        keys.iter().filter(|(name, value)| value.is_none() && needed.contains(name)).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let found = format!("section \"{}\" has no {}", section.name, missing.join(", "));
        check.report(key, found, "add it to the section; the beam needs it");
    }
}

/// The section at the end of a tapered beam: with the same keys as the section at its start.
fn end_section(check: &mut Check, i: usize, start: Option<&Section>) {
    let file = &check.structure.file;
    let key = format!("beam[{i}].end_section");
    let (Some(start), Some(name)) = (start, &file.beams[i].end_section) else { return };
    if !check.known(&key, "section", name, file.sections.iter().map(|item| &item.name)) {
        return;
    }
    let Some(end) = file.sections.iter().find(|section| section.name == *name) else { return };
    let keys = |section: &Section| section_keys(section).map(|(_, value)| value.is_some()).to_vec();
    let points = |section: &Section| section.points.iter().map(|point| point.name.clone()).collect::<Vec<_>>();
    let different = if start.shape != end.shape {
        "shape"
    } else if keys(start) != keys(end) {
        "keys"
    } else if points(start) != points(end) {
        "points"
    } else {
        return;
    };
    let found = format!("the sections \"{}\" and \"{}\" differ in {different}", start.name, end.name);
    check.report(key, found, "use two sections of the same kind for a tapered beam");
}

/// Vector between the ends of a member; members without length are reported.
fn along(check: &mut Check, item: &str, nodes: &[String; 2], offsets: Option<[[f64; 3]; 2]>) -> Option<Vec3> {
    let ends = [0, 1].map(|end| check.node(&format!("{item}.nodes[{end}]"), &nodes[end]));
    let offsets = offsets.unwrap_or_default().map(Vec3::from);
    let [start, end] = [ends[0]? + offsets[0], ends[1]? + offsets[1]];
    let size = start.norm().max(end.norm());
    if (end - start).norm() <= 1e-12 * size || start == end {
        let found = format!("the ends \"{}\" and \"{}\" coincide", nodes[0], nodes[1]);
        check.report(format!("{item}.nodes"), found, "connect nodes at different positions");
        return None;
    }
    Some(end - start)
}

/// Masses and springs.
fn points(check: &mut Check) {
    let file = &check.structure.file;
    // A planar structure has masses in its plane and an inertia about z only.
    for (i, mass) in file.masses.iter().enumerate() {
        check.node(&format!("mass[{i}].node"), &mass.node);
        check.not_negative(&format!("mass[{i}].mass"), mass.mass, "give a mass in kg, 0 or more");
        if check.plane() && mass.offset.is_some_and(|offset| offset[2] != 0.0) {
            check.report(
                format!("mass[{i}].offset"),
                "the offset has a component out of the plane",
                "give z = 0 in planar structures",
            );
        }
        // Principal moments of a rigid body satisfy the triangle inequality; round-off is tolerated.
        let [xx, yy, zz, xy, yz, xz] = mass.inertia.unwrap_or_default();
        let inertia = ballesta::math::Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let moments = inertia.symmetric_eigenvalues();
        let (sum, largest) = (moments.sum(), moments.max());
        let impossible = moments.min() < -1e-12 * largest.abs() || 2.0 * largest > sum * (1.0 + 1e-9);
        if !check.plane() && impossible {
            let expected = "give principal moments that are not negative and at most the sum of the other two";
            check.report(format!("mass[{i}].inertia"), "impossible inertia", expected);
        } else if check.plane() && zz < 0.0 {
            check.report(format!("mass[{i}].inertia"), format!("found zz = {zz}"), "give zz in kg m², 0 or more");
        }
    }
    // One stiffness acts along the line between the nodes, 3 or 6 act along and about axes.
    for (i, spring) in file.springs.iter().enumerate() {
        let key = format!("spring[{i}].stiffness");
        if !matches!(spring.stiffness.len(), 1 | 3 | 6) {
            let found = format!("found {} numbers", spring.stiffness.len());
            check.report(&key, found, "write 1 (along the spring), 3 or 6 (axes of C) numbers");
        }
        for (k, value) in spring.stiffness.iter().enumerate() {
            check.not_negative(&format!("{key}[{k}]"), *value, "give a stiffness of 0 or more");
        }
        // An element with lateral stiffness between distant nodes would not be free of forces in rigid rotations.
        let ends = [0, 1].map(|end| check.node(&format!("spring[{i}].nodes[{end}]"), &spring.nodes[end]));
        let [Some(start), Some(end)] = ends else { continue };
        let apart = (end - start).norm() > 1e-9 * start.norm().max(end.norm());
        let nodes = format!("spring[{i}].nodes");
        if spring.nodes[0] == spring.nodes[1] {
            check.report(nodes, "the spring connects a node to itself", "name two nodes");
        } else if spring.stiffness.len() == 1 && !apart {
            check.report(nodes, "the ends coincide", "give 3 or 6 stiffnesses");
        } else if spring.stiffness.len() > 1 && apart {
            let expected =
                "give 1 stiffness along the line between them, or connect coincident points with a rigid follower";
            check.report(nodes, "the ends do not coincide: the spring would resist a rigid rotation", expected);
        }
    }
}

/// Rigid links, averages and interfaces: every node follows at most once.
fn ties(check: &mut Check) {
    let file = &check.structure.file;
    let mut followers: HashMap<&str, String> = HashMap::new();
    for (i, rigid) in file.rigids.iter().enumerate() {
        check.node(&format!("rigid[{i}].node"), &rigid.node);
        follow(check, &mut followers, &format!("rigid[{i}].followers"), &rigid.node, &rigid.followers);
    }
    for (i, average) in file.averages.iter().enumerate() {
        let item = format!("average[{i}]");
        check.node(&format!("{item}.node"), &average.node);
        follow(check, &mut followers, &format!("{item}.followers"), &average.node, &average.followers);
        if let Some(weights) = &average.weights {
            if weights.len() != average.followers.len() {
                let found = format!("found {} weights for {} followers", weights.len(), average.followers.len());
                check.report(format!("{item}.weights"), found, "give one weight for each follower");
            }
            for (k, weight) in weights.iter().enumerate() {
                check.positive(&format!("{item}.weights[{k}]"), *weight, "give a weight above 0");
            }
        }
    }
    for (i, interface) in file.interfaces.iter().enumerate() {
        let item = format!("interface[{i}]");
        interface_keys(check, &item, interface);
        for (key, nodes) in [("rigid", &interface.rigid), ("average", &interface.average)] {
            let nodes = nodes.as_deref().unwrap_or_default();
            follow(check, &mut followers, &format!("{item}.{key}"), &interface.name, nodes);
        }
    }
}

fn follow<'s>(
    check: &mut Check<'s>,
    followers: &mut HashMap<&'s str, String>,
    key: &str,
    leader: &str,
    nodes: &'s [String],
) {
    if nodes.is_empty() && check.structure.source.contains(key) {
        check.report(key, "found no followers", "name at least one node");
    }
    for (k, node) in nodes.iter().enumerate() {
        let key = format!("{key}[{k}]");
        check.node(&key, node);
        // With matrices, the name of an interface is no node: an equal name is a node set.
        if node == leader && check.structure.file.matrices.is_none() {
            check.report(&key, format!("node \"{node}\" follows itself"), "name another node");
        } else if let Some(earlier) = followers.get(node.as_str()) {
            let found = format!("node \"{node}\" is already a follower in {earlier}");
            check.report(&key, found, "name each follower once");
        } else {
            followers.insert(node, key);
        }
    }
}

fn interface_keys(check: &mut Check, item: &str, interface: &Interface) {
    let ways = [interface.node.is_some(), interface.rigid.is_some(), interface.average.is_some()];
    if ways.iter().filter(|way| **way).count() != 1 {
        let expected = "give `node`, or `position` with `rigid`, or `position` with `average`";
        check.report(item, "found none or several of `node`, `rigid`, `average`", expected);
    }
    match (&interface.node, &interface.position) {
        (Some(node), None) => drop(check.node(&format!("{item}.node"), node)),
        (Some(_), Some(_)) => {
            check.report(format!("{item}.position"), "the node already has a position", "remove `position`");
        }
        (None, Some(position)) => check.position(&format!("{item}.position"), position),
        (None, None) => check.report(item, "key `position` is missing", "add the position of the new node in m"),
    }
    if let Some(q) = interface.quaternion {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (norm - 1.0).abs() > 1e-6 {
            check.report(
                format!("{item}.quaternion"),
                format!("its length is {norm}"),
                "give a unit quaternion w, x, y, z",
            );
        }
    }
}

/// Supports, loads, outputs, reduction, damping.
fn requests(check: &mut Check) {
    // Supports and loads.
    let file = &check.structure.file;
    for (i, support) in file.supports.iter().enumerate() {
        check.node(&format!("support[{i}].node"), &support.node);
    }
    for (i, load) in file.loads.iter().enumerate() {
        check.node(&format!("load[{i}].node"), &load.node);
        if load.force.is_none() && load.moment.is_none() {
            check.report(format!("load[{i}]"), "neither `force` nor `moment` is given", "give at least one");
        }
    }
    // An output is at a node, or at a section of a beam or truss.
    for (i, output) in file.outputs.iter().enumerate() {
        let item = format!("output[{i}]");
        match (&output.node, &output.beam, &output.truss) {
            (Some(node), None, None) => {
                check.node(&format!("{item}.node"), node);
                if output.at.is_some() {
                    check.report(
                        format!("{item}.at"),
                        "a node has no sections",
                        "remove `at`, or name a beam or truss",
                    );
                }
            }
            (None, Some(beam), None) => {
                check.known(&format!("{item}.beam"), "beam", beam, file.beams.iter().map(|item| &item.name));
            }
            (None, None, Some(truss)) => {
                check.known(&format!("{item}.truss"), "truss", truss, file.trusses.iter().map(|item| &item.name));
            }
            _ => check.report(&item, "found none or several of `node`, `beam`, `truss`", "give exactly one of them"),
        }
        if let Some(at) = output.at.filter(|at| !(0.0..=1.0).contains(at)) {
            check.report(format!("{item}.at"), format!("found {at}"), "write 0 (first end) or 1 (second end)");
        }
    }
    // Options of the reduction and the damping.
    reduction(check);
    damping(check);
}

fn reduction(check: &mut Check) {
    let file = &check.structure.file;
    let Some(reduction) = &file.reduction else { return };
    // Exactly one criterion selects the modes.
    let choices = [
        reduction.modes.is_some(),
        reduction.mode_numbers.is_some(),
        reduction.frequency_hz.is_some(),
        reduction.effective_mass.is_some(),
    ];
    if choices.iter().filter(|choice| **choice).count() != 1 {
        let found = "found none or several of `modes`, `mode_numbers`, `frequency_hz`, `effective_mass`";
        check.report("reduction", found, "give exactly one of them");
    }
    // Mode numbers ascend; the frequency and the fraction are positive.
    let numbers = reduction.mode_numbers.as_deref().unwrap_or_default();
    if numbers.first() == Some(&0) || !numbers.is_sorted_by(|a, b| a < b) {
        let found = format!("found {numbers:?}");
        check.report("reduction.mode_numbers", found, "write ascending numbers without repetition, from 1");
    }
    if let Some(frequency) = reduction.frequency_hz {
        check.positive("reduction.frequency_hz", frequency, "give a frequency in Hz above 0");
    }
    if let Some(part) = reduction.effective_mass.filter(|part| !(*part > 0.0 && *part <= 1.0)) {
        check.report(
            "reduction.effective_mass",
            format!("found {part}"),
            "give a fraction above 0 and at most 1, like 0.95",
        );
    }
    // Step and support.
    check.positive("reduction.step", reduction.step, "give a time step in s above 0");
    if let Some(support) = &reduction.support {
        check.known("reduction.support", "interface", support, file.interfaces.iter().map(|item| &item.name));
    }
}

fn damping(check: &mut Check) {
    let damping = &check.structure.file.damping;
    let given = [damping.ratio.is_some(), damping.ratios.is_some(), damping.rayleigh.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        check.report("damping", "more than one of `ratio`, `ratios`, `rayleigh` is given", "give one of them");
    }
    let matrix = check.structure.file.matrices.as_ref().is_some_and(|table| table.damping.is_some());
    if matrix && given.contains(&true) {
        let expected = "remove this table, or the key `damping` of `matrices`";
        check.report("damping", "damping is given here and as a matrix", expected);
    }
    let ratios = damping.ratio.map(|ratio| ("damping.ratio".to_string(), ratio)).into_iter();
    let listed = damping.ratios.iter().flatten().enumerate().map(|(i, ratio)| (format!("damping.ratios[{i}]"), *ratio));
    let factors = damping.rayleigh.iter().flatten().enumerate().map(|(i, x)| (format!("damping.rayleigh[{i}]"), *x));
    for (key, value) in ratios.chain(listed).chain(factors) {
        check.not_negative(&key, value, "give a damping of 0 or more");
    }
}
