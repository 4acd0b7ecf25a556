//! Start positions of joints: within their ranges, and consistent between followers and leaders.
//!
//! A follower has the position ratio · leader + offset, also along a chain of followers. The first joint of a chain
//! gets the position nearest to zero that its own range and the ranges of its followers allow. The assembly of the
//! model keeps that position and moves the followers. Joints keep positions from a keyframe or a prescribed motion.

use crate::robot::{Coupler, Robot};
use crate::xml::Files;

/// Lower and upper end of a range.
type Range = [f64; 2];

const NO_LIMITS: Range = [f64::NEG_INFINITY, f64::INFINITY];

/// A joint of a chain. If the relation to the first joint is linear, its position is factor · first + offset.
struct CoupledJoint {
    joint: String,
    line: Option<[f64; 2]>,
}

/// Largest rounding error of the product of the factors around a cycle of followers.
const CYCLE_TOLERANCE: f64 = 1e-9;

impl CoupledJoint {
    /// Positions of the first joint for which this one is within `range`; `None` if there are none.
    fn reached(&self, [lower, upper]: Range) -> Option<Range> {
        let Some([factor, offset]) = self.line else { return Some(NO_LIMITS) };
        if factor == 0.0 {
            return (lower..=upper).contains(&offset).then_some(NO_LIMITS);
        }
        let ends = [(lower - offset) / factor, (upper - offset) / factor];
        Some(if factor > 0.0 { ends } else { [ends[1], ends[0]] })
    }
}

impl Robot {
    /// Sets the position of each joint that leads others or whose range excludes zero, because a stop would accelerate
    /// a joint that starts inside it.
    pub fn place_joints(&mut self, files: &Files) {
        // Followers of couplers and joints with their own start positions are determined elsewhere.
        for number in 0..self.joints.len() {
            let joint = &self.joints[number];
            let follows = self.couplers.iter().any(|coupler| coupler.joints[1] == joint.name)
                || self.sums.iter().any(|sum| sum.joint == joint.name);
            let is_held = self.held.iter().any(|(held, _)| *held == joint.name);
            if follows || is_held || !joint.position.is_empty() {
                continue;
            }
            // The joint starts at zero, or at the limit nearest to zero.
            let (name, place) = (joint.name.clone(), joint.place);
            let mut allowed = self.range(&name);
            let own = 0f64.clamp(allowed[0], allowed[1]);
            if own != 0.0 {
                files.note(place, "range excludes the zero position: the joint starts at the nearer limit");
            }
            // Ranges of followers restrict the leading joint; empty intersections cannot be satisfied.
            let chain = self.followers(&name);
            for follower in &chain {
                let reached = follower.reached(self.range(&follower.joint));
                let both = reached.map(|[from, to]| [allowed[0].max(from), allowed[1].min(to)]);
                match both.filter(|[from, to]| from <= to) {
                    Some(both) => allowed = both,
                    None => {
                        let place = self.joint(&follower.joint).map_or(place, |joint| joint.place);
                        files.note(place, format!("range not reachable: the joint follows \"{name}\""));
                    }
                }
            }
            let start = 0f64.clamp(allowed[0], allowed[1]);
            if start != own {
                let what = format!("ranges of joints that follow \"{name}\" exclude its zero position: it starts at ");
                files.note(place, format!("{what}{start}"));
            }
            // An offset in a coupler moves the follower from zero, so the start is written explicitly.
            let leads_off_zero = |coupler: &Coupler| {
                let leads = coupler.joints[0] == name || chain.iter().any(|f| f.joint == coupler.joints[0]);
                leads && coupler.offset != 0.0
            };
            if start != 0.0 || self.couplers.iter().any(leads_off_zero) {
                self.joints[number].position = vec![start];
                // The assembly need not find large positions of followers.
                for CoupledJoint { joint, line } in &chain {
                    let follower = self.joints.iter_mut().find(|other| other.name == *joint);
                    if let (Some(follower), Some([factor, offset])) = (follower, line) {
                        follower.position = vec![factor * start + offset];
                    }
                }
            }
        }
    }

    /// Adds a coupler. A joint that its own follower leads has the relation x = f x + o to itself: the coupler is
    /// redundant for f = 1 and o = 0, and holds the joint at o/(1 − f) for f ≠ 1.
    pub fn couple(&mut self, files: &Files, coupler: Coupler) {
        let [leader, follower] = &coupler.joints;
        let followers = self.followers(follower);
        let Some(cycle) = followers.iter().find(|other| other.joint == *leader) else {
            return self.couplers.push(coupler);
        };
        let line = cycle.line.filter(|_| coupler.table.is_empty());
        let Some([f, o]) = line.map(|[f, o]| [coupler.ratio * f, coupler.ratio * o + coupler.offset]) else {
            let cure = "remove one of the couplings, or use linear ones";
            return files.wrong(coupler.place, "coupling", "joints lead each other by a polynomial", cure);
        };
        if (f - 1.0).abs() > CYCLE_TOLERANCE {
            files.note(coupler.place, format!("joints that lead each other: \"{follower}\" is held"));
            self.held.push((follower.clone(), o / (1.0 - f)));
        } else if o.abs() > CYCLE_TOLERANCE {
            let found = "joints lead each other, and their offsets contradict each other";
            files.wrong(coupler.place, "coupling", found, "remove one of the couplings, or correct its offset");
        } else {
            files.note(coupler.place, "coupling that others already imply: left out");
        }
    }

    fn range(&self, joint: &str) -> Range {
        let stop = self.stops.iter().find(|stop| stop.joint == joint);
        stop.map_or(NO_LIMITS, |s| [s.lower.unwrap_or(NO_LIMITS[0]), s.upper.unwrap_or(NO_LIMITS[1])])
    }

    /// All joints that follow `first`, directly or through others.
    fn followers(&self, first: &str) -> Vec<CoupledJoint> {
        let mut chain = vec![CoupledJoint { joint: first.to_string(), line: Some([1.0, 0.0]) }];
        let mut at = 0;
        while let Some(CoupledJoint { joint, line }) = chain.get(at) {
            let (joint, line) = (joint.clone(), *line);
            for coupler in self.couplers.iter().filter(|coupler| coupler.joints[0] == joint) {
                let follower = &coupler.joints[1];
                if chain.iter().all(|known| known.joint != *follower) {
                    let line = line.filter(|_| coupler.table.is_empty());
                    let line = line.map(|[f, o]| [coupler.ratio * f, coupler.ratio * o + coupler.offset]);
                    chain.push(CoupledJoint { joint: follower.clone(), line });
                }
            }
            at += 1;
        }
        chain.remove(0);
        chain
    }
}
