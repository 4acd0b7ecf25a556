//! Parts of the drawing, fixed in their bodies.

use super::frames::{Load, pose};
use super::items::{BODIES, CONSTRAINTS, FORCES, Items, JOINTS, TYRES};
use super::looks::Appearance;
use crate::view::scene::{MarkedPoint, Scene, Sign, StrutKind};
use ballesta::math::Vec3;
use ballesta::math::spatial::Inertia;
use ballesta::model::Document;
use ballesta::model::schema::{Place, Quantity};
use ballesta::system::{System, Workspace};
use ballesta_run::recovered_run::{MonitoredBody, RecoveredBody};
use serde::Serialize;

/// A point: its body and its coordinates in the body's frame, m.
pub type BodyPoint = (usize, [f64; 3]);

/// A body.
#[derive(Serialize)]
pub struct BodyPart {
    /// Row in the tree.
    pub i: usize,
    /// Its frame; the origin is the centre of mass.
    pub b: usize,
    /// Whether it has mass.
    pub massive: bool,
    /// Whether it is drawn as a tyre.
    pub wheel: bool,
    /// Whether it is flexible.
    pub flexible: bool,
    /// Points where it is supported or connected.
    pub pts: Vec<BodyPoint>,
    /// Shape of a body with no or one joint.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
}

/// The homogeneous box with the mass and inertia of a body, about its centre of mass.
#[derive(Serialize)]
pub struct Block {
    /// Its axes in the frame of the body, of unit length.
    axes: [[f64; 3]; 3],
    /// Lengths along them, m; zeros for a point mass.
    size: [f64; 3],
}

impl Block {
    /// For a body with mass: J₁ = m (b² + c²)/12 and so on, so that a² = 6 (J₁ + J₂ + J₃ − 2 J₁)/m. Each length is at
    /// least a tenth of the longest.
    fn of(inertia: &Inertia) -> Option<Block> {
        if inertia.mass <= 0.0 {
            return None;
        }
        let eigen = inertia.second.symmetric_eigen();
        let sum = eigen.eigenvalues.sum();
        let length = |k: usize| (6.0 * (sum - 2.0 * eigen.eigenvalues[k]) / inertia.mass).max(0.0).sqrt();
        let lengths = [0, 1, 2].map(length);
        let longest = lengths.into_iter().fold(0.0, f64::max);
        let axes = [0, 1, 2].map(|k| eigen.eigenvectors.column(k).into_owned().into());
        Some(Block { axes, size: lengths.map(|length| length.max(0.1 * longest)) })
    }
}

/// A joint, constraint, bushing or leaf spring.
#[derive(Serialize)]
pub struct MarkPart {
    pub i: usize,
    pub kind: &'static str,
    /// Position.
    pub at: BodyPoint,
    /// Axis in the frame of the same body; zeros without an axis.
    pub axis: [f64; 3],
    /// Second axis.
    pub up: [f64; 3],
    pub guided: bool,
    pub sprung: bool,
}

/// An element between two points.
#[derive(Serialize)]
pub struct StrutPart {
    pub i: usize,
    pub kind: &'static str,
    pub ends: [BodyPoint; 2],
    /// Index of the force element whose tension it shows.
    pub element: Option<usize>,
}

/// A curve that a joint runs along.
#[derive(Serialize)]
pub struct LinePart {
    pub i: usize,
    pub b: usize,
    /// Points of the curve.
    pub pts: Vec<[f64; 3]>,
}

/// A wheel.
#[derive(Serialize)]
pub struct WheelPart {
    pub i: usize,
    pub b: usize,
    pub middles: Vec<[f64; 3]>,
    pub axis: [f64; 3],
    pub radius: f64,
    pub width: f64,
}

