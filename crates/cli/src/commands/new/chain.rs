//! `ballesta new --adjacency`: a model from the adjacency matrix of a planar chain.
//!
//! The model has one body per moving link, one joint per pair and one prescribed motion per input. The positions of the
//! pairs are parameters. A lower pair is a revolute or prismatic joint. A higher pair is a pin of the second link on a
//! closed curve of the first, or a gear pair. A gear pair is a coupler; if an input moves it, a planar joint measures
//! its angle. Springs replace missing inputs. Surplus inputs are omitted and listed.

use super::chain_layout::{ChainProblem, Gear, Handle, Layout, handles, is_higher};
use crate::text;
use ballesta::compile;
use ballesta::document::{self, Diagnostics};
use ballesta::math::elementary::sin_cos;
use ballesta::model::schema::{
    Body, CoupledCoordinate, Coupler, Curve, Experiment, General, Guided, Joint, JointKind, JointSpring, Model, Motion,
    Output, Parameter, Place, Quantity, numbers,
};
use ballesta::simulate::Simulator;
use ballesta::topology::groups::{Adjacency, analyse};
use ballesta_files::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_run::adjacency::{self, AdjacencyFile, Chain};
use std::path::Path;
use std::sync::Arc;

/// Radius of the curves of higher pairs, in m.
const CURVE: f64 = 0.5;
/// Points of such a curve.
const CURVE_POINTS: usize = 8;
/// Stiffness (N m/rad or N/m) and damping (N m s/rad or N s/m) of springs that replace missing inputs.
const STIFFNESS: f64 = 200.0;
const DAMPING: f64 = 10.0;
/// Stop time of the experiment in s: one period of the inputs.
const STOP: f64 = 2.0;
/// Number of reductions of the amplitudes before a chain is rejected.
const HALVINGS: usize = 6;

/// Text of the model of the chain in `file`, with prismatic joints at the pairs `prismatic` and gear wheels at the
/// pairs `gears`.
pub fn model(file: &Path, prismatic: &[String], gears: &[String]) -> Result<String, Failure> {
    let bytes = ballesta::document::file::read(file).map_err(|error| Failure::file("read", file, error))?;
    let chain = adjacency::load(file).map_err(|wrong| kind::refused(file, Kind::Adjacency, wrong))?;
    let source = document::read::<AdjacencyFile>(&String::from_utf8_lossy(&bytes), &file.display().to_string())?.source;
    let refuse =
        |found: &str, right: &str| Err(Failure::Input(Diagnostics(vec![source.at("adjacency.matrix", found, right)])));
    let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
    let structure = analyse(&adjacency);
    let prismatic = sliders(prismatic, &chain, &adjacency)?;
    let gears = wheels(gears, &chain, &adjacency, &prismatic)?;
    let handles = handles(&adjacency, &structure, &prismatic);
    if let Some(handle) = handles.iter().find(|handle| handle.slides && gears.iter().any(|g| g.pair == handle.pair)) {
        let [a, b] = adjacency.pairs[handle.pair].links.map(|link| &chain.links[link]);
        let why = format!("--gear {a},{b}: a gear pair has one input, its angle; the chain needs two inputs there");
        return Err(Failure::Usage(why));
    }
    let lacking: usize = structure.groups.iter().map(|group| group.lacking()).sum();
    if lacking > handles.iter().filter(|handle| handle.spring).count() {
        return refuse(
            "inputs at all pairs do not determine the positions of the links",
            "expected pairs that connect every link to the ground; `ballesta groups` lists the free links",
        );
    }
    let question = ChainProblem { adjacency: &adjacency, prismatic: &prismatic, handles: &handles, gears: &gears };
    let Some(mut layout) = question.place() else {
        return refuse(
            "the chain is singular in every position that was tested, although its counted mobility is sufficient",
            "expected other prismatic pairs: links of a loop rotate only if the loop has revolute joints",
        );
    };
    if !layout.kept.contains(&true) {
        return refuse(
            "the chain cannot move with any dimensions, including parallel cranks",
            "expected a chain with mobility; `ballesta groups` shows the overconstrained groups",
        );
    }
    // The amplitudes are for small motions; large ones may end in a singular position.
    for _ in 0..HALVINGS {
        let text = Writer { question: &question, chain: &chain, layout: &layout }.model();
        if runs(&text) {
            return Ok(text);
        }
        layout.amplitudes.iter_mut().for_each(|amplitude| *amplitude *= 0.5);
    }
    refuse(
        "the chain reaches a singular position even with small input amplitudes",
        "expected another choice of inputs or prismatic pairs",
    )
}

