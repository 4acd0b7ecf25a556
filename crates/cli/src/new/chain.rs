//! `ballesta new --adjacency`: a model from the adjacency matrix of a plane chain.
//!
//! One body per moving link, one revolute or prismatic joint per pair, a guided coordinate per input; the places of the
//! pairs are parameters of the model. The chain has to be determined, and without higher pairs, whose profiles no
//! matrix knows.

use super::layout::{Layout, place};
use crate::failure::Failure;
use crate::kind::{self, Kind};
use crate::text;
use ballesta::document::{self, Diagnostics};
use ballesta::topology::groups::{Adjacency, CODES, analyse};
use ballesta_experiment::adjacency::{self, AdjacencyFile, Chain};
use std::fmt::Write;
use std::path::Path;

/// The model of the chain in `file`, with prismatic joints for the pairs `prismatic`, as text.
pub fn model(file: &Path, prismatic: &[String]) -> Result<String, Failure> {
    let bytes = ballesta::document::file::read(file).map_err(|error| Failure::file("read", file, error))?;
    let chain = adjacency::load(file).map_err(|wrong| kind::refused(file, Kind::Adjacency, wrong))?;
    let source = document::read::<AdjacencyFile>(&String::from_utf8_lossy(&bytes), &file.display().to_string())?.source;
    let mut wrong = Diagnostics::default();
    for (i, row) in chain.matrix.iter().enumerate() {
        for (j, &code) in row.iter().enumerate().skip(i + 1) {
            if CODES.get(code as usize).is_some_and(|meaning| code > 0 && meaning.freedom > 1) {
                let found = format!("found {code}, a {}", CODES[code as usize].words);
                let right = "write 1 or 3: a higher pair has a profile, which the matrix does not know";
                wrong.0.push(source.at(format!("adjacency.matrix[{i}][{j}]"), found, right));
            }
        }
    }
    let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
    let structure = analyse(&adjacency);
    if wrong.0.is_empty() && !structure.is_determined() {
        let found =
            format!("the chain has mobility {} and {}", structure.mobility, text::count(structure.inputs, "input"));
        let right =
            "a chain of which every group is determined; `ballesta groups` says which is not, and what would help";
        wrong.0.push(source.at("adjacency.matrix", found, right));
    }
    wrong.into_result(())?;
    let prismatic = sliders(prismatic, &chain, &adjacency)?;
    let Some(layout) = place(&adjacency, &prismatic) else {
        let found = "counting takes the chain for determined, but it is singular in every position that was tried";
        let right = "a chain that can be solved with these sliders: only turning joints let links of a loop turn";
        return Err(Failure::Input(Diagnostics(vec![source.at("adjacency.matrix", found, right)])));
    };
    Ok(Writer { chain: &chain, adjacency: &adjacency, prismatic: &prismatic, layout: &layout }.model())
}

/// Which pairs slide.
fn sliders(typed: &[String], chain: &Chain, adjacency: &Adjacency) -> Result<Vec<bool>, Failure> {
    let mut prismatic = vec![false; adjacency.pairs.len()];
    for words in typed {
        let refuse = |why: String| Failure::Usage(format!("--prismatic {words}: {why}"));
        let Some((a, b)) = words.split_once(',') else {
            return Err(refuse("expected two links, such as crank,slider".into()));
        };
        let find = |name: &str| {
            chain.links.iter().position(|link| link == name.trim()).ok_or_else(|| {
                let near = text::nearest(name.trim(), chain.links.iter().map(String::as_str));
                let hint = near
                    .map_or(format!("there are {}", chain.links.join(", ")), |near| format!("did you mean `{near}`?"));
                refuse(format!("there is no link `{}`; {hint}", name.trim()))
            })
        };
        let (a, b) = (find(a)?, find(b)?);
        let found = adjacency.pairs.iter().position(|pair| pair.links == [a.min(b), a.max(b)]);
        let pair = found.ok_or_else(|| refuse("there is no pair between these links".into()))?;
        prismatic[pair] = true;
    }
    Ok(prismatic)
}

struct Writer<'a> {
    chain: &'a Chain,
    adjacency: &'a Adjacency,
    prismatic: &'a [bool],
    layout: &'a Layout,
}

/// Letters, digits and `_`, beginning with a letter.
fn tidy(name: &str) -> String {
    let name: String = name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("link_{name}") }
}

/// Without what only says how the number was computed.
fn number(value: f64) -> String {
    let short: f64 = format!("{value:.12e}").parse().unwrap_or(value);
    format!("{:?}", short + 0.0)
}

