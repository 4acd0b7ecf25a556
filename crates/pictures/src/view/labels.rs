//! Placement of names: each next to its part, without overlap.

use super::outline::Point;
use crate::sheet::text_width;

/// Size of the text.
const TEXT: f64 = 10.0;
/// Height of a line.
const HEIGHT: f64 = 12.0;
/// Half the side of the square around a mark that is kept free.
const MARK_CLEARANCE: f64 = 3.0;
/// Largest distance of a name from its part, px.
const NAME_DISTANCES: [f64; 4] = [8.0, 16.0, 28.0, 44.0];
/// Directions in the order of trial.
const DIRECTIONS: [Point; 8] =
    [(1.0, -0.6), (-1.0, -0.6), (1.0, 0.6), (-1.0, 0.6), (0.0, -1.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0)];

/// A rectangle by its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Left side.
    pub x: f64,
    /// Upper side.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    fn inside(&self, outer: &Area) -> bool {
        self.x >= outer.x
            && self.y >= outer.y
            && self.x + self.width <= outer.x + outer.width
            && self.y + self.height <= outer.y + outer.height
    }
}

/// A name with its place.
pub struct Label {
    /// The name.
    pub text: String,
    /// The part it belongs to.
    pub anchor: Point,
    /// Rectangle of the name.
    pub area: Area,
}

/// Places names next to their anchors within `frame`, in order: none overlaps another or covers one of the `marks`.
/// Names without room, and names of parts behind a named part, are omitted.
pub fn place(requests: &[(String, Point)], marks: &[Point], frame: &Area) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    // Parts at the same place in this view have one label.
    for (text, anchor) in requests {
        let behind = |label: &Label| super::outline::distance(label.anchor, *anchor) < 3.0;
        if labels.iter().any(behind) {
            continue;
        }
        // Candidate places at increasing distance around the anchor.
        let width = text_width(text, TEXT);
        let candidates = NAME_DISTANCES.iter().flat_map(|reach| {
            DIRECTIONS.map(|(x, y)| Area {
                x: anchor.0
                    + x * reach
                    + if x < 0.0 {
                        -width
                    } else if x == 0.0 {
                        -0.5 * width
                    } else {
                        0.0
                    },
                y: anchor.1 + y * reach - 0.5 * HEIGHT,
                width,
                height: HEIGHT,
            })
        });
        // The first place without overlap is used.
        let free = |area: &Area| {
            let covers = |mark: &Point| {
                let around = Area {
                    x: mark.0 - MARK_CLEARANCE,
                    y: mark.1 - MARK_CLEARANCE,
                    width: 2.0 * MARK_CLEARANCE,
                    height: 2.0 * MARK_CLEARANCE,
                };
                area.overlaps(&around)
            };
            area.inside(frame) && !labels.iter().any(|label| label.area.overlaps(area)) && !marks.iter().any(covers)
        };
        if let Some(area) = candidates.into_iter().find(free) {
            labels.push(Label { text: text.clone(), anchor: *anchor, area });
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_neither_overlap_nor_leave_the_frame_nor_cover_marks() {
        let frame = Area { x: 0.0, y: 0.0, width: 400.0, height: 200.0 };
        let mut requests = Vec::new();
        for i in 0..60 {
            requests.push((format!("part_{i}"), (7.0 * f64::from(i), 20.0 + f64::from(37 * i % 170))));
        }
        let marks: Vec<Point> = requests.iter().map(|request| request.1).collect();
        let labels = place(&requests, &marks, &frame);
        assert!(labels.len() > 20, "{}", labels.len());
        for (i, label) in labels.iter().enumerate() {
            assert!(label.area.inside(&frame), "{:?}", label.area);
            assert!(labels[..i].iter().all(|other| !other.area.overlaps(&label.area)), "{}", label.text);
            assert!(!marks.iter().any(|(x, y)| {
                (label.area.x..label.area.x + label.area.width).contains(x)
                    && (label.area.y..label.area.y + label.area.height).contains(y)
            }));
        }
    }

    #[test]
    fn of_parts_behind_each_other_the_first_has_its_name() {
        let frame = Area { x: 0.0, y: 0.0, width: 400.0, height: 200.0 };
        let requests = [("right".to_string(), (50.0, 50.0)), ("left".to_string(), (50.0, 50.0))];
        let labels = place(&requests, &[], &frame);
        assert_eq!(labels.iter().map(|label| label.text.as_str()).collect::<Vec<_>>(), ["right"]);
    }
}
