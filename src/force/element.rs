//! One type for all kinds of force elements, built from a model in the order of its tables.

use super::{
    BodyIx, Bristle, BumpStop, Bushing, Coefficient, CoordinateIx, Drive, Force, Friction, JointSpring, Loads, Lookup,
    Spring, Surroundings, Tangent, Torque, Tyre, Vehicle, vehicle,
};
use crate::force::road::Road;
use crate::force::tyre::Patch;
use crate::model::schema::{self, Model};
use crate::tyre::{self, Law, Properties};
use std::sync::Arc;

/// A force element.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// `[[spring]]`
    Spring(Spring),
    /// `[[joint_spring]]`
    JointSpring(JointSpring),
    /// `[[bushing]]`
    Bushing(Box<Bushing>),
    /// `[[bump_stop]]`
    BumpStop(BumpStop),
    /// `[[force]]`
    Force(Force),
    /// `[[torque]]`
    Torque(Torque),
    /// `[[friction]]`
    Friction(Friction),
    /// `[[drive]]`
    Drive(Drive),
    /// `[[tyre]]`
    Tyre(Box<Tyre>),
    /// An element of vehicles.
    Vehicle(Vehicle),
}

/// All force elements of a validated model, torsion bars as joint springs, each kind in the order of the file; `tyres`: the
/// properties of every tyre of the file, `roads`: all roads.
pub fn build(model: &Model, lookup: &dyn Lookup, tyres: &[Arc<Properties>], roads: &[Arc<Road>]) -> Vec<Element> {
    let mut elements = Vec::new();
    elements.extend(model.springs.iter().map(|table| Element::Spring(Spring::build(table, lookup))));
    elements.extend(model.joint_springs.iter().map(|table| Element::JointSpring(JointSpring::build(table, lookup))));
    elements.extend(model.bushings.iter().map(|table| Element::Bushing(Box::new(Bushing::build(table, lookup)))));
    elements.extend(model.bump_stops.iter().map(|table| Element::BumpStop(BumpStop::build(table, lookup))));
    elements.extend(model.forces.iter().map(|table| Element::Force(Force::build(table, lookup))));
    elements.extend(model.torques.iter().map(|table| Element::Torque(Torque::build(table, lookup))));
    elements.extend(model.frictions.iter().map(|table| Element::Friction(Friction::build(table, lookup))));
    elements.extend(model.drives.iter().map(|table| Element::Drive(Drive::build(table, lookup))));
    let mut patches = 0;
    for (table, properties) in model.tyres.iter().zip(tyres) {
        let named = |road: &&Arc<Road>| table.road.as_ref().is_none_or(|name| road.name == *name);
        let Some(road) = roads.iter().find(named) else { continue };
        let law = Arc::new(Law::new(properties, side(table.side)));
        let mut tyre = Tyre::build(table, law, road.clone(), lookup);
        tyre.patch = patches;
        patches += tyre.count;
        elements.push(Element::Tyre(Box::new(tyre)));
    }
    let bars = model.torsion_bars.iter().map(|table| vehicle::torsion_bar::build(table, lookup));
    elements.extend(bars.map(Element::JointSpring));
    elements.extend(vehicle::build(model, lookup).into_iter().map(Element::Vehicle));
    elements
}

fn side(side: schema::Side) -> tyre::Side {
    match side {
        schema::Side::Left => tyre::Side::Left,
        schema::Side::Right => tyre::Side::Right,
    }
}

impl Element {
    /// Name in the model file.
    pub fn name(&self) -> &str {
        match self {
            Element::Spring(element) => &element.name,
            Element::JointSpring(element) => &element.name,
            Element::Bushing(element) => &element.name,
            Element::BumpStop(element) => &element.name,
            Element::Force(element) => &element.name,
            Element::Torque(element) => &element.name,
            Element::Friction(element) => &element.name,
            Element::Drive(element) => &element.name,
            Element::Tyre(element) => &element.name,
            Element::Vehicle(element) => element.kind().name(),
        }
    }

