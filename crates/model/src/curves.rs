//! The shape of a `[[curve]]`.

use super::schema::{Curve, Model};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::curve::{self, Outline};

impl Model {
    /// A valid curve of the file in the design position, relative to the point `from` (m, W). `values`: one per
    /// `[[parameter]]`. `None` if its `offset` leaves no curve.
    pub fn curve_shape(&self, item: &Curve, values: &[f64], from: &Vec3) -> Option<curve::Curve> {
        self.curve_outline(item, values)?.relative_to(from)
    }

    /// A valid curve of the file in the design position, W. `values`: one per `[[parameter]]`.
    pub fn curve_outline(&self, item: &Curve, values: &[f64]) -> Option<Outline> {
        let place = |place| self.resolve_place(place, values);
        let normal = item.normal.as_ref().map(|normal| self.resolve_vector(normal, values).normalize());
        let shape = match (&item.points, &item.centre, &item.radius) {
            (Some(points), ..) => {
                let points = points.iter().map(place).collect();
                Outline::Spline { points, closed: item.closed, quintic: item.degree == Some(5) }
            }
            (None, Some(centre), Some(radius)) => {
                Outline::Circle { centre: place(centre), radius: self.resolve(radius, values), normal: normal? }
            }
            _ => return None,
        };
        Some(match &item.offset {
            Some(offset) => {
                Outline::Offset { of: Box::new(shape), distance: self.resolve(offset, values), normal: normal? }
            }
            None => shape,
        })
    }
}
