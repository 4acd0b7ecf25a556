//! Lines of a structure, undeformed and displaced by a shape.
//!
//! Members are drawn with their shape functions. The elements of a structure given by matrices are not known. Its
//! stiffness shows which nodes are coupled; a pair is drawn if no third node is nearer to both (relative neighbourhood
//! graph). This gives the edges of hexahedra and tetrahedra without their diagonals.

use super::element::Element;
use super::model::{FiniteElementModel, MODAL, directions};
use ballesta::math::Vec3;
use faer::MatRef;
use nalgebra::SVector;

/// Number of straight segments per element.
const SEGMENTS: usize = 4;

/// Structures of matrices with more nodes than this are drawn as points.
const MAX_NODES: usize = 5000;

/// The drawing of a structure.
pub struct Drawing<'m> {
    model: &'m FiniteElementModel,
    /// Pairs of nodes, if the elements are unknown.
    edges: Vec<[usize; 2]>,
}

impl<'m> Drawing<'m> {
    /// Drawing of a structure.
    pub fn new(model: &'m FiniteElementModel) -> Drawing<'m> {
        let edges = if model.elements.is_empty() { edges(model) } else { Vec::new() };
        Drawing { model, edges }
    }

    /// The structure displaced by `scale` times a shape (n × 1): lines of points in C, m. A line of one point is a
    /// single node.
    pub fn lines(&self, shape: MatRef<'_, f64>, scale: f64) -> Vec<Vec<Vec3>> {
        let model = self.model;
        let motion = model.motion.multiply(shape);
        let moved = |node: usize| model.nodes[node].position + scale * Vec3::from_fn(|a, _| motion[(6 * node + a, 0)]);
        if model.elements.is_empty() && self.edges.is_empty() {
            return (0..model.nodes.len()).map(|node| vec![moved(node)]).collect();
        }
        let member = |element: &Element| match element {
            Element::Line(line) => {
                let [from, to] = line.nodes.map(|node| model.nodes[node].position);
                let ends = directions(line.nodes);
                let own = line.rotation() * SVector::<f64, 12>::from_fn(|i, _| motion[(ends[i], 0)]);
                let point = |i: usize| {
                    let xi = i as f64 / SEGMENTS as f64;
                    let displacement = line.shape(xi) * own;
                    from + xi * (to - from) + scale * (line.axes * displacement.fixed_rows::<3>(0))
                };
                Some((0..=SEGMENTS).map(point).collect())
            }
            Element::Spring(spring) => Some(spring.nodes.map(moved).to_vec()),
            Element::Mass(_) => None,
        };
        let pairs = self.edges.iter().map(|pair| pair.map(moved).to_vec());
        model.elements.iter().filter_map(member).chain(pairs).collect()
    }

    /// Pairs of nodes connected by a line.
    pub fn pairs(&self) -> Vec<[usize; 2]> {
        let ends = |element: &Element| match element {
            Element::Line(line) => Some(line.nodes),
            Element::Spring(spring) => Some(spring.nodes),
            Element::Mass(_) => None,
        };
        self.model.elements.iter().filter_map(ends).chain(self.edges.iter().copied()).collect()
    }

    /// Displacements of the nodes in a shape (n × 1), m.
    pub fn displacements(&self, shape: MatRef<'_, f64>) -> Vec<Vec3> {
        let motion = self.model.motion.multiply(shape);
        (0..self.model.nodes.len()).map(|node| Vec3::from_fn(|a, _| motion[(6 * node + a, 0)])).collect()
    }
}

/// Pairs of coupled nodes without a third node that is coupled to both and nearer to each than they are to each other.
fn edges(model: &FiniteElementModel) -> Vec<[usize; 2]> {
    let nodes = model.nodes.len();
    if nodes > MAX_NODES {
        return Vec::new();
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (column, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction != MODAL) {
        let coupled = model.stiffness.column(column).map(|(row, _)| model.dofs[row].node);
        neighbours[dof.node].extend(coupled.filter(|node| *node < nodes));
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let distance = |a: usize, b: usize| (model.nodes[a].position - model.nodes[b].position).norm();
    let mut edges = Vec::new();
    for a in 0..nodes {
        for &b in neighbours[a].iter().filter(|b| **b > a) {
            let length = distance(a, b) * (1.0 - 1e-9);
            let between = |c: &usize| distance(a, *c) < length && distance(b, *c) < length && *c != a && *c != b;
            if !neighbours[a].iter().any(|c| neighbours[b].binary_search(c).is_ok() && between(c)) {
                edges.push([a, b]);
            }
        }
    }
    edges
}
