//! `[[curve_on_curve]]` as bodies that run along curves.
//!
//! The contact point of two curves is not solved for: its position along each curve is a coordinate. A massless body
//! runs along each curve and turns with it (`along_curve` with `up`). Closure equations connect the two bodies: common
//! point, common tangent. So the contact uses the equations of joints along curves, derivatives included, and the
//! reaction between the two bodies is the contact force. The bodies and their joints have the name of the item with
//! `.first` and `.second`.

use super::Document;
use super::schema::{Body, CurveOnCurve, Joint, JointKind, Model, numbers};
use ballesta_solver::math::{Vec3, curve};
use std::borrow::Cow;

/// Names of the two bodies, and of their joints.
pub fn names(item: &CurveOnCurve) -> [String; 2] {
    ["first", "second"].map(|end| format!("{}.{end}", item.name))
}

impl Document {
    /// The document with the bodies and joints that run along curves appended, unless it has them already. It is valid;
    /// `values`: one per `[[parameter]]`.
    pub fn with_runners(&self, values: &[f64]) -> Cow<'_, Document> {
        let has = |item: &&CurveOnCurve| self.model.joints.iter().any(|joint| joint.name == names(item)[0]);
        let missing: Vec<_> = self.model.curves_on_curves.iter().filter(|item| !has(item)).collect();
        if missing.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut document = self.clone();
        for item in missing {
            let plane = self.model.plane_of(item, values).unwrap_or_else(Vec3::z);
            for ((name, body), curve) in names(item).into_iter().zip(&item.bodies).zip(&item.curves) {
                document.model.joints.push(Joint {
                    point: Some(item.point.clone()),
                    curve: Some(curve.clone()),
                    up: Some(numbers(plane)),
                    ..Joint::new(&name, JointKind::AlongCurve, [body.clone(), name.clone()])
                });
                document.model.bodies.push(Body { com: Some(item.point.clone()), ..Body::new(name) });
            }
        }
        Cow::Owned(document)
    }
}

impl Model {
    /// The two curves of an item, relative to its point.
    pub fn touching_curves(&self, item: &CurveOnCurve, values: &[f64]) -> Option<[curve::Curve; 2]> {
        let from = self.resolve_place(&item.point, values);
        let shape = |name: &String| {
            let curve = self.curves.iter().find(|curve| curve.name == *name)?;
            self.curve_shape(curve, values, &from)
        };
        Some([shape(&item.curves[0])?, shape(&item.curves[1])?])
    }

    /// Normal of the plane of both curves of an item, from the first curve that is not straight.
    fn plane_of(&self, item: &CurveOnCurve, values: &[f64]) -> Option<Vec3> {
        let [first, second] = self.touching_curves(item, values)?;
        first.plane().or_else(|| second.plane())
    }
}
