//! Starts of a kind judged together, and the table of docs/verification.md.

use super::judge::{self, Run};
use std::fmt::Write;

/// A run of another energy change, relative to the largest kinetic energy, is wrong.
pub const WRONG: f64 = 1e-3;
/// Below this part it is right.
pub const RIGHT: f64 = 1e-4;
/// A motion is clear of singular positions while the smallest singular value of its loops stays above this part of
/// its median.
pub const CLEAR: f64 = 0.05;
/// At least so many of all starts are right, and at most so many end or are wrong away from singular positions.
pub const SHARE: f64 = 0.98;
pub const BROKEN: f64 = 0.002;
/// An energy change that many times [`WRONG`] is said: the run's judgement relates it to the energy exchanged, not to
/// the kinetic one.
const SAID: f64 = 2.0;

/// A start at the model's step and, where that went wrong, at the fine one.
pub struct Start {
    /// Its number.
    pub seed: u64,
    /// At 1 ms.
    pub run: Run,
    /// At the fine step, with singular values.
    pub fine: Option<Run>,
}

impl Start {
    /// Whether the run has to be looked at again at the fine step.
    pub fn poor(run: &Run) -> bool {
        run.fault.is_some() || !(run.relative() <= WRONG)
    }

    fn ended(&self) -> bool {
        self.run.fault.is_none()
    }

    /// Whether the fine motion came near a singular position.
    fn singular(&self) -> bool {
        self.fine.as_ref().is_some_and(|fine| fine.sigma.is_some_and(|(least, _)| least < CLEAR))
    }

    /// Whether it ended, or went wrong, and has no singular position for a reason.
    fn broken(&self) -> bool {
        Start::poor(&self.run) && !self.singular()
    }

    /// A wrong motion of which the run says nothing.
    fn complaint(&self, kind: &str) -> Option<String> {
        let silent = self.ended() && !self.run.questionable && !(self.run.relative() <= SAID * WRONG);
        silent.then(|| format!("{kind} {}: energy changes by {:.1e}", self.seed, self.run.relative()))
    }
}

/// All starts of a kind.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Its starts.
    pub starts: Vec<Start>,
}

/// Wrong starts that say nothing, and the shares that are right and broken.
pub fn verdict(kinds: &[Kind]) -> (Vec<String>, [f64; 2]) {
    let complaints =
        kinds.iter().flat_map(|kind| kind.starts.iter().filter_map(|start| start.complaint(kind.name))).collect();
    let starts = || kinds.iter().flat_map(|kind| &kind.starts);
    let right = starts().filter(|start| start.ended() && start.run.relative() <= RIGHT).count();
    let broken = starts().filter(|start| start.broken()).count();
    (complaints, [right, broken].map(|count| count as f64 / starts().count() as f64))
}

/// A row per kind.
pub fn table(kinds: &[Kind]) -> String {
    let mut text = String::from(
        "| kind | starts | ≤ 1e-4 | ≤ 1e-3 | faults | worst, clear | median |\n|---|---|---|---|---|---|---|\n",
    );
    for kind in kinds {
        let count = |wanted: &dyn Fn(&Start) -> bool| kind.starts.iter().filter(|start| wanted(start)).count();
        let ended = |start: &Start, bar: f64| start.ended() && start.run.relative() <= bar;
        let clear = kind.starts.iter().filter(|start| start.ended() && !start.singular());
        let worst = clear.fold(0.0, |most, start| judge::worst(most, start.run.relative()));
        let mut changes: Vec<f64> = kind.starts.iter().map(|start| start.run.relative()).collect();
        changes.sort_unstable_by(f64::total_cmp);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {worst:.1e} | {:.1e} |",
            kind.name,
            kind.starts.len(),
            count(&|start| ended(start, RIGHT)),
            count(&|start| ended(start, WRONG)),
            count(&|start| !start.ended()),
            changes[changes.len() / 2],
        );
    }
    text
}
