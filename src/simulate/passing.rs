//! Detects solids that may have passed through each other: contacts use positions at steps, not between steps.
//!
//! The check covers every pair of a `[[solid_contact]]` or point of a `[[contact]]` that is within reach of a step. At
//! output points it compares the distance moved in a step with the smaller thickness of both. Beyond
//! [`MAX_MOVED_FRACTION`] a solid may come out on the other side, or never be detected inside. Measured with the speed
//! in any direction, so a solid that only slides along another one counts too. Verified by: tests/motion/solids.rs.
//! never be seen inside. Measured with the speed in any direction, so a solid that only runs along another one counts
//! too. Verified by: tests/motion/solids.rs.

use crate::force::Element;
use crate::system::{State, System, Workspace};

/// Fraction of a thickness that a step may move: beyond the middle, the other side is the nearer one.
pub const MAX_MOVED_FRACTION: f64 = 0.5;

/// The largest value of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passing {
    /// Distance moved in a step, in thicknesses.
    pub share: f64,
    /// Speed, m/s, and thickness, m.
    pub speed: f64,
    pub thickness: f64,
    /// The element of the contact.
    pub contact: usize,
    /// Time, s.
    pub time: f64,
}

impl Passing {
    /// Updates the figures with the output point in the workspace.
    pub(super) fn track(&mut self, system: &System, state: &State, ws: &Workspace) {
        let surroundings = ws.surroundings(state);
        for (contact, element) in system.elements.iter().enumerate() {
            let fastest = match element {
                Element::SolidContact(contact) => contact.fastest(&surroundings, system.step),
                Element::Contact(contact) => contact.fastest(&surroundings, system.step),
                _ => None,
            };
            if let Some((share, speed, thickness)) = fastest.filter(|(share, ..)| *share > self.share) {
                *self = Passing { share, speed, thickness, contact, time: state.time };
            }
        }
    }

    /// Whether a solid moved too far in a step.
    pub(crate) fn is_far(&self) -> bool {
        self.share > MAX_MOVED_FRACTION
    }

    /// The warning in that case. Allocates.
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    pub fn warning(&self, system: &System) -> Option<String> {
        let name = system.elements.get(self.contact).map_or("", |element| element.name());
        let Passing { share, speed, thickness, time, .. } = *self;
        self.is_far().then(|| {
            format!(
                "contact `{name}`: at t = {time:.4} s one side moved at {speed:.3} m/s relative to the other, \
                 {share:.2} of the thickness of {thickness:.3e} m per step, so contact can be missed; use a step of \
                 at most {:.1e} s, or a thickness of {:.1e} m",
                MAX_MOVED_FRACTION * thickness / speed,
                share * thickness / MAX_MOVED_FRACTION,
            )
        })
    }
}
