//! Closure equations: rows of cuts in the order of the joints, then of connections in their order.

use super::{BodyRef, ConnectionKind, JointCoordinate, JointRef, Layout};
use crate::joint::coordinates::Measure;
use crate::joint::{Function, Row, Term};
use crate::math::arc_length::ArcLength;
use crate::math::rotation::complement;
use crate::math::{Vec3, larger};
use crate::system::{Constraint, Rod};
use crate::topology::{loop_legs, path_to_ground};
use alloc::{boxed::Box, format, string::String, vec, vec::Vec};

/// All constraints with their rows, which are not numbered yet.
pub(super) struct Constraints {
    pub(super) closures: Vec<Closure>,
    /// Their rows are indices into `closures`.
    pub(super) rods: Vec<Rod>,
    /// Greatest distance of two joints, m.
    pub(super) size: f64,
}

/// A source of rows.
pub(super) struct Closure {
    /// Its `rows` are counted from 0.
    pub(super) constraint: Constraint,
    pub(super) rows: Vec<Row>,
    /// Tree joints on the legs of its first and of its second body; of a coupler all on the first.
    pub(super) legs: [Vec<usize>; 2],
}

/// A point of each of two bodies, in their frames.
#[derive(Clone, Copy)]
struct Ends {
    bodies: [usize; 2],
    points: [Vec3; 2],
}

impl Ends {
    fn along(&self, e: Vec3) -> Row {
        let ([first, second], [p_first, p_second]) = (self.bodies, self.points);
        Row::Along { first, second, e, p_first, p_second }
    }
}

/// The equation Σ ratio · coordinate = offset; fields as in [`ConnectionKind::Coupler`].
struct Sum<'a> {
    terms: &'a [(JointCoordinate, f64)],
    offset: f64,
    laws: Vec<Function>,
    balanced: bool,
}

