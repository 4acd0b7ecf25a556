//! Tests that every kind of table becomes its element.

use super::*;
use ballesta_model::schema::{Axes, Number};
use ballesta_solver::force::bump_stop::Law;
use ballesta_solver::force::{Characteristic, Table};

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
    fn joint_coordinate(&self, _: &str, coordinate: Option<&str>) -> (usize, bool) {
        (0, coordinate != Some("travel"))
    }
    fn origin(&self) -> Vec3 {
        Vec3::zeros()
    }
    fn wheel(&self, _: &str) -> WheelPlace {
        WheelPlace { body: BodyIx(1), centre: Vec3::zeros(), axis: Vec3::y() }
    }
    fn tyre(&self, tyre: &schema::Tyre) -> (Arc<Properties>, Arc<Road>) {
        panic!("no properties of {}", tyre.name)
    }
    fn solid(&self, name: &str) -> &schema::Solid {
        panic!("no solid {name}")
    }
    fn road(&self, name: Option<&str>) -> Arc<Road> {
        panic!("no road {name:?}")
    }
    fn path(&self, name: &str) -> ballesta_solver::math::curve::Curve {
        panic!("no curve {name}")
    }
    fn step(&self) -> f64 {
        1e-3
    }
    fn formula(&self, law: &schema::Expression) -> Vec<ballesta_solver::force::expression::Instruction> {
        panic!("no formula of {}", law.name)
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
    build(&toml::from_str(FILE).expect("the file above fits the schema"), &Names)
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
