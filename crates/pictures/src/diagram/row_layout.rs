//! Layout: rows upwards from the ground, few crossings, no overlap.
//!
//! Row 2k has the bodies of layer k, row 2k + 1 the labels of the elements above them. A line that passes a row gets a
//! narrow place there (a bend). Row 0 is the ground, which is a bar and has no position in x.

use super::diagram_content::{GROUND, Graph};
use crate::layered::{Layers, spread};
use crate::sheet::text_width;

/// Font size of names.
pub const NAME_SIZE: f64 = 13.0;
/// Font size of further lines.
pub const LINE_SIZE: f64 = 11.0;
/// Height of a line of text.
pub const LINE_HEIGHT: f64 = 15.0;
/// Smallest distance between neighbours of a row.
const MIN_GAP: f64 = 22.0;
/// Distance between rows.
const ROW_GAP: f64 = 24.0;
/// Maximum width of a row; wider rows are folded, with neighbours above each other.
const MAX_ROW_WIDTH: f64 = 1300.0;
/// Distance between the lines of a folded row.
const FOLD_GAP: f64 = 8.0;

/// Content of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Body by index.
    Body(usize),
    /// Label of an element by index.
    Element(usize),
    /// A line of an element passes.
    Bend(usize),
}

/// A place in a row.
pub struct RowItem {
    /// Content.
    pub item: Item,
    /// Row, 0 at the ground.
    pub row: usize,
    /// Centre.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A line from a place down to a place in the row below, or to the ground.
pub struct Line {
    /// Place at the upper end.
    pub upper: usize,
    /// Place at the lower end; `None` is the ground.
    pub lower: Option<usize>,
    /// Element by index.
    pub element: usize,
}

/// All places and lines.
pub struct Layout {
    /// Places of bodies, labels and bends; the ground has none.
    pub places: Vec<RowItem>,
    /// Lines between neighbouring rows.
    pub lines: Vec<Line>,
    /// Total width.
    pub width: f64,
    /// Top of the ground's bar.
    pub ground: f64,
    /// Rows of places by index, from left to right.
    rows: Vec<Vec<usize>>,
    /// Number of lines into which each row is folded; its places alternate between them.
    folds: Vec<usize>,
}

impl Layout {
    /// Computes the layout; deterministic.
    pub fn new(graph: &Graph) -> Layout {
        let mut layout = Layout {
            places: Vec::new(),
            lines: Vec::new(),
            width: 0.0,
            ground: 0.0,
            rows: Vec::new(),
            folds: Vec::new(),
        };
        layout.add_places(graph);
        let layers = layout.order_rows();
        layout.fold();
        layout.place_in_x(&layers);
        layout.place_in_y();
        layout
    }

    fn add_place(&mut self, item: Item, row: usize, width: f64, lines: usize) -> usize {
        let height = if width > 0.0 { 10.0 + LINE_HEIGHT * lines as f64 } else { 0.0 };
        self.places.push(RowItem { item, row, x: 0.0, y: 0.0, width, height });
        let index = self.places.len() - 1;
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        self.rows[row].push(index);
        index
    }

    fn add_places(&mut self, graph: &Graph) {
        let mut body_place = vec![None; graph.bodies.len()];
        for (i, body) in graph.bodies.iter().enumerate().skip(1) {
            let width = box_width(&body.name, &body.lines).max(72.0);
            body_place[i] = Some(self.add_place(Item::Body(i), 2 * body.layer, width, 1 + body.lines.len()));
        }
        for (i, element) in graph.elements.iter().enumerate() {
            let [a, b] = element.bodies;
            let (low, high) = if graph.bodies[a].layer <= graph.bodies[b].layer { (a, b) } else { (b, a) };
            let (low_row, high_row) = (2 * graph.bodies[low].layer, 2 * graph.bodies[high].layer);
            // The label is just below the upper body, or above both if they are in one row.
            let row = if low_row == high_row { low_row + 1 } else { high_row - 1 };
            let label = self.add_place(
                Item::Element(i),
                row,
                box_width(&element.name, &element.lines),
                1 + element.lines.len(),
            );
            match body_place[high] {
                Some(place) if high_row > row => self.lines.push(Line { upper: place, lower: Some(label), element: i }),
                place => self.lines.push(Line { upper: label, lower: place, element: i }),
            }
            let mut upper = label;
            for bend_row in (low_row + 1..row).rev() {
                let bend = self.add_place(Item::Bend(i), bend_row, 0.0, 0);
                self.lines.push(Line { upper, lower: Some(bend), element: i });
                upper = bend;
            }
            debug_assert!(low == GROUND || body_place[low].is_some());
            self.lines.push(Line { upper, lower: body_place[low], element: i });
        }
    }

    /// Orders the rows for few crossings.
    fn order_rows(&mut self) -> Layers {
        let mut neighbours = vec![[Vec::new(), Vec::new()]; self.places.len()];
        for line in &self.lines {
            if let Some(lower) = line.lower {
                neighbours[line.upper][0].push(lower);
                neighbours[lower][1].push(line.upper);
            }
        }
        let mut layers = Layers { order: std::mem::take(&mut self.rows), neighbours };
        layers.untangle();
        self.rows = layers.order.clone();
        layers
    }

    /// Folds rows that are too wide, into as many lines as make them fit.
    fn fold(&mut self) {
        let wide = |row: &Vec<usize>| row.iter().map(|&place| self.places[place].width + MIN_GAP).sum::<f64>();
        self.folds = self.rows.iter().map(|row| (wide(row) / MAX_ROW_WIDTH).ceil().max(1.0) as usize).collect();
    }

