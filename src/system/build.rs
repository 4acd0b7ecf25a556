//! Model → System: topology, numbering, constant geometry. The assembly of loops is left to [`crate::dynamics`].

use super::names::Names;
use super::readout::{Influence, outputs};
use super::*;
use crate::force::{self, Lookup};
use crate::joint::{Row, TreeJoint};
use crate::math::rotation::complement;
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::model::schema::{self, CoordinateRef, JointKind, Model, PerCoordinate};
use crate::model::{Diagnostics, Document};
use crate::topology::{Edge, Groups, Wish, loop_legs, path_to_ground, spanning_tree};

/// Builds the system of a validated document with the values of its parameters. Blocks carry no ranks yet and the initial
/// state is the design position.
pub fn build(document: &Document, parameters: &[f64]) -> Result<System, Diagnostics> {
    let model = &document.model;
    let mut names = number_tree(document, parameters)?;
    let bodies = place_bodies(&mut names);
    let mut draft = Draft::new(&names, bodies);
    draft.add_cuts();
    draft.add_rods();
    draft.add_points();
    draft.add_couplers();
    let guided = guided(&names);
    let (blocks, constraints, rows) = draft.into_blocks(&guided);
    finish(model, names, parameters, guided, blocks, constraints, rows)
}

/// Spanning tree, numbers of bodies and coordinates; geometry follows in [`place_bodies`].
fn number_tree<'a>(document: &'a Document, parameters: &'a [f64]) -> Result<Names<'a>, Diagnostics> {
    let model = &document.model;
    let file_body = |name: &str| model.bodies.iter().position(|body| body.name == name).map_or(0, |index| index + 1);
    let used = joints_with_coordinates(model);
    let edges: Vec<Edge> = model
        .joints
        .iter()
        .map(|joint| Edge {
            first: file_body(&joint.bodies[0]),
            second: file_body(&joint.bodies[1]),
            freedom: TreeJoint::freedom(joint.kind),
            wish: match joint.cut {
                _ if used.contains(&joint.name.as_str()) => Wish::Tree,
                Some(true) => Wish::Cut,
                Some(false) => Wish::Tree,
                None => Wish::Free,
            },
        })
        .collect();
    let tree = spanning_tree(model.bodies.len() + 1, &edges);

    let mut diagnostics = Diagnostics::default();
    for &cut in tree.cuts.iter().filter(|&&cut| edges[cut].wish == Wish::Tree) {
        let joint = &model.joints[cut];
        diagnostics.0.push(document.source.at(
            format!("joint[{cut}]"),
            format!("joint `{}` has to be cut to open its loop, but its coordinate is used or it has `cut = false`", joint.name),
            "leave one joint of the loop free to be cut (no `cut = false`, no coordinate used by springs, drives, outputs)",
        ));
    }
    let mut body_numbers = vec![0; model.bodies.len()];
    for (index, branch) in tree.branches.iter().enumerate() {
        body_numbers[branch.child - 1] = index + 1;
    }
    for (index, body) in model.bodies.iter().enumerate().filter(|(index, _)| body_numbers[*index] == 0) {
        diagnostics.0.push(document.source.at(
            format!("body[{index}]"),
            format!("body `{}` is not connected to the ground", body.name),
            "connect it by a joint (type \"floating\" if it moves freely)",
        ));
    }
    let number = |file: usize| if file == 0 { 0 } else { body_numbers[file - 1] };
    let mut joint_places: Vec<JointPlace> = model
        .joints
        .iter()
        .zip(&edges)
        .map(|(joint, edge)| JointPlace {
            name: joint.name.clone(),
            tree: None,
            cut: None,
            bodies: [number(edge.first), number(edge.second)],
        })
        .collect();
    let (mut q, mut v) = (0, 0);
    let mut joints = Vec::new();
    for (index, branch) in tree.branches.iter().enumerate() {
        let joint = &model.joints[branch.edge];
        joint_places[branch.edge].tree = Some(index);
        let reversed = edges[branch.edge].first == branch.child;
        if reversed && joint.kind == JointKind::Floating {
            diagnostics.0.push(document.source.at(
                format!("joint[{}].bodies", branch.edge),
                format!("floating joint `{}` names its outboard body first", joint.name),
                "write the body nearer to the ground first",
            ));
        }
        joints.push(TreeJoint {
            kind: joint.kind,
            reversed,
            root: branch.parent == 0,
            q,
            v,
            anchor_first: Vec3::zeros(),
            anchor_second: Vec3::zeros(),
            axes: [Vec3::zeros(); 3],
        });
        q += TreeJoint::positions(joint.kind);
        v += TreeJoint::freedom(joint.kind);
    }
    diagnostics.into_result(Names {
        model,
        parameters,
        origin: Vec3::zeros(),
        body_numbers,
        centres: vec![Vec3::zeros(); model.bodies.len() + 1],
        joints,
        joint_places,
    })
}

