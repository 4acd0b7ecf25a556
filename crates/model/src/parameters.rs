//! Numbers of a model with parameters substituted, and defaults that depend on other tables.
//!
//! `values` is one value per `[[parameter]]` in the order of the file: [`Model::parameter_values`] returns the values
//! of the file; an importer may set others. In a model that was not validated, an unknown name gives NaN.

use super::schema::{Body, Joint, Model, Number, PerCoordinate, Place, Vector};
use ballesta_solver::math::Vec3;

/// The meaning of a [`Number`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberSource {
    /// A value in the file.
    Value(f64),
    /// The parameter with this index.
    Parameter(usize),
    /// The input with this index.
    Input(usize),
    /// A name that is neither parameter nor input.
    Unknown,
}

impl Model {
    /// The values of all parameters as the file gives them.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.value).collect()
    }

    /// The meaning of a number.
    pub fn meaning(&self, number: &Number) -> NumberSource {
        match number {
            Number::Value(value) => NumberSource::Value(*value),
            Number::Parameter(name) => {
                let parameter = self.parameters.iter().position(|parameter| &parameter.name == name);
                let input = || self.inputs.iter().position(|input| &input.name == name);
                parameter
                    .map(NumberSource::Parameter)
                    .or_else(|| input().map(NumberSource::Input))
                    .unwrap_or(NumberSource::Unknown)
            }
        }
    }

    /// A number with parameters substituted; NaN for an input.
    pub fn resolve(&self, number: &Number, values: &[f64]) -> f64 {
        match self.meaning(number) {
            NumberSource::Value(value) => value,
            NumberSource::Parameter(index) => values.get(index).copied().unwrap_or(f64::NAN),
            NumberSource::Input(_) | NumberSource::Unknown => f64::NAN,
        }
    }

    /// Three numbers with parameters substituted.
    pub fn resolve_vector(&self, vector: &Vector, values: &[f64]) -> Vec3 {
        Vec3::from(vector.each_ref().map(|number| self.resolve(number, values)))
    }

    /// A point in m, global frame, design position.
    pub fn resolve_place(&self, place: &Place, values: &[f64]) -> Vec3 {
        let vector = match place {
            Place::At(vector) => Some(vector),
            Place::Point(name) => self.points.get(name),
        };
        vector.map_or(Vec3::repeat(f64::NAN), |vector| self.resolve_vector(vector, values))
    }

    /// Position of the centre of mass of a body: its `com`; by default the point of the first joint of the file that
    /// names it as its second body and has a point; otherwise of the first that names it as its first body and has one.
    pub fn centre_of_mass<'m>(&'m self, body: &'m Body) -> Option<&'m Place> {
        let carrier = |end: usize| {
            self.joints
                .iter()
                .filter(move |joint| joint.bodies[end] == body.name)
                .find_map(|joint| joint.point.as_ref())
        };
        body.com.as_ref().or_else(|| carrier(1)).or_else(|| carrier(0))
    }

    /// Position of a joint: its `point`; by default the centre of mass of its second body (of its first, if the second
    /// is the ground).
    pub fn joint_place<'m>(&'m self, joint: &'m Joint) -> Option<&'m Place> {
        let body = |name: &str| self.bodies.iter().find(|body| body.name == name);
        let default = || self.centre_of_mass(body(&joint.bodies[1]).or_else(|| body(&joint.bodies[0]))?);
        joint.point.as_ref().or_else(default)
    }
}

impl PerCoordinate {
    /// The numbers, in the order of the joint's coordinates.
    pub fn as_slice(&self) -> &[Number] {
        match self {
            PerCoordinate::One(number) => std::slice::from_ref(number),
            PerCoordinate::Each(numbers) => numbers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const TEXT: &str = r#"
        [model]
        name = "m"
        [points]
        A = ["a", 2, 3]
        [[parameter]]
        name = "a"
        value = 1
        [[input]]
        name = "u"
        [[body]]
        name = "b"
        mass = 1
        [[body]]
        name = "c"
        mass = 1
        com = [7, 8, 9]
        [[joint]]
        name = "travel"
        type = "prismatic"
        bodies = ["ground", "b"]
        axis = [1, 0, 0]
        [[joint]]
        name = "back"
        type = "fixed"
        bodies = ["b", "c"]
        point = "A"
        [[joint]]
        name = "free"
        type = "floating"
        bodies = ["ground", "c"]
    "#;

    #[test]
    fn numbers_resolve_with_the_given_values() {
        let model = parse(TEXT, "m").expect("valid").model;
        let named = |name: &str| Number::Parameter(name.to_string());
        assert_eq!(model.resolve(&4.0.into(), &[]), 4.0);
        assert_eq!(model.resolve(&named("a"), &model.parameter_values()), 1.0);
        assert_eq!(model.resolve(&named("a"), &[5.0]), 5.0);
        assert_eq!(model.meaning(&named("u")), NumberSource::Input(0));
        assert!(model.resolve(&named("u"), &[5.0]).is_nan() && model.resolve(&named("x"), &[5.0]).is_nan());
        assert_eq!(model.resolve_place(&Place::Point("A".into()), &[5.0]), Vec3::new(5.0, 2.0, 3.0));
    }

    #[test]
    fn places_that_are_not_given_follow_from_joints_and_bodies() {
        let model = parse(TEXT, "m").expect("valid").model;
        let at = |place: Option<&Place>| place.map(|place| model.resolve_place(place, &[1.0]));
        // The first joint of body b has no point; the next that names it, as its first body, has one.
        assert_eq!(at(model.centre_of_mass(&model.bodies[0])), Some(Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(at(model.joint_place(&model.joints[0])), Some(Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(at(model.joint_place(&model.joints[2])), Some(Vec3::new(7.0, 8.0, 9.0)));
    }
}
