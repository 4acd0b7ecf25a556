//! Content of the picture: bodies and the elements between them.

use std::collections::VecDeque;

use ballesta::model::elements::TABLES;
use ballesta::model::flexible_names::interface_name;
use ballesta::model::schema::{CoordinateRef, Model, Number};

/// Index of the ground in [`Graph::bodies`].
pub const GROUND: usize = 0;

/// A body, or the ground.
pub struct Body {
    /// Name in the model file.
    pub name: String,
    /// Further lines: mass, loads.
    pub lines: Vec<String>,
    /// Distance from the ground, counted in elements; 0 for the ground only.
    pub layer: usize,
}

/// Style of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Joint: positions of its bodies depend on each other.
    Joint,
    /// Rod.
    Rod,
    /// Point on line, point in plane.
    Constraint,
    /// Spring, damper, bushing or another element with forces only.
    Force,
}

/// An element between two bodies, or all force elements between them.
pub struct Element {
    /// Name in the model file; for several force elements their number.
    pub name: String,
    /// Kind, then force elements on its coordinates; for several force elements kind and name of each.
    pub lines: Vec<String>,
    /// Number of represented elements.
    pub count: usize,
    /// Indices of the two bodies.
    pub bodies: [usize; 2],
    /// Style.
    pub style: Style,
    /// Whether it belongs to a closed loop of joints, rods and constraints.
    pub in_loop: bool,
    /// Whether it restricts the relative motion of its bodies.
    pub kinematic: bool,
}

/// Bodies and elements in the order of the model file.
pub struct Graph {
    /// The ground, then the rigid and the flexible bodies.
    pub bodies: Vec<Body>,
    /// Joints, rods, constraints, force elements.
    pub elements: Vec<Element>,
    /// Number of independent loops of joints, rods and constraints.
    pub loops: usize,
}

impl Graph {
    /// Collects the elements of a model. Unknown names are omitted, because validation reports them.
    pub fn new(model: &Model) -> Graph {
        let mut graph = Graph { bodies: build_bodies(model), elements: Vec::new(), loops: 0 };
        graph.add_elements(model);
        graph.assign_layers();
        graph.find_loops();
        graph
    }

    /// Index of the body with this name; interfaces are parts of their flexible body.
    fn body(&self, model: &Model, name: &str) -> Option<usize> {
        let flexible = || model.flexible_bodies.iter().position(|body| interface_name(body, name).is_some());
        let named = self.bodies.iter().position(|body| body.name == name);
        named.or_else(|| flexible().map(|index| 1 + model.bodies.len() + index))
    }

    fn add(
        &mut self,
        model: &Model,
        name: &str,
        lines: Vec<String>,
        ends: &[String; 2],
        style: Style,
        kinematic: bool,
    ) {
        if let (Some(a), Some(b)) = (self.body(model, &ends[0]), self.body(model, &ends[1]))
            && a != b
        {
            let element =
                Element { name: name.into(), lines, count: 1, bodies: [a, b], style, in_loop: false, kinematic };
            self.elements.push(element);
        }
    }

    /// A force element; force elements between the same bodies share a label.
    fn add_force(&mut self, model: &Model, kind: &str, name: &str, [first, second]: [&String; 2]) {
        let (Some(a), Some(b)) = (self.body(model, first), self.body(model, second)) else { return };
        let same = |element: &&mut Element| element.style == Style::Force && element.other(a) == Some(b);
        if let Some(known) = self.elements.iter_mut().find(same) {
            if known.count == 1 {
                known.lines = vec![format!("{} {}", known.lines[0], known.name)];
            }
            known.lines.push(format!("{kind} {name}"));
            known.count += 1;
            known.name = format!("{} force elements", known.count);
            return;
        }
        self.add(model, name, vec![kind.into()], &[first.clone(), second.clone()], Style::Force, false);
    }