/// Names of joints whose coordinates something else refers to: they must stay in the tree.
fn joints_with_coordinates(model: &Model) -> Vec<&str> {
    let mut used: Vec<&str> = Vec::new();
    used.extend(model.couplers.iter().flat_map(|c| c.coordinates.iter().map(|r| r.joint.as_str())));
    used.extend(model.racks.iter().flat_map(|r| [r.pinion.joint.as_str(), r.rack.joint.as_str()]));
    used.extend(model.guided.iter().map(|g| g.joint.as_str()));
    used.extend(model.joint_springs.iter().map(|s| s.joint.as_str()));
    used.extend(model.bump_stops.iter().map(|s| s.joint.as_str()));
    used.extend(model.frictions.iter().map(|s| s.joint.as_str()));
    used.extend(model.drives.iter().map(|s| s.joint.as_str()));
    let reaction = |q| matches!(q, schema::Quantity::ReactionForce | schema::Quantity::ReactionMoment);
    used.extend(model.outputs.iter().filter(|o| !reaction(o.quantity)).filter_map(|o| o.joint.as_deref()));
    let placed =
        |j: &&schema::Joint| j.independent || j.position.is_some() || j.position_deg.is_some() || j.speed.is_some();
    used.extend(model.joints.iter().filter(placed).map(|j| j.name.as_str()));
    used
}

/// Design positions relative to the model's origin (the point of the first joint at the ground, so that digits are not
/// lost far from the world's origin), and the geometry of the tree joints.
fn place_bodies(names: &mut Names) -> Vec<Body> {
    let model = names.model;
    if let Some(root) = names.joint_places.iter().position(|place| place.tree.is_some() && place.bodies.contains(&0)) {
        names.origin = joint_world(names, root);
    }
    let mut bodies =
        vec![Body { name: "ground".into(), parent: 0, mass: 0.0, inertia: Inertia::zero(), design: Vec3::zeros() }];
    for tree in 0..names.joints.len() {
        let file_joint = names.joint_places.iter().position(|place| place.tree == Some(tree)).unwrap_or(0);
        let place = &names.joint_places[file_joint];
        let [first, second] = place.bodies;
        let (parent, child) = if names.joints[tree].reversed { (second, first) } else { (first, second) };
        let file_body = names.body_numbers.iter().position(|&number| number == child).unwrap_or(0);
        let body = &model.bodies[file_body];
        let design = model.centre_of_mass(body).map_or(Vec3::zeros(), |place| names.place(place));
        names.centres[child] = design;
        let mass = names.number(&body.mass);
        let second_moment = body.inertia.as_ref().map_or(Mat3::zeros(), |values| {
            let [xx, yy, zz, xy, yz, xz] = [0, 1, 2, 3, 4, 5].map(|i| names.number(&values[i]));
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        });
        bodies.push(Body {
            name: body.name.clone(),
            parent,
            mass,
            inertia: Inertia { mass, first: Vec3::zeros(), second: second_moment },
            design,
        });
    }
    for tree in 0..names.joints.len() {
        let file_joint = names.joint_places.iter().position(|place| place.tree == Some(tree)).unwrap_or(0);
        let (point, axes) = (joint_point(names, file_joint), joint_axes(names, file_joint));
        let [first, second] = names.joint_places[file_joint].bodies;
        let (anchor_first, anchor_second) = (point - names.centres[first], point - names.centres[second]);
        let joint = &mut names.joints[tree];
        (joint.anchor_first, joint.anchor_second, joint.axes) = (anchor_first, anchor_second, axes);
    }
    bodies
}

