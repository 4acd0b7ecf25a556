//! Mechanisms that cannot be built are rejected with the names of their parts.

use ballesta_solver::assembly::AssemblyCause;
use ballesta_solver::force::{Characteristic, Coefficient, CoordinateIx, Element, JointSpring, Quantity};
use ballesta_solver::joint::JointKind;
use ballesta_solver::math::Vec3;
use ballesta_solver::mechanism::{
    BodyRef, BuildError, ConnectionKind, Defect, Driven, Joint, JointRef, Mechanism, Reading,
};
use ballesta_solver::system::{Guide, Integrator, Readout};

/// Two links between the ground at 0 and at `reach`, hinged at 0, 1 and 2 m.
fn links(reach: f64) -> (Mechanism, [BodyRef; 2]) {
    let mut mechanism = Mechanism::default();
    let [first, second] = [("first", 0.5), ("second", 1.5)]
        .map(|(name, x)| mechanism.add_body(name, 1.0, Vec3::new(x, 0.0, 0.0), [0.1; 3]));
    for (name, bodies, x) in
        [("a", [BodyRef::Ground, first], 0.0), ("b", [first, second], 1.0), ("c", [second, BodyRef::Ground], reach)]
    {
        mechanism.add_joint(Joint::revolute(name, bodies, Vec3::new(x, 0.0, 0.0), Vec3::y()));
    }
    (mechanism, [first, second])
}

fn text_of(mechanism: Mechanism) -> String {
    mechanism.layout().err().expect("it is rejected").to_string()
}

#[test]
fn a_body_without_a_joint_is_not_connected() {
    let (mut mechanism, _) = links(2.0);
    let loose = mechanism.add_body("loose", 1.0, Vec3::zeros(), [0.1; 3]);
    let invalid = mechanism.layout().err().expect("it is rejected");
    assert_eq!(invalid.defects, [Defect::NotConnected(loose)]);
    assert!(invalid.to_string().contains("`loose` is not connected"), "{invalid}");
}

#[test]
fn a_loop_whose_joints_are_all_driven_cannot_be_opened() {
    let (mut mechanism, _) = links(2.0);
    for joint in [0, 1, 2].map(JointRef) {
        let guide = Guide::SpinUp { speed: 1.0, time: 1.0 };
        mechanism.driven.push(Driven { name: "motor".into(), coordinate: joint.coordinate(0), guide });
    }
    let text = text_of(mechanism);
    assert!(text.contains("must be cut"), "{text}");
}

#[test]
fn a_floating_joint_begins_at_the_body_nearer_to_the_ground() {
    let mut mechanism = Mechanism::default();
    let body = mechanism.add_body("ship", 1.0, Vec3::zeros(), [0.1; 3]);
    mechanism.add_joint(Joint::new("free", JointKind::Floating, [body, BodyRef::Ground]));
    let text = text_of(mechanism);
    assert!(text.contains("`free` must have the body nearer to the ground first"), "{text}");
}

#[test]
fn references_and_numbers_are_checked() {
    let check = |change: fn(&mut Mechanism), expected: &str| {
        let (mut mechanism, _) = links(2.0);
        change(&mut mechanism);
        let text = text_of(mechanism);
        assert!(text.contains(expected), "{text}");
    };
    check(|m| m.joints[1].bodies[0] = BodyRef::Rigid(7), "joint `b` refers to a body that does not exist");
    check(|m| m.joints[1].axis = None, "joint `b` has no axis");
    check(|m| m.joints[1].axis = Some(Vec3::zeros()), "joint `b` has an axis without direction");
    check(|m| m.joints[1].speed = vec![1.0, 2.0], "joint `b` has more start values than coordinates");
    check(|m| m.joints[1].kind = JointKind::AlongCurve, "joint `b` has no curve");
    check(|m| m.bodies[0].mass = -1.0, "body `first` has a negative mass");
    check(|m| m.bodies[0].mass = f64::NAN, "body `first` has a number that is not finite");
    check(|m| m.bodies[0].inertia[(0, 0)] = 9.0, "body `first` has an inertia that no mass distribution has");
    check(|m| m.bodies[0].inertia[(0, 1)] = 0.01, "body `first` has an inertia that no mass distribution has");
    check(|m| m.joints[1].position = vec![f64::NAN], "joint `b` has a start value that is not finite");
    check(|m| m.joints[1].bodies[0] = m.joints[1].bodies[1], "joint `b` connects a body to itself");
    check(|m| m.joints[1].kind = JointKind::Universal, "joint `b` has no second axis");
    check(
        |m| (m.joints[1].kind, m.joints[1].second_axis) = (JointKind::Universal, Some(Vec3::new(1.0, 1.0, 0.0))),
        "joint `b` has axes that are not perpendicular",
    );
    check(
        |m| (m.joints[1].kind, m.joints[1].position) = (JointKind::Spherical, vec![0.0; 4]),
        "joint `b` has a start value that is not a quaternion",
    );
    check(|m| m.step = 0.0, "a step that is not positive");
    check(|m| m.start_time = f64::NAN, "a start time that is not finite");
    check(|m| m.spectral_radius = 2.0, "a spectral radius outside of 0 to 1");
    check(|m| m.step_halvings = 100, "halves its steps too often");
    check(|m| m.augmented.max_iterations = 0, "settings of the augmented Lagrangian");
    check(|m| m.integrator = Integrator::Exponential, "accepts only flexible bodies");
    let drive = |m: &mut Mechanism, guide: Guide| {
        m.driven.push(Driven { name: "motor".into(), coordinate: JointRef(0).coordinate(0), guide });
    };
    let (mut mechanism, _) = links(2.0);
    drive(&mut mechanism, Guide::Inputs { index: [0, 1, 2], gain: 1.0 });
    drive(&mut mechanism, Guide::SpinUp { speed: 1.0, time: 1.0 });
    let text = text_of(mechanism);
    assert!(text.contains("`motor` has numbers or inputs that are not valid"), "{text}");
    assert!(text.contains("`motor` is driven twice"), "{text}");
    let (mut mechanism, [first, _]) = links(2.0);
    let (bodies, points) = ([BodyRef::Ground, first], [Vec3::zeros(); 2]);
    mechanism.add_connection("rod", ConnectionKind::Rod { bodies, points, mass: 0.0 });
    let text = text_of(mechanism);
    assert!(text.contains("connection `rod` has no length"), "{text}");
    let coupler = |joint: usize| ConnectionKind::Coupler {
        terms: vec![(JointRef(joint).coordinate(0), 1.0)],
        offset: 0.0,
        laws: Vec::new(),
        balanced: false,
    };
    let (mut mechanism, _) = links(2.0);
    mechanism.add_connection("gear", coupler(9));
    let text = text_of(mechanism);
    assert!(text.contains("connection `gear` refers to a coordinate that does not exist"), "{text}");
}