/// A flexible body.
#[derive(Serialize)]
pub struct FlexiblePart {
    pub i: usize,
    /// Its floating frame.
    pub b: usize,
    /// Names of its nodes.
    pub names: Vec<String>,
    /// Undeformed positions of the nodes in the frame, m.
    pub places: Vec<[f64; 3]>,
    /// Body of the interface if it moves separately; otherwise 0.
    pub interfaces: Vec<usize>,
    /// Pairs of nodes connected by a line.
    pub edges: Vec<[usize; 2]>,
    /// Per node six rows (displacement in m, rotation in rad, axes of the frame) with one number per elastic
    /// coordinate.
    pub shapes: Vec<[Vec<f64>; 6]>,
    /// With a recovery file: the stresses at both ends of every edge, and the largest stress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress: Option<StressPart>,
    /// Symbols at its nodes: row in the tree, index of the node, `interface`, `support` or `mass`.
    pub signs: Vec<(usize, usize, &'static str)>,
}

/// Stresses of a flexible body.
#[derive(Serialize)]
pub struct StressPart {
    /// Per edge the series at its two ends; `None` if no stress is known.
    pub ends: Vec<[Option<usize>; 2]>,
    /// Largest stress of the run, Pa; `None` if no stress is known.
    pub largest: Option<f64>,
    /// The largest stress with location and time: lines of text.
    pub told: Vec<String>,
}

/// A point whose path is drawn.
#[derive(Serialize)]
pub struct PathPart {
    pub i: usize,
    pub at: BodyPoint,
}

/// All parts.
#[derive(Default, Serialize)]
pub struct Parts {
    pub bodies: Vec<BodyPart>,
    pub marks: Vec<MarkPart>,
    pub struts: Vec<StrutPart>,
    pub lines: Vec<LinePart>,
    pub wheels: Vec<WheelPart>,
    pub flexible: Vec<FlexiblePart>,
    pub ground: Vec<[f64; 3]>,
    pub paths: Vec<PathPart>,
    /// Shapes of bodies.
    #[serde(flatten)]
    pub looks: Appearance,
    /// Loads, with their motion.
    pub loads: Vec<Load>,
}

impl Parts {
    /// A single flexible body.
    pub fn of_one(body: FlexiblePart) -> Parts {
        Parts { flexible: vec![body], ..Parts::default() }
    }
}

/// Bounding box, m.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Lowest coordinates.
    pub low: Vec3,
    /// Highest coordinates.
    pub high: Vec3,
}

impl Extent {
    /// Box around points; the origin without points.
    pub fn around(places: &[Vec3]) -> Extent {
        let empty = Extent { low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) };
        let all = places.iter().fold(empty, |all, place| Extent { low: all.low.inf(place), high: all.high.sup(place) });
        if places.is_empty() { Extent { low: Vec3::zeros(), high: Vec3::zeros() } } else { all }
    }

    /// Length of its diagonal; 1 for a single point.
    pub fn size(&self) -> f64 {
        let size = (self.high - self.low).norm();
        if size > 0.0 { size } else { 1.0 }
    }
}

/// The drawing of a model whose evaluated start is in the workspace, and its bounding box.
pub fn parts(document: &Document, system: &System, ws: &Workspace, values: &[f64], items: &Items) -> (Parts, Extent) {
    let scene = Scene::new(document, system, ws, values);
    // The page moves parts with their bodies, so points and axes are expressed in body frames.
    let local = |spot: &MarkedPoint| {
        let (origin, rotation) = pose(system, ws, spot.body);
        (spot.body, <[f64; 3]>::from(rotation.tr_mul(&(spot.at - origin))))
    };
    let direction = |body: usize, axis: &Vec3| <[f64; 3]>::from(pose(system, ws, body).1.tr_mul(axis));
    // Each part refers to its row in the list of items.
    let row = |group: usize, name: &str| items.find(group, name).unwrap_or(0);
    let model = &document.model;
    let flexible = |name: &str| model.flexible_bodies.iter().any(|body| body.name == name);
    // Bodies with few points are drawn as a block with equal inertia.
    let bodies = scene.bodies.iter().map(|body| BodyPart {
        i: row(BODIES, &body.name),
        b: body.number,
        massive: body.massive,
        wheel: body.wheel,
        flexible: flexible(&body.name),
        pts: body.points.iter().map(local).collect(),
        block: if body.points.len() < 2 { Block::of(&system.bodies[body.number].inertia) } else { None },
    });
    // Joints and force elements.
    let marks = scene.marks.iter().map(|mark| MarkPart {
        i: row(sign_group(mark.sign), &mark.name),
        kind: sign_word(mark.sign),
        at: local(&mark.at),
        axis: direction(mark.at.body, &mark.axis),
        up: direction(mark.at.body, &mark.up),
        guided: mark.guided,
        sprung: mark.sprung,
    });
    let struts = scene.struts.iter().map(|strut| StrutPart {
        i: row(if strut.kind == StrutKind::Rod { CONSTRAINTS } else { FORCES }, &strut.name),
        kind: strut_word(strut.kind),
        ends: strut.ends.each_ref().map(local),
        element: system.elements.iter().position(|element| element.name() == strut.name),
    });
    // Curves and wheels.
    let lines = scene.lines.iter().map(|line| LinePart {
        i: row(JOINTS, &line.name),
        b: line.body,
        pts: line.places.iter().map(|point| local(&MarkedPoint { body: line.body, at: *point }).1).collect(),
    });
    let wheels = scene.wheels.iter().map(|wheel| WheelPart {
        i: row(TYRES, &wheel.name),
        b: wheel.body,
        middles: wheel.middles.iter().map(|point| local(&MarkedPoint { body: wheel.body, at: *point }).1).collect(),
        axis: direction(wheel.body, &wheel.axis),
        radius: wheel.radius,
        width: wheel.width,
    });
    let parts = Parts {
        bodies: bodies.collect(),
        marks: marks.collect(),
        struts: struts.collect(),
        lines: lines.collect(),
        wheels: wheels.collect(),
        flexible: flexible_parts(system, items),
        ground: scene.ground.iter().map(|place| (*place).into()).collect(),
        paths: paths(document, system, values, items),
        looks: Appearance::new(document, system, values, items),
        loads: Vec::new(),
    };
    (parts, Extent::around(&scene.places()))
}

