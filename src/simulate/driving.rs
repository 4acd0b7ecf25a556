//! Validity of vehicle motion: tyres within the ranges of their files, bodies above the road.
//!
//! Only the treads of tyres touch the road. A vehicle that rolls over falls through the road, and its further motion is
//! meaningless; the equations cannot detect this. The Magic Formula limits camber, slips and load to the ranges of its
//! file (load: in proportion beyond). A motion far outside of these ranges is not a motion of this tyre.
//!
//! Measured at output points: the centre of mass of every body with a mass between a wheel and the root of its tree,
//! against the road of that wheel; every tyre with load against [`MAX_EXCEEDED_WIDTHS`]. Allocates nothing. Verified
//! by: tests/motion/vehicles/verification/rollover.rs.

use crate::force::{BodyIx, Element};
use crate::math::Vec3;
use crate::system::{State, System, Workspace};
use crate::tyre::Ranged;

/// A tyre is far outside of a range if it exceeds it by more than this many widths of the range: twice the largest
/// load, three times the largest angle. Valid manoeuvres may exceed a range for moments.
pub const MAX_EXCEEDED_WIDTHS: f64 = 1.0;

/// Up to this many widths outside of a range the tyre forces still follow its file.
pub const MAX_VALID_WIDTHS: f64 = 0.2;

/// The worst of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Driving {
    /// Depth of a centre of mass below the road, m; 0 above.
    pub depth: f64,
    /// The body.
    pub body: usize,
    /// Time at which it was first below, s.
    pub depth_time: f64,
    /// Largest excess of a tyre over a range, in widths of the range.
    pub beyond: f64,
    /// Index of the tyre's element.
    pub tyre: usize,
    /// The quantity, by its index in [`Ranged::ALL`].
    pub what: usize,
    /// Time at which it was first far outside, s.
    pub beyond_time: f64,
}

/// Bodies that must remain above a road, except bodies with a contact: the body, and the element of a tyre on this
/// road.
pub(super) struct Roads {
    bodies: Vec<(usize, usize)>,
}

impl Roads {
    /// For a system.
    #[expect(clippy::disallowed_methods, reason = "before the first step")]
    pub(crate) fn new(system: &System) -> Roads {
        let mut bodies: Vec<(usize, usize)> = Vec::new();
        let contacts =
            system.elements.iter().filter(|element| matches!(element, Element::Contact(_) | Element::SolidContact(_)));
        let touching: Vec<BodyIx> = contacts.flat_map(Element::bodies).collect();
        for (index, element) in system.elements.iter().enumerate() {
            let Element::Tyre(tyre) = element else { continue };
            let mut body = tyre.wheel.0;
            while body != 0 {
                let known = bodies.iter().any(|(known, _)| *known == body);
                if system.bodies[body].mass > 0.0 && !known && !touching.contains(&BodyIx(body)) {
                    bodies.push((body, index));
                }
                body = system.bodies[body].parent;
            }
        }
        Roads { bodies }
    }
}

impl Driving {
    /// Updates the figures with the output point in the workspace.
    pub(super) fn track(&mut self, system: &System, state: &State, ws: &Workspace, roads: &Roads) {
        let surroundings = ws.surroundings(state);
        for &(body, element) in &roads.bodies {
            let Some(Element::Tyre(tyre)) = system.elements.get(element) else { continue };
            let motion = surroundings.body(BodyIx(body));
            let place: Vec3 = motion.position + motion.reference + tyre.origin;
            let height = tyre.road.surface(place.x, place.y).height + surroundings.value(&tyre.road_height);
            let depth = height - place.z;
            if depth > self.depth {
                let first = if self.depth > 0.0 { self.depth_time } else { state.time };
                (self.depth, self.body, self.depth_time) = (depth, body, first);
            }
        }
        for (index, element) in system.elements.iter().enumerate() {
            let Element::Tyre(tyre) = element else { continue };
            for (what, beyond) in tyre.beyond(&ws.loads.patches).into_iter().enumerate() {
                if beyond > self.beyond {
                    let first = if self.beyond > MAX_EXCEEDED_WIDTHS { self.beyond_time } else { state.time };
                    (self.beyond, self.tyre, self.what, self.beyond_time) = (beyond, index, what, first);
                }
            }
        }
    }

    /// Whether a body was below the road, or a tyre far outside of a range.
    pub(crate) fn is_lost(&self) -> bool {
        self.depth > 0.0 || self.beyond > MAX_EXCEEDED_WIDTHS
    }

    /// The reason why the run so far is invalid, if it is: a body below the road, or a tyre outside of a range by more
    /// than [`MAX_VALID_WIDTHS`]. Allocates.
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    pub fn invalid(&self, system: &System) -> Option<String> {
        if self.depth > 0.0 {
            return Some(format!("body `{}` is below the road", self.body_name(system)));
        }
        (self.beyond > MAX_VALID_WIDTHS).then(|| {
            let (what, tyre) = self.range(system);
            let part = 100.0 * self.beyond;
            format!("the {what} of tyre `{tyre}` exceeded the range of its file by {part:.0} % of the range width")
        })
    }

    fn body_name<'s>(&self, system: &'s System) -> &'s str {
        system.bodies.get(self.body).map_or("", |body| &body.name)
    }

    /// The quantity that is outside of its range, and the name of the tyre.
    fn range<'s>(&self, system: &'s System) -> (&'static str, &'s str) {
        let name = match system.elements.get(self.tyre) {
            Some(Element::Tyre(tyre)) => tyre.name.as_str(),
            _ => "",
        };
        (Ranged::ALL.get(self.what).map_or("", |what| what.words()), name)
    }

    /// The warning in that case. Allocates.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "texts, between steps")]
    pub fn warning(&self, system: &System) -> Option<String> {
        let mut found = Vec::new();
        if self.depth > 0.0 {
            let name = self.body_name(system);
            found.push(format!(
                "body `{name}` was up to {:.3} m below the road, first at t = {:.4} s: only tyres and contacts touch \
                 the road; end the run earlier or give the body a [[contact]]",
                self.depth, self.depth_time
            ));
        }
        if self.beyond > MAX_EXCEEDED_WIDTHS {
            let (what, tyre) = self.range(system);
            let part = 100.0 * self.beyond;
            found.push(format!(
                "the {what} of tyre `{tyre}` exceeded the range of its file by {part:.0} % of the range width (limit \
                 {:.0} %, first exceeded at t = {:.4} s). Forces there are extrapolated: use a file with a wider \
                 range, or a manoeuvre with smaller slip and load",
                100.0 * MAX_EXCEEDED_WIDTHS,
                self.beyond_time
            ));
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}
