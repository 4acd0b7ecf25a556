//! Closure equations in the order of the file: rows of cuts, rods, points and couplers.

use super::elements::Lookup;
use super::laws::law;
use super::names::Names;
use ballesta_model::runners;
use ballesta_model::schema::Place;
use ballesta_solver::joint::coordinates::Measure;
use ballesta_solver::joint::{Function, Row, Term};
use ballesta_solver::math::arc_length::ArcLength;
use ballesta_solver::math::rotation::complement;
use ballesta_solver::math::{Vec3, larger};
use ballesta_solver::system::{Constraint, Rod};
use ballesta_solver::topology::{loop_legs, path_to_ground};

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
        constraints.add_curves(names);
        constraints.add_couplers(names);
        constraints
    }

    /// `joint`: the joint in the file, for a cut.
    fn add(&mut self, names: &Names, (name, key): (&str, String), ends: Ends, rows: Vec<Row>, joint: Option<usize>) {
        let Ends { bodies, points } = ends;
        let (first, second) = loop_legs(&names.graph.parents, bodies[0], bodies[1]);
        let legs = [first, second].map(|leg| leg.iter().map(|body| body - 1).collect::<Vec<_>>());
        let numbering = names.numbering;
        let files = legs.iter().flatten().filter_map(|&tree| numbering.joint_of_tree[tree]).chain(joint);
        let joints = files.map(|file| numbering.joint_places[file].name.clone()).collect();
        let rows_of = 0..rows.len();
        let touching = false;
        let constraint = Constraint { name: name.into(), key, rows: rows_of, bodies, points, joints, joint, touching };
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
            let e = names.direction(&item.normal);
            let row = match names.curve(item.curve.as_ref(), ends.bodies[1]) {
                Some(curve) => {
                    let ([first, second], [p_first, _]) = (ends.bodies, ends.points);
                    Row::Touching { first, second, e, p_first, curve: Box::new(curve) }
                }
                None => along(&ends, e),
            };
            self.add(names, (&item.name, format!("point_in_plane[{index}]")), ends, vec![row], None);
        }
    }

    /// The two bodies that run along curves share one point and one tangent. If the curves roll, the arc lengths behind
    /// the bodies are equal too. The first row is along the normal from the first curve to the second, the direction in
    /// which the second curve bends more: its multiplier is the contact force.
    fn add_curves(&mut self, names: &Names) {
        for (index, item) in names.model.curves_on_curves.iter().enumerate() {
            let key = format!("curve_on_curve[{index}]");
            let runners = runners::names(item);
            let [first, second] = runners.each_ref().map(|name| names.body(name).0);
            let on = runners.each_ref().map(|name| names.design.curves[names.joint(name)].as_ref().expect("a curve"));
            let [[t1, k1], [t2, k2]] = on.map(|(curve, start, _)| curve.curvature(*start));
            let normal = (k2 - k1).normalize();
            let along = |e: Vec3| Row::Along { first, second, e, p_first: Vec3::zeros(), p_second: Vec3::zeros() };
            let tangents = Row::Perpendicular { first, second, u: normal, w: t2, scale: self.size };
            let rows = vec![along(normal), along(t1), tangents];
            let ends = Ends { bodies: [first, second], points: [Vec3::zeros(); 2] };
            self.add(names, (&item.name, key.clone()), ends, rows, None);
            if let Some(closure) = self.closures.last_mut() {
                closure.constraint.touching = true;
            }
            if item.rolling {
                let ratios = [1.0, if t1.dot(&t2) < 0.0 { 1.0 } else { -1.0 }];
                let terms = runners.iter().map(|name| (name.as_str(), None)).zip(ratios).collect();
                let laws = on.iter().map(|(curve, start, _)| Function::Arc(ArcLength::new(curve, *start))).collect();
                self.add_coupled(names, (&format!("{}.rolling", item.name), key), terms, (0.0, laws), false);
            }
        }
    }

    fn add_couplers(&mut self, names: &Names) {
        for (index, item) in names.model.couplers.iter().enumerate() {
            let place = (item.name.as_str(), format!("coupler[{index}]"));
            let coordinates = item.coordinates.iter().map(|on| (on.joint.as_str(), on.coordinate.as_deref()));
            let ratios: Vec<f64> = match &item.ratio {
                Some(ratio) => vec![-names.number(ratio), 1.0],
                None => item.coordinates.iter().flat_map(|on| on.ratio.as_ref()).map(|r| names.number(r)).collect(),
            };
            let sense = |k: usize| item.coordinates[k].ratio.as_ref().map_or(1.0, |ratio| names.number(ratio));
            let law = law(names, item).map(|law| if sense(0) < 0.0 { Function::Backwards } else { Function::Law }(law));
            let laws: Vec<Function> = law.into_iter().collect();
            let ratios = if laws.is_empty() { ratios } else { vec![-1.0, sense(1)] };
            // With a ratio per coordinate the largest part of the equation counts as m, whatever the units of the
            // ratios.
            let weighs = laws.is_empty() && item.ratio.is_none();
            let on = coordinates.zip(ratios).collect();
            self.add_coupled(names, place, on, (names.number(&item.offset), laws), weighs);
        }
        for (index, item) in names.model.racks.iter().enumerate() {
            let place = (item.name.as_str(), format!("rack_and_pinion[{index}]"));
            let [pinion, rack] = [&item.pinion, &item.rack].map(|on| (on.joint.as_str(), on.coordinate.as_deref()));
            let terms = vec![(pinion, -names.number(&item.radius)), (rack, 1.0)];
            self.add_coupled(names, place, terms, (0.0, Vec::new()), false);
        }
    }

    /// `on`: joints and coordinates with their ratios. The equation is in m by the size of its last coordinate's unit,
    /// or, if it `weighs`, with 1 as the largest slope.
    fn add_coupled(
        &mut self,
        names: &Names,
        (name, key): (&str, String),
        on: Vec<((&str, Option<&str>), f64)>,
        (offset, laws): (f64, Vec<Function>),
        weighs: bool,
    ) {
        let trees: Vec<usize> = on.iter().map(|((joint, _), _)| names.tree_joint(joint)).collect();
        let size_of = |tree: usize, coordinate: Option<&str>| {
            let coordinate = names.numbering.joints[tree].kind.coordinate(coordinate).expect("validated");
            if coordinate.measure == Measure::Angle { self.size } else { 1.0 }
        };
        let mut sizes =
            on.iter().zip(&trees).map(|(((_, coordinate), ratio), &tree)| (size_of(tree, *coordinate), ratio));
        let scale = match weighs {
            true => 1.0 / sizes.map(|(size, ratio)| ratio.abs() / size).fold(0.0, larger),
            false => sizes.next_back().map_or(1.0, |(size, _)| size),
        };
        let term = |&((joint, coordinate), ratio): &((&str, Option<&str>), f64)| {
            let at = names.coordinate(joint, coordinate);
            Term { position: at.position, velocity: at.velocity, ratio }
        };
        let row = Row::Coupled { terms: on.iter().map(term).collect(), offset, scale, laws };
        let constraint = Constraint {
            name: name.into(),
            key,
            rows: 0..1,
            bodies: [0, 0],
            points: [Vec3::zeros(); 2],
            joints: on.iter().map(|((joint, _), _)| joint.to_string()).collect(),
            joint: None,
            touching: false,
        };
        self.closures.push(Closure { constraint, rows: vec![row], legs: [trees, Vec::new()] });
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