impl FlexiblePart {
    /// Parts of a single body without rigid motion: `shapes` per node six rows with one number per mode.
    pub fn of_nodes(
        names: Vec<String>,
        places: &[Vec3],
        edges: Vec<[usize; 2]>,
        shapes: Vec<[Vec<f64>; 6]>,
        signs: Vec<(usize, usize, &'static str)>,
    ) -> FlexiblePart {
        let interfaces = vec![0; places.len()];
        let places = places.iter().map(|place| (*place).into()).collect();
        FlexiblePart { i: 0, b: 1, names, places, interfaces, edges, shapes, stress: None, signs }
    }
}

fn flexible_parts(system: &System, items: &Items) -> Vec<FlexiblePart> {
    let part = |body: &ballesta::system::Flexible| {
        let interface = |name: &str| body.links.iter().find(|link| link.name == name).map_or(0, |link| link.body);
        let places: Vec<Vec3> = body.places.iter().map(|place| body.axes * place.position).collect();
        FlexiblePart {
            i: items.find(BODIES, &body.name).unwrap_or(0),
            b: body.body,
            names: body.places.iter().map(|place| place.name.clone()).collect(),
            interfaces: body.places.iter().map(|place| interface(&place.name)).collect(),
            edges: nearest_tree(&places),
            shapes: body.places.iter().map(|place| turned(&place.shape, &body.axes)).collect(),
            places: places.into_iter().map(<[f64; 3]>::from).collect(),
            stress: None,
            signs: Vec::new(),
        }
    };
    system.flexible.iter().map(part).collect()
}

impl FlexiblePart {
    /// Draws the whole structure instead of a tree through interfaces and output nodes.
    pub fn take_structure(&mut self, system: &System, watched: &MonitoredBody) {
        let RecoveredBody { body, first_node, nodes, sections, tensors, lines, .. } = &watched.recovered;
        let flexible = &system.flexible[*body];
        let first = self.places.len();
        for node in &flexible.nodes[*first_node..first_node + nodes] {
            self.names.push(node.name.clone());
            self.places.push((flexible.axes * node.position).into());
            self.interfaces.push(0);
            self.shapes.push(turned(&node.shape, &flexible.axes));
        }
        self.edges = lines.iter().map(|line| line.map(|node| first + node)).collect();
        let at_node = |node: usize| tensors.iter().position(|of| *of == node).map(|k| sections + k);
        let ends = lines.iter().enumerate().map(|(k, line)| match 2 * k < *sections {
            true => [Some(2 * k), Some(2 * k + 1)],
            false => line.map(at_node),
        });
        let findings = watched.findings(system);
        let told = findings.rows().into_iter().map(|row| row.join(" "));
        self.stress = Some(StressPart { ends: ends.collect(), largest: findings.stress_pa, told: told.collect() });
    }
}

/// Six rows in the axes of the body frame instead of the axes of its reduced-order model.
fn turned(rows: &[Vec<f64>; 6], axes: &ballesta::math::Mat3) -> [Vec<f64>; 6] {
    std::array::from_fn(|row| {
        let (first, k) = (row / 3 * 3, row % 3);
        (0..rows[0].len()).map(|mode| (0..3).map(|j| axes[(k, j)] * rows[first + j][mode]).sum()).collect()
    })
}

/// The shortest tree that connects all nodes (Prim), because a reduced model has no elements.
pub fn nearest_tree(places: &[Vec3]) -> Vec<[usize; 2]> {
    let mut edges = Vec::new();
    let mut nearest: Vec<(f64, usize)> = places.iter().map(|place| ((place - places[0]).norm(), 0)).collect();
    let mut outside: Vec<usize> = (1..places.len()).collect();
    while let Some(at) = (0..outside.len()).min_by(|a, b| nearest[outside[*a]].0.total_cmp(&nearest[outside[*b]].0)) {
        let place = outside.remove(at);
        edges.push([nearest[place].1, place]);
        for other in &outside {
            let distance = (places[*other] - places[place]).norm();
            if distance < nearest[*other].0 {
                nearest[*other] = (distance, place);
            }
        }
    }
    edges
}

/// Points whose position is an output.
fn paths(document: &Document, system: &System, values: &[f64], items: &Items) -> Vec<PathPart> {
    let model = &document.model;
    let path = |output: &ballesta::model::schema::Output| {
        let name = output.body.as_ref().filter(|_| output.quantity == Quantity::Position)?;
        let body = system.bodies.iter().position(|body| body.name == *name)?;
        let place = |place: &Place| model.resolve_place(place, values) - system.origin - system.bodies[body].design;
        let point = output.point.as_ref().map_or_else(Vec3::zeros, place);
        let i = items.list.iter().position(|item| item.n == output.name && !item.c.is_empty())?;
        Some(PathPart { i, at: (body, point.into()) })
    };
    model.outputs.iter().filter_map(path).collect()
}

/// Heading of a mark.
fn sign_group(sign: Sign) -> usize {
    match sign {
        Sign::Constraint => CONSTRAINTS,
        Sign::Bushing | Sign::LeafSpring => FORCES,
        _ => JOINTS,
    }
}

fn sign_word(sign: Sign) -> &'static str {
    match sign {
        Sign::Revolute => "revolute",
        Sign::Prismatic => "prismatic",
        Sign::Cylindrical => "cylindrical",
        Sign::Universal => "universal",
        Sign::Spherical => "spherical",
        Sign::Planar => "planar",
        Sign::Fixed => "fixed",
        Sign::Constraint => "constraint",
        Sign::Bushing => "bushing",
        Sign::LeafSpring => "leaf_spring",
    }
}

