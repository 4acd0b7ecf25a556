//! Contact pairs of geoms and their parameters, by MuJoCo's rules.
//!
//! Two geoms touch if `contype` of one and `conaffinity` of the other have a common bit. Exceptions: their bodies are
//! fixed to each other, one is fixed to the parent (not the world) of the other's fixed group, or an `<exclude>` names
//! both. A `<pair>` always touches. Friction and `condim` are the larger values of both; `solref` and `solimp` are
//! means weighted by `solmix`. If the `priority` differs, the values of the higher one are used.

use super::Reader;
use super::defaults::Spec;
use crate::Contacts;
use crate::robot::{Robot, unique};
use crate::solids::{ContactPair, Impedance, Law, Solid, SolidKind};
use crate::xml::Element;
use ballesta::math::larger;

/// Default parameters of geoms.
const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];
const SOLREF: [f64; 2] = [0.02, 1.0];
/// Range of T² ζ², s².
const SQUARES: [f64; 2] = [1e-10, 100.0];

/// Largest number of contact pairs; each has six states.
const MAX_CONTACT_PAIRS: usize = 2000;

/// A geom that may touch, with the number of its solid.
pub struct Colliding {
    solid: usize,
    name: Option<String>,
    contype: u32,
    conaffinity: u32,
    priority: f64,
    solmix: f64,
    surface: Surface,
}

/// Its parameters for pairs.
#[derive(Clone, Copy)]
struct Surface {
    condim: f64,
    friction: [f64; 3],
    solref: [f64; 2],
    impedance: Impedance,
}

impl Surface {
    fn read(spec: &Spec, usual: Surface) -> Surface {
        let list = |name: &str| spec.list(name).unwrap_or_default();
        let (solref, solimp) = (list("solref"), list("solimp"));
        let of = |list: &[f64], index: usize, usual: f64| list.get(index).copied().unwrap_or(usual);
        // A pair has two coefficients of sliding and of rolling.
        let friction = list("friction");
        let places = if spec.element.name == "pair" { [0, 2, 3] } else { [0, 1, 2] };
        let condim = spec.number("condim").unwrap_or(usual.condim);
        if ![1.0, 3.0, 4.0, 6.0].contains(&condim) {
            spec.wrong("condim", format!("condim is {condim}"), "write 1, 3, 4 or 6");
        }
        Surface {
            condim,
            friction: [0, 1, 2].map(|k| of(&friction, places[k], usual.friction[k])),
            solref: [0, 1].map(|k| of(&solref, k, usual.solref[k])),
            impedance: Impedance([0, 1, 2, 3, 4].map(|k| of(&solimp, k, usual.impedance.0[k]))),
        }
    }

    fn mixed(one: &Colliding, two: &Colliding) -> Surface {
        if one.priority != two.priority {
            return if one.priority > two.priority { one.surface } else { two.surface };
        }
        let total = one.solmix + two.solmix;
        let share = if total > 0.0 { one.solmix / total } else { 0.5 };
        let (a, b) = (one.surface, two.surface);
        let mean = |a: f64, b: f64| share * a + (1.0 - share) * b;
        let are_times = a.solref[0] > 0.0 && b.solref[0] > 0.0;
        Surface {
            condim: a.condim.max(b.condim),
            friction: [0, 1, 2].map(|k| larger(a.friction[k], b.friction[k])),
            solref: [0, 1].map(|k| match are_times {
                true => mean(a.solref[k], b.solref[k]),
                false => a.solref[k].min(b.solref[k]),
            }),
            impedance: Impedance([0, 1, 2, 3, 4].map(|k| mean(a.impedance.0[k], b.impedance.0[k]))),
        }
    }

    fn law(&self) -> Law {
        let [first, second] = self.solref;
        // A time constant and a damping ratio, or negative: stiffness and damping for 1 kg.
        let (squared, damping_ratio) = match first > 0.0 {
            true => (first * first * second * second, second),
            false => (1.0 / first.abs(), 0.5 * second.abs() / first.abs().sqrt()),
        };
        let from = |condim: f64, k: usize| if self.condim >= condim { self.friction[k] } else { 0.0 };
        let squared = if squared.is_finite() { squared.clamp(SQUARES[0], SQUARES[1]) } else { SQUARES[1] };
        Law {
            friction: from(3.0, 0),
            spinning: from(4.0, 1),
            rolling: from(6.0, 2),
            impedance: self.impedance,
            squared,
            damping_ratio,
        }
    }
}

