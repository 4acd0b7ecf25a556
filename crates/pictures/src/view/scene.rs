//! The visible parts of a model: positions in world coordinates, m.

use ballesta::math::Vec3;
use ballesta::math::rotation::complement;
use ballesta::model::schema::{Number, Place, Vector};
use ballesta::model::{BodyRef, Document};
use ballesta::system::{System, Workspace};
use std::collections::BTreeSet;

/// Tolerance in m for a hardpoint on the axis of a joint.
const AXIS_TOLERANCE: f64 = 1e-3;
/// Default width of a tyre without a width in its file, as a fraction of its radius.
const DEFAULT_TYRE_WIDTH: f64 = 0.6;

/// A point that moves with a body.
#[derive(Clone, Copy, Debug)]
pub struct MarkedPoint {
    /// Index of the body in the system; 0 is the ground.
    pub body: usize,
    /// Current position, world coordinates, m.
    pub at: Vec3,
}

/// A body and the points of its outline.
pub struct Body {
    /// Name in the file.
    pub name: String,
    /// Index in the system.
    pub number: usize,
    /// Centre of mass, or the floating frame of a flexible body.
    pub centre: Vec3,
    /// Whether it has mass.
    pub massive: bool,
    /// Points of joints, rods and force elements; interfaces of flexible bodies move separately.
    pub points: Vec<MarkedPoint>,
    /// Whether it carries a tyre, which is drawn instead of the body.
    pub wheel: bool,
}

impl Body {
    /// Supports.
    pub fn held(&self) -> Vec<Vec3> {
        self.points.iter().map(|spot| spot.at).collect()
    }
}

/// Meaning of a [`Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// A joint of this kind.
    Revolute,
    Prismatic,
    Cylindrical,
    Universal,
    Spherical,
    Planar,
    Fixed,
    /// Point on line, point in plane.
    Constraint,
    /// An elastic joint.
    Bushing,
    /// Seat of a leaf spring.
    LeafSpring,
}

/// A symbol at a point.
pub struct Mark {
    /// Name in the file.
    pub name: String,
    /// Kind.
    pub sign: Sign,
    /// Position, on its second body.
    pub at: MarkedPoint,
    /// Its axis, unit length; zero without an axis. For a leaf spring, along the leaves.
    pub axis: Vec3,
    /// For a leaf spring, the direction of its load; for a universal joint, its second axis.
    pub up: Vec3,
    /// Whether one of its coordinates is driven.
    pub guided: bool,
    /// Whether a spring or torsion bar acts on one of its coordinates.
    pub sprung: bool,
}

/// Meaning of a [`Strut`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrutKind {
    Rod,
    Spring,
    Damper,
    AirSpring,
    BumpStop,
    AntiRollBar,
}

/// An element between two points.
pub struct Strut {
    /// Name in the file.
    pub name: String,
    /// Kind.
    pub kind: StrutKind,
    /// Names of its ends.
    pub ends: [MarkedPoint; 2],
}

impl Strut {
    /// Positions of its ends.
    pub fn places(&self) -> [Vec3; 2] {
        self.ends.map(|end| end.at)
    }
}

/// A wheel with one tyre or two.
pub struct Wheel {
    /// Name of the tyre in the file.
    pub name: String,
    /// The body that carries them.
    pub body: usize,
    /// Centres of the tyres.
    pub middles: Vec<Vec3>,
    /// Spin axis, unit length.
    pub axis: Vec3,
    /// Unloaded radius, m.
    pub radius: f64,
    /// Width, m.
    pub width: f64,
}

/// A curve that a joint runs along, or that touches a face or another curve.
pub struct Line {
    /// Name.
    pub curve: String,
    /// Name of a joint along it.
    pub name: String,
    /// The body that carries it.
    pub body: usize,
    /// Points on the curve; a closed curve ends with its first point.
    pub places: Vec<Vec3>,
}

/// A force of the file.
pub struct Arrow {
    /// Name in the file.
    pub name: String,
    /// Point of action.
    pub at: MarkedPoint,
}

/// The complete scene.
#[derive(Default)]
pub struct Scene {
    /// Visible bodies.
    pub bodies: Vec<Body>,
    /// Joints and other marks.
    pub marks: Vec<Mark>,
    /// Rods, springs, dampers.
    pub struts: Vec<Strut>,
    /// Curves of joints.
    pub lines: Vec<Line>,
    /// Wheels.
    pub wheels: Vec<Wheel>,
    /// Forces.
    pub arrows: Vec<Arrow>,
    /// Attachment points on the ground.
    pub ground: Vec<Vec3>,
    /// Height of a level road.
    pub road: Option<f64>,
}