fn strut_word(kind: StrutKind) -> &'static str {
    match kind {
        StrutKind::Rod => "rod",
        StrutKind::Spring => "spring",
        StrutKind::Damper => "damper",
        StrutKind::AirSpring => "air_spring",
        StrutKind::BumpStop => "bump_stop",
        StrutKind::AntiRollBar => "anti_roll_bar",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::math::Mat3;

    #[test]
    fn a_box_has_the_inertia_of_its_body() {
        let [mass, a, b, c] = [12.0, 0.4, 0.1, 0.2];
        let second = Mat3::from_diagonal(&Vec3::new(b * b + c * c, a * a + c * c, a * a + b * b));
        let block = Block::of(&Inertia { mass, first: Vec3::zeros(), second }).unwrap();
        for (axis, size) in block.axes.iter().zip(block.size) {
            let along = (0..3).find(|k| axis[*k].abs() > 0.999).unwrap();
            assert!((size - [a, b, c][along]).abs() < 1e-12, "{along}: {size}");
        }
        let point = Block::of(&Inertia { mass, first: Vec3::zeros(), second: Mat3::zeros() }).unwrap();
        assert_eq!(point.size, [0.0; 3]);
        assert!(Block::of(&Inertia { mass: 0.0, first: Vec3::zeros(), second }).is_none());
    }
}