/// Whether a model runs for one period of its inputs.
fn runs(text: &str) -> bool {
    let Ok(document) = ballesta::model::parse(text, "model.toml") else { return false };
    let Ok(system) = compile::compile(&document, &document.model.parameter_values()) else { return false };
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(0.0).is_ok() && simulator.advance(STOP).is_ok()
}

/// The pair between two named links, and these links.
fn pair_between(option: &str, names: [&str; 2], chain: &Chain, adjacency: &Adjacency) -> Result<[usize; 3], Failure> {
    let refuse = |why: String| Failure::Usage(format!("{option}: {why}"));
    let find = |name: &str| {
        chain.links.iter().position(|link| link == name.trim()).ok_or_else(|| {
            let near = text::nearest(name.trim(), chain.links.iter().map(String::as_str));
            let hint = near.map_or(format!("expected one of {}", chain.links.join(", ")), |near| {
                format!("did you mean `{near}`?")
            });
            refuse(format!("unknown link `{}`; {hint}", name.trim()))
        })
    };
    let (a, b) = (find(names[0])?, find(names[1])?);
    let found = adjacency.pairs.iter().position(|pair| pair.links == [a.min(b), a.max(b)]);
    Ok([found.ok_or_else(|| refuse("there is no pair between these links".into()))?, a, b])
}

/// Prismatic pairs.
fn sliders(typed: &[String], chain: &Chain, adjacency: &Adjacency) -> Result<Vec<bool>, Failure> {
    let mut prismatic = vec![false; adjacency.pairs.len()];
    for words in typed {
        let option = format!("--prismatic {words}");
        let Some((a, b)) = words.split_once(',') else {
            return Err(Failure::Usage(format!("{option}: expected two links, such as crank,slider")));
        };
        let [pair, ..] = pair_between(&option, [a, b], chain, adjacency)?;
        if is_higher(&adjacency.pairs[pair]) {
            return Err(Failure::Usage(format!("{option}: found a higher pair; expected a lower pair")));
        }
        prismatic[pair] = true;
    }
    Ok(prismatic)
}

/// Gear pairs.
fn wheels(typed: &[String], chain: &Chain, adjacency: &Adjacency, slides: &[bool]) -> Result<Vec<Gear>, Failure> {
    let gear = |words: &String| {
        let option = format!("--gear {words}");
        let refuse = |why: &str| Failure::Usage(format!("{option}: {why}"));
        let parts: Vec<&str> = words.split(',').collect();
        let teeth = |text: &str| text.trim().parse::<i32>().ok().filter(|teeth| *teeth != 0).map(f64::from);
        let [a, b, of_a, of_b] = parts[..] else {
            return Err(refuse("expected two links and their numbers of teeth, such as sun,planet,24,18"));
        };
        let (Some(of_a), Some(of_b)) = (teeth(of_a), teeth(of_b)) else {
            return Err(refuse("expected whole numbers of teeth other than 0, negative for a ring gear"));
        };
        let [pair, first, second] = pair_between(&option, [a, b], chain, adjacency)?;
        if !is_higher(&adjacency.pairs[pair]) {
            return Err(refuse("found a lower pair; a gear pair is a higher pair"));
        }
        if of_a + of_b == 0.0 {
            return Err(refuse("a ring gear must have more teeth than the wheel inside it"));
        }
        let teeth = if first < second { [of_a, of_b] } else { [of_b, of_a] };
        Gear::find(adjacency, slides, pair, teeth)
            .ok_or_else(|| refuse("no link is connected to both wheels by revolute pairs"))
    };
    typed.iter().map(gear).collect()
}

