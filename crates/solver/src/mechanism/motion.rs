//! Prescribed motion: driven coordinates, and the design position with the initial requests.

use super::Layout;
use crate::force::CoordinateIx;
use crate::joint::TreeJoint;
use crate::system::{ENERGIES, Guide, Guided, Requests};
use alloc::{format, vec, vec::Vec};

/// Driven coordinates: those of the mechanism, then the modes that are too fast for the step, which are held; with the
/// end of their auxiliary states.
pub(super) fn driven(layout: &Layout) -> (Vec<Guided>, usize) {
    let mut states = ENERGIES.end;
    let mut guided = Vec::new();
    for driven in &layout.mechanism.driven {
        let mut guide = driven.guide.clone();
        if let Guide::Filtered { state, .. } = &mut guide {
            *state = states;
            states += 3;
        }
        let coordinate = layout.kept(driven.coordinate);
        guided.push(Guided { name: driven.name.clone(), coordinate, guide });
    }
    for body in &layout.numbering.flexible {
        for k in body.modes() - body.residual..body.modes() {
            let coordinate = CoordinateIx { position: body.q.start + k, velocity: body.v.start + k };
            let name = format!("{} mode {}", body.name, k + 1);
            guided.push(Guided { name, coordinate, guide: Guide::Residual { state: states } });
            // Its position and its last change.
            states += 2;
        }
    }
    (guided, states)
}

/// Start of the assembly.
pub(super) struct Start {
    /// The design position with the requests.
    pub(super) q: Vec<f64>,
    /// One list per kind.
    pub(super) requests: Requests,
}

impl Start {
    pub(super) fn new(layout: &Layout) -> Start {
        let numbering = &layout.numbering;
        let mut start = Start { q: vec![0.0; numbering.nq], requests: Requests::default() };
        for joint in &numbering.joints {
            if let Some(iq) = joint.kind.quaternion() {
                start.q[joint.q + iq] = 1.0;
            }
        }
        for (joint, place) in layout.mechanism.joints.iter().zip(&numbering.joint_places) {
            if let Some(tree) = place.tree {
                start.request(&joint.position, &joint.speed, &numbering.joints[tree]);
            }
        }
        start
    }

    fn request(&mut self, positions: &[f64], speeds: &[f64], tree: &TreeJoint) {
        for (index, &value) in positions.iter().enumerate() {
            self.q[tree.q + index] = value;
            self.requests.positions.push((tree.q + index, value));
        }
        tree.normalize(&mut self.q);
        if !positions.is_empty() {
            self.requests.placed.extend(tree.v_range());
        }
        self.requests.speeds.extend(speeds.iter().enumerate().map(|(index, &value)| (tree.v + index, value)));
    }
}