/// World position of a joint that needs no centre of mass of its own bodies, for the model's origin.
fn joint_world(names: &Names, file_joint: usize) -> Vec3 {
    let joint = &names.model.joints[file_joint];
    let place = names.model.joint_place(joint);
    place.map_or(Vec3::zeros(), |place| names.world(place))
}

/// Joint point from the model's origin; default the centre of mass of the second body (of the first, if that is the ground).
fn joint_point(names: &Names, file_joint: usize) -> Vec3 {
    let [first, second] = names.joint_places[file_joint].bodies;
    let default = names.centres[if second == 0 { first } else { second }];
    names.model.joints[file_joint].point.as_ref().map_or(default, |place| names.place(place))
}

/// Unit axes of a joint in the sense of [`TreeJoint::axes`].
fn joint_axes(names: &Names, file_joint: usize) -> [Vec3; 3] {
    let joint = &names.model.joints[file_joint];
    let Some(axis) = joint.axis.as_ref().map(|axis| names.direction(axis)) else {
        return [Vec3::x(), Vec3::y(), Vec3::z()];
    };
    let second = joint.second_axis.as_ref().map(|second| names.vector(second));
    let helper = match (joint.kind, second) {
        (JointKind::Universal | JointKind::Planar, Some(second)) => Some(second),
        (JointKind::Planar, None) if axis.x.abs() < 0.9 => Some(Vec3::x()),
        (JointKind::Planar, None) => Some(Vec3::y()),
        _ => None,
    };
    match helper {
        Some(helper) => {
            let second = (helper - axis * helper.dot(&axis)).normalize();
            [axis, second, axis.cross(&second)]
        }
        None => {
            let (second, third) = complement(&axis);
            [axis, second, third]
        }
    }
}

/// Collects constraints and rows before they are sorted into blocks.
struct Draft<'a> {
    names: &'a Names<'a>,
    bodies: Vec<Body>,
    parents: Vec<usize>,
    constraints: Vec<Constraint>,
    rows: Vec<Vec<Row>>,
    /// Per constraint: tree joints on the legs of its first and of its second body.
    legs: Vec<(Vec<usize>, Vec<usize>)>,
    rods: Vec<Rod>,
    size: f64,
}