/// The law of the stops of a joint.
pub fn law_of_limit(spec: &Spec) -> Law {
    let list = |name: &str| spec.list(name).unwrap_or_default();
    let (solref, solimp) = (list("solreflimit"), list("solimplimit"));
    let of = |list: &[f64], index: usize, usual: f64| list.get(index).copied().unwrap_or(usual);
    let surface = Surface {
        condim: 1.0,
        friction: [0.0; 3],
        solref: [0, 1].map(|k| of(&solref, k, SOLREF[k])),
        impedance: Impedance([0, 1, 2, 3, 4].map(|k| of(&solimp, k, Impedance::USUAL.0[k]))),
    };
    surface.law()
}

impl Colliding {
    /// Adds a geom that may touch as a solid of the robot.
    pub fn read(robot: &mut Robot, spec: &Spec, mut solid: Solid) -> Colliding {
        let mask = |name: &str| spec.number(name).unwrap_or(1.0) as u32;
        let margin = |name: &str| spec.number(name).unwrap_or_default();
        if margin("margin") != margin("gap") {
            spec.note("margin", "margin of <geom>: contact forces act only on overlap");
        }
        let number = robot.solids.len();
        let name = spec.element.text("name");
        let wanted = name.map_or(format!("{}.geom_{}", solid.body, number + 1), str::to_string);
        solid.name = unique(&mut robot.names.solids, &wanted);
        robot.solids.push(solid);
        let usual = Surface { condim: 3.0, friction: FRICTION, solref: SOLREF, impedance: Impedance::USUAL };
        Colliding {
            solid: number,
            name: name.map(str::to_string),
            contype: mask("contype"),
            conaffinity: mask("conaffinity"),
            priority: spec.number("priority").unwrap_or_default(),
            solmix: spec.number("solmix").unwrap_or(1.0),
            surface: Surface::read(spec, usual),
        }
    }
}

impl<'e> Reader<'e> {
    /// The body to which a body of the model is fixed, as in MuJoCo, by name.
    fn welded<'s>(&'s self, mut body: &'s str) -> &'s str {
        while let Some((parent, true)) = self.parents.get(body).map(|(parent, is_fixed)| (parent, *is_fixed)) {
            body = parent;
        }
        body
    }

    /// Determines all contact pairs, after all other elements were read.
    pub fn contacts(&mut self, root: &'e Element) {
        // <contact> lists excluded body pairs and explicit geom pairs.
        let (mut excluded, mut pairs) = (Vec::new(), Vec::new());
        for contact in root.all("contact") {
            for element in &contact.children {
                let spec = self.defaults.of(self.files, element, None);
                spec.has("name");
                match element.name.as_str() {
                    "exclude" => {
                        let ends = ["body1", "body2"].map(|key| self.named_body(&spec, key).map(|(body, _)| body));
                        if let [Some(one), Some(two)] = ends {
                            excluded.push([one, two]);
                        }
                    }
                    "pair" => pairs.extend(self.pair(&spec)),
                    _ => {}
                }
            }
        }
        // Option flags can disable all contacts, or the filter between parent and child.
        let is_disabled = |name: &str| {
            let flags = root.all("option").flat_map(|option| option.all("flag"));
            flags.filter(|flag| flag.text(name) == Some("disable")).count() > 0
        };
        let (is_off, keeps_parents) = (is_disabled("contact"), is_disabled("filterparent"));
        if is_off {
            return self.keep(Vec::new());
        }
        let mut which = self.options.contacts;
        loop {
            let touching = self.pairs(which, &excluded, &pairs, keeps_parents);
            if touching.len() <= MAX_CONTACT_PAIRS {
                return self.keep(touching);
            }
            let what = match which {
                Contacts::All => "contacts between bodies: more than",
                _ => "all contacts: more than",
            };
            self.files.note(root.place, format!("{what} {MAX_CONTACT_PAIRS} pairs; reduce them by masks or <exclude>"));
            which = if which == Contacts::All { Contacts::Ground } else { Contacts::None };
        }
    }