    /// Whether outputs read it by the key `spring`: a length or deflection, its rate and a force.
    pub fn is_spring(&self) -> bool {
        match self {
            Element::Spring(_) | Element::JointSpring(_) | Element::BumpStop(_) => true,
            Element::Vehicle(element) => {
                use Vehicle::{AerodynamicDrag, Brake, SpeedControl, WheelPort};
                !matches!(element, Brake(_) | SpeedControl(_) | AerodynamicDrag(_) | WheelPort(_))
            }
            _ => false,
        }
    }

    /// Whether outputs read it by the key `drive`: an effort and its power.
    pub fn is_drive(&self) -> bool {
        matches!(self, Element::Drive(_) | Element::Vehicle(Vehicle::Brake(_) | Vehicle::SpeedControl(_)))
    }

    /// Adds the element's wrenches, efforts and powers at this instant.
    pub fn add_loads(&self, s: &Surroundings, loads: &mut Loads) {
        match self {
            Element::Spring(element) => element.add_loads(s, loads),
            Element::JointSpring(element) => element.add_loads(s, loads),
            Element::Bushing(element) => element.add_loads(s, loads),
            Element::BumpStop(element) => element.add_loads(s, loads),
            Element::Force(element) => element.add_loads(s, loads),
            Element::Torque(element) => element.add_loads(s, loads),
            Element::Friction(element) => element.add_loads(s, loads),
            Element::Drive(element) => element.add_loads(s, loads),
            Element::Tyre(element) => element.add_loads(s, loads),
            Element::Vehicle(element) => element.kind().add_loads(s, loads),
        }
    }

