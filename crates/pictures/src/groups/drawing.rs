//! The structural diagram as SVG: columns from the ground to the right, one per length of the longest path from the
//! ground.
//!
//! Arrows that pass a column get a separate place in it, so that they cross no box.

use super::diagram::{Determinacy, Diagram, Node};
use crate::layered::{Layers, touching};
use crate::sheet::{Sheet, text, text_width};
use std::fmt::Write;

const LINE: f64 = 15.0;
/// Size of the text, and of the title.
pub(super) const TEXT: f64 = 12.0;
pub(super) const HEADING: f64 = 15.0;
const PADDING: f64 = 10.0;
/// Distance between boxes of a column.
const GAP: f64 = 14.0;
/// Distance between columns.
const CHANNEL: f64 = 64.0;
const MARGIN: f64 = 18.0;
const TITLE: f64 = 48.0;

/// A place in a column: a box, or a passing arrow.
struct ColumnItem {
    node: Option<usize>,
    column: usize,
    /// Centre.
    y: f64,
    height: f64,
}

struct Layout {
    places: Vec<ColumnItem>,
    /// Places of every column from top to bottom.
    columns: Layers,
}

/// The picture, self-contained; equal diagrams give equal bytes.
pub fn draw(diagram: &Diagram) -> String {
    let layout = Layout::new(diagram);
    let width_of = |node: &Node| {
        if diagram.circles {
            return diameter(diagram);
        }
        let widths = node.lines.iter().chain([&node.title]).map(|line| text_width(line, TEXT));
        widths.fold(0.0, f64::max) + 2.0 * PADDING
    };
    // Horizontal positions: each column is as wide as its widest box.
    let mut left = vec![MARGIN];
    for column in &layout.columns.order {
        let widths =
            column.iter().filter_map(|&place| layout.places[place].node).map(|node| width_of(&diagram.nodes[node]));
        left.push(left[left.len() - 1] + widths.fold(0.0, f64::max) + CHANNEL);
    }
    // Size of the picture.
    let right = |column: usize| left[column + 1] - CHANNEL;
    let top = |place: &ColumnItem| place.y - 0.5 * place.height;
    let highest = layout.places.iter().map(top).fold(f64::INFINITY, f64::min);
    let lowest = layout.places.iter().map(|place| place.y + 0.5 * place.height).fold(0.0, f64::max);
    let shift = MARGIN + TITLE - highest;
    let heading = format!("{}: structural groups", diagram.name);
    let width = (left[left.len() - 1] - CHANNEL + MARGIN)
        .max(text_width(&heading, HEADING) + 2.0 * MARGIN)
        .max(text_width(diagram.caption, TEXT) + 2.0 * MARGIN);
    let height = lowest + shift + MARGIN;
    let mut svg = String::from(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n",
    );
    // Arrows first, so that boxes cover their ends.
    for (place, [_, behind]) in layout.places.iter().zip(&layout.columns.neighbours) {
        let y = place.y + shift;
        for &next in behind {
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
                "<path class=\"arrow\" d=\"M{start:.1} {y:.1}H{x1:.1}C{middle:.1} {y:.1} {middle:.1} {y2:.1} {x2:.1} \
                 {y2:.1}\"{tip}/>"
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
    // Boxes or circles, with their texts.
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
        if diagram.circles {
            let (radius, middle) = (0.5 * wide, y + 0.5 * high);
            let centre = x + radius;
            let circle =
                format!("<circle class=\"box {class}\" cx=\"{centre:.1}\" cy=\"{middle:.1}\" r=\"{radius:.1}\"/>\n");
            let start = centre - 0.5 * text_width(&node.title, TEXT);
            svg += &(circle + &text(start, middle + 0.35 * TEXT, "number", &node.title) + "\n");
            continue;
        }
        let _ = writeln!(
            svg,
            "<rect class=\"box {class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"7\"/>"
        );
        let mut baseline = y + PADDING + 10.0;
        svg += &(text(x + PADDING, baseline, "number", &node.title) + "\n");
        for line in &node.lines {
            baseline += LINE;
            svg += &(text(x + PADDING, baseline, "line", line) + "\n");
        }
    }
    let (width, height, left, title, note) = (width.round(), height.round(), MARGIN, heading.as_str(), diagram.caption);
    Sheet { width, height, left, title, note, rules: RULES, dark: DARK, body: &svg }.svg()
}

/// Diameter of all circles, for the longest title.
fn diameter(diagram: &Diagram) -> f64 {
    diagram.nodes.iter().map(|node| text_width(&node.title, TEXT)).fold(0.0, f64::max) + 2.0 * PADDING
}

fn node_width(diagram: &Diagram, place: &ColumnItem, width_of: impl Fn(&Node) -> f64) -> f64 {
    place.node.map_or(0.0, |node| width_of(&diagram.nodes[node]))
}

/// Style rules of both pictures, and rules for dark pages.
pub(super) const RULES: &str = ".number{font-weight:bold}\n\
.box{fill:#f4f7fa;stroke:#0072b2;stroke-width:1.4} .ground{fill:#e4e4e4;stroke:#555}\n\
.surplus{stroke:#d55e00;stroke-width:2} .lacking{stroke:#d55e00;stroke-width:2;stroke-dasharray:6 4}\n\
.arrow{fill:none;stroke:#777;stroke-width:1.3} .tip{fill:#777}";
pub(super) const DARK: &str = ".box{fill:#1f262d;stroke:#56b4e9} .ground{fill:#33383f;stroke:#999}\n\
.surplus,.lacking{stroke:#e69f00} .arrow{stroke:#8a8f96} .tip{fill:#8a8f96}";

impl Layout {
    fn new(diagram: &Diagram) -> Layout {
        let edges = diagram.edges();
        let mut column: Vec<usize> = Vec::new();
        for before in &edges {
            column.push(before.iter().map(|&node| column[node] + 1).max().unwrap_or(0));
        }
        let height = |node: &Node| match diagram.circles {
            true => diameter(diagram),
            false => 2.0 * PADDING + LINE * node.lines.len() as f64 + 12.0,
        };
        let boxes = diagram.nodes.iter().enumerate();
        let box_of =
            |(index, node)| ColumnItem { node: Some(index), column: column[index], y: 0.0, height: height(node) };
        let mut places: Vec<ColumnItem> = boxes.map(box_of).collect();
        let mut neighbours = vec![[Vec::new(), Vec::new()]; places.len()];
        for (node, before) in edges.iter().enumerate() {
            for &start in before {
                let mut from = start;
                for passed in column[start] + 1..column[node] {
                    // Arrows of one box that pass the same column share the path.
                    let shared = neighbours[from][1].iter().copied().find(|&next: &usize| places[next].node.is_none());
                    from = shared.unwrap_or_else(|| {
                        let new = places.len();
                        places.push(ColumnItem { node: None, column: passed, y: 0.0, height: 2.0 });
                        neighbours.push([vec![from], Vec::new()]);
                        neighbours[from][1].push(new);
                        new
                    });
                }
                neighbours[from][1].push(node);
                neighbours[node][0].push(from);
            }
        }
        let mut order = vec![Vec::new(); column.iter().max().map_or(0, |last| last + 1)];
        places.iter().enumerate().for_each(|(index, place)| order[place.column].push(index));
        let mut columns = Layers { order, neighbours };
        columns.untangle();
        let heights = |column: &Vec<usize>| column.iter().map(|&place| places[place].height).collect::<Vec<_>>();
        let offsets: Vec<Vec<f64>> = columns.order.iter().map(|column| touching(&heights(column), GAP)).collect();
        let mut y = vec![0.0; places.len()];
        for (column, offsets) in columns.order.iter().zip(&offsets) {
            column.iter().zip(offsets).for_each(|(&place, offset)| y[place] = places[column[0]].height / 2.0 + offset);
        }
        columns.place(&mut y, &offsets);
        places.iter_mut().zip(y).for_each(|(place, y)| place.y = y);
        Layout { places, columns }
    }
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
        for column in &layout.columns.order {
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
