//! The shape of a `[[curve]]`.

use super::schema::{Curve, Model};
use ballesta_solver::math::{Vec3, curve};

impl Model {
    /// A valid curve of the file in the design position, relative to the point `from` (m, W). `values`: one per
    /// `[[parameter]]`. `None` if its `offset` leaves no curve.
    pub fn curve_shape(&self, item: &Curve, values: &[f64], from: &Vec3) -> Option<curve::Curve> {
        let place = |place| self.resolve_place(place, values) - from;
        let normal = item.normal.as_ref().map(|normal| self.resolve_vector(normal, values).normalize());
        let shape = match (&item.points, &item.centre, &item.radius) {
            (Some(points), ..) => {
                let points: Vec<Vec3> = points.iter().map(place).collect();
                curve::Curve::spline(&points, item.closed, item.degree == Some(5))
            }
            (None, Some(centre), Some(radius)) => {
                curve::Curve::circle(place(centre), self.resolve(radius, values), normal.as_ref()?)
            }
            _ => return None,
        };
        match &item.offset {
            Some(offset) => shape.offset(self.resolve(offset, values), normal.as_ref()?),
            None => Some(shape),
        }
    }
}