    /// Shows the element's stiffness and damping at this instant to `visit`, direction by direction. Either may be negative
    /// (falling characteristics); elements without own stiffness or damping show nothing.
    pub fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        match self {
            Element::Spring(element) => element.visit_tangents(s, visit),
            Element::JointSpring(element) => element.visit_tangents(s, visit),
            Element::Bushing(element) => element.visit_tangents(s, visit),
            Element::BumpStop(element) => element.visit_tangents(s, visit),
            Element::Friction(element) => element.visit_tangents(s, visit),
            Element::Tyre(element) => element.visit_tangents(s, visit),
            Element::Vehicle(element) => element.kind().visit_tangents(s, visit),
            Element::Force(_) | Element::Torque(_) | Element::Drive(_) => {}
        }
    }

    /// Where the element's states are among the auxiliary states of the system; empty for most kinds.
    pub fn states(&self) -> std::ops::Range<usize> {
        match self {
            Element::Friction(element) => element.states(),
            Element::Tyre(element) => element.states(),
            Element::Vehicle(element) => element.kind().states(),
            _ => 0..0,
        }
    }

    /// Puts the element's states from `first` on among the auxiliary states of the system.
    pub fn place_states(&mut self, first: usize) {
        match self {
            Element::Friction(element) => element.state = first,
            Element::Tyre(element) => element.first = first,
            Element::Vehicle(element) => element.kind_mut().place_states(first),
            _ => {}
        }
    }

    /// Writes the start values of the element's states, those of a steady motion like the present one, into the auxiliary
    /// states of the system.
    pub fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        match self {
            Element::Friction(element) => element.settle(s, auxiliary),
            Element::Tyre(element) => element.settle(s, auxiliary),
            Element::Vehicle(element) => element.kind().settle(s, auxiliary),
            _ => {}
        }
    }

    /// Of friction and brakes: where the bristles' state is, and what it becomes when the coordinate goes from `q0` to that of
    /// `s` within the time `h`, from the auxiliary states `auxiliary0`. What sticks follows the coordinate exactly.
    pub fn stuck_state(&self, s: &Surroundings, q0: &[f64], auxiliary0: &[f64], h: f64) -> Option<(usize, f64)> {
        let (coordinate, state) = self.bristle()?;
        let (before, bent) = (q0[coordinate.position], auxiliary0[state]);
        let after = match self {
            Element::Friction(element) => element.state_after(s, before, bent, h),
            Element::Vehicle(element) => element.kind().state_after(s, before, bent, h),
            _ => None,
        };
        Some((state, after?))
    }

    /// The bristles of friction and brakes.
    pub fn bristle_law(&self) -> Option<&Bristle> {
        match self {
            Element::Friction(element) => element.bristle.as_ref(),
            Element::Vehicle(Vehicle::Brake(element)) => Some(&element.bristle),
            _ => None,
        }
    }

    /// The load that friction or a brake holds at rest, N m or N; 0 for other elements.
    pub fn breakaway(&self, s: &Surroundings) -> f64 {
        match self {
            Element::Friction(element) => element.breakaway(s),
            Element::Vehicle(Vehicle::Brake(element)) => element.capacity(s),
            _ => 0.0,
        }
    }

    /// Coordinate and state of the bristles of friction and brakes.
    pub fn bristle(&self) -> Option<(CoordinateIx, usize)> {
        match self {
            Element::Friction(element) => element.bristle.map(|_| (element.coordinate, element.state)),
            Element::Vehicle(Vehicle::Brake(element)) => Some((element.coordinate, element.state)),
            _ => None,
        }
    }

    /// Energy stored in the element, J. Zero where a spring has its free length (position), a bushing is undeformed, a
    /// bump stop is not touched; always zero for elements that do not store energy.
    pub fn potential(&self, s: &Surroundings) -> f64 {
        match self {
            Element::Spring(element) => element.potential(s),
            Element::JointSpring(element) => element.potential(s),
            Element::Bushing(element) => element.potential(s),
            Element::BumpStop(element) => element.potential(s),
            Element::Friction(element) => element.potential(s),
            Element::Tyre(element) => element.potential(s),
            Element::Vehicle(element) => element.kind().potential(s),
            Element::Force(_) | Element::Torque(_) | Element::Drive(_) => 0.0,
        }
    }

    /// The same after the evaluation of all loads at this instant, which has found the `patches` of tyres.
    pub fn evaluated_potential(&self, s: &Surroundings, patches: &[Option<Patch>]) -> f64 {
        match self {
            Element::Tyre(element) => element.evaluated_potential(patches),
            element => element.potential(s),
        }
    }

    /// The bodies whose motion the element reads and on which it acts; none for elements on a joint coordinate.
    pub fn bodies(&self) -> Vec<BodyIx> {
        match self {
            Element::Spring(element) => element.ends.map(|end| end.body).to_vec(),
            Element::Bushing(element) => element.ends.map(|end| end.body).to_vec(),
            Element::Force(element) => vec![element.point.body],
            Element::Torque(element) => vec![element.body],
            Element::Tyre(element) => vec![element.wheel],
            Element::BumpStop(element) => element.bodies(),
            Element::Vehicle(element) => element.kind().bodies(),
            Element::JointSpring(_) | Element::Friction(_) | Element::Drive(_) => Vec::new(),
        }
    }

    /// The joint coordinates that the element reads and on which it acts; none for elements on bodies.
    pub fn coordinates(&self) -> Vec<CoordinateIx> {
        match self {
            Element::JointSpring(element) => vec![element.coordinate],
            Element::BumpStop(element) => element.coordinates(),
            Element::Friction(element) => vec![element.coordinate],
            Element::Drive(element) => vec![element.coordinate],
            Element::Vehicle(element) => element.kind().coordinates(),
            Element::Spring(_) | Element::Bushing(_) | Element::Force(_) | Element::Torque(_) | Element::Tyre(_) => {
                Vec::new()
            }
        }
    }

    /// Indices of the inputs that the element reads, rising, each once.
    pub fn inputs(&self) -> Vec<usize> {
        let indices = self.coefficients().into_iter().filter_map(|coefficient| match coefficient {
            Coefficient::Input(index) => Some(index),
            _ => None,
        });
        rising(indices)
    }

    /// Indices of the tunable parameters that the element reads, rising, each once.
    pub fn parameters(&self) -> Vec<usize> {
        let indices = self.coefficients().into_iter().filter_map(|coefficient| match coefficient {
            Coefficient::Parameter(index) => Some(index),
            _ => None,
        });
        rising(indices)
    }

    fn coefficients(&self) -> Vec<Coefficient> {
        match self {
            Element::Spring(element) => element.coefficients(),
            Element::JointSpring(element) => element.coefficients(),
            Element::Bushing(element) => element.coefficients(),
            Element::BumpStop(element) => element.coefficients(),
            Element::Force(element) => element.value.to_vec(),
            Element::Torque(element) => element.value.to_vec(),
            Element::Friction(element) => element.coefficients(),
            Element::Drive(element) => vec![element.value, element.gain],
            Element::Tyre(element) => element.coefficients(),
            Element::Vehicle(element) => element.kind().coefficients(),
        }
    }
}

