//! Mode shapes for the page: of a model as small motions of its bodies, of reduced models as displacements of nodes.

use super::encode::Series;
use super::frames::Frames;
use super::items::Items;
use super::parts::{FlexiblePart, Parts, nearest_tree};
use super::{Data, FORMAT, Plots, Recorder, Subject, items, json_of, parts, up, write};
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{self, Mode};
use ballesta::analysis::operating_point::OperatingPoint;
use ballesta::math::Vec3;
use ballesta::math::spatial::Motion;
use ballesta::rom::Rom;
use ballesta::system::{State, System, Workspace};
use ballesta_files::words as text;
use nalgebra::{Complex, DMatrix};
use serde::Serialize;
use std::sync::Arc;

/// A mode.
#[derive(Serialize)]
pub struct Shape {
    /// Natural frequency, Hz.
    f: f64,
    /// Damping ratio.
    z: f64,
    /// Moving parts, as text.
    d: String,
    /// Per body, including the ground: displacement of its origin and small rotation, real parts, then imaginary parts.
    bodies: Vec<[f64; 12]>,
    /// Per flexible body and elastic coordinate: real and imaginary part.
    elastic: Vec<Vec<[f64; 2]>>,
}

/// The page of the oscillations `modes` of `model`, the linearization of `state`; `None` if a mode has no shape.
pub fn of_model(
    subject: &Subject,
    system: &Arc<System>,
    state: &State,
    model: &Linearization,
    modes: &[(&Mode, String)],
) -> Option<String> {
    Some(write(&data_of(subject, system, state, model, modes)?, None))
}

/// The data of such a page as JSON, for the workshop.
pub fn data_of_model(
    subject: &Subject,
    system: &Arc<System>,
    state: &State,
    model: &Linearization,
    modes: &[(&Mode, String)],
) -> Option<String> {
    Some(json_of(&data_of(subject, system, state, model, modes)?))
}

fn data_of(
    subject: &Subject,
    system: &Arc<System>,
    state: &State,
    model: &Linearization,
    modes: &[(&Mode, String)],
) -> Option<Data> {
    let mut ws = Workspace::new(system);
    let point = OperatingPoint::new(system, state, &mut ws, false).ok()?;
    let recorder = super::at_rest(system, &point.state);
    let shapes = modes.iter().map(|(mode, words)| shape(system, &point, recorder.first(), model, mode, words));
    let shapes = shapes.collect::<Option<Vec<Shape>>>()?;
    Some(with_shapes(subject, recorder, shapes))
}

fn with_shapes(subject: &Subject, recorder: Recorder, shapes: Vec<Shape>) -> Data {
    let system = recorder.system().clone();
    let items = Items::new(subject.document, subject.values, &[]);
    let (mut parts, extent) = parts::parts(subject.document, &system, recorder.first(), subject.values, &items);
    let (frames, _) = recorder.finish(extent.size(), None);
    parts.loads.clear();
    Data {
        format: FORMAT,
        kind: "modes",
        name: subject.document.model.general.name.clone(),
        description: subject.document.model.general.description.clone(),
        version: env!("CARGO_PKG_VERSION"),
        up: up(&system),
        size: extent.size(),
        groups: items::GROUPS,
        items: items.list,
        bodies: system.bodies.iter().map(|body| body.name.clone()).collect(),
        parts,
        frames,
        sliders: Vec::new(),
        unmoved: Vec::new(),
        roads: Vec::new(),
        ground: None,
        plots: Plots::default(),
        shapes,
        live: None,
    }
}

/// Small motions of all bodies in a mode. The workspace holds the evaluation at the point.
fn shape(
    system: &System,
    point: &OperatingPoint,
    ws: &Workspace,
    model: &Linearization,
    mode: &Mode,
    words: &str,
) -> Option<Shape> {
    let n = point.size();
    // Complex shape in independent coordinates; R gives the motion of all coordinates.
    let independent = modal::shape(model, mode)?;
    let part = |pick: fn(&Complex<f64>) -> f64| -> Vec<f64> {
        let of = |v: usize| (0..n).map(|k| point.motion[v * n + k] * pick(&independent[k])).sum();
        (0..system.nv).map(of).collect()
    };
    let velocities = [part(|c| c.re), part(|c| c.im)];
    // Small translation and rotation of each body, real and imaginary part.
    let motions = velocities.each_ref().map(|v| body_motions(system, ws, v));
    let bodies = (0..system.bodies.len()).map(|body| {
        let position = ws.kinematics.bodies[body].position;
        let six = |motions: &[Motion]| {
            let (lin, ang) = (motions[body].at(&position), motions[body].ang);
            [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]
        };
        let (re, im) = (six(&motions[0]), six(&motions[1]));
        std::array::from_fn(|k| if k < 6 { re[k] } else { im[k - 6] })
    });
    // Flexible bodies also need their modal coordinates.
    let elastic =
        |body: &ballesta::system::Flexible| body.v.clone().map(|v| [velocities[0][v], velocities[1][v]]).collect();
    Some(Shape {
        f: mode.frequency_hz(),
        z: mode.damping(),
        d: words.to_string(),
        bodies: bodies.collect(),
        elastic: system.flexible.iter().map(elastic).collect(),
    })
}

