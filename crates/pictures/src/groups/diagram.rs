//! The structural diagram: groups in the order in which they transfer freedom.

use std::fmt::Write;

/// Determination of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinacy {
    /// The ground.
    Ground,
    /// Exactly as many equations as unknowns, or only given coordinates.
    Determined,
    /// More equations than unknowns.
    Surplus,
    /// Fewer equations than unknowns, because inputs are missing.
    Lacking,
}

/// A box of the diagram.
pub struct Node {
    /// First line.
    pub title: String,
    /// Further lines.
    pub lines: Vec<String>,
    /// Style.
    pub kind: Determinacy,
    /// Indices of the preceding nodes.
    pub predecessors: Vec<usize>,
}

/// The ground as node 0, then the groups in their order.
pub struct Diagram {
    /// Title of the picture.
    pub name: String,
    /// Explanation of the numbers.
    pub caption: &'static str,
    /// Whether to omit arrows that are implied by others.
    pub reduced: bool,
    /// Whether to draw nodes as circles with only their title, as in the paper.
    pub circles: bool,
    /// The nodes.
    pub nodes: Vec<Node>,
}

impl Diagram {
    /// A diagram with the ground.
    pub fn new(name: &str, caption: &'static str, reduced: bool) -> Diagram {
        let ground = Node {
            title: "0".into(),
            lines: vec!["ground".into()],
            kind: Determinacy::Ground,
            predecessors: Vec::new(),
        };
        Diagram { name: name.to_string(), caption, reduced, circles: false, nodes: vec![ground] }
    }

    /// The predecessors of every node; if reduced, without the predecessors of its other predecessors.
    pub fn edges(&self) -> Vec<Vec<usize>> {
        let mut before: Vec<Vec<bool>> = Vec::new();
        let mut edges = Vec::new();
        for node in &self.nodes {
            let mut all = vec![false; self.nodes.len()];
            let implied = |place: usize| self.reduced && node.predecessors.iter().any(|&other| before[other][place]);
            edges.push(node.predecessors.iter().copied().filter(|&place| !implied(place)).collect());
            for &place in &node.predecessors {
                all[place] = true;
                all.iter_mut().zip(&before[place]).for_each(|(mine, theirs)| *mine |= theirs);
            }
            before.push(all);
        }
        edges
    }

    /// As Graphviz DOT.
    pub fn dot(&self) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut dot = format!("digraph \"{}\" {{\n", quoted(&self.name));
        let shape = if self.circles { "circle" } else { "box, style=rounded" };
        dot += &format!("  rankdir=LR;\n  node [shape={shape}, fontname=\"Helvetica\", fontsize=11];\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let style = match node.kind {
                Determinacy::Ground => ", shape=circle, style=solid",
                Determinacy::Determined => "",
                Determinacy::Surplus => ", color=red",
                Determinacy::Lacking if self.circles => ", style=dashed",
                Determinacy::Lacking => ", style=\"rounded,dashed\"",
            };
            let text: Vec<String> = std::iter::once(&node.title).chain(&node.lines).map(|line| quoted(line)).collect();
            let label =
                if node.kind == Determinacy::Ground || self.circles { quoted(&node.title) } else { text.join("\\n") };
            let _ = writeln!(dot, "  g{number} [label=\"{label}\"{style}];");
        }
        for (number, node) in self.nodes.iter().enumerate() {
            node.predecessors.iter().for_each(|before| {
                let _ = writeln!(dot, "  g{before} -> g{number};");
            });
        }
        dot + "}\n"
    }
}

/// Names in lines of at most `width` characters, unless a single name is longer.
pub fn wrapped(names: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + name.chars().count() + 2 <= width => {
                *line += &format!(" {name}{comma}")
            }
            _ => lines.push(format!("{name}{comma}")),
        }
    }
    lines
}