impl Writer<'_> {
    /// Names of the bodies by link.
    fn bodies(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (link, name) in self.chain.links.iter().enumerate() {
            let wanted = if link == self.adjacency.ground { "ground".to_string() } else { tidy(name) };
            // Two names may differ in signs only, and a moving link may be called ground.
            let taken = |name: &String| names.contains(name) || (name == "ground" && link != self.adjacency.ground);
            let numbered = (2..).map(|number| format!("{wanted}_{number}"));
            let name = std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken(name));
            names.push(name.unwrap_or(wanted));
        }
        names
    }

    fn model(&self) -> String {
        let bodies = self.bodies();
        let joint = |pair: usize| {
            let [a, b] = self.adjacency.pairs[pair].links;
            format!("{}_{}", bodies[a], bodies[b])
        };
        let pairs = 0..self.adjacency.pairs.len();
        let driven = || pairs.clone().filter(|&pair| self.adjacency.pairs[pair].inputs > 0);
        let mut text = String::new();
        // Writing into a String does not fail.
        let _ = write!(
            text,
            "# Plane mechanism from the adjacency matrix of the chain {:?}, by `ballesta new`.\n\
             # Its dimensions are the places of the joints, parameters in m: other values are another mechanism, \
             assembled too.\n\
             # Masses and inertias are those of links of 1 kg in these places; the inputs swing.\n\
             \n[model]\nname = {:?}\n",
            self.chain.name,
            tidy(&self.chain.name)
        );
        if !self.chain.description.trim().is_empty() {
            let _ = writeln!(text, "description = {:?}", self.chain.description.trim());
        }
        text += "gravity = [0, -9.81, 0]\nstep = 1e-3\nintegrator = \"rk4\"\n\n[experiment]\nstop = 2\nstep = 1e-2\n";
        let mut points = String::from("\n[points]\n");
        let mut point = |text: &mut String, name: &str, place: [f64; 2]| {
            for (axis, value) in ["x", "y"].iter().zip(place) {
                let value = number(value);
                let _ = write!(text, "\n[[parameter]]\nname = \"{name}.{axis}\"\nvalue = {value}\nunit = \"m\"\n");
            }
            let _ = writeln!(points, "{name} = [\"{name}.x\", \"{name}.y\", 0]");
        };
        for pair in pairs.clone() {
            point(&mut text, &joint(pair), self.layout.pairs[pair]);
        }
        for (link, tip) in self.layout.tips.iter().enumerate() {
            if let Some(place) = tip {
                point(&mut text, &format!("{}_tip", bodies[link]), *place);
            }
        }
        for (pair, amplitude) in driven().zip(&self.layout.amplitudes) {
            let unit = if self.prismatic[pair] { "m" } else { "rad" };
            let _ = write!(
                text,
                "\n[[parameter]]\nname = \"{0}.amplitude\"\nvalue = {1}\nunit = \"{unit}\"\n\
                 \n[[parameter]]\nname = \"{0}.frequency\"\nvalue = 0.5\nunit = \"Hz\"\n",
                joint(pair),
                number(*amplitude)
            );
        }
        text += &points;
        for link in (0..self.adjacency.links).filter(|&link| link != self.adjacency.ground) {
            text += &self.body(link, &bodies[link]);
        }
        for pair in pairs.clone() {
            let [a, b] = self.adjacency.pairs[pair].links;
            let (name, [ux, uy]) = (joint(pair), self.layout.axes[pair]);
            let (kind, axis) = match self.prismatic[pair] {
                true => ("prismatic", format!("[{}, {}, 0]", number(ux), number(uy))),
                false => ("revolute", "[0, 0, 1]".to_string()),
            };
            let _ = write!(
                text,
                "\n[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\nbodies = [\"{}\", \"{}\"]\npoint = \
                 \"{name}\"\naxis = {axis}\n",
                bodies[a], bodies[b]
            );
        }
        for pair in driven() {
            let name = joint(pair);
            let _ = write!(
                text,
                "\n[[guided]]\nname = \"{name}\"\njoint = \"{name}\"\n\
                 motion = {{ amplitude = \"{name}.amplitude\", frequency = \"{name}.frequency\" }}\n\
                 \n[[output]]\nname = \"{name}.position\"\nguided = \"{name}\"\nquantity = \"position\"\n\
                 \n[[output]]\nname = \"{name}.effort\"\nguided = \"{name}\"\nquantity = \"effort\"\n"
            );
        }
        for quantity in ["gap", "velocity_gap", "near_singular", "repartitions", "energy_balance"] {
            let _ = write!(text, "\n[[output]]\nname = \"{quantity}\"\nquantity = \"{quantity}\"\n");
        }
        text
    }

    /// 1 kg in equal parts at the pairs of the link, and at the further point of one that has a single pair.
    fn body(&self, link: usize, name: &str) -> String {
        let pairs = self.adjacency.pairs_of(link).iter().map(|&pair| self.layout.pairs[pair]);
        let places: Vec<[f64; 2]> = pairs.chain(self.layout.tips[link]).collect();
        let mean = |value: &dyn Fn(&[f64; 2]) -> f64| places.iter().map(value).sum::<f64>() / places.len() as f64;
        let (x, y) = (mean(&|p| p[0]), mean(&|p| p[1]));
        let moment = |a: usize, b: usize| {
            let middle = [x, y];
            mean(&|p| (p[a] - middle[a]) * (p[b] - middle[b]))
        };
        let (xx, yy, xy) = (moment(1, 1), moment(0, 0), -moment(0, 1));
        // Balls of a centimetre's radius of gyration, so that a link of two pairs has an inertia about its axis.
        let ball = 1e-4;
        let inertia = [xx + ball, yy + ball, xx + yy + ball, xy].map(number).join(", ");
        format!(
            "\n[[body]]\nname = \"{name}\"\nmass = 1\ncom = [{}, {}, 0]\ninertia = [{inertia}, 0, 0]\n",
            number(x),
            number(y)
        )
    }
}