/// Motions of all bodies about the points o of their branches for speeds `v` of all coordinates.
fn body_motions(system: &System, ws: &Workspace, v: &[f64]) -> Vec<Motion> {
    let mut motions = vec![Motion::zero(); system.bodies.len()];
    for (j, joint) in system.joints.iter().enumerate() {
        let relative = joint.relative_velocity(&ws.kinematics.columns, v);
        motions[j + 1] = motions[system.bodies[j + 1].parent] + relative;
    }
    motions
}

/// Nodes of a body that moves only by shapes.
pub(super) struct Nodes {
    pub name: String,
    pub note: String,
    pub up: [f64; 3],
    pub names: Vec<String>,
    pub places: Vec<Vec3>,
    pub edges: Vec<[usize; 2]>,
    /// Per mode and node: displacement and rotation.
    pub shapes: Vec<Vec<[f64; 6]>>,
    pub frequencies_hz: Vec<f64>,
    /// Kind of motion of each mode.
    pub words: Vec<String>,
    /// Index of a node, its symbol, name and kind.
    pub signs: Vec<(usize, &'static str, String, String)>,
}

/// The page of a reduced model with the shapes (coordinates × modes) of its elastic modes, at its interfaces and output
/// nodes.
pub fn of_rom(rom: &Rom, shapes: &DMatrix<f64>, frequencies_hz: &[f64]) -> String {
    // Motion of interfaces directly from their coordinates, of nodes by their displacement shapes.
    let of_mode = |mode: usize| {
        let q = shapes.column(mode);
        let interfaces = rom.interfaces.iter().map(|interface| {
            let mut column = interface.first_column;
            std::array::from_fn(|k| {
                let value = if interface.active[k] { q[column] } else { 0.0 };
                column += usize::from(interface.active[k]);
                value
            })
        });
        let row = |row: &Vec<f64>| row.iter().zip(q.iter()).map(|(a, b)| a * b).sum();
        let nodes = rom.nodes.iter().map(|node| std::array::from_fn(|k| node.displacement.get(k).map_or(0.0, row)));
        interfaces.chain(nodes).collect()
    };
    // A tree of nearest neighbours replaces the mesh, which a reduced model does not have.
    let positions =
        rom.interfaces.iter().map(|interface| interface.position).chain(rom.nodes.iter().map(|node| node.position));
    let places: Vec<Vec3> = positions.map(Vec3::from).collect();
    let names = rom.interfaces.iter().map(|interface| &interface.name).chain(rom.nodes.iter().map(|node| &node.name));
    of_nodes(Nodes {
        name: rom.name.clone(),
        note: "elastic modes of the free body at its interfaces and output nodes".into(),
        up: if rom.source.dimension == 2 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] },
        names: names.cloned().collect(),
        edges: nearest_tree(&places),
        places,
        shapes: (0..frequencies_hz.len()).map(of_mode).collect(),
        frequencies_hz: frequencies_hz.to_vec(),
        words: vec![String::new(); frequencies_hz.len()],
        signs: (rom.interfaces.iter().enumerate())
            .map(|(node, interface)| (node, "interface", interface.name.clone(), "interface".to_string()))
            .collect(),
    })
}