impl Scene {
    /// Scene of a compiled model whose positions are in the workspace; `values`: one per parameter.
    pub fn new(document: &Document, system: &System, ws: &Workspace, values: &[f64]) -> Scene {
        let mut builder = Builder { document, system, ws, values, scene: Scene::default(), owners: Vec::new() };
        builder.add_bodies();
        builder.add_joints();
        builder.add_constraints();
        builder.add_forces();
        builder.add_wheels();
        builder.scene
    }

    /// All points, including points on the rims of wheels.
    pub fn places(&self) -> Vec<Vec3> {
        let bodies = self.bodies.iter().flat_map(|body| body.held().into_iter().chain([body.centre]));
        let marks = self.marks.iter().map(|mark| mark.at.at);
        let struts = self.struts.iter().flat_map(Strut::places);
        let arrows = self.arrows.iter().map(|arrow| arrow.at.at);
        let wheels = self.wheels.iter().flat_map(Wheel::rims);
        let lines = self.lines.iter().flat_map(|line| line.places.iter().copied());
        bodies
            .chain(marks)
            .chain(struts)
            .chain(arrows)
            .chain(wheels)
            .chain(lines)
            .chain(self.ground.iter().copied())
            .collect()
    }
}

/// Points around a rim.
const RIM_POINTS: usize = 48;
/// Number of segments of a curve.
const PIECES: usize = 160;

impl Wheel {
    /// Both rims of a tyre, from its centre.
    pub fn rims_of(&self, middle: Vec3) -> Vec<Vec3> {
        let helper = if self.axis.x.abs() < 0.9 { Vec3::x() } else { Vec3::z() };
        let u = self.axis.cross(&helper).normalize();
        let v = self.axis.cross(&u);
        let around = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / RIM_POINTS as f64;
            self.radius * (angle.cos() * u + angle.sin() * v)
        };
        let sides = [-0.5, 0.5].map(|side| middle + side * self.width * self.axis);
        (0..RIM_POINTS).flat_map(|i| sides.map(|side| side + around(i))).collect()
    }

    fn rims(&self) -> Vec<Vec3> {
        self.middles.iter().flat_map(|middle| self.rims_of(*middle)).collect()
    }
}

struct Builder<'a> {
    document: &'a Document,
    system: &'a System,
    ws: &'a Workspace,
    values: &'a [f64],
    scene: Scene,
    /// Per body of the scene: its name and the name of the body it is drawn with.
    owners: Vec<String>,
}

