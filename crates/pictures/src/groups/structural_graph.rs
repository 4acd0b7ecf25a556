//! The structural graph: links as nodes, freedoms of pairs as lines, thick for inputs (Saura et al., figures 2b and
//! 4b).
//!
//! Links are on a circle, so that no line passes through a link. The links of a group are adjacent and have a dashed
//! outline. Order on the circle: groups in their order, then neighbours are exchanged while that reduces crossings.

use super::drawing::{DARK, HEADING, RULES, TEXT};
use crate::sheet::{Sheet, text_width};
use ballesta::math::elementary::sin_cos;
use ballesta::topology::groups::{Adjacency, Structure};
use ballesta_run::adjacency::Chain;
use quick_xml::escape::escape;
use std::f64::consts::PI;
use std::fmt::Write;

const NODE: f64 = 15.0;
/// Half width of the outline of a group.
const BAND: f64 = 23.0;
/// Smallest distance between neighbours on the circle.
const MIN_DISTANCE: f64 = 72.0;
/// Distance between the lines of a pair.
const PAIR_DISTANCE: f64 = 7.0;
const MARGIN: f64 = 18.0;
const TITLE: f64 = 52.0;
const LINE: f64 = 15.0;
/// Largest number of links for reordering; larger graphs keep the order of their groups.
const MAX_ORDERED_LINKS: usize = 60;
const CAPTION: &str =
    "circles: links; lines: freedoms of the pairs, thick: inputs; arrows: transfer of freedom; dashed: groups";

/// A pair between two links.
struct Line {
    ends: [usize; 2],
    freedom: usize,
    inputs: usize,
    /// Whether the pair connects different groups or the ground; its lines start at `ends[0]`, which transfers freedom.
    handed: bool,
}

/// Links and pairs of a plane chain with their groups.
pub struct Graph {
    name: String,
    links: Vec<String>,
    ground: usize,
    /// Links of every group; the first is the ground alone.
    groups: Vec<Vec<usize>>,
    lines: Vec<Line>,
}

impl Graph {
    /// The graph of a chain.
    pub fn new(chain: &Chain, adjacency: &Adjacency, structure: &Structure) -> Graph {
        let number = structure.group_of_link(adjacency.links);
        let line = |pair: &ballesta::topology::groups::Pair| {
            let [a, b] = pair.links;
            let ends = if number[b] < number[a] { [b, a] } else { [a, b] };
            Line { ends, freedom: pair.freedom, inputs: pair.inputs, handed: number[a] != number[b] }
        };
        let groups = structure.groups.iter().map(|group| group.links.clone());
        Graph {
            name: chain.name.clone(),
            links: chain.links.clone(),
            ground: adjacency.ground,
            groups: std::iter::once(vec![adjacency.ground]).chain(groups).collect(),
            lines: adjacency.pairs.iter().map(line).collect(),
        }
    }