    /// The pairs that touch, or the first of too many.
    fn pairs(
        &self,
        which: Contacts,
        excluded: &[[String; 2]],
        pairs: &[([usize; 2], Surface)],
        keeps_parents: bool,
    ) -> Vec<ContactPair> {
        let mut touching: Vec<ContactPair> = Vec::new();
        // Bodies without joints are welded to their parents and count as one body.
        let body = |geom: &Colliding| self.robot.solids[geom.solid].body.as_str();
        let ends: Vec<[&str; 3]> = self
            .colliding
            .iter()
            .map(|geom| {
                let fixed = self.welded(body(geom));
                let above = self.parents.get(fixed).map_or("", |(parent, _)| self.welded(parent));
                [body(geom), fixed, above]
            })
            .collect();
        // Every pair of geoms is a candidate (MuJoCo documentation, Computation, Collision detection).
        for (number, (one, [body_1, fixed_1, above_1])) in self.colliding.iter().zip(&ends).enumerate() {
            for (two, [body_2, fixed_2, above_2]) in self.colliding.iter().zip(&ends).skip(number + 1) {
                let solids = [one.solid, two.solid];
                let moves = *fixed_1 != "ground" && *fixed_2 != "ground";
                if fixed_1 == fixed_2 || which == Contacts::None || (which == Contacts::Ground && moves) {
                    continue;
                }
                let given = pairs.iter().find(|(pair, _)| *pair == solids || *pair == [two.solid, one.solid]);
                // Masks are tested in both directions, like in MuJoCo; explicit pairs ignore masks and filters.
                let masks = one.contype & two.conaffinity | two.contype & one.conaffinity;
                if given.is_none() {
                    let is_parent = moves && !keeps_parents && (above_1 == fixed_2 || above_2 == fixed_1);
                    let bodies = [*body_1, *body_2];
                    let is_excluded = || excluded.iter().any(|[a, b]| [a, b] == bodies || [b, a] == bodies);
                    if masks == 0 || is_parent || is_excluded() {
                        continue;
                    }
                }
                // Two planes cannot touch; a pair without its own surface mixes the parameters of both geoms.
                let planes = solids.iter().all(|solid| matches!(self.robot.solids[*solid].kind, SolidKind::Plane));
                if !planes {
                    let surface = given.map_or_else(|| Surface::mixed(one, two), |(_, surface)| *surface);
                    touching.push(ContactPair { solids, law: surface.law() });
                }
            }
            // Stop as soon as the limit is exceeded, because the number of pairs grows with the square.
            if touching.len() > MAX_CONTACT_PAIRS {
                break;
            }
        }
        touching
    }

    /// The solids of a `<pair>`, with its settings.
    fn pair(&self, spec: &Spec) -> Option<([usize; 2], Surface)> {
        let [one, two] = ["geom1", "geom2"].map(|key| {
            let name = spec.text(key)?;
            let found = self.colliding.iter().find(|geom| geom.name.as_deref() == Some(name));
            if found.is_none() && !self.other_geoms.contains(name) {
                spec.wrong(key, format!("there is no geom \"{name}\""), "name a geom of this file");
            }
            found
        });
        let surface = Surface::read(spec, Surface::mixed(one?, two?));
        spec.note_given(&["margin", "gap"], ": contact forces act only on overlap");
        spec.note_given(&["solreffriction"], ": the friction law has no such parameters");
        Some(([one?.solid, two?.solid], surface))
    }

    /// Removes solids without contact pairs.
    fn keep(&mut self, mut touching: Vec<ContactPair>) {
        let named: std::collections::BTreeSet<usize> = touching.iter().flat_map(|pair| pair.solids).collect();
        let numbers: Vec<usize> = named.iter().copied().collect();
        for pair in &mut touching {
            pair.solids = pair.solids.map(|solid| numbers.binary_search(&solid).unwrap_or_default());
        }
        let mut number = 0..;
        self.robot.solids.retain(|_| number.next().is_some_and(|number| named.contains(&number)));
        self.robot.touching = touching;
    }
}