impl<'a> Draft<'a> {
    fn new(names: &'a Names<'a>, bodies: Vec<Body>) -> Self {
        let parents = bodies.iter().map(|body| body.parent).collect();
        let points: Vec<Vec3> = (0..names.joint_places.len()).map(|joint| joint_point(names, joint)).collect();
        let size = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).norm())).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        Draft { names, bodies, parents, constraints: vec![], rows: vec![], legs: vec![], rods: vec![], size }
    }

    fn add(
        &mut self,
        name: &str,
        key: String,
        bodies: [usize; 2],
        point: [Vec3; 2],
        rows: Vec<Row>,
        joint: Option<usize>,
    ) {
        let (first, second) = loop_legs(&self.parents, bodies[0], bodies[1]);
        let legs = (first.iter().map(|b| b - 1).collect::<Vec<_>>(), second.iter().map(|b| b - 1).collect::<Vec<_>>());
        let mut joints: Vec<String> = legs.0.iter().chain(&legs.1).map(|&tree| self.joint_name(tree)).collect();
        if let Some(joint) = joint {
            joints.push(self.names.joint_places[joint].name.clone());
        }
        self.push(name, key, bodies, point, rows, joint, legs, joints);
    }

    #[allow(clippy::too_many_arguments)]
    fn push(
        &mut self,
        name: &str,
        key: String,
        bodies: [usize; 2],
        points: [Vec3; 2],
        rows: Vec<Row>,
        joint: Option<usize>,
        legs: (Vec<usize>, Vec<usize>),
        joints: Vec<String>,
    ) {
        self.constraints.push(Constraint {
            name: name.into(),
            key,
            rows: 0..rows.len(),
            bodies,
            points,
            joints,
            joint,
        });
        self.rows.push(rows);
        self.legs.push(legs);
    }

    fn joint_name(&self, tree: usize) -> String {
        self.names.joint_places.iter().find(|p| p.tree == Some(tree)).map_or(String::new(), |place| place.name.clone())
    }

    fn add_cuts(&mut self) {
        let names = self.names;
        for (file, place) in names.joint_places.iter().enumerate().filter(|(_, place)| place.tree.is_none()) {
            let joint = &names.model.joints[file];
            let point = joint_point(names, file);
            let local = [point - names.centres[place.bodies[0]], point - names.centres[place.bodies[1]]];
            let axes = joint_axes(names, file);
            let rows = Row::of_cut(joint.kind, place.bodies.into(), local.into(), &axes, self.size);
            self.add(&joint.name, format!("joint[{file}]"), place.bodies, local, rows, Some(file));
        }
    }

    fn add_rods(&mut self) {
        let names = self.names;
        for (index, rod) in names.model.rods.iter().enumerate() {
            let bodies = [names.body(&rod.bodies[0]), names.body(&rod.bodies[1])];
            let points = [0, 1].map(|end| names.body_point(bodies[end], &rod.points[end]));
            let numbers = bodies.map(|body| body.0);
            let length = (names.place(&rod.points[1]) - names.place(&rod.points[0])).norm();
            let row = Row::Distance {
                first: numbers[0],
                second: numbers[1],
                p_first: points[0],
                p_second: points[1],
                length,
            };
            let mass = names.number(&rod.mass);
            for end in 0..2 {
                let share = Inertia::new(mass / 3.0, &points[end], &Mat3::zeros());
                self.bodies[numbers[end]].inertia += share;
            }
            let coordinates = numbers.map(|body| {
                let mut list: Vec<usize> =
                    path_to_ground(&self.parents, body).iter().flat_map(|b| names.joints[b - 1].v_range()).collect();
                list.sort_unstable();
                list
            });
            // `row` counts constraints here; it is resolved when the rows are sorted.
            self.rods.push(Rod { mass, bodies: numbers, points, coordinates, row: self.constraints.len() });
            self.add(&rod.name, format!("rod[{index}]"), numbers, points, vec![row], None);
        }
    }

    fn add_points(&mut self) {
        let names = self.names;
        let both = |bodies: &[String; 2], place: &schema::Place| {
            let bodies = [names.body(&bodies[0]), names.body(&bodies[1])];
            (bodies.map(|body| body.0), bodies.map(|body| names.body_point(body, place)))
        };
        for (index, item) in names.model.points_on_line.iter().enumerate() {
            let (bodies, points) = both(&item.bodies, &item.point);
            let (n1, n2) = complement(&names.direction(&item.axis));
            let along = |e: Vec3| Row::Along {
                first: bodies[0],
                second: bodies[1],
                e,
                p_first: points[0],
                p_second: points[1],
            };
            let rows = vec![along(n1), along(n2)];
            self.add(&item.name, format!("point_on_line[{index}]"), bodies, points, rows, None);
        }
        for (index, item) in names.model.points_in_plane.iter().enumerate() {
            let (bodies, points) = both(&item.bodies, &item.point);
            let e = names.direction(&item.normal);
            let row = Row::Along { first: bodies[0], second: bodies[1], e, p_first: points[0], p_second: points[1] };
            self.add(&item.name, format!("point_in_plane[{index}]"), bodies, points, vec![row], None);
        }
    }

    fn add_couplers(&mut self) {
        let names = self.names;
        for (index, item) in names.model.couplers.iter().enumerate() {
            let (ratio, offset) = (names.number(&item.ratio), names.number(&item.offset));
            let [first, second] = &item.coordinates;
            self.add_coupled(&item.name, format!("coupler[{index}]"), first, second, ratio, offset);
        }
        for (index, item) in names.model.racks.iter().enumerate() {
            let radius = names.number(&item.radius);
            self.add_coupled(&item.name, format!("rack_and_pinion[{index}]"), &item.pinion, &item.rack, radius, 0.0);
        }
    }

    fn add_coupled(
        &mut self,
        name: &str,
        key: String,
        first: &CoordinateRef,
        second: &CoordinateRef,
        ratio: f64,
        offset: f64,
    ) {
        let names = self.names;
        let [a, b] = [first, second].map(|r| names.coordinate(&r.joint, r.coordinate.as_deref()));
        let trees = [first, second].map(|r| names.joint_places[names.joint(&r.joint)].tree.unwrap_or(0));
        let angle = Names::is_angle(names.joints[trees[1]].kind, second.coordinate.as_deref());
        let row = Row::Coupled {
            first: (a.position, a.velocity),
            second: (b.position, b.velocity),
            ratio,
            offset,
            scale: if angle { self.size } else { 1.0 },
        };
        let joints = vec![first.joint.clone(), second.joint.clone()];
        let legs = (vec![trees[0]], vec![trees[1]]);
        self.push(name, key, [0, 0], [Vec3::zeros(); 2], vec![row], None, legs, joints);
    }

    /// Sorts constraints into blocks of shared unknown coordinates and numbers the rows accordingly.
    fn into_blocks(self, guided: &[Guided]) -> (Vec<Block>, DraftedConstraints, Vec<Row>) {
        let joints = &self.names.joints;
        let nv = joints.last().map_or(0, |joint| joint.v_range().end);
        let unknown = |v: usize| !guided.iter().any(|g| g.coordinate.velocity == v);
        let coordinates: Vec<Vec<usize>> = self
            .legs
            .iter()
            .zip(&self.rows)
            .map(|((first, second), rows)| match rows.first() {
                Some(Row::Coupled { first, second, .. }) => {
                    [first.1, second.1].into_iter().filter(|&v| unknown(v)).collect()
                }
                _ => first.iter().chain(second).flat_map(|&j| joints[j].v_range()).filter(|&v| unknown(v)).collect(),
            })
            .collect();
        let mut groups = Groups::new(nv);
        for list in &coordinates {
            list.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
        // A constraint without unknowns is a block of its own: it can only be checked.
        let mut keys: Vec<(usize, usize)> = (0..self.constraints.len())
            .map(|c| (coordinates[c].first().map_or(nv + c, |&v| groups.leader(v)), c))
            .collect();
        keys.sort_unstable();

        let (mut blocks, mut rows): (Vec<Block>, Vec<Row>) = (Vec::new(), Vec::new());
        let mut constraints = self.constraints;
        let mut order = 0;
        for chunk in keys.chunk_by(|a, b| a.0 == b.0) {
            let members: Vec<usize> = chunk.iter().map(|&(_, c)| c).collect();
            let mut block_coordinates: Vec<usize> =
                members.iter().flat_map(|&c| coordinates[c].iter().copied()).collect();
            block_coordinates.sort_unstable();
            block_coordinates.dedup();
            let mut moving: Vec<usize> =
                members.iter().flat_map(|&c| self.legs[c].0.iter().chain(&self.legs[c].1).copied()).collect();
            moving.sort_unstable();
            moving.dedup();
            let start = rows.len();
            let mut entries = Vec::new();
            for &c in &members {
                let first_row = rows.len();
                for row in &self.rows[c] {
                    entries.push(row_entries(row, &self.legs[c], &block_coordinates, joints));
                    rows.push(row.clone());
                }
                constraints[c].rows = first_row..rows.len();
            }
            let kinds = |v: &usize| {
                let joint = &joints[joints.partition_point(|joint| joint.v_range().end <= *v)];
                if TreeJoint::is_rotation(joint.kind, v - joint.v) { self.size } else { 1.0 }
            };
            let unit_size = block_coordinates.iter().map(kinds).collect();
            let class = vec![0; block_coordinates.len()];
            let block = Block {
                constraints: members,
                rows: start..rows.len(),
                class,
                unit_size,
                joints: moving,
                entries,
                size: self.size,
                rank: 0,
                regular_pivot: 0.0,
                regular_sigma: 0.0,
                order,
                coordinates: block_coordinates,
            };
            order = block.column_order().end;
            blocks.push(block);
        }
        let mut rods = self.rods;
        for rod in &mut rods {
            rod.row = constraints[rod.row].rows.start;
        }
        (blocks, DraftedConstraints { constraints, rods, bodies: self.bodies }, rows)
    }
}

