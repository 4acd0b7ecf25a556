//! The chain as a model file for the rigid solver.

use super::{Beam, Chain, Setup};
use ballesta::math::Vec3;
use ballesta::model::schema::{
    Body, Experiment, Force, General, Input, Joint, JointKind, JointSpring, Model, Output, Place, Plot, Quantity,
    numbers,
};
use ballesta::rom::elastic_modes::ModesError;

/// Planes of bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planes {
    /// In xy: revolute joints about z.
    #[default]
    One,
    /// In xy and xz: universal joints about z, then y.
    Both,
}

/// Options of the model in addition to the beam.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOptions {
    /// Name of the model: letters, digits and `_`.
    pub name: String,
    /// Number of elements.
    pub elements: usize,
    /// Planes of bending.
    pub planes: Planes,
    /// Damping ratio of the first mode in xy; the joints' damping is proportional to their stiffness, so that mode i
    /// has this ratio times ωᵢ/ω₁.
    pub damping_ratio: f64,
    /// Start value of the input `tip.force`, N along y.
    pub tip_force: f64,
    /// Acceleration of gravity along y, m/s².
    pub gravity: f64,
    /// Stiffness of a torsional spring at the support, N·m/rad, the same in both planes; `None`: the support is rigid.
    pub base_stiffness: Option<f64>,
    /// Mass at the tip, kg.
    pub tip_mass: f64,
    /// Moment of inertia of the tip mass about every axis through the tip, kg·m²; 0: a point.
    pub tip_inertia: f64,
}

impl ModelOptions {
    /// Tip mass and support of the chain.
    pub fn setup(&self) -> Setup {
        Setup {
            rotary_inertia: true,
            base_stiffness: self.base_stiffness,
            tip_mass: self.tip_mass,
            tip_inertia: self.tip_inertia,
        }
    }

    /// Adds the mass at the tip, which is fixed to the body with this number, if there is one.
    pub(super) fn add_tip(&self, last: usize, model: &mut Model) {
        if self.tip_mass <= 0.0 {
            return;
        }
        let about = self.tip_inertia;
        let inertia = (about != 0.0).then(|| numbers([about, about, about, 0.0, 0.0, 0.0]));
        let (mass, com) = (self.tip_mass.into(), Some("tip".into()));
        model.bodies.push(Body { mass, com, inertia, ..Body::new("tip_mass") });
        let bodies = [format!("body_{last}"), "tip_mass".into()];
        let fixed = Joint::new("tip_mass", JointKind::Fixed, bodies);
        model.joints.push(Joint { point: Some("tip".into()), ..fixed });
    }
}

impl Beam {
    /// The text of a `model.toml`: bodies, joints, springs, a force at the tip as input, the tip's position as output.
    ///
    /// The step is at most half of the stability limit of `rk4` (ωh = 2.8 without damping, 2 ξ ω h = 2.8 with strong
    /// damping).
    ///
    /// # Errors
    /// See [`Chain::frequencies_hz`].
    pub fn lumped_model(&self, options: &ModelOptions) -> Result<String, ModesError> {
        let setup = options.setup();
        let chain = Chain::new(self, options.elements, &setup);
        let frequencies = chain.frequencies_hz()?;
        let turned = self.turned();
        let (first, mut highest) = (frequencies[0], frequencies.last().copied().unwrap_or(1.0));
        if options.planes == Planes::Both {
            let sideways = Chain::new(&turned, options.elements, &setup).frequencies_hz()?;
            highest = highest.max(sideways.last().copied().unwrap_or(0.0));
        }
        let mut head = format!(
            "A beam of {} m as a chain of {} elements (Ghidella et al.): a joint in the middle of each, k = E I / \
             element.\n\
             Written by `ballesta lump`. First frequency of the chain: {first:.6} Hz.\n",
            self.length, options.elements
        );
        let load = options.tip_force + options.tip_mass * options.gravity;
        let deflection = chain.static_deflection(load, options.gravity);
        if deflection != 0.0 {
            head += &format!("Small static deflection of the tip under these loads: {:.6} mm.\n", 1e3 * deflection);
        }
        if let Some(base) = options.base_stiffness {
            head += &format!("Joint 1 is the support, with a torsional spring of {base:?} N m/rad.\n");
        }
        let kind = match (options.base_stiffness, options.tip_mass > 0.0) {
            (None, false) => "Cantilever beam",
            (None, true) => "Cantilever beam with a mass at its tip",
            (Some(_), false) => "Beam on a torsional spring",
            (Some(_), true) => "Beam on a torsional spring with a mass at its tip",
        };
        let description = format!("{kind} as a chain of rigid bodies with springs at the joints");
        let gravity = [0.0, options.gravity, 0.0];
        let (mut model, beta) = settings(&options.name, &description, gravity, [first, highest], options.damping_ratio);
        self.add_points(&chain.joints, &mut model);

        let element = self.length / options.elements as f64;
        let both = options.planes == Planes::Both;
        for (i, x) in chain.joints.iter().enumerate() {
            let (number, length) = (i + 1, chain.body_length(i));
            self.add_piece(number, x + 0.5 * length, length, &mut model);
            let joint = format!("joint_{number}");
            let kind = if both { JointKind::Universal } else { JointKind::Revolute };
            model.joints.push(Joint {
                point: Some(joint.as_str().into()),
                axis: Some(numbers(Vec3::z())),
                second_axis: both.then(|| numbers(Vec3::y())),
                ..Joint::new(&joint, kind, [before(number), format!("body_{number}")])
            });
            let sides = [("spring", "angle", self), ("second_spring", "second_angle", &turned)];
            for (name, coordinate, beam) in &sides[..if both { 2 } else { 1 }] {
                let stiffness = match options.base_stiffness {
                    Some(base) if i == 0 => base,
                    _ => tidy(beam.bending_stiffness() / element),
                };
                model.joint_springs.push(JointSpring {
                    coordinate: both.then(|| coordinate.to_string()),
                    ..spring(format!("{name}_{number}"), &joint, stiffness, beta)
                });
            }
        }
        let last = chain.joints.len();
        options.add_tip(last, &mut model);
        let body = format!("body_{last}");
        let mut value = numbers([0.0; 3]);
        let sides = [("tip.force", "y", options.tip_force), ("tip.side_force", "z", 0.0)];
        for (k, (name, axis, start)) in sides.into_iter().enumerate().take(if both { 2 } else { 1 }) {
            model.inputs.push(input(name, "N", start, format!("Force at the tip along {axis}")));
            value[k + 1] = name.into();
        }
        model.forces.push(Force::new("tip", &body, "tip", value));
        model.outputs.push(position("tip", &body, "tip"));
        let root = Output::new("root.moment", Quantity::ReactionMoment);
        model.outputs.push(Output { joint: Some("joint_1".into()), ..root });
        let (title, unit) = (Some("Deflection of the tip".into()), Some("mm".into()));
        model.plots.push(Plot { title, unit, ..Plot::new(["tip.y".to_string()]) });
        model.outputs.extend(Output::diagnostics());
        Ok(ballesta::model::write(&model, &head, &[]))
    }