    fn add_elements(&mut self, model: &Model) {
        for joint in &model.joints {
            let mut lines = vec![joint.kind.row().name.to_string()];
            lines.extend(actions_on(model, &joint.name));
            self.add(model, &joint.name, lines, &joint.bodies, Style::Joint, !joint.kind.is_free());
        }
        for rod in &model.rods {
            self.add(model, &rod.name, vec!["rod".into()], &rod.bodies, Style::Rod, true);
        }
        for line in &model.points_on_line {
            self.add(model, &line.name, vec!["point on line".into()], &line.bodies, Style::Constraint, true);
        }
        for plane in &model.points_in_plane {
            self.add(model, &plane.name, vec!["point in plane".into()], &plane.bodies, Style::Constraint, true);
        }
        for pair in &model.curves_on_curves {
            self.add(model, &pair.name, vec!["curve on curve".into()], &pair.bodies, Style::Constraint, true);
        }
        for table in TABLES {
            for (name, mut forces) in (table.bodies)(model) {
                forces.dedup();
                for bodies in forces {
                    if let [first, second] = bodies[..] {
                        self.add_force(model, table.word, name, [first, second]);
                    }
                }
            }
        }
    }

    /// Distance from the ground through joints and rods. Bodies held only by springs are above the bodies at the other
    /// end; free bodies are just above the ground.
    fn assign_layers(&mut self) {
        // Breadth-first search from the ground through joints and constraints.
        const UNKNOWN: usize = usize::MAX;
        let mut layer = vec![UNKNOWN; self.bodies.len()];
        layer[GROUND] = 0;
        let mut queue = VecDeque::from([GROUND]);
        loop {
            while let Some(body) = queue.pop_front() {
                for element in self.elements.iter().filter(|element| element.style != Style::Force) {
                    if let Some(next) = element.other(body)
                        && layer[next] == UNKNOWN
                    {
                        layer[next] = layer[body] + 1;
                        queue.push_back(next);
                    }
                }
            }
            // A body without such a path is one layer above a body to which a force element connects it, or the ground.
            let Some(next) = layer.iter().position(|&layer| layer == UNKNOWN) else { break };
            let connected = self.elements.iter().find_map(|element| {
                let [a, b] = element.bodies;
                match (layer[a], layer[b]) {
                    (UNKNOWN, known) if known != UNKNOWN => Some((a, known + 1)),
                    (known, UNKNOWN) if known != UNKNOWN => Some((b, known + 1)),
                    _ => None,
                }
            });
            let (body, distance) = connected.unwrap_or((next, 1));
            layer[body] = distance;
            queue.push_back(body);
        }
        // Layers are the vertical order of the diagram.
        for (body, layer) in self.bodies.iter_mut().zip(layer) {
            body.layer = layer;
        }
    }

    /// An element closes a loop if and only if its bodies stay connected without it.
    fn find_loops(&mut self) {
        let in_loop: Vec<bool> = (0..self.elements.len())
            .map(|i| {
                self.elements[i].kinematic && self.reach(self.elements[i].bodies[0], i)[self.elements[i].bodies[1]]
            })
            .collect();
        for (element, in_loop) in self.elements.iter_mut().zip(in_loop) {
            element.in_loop = in_loop;
        }
        let mut seen = vec![false; self.bodies.len()];
        let mut components = 0;
        for start in 0..self.bodies.len() {
            if !seen[start] {
                components += 1;
                let reached = self.reach(start, usize::MAX);
                seen.iter_mut().zip(reached).for_each(|(seen, reached)| *seen |= reached);
            }
        }
        let kinematic = self.elements.iter().filter(|element| element.kinematic).count();
        self.loops = kinematic + components - self.bodies.len();
    }

    /// Bodies connected to `start` by kinematic elements other than `without`.
    fn reach(&self, start: usize, without: usize) -> Vec<bool> {
        let mut reached = vec![false; self.bodies.len()];
        reached[start] = true;
        let mut stack = vec![start];
        while let Some(body) = stack.pop() {
            for (i, element) in self.elements.iter().enumerate().filter(|(_, element)| element.kinematic) {
                if let Some(next) = element.other(body)
                    && i != without
                    && !reached[next]
                {
                    reached[next] = true;
                    stack.push(next);
                }
            }
        }
        reached
    }
}

