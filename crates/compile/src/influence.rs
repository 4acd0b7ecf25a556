//! The bodies on which each input acts, from which the exact dependencies of outputs are derived.

use super::names::Names;
use ballesta_solver::force::ForceElement;
use ballesta_solver::joint::{Row, Term};
use ballesta_solver::system::{Guide, Guided, System};
use ballesta_solver::topology::DisjointSets;

pub(super) struct Influence<'a> {
    /// Component of every body: bodies with the same number exchange reactions, without the ground between them.
    pub(super) component: Vec<usize>,
    /// Set numbers for bodies that are also connected by force elements.
    pub(super) coupled: Vec<usize>,
    /// Body that owns every velocity coordinate.
    pub(super) body_of_coordinate: Vec<usize>,
    /// Per input: (component it acts on, level from which on motion depends on it: 0 position, 1 velocity, 2
    /// acceleration).
    pub(super) acts: Vec<Vec<(usize, u8)>>,
    /// Driven coordinates.
    pub(super) guided: &'a [Guided],
    /// Whether the initial state depends on forces too: it is trimmed, or bodies or elements start in equilibrium.
    pub(super) balanced: bool,
}

impl<'a> Influence<'a> {
    pub(super) fn new(names: &Names, system: &'a System) -> Influence<'a> {
        // Coordinates belong to the outboard body of their joint or to their flexible body.
        let System { joints, flexible, guided, elements, rows, bodies, .. } = system;
        let owner = |v: usize| match flexible.iter().find(|body| body.v.contains(&v)) {
            Some(body) => body.body,
            None => {
                let tree = joints.iter().position(|joint| joint.v_range().contains(&v));
                tree.expect("a coordinate outside flexible bodies belongs to a joint") + 1
            }
        };
        let body_of_coordinate: Vec<usize> = (0..system.nv).map(owner).collect();
        // Bodies that joints or constraints connect are one component: their motions depend on each other.
        let coupled = |row: &Row| -> Vec<(usize, usize)> {
            let body = |term: &Term| body_of_coordinate[term.velocity];
            row.terms().windows(2).map(|pair| (body(&pair[0]), body(&pair[1]))).collect()
        };
        let inboard = bodies.iter().map(|body| body.parent).enumerate();
        let ends = rows.iter().flat_map(|row| coupled(row).into_iter().chain(row.bodies()));
        let component = sets(bodies.len(), inboard.chain(ends));
        // Force elements couple components dynamically, but not kinematically.
        let on: Vec<Vec<usize>> = elements
            .iter()
            .map(|element| {
                element_bodies(element.kind(), &body_of_coordinate).into_iter().filter(|&on| on != 0).collect()
            })
            .collect();
        let acting = on.iter().flat_map(|on| on.windows(2).map(|pair| (pair[0], pair[1])));
        let coupled = sets(bodies.len(), component.iter().copied().enumerate().chain(acting));
        // Level of an input: 0 acts on positions, 1 on speeds, 2 on accelerations, like a force.
        let mut acts = vec![Vec::new(); names.model.inputs.len()];
        for (element, on) in elements.iter().zip(&on) {
            for input in element.inputs() {
                acts[input].extend(on.iter().map(|&body| (component[body], 2)));
            }
        }
        for item in guided {
            if let Guide::Inputs { index, .. } = item.guide {
                let moved = component[body_of_coordinate[item.coordinate.velocity]];
                index.iter().zip(0u8..).for_each(|(&input, level)| acts[input].push((moved, level)));
            }
        }
        // Static trim and states of elements make initial values depend on all forces.
        let balanced = names.model.experiment.trim
            || elements.iter().any(|element| !element.states().is_empty())
            || flexible.iter().any(|body| body.starts_static || body.residual > 0);
        Influence { component, coupled, body_of_coordinate, acts, guided, balanced }
    }
}

/// The first body of the set of each body: the sets that `pairs` connect, not through the ground.
fn sets(bodies: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut sets = DisjointSets::new(bodies);
    pairs.filter(|&(a, b)| a != 0 && b != 0).for_each(|(a, b)| sets.join(a, b));
    (0..bodies).map(|body| sets.leader(body)).collect()
}

/// Bodies on which the motion that an element reads depends.
pub(super) fn element_bodies(element: &dyn ForceElement, body_of_coordinate: &[usize]) -> Vec<usize> {
    let list = element.connections();
    let of_coordinates = list.coordinates.iter().map(|ix| body_of_coordinate[ix.velocity]);
    list.bodies.iter().map(|body| body.0).chain(of_coordinates).collect()
}
