//! `[[frame]]`: the placement in W of the frames and of the items given in them.
//!
//! Frames, uses and items that are given in a frame are the nodes of a graph. A node has a placement relative to its
//! parent node: a named frame, or the file that contains it. Names are resolved after all files have been read, since a
//! frame may be in a subassembly, and the subassembly in a frame.

use super::mirror::{Complain, NUMBER, Placement};
use crate::document::nearest::{did_you_mean, list};
use crate::schema::{Frame, Number};
use crate::{Diagnostic, Source};
use ballesta_solver::math::elementary::sin_cos;
use ballesta_solver::math::{Mat3, Vec3, rotation};
use std::collections::BTreeMap;

/// The node of the model file: W.
pub(super) const WORLD: usize = 0;

/// Largest difference of a quaternion's length from 1, as at joints.
const UNIT: f64 = 1e-6;
/// Smallest sine of the angle between two axes.
const PARALLEL_TOLERANCE: f64 = 1e-6;

/// A placement.
struct Node {
    /// The node relative to which it is given.
    outer: usize,
    /// The name of the frame that replaces `outer`, and the key that names it.
    inside: Option<(String, String)>,
    /// The placement relative to that node.
    own: Placement,
    /// The placement in W; the inner `None` if there is no such frame, or if it leads back to itself.
    whole: Option<Option<Placement>>,
}

/// All nodes of a model.
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Frames by their names in the whole model: their nodes, and their paths as items.
    frames: BTreeMap<String, (usize, String)>,
}

impl Graph {
    pub fn new() -> Graph {
        let whole = Some(Some(Placement::IDENTITY));
        let world = Node { outer: WORLD, inside: None, own: Placement::IDENTITY, whole };
        Graph { nodes: vec![world], frames: BTreeMap::new() }
    }

    /// Adds a node; `inside`: the name of its frame, and the key that names it.
    pub fn add(&mut self, outer: usize, inside: Option<(String, String)>, own: Placement) -> usize {
        self.nodes.push(Node { outer, inside, own, whole: None });
        self.nodes.len() - 1
    }

    /// Registers a node as a frame with this name, from the item at `path`. Returns the item that already has the name,
    /// if there is one.
    pub fn name(&mut self, name: String, node: usize, path: String) -> Option<String> {
        let earlier = self.frames.get(&name).map(|(_, path)| path.clone());
        if earlier.is_none() {
            self.frames.insert(name, (node, path));
        }
        earlier
    }

    /// Computes the placements of all nodes. `complete`: no frame is missing because it could not be read.
    pub fn solve(&mut self, source: &Source, complete: bool) -> Vec<Diagnostic> {
        // Each node refers to its enclosing frame; an unknown frame has no placement.
        let mut diagnostics = Vec::new();
        let known: Vec<&str> = self.frames.keys().map(String::as_str).collect();
        for node in &mut self.nodes {
            let Some((name, key)) = &node.inside else { continue };
            match self.frames.get(name) {
                Some((frame, _)) => node.outer = *frame,
                None => {
                    node.whole = Some(None);
                    if complete {
                        let expected =
                            if known.is_empty() { "add it as `[[frame]]`".into() } else { did_you_mean(name, &known) };
                        diagnostics.push(source.at(key, format!("there is no frame \"{name}\""), expected));
                    }
                }
            }
        }
        // Follow the chain of frames outwards up to a known placement or a node that was visited before.
        let mut on_way = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let (mut way, mut current) = (Vec::new(), start);
            while self.nodes[current].whole.is_none() && !on_way[current] {
                on_way[current] = true;
                way.push(current);
                current = self.nodes[current].outer;
            }
            // A node without placement at the end of the chain means a circular definition.
            let mut whole = self.nodes[current].whole.flatten();
            if self.nodes[current].whole.is_none() {
                let circle = way.iter().skip_while(|node| **node != current);
                let names: Vec<&(String, String)> =
                    circle.filter_map(|node| self.nodes[*node].inside.as_ref()).collect();
                let words: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                let found = format!("the frame refers back to itself through {}", list(&words));
                let key = names.first().map_or("frame", |(_, key)| key);
                diagnostics.push(source.at(key, found, "define one of these frames in another frame, or without `in`"));
            }
            // Return inwards and compose the placements.
            for node in way.into_iter().rev() {
                whole = whole.map(|outer| outer.after(&self.nodes[node].own));
                self.nodes[node].whole = Some(whole);
            }
        }
        diagnostics
    }

    /// Placement of a node in W, after [`Graph::solve`] has computed it.
    pub fn placement(&self, node: usize) -> Option<Placement> {
        self.nodes[node].whole.flatten()
    }
}