    /// Adds the points of a chain: its tip and its joints at these distances from the support, m.
    pub(super) fn add_points(&self, joints: &[f64], model: &mut Model) {
        let joints = joints.iter().enumerate().map(|(i, x)| (format!("joint_{}", i + 1), tidy(*x)));
        let points = joints.chain([("tip".to_string(), self.length)]);
        model.points.extend(points.map(|(name, x)| (name, numbers([x, 0.0, 0.0]))));
    }

    /// Adds the body with this number: a piece of the beam with this length (m) about its middle.
    pub(super) fn add_piece(&self, number: usize, middle: f64, length: f64, model: &mut Model) {
        let [mass, .., xx, yy, zz] = self.piece(length).map(tidy);
        model.bodies.push(Body {
            mass: mass.into(),
            com: Some(Vec3::new(tidy(middle), 0.0, 0.0).into()),
            inertia: Some(numbers([xx, yy, zz, 0.0, 0.0, 0.0])),
            ..Body::new(format!("body_{number}"))
        });
    }
}

/// Settings of a model with these first and largest natural frequencies (Hz), and its damping per stiffness. The step
/// resolves all modes.
pub(super) fn settings(
    name: &str,
    description: &str,
    gravity: [f64; 3],
    frequencies: [f64; 2],
    damping_ratio: f64,
) -> (Model, f64) {
    let [first, highest] = frequencies.map(angular);
    let beta = 2.0 * damping_ratio / first;
    let step = round_down(1.4 / highest.max(beta * highest * highest));
    // Two periods of the first mode, in whole twentieths of a second.
    let stop = (20.0 * 4.0 * std::f64::consts::PI / first).ceil().max(2.0) / 20.0;
    let (description, gravity) = (description.to_string(), numbers(gravity));
    let general = General { description, gravity, step, ..General::new(name) };
    let experiment = Experiment { stop, step: Some(step.max(1e-3)), ..Experiment::default() };
    (Model { experiment, ..Model::new(general) }, beta)
}

/// Name of the body before the body with this number.
pub(super) fn before(number: usize) -> String {
    if number == 1 { "ground".into() } else { format!("body_{}", number - 1) }
}

pub(super) fn spring(name: String, joint: &str, stiffness: f64, beta: f64) -> JointSpring {
    let (stiffness, damping) = (stiffness.into(), tidy(beta * stiffness).into());
    JointSpring { stiffness, damping, ..JointSpring::new(name, joint) }
}

pub(super) fn input(name: &str, unit: &str, start: f64, description: String) -> Input {
    Input { unit: Some(unit.into()), start: start + 0.0, description, ..Input::new(name) }
}

/// The position of a point as output.
pub(super) fn position(name: &str, body: &str, point: impl Into<Place>) -> Output {
    Output { body: Some(body.into()), point: Some(point.into()), ..Output::new(name, Quantity::Position) }
}

fn angular(hertz: f64) -> f64 {
    2.0 * std::f64::consts::PI * hertz
}

/// The number with 14 digits, without the digits affected by round-off.
pub(super) fn tidy(value: f64) -> f64 {
    format!("{value:.13e}").parse().unwrap_or(value)
}

/// The largest 1, 2 or 5 times a power of ten that is not larger, at most 1 ms.
fn round_down(step: f64) -> f64 {
    let candidates = (4..12).flat_map(|decade| [10, 5, 2].map(|digit| format!("{digit}e-{decade}")));
    candidates.filter_map(|text| text.parse().ok()).find(|candidate| *candidate <= step).unwrap_or(1e-12)
}
