//! Robots of other hands, whose files came with a wrong motion: to their end, with their energy, and with the
//! scheme's order.

use super::judge::{self, Run};
use std::path::Path;
use std::sync::Arc;

/// Step of the files, s.
const STEP: f64 = 1e-3;
/// Largest energy change, relative to the largest kinetic energy.
const DRIFT: f64 = 1e-4;
/// Least order between 1 and 0.25 ms.
const ORDER: f64 = 3.5;
/// Energy changes below this part are round-off, of which no order can be read.
const ROUND_OFF: f64 = 1e-10;

/// File in tests/trust with its length in s.
pub const FILES: [(&str, f64); 11] = [
    ("hexabody_0", 3.0),
    ("hexabody_1", 3.0),
    ("hexabody_2", 3.0),
    ("hexabody_3", 3.0),
    ("delta_rod_r0", 2.0),
    ("delta_rod_r1", 2.0),
    ("delta_rod_r23", 2.0),
    ("delta_restart12", 2.0),
    ("delta_restart12_ind", 2.0),
    ("stewart_soft_0", 5.0),
    ("stewart_soft_2", 5.0),
];

/// What is known of one file.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// At 1, 0.5 and 0.25 ms.
    pub runs: [Run; 3],
    /// Order of the energy change between 1 and 0.25 ms.
    pub energy: f64,
    /// Order of the motion, from the successive differences of the three runs.
    pub motion: f64,
}

impl Row {
    /// What is wrong with it, in words.
    pub fn complaint(&self) -> Option<String> {
        let [coarse, ..] = &self.runs;
        if let Some((time, fault)) = self.runs.iter().find_map(|run| run.fault.as_ref()) {
            return Some(format!("{}: ended at {time} s, {fault}", self.name));
        }
        if !(coarse.relative() <= DRIFT) {
            return Some(format!("{}: energy changes by {:.1e}", self.name, coarse.relative()));
        }
        // Where a singular direction is left alone, for a step or two, the error there does not follow the order of the
        // scheme.
        let passed = self.runs.iter().any(|run| run.near_singular > 0);
        let ordered = self.energy >= ORDER || self.motion >= ORDER || coarse.relative() <= ROUND_OFF || passed;
        (!ordered).then(|| format!("{}: orders {:.2} and {:.2}", self.name, self.energy, self.motion))
    }
}

/// Runs a file at 1, 0.5 and 0.25 ms.
pub fn row(name: &'static str, stop: f64) -> Row {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trust").join(format!("{name}.toml"));
    let mut text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let named: Vec<String> = text.split("[[body]]\nname = \"").skip(1).map(until_quote).collect();
    for body in named {
        text += &format!("\n[[output]]\nname = \"at_{body}\"\nquantity = \"position\"\nbody = \"{body}\"\n");
    }
    let runs = [1.0, 0.5, 0.25].map(|part| {
        let step = part * STEP;
        let text = text.replace("step = 0.001\n", &format!("step = {step:?}\n"));
        let mut system = judge::compile(&text, name).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(system.step(), step, "{name}");
        Arc::get_mut(&mut system).unwrap().halve_as_with(STEP);
        judge::run(&system, stop, false)
    });
    let energy = (runs[0].relative() / runs[2].relative()).log(4.0);
    let motion = (difference(&runs[0], &runs[1]) / difference(&runs[1], &runs[2])).log2();
    Row { name, runs, energy, motion }
}

fn until_quote(text: &str) -> String {
    text.chars().take_while(|letter| *letter != '"').collect()
}

/// Root mean square of what two runs differ by, as far as both go.
fn difference(a: &Run, b: &Run) -> f64 {
    let pairs = a.samples.iter().zip(&b.samples).flat_map(|(a, b)| a.iter().zip(b));
    let (count, sum) = pairs.fold((0usize, 0.0), |(count, sum), (a, b)| (count + 1, sum + (a - b) * (a - b)));
    (sum / count as f64).sqrt()
}