impl Builder<'_> {
    fn number(&self, number: &Number) -> f64 {
        self.document.model.resolve(number, self.values)
    }

    fn body(&self, name: &str) -> usize {
        body_number(self.document, self.system, name)
    }

    /// Current position of a design position that is fixed in a body.
    fn moved(&self, body: usize, design: Vec3) -> Vec3 {
        let motion = &self.ws.kinematics.bodies[body];
        let own = design - self.system.origin - self.system.bodies[body].design;
        motion.point(&own) + motion.reference + self.system.origin
    }

    fn turned(&self, body: usize, direction: Vec3) -> Vec3 {
        self.ws.kinematics.bodies[body].rotation * direction
    }

    fn design(&self, place: &Place) -> Vec3 {
        self.document.model.resolve_place(place, self.values)
    }

    fn direction(&self, vector: &Option<Vector>) -> Vec3 {
        let direction = vector.as_ref().map(|vector| self.document.model.resolve_vector(vector, self.values));
        direction.and_then(|direction| direction.try_normalize(0.0)).unwrap_or_else(Vec3::zeros)
    }

    /// Body of the scene that a name belongs to.
    fn owner(&self, name: &str) -> Option<usize> {
        let flexible = || match self.document.body_ref(name)? {
            BodyRef::Interface(body, _) | BodyRef::Frame(body) => {
                let whole = &self.document.model.flexible_bodies[body].name;
                self.owners.iter().position(|owner| owner == whole)
            }
            _ => None,
        };
        self.owners.iter().position(|owner| owner == name).or_else(flexible)
    }

    /// A point on a body of the file, which is part of the body's outline.
    fn attach(&mut self, name: &str, design: Vec3) -> MarkedPoint {
        let body = self.body(name);
        let spot = MarkedPoint { body, at: self.moved(body, design) };
        match self.owner(name) {
            Some(owner) => self.scene.bodies[owner].points.push(spot),
            None => self.scene.ground.push(spot.at),
        }
        spot
    }

    fn attach_both(&mut self, names: &[String; 2], places: &[Place; 2]) -> [MarkedPoint; 2] {
        let designs = places.each_ref().map(|place| self.design(place));
        [self.attach(&names[0], designs[0]), self.attach(&names[1], designs[1])]
    }

    fn add_bodies(&mut self) {
        let model = &self.document.model;
        let flexible = model.flexible_bodies.iter().map(|body| (&body.name, true));
        let rigid = model.bodies.iter().map(|body| (&body.name, self.number(&body.mass) > 0.0));
        let named: Vec<(String, bool)> = rigid.chain(flexible).map(|(name, massive)| (name.clone(), massive)).collect();
        for (name, massive) in named {
            let number = self.body(&name);
            let centre = self.moved(number, self.system.bodies[number].design + self.system.origin);
            self.owners.push(name.clone());
            self.scene.bodies.push(Body { name, number, centre, massive, points: Vec::new(), wheel: false });
        }
        let document = self.document;
        for (index, (body, rom)) in document.model.flexible_bodies.iter().zip(&document.roms).enumerate() {
            for (interface, node) in rom.interfaces.iter().enumerate() {
                let design = document.interface_design(index, interface, self.values);
                self.attach(&format!("{}.{}", body.name, node.name), design);
            }
        }
    }

    fn add_joints(&mut self) {
        let document = self.document;
        let model = &document.model;
        for joint in &model.joints {
            // A joint along a curve has the symbol of its rotation, on a line.
            let translations = if joint.curve.is_some() { 0 } else { joint.kind.translations() };
            let turns = joint.kind.freedom() - joint.kind.translations();
            let sign = match (translations, turns) {
                (0, 0) => Sign::Fixed,
                (0, 1) => Sign::Revolute,
                (0, 2) => Sign::Universal,
                (0, _) => Sign::Spherical,
                (1, 0) => Sign::Prismatic,
                (1, _) => Sign::Cylindrical,
                _ if joint.kind.is_free() => continue,
                _ => Sign::Planar,
            };
            let Some(design) = document.joint_design(joint, self.values) else { continue };
            let axis = self.direction(&joint.axis);
            // The cross of a constant-velocity joint is perpendicular to its shaft.
            let (axis, up) = match joint.kind.row().bisecting {
                true => complement(&axis),
                false => (axis, self.direction(&joint.second_axis)),
            };
            self.attach(&joint.bodies[0], design);
            let at = self.attach(&joint.bodies[1], design);
            self.add_line(joint.curve.as_ref(), &joint.name, &joint.bodies[0]);
            if sign == Sign::Revolute && joint.curve.is_none() {
                for bearing in self.other_bearings(design, axis) {
                    self.attach(&joint.bodies[0], bearing);
                    self.attach(&joint.bodies[1], bearing);
                    self.mark(joint, sign, bearing, axis);
                }
            }
            let [first, second] = [0, 1].map(|i| self.body(&joint.bodies[i]));
            let axis = self.turned(first, axis);
            let up = match sign {
                Sign::Universal => self.turned(second, up),
                _ => Vec3::zeros(),
            };
            let (guided, sprung) = self.acted_on(&joint.name);
            self.scene.marks.push(Mark { name: joint.name.clone(), sign, at, axis, up, guided, sprung });
        }
    }

    /// The curve of a joint or constraint, if it has one. `carrier`: the body with the curve.
    fn add_line(&mut self, curve: Option<&String>, name: &str, carrier: &str) {
        let model = &self.document.model;
        let Some(item) = model.curves.iter().find(|item| curve == Some(&item.name)) else { return };
        let Some(curve) = model.curve_shape(item, self.values, &Vec3::zeros()) else { return };
        let body = self.body(carrier);
        if self.scene.lines.iter().any(|line| line.body == body && line.curve == item.name) {
            return;
        }
        let place = |i: usize| self.moved(body, curve.at(curve.length() * i as f64 / PIECES as f64)[0]);
        let places = (0..=PIECES).map(place).collect();
        self.scene.lines.push(Line { curve: item.name.clone(), name: name.into(), body, places });
    }

    /// A second symbol of the joint.
    fn mark(&mut self, joint: &ballesta::model::schema::Joint, sign: Sign, design: Vec3, axis: Vec3) {
        let (first, second) = (self.body(&joint.bodies[0]), self.body(&joint.bodies[1]));
        let (at, axis) = (MarkedPoint { body: second, at: self.moved(second, design) }, self.turned(first, axis));
        self.scene.marks.push(Mark {
            name: joint.name.clone(),
            sign,
            at,
            axis,
            up: Vec3::zeros(),
            guided: false,
            sprung: false,
        });
    }

    /// Otherwise unused hardpoints on the axis of a revolute joint, drawn as its other bearings, as in a wishbone.
    fn other_bearings(&self, point: Vec3, axis: Vec3) -> Vec<Vec3> {
        let model = &self.document.model;
        let used = used_points(model);
        let designs = model.points.iter().filter(|(name, _)| !used.contains(name.as_str()));
        let designs = designs.map(|(_, at)| model.resolve_vector(at, self.values));
        designs
            .filter(|at| (at - point).norm() > AXIS_TOLERANCE && (at - point).cross(&axis).norm() < AXIS_TOLERANCE)
            .collect()
    }

    /// Whether coordinates of a joint are driven, and whether springs act on them.
    fn acted_on(&self, joint: &str) -> (bool, bool) {
        let model = &self.document.model;
        let guided = model.guided.iter().any(|guided| guided.joint == joint);
        let sprung = model.joint_springs.iter().any(|spring| spring.joint == joint)
            || model.torsion_bars.iter().any(|bar| bar.joint == joint);
        (guided, sprung)
    }

    fn strut(&mut self, name: &str, kind: StrutKind, bodies: &[String; 2], points: &[Place; 2]) {
        let ends = self.attach_both(bodies, points);
        self.scene.struts.push(Strut { name: name.into(), kind, ends });
    }

    fn add_constraints(&mut self) {
        let model = &self.document.model;
        for rod in &model.rods {
            self.strut(&rod.name, StrutKind::Rod, &rod.bodies, &rod.points);
        }
        let lines = model.points_on_line.iter().map(|line| (&line.name, &line.bodies, &line.point, &line.axis, None));
        let planes = model.points_in_plane.iter();
        let planes = planes.map(|x| (&x.name, &x.bodies, &x.point, &x.normal, x.curve.as_ref()));
        for (name, bodies, point, axis, curve) in lines.chain(planes) {
            let design = self.design(point);
            // The contact point on the face moves: the symbol is fixed to the face.
            let on_face = self.attach(&bodies[0], design);
            let at = if curve.is_some() { on_face } else { self.attach(&bodies[1], design) };
            self.add_line(curve, name, &bodies[1]);
            let axis = self.direction(&Some(axis.clone()));
            let axis = self.turned(self.body(&bodies[0]), axis);
            self.plain_mark(name, Sign::Constraint, at, axis);
        }
        for pair in &model.curves_on_curves {
            let at = self.attach(&pair.bodies[0], self.design(&pair.point));
            for (curve, body) in pair.curves.iter().zip(&pair.bodies) {
                self.add_line(Some(curve), &pair.name, body);
            }
            self.plain_mark(&pair.name, Sign::Constraint, at, Vec3::z());
        }
    }

    fn plain_mark(&mut self, name: &str, sign: Sign, at: MarkedPoint, axis: Vec3) {
        self.scene.marks.push(Mark {
            name: name.into(),
            sign,
            at,
            axis,
            up: Vec3::zeros(),
            guided: false,
            sprung: false,
        });
    }

    fn add_forces(&mut self) {
        let model = &self.document.model;
        // Force elements along a line between two points.
        for spring in &model.springs {
            self.strut(&spring.name, StrutKind::Spring, &spring.bodies, &spring.points);
        }
        for damper in &model.dampers {
            self.strut(&damper.name, StrutKind::Damper, &damper.bodies, &damper.points);
        }
        for spring in &model.air_springs {
            self.strut(&spring.name, StrutKind::AirSpring, &spring.bodies, &spring.points);
        }
        for stop in &model.bump_stops {
            if let (Some(bodies), Some(points)) = (&stop.bodies, &stop.points) {
                self.strut(&stop.name, StrutKind::BumpStop, bodies, points);
            }
        }
        // The first body of an anti-roll bar is the frame; the symbol connects the two drop links.
        for bar in &model.anti_roll_bars {
            let bodies = [bar.bodies[1].clone(), bar.bodies[2].clone()];
            self.strut(&bar.name, StrutKind::AntiRollBar, &bodies, &bar.points);
        }
        // Force elements at one design point have a symbol there; the point belongs to both bodies.
        for bushing in &model.bushings {
            let design = self.design(&bushing.point);
            self.attach(&bushing.bodies[0], design);
            let at = self.attach(&bushing.bodies[1], design);
            self.plain_mark(&bushing.name, Sign::Bushing, at, Vec3::zeros());
        }
        for leaf in &model.leaf_springs {
            let design = self.design(&leaf.point);
            self.attach(&leaf.bodies[0], design);
            let at = self.attach(&leaf.bodies[1], design);
            // The leaf lies along the direction perpendicular to its vertical and lateral axes.
            let given =
                |vector: &Option<Vector>, usual: Vec3| if vector.is_some() { self.direction(vector) } else { usual };
            let up = given(&leaf.axis, Vec3::z());
            let longitudinal = given(&leaf.lateral_axis, Vec3::y()).cross(&up);
            let frame = self.body(&leaf.bodies[0]);
            let [axis, up] =
                [longitudinal, up].map(|v| self.turned(frame, v).try_normalize(0.0).unwrap_or_else(Vec3::zeros));
            let (name, sign) = (leaf.name.clone(), Sign::LeafSpring);
            self.scene.marks.push(Mark { name, sign, at, axis, up, guided: false, sprung: false });
        }
        for contact in &model.contacts {
            for place in &contact.points {
                let design = self.design(place);
                // Contact points and corners of solids show the extent of their bodies.
                self.attach(&contact.bodies[1], design);
            }
        }
        for solid in model.solids.iter().filter(|solid| solid.body != "ground") {
            for place in solid.points.iter().chain(&solid.point) {
                let design = self.design(place);
                self.attach(&solid.body, design);
            }
        }
        for force in &model.forces {
            let at = self.design(&force.point);
            let at = self.attach(&force.body, at);
            self.scene.arrows.push(Arrow { name: force.name.clone(), at });
        }
    }

    fn add_wheels(&mut self) {
        let document = self.document;
        for (tyre, properties) in document.model.tyres.iter().zip(&document.tyres) {
            let Some(joint) = document.model.joints.iter().find(|joint| joint.name == tyre.joint) else { continue };
            let Some(design) = document.joint_design(joint, self.values) else { continue };
            let wheel = self.body(&joint.bodies[1]);
            let own = self.direction(&joint.axis);
            let (middle, axis) = (self.moved(wheel, design), self.turned(wheel, own));
            let spacing = tyre.twin_spacing.as_ref().map(|spacing| 0.5 * self.number(spacing));
            let offsets = spacing.map_or(vec![0.0], |half| vec![-half, half]);
            let radius = properties.coefficients.unloaded_radius;
            let width = match properties.coefficients.width {
                width if width > 0.0 => width,
                _ => DEFAULT_TYRE_WIDTH * radius,
            };
            let middles = offsets.into_iter().map(|offset| middle + offset * axis).collect();
            self.scene.wheels.push(Wheel { name: tyre.name.clone(), body: wheel, middles, axis, radius, width });
            if let Some(owner) = self.owner(&joint.bodies[1]) {
                self.scene.bodies[owner].wheel = true;
            }
        }
        let level = |road: &ballesta::model::schema::Road| {
            let flat = [&road.slope, &road.bank].map(|number| self.number(number) == 0.0);
            (flat == [true, true] && road.height_map.is_none()).then(|| self.number(&road.height))
        };
        self.scene.road = match (&document.model.roads[..], self.scene.wheels.is_empty()) {
            ([road], false) => level(road).filter(|height| height.is_finite()),
            _ => None,
        };
    }
}

