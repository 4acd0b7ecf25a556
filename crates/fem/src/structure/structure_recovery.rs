//! All nodes and elements of a structure as outputs, for the recovery file. These are the displacements of every node,
//! the internal forces at both ends of every beam and bar, and the fibres where the normal stress can be largest.

use super::Structure;
use super::section::{between, properties, shear_rows, stress_points};
use super::structure_schema::{Point, Section, Shape};
use crate::drawing::Drawing;
use crate::element::{Element, LineKind};
use crate::internal_force_rows::RecoverySection;
use crate::model::FiniteElementModel;
use ballesta::rom::rom_schema::StressPoint;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

/// Number of fibres around a tube; the largest fibre stress is at most 2 % below the largest bending stress.
const TUBE_FIBRES: usize = 16;

/// Data of a structure in a recovery file, in addition to the outputs of the structure file.
pub struct StructureOutputs {
    /// Pairs of nodes connected by a line: first the lines of beams and bars.
    pub lines: Vec<[usize; 2]>,
    /// Number of node outputs of the structure file.
    pub own_nodes: usize,
    /// Number of its sections.
    pub own_sections: usize,
}

/// Adds outputs of all nodes, and of both ends of all beams and bars, after the outputs of the structure file.
pub fn recover_everything(structure: &Structure, model: &mut FiniteElementModel) -> StructureOutputs {
    let (own_nodes, own_sections) = (model.output_nodes.len(), model.sections.len());
    // The centre of an eccentric mass belongs to the mass, not to the structure.
    let used = nodes_of_structure(structure, model);
    let mut numbers = vec![usize::MAX; model.nodes.len()];
    used.iter().enumerate().for_each(|(number, node)| numbers[*node] = number);
    model.output_nodes.extend(used.iter().map(|node| (model.nodes[*node].name.clone(), *node)));
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let members = model.elements.iter().filter_map(|element| match element {
        Element::Line(line) => Some((line.kind == LineKind::Truss, line.name.as_str())),
        _ => None,
    });
    members.for_each(|member| *counts.entry(member).or_default() += 1);
    let (mut lines, mut others, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    let (mut fibres, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let tapered: BTreeSet<(bool, &str)> = (structure.file.beams.iter())
        .filter(|beam| beam.end_section.is_some())
        .map(|beam| (false, beam.name.as_str()))
        .collect();
    for (k, element) in model.elements.iter().enumerate() {
        let line = match element {
            Element::Line(line) => line,
            Element::Spring(spring) => {
                others.push(spring.nodes);
                continue;
            }
            Element::Mass(_) => continue,
        };
        let member = (line.kind == LineKind::Truss, line.name.as_str());
        let number = seen.entry(member).and_modify(|number| *number += 1).or_insert(1_usize);
        let stem = if counts[&member] > 1 { format!("{}[{number}]", line.name) } else { line.name.clone() };
        for (at, word) in [(0, "start"), (1, "end")] {
            // Each element of a tapered beam has separate points at both ends.
            let place = (*number - 1 + at) as f64 / counts[&member] as f64;
            let key = if tapered.contains(&member) { (member, *number, at) } else { (member, 0, 0) };
            let points = fibres.entry(key).or_insert_with(|| fibres_of(structure, member, place));
            sections.push(RecoverySection {
                name: format!("{stem}.{word}"),
                member: line.name.clone(),
                element: k,
                at: at as f64,
                position: model.nodes[line.nodes[at]].position,
                axes: line.axes,
                points: points.clone(),
            });
        }
        lines.push(line.nodes);
    }
    if model.elements.is_empty() {
        others = Drawing::new(model).pairs();
    }
    model.sections.extend(sections);
    lines.extend(others);
    lines.iter_mut().flatten().for_each(|node| *node = numbers[*node]);
    StructureOutputs { lines, own_nodes, own_sections }
}

/// All nodes except nodes with only a mass.
fn nodes_of_structure(structure: &Structure, model: &FiniteElementModel) -> Vec<usize> {
    let is_mass = |element: &&Element| matches!(element, Element::Mass(_));
    let others = model.elements.iter().filter(|element| !is_mass(element)).flat_map(Element::nodes);
    let others: BTreeSet<usize> = others.collect();
    let carried = model.elements.iter().filter(is_mass).flat_map(Element::nodes);
    let given = |node: usize| structure.file.nodes.contains_key(&model.nodes[node].name);
    let centres: BTreeSet<usize> = carried.filter(|node| !others.contains(node) && !given(*node)).collect();
    (0..model.nodes.len()).filter(|node| !centres.contains(node)).collect()
}

/// The fibres of a beam at a position (0..1 along it), or of a truss, by its name.
fn fibres_of(structure: &Structure, (is_truss, name): (bool, &str), at: f64) -> Vec<StressPoint> {
    let file = &structure.file;
    // Material, sections and area; a tapered beam has two sections.
    let (material, section, end, area) = if is_truss {
        let truss = file.trusses.iter().find(|truss| truss.name == name);
        truss
            .map_or((None, None, None, None), |truss| (Some(&truss.material), truss.section.as_ref(), None, truss.area))
    } else {
        let beam = file.beams.iter().find(|beam| beam.name == name);
        beam.map_or((None, None, None, None), |beam| {
            (Some(&beam.material), Some(&beam.section), beam.end_section.as_ref(), None)
        })
    };
    // Shear correction depends on Poisson's ratio.
    let poisson = file.materials.iter().find(|found| Some(&found.name) == material).map(|found| found.poisson());
    let named = |name: Option<&String>| name.and_then(|name| file.sections.iter().find(|found| found.name == *name));
    let section = match (named(section), named(end)) {
        (Some(start), Some(end)) => Some(between(start, end, at)),
        (section, _) => section.cloned(),
    };
    let section = section.as_ref();
    let properties = section.map(|section| properties(section, poisson.unwrap_or(0.3)));
    let area = area.or(properties.map(|properties| properties.area)).unwrap_or(f64::INFINITY);
    // A truss, or a section without dimensions, has only the axial stress.
    let axis = || vec![StressPoint::normal("axis", [1.0 / area, 0.0, 0.0, 0.0, 0.0, 0.0])];
    // Other beams have the extreme points of the section.
    match (section, properties) {
        (Some(section), Some(properties)) if !is_truss => {
            let points = extremes(section);
            let with_points = Section { points: points.clone(), ..section.clone() };
            let mut fibres = if points.is_empty() { axis() } else { stress_points(&with_points, &properties) };
            for (fibre, point) in fibres.iter_mut().zip(&points) {
                fibre.shear = shear_rows(section, &properties, point);
            }
            fibres
        }
        _ => axis(),
    }
}

/// The points of a section where the normal stress can be largest, and the middles of the sides of rectangles, where
/// the shear stress can be largest; the points of the file if the shape is not known.
fn extremes(section: &Section) -> Vec<Point> {
    let half = |key: Option<f64>| 0.5 * key.unwrap_or(0.0);
    let (y, z) = (half(section.width), half(section.height));
    let point = |name: &str, y: f64, z: f64| Point { name: name.into(), y, z };
    match section.shape {
        Shape::Rectangle | Shape::I => {
            let corners = [("plus_plus", y, z), ("minus_plus", -y, z), ("minus_minus", -y, -z), ("plus_minus", y, -z)];
            let sides = [("plus_middle", y, 0.0), ("middle_plus", 0.0, z), ("minus_middle", -y, 0.0)];
            let sides = sides.into_iter().chain([("middle_minus", 0.0, -z)]);
            let sides = sides.filter(|_| section.shape == Shape::Rectangle);
            corners.into_iter().chain(sides).map(|(name, y, z)| point(name, y, z)).collect()
        }
        Shape::Tube => {
            let radius = half(section.outer_diameter);
            let place = |k: usize| {
                let angle = TAU * k as f64 / TUBE_FIBRES as f64;
                // Exact at the ends of the axes.
                let exact = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
                let (y, z) = (exact(angle.cos()), exact(angle.sin()));
                point(&format!("around[{k}]"), radius * y, radius * z)
            };
            (0..TUBE_FIBRES).map(place).collect()
        }
        Shape::Given => section.points.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::{build, parse};

    #[test]
    fn every_end_of_every_element_has_a_name_of_its_own_and_the_fibres_of_its_section() {
        let text = r#"
            nodes = { A = [0, 0, 0], B = [1, 0, 0], C = [0, 1, 0], D = [0, 0, 1] }
            structure = { name = "s" }
            material = [{ name = "m", youngs_modulus = 70e9, density = 2700 }]
            section = [{ name = "r", shape = "rectangle", width = 0.03, height = 0.01 },
                { name = "t", shape = "tube", outer_diameter = 0.04, thickness = 0.002 }]
            beam = [{ name = "b", nodes = ["A", "B"], material = "m", section = "r", divisions = 2 },
                { name = "c", nodes = ["A", "C"], material = "m", section = "t" },
                { name = "d", nodes = ["A", "D"], material = "m", section = "t" }]
            truss = [{ name = "e", nodes = ["B", "C"], material = "m", area = 2e-4 }]
            output = [{ name = "o", node = "B" }, { name = "p", beam = "b" }]
        "#;
        let structure = parse(text, "structure.toml").unwrap_or_else(|wrong| panic!("{wrong}"));
        let mut model = build(&structure).unwrap_or_else(|wrong| panic!("{wrong}"));
        let everything = recover_everything(&structure, &mut model);
        assert_eq!((everything.own_nodes, everything.own_sections, everything.lines.len()), (1, 1, 5));
        let names: Vec<&str> = model.sections[1..].iter().map(|section| section.name.as_str()).collect();
        let wanted = [
            "b[1].start",
            "b[1].end",
            "b[2].start",
            "b[2].end",
            "c.start",
            "c.end",
            "d.start",
            "d.end",
            "e.start",
            "e.end",
        ];
        assert_eq!(names, wanted);
        assert_eq!(model.output_nodes.len(), 1 + 5);
        let stress = |section: usize, point: usize| model.sections[1 + section].points[point].normal;
        // Rectangle: A = 3e-4, I_y = w h³/12, I_z = h w³/12; corner at y = 15 mm, z = 5 mm.
        let wanted = [1.0 / 3e-4, 0.0, 0.0, 0.0, 0.005 * 12.0 / (0.03 * 1e-6), -0.015 * 12.0 / (0.01 * 2.7e-5)];
        let close = stress(0, 0).iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs());
        assert!(close, "{:?} instead of {wanted:?}", stress(0, 0));
        assert_eq!(model.sections[5].points.len(), TUBE_FIBRES);
        assert_eq!(stress(8, 0), [1.0 / 2e-4, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
