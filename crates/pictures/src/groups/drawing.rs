//! The structural diagram as SVG: columns from the ground to the right, one per length of the longest way from it.
//!
//! Order within the columns by repeated barycentres, places by pulling every box towards its neighbours with a minimal distance
//! (Sugiyama, Tagawa, Toda 1981). Arrows that pass a column get a place of their own in it, so that they cross no box.

use super::diagram::{Determinacy, Diagram, Node};
use std::fmt::Write;

const LINE: f64 = 15.0;
const CHARACTER: f64 = 6.7;
const PADDING: f64 = 10.0;
/// Between boxes of a column.
const GAP: f64 = 14.0;
/// Between columns.
const CHANNEL: f64 = 64.0;
const MARGIN: f64 = 18.0;
const TITLE: f64 = 48.0;
const SWEEPS: usize = 24;

/// A place in a column: a box, or where an arrow passes.
struct Place {
    node: Option<usize>,
    column: usize,
    /// Middle.
    y: f64,
    height: f64,
    before: Vec<usize>,
    behind: Vec<usize>,
}

struct Layout {
    places: Vec<Place>,
    /// Places of every column from top to bottom.
    columns: Vec<Vec<usize>>,
}

/// The picture, self-contained; the same diagram gives the same bytes.
pub fn draw(diagram: &Diagram) -> String {
    let layout = Layout::new(diagram);
    let width_of = |node: &Node| {
        let longest = node.lines.iter().chain([&node.title]).map(|line| line.chars().count()).max().unwrap_or(0);
        longest as f64 * CHARACTER + 2.0 * PADDING
    };
    let mut left = vec![MARGIN];
    for column in &layout.columns {
        let widths =
            column.iter().filter_map(|&place| layout.places[place].node).map(|node| width_of(&diagram.nodes[node]));
        left.push(left[left.len() - 1] + widths.fold(0.0, f64::max) + CHANNEL);
    }
    let right = |column: usize| left[column + 1] - CHANNEL;
    let top = |place: &Place| place.y - 0.5 * place.height;
    let highest = layout.places.iter().map(top).fold(f64::INFINITY, f64::min);
    let lowest = layout.places.iter().map(|place| place.y + 0.5 * place.height).fold(0.0, f64::max);
    let shift = MARGIN + TITLE - highest;
    let width = (left[layout.columns.len()] - CHANNEL + MARGIN)
        .max(diagram.name.chars().count() as f64 * 9.0 + 190.0)
        .max(diagram.caption.chars().count() as f64 * CHARACTER + 2.0 * MARGIN);
    let height = lowest + shift + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <title>Structural groups of {name}</title>\n{STYLE}\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"28\">{name}: structural groups</text>\n\
         <text class=\"note\" x=\"{MARGIN}\" y=\"46\">{caption}</text>\n",
        name = escape(&diagram.name),
        caption = escape(diagram.caption)
    );
    for place in &layout.places {
        let y = place.y + shift;
        for &next in &place.behind {
            let next = &layout.places[next];
            let (x1, x2, y2) = (right(place.column), left[next.column], next.y + shift);
            let middle = 0.5 * (x1 + x2);
            let start = if place.node.is_some() {
                x1 - (right(place.column) - left[place.column] - node_width(diagram, place, width_of))
            } else {
                x1
            };
            let tip = if next.node.is_some() { " marker-end=\"url(#tip)\"" } else { "" };
            let _ = writeln!(
                svg,
                "<path class=\"arrow\" d=\"M{start:.1} {y:.1}H{x1:.1}C{middle:.1} {y:.1} {middle:.1} {y2:.1} {x2:.1} {y2:.1}\"{tip}/>"
            );
        }
        if place.node.is_none() {
            let _ = writeln!(
                svg,
                "<path class=\"arrow\" d=\"M{:.1} {y:.1}H{:.1}\"/>",
                left[place.column],
                right(place.column)
            );
        }
    }
    for place in &layout.places {
        let Some(node) = place.node.map(|node| &diagram.nodes[node]) else { continue };
        let (x, y) = (left[place.column], top(place) + shift);
        let class = match node.kind {
            Determinacy::Ground => "ground",
            Determinacy::Determined => "determined",
            Determinacy::Surplus => "surplus",
            Determinacy::Lacking => "lacking",
        };
        let (wide, high) = (width_of(node), place.height);
        let _ = writeln!(
            svg,
            "<rect class=\"box {class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"7\"/>"
        );
        let mut baseline = y + PADDING + 10.0;
        let _ = writeln!(
            svg,
            "<text class=\"number\" x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
            x + PADDING,
            escape(&node.title)
        );
        for line in &node.lines {
            baseline += LINE;
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>", x + PADDING, escape(line));
        }
    }
    svg + "</svg>\n"
}