/// Index of a body or interface of the file in the system; the ground if there is none.
pub fn body_number(document: &Document, system: &System, name: &str) -> usize {
    let find = |name: &str| system.bodies.iter().position(|body| body.name == name);
    // An interface without separate attachments moves with the floating frame.
    let frame = || match document.body_ref(name) {
        Some(BodyRef::Interface(body, _)) => find(&document.model.flexible_bodies[body].name),
        _ => None,
    };
    find(name).or_else(frame).unwrap_or(0)
}

/// Names of hardpoints that a table uses.
fn used_points(model: &ballesta::model::schema::Model) -> BTreeSet<&str> {
    let pairs = model.rods.iter().map(|x| &x.points);
    let pairs = pairs.chain(model.springs.iter().map(|x| &x.points));
    let pairs = pairs.chain(model.dampers.iter().map(|x| &x.points));
    let pairs = pairs.chain(model.air_springs.iter().map(|x| &x.points));
    let pairs = pairs.chain(model.anti_roll_bars.iter().map(|x| &x.points));
    let pairs = pairs.chain(model.bump_stops.iter().filter_map(|x| x.points.as_ref()));
    let single = model.joints.iter().filter_map(|x| x.point.as_ref());
    let single = single.chain(model.bodies.iter().filter_map(|x| x.com.as_ref()));
    let single = single.chain(model.points_on_line.iter().map(|x| &x.point));
    let single = single.chain(model.points_in_plane.iter().map(|x| &x.point));
    let single = single.chain(model.curves_on_curves.iter().map(|x| &x.point));
    let single = single.chain(model.leaf_springs.iter().map(|x| &x.point));
    let single = single.chain(model.bushings.iter().map(|x| &x.point));
    let single = single.chain(model.forces.iter().map(|x| &x.point));
    let single = single.chain(model.flexible_bodies.iter().filter_map(|x| x.position.as_ref()));
    let single = single.chain(model.outputs.iter().filter_map(|x| x.point.as_ref()));
    let single = single.chain(model.drags.iter().map(|x| &x.point));
    let single = single.chain(model.speed_controls.iter().map(|x| &x.point));
    let pairs = pairs.chain(model.shapes.iter().filter_map(|x| x.points.as_ref()));
    let single = single.chain(model.shapes.iter().filter_map(|x| x.point.as_ref()));
    let single = single.chain(model.contacts.iter().flat_map(|x| x.points.iter().chain(&x.point)));
    let single = single.chain(model.solids.iter().flat_map(|x| x.points.iter().chain(&x.point)));
    let places = pairs.flatten().chain(single);
    places.filter_map(|place| if let Place::Point(name) = place { Some(name.as_str()) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::compile;
    use ballesta::dynamics::{evaluate, load_stage};
    use ballesta::model;

    /// An arm that hangs from a pivot with two bearings, turned by 90° at the start.
    const ARM: &str = "
        [model]
        name = 'arm'
        [points]
        front = [1, 0, 2]
        rear = [-1, 0, 2]
        beside = [1, 0.1, 2]
        [[body]]
        name = 'arm'
        mass = 1
        com = [0, 0, 1]
        inertia = [1, 1, 1, 0, 0, 0]
        [[joint]]
        name = 'pivot'
        type = 'revolute'
        bodies = ['ground', 'arm']
        point = 'rear'
        axis = [3, 0, 0]
        position_deg = 90
        [[spring]]
        name = 'spring'
        bodies = ['ground', 'arm']
        points = ['beside', [0, 0, 0]]
        stiffness = 1
    ";

    #[test]
    fn parts_stand_where_the_model_starts_and_a_wishbone_has_both_its_bearings() {
        let document = model::parse(ARM, "arm.toml").unwrap_or_else(|errors| panic!("{errors}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let (state, mut ws) = (system.initial(), Workspace::new(&system));
        load_stage(&system, state, &mut ws, 0.0);
        evaluate(&system, state, &mut ws, 0.0).unwrap();
        let scene = Scene::new(&document, &system, &ws, &[]);
        let near = |a: Vec3, b: [f64; 3]| (a - Vec3::from(b)).norm() < 1e-12;
        let arm = &scene.bodies[0];
        assert!(near(arm.centre, [0.0, 1.0, 2.0]), "{}", arm.centre);
        assert!(arm.massive && !arm.wheel && arm.points.len() == 3, "{}", arm.points.len());
        let [pivot, bearing] = &scene.marks[..] else { panic!("{} marks", scene.marks.len()) };
        let mut ends = [pivot, bearing].map(|mark| mark.at.at);
        ends.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert!(near(ends[0], [-1.0, 0.0, 2.0]) && near(ends[1], [1.0, 0.0, 2.0]), "{ends:?}");
        assert!([pivot, bearing].iter().all(|mark| mark.sign == Sign::Revolute && near(mark.axis, [1.0, 0.0, 0.0])));
        assert!(
            near(scene.struts[0].places()[1], [0.0, 2.0, 2.0]) && near(scene.struts[0].places()[0], [1.0, 0.1, 2.0])
        );
        assert_eq!(scene.ground.len(), 3, "two bearings and a spring");
        assert!(scene.road.is_none() && scene.wheels.is_empty());
    }
}