/// What a draft hands on besides blocks and rows.
struct DraftedConstraints {
    constraints: Vec<Constraint>,
    rods: Vec<Rod>,
    bodies: Vec<Body>,
}

fn row_entries(row: &Row, legs: &(Vec<usize>, Vec<usize>), coordinates: &[usize], joints: &[TreeJoint]) -> Vec<Entry> {
    let entry = |coordinate: usize, on_second: bool| {
        coordinates.binary_search(&coordinate).ok().map(|column| Entry { column, coordinate, on_second })
    };
    match row {
        Row::Coupled { first, second, .. } => {
            [entry(first.1, false), entry(second.1, true)].into_iter().flatten().collect()
        }
        _ => {
            let leg = |list: &[usize], on_second: bool| {
                let velocities: Vec<usize> = list.iter().flat_map(|&joint| joints[joint].v_range()).collect();
                velocities.into_iter().filter_map(move |v| entry(v, on_second)).collect::<Vec<_>>()
            };
            let mut entries = leg(&legs.0, false);
            entries.extend(leg(&legs.1, true));
            entries
        }
    }
}

fn guided(names: &Names) -> Vec<Guided> {
    // Dissipated energy and input work come first among the auxiliary states.
    let mut state = 2;
    let input = |name: &str| names.model.inputs.iter().position(|input| input.name == name).unwrap_or(0);
    let tau = std::f64::consts::TAU;
    names
        .model
        .guided
        .iter()
        .map(|item| {
            let guide = if let Some(motion) = &item.motion {
                Guide::Motion {
                    offset: names.number(&motion.offset),
                    speed: names.number(&motion.speed),
                    amplitude: names.number(&motion.amplitude),
                    omega: tau * names.number(&motion.frequency),
                    phase: names.number(&motion.phase),
                }
            } else if let Some(table) = &item.table {
                Guide::Table(Spline::new(table.clone()))
            } else if let Some(inputs) = &item.inputs {
                Guide::Inputs([input(&inputs[0]), input(&inputs[1]), input(&inputs[2])])
            } else {
                let frequency = item.filter_frequency.as_ref().map_or(1.0, |number| names.number(number));
                let filter = Guide::Filtered {
                    input: input(item.input.as_deref().unwrap_or("")),
                    omega: tau * frequency,
                    state,
                };
                state += 3;
                filter
            };
            let coordinate = names.coordinate(&item.joint, item.coordinate.as_deref());
            Guided { name: item.name.clone(), coordinate, guide }
        })
        .collect()
}

