//! Convex outlines of points on the page.

/// A point on the page.
pub type Point = (f64, f64);

/// The corners of the convex hull, in order (Andrew's monotone chain); two for collinear points, one for coincident
/// points.
pub fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Points on the page closer than this coincide.
    sorted.dedup_by(|a, b| distance(*a, *b) < 0.05);
    if sorted.len() < 3 {
        return sorted;
    }
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut corners: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = corners[..] {
                if turn(a, b, point) > 0.0 {
                    break;
                }
                corners.pop();
            }
            corners.push(point);
        }
        corners.pop();
        corners
    };
    let mut corners = chain(&mut sorted.iter().copied());
    corners.extend(chain(&mut sorted.iter().rev().copied()));
    corners
}

/// Twice the area of a triangle, positive if a, b, c turn from x to y.
fn turn(a: Point, b: Point, c: Point) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// Distance of two points.
pub fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_square_has_its_corners_alone() {
        let mut points = vec![(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0), (1.0, 0.0), (2.0, 2.0)];
        let corners = hull(&points);
        assert_eq!(corners, [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
        points.reverse();
        assert_eq!(hull(&points), corners, "whatever the order");
    }

    #[test]
    fn points_on_a_line_and_single_places_are_no_areas() {
        assert_eq!(hull(&[(0.0, 0.0), (1.0, 1.0), (3.0, 3.0), (2.0, 2.0)]), [(0.0, 0.0), (3.0, 3.0)]);
        assert_eq!(hull(&[(1.0, 1.0), (1.0, 1.01)]).len(), 1);
        assert_eq!(hull(&[]), []);
    }
}
