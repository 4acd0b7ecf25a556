//! A model or a run as a glTF 2.0 binary file, for other programs that show and render: `--glb`, `view -o model.glb`.
//!
//! One node per body, animated by its pose, has the parts fixed in the body: bars between its joints, joint symbols,
//! wheels, shapes of the model file. Springs, dampers and rods are separate nodes between their ends. Flexible bodies
//! are lines through their interfaces and output nodes, sampled at every frame. Other parts of the page are omitted:
//! roads and the grid, forces, paths, colours by displacement. The frames are the frames of the page. In glTF y points
//! up; the root node rotates the world.

mod file;
mod meshes;

use super::page::Recorder;
use super::page::items::Items;
use super::page::parts::{FlexiblePart, MarkPart, Parts, StrutPart, WheelPart};
use super::page::{Subject, parts_of, up};
use super::view::scene::body_number;
use ballesta::math::rotation::{complement, matrix, product, quaternion};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::shapes::Form;
use ballesta_files::Failure;
use file::{Colour, File, Path};
use meshes::{Solid, block, capsule, cylinder, helix, lathe, of_file};

/// Colours of bodies, in turn, as on the light page.
const BODIES: [[f64; 3]; 8] = [
    [0.27, 0.46, 0.68],
    [0.3, 0.58, 0.42],
    [0.72, 0.52, 0.25],
    [0.52, 0.42, 0.66],
    [0.28, 0.58, 0.62],
    [0.68, 0.42, 0.42],
    [0.5, 0.55, 0.3],
    [0.55, 0.5, 0.46],
];
const JOINT: Colour = [0.86, 0.86, 0.89, 1.0];
const GUIDED: Colour = [0.85, 0.3, 0.55, 1.0];
const AXIS: Colour = [0.2, 0.22, 0.26, 1.0];
const ROD: Colour = [0.42, 0.45, 0.5, 1.0];
const SPRING: Colour = [0.13, 0.55, 0.25, 1.0];
const DAMPER: Colour = [0.33, 0.36, 0.42, 1.0];
const RUBBER: Colour = [0.85, 0.6, 0.1, 1.0];
const TYRE: Colour = [0.2, 0.21, 0.23, 1.0];
const RIM: Colour = [0.7, 0.72, 0.75, 1.0];
const GROUND: Colour = [0.45, 0.48, 0.52, 1.0];
/// Fraction of the size of the mechanism below which changes are not motion.
const MOTION_TOLERANCE: f64 = 1e-7;
/// Size of symbols as a fraction of the size of the mechanism.
const SYMBOL_SIZE: f64 = 0.011;

/// File extension.
pub fn is_glb(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("glb"))
}

/// Error message for a file beyond 4 GB.
pub fn too_large(path: &std::path::Path) -> Failure {
    Failure::Usage(format!("{}: the file would exceed 4 GB; use a shorter run", path.display()))
}

/// File with the motion of a recorder; `None` beyond 4 GB.
pub fn of(subject: &Subject, recorder: &Recorder) -> Option<Vec<u8>> {
    let (parts, extent, items) = parts_of(subject, recorder);
    let size = extent.size();
    let largest = parts.wheels.iter().map(|wheel| wheel.radius).fold(0.0, f64::max);
    let unit = if largest > 0.0 { (SYMBOL_SIZE * size).min(0.15 * largest) } else { SYMBOL_SIZE * size };
    let track = recorder.track();
    // Ascending times in single precision.
    let mut times: Vec<f32> = Vec::new();
    let mut frames = Vec::new();
    for (frame, time) in track.times.iter().enumerate() {
        let time = (time - track.times[0]) as f32;
        if times.last().is_none_or(|last| *last < time) {
            times.push(time);
            frames.push(frame);
        }
    }
    let mut writer = Writer { subject, recorder, file: File::default(), frames, size, unit, bodies: Vec::new() };
    writer.file.set_times(&times);
    writer.add_bodies();
    writer.add_parts(&parts, &items);
    writer.add_shapes(parts.bodies.iter().map(|part| (part.b, part.i)).collect());
    let name = &subject.document.model.general.name;
    writer.file.into_bytes(name)
}

struct Writer<'a> {
    subject: &'a Subject<'a>,
    recorder: &'a Recorder,
    file: File,
    /// Frames to write.
    frames: Vec<usize>,
    /// Size of the mechanism, m.
    size: f64,
    /// Size of symbols, m.
    unit: f64,
    /// Nodes of the bodies.
    bodies: Vec<usize>,
}