    /// Distance of the centres of two neighbours in a row: places in the same line do not touch; places in other lines
    /// leave room for connecting lines.
    fn steps(&self, row: &[usize]) -> Vec<f64> {
        let folds = row.first().and_then(|&place| self.folds.get(self.places[place].row)).copied().unwrap_or(1);
        let mut offsets: Vec<f64> = Vec::new();
        for (i, &place) in row.iter().enumerate() {
            let width = self.places[place].width;
            let apart = |other: usize| (self.places[row[other]].width + width) / 2.0 + MIN_GAP;
            let beside = i.checked_sub(folds).map_or(0.0, |other| offsets[other] + apart(other));
            let next = i.checked_sub(1).map_or(0.0, |other| offsets[other] + MIN_GAP);
            offsets.push(beside.max(next));
        }
        offsets
    }

    /// Moves every place towards the mean of its neighbours, then the whole to the left margin.
    fn place_in_x(&mut self, layers: &Layers) {
        let steps: Vec<Vec<f64>> = self.rows.iter().map(|row| self.steps(row)).collect();
        let mut x = vec![0.0; self.places.len()];
        for (row, steps) in self.rows.iter().zip(&steps) {
            row.iter().zip(spread(&vec![0.0; row.len()], steps)).for_each(|(&place, at)| x[place] = at);
        }
        layers.place(&mut x, &steps);
        self.places.iter_mut().zip(x).for_each(|(place, x)| place.x = x);
        let left = self.places.iter().map(|p| p.x - p.width / 2.0).fold(f64::INFINITY, f64::min);
        for place in &mut self.places {
            place.x += MIN_GAP - left;
        }
        let right = self.places.iter().map(|p| p.x + p.width / 2.0).fold(0.0, f64::max);
        self.width = (right + MIN_GAP).max(260.0);
        let shift = (self.width - right - MIN_GAP) / 2.0;
        self.places.iter_mut().for_each(|place| place.x += shift);
    }

    /// Arranges rows from the top; every line of a row is as high as its highest place, and all its places are centred.
    fn place_in_y(&mut self) {
        let mut top = ROW_GAP;
        for (number, row) in self.rows.iter().enumerate().rev().filter(|(_, row)| !row.is_empty()) {
            let folds = self.folds.get(number).copied().unwrap_or(1);
            for fold in 0..folds {
                let line: Vec<usize> = row.iter().copied().skip(fold).step_by(folds).collect();
                let height = line.iter().map(|&place| self.places[place].height).fold(0.0, f64::max);
                for place in line {
                    self.places[place].y = top + (height - self.places[place].height) / 2.0;
                }
                top += height + if fold + 1 < folds { FOLD_GAP } else { ROW_GAP };
            }
        }
        self.ground = top;
    }
}

/// Width of a box with a name and further lines.
fn box_width(name: &str, lines: &[String]) -> f64 {
    let lines = lines.iter().map(|line| text_width(line, LINE_SIZE));
    lines.fold(text_width(name, NAME_SIZE), f64::max) + 18.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::tests::sample;

    #[test]
    fn places_of_a_row_do_not_overlap() {
        let layout = Layout::new(&Graph::new(&sample()));
        for row in &layout.rows {
            for pair in row.windows(2) {
                let (a, b) = (&layout.places[pair[0]], &layout.places[pair[1]]);
                assert!(a.x + a.width / 2.0 + MIN_GAP <= b.x - b.width / 2.0 + 1e-9, "{:?} {:?}", a.item, b.item);
            }
        }
        assert!(layout.places.iter().all(|p| p.x - p.width / 2.0 >= 0.0 && p.x + p.width / 2.0 <= layout.width));
    }

    #[test]
    fn wide_rows_are_folded_without_overlap() {
        let model =
            ballesta::model::load(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/truck")))
                .unwrap_or_else(|e| panic!("{e}"))
                .model;
        let layout = Layout::new(&Graph::new(&model));
        assert!(layout.folds.iter().any(|folds| *folds > 1) && layout.width < 2.0 * MAX_ROW_WIDTH, "{}", layout.width);
        let boxes: Vec<&RowItem> = layout.places.iter().filter(|place| place.width > 0.0).collect();
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[..i] {
                let beside = (a.x - b.x).abs() >= (a.width + b.width) / 2.0 - 1e-9;
                let above = a.y + a.height <= b.y + 1e-9 || b.y + b.height <= a.y + 1e-9;
                assert!(beside || above, "{:?} {:?}", a.item, b.item);
            }
        }
    }

    #[test]
    fn lines_join_neighbouring_rows_and_reach_both_bodies() {
        let graph = Graph::new(&sample());
        let layout = Layout::new(&graph);
        for line in &layout.lines {
            let row = layout.places[line.upper].row;
            assert_eq!(line.lower.map_or(0, |lower| layout.places[lower].row), row - 1);
        }
        for (i, element) in graph.elements.iter().enumerate() {
            let ends: Vec<usize> = layout
                .lines
                .iter()
                .filter(|line| line.element == i)
                .flat_map(|line| [Some(line.upper), line.lower])
                .map(|place| place.map_or(Item::Body(GROUND), |place| layout.places[place].item))
                .filter_map(|item| if let Item::Body(body) = item { Some(body) } else { None })
                .collect();
            assert!(element.bodies.iter().all(|body| ends.contains(body)) && ends.len() == 2, "{}", element.name);
        }
    }
}
