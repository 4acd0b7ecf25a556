//! Names of a validated model, resolved to numbers and indices.

use super::elements::{self, Lookup, WheelPlace};
use super::mechanism;
use ballesta_model::Document;
use ballesta_model::schema::{self, Model, Number, Place, Vector};
use ballesta_solver::force::expression::Instruction;
use ballesta_solver::force::road::Road;
use ballesta_solver::force::{BodyIx, Coefficient, CoordinateIx};
use ballesta_solver::joint::coordinates::Measure;
use ballesta_solver::math::Vec3;
use ballesta_solver::math::curve::Curve;
use ballesta_solver::mechanism::Layout;
use ballesta_solver::tyre::Properties;
use std::sync::Arc;

/// Resolves names. All names were validated: a missing name is an error of this program.
pub(super) struct Names<'a> {
    pub(super) document: &'a Document,
    pub(super) model: &'a Model,
    /// Values of all parameters.
    pub(super) parameters: &'a [f64],
    pub(super) layout: &'a Layout,
    roads: Vec<Arc<Road>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(document: &'a Document, parameters: &'a [f64], layout: &'a Layout) -> Names<'a> {
        let model = &document.model;
        let mut names = Names { document, model, parameters, layout, roads: Vec::new() };
        let maps = |index: usize| {
            [&document.height_maps, &document.friction_maps].map(|maps| maps.get(index).and_then(Option::as_deref))
        };
        let roads = model.roads.iter().enumerate();
        let roads = roads
            .map(|(index, road)| Arc::new(elements::road(road, maps(index), &|number| names.number(number))))
            .collect();
        names.roads = roads;
        names
    }

    /// A vector of the file scaled to unit length.
    pub(super) fn direction(&self, vector: &Vector) -> Vec3 {
        self.model.resolve_vector(vector, self.parameters).normalize()
    }

    /// A curve of the file in the frame of a body.
    pub(super) fn curve(&self, name: Option<&String>, body: usize) -> Option<Curve> {
        let item = self.model.curves.iter().find(|curve| Some(&curve.name) == name)?;
        let from = self.layout.bodies()[body].design + self.layout.origin();
        self.model.curve_shape(item, self.parameters, &from)
    }

    /// Number of a joint of the file.
    pub(super) fn joint(&self, name: &str) -> usize {
        mechanism::joint(self.model, name).0
    }
}

impl Lookup for Names<'_> {
    fn body(&self, name: &str) -> BodyIx {
        self.layout.body(self.document.body_ref(name).expect("validated"))
    }

    fn body_point(&self, body: BodyIx, place: &Place) -> Vec3 {
        self.layout.body_point(body, &self.model.resolve_place(place, self.parameters))
    }

    fn place(&self, place: &Place) -> Vec3 {
        self.layout.from_origin(&self.model.resolve_place(place, self.parameters))
    }

    fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> CoordinateIx {
        let on = mechanism::coordinate(self.model, joint, coordinate);
        self.layout.coordinate(on).expect("kept in the tree")
    }

    fn joint_coordinate(&self, joint: &str, coordinate: Option<&str>) -> (usize, bool) {
        let index = self.joint(joint);
        let found = self.model.joints[index].kind.coordinate(coordinate).expect("validated");
        (index, found.measure == Measure::Angle)
    }

    fn origin(&self) -> Vec3 {
        self.layout.origin()
    }

    fn wheel(&self, joint: &str) -> WheelPlace {
        let joint = &self.model.joints[self.joint(joint)];
        let body = self.body(&joint.bodies[1]);
        let point = self.document.joint_design(joint, self.parameters);
        let centre = point.map_or(Vec3::zeros(), |point| self.layout.body_point(body, &point));
        let axis = joint.axis.as_ref().map_or(Vec3::y(), |axis| self.direction(axis));
        WheelPlace { body, centre, axis }
    }

    fn tyre(&self, tyre: &schema::Tyre) -> (Arc<Properties>, Arc<Road>) {
        let index = self.model.tyres.iter().position(|other| other.name == tyre.name).expect("validated");
        (self.document.tyres[index].clone(), self.road(tyre.road.as_deref()))
    }

    fn solid(&self, name: &str) -> &schema::Solid {
        self.model.solids.iter().find(|solid| solid.name == name).expect("validated")
    }

    fn road(&self, name: Option<&str>) -> Arc<Road> {
        let named = |road: &&Arc<Road>| name.is_none_or(|name| road.name == *name);
        self.roads.iter().find(named).expect("validated").clone()
    }

    fn path(&self, name: &str) -> Curve {
        self.curve(Some(&name.to_string()), 0).expect("validated")
    }

    fn step(&self) -> f64 {
        self.model.general.step
    }

    fn formula(&self, law: &schema::Expression) -> Vec<Instruction> {
        ballesta_model::formula(self.model, law).expect("validated").instructions
    }

    fn number(&self, number: &Number) -> f64 {
        self.model.resolve(number, self.parameters)
    }

    fn coefficient(&self, number: &Number) -> Coefficient {
        let Number::Parameter(name) = number else { return Coefficient::Value(self.number(number)) };
        if let Some(index) = self.model.inputs.iter().position(|input| &input.name == name) {
            return Coefficient::Input(index);
        }
        match self.model.parameters.iter().position(|parameter| &parameter.name == name) {
            Some(index) if self.model.parameters[index].tunable => Coefficient::Parameter(index),
            _ => Coefficient::Value(self.number(number)),
        }
    }
}
