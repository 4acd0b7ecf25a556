//! MATLAB and TOML texts of state spaces of a reduced-order model.

use super::rom_text::{Text, quoted};
use super::state_space::{Filter, StateSpace};
use nalgebra::DMatrix;
use std::fmt::Write;

/// Longest line of numbers.
const WIDTH: usize = 110;

/// `name = [ … ];` with continued lines.
pub(super) fn matrix(name: &str, matrix: &DMatrix<f64>) -> String {
    let mut text = format!("{name} = [ ...\n");
    for row in matrix.row_iter() {
        let mut column = 0;
        for value in row.iter() {
            if column > WIDTH {
                text.push_str(" ...\n");
                column = 0;
            }
            let start = text.len();
            // Writing into a String does not fail.
            let _ = write!(text, " {:?}", value + 0.0);
            column += text.len() - start;
        }
        text.push_str("; ...\n");
    }
    text + "];\n"
}

/// A cell array of texts.
pub(super) fn names(name: &str, names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("  {}", literal(name))).collect();
    format!("{name} = {{ ...\n{} ...\n}};\n", quoted.join(", ...\n"))
}

/// A character vector on one line.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", one_line(text).replace('\'', "''"))
}

/// Text for a comment or a literal: no line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl StateSpace {
    /// A MATLAB script that defines `A`, `B`, `C`, `D`, the names, and, if the toolbox is installed, the `ss` object
    /// `sys`.
    pub fn to_matlab(&self) -> String {
        let mut text =
            format!("% State space of \"{}\": x' = A x + B u, y = C x + D u. SI units.\n", one_line(&self.name));
        self.remarks().iter().for_each(|remark| text.push_str(&format!("% {}\n", one_line(remark))));
        for (name, values) in [("A", &self.a), ("B", &self.b), ("C", &self.c), ("D", &self.d)] {
            text.push_str(&matrix(name, values));
        }
        text.push_str(&names("inputs", &self.inputs));
        text.push_str(&names("outputs", &self.outputs));
        text.push_str("if exist('ss', 'file')\n");
        text.push_str("    sys = ss(A, B, C, D, 'InputName', inputs, 'OutputName', outputs);\nend\n");
        text
    }

    /// The state space as TOML.
    pub fn to_toml(&self) -> String {
        let mut out = Text::default();
        // Conventions and identification of the format.
        out.comment("State space: x' = A x + B u, y = C x + D u. SI units.");
        self.remarks().iter().for_each(|remark| out.comment(&one_line(remark)));
        out.text("format", "ballesta-state-space");
        out.raw("version", 1);
        out.text("name", &self.name);
        let list = |names: &[String]| names.iter().map(|name| format!("\n {},", quoted(name))).collect::<String>();
        out.raw("fixed", format!("[{}\n]", list(&self.fixed)));
        // Mounting of the interfaces.
        for (key, list, unit) in [
            ("base_springs", &self.base_springs, "N m/rad"),
            ("tip_masses", &self.tip_masses, "kg"),
            ("tip_inertias", &self.tip_inertias, "kg m2"),
        ] {
            let entries: Vec<String> = list
                .iter()
                .map(|(name, value)| format!("{{ interface = {}, value = {value:?} }}", quoted(name)))
                .collect();
            if !entries.is_empty() {
                out.comment(unit);
                out.raw(key, format!("[{}]", entries.join(", ")));
            }
        }
        // Signals, modes and matrices, row by row.
        out.raw("inputs", format!("[{}\n]", list(&self.inputs)));
        out.raw("outputs", format!("[{}\n]", list(&self.outputs)));
        out.raw("direct_feedthrough", self.has_direct_feedthrough());
        out.array("frequencies_hz", &self.frequencies_hz, "Hz; 0: rigid motion");
        out.array("damping_ratios", &self.damping_ratios, "1");
        for (name, values) in [("a", &self.a), ("b", &self.b), ("c", &self.c), ("d", &self.d)] {
            let rows: Vec<Vec<f64>> = values.row_iter().map(|row| row.iter().copied().collect()).collect();
            out.rows(name, &rows, &format!("{} x {}", values.nrows(), values.ncols()));
        }
        out.0
    }

    /// Notes for the user.
    pub fn remarks(&self) -> Vec<String> {
        let fixed = if self.fixed.is_empty() { "none".to_string() } else { self.fixed.join(", ") };
        // Mounting of the interfaces.
        let mut remarks = vec![format!("held interfaces: {fixed}")];
        for (name, stiffness) in &self.base_springs {
            remarks.push(format!("{name}: translations held, rotations on torsional springs of {stiffness} N m/rad"));
        }
        for (name, mass) in &self.tip_masses {
            remarks.push(format!("point mass of {mass} kg at {name}"));
        }
        for (name, inertia) in &self.tip_inertias {
            remarks.push(format!("moment of inertia of {inertia} kg m2 about every axis at {name}"));
        }
        // Changes of the body and of the outputs.
        if self.stiffness_factor != 1.0 {
            remarks.push(format!("stiffness of the body multiplied by {}, damping unchanged", self.stiffness_factor));
        }
        remarks.push(match self.filter {
            Filter::None => "no filter: D is not 0 (direct feedthrough from inputs to accelerations)".into(),
            Filter::First(k) => format!("filter K/(s+K) on every output, K = {k} rad/s: D = 0"),
            Filter::Third(k) => format!(
                "filter K^3/(s+K)^3 on the displacements, K = {k} rad/s; velocities and accelerations are their \
                 derivatives: D = 0"
            ),
        });
        // Properties that the user of the state space must know.
        let rigid = self.frequencies_hz.iter().filter(|frequency| **frequency == 0.0).count();
        if rigid > 0 {
            remarks.push(format!("{rigid} rigid motions are double integrators"));
        }
        if self.damping_coupling > 1e-6 {
            let coupling = self.damping_coupling;
            remarks.push(format!(
                "damping couples the modes by up to {coupling:.1e} of the modal damping: not modal with these \
                 interfaces held"
            ));
        }
        remarks
    }
}