impl Constraints {
    pub(super) fn new(layout: &Layout) -> Constraints {
        let points = &layout.design.points;
        let size = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).norm())).fold(0.0, larger);
        let size = if size > 0.0 { size } else { 1.0 };
        let mut constraints = Constraints { closures: Vec::new(), rods: Vec::new(), size };
        constraints.add_cuts(layout);
        for source in 0..layout.mechanism.connections.len() {
            constraints.add_connection(layout, source);
        }
        constraints
    }

    /// `joint`: the joint, for a cut; `source`: the connection.
    fn add(&mut self, layout: &Layout, name: &str, ends: Ends, rows: Vec<Row>, [joint, source]: [Option<usize>; 2]) {
        let Ends { bodies, points } = ends;
        let (first, second) = loop_legs(&layout.graph.parents, bodies[0], bodies[1]);
        let legs = [first, second].map(|leg| leg.iter().map(|body| body - 1).collect::<Vec<_>>());
        let numbering = &layout.numbering;
        let on_legs = legs.iter().flatten().filter_map(|&tree| numbering.joint_of_tree[tree]).chain(joint);
        let joints = on_legs.map(|joint| numbering.joint_places[joint].name.clone()).collect();
        let rows_of = 0..rows.len();
        let (name, touching) = (String::from(name), false);
        let constraint = Constraint { name, source, rows: rows_of, bodies, points, joints, joint, touching };
        self.closures.push(Closure { constraint, rows, legs });
    }

    fn add_cuts(&mut self, layout: &Layout) {
        let places = layout.numbering.joint_places.iter().enumerate();
        for (index, place) in places.filter(|(_, place)| place.tree.is_none()) {
            let [first, second] = layout.design.local_points(index, place.bodies);
            let axes = &layout.design.axes[index];
            let kind = layout.mechanism.joints[index].kind;
            let rows = Row::of_cut(kind, place.bodies.into(), (first, second), axes, self.size);
            let ends = Ends { bodies: place.bodies, points: [first, second] };
            self.add(layout, &place.name, ends, rows, [Some(index), None]);
        }
    }

    fn add_connection(&mut self, layout: &Layout, source: usize) {
        let connection = &layout.mechanism.connections[source];
        let (name, by) = (connection.name.as_str(), [None, Some(source)]);
        let ends = |bodies: &[BodyRef; 2], points: [&Vec3; 2]| {
            let bodies = bodies.map(|body| layout.body(body));
            let points = [0, 1].map(|end| layout.body_point(bodies[end], points[end]));
            Ends { bodies: bodies.map(|body| body.0), points }
        };
        match &connection.kind {
            ConnectionKind::Rod { bodies, points, mass } => {
                let ends = ends(bodies, [&points[0], &points[1]]);
                let length = (layout.from_origin(&points[1]) - layout.from_origin(&points[0])).norm();
                let row = self.add_rod(layout, ends, *mass, length);
                self.add(layout, name, ends, vec![row], by);
            }
            ConnectionKind::PointOnLine { bodies, point, axis } => {
                let ends = ends(bodies, [point; 2]);
                let (n1, n2) = complement(&axis.normalize());
                self.add(layout, name, ends, vec![ends.along(n1), ends.along(n2)], by);
            }
            ConnectionKind::PointInPlane { bodies, point, normal, curve } => {
                let ends = ends(bodies, [point; 2]);
                let e = normal.normalize();
                let from = layout.design.bodies[ends.bodies[1]].design + layout.design.origin;
                let row = match curve.as_ref().and_then(|curve| curve.relative_to(&from)) {
                    Some(curve) => {
                        let ([first, second], [p_first, _]) = (ends.bodies, ends.points);
                        Row::Touching { first, second, e, p_first, curve: Box::new(curve) }
                    }
                    None => ends.along(e),
                };
                self.add(layout, name, ends, vec![row], by);
            }
            ConnectionKind::Curves { joints, rolling } => self.add_curves(layout, name, source, *joints, *rolling),
            ConnectionKind::Coupler { terms, offset, laws, balanced } => {
                let sum = Sum { terms, offset: *offset, laws: laws.clone(), balanced: *balanced };
                self.add_coupled(layout, name, source, sum);
            }
        }
    }

    /// The row of a rod; adds its inertia.
    fn add_rod(&mut self, layout: &Layout, ends: Ends, mass: f64, length: f64) -> Row {
        let Ends { bodies, points } = ends;
        let slots = bodies.map(|body| slots(layout, body));
        let coordinates = slots.each_ref().map(|list| {
            let mut list: Vec<usize> = list.iter().map(|pair| pair.0).collect();
            list.dedup();
            list
        });
        self.rods.push(Rod { mass, bodies, points, coordinates, slots, row: self.closures.len() });
        let ([first, second], [p_first, p_second]) = (bodies, points);
        Row::Distance { first, second, p_first, p_second, length }
    }

    /// The two bodies that run along curves share one point and one tangent. If the curves roll, the arc lengths behind
    /// the bodies are equal too. The first row is along the normal from the first curve to the second, the direction in
    /// which the second curve bends more: its multiplier is the contact force.
    fn add_curves(&mut self, layout: &Layout, name: &str, source: usize, runners: [JointRef; 2], rolling: bool) {
        let bodies = runners.map(|runner| layout.numbering.joint_places[runner.0].bodies[1]);
        let [first, second] = bodies;
        let on = runners.map(|runner| layout.design.curves[runner.0].as_ref().expect("a joint along a curve"));
        let [[t1, k1], [t2, k2]] = on.map(|(curve, start, _)| curve.curvature(*start));
        let normal = (k2 - k1).normalize();
        let ends = Ends { bodies, points: [Vec3::zeros(); 2] };
        let tangents = Row::Perpendicular { first, second, u: normal, w: t2, scale: self.size };
        let rows = vec![ends.along(normal), ends.along(t1), tangents];
        self.add(layout, name, ends, rows, [None, Some(source)]);
        if let Some(closure) = self.closures.last_mut() {
            closure.constraint.touching = true;
        }
        if rolling {
            let ratios = [1.0, if t1.dot(&t2) < 0.0 { 1.0 } else { -1.0 }];
            let terms = [0, 1].map(|k| (runners[k].coordinate(0), ratios[k]));
            let laws = on.iter().map(|(curve, start, _)| Function::Arc(ArcLength::new(curve, *start))).collect();
            let sum = Sum { terms: &terms, offset: 0.0, laws, balanced: false };
            self.add_coupled(layout, &format!("{name}.rolling"), source, sum);
        }
    }

    /// The equation is in m by the size of its last coordinate's unit, or, if it is `balanced`, with 1 as the largest
    /// slope.
    fn add_coupled(&mut self, layout: &Layout, name: &str, source: usize, sum: Sum) {
        let numbering = &layout.numbering;
        let Sum { terms: on, offset, laws, balanced } = sum;
        let tree_of = |on: &JointCoordinate| numbering.joint_places[on.joint.0].tree.expect("kept in the tree");
        let trees: Vec<usize> = on.iter().map(|(on, _)| tree_of(on)).collect();
        let size_of = |tree: usize, index: usize| {
            let coordinate = &numbering.joints[tree].kind.coordinates()[index];
            if coordinate.measure == Measure::Angle { self.size } else { 1.0 }
        };
        let mut sizes = on.iter().zip(&trees).map(|((on, ratio), &tree)| (size_of(tree, on.index), ratio));
        let scale = match balanced {
            true => 1.0 / sizes.map(|(size, ratio)| ratio.abs() / size).fold(0.0, larger),
            false => sizes.next_back().map_or(1.0, |(size, _)| size),
        };
        let term = |&(on, ratio): &(JointCoordinate, f64)| {
            let at = layout.kept(on);
            Term { position: at.position, velocity: at.velocity, ratio }
        };
        let row = Row::Coupled { terms: on.iter().map(term).collect(), offset, scale, laws };
        let constraint = Constraint {
            name: name.into(),
            source: Some(source),
            rows: 0..1,
            bodies: [0, 0],
            points: [Vec3::zeros(); 2],
            joints: on.iter().map(|(on, _)| numbering.joint_places[on.joint.0].name.clone()).collect(),
            joint: None,
            touching: false,
        };
        self.closures.push(Closure { constraint, rows: vec![row], legs: [trees, Vec::new()] });
    }
}

/// Velocity coordinates that move a body, with their columns, ascending.
fn slots(layout: &Layout, body: usize) -> Vec<(usize, usize)> {
    let joints = &layout.numbering.joints;
    let pairs = |body: &usize| joints[body - 1].v_range().zip(joints[body - 1].slot_range());
    let mut list: Vec<(usize, usize)> = path_to_ground(&layout.graph.parents, body).iter().flat_map(pairs).collect();
    list.sort_unstable();
    list
}
