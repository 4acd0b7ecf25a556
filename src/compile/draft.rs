//! Closure equations: rows of cuts, rods, points and couplers, sorted into blocks that share unknown coordinates.

use super::names::Names;
use super::numbering::{joint_axes, joint_point};
use crate::force::Lookup;
use crate::joint::{Row, TreeJoint};
use crate::math::rotation::complement;
use crate::math::spatial::Inertia;
use crate::math::{Mat3, Vec3};
use crate::model::coordinates::Measure;
use crate::model::schema::{self, CoordinateRef};
use crate::system::flexible::LinkShape;
use crate::system::{Block, Body, Constraint, Entry, Flexible, Guided, Moving, Rod};
use crate::topology::bandwidth::bandwidth_order;
use crate::topology::{DisjointSets, loop_legs, path_to_ground};

/// Collects constraints and rows before they are sorted into blocks.
pub(super) struct Draft<'a> {
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
    pub(super) fn new(names: &'a Names<'a>, bodies: Vec<Body>) -> Self {
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
        let mut joints: Vec<String> = legs.0.iter().chain(&legs.1).filter_map(|&tree| self.joint_name(tree)).collect();
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

    /// Name of the file's joint; none for the link of a flexible body.
    fn joint_name(&self, tree: usize) -> Option<String> {
        self.names.joint_places.iter().find(|place| place.tree == Some(tree)).map(|place| place.name.clone())
    }

    pub(super) fn add_cuts(&mut self) {
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

    pub(super) fn add_rods(&mut self) {
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
            let slots = numbers.map(|body| {
                let path = path_to_ground(&self.parents, body);
                let pairs = |b: &usize| names.joints[b - 1].v_range().zip(names.joints[b - 1].slot_range());
                let mut list: Vec<(usize, usize)> = path.iter().flat_map(pairs).collect();
                list.sort_unstable();
                list
            });
            let coordinates = slots.each_ref().map(|list| {
                let mut list: Vec<usize> = list.iter().map(|pair| pair.0).collect();
                list.dedup();
                list
            });
            // `row` counts constraints here; it is resolved when the rows are sorted.
            let row_place = self.constraints.len();
            self.rods.push(Rod { mass, bodies: numbers, points, coordinates, slots, row: row_place });
            self.add(&rod.name, format!("rod[{index}]"), numbers, points, vec![row], None);
        }
    }

    pub(super) fn add_points(&mut self) {
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

    pub(super) fn add_couplers(&mut self) {
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
        let driven = names.joints[trees[1]].kind.coordinate(second.coordinate.as_deref());
        let angle = driven.is_some_and(|coordinate| coordinate.measure == Measure::Angle);
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
    pub(super) fn into_blocks(
        self,
        guided: &[Guided],
        flexible: &[Flexible],
    ) -> (Vec<Block>, DraftedConstraints, Vec<Row>) {
        let joints = &self.names.joints;
        let nv = self.names.sizes.nv;
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
        let mut groups = DisjointSets::new(nv);
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
            let mut legs: Vec<usize> =
                members.iter().flat_map(|&c| self.legs[c].0.iter().chain(&self.legs[c].1).copied()).collect();
            legs.sort_unstable();
            legs.dedup();
            // Every link of a flexible body has the elastic coordinates of all of them.
            let moved_by = |tree: usize, v: &usize| joints[tree].v_range().contains(v);
            let columns = |tree: usize| -> Vec<(usize, usize)> {
                let joint = &joints[tree];
                let own = block_coordinates.iter().enumerate().filter(|(_, v)| moved_by(tree, v));
                own.map(|(k, v)| (k, joint.slot_range().start + v - joint.v)).collect()
            };
            let moves = |&tree: &usize| {
                path_to_ground(&self.parents, tree + 1).iter().any(|body| !columns(body - 1).is_empty())
            };
            let moving_body = |body: usize| if body != 0 && moves(&(body - 1)) { body } else { 0 };
            let moving: Vec<Moving> = (0..joints.len())
                .filter(moves)
                .map(|joint| Moving { joint, inboard: moving_body(self.parents[joint + 1]), columns: columns(joint) })
                .collect();
            let among_moving = |on: &dyn Fn(usize) -> bool| -> Vec<usize> {
                moving.iter().map(|moving| moving.joint).filter(|&tree| on(tree)).collect()
            };
            let carried = |v: &usize| {
                let moves = |body: &usize| moved_by(body - 1, v);
                among_moving(&|tree| path_to_ground(&self.parents, tree + 1).iter().any(moves))
            };
            let supports = |rows: &Vec<Row>| {
                let bodies = rows.iter().filter_map(Row::bodies).flat_map(|(first, second)| [first, second]);
                let paths: Vec<usize> = bodies.flat_map(|body| path_to_ground(&self.parents, body)).collect();
                among_moving(&|tree| paths.contains(&(tree + 1)))
            };
            let start = rows.len();
            let (mut entries, mut guided) = (Vec::new(), Vec::new());
            for &c in &members {
                let first_row = rows.len();
                for row in &self.rows[c] {
                    let (free, driven) = row_entries(row, &self.legs[c], &block_coordinates, joints);
                    entries.push(free);
                    guided.push(driven);
                    rows.push(row.clone());
                }
                constraints[c].rows = first_row..rows.len();
            }
            let owner = |v: &usize| joints.iter().position(|joint| joint.v_range().contains(v)).unwrap_or(0);
            let owners: Vec<usize> = block_coordinates.iter().map(owner).collect();
            let size = |(v, &owner): (&usize, &usize)| {
                let joint = &joints[owner];
                if let Some(link) = joint.link {
                    return elastic_size(&flexible[link.flexible], v - joint.v, self.size);
                }
                if TreeJoint::is_rotation(joint.kind, v - joint.v) { self.size } else { 1.0 }
            };
            let unit_size: Vec<f64> = block_coordinates.iter().zip(&owners).map(size).collect();
            let class = vec![0; block_coordinates.len()];
            let pattern = pattern(&mut entries);
            for (row, (entries, guided)) in rows[start..].iter().zip(entries.iter_mut().zip(&mut guided)) {
                weigh(row, entries, |column| unit_size[column]);
                weigh(row, guided, |_| 1.0);
            }
            if guided.iter().all(Vec::is_empty) {
                guided.clear();
            }
            let mut places = vec![0; block_coordinates.len()];
            for (place, column) in bandwidth_order(places.len(), &pattern).into_iter().enumerate() {
                places[column] = place;
            }
            let ends = pattern.iter().scan(0, |end, row| {
                *end += row.len();
                Some(*end)
            });
            let block = Block {
                number: blocks.len(),
                carried: block_coordinates.iter().map(carried).collect(),
                supports: members.iter().map(|&c| supports(&self.rows[c])).collect(),
                supports_of: (0..members.len()).flat_map(|i| vec![i; self.rows[members[i]].len()]).collect(),
                starts: std::iter::once(0).chain(ends).collect(),
                columns: pattern.concat(),
                places,
                constraints: members,
                rows: start..rows.len(),
                class_without_requests: class.clone(),
                class,
                per_size: unit_size.iter().map(|size| 1.0 / size).collect(),
                unit_size,
                owners,
                joints: legs,
                moving,
                guided,
                entries,
                size: self.size,
                rank: 0,
                regular_pivot: 0.0,
                in_pieces: false,
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
pub(super) struct DraftedConstraints {
    pub constraints: Vec<Constraint>,
    pub rods: Vec<Rod>,
    pub bodies: Vec<Body>,
}

/// Size in m of a unit of elastic coordinate `k`: how far it moves the interfaces, rotations times `size`.
fn elastic_size(flexible: &Flexible, k: usize, size: f64) -> f64 {
    let reach = |link: &LinkShape| {
        let part = |range: std::ops::Range<usize>| range.map(|j| link.shape[j][k].abs()).fold(0.0, f64::max);
        part(0..3).max(size * part(3..6))
    };
    let reach = flexible.links.iter().map(reach).fold(0.0, f64::max);
    if reach > 0.0 { reach } else { 1.0 }
}

/// Columns of every row, ascending; tells the entries where their values are.
fn pattern(entries: &mut [Vec<Entry>]) -> Vec<Vec<usize>> {
    let mut start = 0;
    let mut pattern = Vec::new();
    for row in entries {
        let mut columns: Vec<usize> = row.iter().map(|entry| entry.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut seen = vec![false; columns.len()];
        for entry in row {
            let place = columns.binary_search(&entry.column).unwrap_or(0);
            (entry.place, entry.first) = (start + place, !std::mem::replace(&mut seen[place], true));
        }
        start += columns.len();
        pattern.push(columns);
    }
    pattern
}

/// Factors of the entries of a row, once the sizes of units are known.
fn weigh(row: &Row, entries: &mut [Entry], unit_size: impl Fn(usize) -> f64) {
    for entry in entries {
        let slope = match row {
            Row::Coupled { ratio, scale, .. } if !entry.on_second => -ratio * scale,
            Row::Coupled { scale, .. } => *scale,
            _ if entry.on_second => 1.0,
            _ => -1.0,
        };
        entry.factor = slope / unit_size(entry.column);
    }
}

/// What moves a row: entries in the columns of `coordinates`, and those of guided coordinates, which have no column.
fn row_entries(
    row: &Row,
    legs: &(Vec<usize>, Vec<usize>),
    coordinates: &[usize],
    joints: &[TreeJoint],
) -> (Vec<Entry>, Vec<Entry>) {
    let entry = |(coordinate, slot): (usize, usize), on_second: bool| {
        let column = coordinates.binary_search(&coordinate);
        (
            column.is_ok(),
            Entry { column: column.unwrap_or(coordinate), slot, on_second, place: 0, first: true, factor: 0.0 },
        )
    };
    let leg = |list: &[usize], on_second: bool| -> Vec<(bool, Entry)> {
        let pairs = list.iter().flat_map(|&joint| joints[joint].v_range().zip(joints[joint].slot_range()));
        pairs.map(|pair| entry(pair, on_second)).collect()
    };
    let movers = match row {
        Row::Coupled { first, second, .. } => vec![entry((first.1, first.1), false), entry((second.1, second.1), true)],
        _ => [leg(&legs.0, false), leg(&legs.1, true)].concat(),
    };
    let (free, guided): (Vec<_>, Vec<_>) = movers.into_iter().partition(|(free, _)| *free);
    let entries = |list: Vec<(bool, Entry)>| list.into_iter().map(|(_, entry)| entry).collect();
    (entries(free), entries(guided))
}
