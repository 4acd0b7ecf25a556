//! Closure equations in the order of the file: rows of cuts, rods, points and couplers.

use super::names::Names;
use crate::force::Lookup;
use crate::joint::Row;
use crate::math::rotation::complement;
use crate::math::{Vec3, larger};
use crate::model::coordinates::Measure;
use crate::model::schema::{CoordinateRef, Place};
use crate::system::{Constraint, Rod};
use crate::topology::{loop_legs, path_to_ground};

/// All constraints with their rows, which are not numbered yet.
pub(super) struct Constraints {
    pub(super) closures: Vec<Closure>,
    /// Their rows are places in `closures`.
    pub(super) rods: Vec<Rod>,
    /// Greatest distance of two joints, m.
    pub(super) size: f64,
}

/// A source of rows.
pub(super) struct Closure {
    /// Its `rows` are counted from 0.
    pub(super) constraint: Constraint,
    pub(super) rows: Vec<Row>,
    /// Tree joints on the legs of its first and of its second body.
    pub(super) legs: [Vec<usize>; 2],
}

/// A point of each of two bodies, in their frames.
struct Ends {
    bodies: [usize; 2],
    points: [Vec3; 2],
}

impl Constraints {
    pub(super) fn new(names: &Names) -> Constraints {
        let points = &names.design.points;
        let size = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).norm())).fold(0.0, larger);
        let size = if size > 0.0 { size } else { 1.0 };
        let mut constraints = Constraints { closures: Vec::new(), rods: Vec::new(), size };
        constraints.add_cuts(names);
        constraints.add_rods(names);
        constraints.add_points(names);
        constraints.add_couplers(names);
        constraints
    }

    /// `joint`: the file's joint, of a cut.
    fn add(&mut self, names: &Names, (name, key): (&str, String), ends: Ends, rows: Vec<Row>, joint: Option<usize>) {
        let Ends { bodies, points } = ends;
        let (first, second) = loop_legs(&names.graph.parents, bodies[0], bodies[1]);
        let legs = [first, second].map(|leg| leg.iter().map(|body| body - 1).collect::<Vec<_>>());
        let numbering = names.numbering;
        let files = legs.iter().flatten().filter_map(|&tree| numbering.joint_of_tree[tree]).chain(joint);
        let joints = files.map(|file| numbering.joint_places[file].name.clone()).collect();
        let constraint = Constraint { name: name.into(), key, rows: 0..rows.len(), bodies, points, joints, joint };
        self.closures.push(Closure { constraint, rows, legs });
    }

    fn add_cuts(&mut self, names: &Names) {
        let places = names.numbering.joint_places.iter().enumerate();
        for (file, place) in places.filter(|(_, place)| place.tree.is_none()) {
            let joint = &names.model.joints[file];
            let [first, second] = names.design.local_points(file, place.bodies);
            let axes = &names.design.axes[file];
            let rows = Row::of_cut(joint.kind, place.bodies.into(), (first, second), axes, self.size);
            let ends = Ends { bodies: place.bodies, points: [first, second] };
            self.add(names, (&joint.name, format!("joint[{file}]")), ends, rows, Some(file));
        }
    }

    fn add_rods(&mut self, names: &Names) {
        for (index, rod) in names.model.rods.iter().enumerate() {
            let bodies = [names.body(&rod.bodies[0]), names.body(&rod.bodies[1])];
            let points = [0, 1].map(|end| names.body_point(bodies[end], &rod.points[end]));
            let bodies = bodies.map(|body| body.0);
            let length = (names.place(&rod.points[1]) - names.place(&rod.points[0])).norm();
            let slots = bodies.map(|body| slots(names, body));
            let coordinates = slots.each_ref().map(|list| {
                let mut list: Vec<usize> = list.iter().map(|pair| pair.0).collect();
                list.dedup();
                list
            });
            let mass = names.number(&rod.mass);
            self.rods.push(Rod { mass, bodies, points, coordinates, slots, row: self.closures.len() });
            let ([first, second], [p_first, p_second]) = (bodies, points);
            let row = Row::Distance { first, second, p_first, p_second, length };
            self.add(names, (&rod.name, format!("rod[{index}]")), Ends { bodies, points }, vec![row], None);
        }
    }

    fn add_points(&mut self, names: &Names) {
        let both = |bodies: &[String; 2], place: &Place| {
            let bodies = [names.body(&bodies[0]), names.body(&bodies[1])];
            Ends { bodies: bodies.map(|body| body.0), points: bodies.map(|body| names.body_point(body, place)) }
        };
        let along = |ends: &Ends, e: Vec3| {
            let ([first, second], [p_first, p_second]) = (ends.bodies, ends.points);
            Row::Along { first, second, e, p_first, p_second }
        };
        for (index, item) in names.model.points_on_line.iter().enumerate() {
            let ends = both(&item.bodies, &item.point);
            let (n1, n2) = complement(&names.direction(&item.axis));
            let rows = vec![along(&ends, n1), along(&ends, n2)];
            self.add(names, (&item.name, format!("point_on_line[{index}]")), ends, rows, None);
        }
        for (index, item) in names.model.points_in_plane.iter().enumerate() {
            let ends = both(&item.bodies, &item.point);
            let row = along(&ends, names.direction(&item.normal));
            self.add(names, (&item.name, format!("point_in_plane[{index}]")), ends, vec![row], None);
        }
    }

    fn add_couplers(&mut self, names: &Names) {
        for (index, item) in names.model.couplers.iter().enumerate() {
            let (ratio, offset) = (names.number(&item.ratio), names.number(&item.offset));
            let [first, second] = &item.coordinates;
            self.add_coupled(names, (&item.name, format!("coupler[{index}]")), [first, second], ratio, offset);
        }
        for (index, item) in names.model.racks.iter().enumerate() {
            let (key, radius) = (format!("rack_and_pinion[{index}]"), names.number(&item.radius));
            self.add_coupled(names, (&item.name, key), [&item.pinion, &item.rack], radius, 0.0);
        }
    }

    fn add_coupled(
        &mut self,
        names: &Names,
        (name, key): (&str, String),
        coordinates: [&CoordinateRef; 2],
        ratio: f64,
        offset: f64,
    ) {
        let trees = coordinates.map(|on| names.tree_joint(&on.joint));
        let [a, b] = coordinates.map(|on| names.coordinate(&on.joint, on.coordinate.as_deref()));
        let driven = names.numbering.joints[trees[1]].kind.coordinate(coordinates[1].coordinate.as_deref());
        let angle = driven.expect("validated").measure == Measure::Angle;
        let row = Row::Coupled {
            first: (a.position, a.velocity),
            second: (b.position, b.velocity),
            ratio,
            offset,
            scale: if angle { self.size } else { 1.0 },
        };
        let constraint = Constraint {
            name: name.into(),
            key,
            rows: 0..1,
            bodies: [0, 0],
            points: [Vec3::zeros(); 2],
            joints: coordinates.map(|on| on.joint.clone()).into(),
            joint: None,
        };
        self.closures.push(Closure { constraint, rows: vec![row], legs: trees.map(|tree| vec![tree]) });
    }
}

/// Velocity coordinates that move a body, with their columns, ascending.
fn slots(names: &Names, body: usize) -> Vec<(usize, usize)> {
    let joints = &names.numbering.joints;
    let pairs = |body: &usize| joints[body - 1].v_range().zip(joints[body - 1].slot_range());
    let mut list: Vec<(usize, usize)> = path_to_ground(&names.graph.parents, body).iter().flat_map(pairs).collect();
    list.sort_unstable();
    list
}