impl Element {
    /// The body at the other end.
    pub fn other(&self, body: usize) -> Option<usize> {
        match self.bodies {
            [a, b] if a == body => Some(b),
            [a, b] if b == body => Some(a),
            _ => None,
        }
    }
}

fn build_bodies(model: &Model) -> Vec<Body> {
    let mut bodies = vec![Body { name: "ground".into(), lines: Vec::new(), layer: 0 }];
    for body in &model.bodies {
        let mut lines = vec![match &body.mass {
            Number::Value(0.0) => "no mass".to_string(),
            Number::Value(mass) => format!("{} kg", ballesta_files::csv::Shortest(*mass)),
            Number::Parameter(name) => format!("mass {name}"),
        }];
        lines.extend(loads(model, |name| name == body.name));
        bodies.push(Body { name: body.name.clone(), lines, layer: 0 });
    }
    for body in &model.flexible_bodies {
        let mut lines = vec!["flexible".to_string()];
        lines.extend(loads(model, |name| interface_name(body, name).is_some()));
        bodies.push(Body { name: body.name.clone(), lines, layer: 0 });
    }
    bodies
}

/// Force elements on a single body among the named bodies, one line each.
fn loads(model: &Model, on: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for table in TABLES {
        let items = (table.bodies)(model).into_iter();
        let items = items.filter(|(_, forces)| forces.iter().any(|bodies| matches!(bodies[..], [body] if on(body))));
        lines.extend(items.map(|(name, _)| format!("{} {name}", table.word)));
    }
    lines
}

