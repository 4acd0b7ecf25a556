//! A mechanism that grows, and its model file.

use crate::check::Random;
use ballesta::math::rotation::exponential;
use ballesta::math::{Mat3, Vec3};
use std::cell::RefCell;
use std::fmt::Write;

/// A body by its number; `None` is the ground.
pub type Carrier = Option<usize>;

#[derive(Clone)]
pub struct Body {
    pub mass: f64,
    pub com: Vec3,
    pub inertia: [f64; 6],
}

#[derive(Clone)]
pub struct Joint {
    pub kind: &'static str,
    pub bodies: [Carrier; 2],
    pub point: Vec3,
    pub axis: Vec3,
    pub second_axis: Option<Vec3>,
    pub position: Option<Vec<f64>>,
    pub speed: Option<Vec<f64>>,
    pub cut: Option<bool>,
    pub independent: bool,
    /// Part of the tree that was drawn first, so that something may use its coordinates.
    pub tree: bool,
}

#[derive(Clone)]
pub struct Draft {
    seed: u64,
    random: RefCell<Random>,
    pub gravity: Vec3,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    /// The other tables.
    pub tables: String,
    counter: usize,
}

/// Scalar coordinates and numbers of speeds of every kind.
pub fn coordinates(kind: &str) -> &'static [&'static str] {
    match kind {
        "revolute" => &["angle"],
        "prismatic" => &["travel"],
        "cylindrical" => &["travel", "angle"],
        "universal" => &["angle", "second_angle"],
        "planar" => &["x", "y", "angle"],
        "floating" => &["x", "y", "z"],
        _ => &[],
    }
}

fn array(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("[{}]", words.join(", "))
}

pub fn triple(v: &Vec3) -> String {
    array(v.as_slice())
}

pub fn name(carrier: Carrier) -> String {
    carrier.map_or("ground".into(), |body| format!("b{body}"))
}

impl Draft {
    pub fn new(seed: u64) -> Draft {
        let mut draft = Draft {
            seed,
            random: RefCell::new(Random(seed)),
            gravity: Vec3::zeros(),
            bodies: vec![],
            joints: vec![],
            tables: String::new(),
            counter: 0,
        };
        draft.gravity = draft.direction() * 9.81;
        draft
    }

    /// Uniform in −1 … 1.
    pub fn number(&self) -> f64 {
        self.random.borrow_mut().number()
    }

    /// Goes on with the numbers of another draft.
    pub fn continue_from(&self, other: &Draft) {
        self.random.replace(other.random.borrow().clone());
    }

    pub fn between(&self, least: f64, most: f64) -> f64 {
        least + (most - least) * 0.5 * (1.0 + self.number())
    }