/// Initial wishes, one list per kind.
fn wishes(names: &Names, q: &mut [f64]) -> Wishes {
    let mut wishes = Wishes::default();
    for (file, joint) in names.model.joints.iter().enumerate() {
        let Some(tree) = names.joint_places[file].tree.map(|tree| &names.joints[tree]) else { continue };
        let list = |values: &PerCoordinate| match values {
            PerCoordinate::One(number) => vec![names.number(number)],
            PerCoordinate::Each(numbers) => numbers.iter().map(|number| names.number(number)).collect(),
        };
        let degrees = |(index, value): (usize, f64)| {
            let angle = TreeJoint::quaternion(tree.kind).is_none() && TreeJoint::is_rotation(tree.kind, index);
            if angle { value.to_radians() } else { value }
        };
        let positions = match (&joint.position, &joint.position_deg) {
            (Some(values), _) => list(values),
            (None, Some(values)) => list(values).into_iter().enumerate().map(degrees).collect(),
            (None, None) => vec![],
        };
        for (index, &value) in positions.iter().enumerate() {
            q[tree.q + index] = value;
            wishes.positions.push((tree.q + index, value));
        }
        tree.normalize(q);
        if !positions.is_empty() {
            wishes.placed.extend(tree.v_range());
        }
        let speeds = joint.speed.as_ref().map_or(vec![], list);
        wishes.speeds.extend(speeds.iter().enumerate().map(|(index, &value)| (tree.v + index, value)));
    }
    wishes
}