/// Placement of a frame in the surrounding frame.
pub(super) fn placement(frame: &Frame, complain: &mut Complain) -> Placement {
    let given = [
        ("angles_deg", frame.angles_deg.is_some()),
        ("angles", frame.angles.is_some()),
        ("quaternion", frame.quaternion.is_some()),
        (if frame.x_axis.is_some() { "x_axis" } else { "y_axis" }, frame.x_axis.is_some() || frame.y_axis.is_some()),
        ("dh_deg", frame.dh_deg.is_some()),
        ("position", frame.dh_deg.is_some() && frame.position.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    if let [first, second, ..] = given[..] {
        complain(second, format!("both `{first}` and `{second}` are given"), "give one of them");
        return Placement::IDENTITY;
    }
    turned(frame, complain).unwrap_or(Placement::IDENTITY)
}

fn turned(frame: &Frame, complain: &mut Complain) -> Option<Placement> {
    if let Some(row) = &frame.dh_deg {
        let [a, alpha, d, theta] = numbers("dh_deg", row, complain)?;
        let along = Placement { shift: [a, 0.0, d], ..Placement::IDENTITY };
        return Some(about(2, of_degrees(theta)).after(&along).after(&about(0, of_degrees(alpha))));
    }
    let turn = if let Some(angles) = &frame.angles_deg {
        fixed_axes(numbers("angles_deg", angles, complain)?.map(of_degrees))
    } else if let Some(angles) = &frame.angles {
        fixed_axes(numbers("angles", angles, complain)?.map(sin_cos))
    } else if let Some(quaternion) = &frame.quaternion {
        let quaternion = numbers("quaternion", quaternion, complain)?;
        let norm = quaternion.iter().map(|number| number * number).sum::<f64>().sqrt();
        if (norm - 1.0).abs() > UNIT {
            let expected = "give a unit quaternion w, x, y, z; [1, 0, 0, 0] is the identity";
            complain("quaternion", format!("the quaternion has the length {norm}"), expected);
            return None;
        }
        of_matrix(rotation::matrix(&rotation::normalized(&quaternion)))
    } else {
        of_axes(frame, complain)?
    };
    let shift = frame.position.as_ref().map_or(Some([0.0; 3]), |position| numbers("position", position, complain))?;
    Some(Placement { shift, ..turn })
}

/// The rotation that maps the axes of the surrounding frame to `x_axis`, `y_axis` and their normal.
fn of_axes(frame: &Frame, complain: &mut Complain) -> Option<Placement> {
    let mut direction = |key: &str, axis: &Option<[Number; 3]>, default: Vec3| {
        let Some(axis) = axis else { return Some(default) };
        let axis = Vec3::from(numbers(key, axis, complain)?);
        let length = axis.norm();
        if !(1e-100..f64::INFINITY).contains(&length) {
            complain(key, format!("the vector has the length {length}"), "give a direction, like [0, 0, 1]");
            return None;
        }
        Some(axis / length)
    };
    let (x, y) = (direction("x_axis", &frame.x_axis, Vec3::x()), direction("y_axis", &frame.y_axis, Vec3::y()));
    let (x, y) = (x?, y?);
    let z = x.cross(&y);
    if z.norm() < PARALLEL_TOLERANCE {
        let key = if frame.y_axis.is_some() { "y_axis" } else { "x_axis" };
        complain(key, "`x_axis` and `y_axis` are parallel".into(), "give two directions that are not parallel");
        return None;
    }
    let z = z.normalize();
    Some(of_matrix(Mat3::from_columns(&[x, z.cross(&x), z])))
}

fn of_matrix(rotation: Mat3) -> Placement {
    let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| rotation[(i, j)]));
    Placement { matrix, ..Placement::IDENTITY }
}

/// R_z R_y R_x; `angles`: sine and cosine of each, from x to z.
fn fixed_axes([x, y, z]: [(f64, f64); 3]) -> Placement {
    about(2, z).after(&about(1, y)).after(&about(0, x))
}

/// The rotation about a coordinate axis by the angle with this sine and cosine.
fn about(axis: usize, (sine, cosine): (f64, f64)) -> Placement {
    let mut turn = Placement::IDENTITY;
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    (turn.matrix[i][i], turn.matrix[i][j]) = (cosine, -sine);
    (turn.matrix[j][i], turn.matrix[j][j]) = (sine, cosine);
    turn
}

/// Sine and cosine of an angle in degrees, exact at right angles.
fn of_degrees(angle: f64) -> (f64, f64) {
    let angle = angle.rem_euclid(360.0);
    match angle {
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => sin_cos(angle.to_radians()),
    }
}

/// Plain numbers; a name is reported as an error.
fn numbers<const N: usize>(key: &str, numbers: &[Number; N], complain: &mut Complain) -> Option<[f64; N]> {
    let mut values = [0.0; N];
    for (index, (value, number)) in values.iter_mut().zip(numbers).enumerate() {
        match number {
            Number::Value(number) => *value = *number,
            Number::Parameter(name) => {
                let found = format!("a frame cannot depend on the parameter or input {}", list(&[name]));
                complain(&format!("{key}[{index}]"), found, NUMBER);
                return None;
            }
        }
    }
    Some(values)
}
