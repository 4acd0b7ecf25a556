use super::*;
use crate::force::Element;
use crate::force::check::{self, Scene};
use crate::math::check::{Random, derivative};
use crate::math::scalar::Dual;
use crate::math::spatial::{BodyMotion, Motion};

fn number(value: f64) -> Coefficient {
    Coefficient::Value(value)
}

/// A solid of about the size of a scene.
fn solid(kind: SolidKind, body: usize) -> Solid {
    let faces = |points: &[Vec3]| hull(points).expect("a hull");
    let corners = [[1.2, 0.1, 0.0], [-0.9, 0.8, -0.2], [-0.8, -1.0, 0.1], [0.2, 0.1, 1.4], [0.1, 0.0, -1.1]];
    let form = match kind {
        SolidKind::Plane => Form::Faces(Polytope::half_space(), Some(Surface::Plane)),
        SolidKind::Sphere => Form::Round(1.1, 0.0),
        SolidKind::Capsule => Form::Round(1.2, 0.5),
        SolidKind::Box => {
            let half = Vec3::new(1.3, 0.9, 1.1);
            Form::Faces(hull::cuboid(&half).expect("a box"), Some(Surface::Box(half)))
        }
        SolidKind::Cylinder => {
            Form::Faces(hull::prism(8, 0.8, 0.6).expect("a prism"), Some(Surface::Cylinder(0.8, 0.6)))
        }
        SolidKind::Hull => Form::Faces(faces(&corners.map(|corner| Vec3::from(corner) * 1.3)), None),
    };
    let plane = kind == SolidKind::Plane;
    Solid {
        name: String::new(),
        body: BodyIx(body),
        place: Vec3::new(0.1, 0.2 * body as f64, -0.2),
        axes: crate::math::rotation::about(&Vec3::new(0.6, 0.0, 0.8), 0.7 * body as f64),
        form,
        belt: None,
        reach: if plane { f64::INFINITY } else { 2.0 },
        thickness: 1.0,
    }
}

const KINDS: [SolidKind; 6] =
    [SolidKind::Plane, SolidKind::Box, SolidKind::Cylinder, SolidKind::Hull, SolidKind::Capsule, SolidKind::Sphere];

fn contact(solids: Vec<Solid>, friction: f64) -> SolidContact {
    SolidContact {
        name: "contact".into(),
        solids,
        pairs: vec![Pair { solids: [0, 1], arm: 0.6 }],
        stiffness: number(20.0),
        speed: 1.0,
        loss: 0.3,
        friction: number(friction),
        tangential: 3.0,
        time: 0.05,
        rolling: 0.1 * friction,
        spinning: 0.05 * friction,
        first: 0,
    }
}

/// Every pair of kinds.
fn pairs() -> impl Iterator<Item = [SolidKind; 2]> {
    let of = |(k, first): (usize, SolidKind)| KINDS[usize::max(k, 1)..].iter().map(move |second| [first, *second]);
    KINDS.into_iter().enumerate().flat_map(of)
}

#[test]
fn force_is_the_negative_gradient_and_powers_balance_for_every_pair_with_faces() {
    assert_eq!(pairs().count(), 20);
    claims_hold(|second| !matches!(second, SolidKind::Capsule | SolidKind::Sphere));
}

#[test]
fn force_is_the_negative_gradient_and_powers_balance_for_every_pair_with_a_round_solid() {
    claims_hold(|second| matches!(second, SolidKind::Capsule | SolidKind::Sphere));
}

fn claims_hold(of_second: impl Fn(SolidKind) -> bool) {
    for kinds in pairs().filter(|kinds| of_second(kinds[1])) {
        for friction in [0.0, 0.4] {
            println!("{kinds:?} {friction}");
            let solids = vec![solid(kinds[0], 1), solid(kinds[1], 2)];
            let element = Element::SolidContact(Box::new(contact(solids, friction)));
            if friction == 0.0 {
                check::force_is_the_negative_gradient(&element);
            }
            check::powers_balance(&element);
            check::dissipates(&element);
            check::action_equals_reaction(&element);
            check::independent_of_world_frame(&element);
            check::independent_of_common_motion(&element);
            check::independent_of_reference_points(&element);
        }
    }
}