    /// As Graphviz DOT.
    pub fn dot(&self) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut dot = format!("digraph \"{}\" {{\n", quoted(&self.name));
        dot += "  node [shape=circle, fontname=\"Helvetica\", fontsize=11];\n  edge [arrowsize=0.6];\n";
        // Writing into a String does not fail.
        for (number, links) in self.groups.iter().enumerate() {
            let node = |link: usize| format!("l{} [label=\"{}\"];", link + 1, quoted(&self.links[link]));
            if number == 0 {
                let _ = writeln!(
                    dot,
                    "  l{0} [label=\"{1}\", style=filled];",
                    self.ground + 1,
                    quoted(&self.links[self.ground])
                );
                continue;
            }
            let nodes: Vec<String> = links.iter().map(|&link| node(link)).collect();
            let _ = writeln!(
                dot,
                "  subgraph cluster_{number} {{ style=dashed; label=\"{number}\"; {} }}",
                nodes.join(" ")
            );
        }
        for line in &self.lines {
            let [from, to] = line.ends.map(|link| link + 1);
            for freedom in 0..line.freedom {
                let width = if freedom < line.inputs { ", penwidth=3" } else { "" };
                let direction = if line.handed { "forward" } else { "none" };
                let _ = writeln!(dot, "  l{from} -> l{to} [dir={direction}{width}];");
            }
        }
        dot + "}\n"
    }

    /// The picture, self-contained; equal graphs give equal bytes.
    pub fn svg(&self) -> String {
        let order = self.order();
        let count = self.links.len();
        let radius = (MIN_DISTANCE * count as f64 / (2.0 * PI)).max(MIN_DISTANCE);
        // The ground is at the left end, the other links follow clockwise.
        let angle = |place: f64| PI + 2.0 * PI * place / count as f64;
        let mut at = vec![0.0; count];
        order.iter().flatten().enumerate().for_each(|(place, &link)| at[link] = angle(place as f64));
        let (left, right, labels) = self.labels(&at, radius + BAND + 8.0);
        let heading = format!("{}: structural graph", self.name);
        let written = text_width(CAPTION, TEXT).max(text_width(&heading, HEADING));
        let width = (right - left).max(written) + 2.0 * MARGIN;
        let (x0, y0) = (0.5 * (width - left - right), TITLE + radius + BAND + 2.0 * LINE);
        let height = y0 + radius + BAND + 2.0 * LINE + MARGIN;
        let point = |angle: f64, radius: f64| {
            let (sine, cosine) = sin_cos(angle);
            (x0 + radius * cosine, y0 + radius * sine)
        };
        let mut svg = String::new();
        let half = (2.0 * BAND / radius).min(0.45 * 2.0 * PI / count as f64);
        for links in order.iter().skip(1) {
            let Some((first, last)) = links.first().zip(links.last()) else { continue };
            let (from, to) = (at[*first] - half, at[*last] + half);
            let large = u8::from(to - from > PI);
            let (outer, inner) = (radius + BAND, radius - BAND);
            let [(ax, ay), (bx, by)] = [from, to].map(|angle| point(angle, outer));
            let [(cx, cy), (dx, dy)] = [to, from].map(|angle| point(angle, inner));
            let _ = writeln!(
                svg,
                "<path class=\"outline\" d=\"M{ax:.1} {ay:.1}A{outer:.1} {outer:.1} 0 {large} 1 {bx:.1} \
                 {by:.1}L{cx:.1} {cy:.1}\
                 A{inner:.1} {inner:.1} 0 {large} 0 {dx:.1} {dy:.1}Z\"/>"
            );
        }
        for line in &self.lines {
            let [(ax, ay), (bx, by)] = line.ends.map(|link| point(at[link], radius));
            let long = ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).sqrt();
            let (ex, ey) = ((bx - ax) / long, (by - ay) / long);
            for freedom in 0..line.freedom {
                let aside = PAIR_DISTANCE * (freedom as f64 - 0.5 * (line.freedom - 1) as f64);
                let (sx, sy) = (-ey * aside, ex * aside);
                let class = if freedom < line.inputs { "pair input" } else { "pair" };
                let _ = writeln!(
                    svg,
                    "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                    ax + sx,
                    ay + sy,
                    bx + sx,
                    by + sy
                );
                if line.handed {
                    // The tip of the arrow is a little beyond the middle.
                    let along = 0.5 * long + 6.0;
                    let (tx, ty) = (ax + sx + along * ex, ay + sy + along * ey);
                    let (ux, uy) = (tx - 10.0 * ex, ty - 10.0 * ey);
                    let _ = writeln!(
                        svg,
                        "<path class=\"tip\" d=\"M{tx:.1} {ty:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
                        ux - 4.5 * ey,
                        uy + 4.5 * ex,
                        ux + 4.5 * ey,
                        uy - 4.5 * ex
                    );
                }
            }
        }
        for (link, &angle) in at.iter().enumerate() {
            let (x, y) = point(angle, radius);
            let class = if link == self.ground { "ground" } else { "determined" };
            let _ = writeln!(svg, "<circle class=\"box {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE}\"/>");
            let _ = writeln!(
                svg,
                "<text class=\"number\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                y + 4.0,
                escape(self.inside(link))
            );
        }
        for Label { x, y, anchor, lines } in labels {
            for (row, (class, text)) in lines.iter().enumerate() {
                let _ = writeln!(
                    svg,
                    "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    x0 + x,
                    y0 + y + LINE * row as f64,
                    escape(text)
                );
            }
        }
        let (rules, dark) = (format!("{RULES}\n{OWN_RULES}"), format!("{DARK}\n{OWN_DARK}"));
        let (width, height, left, title, note) = (width.round(), height.round(), MARGIN, heading.as_str(), CAPTION);
        Sheet { width, height, left, title, note, rules: &rules, dark: &dark, body: &svg }.svg()
    }

    /// Label of a link: its name if short, otherwise its number.
    fn inside(&self, link: usize) -> String {
        let name = &self.links[link];
        if name.chars().count() <= 2 { name.clone() } else { (link + 1).to_string() }
    }

    /// Names next to the links, around the centre, and their extent to the left (negative) and right.
    fn labels(&self, at: &[f64], radius: f64) -> (f64, f64, Vec<Label>) {
        let mut number = vec![0; at.len()];
        self.groups.iter().enumerate().for_each(|(group, links)| links.iter().for_each(|&link| number[link] = group));
        let (mut left, mut right) = (-radius, radius);
        let mut labels = Vec::new();
        for (link, &angle) in at.iter().enumerate() {
            let (sine, cosine) = sin_cos(angle);
            let (x, middle) = (radius * cosine, radius * sine);
            let anchor = if cosine > 0.3 {
                "start"
            } else if cosine < -0.3 {
                "end"
            } else {
                "middle"
            };
            let mut lines = Vec::new();
            if self.links[link] != self.inside(link) {
                lines.push(("", self.links[link].clone()));
            }
            lines.push(("note", if number[link] == 0 { "ground".into() } else { format!("group {}", number[link]) }));
            let rows = lines.len() as f64 - 1.0;
            // Above the circle the last line is next to it, below the circle the first line.
            let y = middle + 4.0 - 0.5 * rows * LINE + 0.5 * (rows * LINE + 8.0) * sine;
            let long = lines.iter().map(|(_, text)| text_width(text, TEXT)).fold(0.0, f64::max);
            let (before, behind) = match anchor {
                "start" => (0.0, long),
                "end" => (long, 0.0),
                _ => (0.5 * long, 0.5 * long),
            };
            (left, right) = (left.min(x - before), right.max(x + behind));
            labels.push(Label { x, y, anchor, lines });
        }
        (left, right, labels)
    }

    /// The groups with their links in the order on the circle.
    fn order(&self) -> Vec<Vec<usize>> {
        let mut order = self.groups.clone();
        if self.links.len() > MAX_ORDERED_LINKS {
            return order;
        }
        let mut least = self.tangle(&order);
        for _ in 0..self.links.len() {
            let before = least;
            // The ground is not moved.
            for first in 1..order.len() {
                for second in first + 1..order.len() {
                    order.swap(first, second);
                    let found = self.tangle(&order);
                    if found < least { least = found } else { order.swap(first, second) }
                }
            }
            for group in 0..order.len() {
                for first in 0..order[group].len() {
                    for second in first + 1..order[group].len() {
                        order[group].swap(first, second);
                        let found = self.tangle(&order);
                        if found < least { least = found } else { order[group].swap(first, second) }
                    }
                }
            }
            if least == before {
                break;
            }
        }
        order
    }

    /// Number of line crossings, then the sum of the line lengths along the circle.
    fn tangle(&self, order: &[Vec<usize>]) -> (usize, usize) {
        let mut place = vec![0; self.links.len()];
        order.iter().flatten().enumerate().for_each(|(index, &link)| place[link] = index);
        let chords: Vec<[usize; 2]> = self
            .lines
            .iter()
            .map(|line| line.ends.map(|link| place[link]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let inside = |[a, b]: [usize; 2], end: usize| a < end && end < b;
        let shares = |one: [usize; 2], other: [usize; 2]| one.iter().any(|end| other.contains(end));
        let cross =
            |one: [usize; 2], other: [usize; 2]| !shares(one, other) && inside(one, other[0]) != inside(one, other[1]);
        let crossings =
            chords.iter().enumerate().map(|(i, &one)| chords[..i].iter().filter(|&&other| cross(one, other)).count());
        let long = |[a, b]: &[usize; 2]| (b - a).min(self.links.len() + a - b);
        (crossings.sum(), chords.iter().map(long).sum())
    }
}

struct Label {
    x: f64,
    y: f64,
    anchor: &'static str,
    /// Class and text.
    lines: Vec<(&'static str, String)>,
}

const OWN_RULES: &str = ".pair{fill:none;stroke:#333;stroke-width:1.3} .input{stroke-width:4.5}\n\
.outline{fill:none;stroke:#0072b2;stroke-width:1.2;stroke-dasharray:5 4}";
const OWN_DARK: &str = ".pair{stroke:#ddd} .outline{stroke:#56b4e9}";

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::topology::groups::analyse;
    use ballesta_run::adjacency;

    fn graph(text: &str) -> Graph {
        let chain = adjacency::parse(text, "chain.toml").unwrap_or_else(|e| panic!("{e}"));
        let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
        Graph::new(&chain, &adjacency, &analyse(&adjacency))
    }

    /// A planar graph whose initial order of links has crossings.
    fn crossed() -> Graph {
        graph("[adjacency]\nname = \"a < b\"\nmatrix = [[0,3,0,1,0],[3,0,0,0,1],[0,0,0,1,1],[1,0,1,0,0],[0,1,1,0,0]]\n")
    }

    #[test]
    fn a_ring_of_links_is_drawn_without_crossings() {
        let graph = crossed();
        let order = graph.order();
        assert_eq!(graph.tangle(&order), (0, 5));
        assert!(graph.tangle(&graph.groups) > (0, 5), "the order found first is the best one: the test shows nothing");
        assert_eq!(order[0], [0]);
    }

    #[test]
    fn the_picture_is_well_formed_and_reproducible() {
        let svg = crossed().svg();
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().expect("well-formed"), quick_xml::events::Event::Eof) {}
        assert_eq!(svg, crossed().svg());
        assert!(svg.contains("a &lt; b"));
    }
}