/// The page of such a body.
pub(super) fn of_nodes(nodes: Nodes) -> String {
    let modes = nodes.shapes.len();
    let largest = |shape: &[[f64; 6]]| shape.iter().map(|u| Vec3::new(u[0], u[1], u[2]).norm()).fold(0.0, f64::max);
    // Largest displacement 1 with four decimals, because shapes are only displayed.
    let scales: Vec<f64> = nodes.shapes.iter().map(|shape| 1.0 / largest(shape).max(f64::MIN_POSITIVE)).collect();
    let rounded = |mode: usize, node: usize, k: usize| (nodes.shapes[mode][node][k] * scales[mode] * 1e4).round() / 1e4;
    let shapes = (0..nodes.places.len())
        .map(|node| std::array::from_fn(|k| (0..modes).map(|mode| rounded(mode, node, k)).collect()))
        .collect();
    let extent = parts::Extent::around(&nodes.places);
    let still = || [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].map(Series::Constant).to_vec();
    let unit = |mode: usize| (0..modes).map(|k| [f64::from(u8::from(k == mode)), 0.0]).collect();
    let marked = nodes.signs.iter().enumerate().map(|(row, (node, sign, ..))| (row + 1, *node, *sign)).collect();
    let body = items::Item::body(&nodes.name, text::count(nodes.places.len(), "node"));
    let rows = nodes.signs.iter().map(|(_, _, name, detail)| items::Item::sign(name, detail.clone()));
    let rows = std::iter::once(body).chain(rows).collect();
    let part = FlexiblePart::of_nodes(nodes.names, &nodes.places, nodes.edges, shapes, marked);
    let data = Data {
        format: FORMAT,
        kind: "modes",
        name: nodes.name.clone(),
        description: nodes.note,
        version: env!("CARGO_PKG_VERSION"),
        up: nodes.up,
        size: extent.size(),
        groups: items::GROUPS,
        items: rows,
        bodies: vec!["ground".into(), nodes.name],
        parts: Parts::of_one(part),
        frames: Frames::at_rest(vec![still(), still()], vec![vec![Series::Constant(0.0); modes]]),
        sliders: Vec::new(),
        unmoved: Vec::new(),
        roads: Vec::new(),
        ground: None,
        plots: Plots::default(),
        shapes: (0..modes)
            .map(|mode| Shape {
                f: nodes.frequencies_hz[mode],
                z: 0.0,
                d: nodes.words[mode].clone(),
                bodies: vec![[0.0; 12]; 2],
                elastic: vec![unit(mode)],
            })
            .collect(),
        live: None,
    };
    write(&data, None)
}

#[cfg(test)]
mod tests {
    use super::super::frames::pose;
    use super::*;
    use ballesta::compile;
    use ballesta::model;
    use ballesta::simulate::Simulator;

    /// Two equal masses on three equal springs in a row: in phase at ω² = k/m, in antiphase at 3 k/m.
    const ROW: &str = "
        [model]
        name = 'row'
        [[body]]
        name = 'a'
        mass = 2
        com = [1, 0, 0]
        [[body]]
        name = 'b'
        mass = 2
        com = [2, 0, 0]
        [[joint]]
        name = 'a'
        type = 'prismatic'
        bodies = ['ground', 'a']
        axis = [1, 0, 0]
        [[joint]]
        name = 'b'
        type = 'prismatic'
        bodies = ['a', 'b']
        axis = [1, 0, 0]
        [[spring]]
        name = 'left'
        bodies = ['ground', 'a']
        points = [[0, 0, 0], [1, 0, 0]]
        stiffness = 50
        [[spring]]
        name = 'middle'
        bodies = ['a', 'b']
        points = [[1, 0, 0], [2, 0, 0]]
        stiffness = 50
        [[spring]]
        name = 'right'
        bodies = ['b', 'ground']
        points = [[2, 0, 0], [3, 0, 0]]
        stiffness = 50
    ";

    #[test]
    fn two_masses_between_springs_move_together_and_against_each_other() {
        let document = model::parse(ROW, "row.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}")));
        let mut simulator = Simulator::new(system.clone());
        simulator.initialize(0.0).unwrap();
        let linear = simulator.linearize().unwrap();
        let modes = modal::modes(&linear).unwrap().modes;
        let mut ws = Workspace::new(&system);
        let point = OperatingPoint::new(&system, simulator.state(), &mut ws, false).unwrap();
        let recorder = super::super::at_rest(&system, &point.state);
        for (mode, ratio) in modes.iter().zip([1.0, -1.0]) {
            let shape = shape(&system, &point, recorder.first(), &linear, mode, "").unwrap();
            let along = |body: usize, part: usize| shape.bodies[body][6 * part];
            let [a, b] = [1, 2].map(|body| Complex::new(along(body, 0), along(body, 1)));
            assert!((b - a * ratio).norm_sqr().sqrt() < 1e-6 * a.norm_sqr().sqrt(), "{a} {b}");
        }
        assert_eq!(modes.len(), 2);
        assert!(pose(&system, recorder.first(), 2).0.x == 2.0);
    }
}