fn rising(indices: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut indices: Vec<usize> = indices.collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::bump_stop::Law;
    use crate::force::{Characteristic, Table, WheelPlace};
    use crate::math::Vec3;
    use crate::model::schema::{Axes, Number, Place};

    const FILE: &str = r#"
        [model]
        name = "forces"

        [[drive]]
        name = "motor"
        joint = "hinge"
        value = "u"
        gain = "p"

        [[spring]]
        name = "strut"
        bodies = ["ground", "arm"]
        points = [[0.0, 0.0, 1.0], [3.0, 4.0, 1.0]]
        stiffness = "p"
        damping = 2.0
        preload = 3.0

        [[spring]]
        name = "cable"
        bodies = ["arm", "ground"]
        points = [[0.0, 0.0, 1.0], [3.0, 4.0, 1.0]]
        free_length = 4.5
        force_table = [[0.0, 0.0], [1.0, 10.0]]
        damping_table = [[0.0, 0.0], [1.0, 20.0]]

        [[joint_spring]]
        name = "bar"
        joint = "hinge"
        coordinate = "travel"
        stiffness = 5.0
        free_position = 0.5

        [[bushing]]
        name = "mount"
        bodies = ["ground", "arm"]
        point = [1.0, 1.0, 1.0]
        axis = [0.0, 0.0, 2.0]
        stiffness = [1.0, 2.0, 3.0, 4.0, 5.0, "p"]

        [[bump_stop]]
        name = "stop"
        joint = "hinge"
        upper = 0.3
        stiffness = 100.0

        [[force]]
        name = "push"
        body = "arm"
        point = [2.0, 0.0, 0.0]
        value = ["u", "u", 1.0]
        axes = "body"

        [[torque]]
        name = "twist"
        body = "arm"
        value = ["w", "p", "u"]

        [[friction]]
        name = "seal"
        joint = "hinge"
        coulomb = 1.0
        presliding = 1e-4
    "#;

    /// One body `arm` with its centre of mass at (1, 0, 0), one joint, inputs `u` (0) and `w` (1), parameter `p` (0).
    struct Names;

    impl Lookup for Names {
        fn body(&self, name: &str) -> BodyIx {
            BodyIx(if name == "arm" { 1 } else { 0 })
        }
        fn body_point(&self, body: BodyIx, place: &Place) -> Vec3 {
            self.place(place) - Vec3::x() * body.0 as f64
        }
        fn place(&self, place: &Place) -> Vec3 {
            match place {
                Place::At(vector) => Vec3::from(vector.each_ref().map(|number| self.number(number))),
                Place::Point(name) => panic!("no point {name}"),
            }
        }
        fn coordinate(&self, _joint: &str, coordinate: Option<&str>) -> CoordinateIx {
            let index = if coordinate == Some("travel") { 1 } else { 0 };
            CoordinateIx { position: index, velocity: index }
        }
        fn origin(&self) -> Vec3 {
            Vec3::zeros()
        }
        fn wheel(&self, _: &str) -> WheelPlace {
            WheelPlace { body: BodyIx(1), centre: Vec3::zeros(), axis: Vec3::y() }
        }
        fn number(&self, number: &Number) -> f64 {
            match number {
                Number::Value(value) => *value,
                Number::Parameter(name) => panic!("{name} is not a fixed parameter"),
            }
        }
        fn coefficient(&self, number: &Number) -> Coefficient {
            match number {
                Number::Value(value) => Coefficient::Value(*value),
                Number::Parameter(name) => match name.as_str() {
                    "u" => Coefficient::Input(0),
                    "w" => Coefficient::Input(1),
                    "p" => Coefficient::Parameter(0),
                    _ => panic!("no name {name}"),
                },
            }
        }
    }

    fn elements() -> Vec<Element> {
        build(&toml::from_str(FILE).expect("the file above fits the schema"), &Names, &[], &[])
    }

    #[test]
    fn elements_stand_in_the_order_of_the_kinds_and_of_the_file() {
        let elements = elements();
        let names: Vec<&str> = elements.iter().map(Element::name).collect();
        assert_eq!(names, ["strut", "cable", "bar", "mount", "stop", "push", "twist", "seal", "motor"]);
    }

    #[test]
    fn elements_tell_what_they_depend_on() {
        let elements = elements();
        let facts = |name: &str| {
            let element = elements.iter().find(|element| element.name() == name).expect("a name of the file");
            let bodies: Vec<usize> = element.bodies().iter().map(|body| body.0).collect();
            (bodies, element.coordinates().first().map(|c| c.position), element.inputs(), element.parameters())
        };
        assert_eq!(facts("strut"), (vec![0, 1], None, vec![], vec![0]));
        assert_eq!(facts("cable"), (vec![1, 0], None, vec![], vec![]));
        assert_eq!(facts("bar"), (vec![], Some(1), vec![], vec![]));
        assert_eq!(facts("mount"), (vec![0, 1], None, vec![], vec![0]));
        assert_eq!(facts("stop"), (vec![], Some(0), vec![], vec![]));
        assert_eq!(facts("push"), (vec![1], None, vec![0], vec![]));
        assert_eq!(facts("twist"), (vec![1], None, vec![0, 1], vec![0]));
        assert_eq!(facts("seal"), (vec![], Some(0), vec![], vec![]));
        assert_eq!(facts("motor"), (vec![], Some(0), vec![0], vec![0]));
    }

    #[test]
    fn keys_of_the_file_become_the_constants_of_the_elements() {
        let elements = elements();
        let Element::Spring(strut) = &elements[0] else { panic!("not a spring") };
        assert_eq!(strut.free_length, Coefficient::Value(5.0));
        assert_eq!(strut.ends[1].point, Vec3::new(2.0, 4.0, 1.0));
        assert_eq!(strut.preload, Coefficient::Value(3.0));
        assert_eq!(strut.stiffness, Characteristic::Linear(Coefficient::Parameter(0)));
        let Element::Spring(cable) = &elements[1] else { panic!("not a spring") };
        assert_eq!(cable.free_length, Coefficient::Value(4.5));
        assert_eq!(cable.stiffness, Characteristic::Table(Table::new(&[[0.0, 0.0], [1.0, 10.0]])));
        assert_eq!(cable.damping, Characteristic::Table(Table::new(&[[0.0, 0.0], [1.0, 20.0]])));
        let Element::JointSpring(bar) = &elements[2] else { panic!("not a joint spring") };
        assert_eq!(bar.free_position, Coefficient::Value(0.5));
        let Element::Bushing(mount) = &elements[3] else { panic!("not a bushing") };
        assert_eq!(mount.axes.column(0), Vec3::z());
        assert_eq!(mount.axes.column(1), Vec3::y());
        assert_eq!(mount.axes.column(2), -Vec3::x());
        assert_eq!(mount.stiffness[1][2], Coefficient::Parameter(0));
        assert_eq!(mount.damping, [[Coefficient::Value(0.0); 3]; 2]);
        let Element::BumpStop(stop) = &elements[4] else { panic!("not a bump stop") };
        assert_eq!((stop.lower, stop.upper), (None, Some(Coefficient::Value(0.3))));
        assert_eq!(stop.law, Law::Power(Coefficient::Value(100.0), Coefficient::Value(1.0)));
        let Element::Force(push) = &elements[5] else { panic!("not a force") };
        assert_eq!((push.point.point, push.axes), (Vec3::new(1.0, 0.0, 0.0), Axes::Body));
    }
}