fn finish(
    model: &Model,
    names: Names,
    parameters: &[f64],
    guided: Vec<Guided>,
    mut blocks: Vec<Block>,
    drafted: DraftedConstraints,
    rows: Vec<Row>,
) -> Result<System, Diagnostics> {
    let DraftedConstraints { constraints, rods, bodies } = drafted;
    let nq = names.joints.last().map_or(0, |joint| joint.q_range().end);
    let nv = names.joints.last().map_or(0, |joint| joint.v_range().end);
    let mut names = names;
    for constraint in &constraints {
        if let Some(joint) = constraint.joint {
            names.joint_places[joint].cut = constraints.iter().position(|other| other.joint == Some(joint));
        }
    }
    let mut q = vec![0.0; nq];
    for joint in &names.joints {
        if let Some((iq, _)) = TreeJoint::quaternion(joint.kind) {
            q[joint.q + iq] = 1.0;
        }
    }
    let wishes = wishes(&names, &mut q);
    let independent: Vec<usize> = model
        .joints
        .iter()
        .enumerate()
        .filter(|(_, joint)| joint.independent)
        .filter_map(|(file, _)| names.joint_places[file].tree)
        .flat_map(|tree| names.joints[tree].v_range())
        .collect();
    for block in &mut blocks {
        for (class, v) in block.class.iter_mut().zip(&block.coordinates) {
            *class = if independent.contains(v) { 1 } else { 0 };
        }
    }
    let in_block: Vec<bool> = (0..nv).map(|v| blocks.iter().any(|block| block.coordinates.contains(&v))).collect();
    let is_guided = |v: usize| guided.iter().any(|g| g.coordinate.velocity == v);
    let free = (0..nv).filter(|&v| !in_block[v] && !is_guided(v)).collect();
    let filtered = guided.iter().filter(|g| matches!(g.guide, Guide::Filtered { .. })).count();
    let auxiliary = 2 + 3 * filtered;

    let elements = force::build(model, &names);
    let inputs: Vec<InputInfo> = model
        .inputs
        .iter()
        .map(|input| InputInfo {
            name: input.name.clone(),
            unit: input.unit.clone().unwrap_or_default(),
            start: input.start,
            description: input.description.clone(),
        })
        .collect();
    let body_of_coordinate: Vec<usize> =
        (0..nv).map(|v| names.joints.partition_point(|joint| joint.v_range().end <= v) + 1).collect();
    let component = components(&bodies, &rows, &body_of_coordinate);
    let acts = actions(&elements, &guided, &component, &body_of_coordinate, inputs.len());
    let influence = Influence { component: &component, body_of_coordinate: &body_of_coordinate, acts: &acts };
    let (outputs, output_infos) = outputs(&names, &elements, &constraints, &influence, &inputs);
    let needs_reactions = outputs.iter().any(|output| {
        matches!(
            output.readout,
            Readout::ReactionForce(_)
                | Readout::ReactionMoment(_)
                | Readout::ConstraintForce(_)
                | Readout::ConstraintReactionForce(_)
                | Readout::ConstraintReactionMoment(_)
                | Readout::GuidedEffort(_)
        )
    });
    let parameter_infos = model
        .parameters
        .iter()
        .map(|parameter| ParameterInfo {
            name: parameter.name.clone(),
            unit: parameter.unit.clone().unwrap_or_default(),
            start: parameter.value,
            tunable: parameter.tunable,
            min: parameter.min,
            max: parameter.max,
            description: parameter.description.clone(),
        })
        .collect();
    let start = model.experiment.start;
    let initial = State {
        time: start,
        q,
        v: vec![0.0; nv],
        auxiliary: vec![0.0; auxiliary],
        inputs: inputs.iter().map(|input| input.start).collect(),
        input_slopes: vec![0.0; inputs.len()],
        input_times: vec![start; inputs.len()],
        parameters: parameters.to_vec(),
        orders: blocks.iter().flat_map(|b| (0..b.rows.len() as u32).chain(0..b.coordinates.len() as u32)).collect(),
        pivots: vec![0.0; blocks.len()],
        least_change: vec![0; blocks.len()],
        near_singular: 0,
        repartitions: 0,
    };
    let mut joint_of_tree = vec![0; names.joints.len()];
    for (file, place) in names.joint_places.iter().enumerate() {
        if let Some(tree) = place.tree {
            joint_of_tree[tree] = file;
        }
    }
    Ok(System {
        name: model.general.name.clone(),
        interface: Interface { inputs, parameters: parameter_infos, outputs: output_infos },
        gravity: names.vector(&model.general.gravity),
        step: model.general.step,
        integrator: model.general.integrator,
        start_time: start,
        origin: names.origin,
        nq,
        nv,
        auxiliary,
        bodies,
        joint_of_tree,
        joints: names.joints,
        joint_places: names.joint_places,
        constraints,
        rows,
        rods,
        blocks,
        guided,
        free,
        elements,
        outputs,
        needs_reactions,
        wishes,
        initial,
        report: Report::default(),
    })
}

