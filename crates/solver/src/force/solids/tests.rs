use super::*;
use crate::check::elements::{self, Scene};
use crate::check::numbers::{Random, derivative};
use crate::force::Element;
use crate::math::hull::{self, hull};
use crate::math::scalar::Dual;
use crate::math::spatial::{BodyMotion, Motion};

#[derive(Clone, Copy, Debug, PartialEq)]
enum SolidKind {
    Plane,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    Hull,
}

fn number(value: f64) -> Coefficient {
    Coefficient::Value(value)
}

/// A solid of about the size of a scene.
fn solid(kind: SolidKind, body: usize) -> Solid {
    let faces = |points: &[Vec3]| hull(points).expect("a hull");
    let corners = [[1.2, 0.1, 0.0], [-0.9, 0.8, -0.2], [-0.8, -1.0, 0.1], [0.2, 0.1, 1.4], [0.1, 0.0, -1.1]];
    let form = match kind {
        SolidKind::Plane => Form::Faces(Polytope::half_space(), Some(ContactShape::Plane)),
        SolidKind::Sphere => Form::Round(1.1, 0.0),
        SolidKind::Capsule => Form::Round(1.2, 0.5),
        SolidKind::Box => {
            let half = Vec3::new(1.3, 0.9, 1.1);
            Form::Faces(hull::cuboid(&half).expect("a box"), Some(ContactShape::Box(half)))
        }
        SolidKind::Cylinder => Form::Cylinder(Cylinder { radius: 0.8, half: 0.625 }),
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
    [SolidKind::Plane, SolidKind::Box, SolidKind::Hull, SolidKind::Cylinder, SolidKind::Capsule, SolidKind::Sphere];

fn contact(solids: Vec<Solid>, friction: f64) -> SolidContact {
    let pair = Pair { arm: 0.6, ..Pair::new(&solids, [0, 1]) };
    SolidContact {
        name: "contact".into(),
        solids,
        pairs: vec![pair],
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
                elements::force_is_the_negative_gradient(&element);
            }
            elements::powers_balance(&element);
            elements::dissipates(&element);
            elements::action_equals_reaction(&element);
            elements::independent_of_world_frame(&element);
            elements::independent_of_common_motion(&element);
            elements::independent_of_reference_points(&element);
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
        elements::powers_balance(&element);
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

/// Volume of the common part and its middle by points that fill a cube evenly: the additive recurrence of the plastic
/// number.
fn counted(solids: [&Solid; 2], pose: &(Mat3, Vec3)) -> (f64, Vec3) {
    const COUNT: u32 = 1 << 18;
    const STEPS: [f64; 3] = [0.819_172_513_396_164_5, 0.671_043_606_703_789_3, 0.549_700_477_901_970_3];
    let inside = |solid: &Solid, p: &Vec3| match &solid.form {
        Form::Faces(faces, _) => faces.faces.iter().all(|face| face.normal.dot(p) <= face.offset),
        Form::Cylinder(Cylinder { radius, half }) => p.xy().norm() <= *radius && p.z.abs() <= *half,
        Form::Round(..) => panic!("round"),
    };
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for k in 0..COUNT {
        let p = Vec3::from(STEPS.map(|step| 4.0 * (0.5 + f64::from(k) * step).fract() - 2.0));
        if inside(solids[0], &p) && inside(solids[1], &pose.0.tr_mul(&(p - pose.1))) {
            sum += p;
            count += 1.0;
        }
    }
    (count * 64.0 / f64::from(COUNT), sum / if count > 0.0 { count } else { 1.0 })
}

#[test]
fn what_two_solids_have_in_common_has_the_volume_and_middle_that_points_count() {
    use SolidKind::{Box, Cylinder, Hull, Plane};
    let kinds = [[Box, Hull], [Hull, Cylinder], [Cylinder, Cylinder], [Plane, Cylinder], [Box, Cylinder]];
    let scenes = (0..20).map(|seed| Scene::random(seed).bodies[1]);
    let mut touched = 0;
    for (body, kinds) in scenes.zip(kinds.iter().cycle()) {
        let solids = kinds.map(|kind| solid(kind, 1));
        let pose = (body.rotation, body.position * 0.8);
        let (volume, middle) = counted(solids.each_ref(), &pose);
        let found = contact(solids.to_vec(), 0.0).patch(solids.each_ref(), &pose);
        let Some(found) = found else {
            assert!(volume < 0.02, "{kinds:?}: {volume}");
            continue;
        };
        touched += 1;
        assert!((found.weight - volume).abs() < 0.02 * (1.0 + volume), "{kinds:?}: {} {volume}", found.weight);
        assert!((found.centre - middle).norm() < 0.03, "{kinds:?}: {} {middle}", found.centre);
    }
    assert!(touched > 15, "{touched}");
}

/// A solid of the file's kinds around the middle of its body.
fn centred(form: Form) -> Solid {
    let (place, axes) = (Vec3::zeros(), Mat3::identity());
    Solid { form, place, axes, ..solid(SolidKind::Box, 1) }
}

#[test]
fn a_cylinder_pushes_with_the_closed_formulas_of_its_barrel_and_its_ends() {
    let (radius, half, depth) = (0.3, 0.7, 1e-3);
    let cylinder = || centred(Form::Cylinder(Cylinder { radius, half }));
    let floor = centred(Form::Faces(Polytope::half_space(), Some(ContactShape::Plane)));
    let wide = Vec3::new(3.0, 3.0, 0.5);
    let slab = centred(Form::Faces(hull::cuboid(&wide).expect("a box"), Some(ContactShape::Box(wide))));
    let mut random = Random(3);
    for k in 0..200 {
        // Lying and standing, turned about the vertical and about its own axis, on a plane and on a box.
        let spin = crate::math::rotation::about(&Vec3::z(), 3.0 * random.number());
        let roll = crate::math::rotation::about(&Vec3::z(), 3.0 * random.number());
        let tip = crate::math::rotation::about(&Vec3::x(), if k % 2 == 0 { std::f64::consts::FRAC_PI_2 } else { 0.0 });
        let up = if k % 2 == 0 { radius } else { half } - depth;
        let on_plane = k % 4 < 2;
        let first = if on_plane { &floor } else { &slab };
        let height = if on_plane { up } else { up + wide.z };
        let pose = (spin * tip * roll, Vec3::new(random.number(), random.number(), height));
        let second = cylinder();
        let found =
            contact(vec![first.clone(), second.clone()], 0.0).patch([first, &second], &pose).expect("they touch");
        let expected = if k % 2 == 0 {
            // The segment of a disc with half the angle a, times the length; both depths add to δ.
            let a = (1.0 - depth / radius).acos();
            let area = radius * radius * (a - a.sin() * a.cos());
            let slope = 2.0 * radius * a.sin();
            2.0 * half * 0.5 * (area + depth * slope)
        } else {
            PI * radius * radius * depth
        };
        let off = (found.force - Vec3::z() * expected).norm() / expected;
        assert!(off < 1e-9 && found.moment.norm() < 1e-9 * expected, "{k}: {off:e} {}", found.moment);
        let closed = if k % 2 == 0 { LINE * (2.0 * radius).sqrt() * 2.0 * half * depth.powf(1.5) } else { expected };
        assert!((found.force.z / closed - 1.0).abs() < depth);
    }
}

#[test]
fn parallel_and_crossed_cylinders_push_with_the_closed_formulas_in_any_pose() {
    let (one, two) = (Cylinder { radius: 0.3, half: 0.7 }, Cylinder { radius: 0.2, half: 0.9 });
    let (first, second) = (centred(Form::Cylinder(one)), centred(Form::Cylinder(two)));
    let element = contact(vec![first.clone(), second.clone()], 0.0);
    let depth = 1e-3;
    let mut random = Random(4);
    for k in 0..60 {
        let about = |axis: Vec3, angle: f64| crate::math::rotation::about(&axis, angle);
        let around = about(Vec3::z(), 3.0 * random.number());
        let angle = if k % 3 == 0 { 0.0 } else { 0.4 + random.number().abs() };
        let roll = about(Vec3::z(), 3.0 * random.number());
        let away = if k % 3 == 2 { 1.6 - depth } else { 0.5 - depth };
        // Side by side, crossed, and one on the other's end.
        let (turn, shift) = match k % 3 {
            2 => (roll, around * Vec3::new(0.05, 0.0, away)),
            _ => (around * about(Vec3::x(), angle) * roll, around * Vec3::new(away, 0.0, 0.1)),
        };
        let found = element.patch([&first, &second], &(turn, shift)).expect("they touch");
        let radii = 0.3 * 0.2 / 0.5;
        // Beds under a cylinder of the radius R* with the length of the shorter one; under a paraboloid with the area
        // 2 π δ √(R₁ R₂)/sin, so U = ½ κ δ times half the area times δ.
        let expected = match k % 3 {
            0 => LINE * (2.0 * radii * depth).sqrt() * 1.4 * depth,
            1 => 1.5 * PI * (0.3f64 * 0.2).sqrt() / angle.sin() * depth * depth,
            _ => PI * 0.2 * 0.2 * depth,
        };
        let along = if k % 3 == 2 { Vec3::z() } else { around * Vec3::x() };
        let off = (found.force / expected - along).norm();
        assert!(off < if k % 3 == 2 { 1e-9 } else { 0.02 }, "{k}: {off} {}", found.force / expected);
        // The other way round, and turned about its own axis: the same to rounding.
        let back = (turn.transpose(), -turn.tr_mul(&shift));
        let mirrored =
            contact(vec![second.clone(), first.clone()], 0.0).patch([&second, &first], &back).expect("touch");
        assert!((turn * mirrored.force + found.force).norm() < 1e-9 * expected, "{k}");
        let turned = (about(Vec3::z(), 0.7) * turn, about(Vec3::z(), 0.7) * shift);
        let turned = element.patch([&first, &second], &turned).expect("touch");
        assert!((turned.force - about(Vec3::z(), 0.7) * found.force).norm() < 1e-9 * expected, "{k}");
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
        &Surroundings {
            bodies,
            q,
            v,
            parameters: &parameters,
            inputs: &inputs,
            auxiliary: &auxiliary,
            time: Dual::default(),
        },
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
        // Differences across a corner of the law are excluded: start of sliding, or a change of the nearest face.
        assert!(acted > 5 && close + 2 >= acted, "{kinds:?}: {close} of {acted}");
    }
}
