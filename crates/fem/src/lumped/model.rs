//! The chain as a model file for the rigid solver.

use super::{Beam, Chain, Setup};
use ballesta::rom::elastic_modes::ModesError;
use std::fmt::Write;

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

    /// Tables of the mass at the tip, which is fixed to the body with this number; empty without a tip mass.
    pub(super) fn tip(&self, last: usize) -> String {
        if self.tip_mass <= 0.0 {
            return String::new();
        }
        let inertia = match self.tip_inertia {
            0.0 => String::new(),
            about => format!("inertia = [{about:?}, {about:?}, {about:?}, 0, 0, 0]\n"),
        };
        format!(
            "\n[[body]]\nname = \"tip_mass\"\nmass = {:?}\ncom = \"tip\"\n{inertia}\
             \n[[joint]]\nname = \"tip_mass\"\ntype = \"fixed\"\nbodies = [\"body_{last}\", \"tip_mass\"]\npoint = \
             \"tip\"\n",
            self.tip_mass
        )
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
        let mut frequencies = chain.frequencies_hz()?;
        let turned = self.turned();
        let mut highest = frequencies.last().copied().unwrap_or(1.0);
        if options.planes == Planes::Both {
            let sideways = Chain::new(&turned, options.elements, &setup).frequencies_hz()?;
            highest = highest.max(sideways.last().copied().unwrap_or(0.0));
        }
        let (first, highest) = (angular(frequencies.remove(0)), angular(highest));
        // Damping per stiffness.
        let beta = 2.0 * options.damping_ratio / first;
        let step = round_down(1.4 / highest.max(beta * highest * highest));
        // Two periods of the first mode, in whole twentieths of a second.
        let stop = (20.0 * 4.0 * std::f64::consts::PI / first).ceil().max(2.0) / 20.0;
        let mounted = match options.base_stiffness {
            Some(base) => format!("# Joint 1 is the support, with a torsional spring of {base:?} N m/rad.\n"),
            None => String::new(),
        };
        let deflection =
            chain.static_deflection(options.tip_force + options.tip_mass * options.gravity, options.gravity);
        let sag = if deflection == 0.0 {
            String::new()
        } else {
            format!("# Small static deflection of the tip under these loads: {:.6} mm.\n", 1e3 * deflection)
        };

        let kind = match (options.base_stiffness, options.tip_mass > 0.0) {
            (None, false) => "Cantilever beam",
            (None, true) => "Cantilever beam with a mass at its tip",
            (Some(_), false) => "Beam on a torsional spring",
            (Some(_), true) => "Beam on a torsional spring with a mass at its tip",
        };
        let mut text = String::new();
        let element = self.length / options.elements as f64;
        let both = options.planes == Planes::Both;
        // Writing into a String does not fail.
        let _ = write!(
            text,
            "# A beam of {} m as a chain of {} elements (Ghidella et al.): a joint in the middle of each, k = E I / \
             element.\n\
             # Written by `ballesta lump`. First frequency of the chain: {:.6} Hz.\n{sag}{mounted}\
             \n[model]\nname = {:?}\n\
             description = \"{kind} as a chain of rigid bodies with springs at the joints\"\n\
             gravity = [0, {:?}, 0]\nstep = {step:?}\nintegrator = \"rk4\"\n\
             \n[experiment]\nstop = {stop:?}\nstep = {:?}\n\
             \n[points]\ntip = [{:?}, 0, 0]\n",
            self.length,
            options.elements,
            first / (2.0 * std::f64::consts::PI),
            options.name,
            options.gravity + 0.0,
            (1e-3_f64).max(step),
            self.length
        );
        for (i, x) in chain.joints.iter().enumerate() {
            let _ = writeln!(text, "joint_{} = [{:?}, 0, 0]", i + 1, tidy(*x));
        }
        for (i, x) in chain.joints.iter().enumerate() {
            let length = chain.body_length(i);
            let mass = self.line_density() * length;
            let [.., xx, yy, zz] = self.piece(length).map(tidy);
            let number = i + 1;
            let before = if i == 0 { "ground".to_string() } else { format!("body_{i}") };
            let joint = match both {
                false => "type = \"revolute\"\naxis = [0, 0, 1]",
                true => "type = \"universal\"\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 0]",
            };
            let _ = write!(
                text,
                "\n[[body]]\nname = \"body_{number}\"\nmass = {:?}\ncom = [{:?}, 0, 0]\n\
                 inertia = [{xx:?}, {yy:?}, {zz:?}, 0, 0, 0]\n\
                 \n[[joint]]\nname = \"joint_{number}\"\nbodies = [\"{before}\", \"body_{number}\"]\npoint = \
                 \"joint_{number}\"\n{joint}\n",
                tidy(mass),
                tidy(x + 0.5 * length)
            );
            let sides = [("angle", self), ("second_angle", &turned)];
            for (coordinate, beam) in &sides[..if both { 2 } else { 1 }] {
                let stiffness = match options.base_stiffness {
                    Some(base) if i == 0 => base,
                    _ => tidy(beam.bending_stiffness() / element),
                };
                let name = if *coordinate == "angle" { "spring" } else { "second_spring" };
                let _ = write!(
                    text,
                    "\n[[joint_spring]]\nname = \"{name}_{number}\"\njoint = \"joint_{number}\"\n{}stiffness = \
                     {stiffness:?}\n",
                    if both { format!("coordinate = \"{coordinate}\"\n") } else { String::new() }
                );
                if beta > 0.0 {
                    let _ = writeln!(text, "damping = {:?}", tidy(beta * stiffness));
                }
            }
        }
        let last = chain.joints.len();
        text.push_str(&options.tip(last));
        let force = if both { "[0, \"tip.force\", \"tip.side_force\"]" } else { "[0, \"tip.force\", 0]" };
        let _ = write!(
            text,
            "\n[[input]]\nname = \"tip.force\"\nunit = \"N\"\nstart = {:?}\ndescription = \"Force at the tip along \
             y\"\n",
            options.tip_force + 0.0
        );
        if both {
            text.push_str("\n[[input]]\nname = \"tip.side_force\"\nunit = \"N\"\nstart = 0\n");
            text.push_str("description = \"Force at the tip along z\"\n");
        }
        let _ = write!(
            text,
            "\n[[force]]\nname = \"tip\"\nbody = \"body_{last}\"\npoint = \"tip\"\nvalue = {force}\n\
             \n[[output]]\nname = \"tip\"\nbody = \"body_{last}\"\npoint = \"tip\"\nquantity = \"position\"\n\
             \n[[output]]\nname = \"root.moment\"\njoint = \"joint_1\"\nquantity = \"reaction_moment\"\n"
        );
        text.push_str("\n[[plot]]\ntitle = \"Deflection of the tip\"\noutputs = [\"tip.y\"]\nunit = \"mm\"\n");
        text.push_str(&reports());
        Ok(text)
    }
}

/// Outputs that every model of the gallery has.
pub(super) fn reports() -> String {
    let quantities = ["gap", "velocity_gap", "near_singular", "repartitions", "energy_balance"];
    quantities.map(|quantity| format!("\n[[output]]\nname = \"{quantity}\"\nquantity = \"{quantity}\"\n")).concat()
}

pub(super) fn angular(hertz: f64) -> f64 {
    2.0 * std::f64::consts::PI * hertz
}

/// The number with 14 digits, without the digits affected by round-off.
pub(super) fn tidy(value: f64) -> f64 {
    format!("{value:.13e}").parse().unwrap_or(value)
}

/// The largest 1, 2 or 5 times a power of ten that is not larger, at most 1 ms.
pub(super) fn round_down(step: f64) -> f64 {
    let candidates = (4..12).flat_map(|decade| [10, 5, 2].map(|digit| format!("{digit}e-{decade}")));
    candidates.filter_map(|text| text.parse().ok()).find(|candidate| *candidate <= step).unwrap_or(1e-12)
}