/// Component of every body: bodies that exchange reactions without the ground between them.
fn components(bodies: &[Body], rows: &[Row], body_of_coordinate: &[usize]) -> Vec<usize> {
    let mut groups = Groups::new(bodies.len());
    let mut join = |a: usize, b: usize| {
        if a != 0 && b != 0 {
            groups.join(a, b);
        }
    };
    for (index, body) in bodies.iter().enumerate().skip(1) {
        join(index, body.parent);
    }
    for row in rows {
        match row {
            Row::Coupled { first, second, .. } => join(body_of_coordinate[first.1], body_of_coordinate[second.1]),
            _ => {
                let (a, b) = row.bodies().unwrap_or((0, 0));
                join(a, b);
            }
        }
    }
    (0..bodies.len()).map(|body| groups.leader(body)).collect()
}

/// Per input: components it acts on and from which level of motion on.
fn actions(
    elements: &[force::Element],
    guided: &[Guided],
    component: &[usize],
    body_of_coordinate: &[usize],
    inputs: usize,
) -> Vec<Vec<(usize, u8)>> {
    let mut acts = vec![Vec::new(); inputs];
    for element in elements {
        let (bodies, coordinate) = (element.bodies(), element.coordinate());
        let on: Vec<usize> =
            bodies.iter().map(|body| body.0).chain(coordinate.map(|ix| body_of_coordinate[ix.velocity])).collect();
        for input in element.inputs() {
            acts[input].extend(on.iter().filter(|&&body| body != 0).map(|&body| (component[body], 2)));
        }
    }
    for item in guided {
        if let Guide::Inputs(list) = item.guide {
            let at = component[body_of_coordinate[item.coordinate.velocity]];
            list.iter().zip(0u8..).for_each(|(&input, level)| acts[input].push((at, level)));
        }
    }
    acts
}