fn node_width(diagram: &Diagram, place: &Place, width_of: impl Fn(&Node) -> f64) -> f64 {
    place.node.map_or(0.0, |node| width_of(&diagram.nodes[node]))
}

/// Text for XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The style sheet of both pictures.
pub const STYLE: &str = "<style>\n\
text{font:12px system-ui,'DejaVu Sans',Arial,sans-serif;fill:#1a1a1a}\n\
.title{font-size:15px;font-weight:bold} .note{fill:#555} .number{font-weight:bold}\n\
.page{fill:#fff} .box{fill:#f4f7fa;stroke:#0072b2;stroke-width:1.4} .ground{fill:#e4e4e4;stroke:#555}\n\
.surplus{stroke:#d55e00;stroke-width:2} .lacking{stroke:#d55e00;stroke-width:2;stroke-dasharray:6 4}\n\
.arrow{fill:none;stroke:#777;stroke-width:1.3} .tip{fill:#777}\n\
@media screen and (prefers-color-scheme:dark){\n\
text{fill:#e6e6e6} .note{fill:#aaa} .page{fill:#15181c} .box{fill:#1f262d;stroke:#56b4e9} .ground{fill:#33383f;stroke:#999}\n\
.surplus,.lacking{stroke:#e69f00} .arrow{stroke:#8a8f96} .tip{fill:#8a8f96}\n}\n</style>";

impl Layout {
    fn new(diagram: &Diagram) -> Layout {
        let edges = diagram.edges();
        let mut column: Vec<usize> = Vec::new();
        for before in &edges {
            column.push(before.iter().map(|&node| column[node] + 1).max().unwrap_or(0));
        }
        let height = |node: &Node| 2.0 * PADDING + LINE * node.lines.len() as f64 + 12.0;
        let box_of = |(index, node): (usize, &Node)| Place {
            node: Some(index),
            column: column[index],
            y: 0.0,
            height: height(node),
            before: Vec::new(),
            behind: Vec::new(),
        };
        let mut places: Vec<Place> = diagram.nodes.iter().enumerate().map(box_of).collect();
        for (node, before) in edges.iter().enumerate() {
            for &start in before {
                let mut from = start;
                for passed in column[start] + 1..column[node] {
                    // Arrows of one box that pass the same column share the way.
                    let shared = places[from].behind.iter().copied().find(|&next| places[next].node.is_none());
                    from = shared.unwrap_or_else(|| {
                        let place = Place {
                            node: None,
                            column: passed,
                            y: 0.0,
                            height: 2.0,
                            before: vec![from],
                            behind: Vec::new(),
                        };
                        places.push(place);
                        let new = places.len() - 1;
                        places[from].behind.push(new);
                        new
                    });
                }
                places[from].behind.push(node);
                places[node].before.push(from);
            }
        }
        let mut columns = vec![Vec::new(); column.iter().max().map_or(0, |last| last + 1)];
        for (index, place) in places.iter().enumerate() {
            columns[place.column].push(index);
        }
        let mut layout = Layout { places, columns };
        layout.order();
        layout.place();
        layout
    }