/// A quaternion in the order of glTF, x, y, z, w.
fn reordered([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [x, y, z, w]
}

/// The rotation that turns the world so that its axis `up` points along y.
fn upright(up: [f64; 3]) -> Mat3 {
    let up = Vec3::from(up);
    // Right-handed frames of the world with `up` as second axis; x is unchanged if possible.
    let right = if up.x.abs() > 0.5 { Vec3::y() } else { Vec3::x() };
    Mat3::from_columns(&[right, up, right.cross(&up)]).transpose()
}

impl Writer<'_> {
    fn add_bodies(&mut self) {
        let system = self.recorder.system().clone();
        let root = self.file.node(&self.subject.document.model.general.name, None);
        let turned = reordered(quaternion(&upright(up(&system))));
        self.file.set(root, Path::Rotation, &turned);
        for (body, info) in system.bodies.iter().enumerate() {
            let node = self.file.node(&info.name, Some(root));
            self.bodies.push(node);
            let poses = &self.recorder.track().poses[body];
            let places: Vec<[f64; 3]> = self.frames.iter().map(|frame| [0, 1, 2].map(|k| poses[k][*frame])).collect();
            let turns: Vec<[f64; 4]> =
                self.frames.iter().map(|frame| reordered([3, 4, 5, 6].map(|k| poses[k][*frame]))).collect();
            self.file.animate(node, Path::Translation, &places, MOTION_TOLERANCE * self.size);
            self.file.animate(node, Path::Rotation, &turns, MOTION_TOLERANCE);
        }
    }

    /// A solid fixed in a body: its position, its axes as columns of a rotation, and the scale factors along them.
    fn fix(
        &mut self,
        body: usize,
        what: (&str, Colour),
        at: Vec3,
        axes: Mat3,
        factors: [f64; 3],
        solid: impl FnOnce() -> Solid,
    ) -> usize {
        let mesh = self.file.mesh(what.0, what.1, || solid().indexed());
        let node = self.file.node("", Some(self.bodies[body]));
        self.file.show(node, mesh);
        self.file.set(node, Path::Translation, at.as_slice());
        self.file.set(node, Path::Rotation, &reordered(quaternion(&axes)));
        self.file.set(node, Path::Scale, &factors);
        node
    }

    fn ball(&mut self, body: usize, at: Vec3, radius: f64, colour: Colour) {
        self.fix(body, ("ball", colour), at, Mat3::identity(), [radius; 3], || capsule(1.0, 0.0, 16, 4));
    }

    /// A round bar between two points of a body.
    fn bar(&mut self, body: usize, [a, b]: [Vec3; 2], radius: f64, colour: Colour) {
        let length = (b - a).norm();
        if length > 1e-9 * self.size {
            let axes = standing((b - a) / length);
            self.fix(body, ("bar", colour), 0.5 * (a + b), axes, [radius, radius, length], || cylinder(12));
        }
    }

    fn add_parts(&mut self, parts: &Parts, items: &Items) {
        let looks = self.shaped_bodies();
        let name = |row: usize| items.list[row].n.as_str();
        // Rigid bodies are bars from their origin to their points; close points are merged.
        for (number, part) in parts.bodies.iter().enumerate().filter(|(_, part)| !part.flexible) {
            let [r, g, b] = BODIES[number % BODIES.len()];
            let colour = [r, g, b, 1.0];
            let mut places: Vec<Vec3> = Vec::new();
            for (body, point) in &part.pts {
                let point = Vec3::from(*point);
                if *body == part.b && places.iter().all(|other| (other - point).norm() > 1e-4 * self.size) {
                    places.push(point);
                }
            }
            // Thin bars leave room for bodies that have their own shapes, or many points.
            let reach = places.iter().map(|place| place.norm()).fold(0.0, f64::max);
            let thin = if looks.contains(&part.b) { 0.5 } else { 1.0 } * if places.len() > 6 { 0.6 } else { 1.0 };
            let radius = (0.8 * self.unit).min((0.05 * reach).max(0.3 * self.unit)) * thin;
            match places[..] {
                [a, b] if on_line(a, b) => self.bar(part.b, [a, b], radius, colour),
                _ if part.wheel && places.len() < 2 => {}
                _ => places.iter().for_each(|place| self.bar(part.b, [Vec3::zeros(), *place], radius, colour)),
            }
            places.iter().for_each(|place| self.ball(part.b, *place, radius, colour));
            if part.massive && !part.wheel {
                self.ball(part.b, Vec3::zeros(), self.unit, colour);
            }
        }
        // Joints, curves, wheels and force elements.
        parts.marks.iter().for_each(|mark| self.mark(mark));
        for line in &parts.lines {
            let pairs = line.pts.windows(2).map(|pair| [pair[0], pair[1]].map(Vec3::from));
            pairs.for_each(|pair| self.bar(line.b, pair, 0.3 * self.unit, AXIS));
        }
        parts.wheels.iter().for_each(|wheel| self.wheel(wheel));
        parts.struts.iter().for_each(|strut| self.strut(strut, name(strut.i)));
        // Flexible bodies use the colour that the body has elsewhere.
        for (index, part) in parts.flexible.iter().enumerate() {
            let number = parts.bodies.iter().position(|body| body.b == part.b).unwrap_or(0);
            let [r, g, b] = BODIES[number % BODIES.len()];
            self.flexible(index, part, name(part.i), [r, g, b, 1.0]);
        }
        // Cones mark the points that are fixed to the ground.
        let up = Vec3::from(up(self.recorder.system()));
        let ground = self
            .recorder
            .track()
            .poses
            .first()
            .map_or(Vec3::zeros(), |pose| Vec3::new(pose[0][0], pose[1][0], pose[2][0]));
        for place in &parts.ground {
            let foot = Vec3::from(*place) - ground - 2.6 * self.unit * up;
            let size = [1.5 * self.unit, 1.5 * self.unit, 2.3 * self.unit];
            self.fix(0, ("cone", GROUND), foot, standing(up), size, cone);
        }
    }

    /// Symbol of a joint.
    fn mark(&mut self, mark: &MarkPart) {
        let (body, point) = (mark.at.0, Vec3::from(mark.at.1));
        let (axis, up) = (Vec3::from(mark.axis), Vec3::from(mark.up));
        // Colours distinguish driven, spring-loaded and free joints.
        let r = 1.35 * self.unit;
        let colour = match (mark.guided, mark.sprung) {
            (true, _) => GUIDED,
            (false, true) => [0.48, 0.73, 0.55, 1.0],
            _ => JOINT,
        };
        // Cylinder along the joint axis; its dimensions are multiples of the symbol size.
        let axes = if axis.norm() > 0.0 { standing(axis) } else { Mat3::identity() };
        let mut round = |colour: Colour, axes: Mat3, wide: f64, long: f64| {
            self.fix(body, ("bar", colour), point, axes, [wide * r, wide * r, long * r], || cylinder(12));
        };
        // The symbol shows the free directions of the joint.
        match mark.kind {
            "revolute" => {
                round(colour, axes, 1.0, 2.2);
                round(AXIS, axes, 0.2, 6.4);
            }
            "cylindrical" => {
                round(colour, axes, 1.0, 3.4);
                round(AXIS, axes, 0.2, 10.0);
            }
            "universal" => {
                round(colour, axes, 0.5, 3.6);
                let second = if up.norm() > 0.0 { standing(up) } else { standing(complement(&axis).0) };
                round(AXIS, second, 0.5, 3.6);
            }
            "planar" => {
                round(colour, axes, 2.6, 0.4);
                round(AXIS, axes, 0.2, 3.2);
            }
            "prismatic" => {
                round(AXIS, axes, 0.2, 10.0);
                self.fix(body, ("block", colour), point, axes, [1.8 * r, 1.8 * r, 3.0 * r], block);
            }
            "fixed" => {
                self.fix(body, ("block", colour), point, Mat3::identity(), [1.7 * r; 3], block);
            }
            "constraint" => {
                round(AXIS, axes, 0.2, 14.0);
                self.ball(body, point, 0.9 * r, colour);
            }
            "bushing" => {
                let ring = || lathe(&[[0.72, -0.5], [1.0, -0.5], [1.0, 0.5], [0.72, 0.5], [0.72, -0.5]], 20);
                self.fix(body, ("ring", RUBBER), point, axes, [1.7 * r, 1.7 * r, 1.3 * r], ring);
            }
            "leaf_spring" => {
                let long = if self.unit < SYMBOL_SIZE * self.size { 17.0 * self.unit } else { 14.0 * r };
                let axes = Mat3::from_columns(&[up, axis.cross(&up), axis]);
                for leaf in 0..3 {
                    let k = f64::from(leaf);
                    let size = [0.38 * r, 1.4 * r, (1.0 - 0.25 * k) * long];
                    self.fix(body, ("block", SPRING), point - 0.45 * k * r * up, axes, size, block);
                }
            }
            _ => self.ball(body, point, 1.25 * r, colour),
        }
    }

    fn wheel(&mut self, wheel: &WheelPart) {
        // Cross-section of the tyre: radius and lateral position as fractions of radius and width.
        const SECTION: [[f64; 2]; 10] = [
            [0.62, -0.36],
            [0.66, -0.46],
            [0.9, -0.5],
            [0.985, -0.4],
            [1.0, 0.0],
            [0.985, 0.4],
            [0.9, 0.5],
            [0.66, 0.46],
            [0.62, 0.36],
            [0.62, -0.36],
        ];
        let axes = standing(Vec3::from(wheel.axis));
        let size = [wheel.radius, wheel.radius, wheel.width];
        // A twin tyre has two middles.
        for middle in wheel.middles.iter().map(|middle| Vec3::from(*middle)) {
            self.fix(wheel.b, ("tyre", TYRE), middle, axes, size, || lathe(&SECTION, 32));
            self.fix(
                wheel.b,
                ("hub", RIM),
                middle,
                axes,
                [0.16 * wheel.radius, 0.16 * wheel.radius, 0.6 * wheel.width],
                || cylinder(16),
            );
            // Spokes make the rotation visible.
            for spoke in 0..5 {
                let turn = ballesta::math::rotation::about(&Vec3::z(), std::f64::consts::TAU * f64::from(spoke) / 5.0);
                let spoke_axes = axes * turn;
                let centre = middle + spoke_axes.column(0) * (0.37 * wheel.radius);
                let size = [0.54 * wheel.radius, 0.14 * wheel.radius, 0.44 * wheel.width];
                self.fix(wheel.b, ("block", RIM), centre, spoke_axes, size, block);
            }
        }
    }

    /// World place of a point of a body at a frame.
    fn world(&self, frame: usize, (body, at): (usize, [f64; 3])) -> Vec3 {
        let pose = &self.recorder.track().poses[body];
        let q = [3, 4, 5, 6].map(|k| pose[k][frame]);
        Vec3::new(pose[0][frame], pose[1][frame], pose[2][frame]) + matrix(&q) * Vec3::from(at)
    }

    /// A node between two moving points. Its origin is the first point, its z axis points to the second, and the scale
    /// of z is the distance.
    fn between(&mut self, name: &str, ends: &[[Vec3; 2]]) -> usize {
        let node = self.file.node(name, Some(0));
        let (mut places, mut turns, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        let mut last: Option<(Vec3, [f64; 4])> = None;
        for [a, b] in ends {
            let length = (b - a).norm();
            let axis = (b - a).try_normalize(1e-9 * self.size).or(last.map(|(axis, _)| axis)).unwrap_or(Vec3::z());
            // The shortest rotation from frame to frame, so that no part spins about its axis.
            let q = match last {
                Some((before, q)) => ballesta::math::rotation::normalized(&product(&shortest(before, axis), &q)),
                None => quaternion(&standing(axis)),
            };
            last = Some((axis, q));
            places.push([a.x, a.y, a.z]);
            turns.push(reordered(q));
            factors.push([1.0, 1.0, length.max(1e-6 * self.size)]);
        }
        self.file.animate(node, Path::Translation, &places, MOTION_TOLERANCE * self.size);
        self.file.animate(node, Path::Rotation, &turns, MOTION_TOLERANCE);
        self.file.animate(node, Path::Scale, &factors, MOTION_TOLERANCE * self.size);
        node
    }

    /// A round solid on the line of such a node, from one fraction of its length to another.
    fn along(
        &mut self,
        node: usize,
        what: (&str, Colour),
        wide: f64,
        [from, to]: [f64; 2],
        solid: impl FnOnce() -> Solid,
    ) {
        let mesh = self.file.mesh(what.0, what.1, || solid().indexed());
        let child = self.file.node("", Some(node));
        self.file.show(child, mesh);
        let middle = if what.0 == "bar" { 0.5 * (from + to) } else { from };
        self.file.set(child, Path::Translation, &[0.0, 0.0, middle]);
        self.file.set(child, Path::Scale, &[wide, wide, to - from]);
    }

    fn strut(&mut self, strut: &StrutPart, name: &str) {
        // The element spans between its two ends in every frame; a zero length has no direction.
        let ends: Vec<[Vec3; 2]> =
            self.frames.iter().map(|frame| strut.ends.map(|end| self.world(*frame, end))).collect();
        let length = ends.first().map_or(0.0, |[a, b]| (b - a).norm());
        if length < 1e-9 * self.size {
            return;
        }
        // The node follows both ends in every frame.
        let node = self.between(name, &ends);
        let r = self.unit;
        let wide = (2.3 * r).min(0.3 * length);
        let bar = || cylinder(12);
        match strut.kind {
            "rod" => {
                self.along(node, ("bar", ROD), 0.55 * r, [0.0, 1.0], bar);
                strut.ends.iter().for_each(|(body, point)| self.ball(*body, Vec3::from(*point), 0.9 * r, ROD));
            }
            "spring" => {
                let name = format!("spring {name}");
                let wire = (0.32 * r).min(0.03 * length);
                self.along(node, (&name, SPRING), 1.0, [0.0, 1.0], || helix(0.85 * wide, wire, length));
            }
            "damper" => {
                self.along(node, ("bar", DAMPER), 0.55 * wide, [0.0, 0.55], bar);
                self.along(node, ("bar", JOINT), 0.2 * wide, [0.55, 1.0], bar);
            }
            "air_spring" => {
                const SECTION: [[f64; 2]; 10] = [
                    [0.0, 0.0],
                    [0.7, 0.0],
                    [0.7, 0.12],
                    [1.0, 0.25],
                    [0.75, 0.45],
                    [0.75, 0.5],
                    [1.0, 0.7],
                    [0.7, 0.85],
                    [0.7, 1.0],
                    [0.0, 1.0],
                ];
                self.along(node, ("bellows", RUBBER), 1.6 * wide, [0.0, 1.0], || lathe(&SECTION, 20));
            }
            "bump_stop" => {
                self.along(node, ("cone", RUBBER), 0.6 * wide, [0.0, 0.4], cone);
                self.along(node, ("bar", RUBBER), 0.12 * r, [0.0, 1.0], bar);
            }
            _ => self.along(node, ("bar", SPRING), 0.4 * r, [0.0, 1.0], bar),
        }
    }

    /// Lines through the nodes of a flexible body, deformed by its elastic coordinates.
    fn flexible(&mut self, index: usize, part: &FlexiblePart, name: &str, colour: Colour) {
        let nodes: Vec<Vec<(Vec3, Vec3, Vec3)>> =
            self.frames.iter().map(|frame| self.bent(index, part, *frame)).collect();
        // The total number of segments is a few dozen.
        let pieces = (48 / part.edges.len().max(1)).clamp(1, 8);
        let radius = if part.edges.len() > 150 { 0.4 } else { 0.9 } * self.unit;
        for [i, j] in &part.edges {
            for piece in 0..pieces {
                let at = |nodes: &[(Vec3, Vec3, Vec3)], k: usize| {
                    let (t, [a, b]) = (k as f64 / pieces as f64, [nodes[*i], nodes[*j]]);
                    let chord = b.1 - a.1;
                    let [ta, tb] = [a, b].map(|node| chord + node.2.cross(&chord));
                    let (t2, t3) = (t * t, t * t * t);
                    (2.0 * t3 - 3.0 * t2 + 1.0) * a.0
                        + (t3 - 2.0 * t2 + t) * ta
                        + (3.0 * t2 - 2.0 * t3) * b.0
                        + (t3 - t2) * tb
                };
                let ends: Vec<[Vec3; 2]> = nodes.iter().map(|nodes| [at(nodes, piece), at(nodes, piece + 1)]).collect();
                let node = self.between(&format!("{name}: {}–{} {}", part.names[*i], part.names[*j], piece + 1), &ends);
                self.along(node, ("bar", colour), radius, [0.0, 1.0], || cylinder(12));
            }
        }
        for (k, own) in part.names.iter().enumerate() {
            let node = self.file.node(&format!("{name}.{own}"), Some(0));
            let places: Vec<[f64; 3]> = nodes.iter().map(|nodes| nodes[k].0.into()).collect();
            self.file.animate(node, Path::Translation, &places, MOTION_TOLERANCE * self.size);
            let mesh = self.file.mesh("ball", colour, || capsule(1.0, 0.0, 16, 4).indexed());
            self.file.show(node, mesh);
            self.file.set(node, Path::Scale, &[1.15 * radius; 3]);
        }
    }

    /// Per node of a flexible body: position, undeformed position and small rotation; world axes.
    fn bent(&self, index: usize, part: &FlexiblePart, frame: usize) -> Vec<(Vec3, Vec3, Vec3)> {
        let track = self.recorder.track();
        let turn = matrix(&[3, 4, 5, 6].map(|k| track.poses[part.b][k][frame]));
        let node = |(place, rows): (&[f64; 3], &[Vec<f64>; 6])| {
            let sum = |row: usize| {
                rows[row].iter().zip(&track.elastic[index]).map(|(shape, series)| shape * series[frame]).sum()
            };
            let [shift, bend] = [0, 3].map(|first| Vec3::new(sum(first), sum(first + 1), sum(first + 2)));
            let at = |own: Vec3| self.world(frame, (part.b, own.into()));
            (at(Vec3::from(*place) + shift), at(Vec3::from(*place)), turn * bend)
        };
        part.places.iter().zip(&part.shapes).map(node).collect()
    }

    /// Bodies represented by shapes.
    fn shaped_bodies(&self) -> Vec<usize> {
        let (document, system) = (self.subject.document, self.recorder.system());
        document.model.shapes.iter().map(|shape| body_number(document, system, &shape.body)).collect()
    }

    /// The shapes of the model file; `bodies`: in the order of their colours.
    fn add_shapes(&mut self, bodies: Vec<(usize, usize)>) {
        let document = self.subject.document;
        // Shapes that use one mesh file share one geometry.
        let system = self.recorder.system().clone();
        let mut files: Vec<&std::sync::Arc<ballesta::model::shapes::Mesh>> = Vec::new();
        for (index, shape) in document.model.shapes.iter().enumerate() {
            let placed = document.model.placed_shape(shape, self.subject.values);
            // Position in the frame of the body; a shape without colour has the colour of the body.
            let body = body_number(document, &system, &shape.body);
            let point = placed.at - system.origin - system.bodies[body].design;
            let usual = bodies
                .iter()
                .position(|(b, _)| *b == body)
                .map_or([GROUND[0], GROUND[1], GROUND[2]], |k| BODIES[k % BODIES.len()]);
            let [r, g, b] = shape.rgb().unwrap_or(usual);
            let colour = [r, g, b, shape.opacity.unwrap_or(1.0)];
            // Boxes, cylinders and spheres are unit meshes with a scale; capsules cannot be scaled without distortion.
            let node = match placed.form {
                Form::Box(size) => self.fix(body, ("block", colour), point, placed.axes, size, block),
                Form::Cylinder { radius, length } => {
                    self.fix(body, ("cylinder", colour), point, placed.axes, [radius, radius, length], || cylinder(40))
                }
                Form::Sphere { radius } => {
                    self.fix(body, ("sphere", colour), point, placed.axes, [radius; 3], || capsule(1.0, 0.0, 36, 9))
                }
                Form::Capsule { radius, length } => {
                    let name = format!("capsule {index}");
                    self.fix(body, (&name, colour), point, placed.axes, [1.0; 3], || capsule(radius, length, 32, 8))
                }
                Form::Mesh(factors) => {
                    let Some(Some(mesh)) = document.meshes.get(index) else { continue };
                    let number =
                        files.iter().position(|other| std::sync::Arc::ptr_eq(other, mesh)).unwrap_or_else(|| {
                            files.push(mesh);
                            files.len() - 1
                        });
                    let name = format!("mesh {number}");
                    self.fix(body, (&name, colour), point, placed.axes, factors, || of_file(mesh))
                }
            };
            self.file.name(node, shape.group());
        }
    }
}

/// Whether the origin is between two points.
fn on_line(a: Vec3, b: Vec3) -> bool {
    let along = b - a;
    let t = -a.dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    (-0.02..=1.02).contains(&t) && (a + t * along).norm() < 0.03 * along.norm()
}

/// A right-handed frame with z along a unit vector.
fn standing(axis: Vec3) -> Mat3 {
    let (u, v) = complement(&axis);
    Mat3::from_columns(&[u, v, axis])
}

/// The rotation by the least angle that turns one unit vector into another.
fn shortest(from: Vec3, to: Vec3) -> [f64; 4] {
    let w = 1.0 + from.dot(&to);
    if w < 1e-9 {
        let axis = complement(&from).0;
        return [0.0, axis.x, axis.y, axis.z];
    }
    let v = from.cross(&to);
    ballesta::math::rotation::normalized(&[w, v.x, v.y, v.z])
}

/// Cone of radius and height 1, on its base.
fn cone() -> Solid {
    lathe(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 20)
}