    pub fn below(&self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count - 1)
    }

    pub fn chance(&self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    pub fn pick<T: Clone>(&self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// In the cube from −size to size.
    pub fn vector(&self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.number()) * size
    }

    /// Anywhere on the sphere; along an axis of the world now and then, as people draw.
    pub fn direction(&self) -> Vec3 {
        if self.chance(0.1) {
            return self.pick(&[Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()]);
        }
        loop {
            let v = self.vector(1.0);
            if (0.1..1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    /// A direction across another.
    pub fn across(&self, axis: &Vec3) -> Vec3 {
        loop {
            let v = self.direction().cross(axis);
            if v.norm() > 0.2 {
                return v.normalize();
            }
        }
    }

    pub fn rotation(&self) -> Mat3 {
        exponential(&(self.direction() * self.between(0.0, 3.0)))
    }

    /// A body with mass near `place`.
    pub fn body(&mut self, place: &Vec3) -> usize {
        let mass = 10f64.powf(self.between(-1.0, 1.0));
        let com = place + self.vector(0.3);
        let radii = Vec3::from_fn(|_, _| self.between(0.05, 0.3)).map(|r| mass * r * r);
        let r = self.rotation();
        let sum = radii.sum();
        let inertia = r * Mat3::from_diagonal(&radii.map(|part| sum - part)) * r.transpose();
        let inertia = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|at| inertia[at]);
        self.bodies.push(Body { mass, com, inertia });
        self.bodies.len() - 1
    }

    /// A joint; its bodies change places now and then.
    pub fn joint(&mut self, kind: &'static str, bodies: [Carrier; 2], point: Vec3, axis: Vec3, tree: bool) -> usize {
        let swap = kind != "floating" && self.chance(0.4);
        let bodies = if swap { [bodies[1], bodies[0]] } else { bodies };
        let second_axis = matches!(kind, "universal" | "planar").then(|| self.across(&axis));
        let independent = tree && self.chance(0.15);
        // Axes need not be of unit length.
        let axis = if self.chance(0.2) { axis * self.between(0.5, 3.0) } else { axis };
        self.joints.push(Joint {
            kind,
            bodies,
            point,
            axis,
            second_axis,
            position: None,
            speed: None,
            cut: None,
            independent,
            tree,
        });
        self.joints.len() - 1
    }

    /// Speeds of a joint, its only ones that the file gives.
    pub fn set_speed(&mut self, joint: usize) {
        let count = match self.joints[joint].kind {
            "spherical" => 3,
            "floating" => 6,
            kind => coordinates(kind).len(),
        };
        self.joints[joint].speed = (count > 0).then(|| (0..count).map(|_| 1.5 * self.number()).collect());
    }

    /// Positions of a joint away from the design position, up to `size`.
    pub fn set_position(&mut self, joint: usize, size: f64) {
        let kind = self.joints[joint].kind;
        let mut position: Vec<f64> = coordinates(kind).iter().map(|_| size * self.number()).collect();
        if matches!(kind, "spherical" | "floating") {
            let (axis, half) = (self.direction(), 0.5 * size * self.number());
            position.extend([half.cos(), axis.x * half.sin(), axis.y * half.sin(), axis.z * half.sin()]);
        }
        self.joints[joint].position = (!position.is_empty()).then_some(position);
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    /// A table with a name of its own.
    pub fn table(&mut self, table: &str, keys: &[(&str, String)]) -> String {
        let name = self.fresh(&table[..1]);
        write!(self.tables, "\n[[{table}]]\nname = \"{name}\"\n").expect("a text");
        for (key, value) in keys {
            writeln!(self.tables, "{key} = {value}").expect("a text");
        }
        name
    }

    pub fn pair(&self, bodies: [Carrier; 2]) -> String {
        format!("[\"{}\", \"{}\"]", name(bodies[0]), name(bodies[1]))
    }

    /// Any body, the ground sometimes.
    pub fn carrier(&self) -> Carrier {
        let count = self.bodies.len();
        if self.chance(0.2) { None } else { Some(self.below(count)) }
    }

    /// Two different ones.
    pub fn carriers(&self) -> [Carrier; 2] {
        loop {
            let pair = [self.carrier(), self.carrier()];
            if pair[0] != pair[1] {
                return pair;
            }
        }
    }

    pub fn centre(&self, carrier: Carrier) -> Vec3 {
        carrier.map_or(Vec3::zeros(), |body| self.bodies[body].com)
    }

    /// A coordinate of a joint of the tree: joint and coordinate.
    pub fn coordinate(&self) -> Option<(usize, &'static str)> {
        let of = |joint: &Joint| if joint.tree { coordinates(joint.kind) } else { &[] };
        let all: Vec<_> =
            (0..self.joints.len()).flat_map(|k| of(&self.joints[k]).iter().map(move |c| (k, *c))).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    fn coordinate_keys((joint, coordinate): (usize, &str)) -> [(&'static str, String); 2] {
        [("joint", format!("\"j{joint}\"")), ("coordinate", format!("\"{coordinate}\""))]
    }

    pub fn coordinate_table((joint, coordinate): (usize, &str)) -> String {
        format!("{{ joint = \"j{joint}\", coordinate = \"{coordinate}\" }}")
    }

    pub fn spring(&mut self, bodies: [Carrier; 2], points: [Vec3; 2]) {
        let length = (points[1] - points[0]).norm();
        let free = length * self.between(0.8, 1.2);
        let (stiffness, damping, preload) = (self.between(5.0, 200.0), self.between(0.0, 5.0), self.number() * 5.0);
        let points = format!("[{}, {}]", triple(&points[0]), triple(&points[1]));
        let mut keys = vec![("bodies", self.pair(bodies)), ("points", points)];
        keys.extend([("stiffness", stiffness), ("damping", damping)].map(|(key, value)| (key, format!("{value:?}"))));
        if self.chance(0.7) {
            keys.push(("free_length", format!("{free:?}")));
        }
        if self.chance(0.5) {
            keys.push(("preload", format!("{preload:?}")));
        }
        self.table("spring", &keys);
    }

    fn axes(&self) -> (&'static str, String) {
        ("axes", self.pick(&["\"world\"", "\"body\""]).into())
    }

    pub fn force(&mut self, body: usize) {
        let point = self.bodies[body].com + self.vector(0.3);
        let keys = [
            ("body", format!("\"b{body}\"")),
            ("point", triple(&point)),
            ("value", triple(&self.vector(15.0))),
            self.axes(),
        ];
        self.table("force", &keys);
    }

    pub fn torque(&mut self, body: usize) {
        let keys = [("body", format!("\"b{body}\"")), ("value", triple(&self.vector(4.0))), self.axes()];
        self.table("torque", &keys);
    }

    pub fn bushing(&mut self, bodies: [Carrier; 2], point: Vec3) {
        let first = self.direction();
        let second = self.across(&first);
        let six = |size: f64| -> String {
            let values: Vec<f64> =
                (0..6).map(|k| self.between(0.1, 1.0) * size * if k < 3 { 1.0 } else { 0.1 }).collect();
            array(&values)
        };
        let (stiffness, damping, preload) = (six(200.0), six(4.0), six(3.0));
        let mut keys = vec![
            ("bodies", self.pair(bodies)),
            ("point", triple(&point)),
            ("axis", triple(&first)),
            ("second_axis", triple(&second)),
            ("stiffness", stiffness),
            ("damping", damping),
        ];
        if self.chance(0.5) {
            keys.push(("preload", preload));
        }
        self.table("bushing", &keys);
    }

    pub fn joint_spring(&mut self, coordinate: (usize, &str)) {
        let mut keys = Self::coordinate_keys(coordinate).to_vec();
        for (key, size) in [("stiffness", 30.0), ("damping", 2.0), ("free_position", 0.3), ("preload", 1.0)] {
            keys.push((key, format!("{:?}", self.between(0.0, size))));
        }
        self.table("joint_spring", &keys);
    }

    pub fn drive(&mut self, coordinate: (usize, &str)) {
        let mut keys = Self::coordinate_keys(coordinate).to_vec();
        keys.extend([("value", format!("{:?}", 3.0 * self.number())), ("gain", "1.5".into())]);
        self.table("drive", &keys);
    }

    /// A motion from the design position.
    pub fn guide(&mut self, coordinate: (usize, &str)) {
        let mut keys = Self::coordinate_keys(coordinate).to_vec();
        let motion = format!(
            "{{ speed = {:?}, amplitude = {:?}, frequency = {:?} }}",
            0.5 * self.number(),
            0.1 * self.number(),
            self.between(0.5, 3.0)
        );
        keys.push(("motion", motion));
        self.table("guided", &keys);
    }

    pub fn coupler(&mut self, ends: [(usize, &str); 2], ratio: f64) {
        let ends = format!("[{}, {}]", Self::coordinate_table(ends[0]), Self::coordinate_table(ends[1]));
        self.table("coupler", &[("coordinates", ends), ("ratio", format!("{ratio:?}"))]);
    }

    /// Σ ratio · coordinate = 0.
    pub fn sum(&mut self, terms: &[((usize, &str), f64)]) {
        let term = |(end, ratio): &((usize, &str), f64)| {
            Self::coordinate_table(*end).replace(" }", &format!(", ratio = {ratio:?} }}"))
        };
        let terms: Vec<String> = terms.iter().map(term).collect();
        self.table("coupler", &[("coordinates", format!("[{}]", terms.join(", ")))]);
    }

    pub fn rack(&mut self, pinion: (usize, &str), rack: (usize, &str), radius: f64) {
        let keys = [
            ("pinion", Self::coordinate_table(pinion)),
            ("rack", Self::coordinate_table(rack)),
            ("radius", format!("{radius:?}")),
        ];
        self.table("rack_and_pinion", &keys);
    }

    pub fn rod(&mut self, bodies: [Carrier; 2], points: [Vec3; 2], mass: f64) {
        let points = format!("[{}, {}]", triple(&points[0]), triple(&points[1]));
        self.table("rod", &[("bodies", self.pair(bodies)), ("points", points), ("mass", format!("{mass:?}"))]);
    }

    pub fn point_on_line(&mut self, bodies: [Carrier; 2], point: Vec3, axis: Vec3) {
        let keys = [("bodies", self.pair(bodies)), ("point", triple(&point)), ("axis", triple(&axis))];
        self.table("point_on_line", &keys);
    }

    pub fn point_in_plane(&mut self, bodies: [Carrier; 2], point: Vec3, normal: Vec3) {
        let keys = [("bodies", self.pair(bodies)), ("point", triple(&point)), ("normal", triple(&normal))];
        self.table("point_in_plane", &keys);
    }

    /// Forces of all kinds, here and there.
    pub fn add_forces(&mut self) {
        for _ in 0..self.below(3) {
            let bodies = self.carriers();
            let points = bodies.map(|carrier| self.centre(carrier) + self.vector(0.4));
            if (points[1] - points[0]).norm() > 0.2 {
                self.spring(bodies, points);
            }
        }
        for _ in 0..self.below(3) {
            let body = self.below(self.bodies.len());
            if self.chance(0.5) { self.force(body) } else { self.torque(body) }
        }
        if self.chance(0.25) {
            let bodies = self.carriers();
            let point = self.centre(bodies[1]) + self.vector(0.3);
            self.bushing(bodies, point);
        }
        for _ in 0..self.below(3) {
            let Some(coordinate) = self.coordinate() else { return };
            if self.chance(0.6) { self.joint_spring(coordinate) } else { self.drive(coordinate) }
        }
    }

    /// What a force on a massless body needs: one of any kind.
    pub fn load_body(&mut self, body: usize) {
        match self.below(3) {
            0 => self.force(body),
            1 => self.torque(body),
            _ => {
                let point = self.bodies[body].com + self.vector(0.2);
                let other = self.vector(0.5) + Vec3::new(0.0, 0.0, 0.7);
                self.spring([None, Some(body)], [point + other, point]);
            }
        }
    }

    /// The numbers from 0 to `count`, mixed for every second seed: the order of the file decides about tree and
    /// coordinates.
    fn order(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        let key = |k: &usize| (1e9 * Random(self.seed ^ (*k as u64) << 40).number()) as i64;
        if key(&count) > 0 {
            order.sort_by_key(key);
        }
        order
    }

    /// The model file.
    pub fn text(&self, name_of_model: &str, description: &str) -> String {
        let mut text = format!("[model]\nname = \"{name_of_model}\"\ndescription = \"{description}\"\n");
        writeln!(text, "gravity = {}\nstep = 1e-3\n\n[experiment]\nstop = 0.05", triple(&self.gravity))
            .expect("a text");
        for k in self.order(self.bodies.len()) {
            let body = &self.bodies[k];
            write!(text, "\n[[body]]\nname = \"b{k}\"\ncom = {}\n", triple(&body.com)).expect("a text");
            if body.mass > 0.0 {
                writeln!(text, "mass = {:?}\ninertia = {}", body.mass, array(&body.inertia)).expect("a text");
            }
        }
        for k in self.order(self.joints.len()) {
            let joint = &self.joints[k];
            let bodies = self.pair(joint.bodies);
            write!(text, "\n[[joint]]\nname = \"j{k}\"\ntype = \"{}\"\nbodies = {bodies}\n", joint.kind)
                .expect("a text");
            writeln!(text, "point = {}", triple(&joint.point)).expect("a text");
            if !matches!(joint.kind, "spherical" | "floating" | "fixed") {
                writeln!(text, "axis = {}", triple(&joint.axis)).expect("a text");
            }
            if let Some(second) = &joint.second_axis {
                writeln!(text, "second_axis = {}", triple(second)).expect("a text");
            }
            for (key, values) in [("position", &joint.position), ("speed", &joint.speed)] {
                match values.as_deref() {
                    Some([value]) => writeln!(text, "{key} = {value:?}"),
                    Some(values) => writeln!(text, "{key} = {}", array(values)),
                    None => Ok(()),
                }
                .expect("a text");
            }
            if joint.independent {
                writeln!(text, "independent = true").expect("a text");
            }
            if let Some(cut) = joint.cut {
                writeln!(text, "cut = {cut}").expect("a text");
            }
        }
        text + &self.tables
    }
}