#[test]
fn a_moving_surface_does_the_work_that_it_takes() {
    for kinds in [[SolidKind::Plane, SolidKind::Box], [SolidKind::Box, SolidKind::Sphere]] {
        let mut solids = vec![solid(kinds[0], 1), solid(kinds[1], 2)];
        solids[0].belt = Some([0.7, -0.4, 0.2].map(number));
        solids[1].belt = Some([Coefficient::Input(1), number(0.0), number(0.3)]);
        let element = Element::SolidContact(Box::new(contact(solids, 0.4)));
        check::powers_balance(&element);
        let worked = (0..20).any(|seed| Scene::random(seed).loads(&element).input_power.abs() > 1e-2);
        assert!(worked);
    }
}

#[test]
fn a_hull_has_the_faces_of_its_points_and_those_inside_do_not_count() {
    let mut points = hull::cuboid(&Vec3::new(0.5, 1.0, 2.0)).expect("a box").corners;
    points.extend([Vec3::new(0.5, 0.0, 0.3), Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.1, 0.2, 0.3)]);
    let found = hull(&points).expect("a box");
    assert_eq!((found.corners.len(), found.edges.len(), found.faces.len()), (8, 12, 6));
    assert_eq!(found.thickness(), 1.0);
    let prism = hull::prism(hull::SIDES, 0.3, 0.5).expect("a prism");
    assert_eq!((prism.corners.len(), prism.edges.len(), prism.faces.len()), (64, 96, 34));
    // Sizes that overflow or vanish when they are squared, and thin ones.
    for half in [Vec3::repeat(1e200), Vec3::repeat(1e-200), Vec3::new(1.0, 1.0, 1e-30)] {
        assert_eq!(hull::cuboid(&half).expect("a box").thickness(), 2.0 * half.z);
    }
    let flat = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 3.0]].map(|[x, y]| Vec3::new(x, y, x - y));
    assert!(hull(&flat).is_none());
    // On a sphere every point is a corner.
    let mut random = Random(5);
    let vector = |random: &mut Random| Vec3::new(random.number(), random.number(), random.number());
    for _ in 0..30 {
        let points: Vec<Vec3> = (0..20).map(|_| vector(&mut random).normalize()).collect();
        let found = hull(&points).expect("a hull");
        assert_eq!((found.corners.len(), found.edges.len(), found.faces.len()), (20, 54, 36));
        // The nearest point of the surface is on it, and no other one is nearer.
        for _ in 0..200 {
            let p = vector(&mut random) * 1.5;
            let (distance, normal) = found.nearest(&p);
            assert!(found.nearest(&(p - normal * distance)).0.abs() < 1e-13 && (normal.norm() - 1.0).abs() < 1e-13);
            let step = vector(&mut random) * 0.3;
            assert!((found.nearest(&(p + step)).0 - distance).abs() <= step.norm() + 1e-13);
        }
    }
}

/// Volume of the common part and its middle by points on a grid.
fn counted(first: &Polytope, second: &Polytope, pose: &(Mat3, Vec3)) -> (f64, Vec3) {
    const CELLS: i32 = 64;
    let inside = |solid: &Polytope, p: &Vec3| solid.faces.iter().all(|face| face.normal.dot(p) <= face.offset);
    let (cell, mut sum, mut count) = (4.0 / f64::from(CELLS), Vec3::zeros(), 0.0);
    for (x, y) in (0..CELLS).flat_map(|x| (0..CELLS).map(move |y| (x, y))) {
        for z in 0..CELLS {
            let p = [x, y, z].map(|k| (f64::from(k) + 0.5) * cell - 2.0);
            let p = Vec3::from(p);
            if inside(first, &p) && inside(second, &pose.0.tr_mul(&(p - pose.1))) {
                sum += p;
                count += 1.0;
            }
        }
    }
    (count * cell * cell * cell, sum / (if count > 0.0 { count } else { 1.0 }))
}

#[test]
fn what_two_solids_have_in_common_has_the_volume_and_middle_that_points_count() {
    let faces = |kind| match solid(kind, 1).form {
        Form::Faces(faces, _) => faces,
        Form::Round(..) => panic!("round"),
    };
    let scenes = (0..6).map(|seed| Scene::random(seed).bodies[1]);
    let kinds = [[SolidKind::Box, SolidKind::Hull], [SolidKind::Hull, SolidKind::Cylinder]];
    for (body, kinds) in scenes.zip(kinds.iter().cycle()) {
        let [first, second] = kinds.map(faces);
        let pose = (body.rotation, body.position * 0.8);
        let (volume, middle) = counted(&first, &second, &pose);
        let found = first.overlap(&second, &pose).expect("they overlap");
        assert!((found.volume - volume).abs() < 0.02 * (1.0 + volume), "{} {volume}", found.volume);
        assert!((found.centre - middle).norm() < 0.03, "{} {middle}", found.centre);
    }
}