#[test]
fn couplers_that_contradict_each_other_remain_open() {
    let mut mechanism = Mechanism::default();
    let mut before = BodyRef::Ground;
    let joints = ["first", "second"].map(|name| {
        let body = mechanism.add_body(name, 1.0, Vec3::zeros(), [0.1; 3]);
        let first = std::mem::replace(&mut before, body);
        mechanism.add_joint(Joint::revolute(name, [first, body], Vec3::zeros(), Vec3::y()))
    });
    for (name, offset) in [("equal", 0.0), ("apart", 0.3)] {
        let terms = vec![(joints[0].coordinate(0), -1.0), (joints[1].coordinate(0), 1.0)];
        mechanism.add_connection(name, ConnectionKind::Coupler { terms, offset, laws: Vec::new(), balanced: false });
    }
    let layout = mechanism.layout().unwrap_or_else(|invalid| panic!("{invalid}"));
    let error = layout.build(Vec::new(), Vec::new()).err().expect("it is rejected");
    let BuildError::NotAssembled(inner) = &error else { panic!("{error}") };
    let AssemblyCause::Open(open) = &inner.cause else { panic!("{error}") };
    assert_eq!(open.iter().map(|(constraint, _)| *constraint).collect::<Vec<_>>(), [0, 1]);
    assert!(error.to_string().contains("`apart` cannot be assembled: a gap of 1.5"), "{error}");
}

#[test]
fn massless_motions_are_named() {
    let mut mechanism = Mechanism::default();
    let body = mechanism.add_body("ghost", 0.0, Vec3::zeros(), [0.0; 3]);
    mechanism.add_joint(Joint::revolute("hinge", [BodyRef::Ground, body], Vec3::zeros(), Vec3::y()));
    let layout = mechanism.layout().unwrap_or_else(|invalid| panic!("{invalid}"));
    let error = layout.build(Vec::new(), Vec::new()).err().expect("it has no inertia");
    let BuildError::NotAssembled(inner) = &error else { panic!("{error}") };
    assert!(matches!(inner.cause, AssemblyCause::Start(_)), "{error:?}");
    assert!(error.to_string().contains("`hinge` has no inertia"), "{error}");
}

/// A step neither panics nor reads the wrong part.
#[test]
fn elements_and_outputs_refer_to_parts_that_exist() {
    let built = |place: usize, stiffness: Coefficient, output: Readout, component: usize| {
        let (mechanism, _) = links(2.0);
        let layout = mechanism.layout().unwrap_or_else(|invalid| panic!("{invalid}"));
        let spring = JointSpring {
            name: "spring".into(),
            coordinate: CoordinateIx { position: place, velocity: place },
            stiffness: Characteristic::Linear(stiffness),
            damping: Characteristic::Linear(Coefficient::Value(0.0)),
            free_position: Coefficient::Value(0.0),
            preload: Coefficient::Value(0.0),
        };
        let reading = Reading::new("angle", "rad", output, component);
        layout.build(vec![Element::JointSpring(spring)], vec![reading]).err().map(|error| error.to_string())
    };
    let (unit, angle) = (Coefficient::Value(1.0), Readout::Position(0));
    assert_eq!(built(0, unit, angle.clone(), 0), None);
    let element = "force element 0 has a body, coordinate, input, parameter or number that is not valid";
    for (place, stiffness) in
        [(9, unit), (0, Coefficient::Input(0)), (0, Coefficient::Parameter(3)), (0, Coefficient::Value(f64::NAN))]
    {
        assert_eq!(built(place, stiffness, angle.clone(), 0).as_deref(), Some(element));
    }
    for (output, component) in
        [(Readout::Position(9), 0), (Readout::Element { element: 1, quantity: Quantity::Force }, 0), (angle, 4)]
    {
        let found = built(0, unit, output, component);
        assert_eq!(found.as_deref(), Some("output `angle` reads something that does not exist"));
    }
}