    /// Sweeps to the right and to the left, each column sorted by the mean rank of its neighbours on the side it comes from; the
    /// order with the fewest crossings is kept.
    fn order(&mut self) {
        let mut rank = vec![0.0; self.places.len()];
        let mut best = (usize::MAX, self.columns.clone());
        for sweep in 0..SWEEPS {
            let count = self.columns.len();
            for step in 0..count {
                let column = if sweep % 2 == 0 { step } else { count - 1 - step };
                let mean = |place: usize| {
                    let (before, behind) = (&self.places[place].before, &self.places[place].behind);
                    let sides = if sweep % 2 == 0 { before } else { behind };
                    let sum: f64 = sides.iter().map(|&other| rank[other]).sum();
                    if sides.is_empty() { rank[place] } else { sum / sides.len() as f64 }
                };
                let mut keyed: Vec<(f64, usize)> =
                    self.columns[column].iter().map(|&place| (mean(place), place)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                let size = keyed.len() as f64;
                for (at, (_, place)) in keyed.iter().enumerate() {
                    rank[*place] = (at as f64 + 0.5) / size;
                }
                self.columns[column] = keyed.into_iter().map(|(_, place)| place).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    fn crossings(&self) -> usize {
        let mut at = vec![0; self.places.len()];
        self.columns.iter().for_each(|column| column.iter().enumerate().for_each(|(rank, &place)| at[place] = rank));
        let arrows = |column: &Vec<usize>| -> Vec<(usize, usize)> {
            column
                .iter()
                .flat_map(|&place| self.places[place].behind.iter().map(|&to| (at[place], at[to])).collect::<Vec<_>>())
                .collect()
        };
        let crossed = |arrows: Vec<(usize, usize)>| {
            let above = |a: &(usize, usize)| arrows.iter().filter(|b| a.0 < b.0 && a.1 > b.1).count();
            arrows.iter().map(above).sum::<usize>()
        };
        self.columns.iter().map(|column| crossed(arrows(column))).sum()
    }

    fn place(&mut self) {
        for column in &self.columns {
            let mut y = 0.0;
            for &place in column {
                self.places[place].y = y + 0.5 * self.places[place].height;
                y += self.places[place].height + GAP;
            }
        }
        for sweep in 0..2 * SWEEPS {
            for column in 0..self.columns.len() {
                let column = if sweep % 2 == 0 { column } else { self.columns.len() - 1 - column };
                let request = |&place: &usize| {
                    let near = self.places[place].before.iter().chain(&self.places[place].behind);
                    let (sum, count) =
                        near.fold((0.0, 0.0), |(sum, count), &other| (sum + self.places[other].y, count + 1.0));
                    if count > 0.0 { sum / count } else { self.places[place].y }
                };
                let requests: Vec<f64> = self.columns[column].iter().map(request).collect();
                let heights: Vec<f64> = self.columns[column].iter().map(|&place| self.places[place].height).collect();
                for (&place, y) in self.columns[column].iter().zip(spread(&requests, &heights)) {
                    self.places[place].y = y;
                }
            }
        }
    }
}

/// Positions nearest to the requests (least squares) that keep order and distance: neighbours that would overlap move as one.
fn spread(requests: &[f64], heights: &[f64]) -> Vec<f64> {
    // Distance of every middle from the first one when all touch.
    let mut offsets = vec![0.0; heights.len()];
    for i in 1..heights.len() {
        offsets[i] = offsets[i - 1] + 0.5 * (heights[i - 1] + heights[i]) + GAP;
    }
    // Blocks of (sum of requests less offsets, members).
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (request, offset) in requests.iter().zip(&offsets) {
        blocks.push((request - offset, 1));
        while let [.., (a, m), (b, n)] = blocks[..] {
            if a / m as f64 <= b / n as f64 {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push((a + b, m + n));
        }
    }
    let starts = blocks.iter().flat_map(|&(sum, members)| std::iter::repeat_n(sum / members as f64, members));
    starts.zip(&offsets).map(|(start, offset)| start + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram() -> Diagram {
        let mut diagram = Diagram::new("a < b", "", true);
        for (index, predecessors) in [vec![0], vec![0, 1], vec![0], vec![2, 3], vec![0, 4]].into_iter().enumerate() {
            let lines = vec!["link".to_string(); index % 3 + 1];
            diagram.nodes.push(Node {
                title: (index + 1).to_string(),
                lines,
                kind: Determinacy::Determined,
                predecessors,
            });
        }
        diagram
    }

    #[test]
    fn boxes_of_a_column_do_not_overlap() {
        let layout = Layout::new(&diagram());
        for column in &layout.columns {
            for two in column.windows(2) {
                let (above, below) = (&layout.places[two[0]], &layout.places[two[1]]);
                assert!(below.y - above.y >= 0.5 * (above.height + below.height) + GAP - 1e-9);
            }
        }
    }

    #[test]
    fn arrows_that_others_imply_are_left_out_of_the_picture_but_not_of_the_graph() {
        assert_eq!(diagram().edges(), [vec![], vec![0], vec![1], vec![0], vec![2, 3], vec![4]]);
        assert!(diagram().dot().contains("g0 -> g2;"));
    }

    #[test]
    fn the_picture_is_well_formed_and_reproducible() {
        let svg = draw(&diagram());
        let mut reader = quick_xml::Reader::from_str(&svg);
        while !matches!(reader.read_event().expect("well-formed"), quick_xml::events::Event::Eof) {}
        assert_eq!(svg, draw(&diagram()));
        assert!(svg.contains("a &lt; b"));
    }
}