struct Writer<'a> {
    chain: &'a Chain,
    question: &'a ChainProblem<'a>,
    layout: &'a Layout,
}

/// A name with letters, digits and `_` that starts with a letter.
fn tidy(name: &str) -> String {
    let name: String = name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("link_{name}") }
}

/// The number without round-off digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

fn parameter(name: String, value: f64, unit: &str) -> Parameter {
    Parameter { unit: Some(unit.into()), ..Parameter::new(name, rounded(value) + 0.0) }
}

impl Writer<'_> {
    /// Names of the bodies by link.
    fn bodies(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (link, name) in self.chain.links.iter().enumerate() {
            let wanted = if link == self.question.adjacency.ground { "ground".to_string() } else { tidy(name) };
            // Two names may differ only in special characters, and a moving link may be called ground.
            let taken =
                |name: &String| names.contains(name) || (name == "ground" && link != self.question.adjacency.ground);
            let numbered = (2..).map(|number| format!("{wanted}_{number}"));
            let name = std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken(name));
            names.push(name.unwrap_or(wanted));
        }
        names
    }

    /// Name of a pair, its joint and its position.
    fn joint(&self, pair: usize, bodies: &[String]) -> String {
        let [a, b] = self.question.adjacency.pairs[pair].links;
        format!("{}_{}", bodies[a], bodies[b])
    }

    /// Name of a handle: the name of its joint, for a higher pair with the coordinate.
    fn handle(&self, handle: &Handle, bodies: &[String]) -> String {
        let joint = self.joint(handle.pair, bodies);
        match (is_higher(&self.question.adjacency.pairs[handle.pair]), handle.slides) {
            (false, _) => joint,
            (true, slides) => format!("{joint}.{}", if slides { "travel" } else { "angle" }),
        }
    }

    /// Every kept handle with its name, coordinate and amplitude.
    fn kept<'a>(&'a self, bodies: &'a [String]) -> impl Iterator<Item = (&'a Handle, String, &'static str, f64)> + 'a {
        let kept = self.question.handles.iter().zip(&self.layout.kept).zip(&self.layout.amplitudes);
        kept.filter(|((_, kept), _)| **kept).map(|((handle, _), amplitude)| {
            let coordinate = if handle.slides { "travel" } else { "angle" };
            (handle, self.handle(handle, bodies), coordinate, *amplitude)
        })
    }

    /// The wheels at a pair.
    fn gear(&self, pair: usize) -> Option<&Gear> {
        self.question.gears.iter().find(|gear| gear.pair == pair)
    }

    /// Pairs and ratios of the coupler of two wheels. If the relative angle of the wheels has a handle, it replaces the
    /// angle of the second wheel on its carrier, so that the joint there can be cut.
    fn mesh(&self, gear: &Gear) -> Vec<(usize, f64)> {
        let ([a, b], [of_a, of_b]) = (&gear.angles, gear.teeth);
        let weighted = |angles: &[(usize, f64)], teeth: f64| -> Vec<(usize, f64)> {
            angles.iter().map(|(pair, sign)| (*pair, sign * teeth)).collect()
        };
        if self.question.handles.iter().any(|handle| handle.pair == gear.pair) {
            return [weighted(a, of_a + of_b), vec![(gear.pair, of_b)]].concat();
        }
        [weighted(a, of_a), weighted(b, of_b)].concat()
    }

    /// For every pair, whether its pin needs a massless body. Another joint of each of its loops must be available as a
    /// cut joint; curves and joints whose coordinates are used are not available.
    fn divided(&self) -> Vec<bool> {
        let mut part: Vec<usize> = (0..self.question.adjacency.links).collect();
        let handles = self.question.handles.iter().zip(&self.layout.kept).filter(|(_, kept)| **kept);
        let meshed = self.question.gears.iter().flat_map(|gear| self.mesh(gear)).map(|(pair, _)| pair);
        let used: Vec<usize> = handles.map(|(handle, _)| handle.pair).chain(meshed).collect();
        let mut divided = vec![false; self.question.adjacency.pairs.len()];
        for is_used in [true, false] {
            for (index, pair) in self.question.adjacency.pairs.iter().enumerate() {
                if used.contains(&index) == is_used && (is_used || is_higher(pair) && self.gear(index).is_none()) {
                    let [a, b] = pair.links.map(|link| part[link]);
                    divided[index] = a == b && !is_used;
                    part.iter_mut().filter(|part| **part == b).for_each(|part| *part = a);
                }
            }
        }
        divided
    }

    /// Comments about differences from the matrix.
    fn remarks(&self, bodies: &[String]) -> String {
        let list = |wanted: &dyn Fn(&Handle, bool) -> bool| {
            let of =
                self.question.handles.iter().zip(&self.layout.kept).filter(|(handle, kept)| wanted(handle, **kept));
            of.map(|(handle, _)| self.handle(handle, bodies)).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        let mut remark = |names: String, words: &str| {
            if !names.is_empty() {
                text += &format!("{words}: {names}.\n");
            }
        };
        remark(
            list(&|handle, kept| !handle.spring && !kept),
            "Omitted inputs, because other inputs already move their links",
        );
        remark(list(&|handle, kept| handle.spring && kept), "Missing inputs, replaced by springs and dampers");
        let is_curve = |pair: &usize| is_higher(&self.question.adjacency.pairs[*pair]) && self.gear(*pair).is_none();
        let higher = (0..self.question.adjacency.pairs.len()).filter(is_curve);
        let curves: Vec<String> = higher.map(|pair| self.joint(pair, bodies)).collect();
        remark(curves.join(", "), "Round curves of higher pairs: replace all points except the first");
        if self.layout.parallel {
            text += "It can move only because its cranks are parallel and of equal length.\n";
        }
        text
    }

    fn model(&self) -> String {
        let bodies = self.bodies();
        let head = format!(
            "Planar mechanism from the adjacency matrix of the chain {:?}, written by `ballesta new`.\n\
             The joint positions are parameters in m. Other values give another mechanism, which is assembled too.\n\
             Masses and inertias are for links of 1 kg in these positions; the inputs oscillate.\n{}",
            self.chain.name,
            self.remarks(&bodies),
        );
        let description = self.chain.description.trim().to_string();
        let general =
            General { description, gravity: numbers([0.0, -9.81, 0.0]), ..General::new(tidy(&self.chain.name)) };
        let experiment = Experiment { stop: STOP, step: Some(1e-2), ..Experiment::default() };
        let mut model = Model { experiment, ..Model::new(general) };

        // Wheels without a handle have no joint.
        let joined = |pair: &usize| {
            self.gear(*pair).is_none() || self.question.handles.iter().any(|handle| handle.pair == *pair)
        };
        let pairs: Vec<usize> = (0..self.question.adjacency.pairs.len()).filter(joined).collect();
        for pair in &pairs {
            add_point(self.joint(*pair, &bodies), self.layout.pairs[*pair], &mut model);
        }
        for (link, tip) in self.layout.tips.iter().enumerate() {
            tip.iter().for_each(|place| add_point(format!("{}_tip", bodies[link]), *place, &mut model));
        }
        let links = 0..self.question.adjacency.links;
        let moving = links.filter(|&link| link != self.question.adjacency.ground);
        model.bodies = moving.map(|link| self.body(link, &bodies[link])).collect();
        let divided = self.divided();
        for pair in pairs {
            self.add_joint(pair, divided[pair], &bodies, &mut model);
        }
        model.couplers = self.question.gears.iter().map(|gear| self.coupler(gear, &bodies)).collect();
        for (handle, name, coordinate, amplitude) in self.kept(&bodies) {
            self.add_motion(handle, name, coordinate, amplitude, &bodies, &mut model);
        }
        model.outputs.extend(Output::diagnostics());
        ballesta::model::write(&model, &head, &[])
    }

    /// The joint of a pair; its curve, and a massless pin if its coordinates are divided.
    fn add_joint(&self, pair: usize, is_divided: bool, bodies: &[String], model: &mut Model) {
        // Rotation axes are perpendicular to the plane of the chain.
        let (name, [ux, uy]) = (self.joint(pair, bodies), self.layout.axes[pair]);
        let ends = self.question.adjacency.pairs[pair].links.map(|link| bodies[link].clone());
        let joint = |name: &str, kind: JointKind, ends: [String; 2]| Joint {
            point: Some(self.joint(pair, bodies).as_str().into()),
            axis: Some(numbers([0.0, 0.0, 1.0])),
            ..Joint::new(name, kind, ends)
        };
        // A higher pair is a pin on a curve, unless it is a pair of gears.
        let is_curve = is_higher(&self.question.adjacency.pairs[pair]) && self.gear(pair).is_none();
        let curve = is_curve.then(|| name.clone());
        if is_curve {
            model.curves.push(self.curve(pair, &name));
        }
        // A massless pin separates the slide along the curve from the rotation, so that each can be driven.
        let kind = match (is_curve, self.gear(pair).is_some(), self.question.prismatic[pair]) {
            (true, ..) if is_divided => {
                let ([a, b], pin) = (ends, format!("{name}_pin"));
                let slide = joint(&name, JointKind::AlongCurve, [a, pin.clone()]);
                model.joints.push(Joint { curve, axis: None, ..slide });
                model.joints.push(joint(&pin, JointKind::Revolute, [pin.clone(), b]));
                let (com, inertia) = (Some(name.as_str().into()), Some(numbers([0.0; 6])));
                model.bodies.push(Body { com, inertia, ..Body::new(pin) });
                return;
            }
            (true, ..) => JointKind::PinOnCurve,
            // A gear pair is a planar joint; a coupler relates its angles.
            (_, true, _) => JointKind::Planar,
            (_, _, true) => {
                let axis = Some(numbers([rounded(ux), rounded(uy), 0.0]));
                return model.joints.push(Joint { axis, ..joint(&name, JointKind::Prismatic, ends) });
            }
            _ => JointKind::Revolute,
        };
        model.joints.push(Joint { curve, ..joint(&name, kind, ends) });
    }

    fn coupler(&self, gear: &Gear, bodies: &[String]) -> Coupler {
        let coordinate = |(pair, ratio): (usize, f64)| CoupledCoordinate {
            coordinate: Some("angle".into()),
            ratio: Some(rounded(ratio).into()),
            ..CoupledCoordinate::new(self.joint(pair, bodies))
        };
        let coordinates: Vec<_> = self.mesh(gear).into_iter().map(coordinate).collect();
        Coupler::new(format!("{}.teeth", self.joint(gear.pair, bodies)), coordinates)
    }

    /// The prescribed motion of a kept handle, or the spring that replaces it.
    fn add_motion(
        &self,
        handle: &Handle,
        name: String,
        coordinate: &str,
        amplitude: f64,
        bodies: &[String],
        model: &mut Model,
    ) {
        // A handle is an angle or a travel.
        let (of_way, per_way, over_speed) =
            if handle.slides { ("m", "N/m", "N.s/m") } else { ("rad", "N.m/rad", "N.m.s/rad") };
        let (joint, coordinate) = (self.joint(handle.pair, bodies), Some(coordinate.to_string()));
        let key = |key: &str| format!("{name}.{key}");
        let number = |word: &str| key(word).as_str().into();
        let position = Output::new(key("position"), Quantity::Position);
        // A spring replaces the prescribed motion, with stiffness and damping as parameters.
        if handle.spring {
            model.parameters.push(parameter(key("stiffness"), STIFFNESS, per_way));
            model.parameters.push(parameter(key("damping"), DAMPING, over_speed));
            model.joint_springs.push(JointSpring {
                coordinate: coordinate.clone(),
                stiffness: number("stiffness"),
                damping: number("damping"),
                ..JointSpring::new(&name, &joint)
            });
            model.outputs.push(Output { joint: Some(joint), coordinate, ..position });
        } else {
            // The prescribed motion is harmonic, with amplitude and frequency as parameters.
            model.parameters.push(parameter(key("amplitude"), amplitude, of_way));
            model.parameters.push(parameter(key("frequency"), 0.5, "Hz"));
            let (amplitude, frequency) = (number("amplitude"), number("frequency"));
            let motion = Some(Motion { amplitude, frequency, ..Motion::new() });
            model.guided.push(Guided { coordinate, motion, ..Guided::new(&name, joint) });
            // Position and the effort that the motion requires are outputs.
            let effort = Output::new(key("effort"), Quantity::Effort);
            let guided = [position, effort].map(|output| Output { guided: Some(name.clone()), ..output });
            model.outputs.extend(guided);
        }
    }

    /// The round curve of a higher pair, starting at the position of the pair, where its tangent is the axis.
    fn curve(&self, pair: usize, name: &str) -> Curve {
        let ([x, y], [ux, uy]) = (self.layout.pairs[pair], self.layout.axes[pair]);
        let point = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / CURVE_POINTS as f64;
            let (s, c) = sin_cos(angle);
            let (along, aside) = (CURVE * s, CURVE * (1.0 - c));
            let place = [x + ux * along - uy * aside, y + uy * along + ux * aside, 0.0];
            Place::At(numbers(place.map(rounded)))
        };
        let points = std::iter::once(name.into()).chain((1..CURVE_POINTS).map(point)).collect();
        Curve { points: Some(points), closed: true, ..Curve::new(name) }
    }

    /// 1 kg in equal parts at the pairs of the link, and at the additional point of a link with one pair.
    fn body(&self, link: usize, name: &str) -> Body {
        let pairs = self.question.adjacency.pairs_of(link).iter().map(|&pair| self.layout.pairs[pair]);
        let places: Vec<[f64; 2]> = pairs.chain(self.layout.tips[link]).collect();
        let mean = |value: &dyn Fn(&[f64; 2]) -> f64| places.iter().map(value).sum::<f64>() / places.len() as f64;
        let (x, y) = (mean(&|p| p[0]), mean(&|p| p[1]));
        let moment = |a: usize, b: usize| {
            let middle = [x, y];
            mean(&|p| (p[a] - middle[a]) * (p[b] - middle[b]))
        };
        let (xx, yy, xy) = (moment(1, 1), moment(0, 0), -moment(0, 1));
        // Spheres with a radius of gyration of 1 cm, so that a link with two pairs has inertia about its axis.
        let ball = 1e-4;
        let inertia = [xx + ball, yy + ball, xx + yy + ball, xy, 0.0, 0.0].map(rounded);
        let com = Some(Place::At(numbers([x, y, 0.0].map(rounded))));
        Body { mass: 1.0.into(), com, inertia: Some(numbers(inertia)), ..Body::new(name) }
    }
}

/// Adds a point whose coordinates are parameters.
fn add_point(name: String, place: [f64; 2], model: &mut Model) {
    let [x, y] = ["x", "y"].map(|axis| format!("{name}.{axis}"));
    model.points.insert(name, [x.as_str().into(), y.as_str().into(), 0.0.into()]);
    model.parameters.extend([(x, place[0]), (y, place[1])].map(|(name, value)| parameter(name, value, "m")));
}