/// Force elements on the coordinates of a joint, one line each.
fn actions_on(model: &Model, joint: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |kind: &str, name: &str, on: bool| {
        if on {
            lines.push(format!("{kind} {name}"));
        }
    };
    let on = |coordinate: &CoordinateRef| coordinate.joint == joint;
    model.guided.iter().for_each(|x| add("guided", &x.name, x.joint == joint));
    for table in TABLES {
        let items = (table.coordinates)(model).into_iter();
        items.for_each(|(name, on)| add(table.word, name, on.iter().any(|(own, _)| *own == joint)));
    }
    model.wheel_ports.iter().for_each(|x| add("wheel port", &x.name, x.joint == joint));
    model.couplers.iter().for_each(|x| add("coupler", &x.name, x.coordinates.iter().any(|on| on.joint == joint)));
    model.racks.iter().for_each(|x| add("rack", &x.name, on(&x.pinion) || on(&x.rack)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::tests::sample;

    #[test]
    fn layers_count_from_the_ground() {
        let graph = Graph::new(&sample());
        let layers: Vec<(&str, usize)> = graph.bodies.iter().map(|body| (body.name.as_str(), body.layer)).collect();
        assert_eq!(layers, [("ground", 0), ("crank", 1), ("rod_a", 2), ("slider", 1), ("weight", 2)]);
    }

    #[test]
    fn a_loop_is_what_stays_connected_without_one_of_its_elements() {
        let graph = Graph::new(&sample());
        let in_loop: Vec<&str> = graph.elements.iter().filter(|e| e.in_loop).map(|e| e.name.as_str()).collect();
        assert_eq!(in_loop, ["A", "B", "C", "guide", "tie"]);
        assert_eq!(graph.loops, 2);
    }

    #[test]
    fn every_force_element_is_shown_and_those_between_the_same_bodies_share_a_label() {
        let text = "[model]
            name = 'm'
            [[body]]
            name = 'frame'
            mass = 1
            com = [0, 0, 1]
            [[body]]
            name = 'axle'
            mass = 1
            com = [0, 0, 0.3]
            [[joint]]
            name = 'heave'
            type = 'prismatic'
            bodies = ['ground', 'frame']
            axis = [0, 0, 1]
            [[joint]]
            name = 'hop'
            type = 'prismatic'
            bodies = ['ground', 'axle']
            axis = [0, 0, 1]
            [[spring]]
            name = 'coil'
            bodies = ['axle', 'frame']
            points = [[0, 0, 0.3], [0, 0, 1]]
            stiffness = 1
            [[damper]]
            name = 'shock'
            bodies = ['frame', 'axle']
            points = [[0, 0, 1], [0, 0, 0.3]]
            bump_damping = 1
            rebound_damping = 1
            [[bump_stop]]
            name = 'rubber'
            bodies = ['frame', 'axle']
            points = [[0, 0, 1], [0, 0, 0.3]]
            lower = 0.1
            stiffness = 1
            [[spring]]
            name = 'tyre'
            bodies = ['ground', 'axle']
            points = [[0, 0, 0], [0, 0, 0.3]]
            stiffness = 1
            [[aerodynamic_drag]]
            name = 'air'
            body = 'frame'
            point = [0, 0, 1]
            drag_area = 1";
        let model = ballesta::model::parse(text, "m.toml").unwrap_or_else(|e| panic!("{e}")).model;
        let graph = Graph::new(&model);
        let forces: Vec<&Element> = graph.elements.iter().filter(|e| e.style == Style::Force).collect();
        assert_eq!((forces.len(), forces[0].name.as_str(), forces[0].count), (2, "3 force elements", 3));
        assert_eq!(forces[0].lines, ["spring coil", "stop rubber", "damper shock"]);
        assert_eq!((forces[1].name.as_str(), forces[1].lines.clone()), ("tyre", vec!["spring".to_string()]));
        assert_eq!(graph.bodies[1].lines, ["1 kg", "air drag air"]);
    }

    #[test]
    fn solids_that_touch_are_joined_in_pairs_and_many_with_the_first_of_them() {
        let edges = |count: usize| {
            let mut text =
                "[model]\nname = 'm'\n[[solid]]\nname = 'floor'\nbody = 'ground'\ntype = 'plane'\npoint = [0, 0, 0]\n"
                    .to_string();
            for k in 1..=count {
                text += &format!(
                    "[[body]]\nname = 'b{k}'\nmass = 1\ncom = [{k}, 0, 1]\ninertia = [1, 1, 1, 0, 0, 0]\n[[joint]]\n\
                     name = 'j{k}'\ntype = 'floating'\nbodies = ['ground', 'b{k}']\npoint = [{k}, 0, 1]\n\
                     [[solid]]\nname = 's{k}'\nbody = 'b{k}'\ntype = 'sphere'\npoint = [{k}, 0, 1]\nradius = 0.1\n"
                );
            }
            let solids: String = (1..=count).map(|k| format!(", 's{k}'")).collect();
            text += &format!(
                "[[solid_contact]]\nname = 'c'\nsolids = ['floor'{solids}]\nstiffness = 1e6\nrestitution = 0.5\n"
            );
            let model = ballesta::model::parse(&text, "m.toml").unwrap_or_else(|e| panic!("{e}")).model;
            let elements = Graph::new(&model).elements.into_iter();
            elements.filter(|e| e.style == Style::Force).map(|e| e.bodies).collect::<Vec<_>>()
        };
        assert_eq!(edges(2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(edges(6), [[0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [0, 6]]);
    }

    #[test]
    fn interfaces_belong_to_their_flexible_body() {
        let text = "[model]
            name = 'm'
            [[flexible_body]]
            name = 'beam'
            rom = 'roms/beam.toml'
            [[joint]]
            name = 'clamp'
            type = 'fixed'
            bodies = ['ground', 'beam.root']
            [[force]]
            name = 'push'
            body = 'beam.tip'
            point = [0.5, 0, 0]
            value = [0, 1, 0]";
        let model = ballesta::model::parse(text, concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/broken/m.toml"))
            .unwrap_or_else(|e| panic!("{e}"))
            .model;
        let graph = Graph::new(&model);
        assert_eq!((graph.bodies[1].name.as_str(), graph.bodies[1].layer), ("beam", 1));
        assert_eq!(graph.bodies[1].lines, ["flexible", "force push"]);
        assert_eq!(graph.elements[0].bodies, [GROUND, 1]);
    }
}