#[test]
fn equal_boxes_with_faces_and_edges_in_line_push_with_pressure_times_area_in_any_pose() {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let cuboid = hull::cuboid(&half).expect("a box");
    let mut random = Random(11);
    for k in 0..2000 {
        // Aligned, and turned by what rounding leaves.
        let depth = 1e-4 * (1.0 + random.number().abs());
        let turn = crate::math::rotation::about(&Vec3::z(), if k % 2 == 0 { 0.0 } else { std::f64::consts::PI });
        let wobble = crate::math::rotation::about(&Vec3::new(0.6, 0.0, 0.8), 1e-16 * random.number());
        let found = cuboid.overlap(&cuboid, &(turn * wobble, Vec3::new(0.0, 0.0, 0.6 - depth))).expect("they touch");
        let area = 0.8;
        assert!((found.volume / (area * depth) - 1.0).abs() < 1e-11, "{k}: {}", found.volume / (area * depth));
        assert!((found.force.z / (area * depth) - 1.0).abs() < 1e-11);
        let drift = found.force.xy().norm() / found.force.z;
        assert!(drift < 1e-3 && found.moment.norm() < 1e-3 * found.force.z, "{k}: {drift}");
    }
}

/// Wrenches and rates of an element, with their derivatives along the motion of the scene.
fn with_derivatives(element: &Element, scene: &Scene) -> Vec<Dual<1>> {
    let dual = |value: f64, slope: f64| Dual::new(value, [slope]);
    let vector = |v: &Vec3, rate: &Vec3| Vec3::from([0, 1, 2].map(|k| dual(v[k], rate[k])));
    let bodies: Vec<BodyMotion<Dual<1>>> = scene
        .bodies
        .iter()
        .map(|body| {
            let columns = [0, 1, 2].map(|k| body.rotation.column(k).into_owned());
            let columns = columns.map(|column| vector(&column, &body.velocity.ang.cross(&column)));
            BodyMotion {
                rotation: Mat3::from_columns(&columns),
                position: vector(&body.position, &body.velocity.at(&body.position)),
                reference: lift(&body.reference),
                velocity: Motion { lin: lift(&body.velocity.lin), ang: lift(&body.velocity.ang) },
            }
        })
        .collect();
    let constants = |values: &[f64]| values.iter().map(|value| dual(*value, 0.0)).collect::<Vec<_>>();
    let [q, v, parameters, inputs, auxiliary] =
        [&scene.q, &scene.v, &scene.parameters, &scene.inputs, &scene.auxiliary].map(|values| constants(values));
    let mut wrenches = vec![Wrench::zero(); bodies.len()];
    let (mut efforts, mut rates) = (vec![dual(0.0, 0.0); v.len()], vec![dual(0.0, 0.0); auxiliary.len()]);
    let zero = dual(0.0, 0.0);
    let mut loads = Loads {
        wrenches: &mut wrenches,
        efforts: &mut efforts,
        dissipated_power: zero,
        input_power: zero,
        rates: &mut rates,
        patches: &mut [],
    };
    let (bodies, q, v) = (&bodies[..], &q[..], &v[..]);
    element.add_loads(
        &Surroundings { bodies, q, v, parameters: &parameters, inputs: &inputs, auxiliary: &auxiliary },
        &mut loads,
    );
    wrenches.iter().flat_map(|wrench| wrench.six()).chain(rates).collect()
}

#[test]
fn derivatives_are_those_of_the_loads_for_every_pair_of_kinds() {
    for kinds in pairs() {
        let solids = vec![solid(kinds[0], 1), solid(kinds[1], 2)];
        let element = Element::SolidContact(Box::new(contact(solids, 0.4)));
        let (mut acted, mut close) = (0, 0);
        for seed in 0..30 {
            let scene = Scene::random(seed);
            let found = with_derivatives(&element, &scene);
            let expected = derivative(|dt| {
                let loads = scene.moved(dt).loads(&element);
                loads.wrenches.iter().flat_map(|wrench| wrench.six()).chain(loads.rates).collect()
            });
            let size = found.iter().map(|dual| dual.slopes[0].abs()).fold(0.0, larger);
            let off = found.iter().zip(&expected).map(|(dual, slope)| (dual.slopes[0] - slope).abs()).fold(0.0, larger);
            acted += u64::from(size > 0.0);
            close += u64::from(size > 0.0 && off < 1e-5 * (1.0 + size));
        }
        // Differences across a corner of the law, where something begins to slide or another face is nearest, are none.
        assert!(acted > 5 && close + 2 >= acted, "{kinds:?}: {close} of {acted}");
    }
}
