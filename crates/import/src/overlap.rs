//! Solids that overlap at the start: their contacts push them apart at once, so that the robot can be thrown up.

use crate::robot::Robot;
use crate::solids::Contact;
use crate::write;
use ballesta::compile;
use ballesta::dynamics::observe::calc_outputs;
use ballesta::model;
use ballesta::system::Workspace;

/// Overlaps up to this multiple of the depth at rest are usual, if they are not larger than a depth in m.
const USUAL_DEPTH: f64 = 2.0;
const MAX_USUAL_DEPTH: f64 = 0.005;
/// Largest number of pairs that are examined one by one.
const MAX_PAIRS: usize = 1000;

/// Pairs of solids that overlap at the start.
pub struct Overlap {
    /// Names of the two solids with the largest overlap.
    pub solids: [String; 2],
    /// Their overlap, m.
    pub depth: f64,
    /// Number of overlapping pairs.
    pub pairs: usize,
}

impl Robot {
    /// The overlap of solids at the start, if it is larger than usual. `pushing`: names of the contacts that push
    /// there.
    pub fn overlap(&self, pushing: &[String]) -> Option<Overlap> {
        if pushing.is_empty() {
            return None;
        }
        let contacts = self.contacts();
        let pushing = contacts.iter().filter(|contact| pushing.contains(&contact.name));
        let is_deep =
            |(contact, distance): &(&Contact, f64)| -distance > f64::min(USUAL_DEPTH * contact.depth, MAX_USUAL_DEPTH);
        // Each pair of these contacts as a contact.
        let pairs: Vec<Contact> = pushing.flat_map(|contact| self.pairs_of(contact)).take(MAX_PAIRS).collect();
        let distances = self.distances(&pairs)?;
        let deep: Vec<(&Contact, f64)> = pairs.iter().zip(distances).filter(is_deep).collect();
        let (pair, distance) = deep.iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
        let solids = [pair.solids[0], pair.others[0]].map(|solid| self.solids[solid].name.clone());
        Some(Overlap { solids, depth: -distance, pairs: deep.len() })
    }

    /// The smallest distance of each contact at the start, m, negative for overlaps; `None` if there are no contacts or
    /// the start cannot be evaluated.
    fn distances(&self, contacts: &[Contact]) -> Option<Vec<f64>> {
        if contacts.is_empty() {
            return None;
        }
        let text = write::distances(self, contacts);
        let document = model::parse_with(&text, "model.toml", Vec::new()).ok()?;
        let system = compile::compile(&document, &document.model.parameter_values()).ok()?;
        let mut distances = vec![0.0; contacts.len()];
        calc_outputs(&system, system.initial(), &mut Workspace::new(&system), &mut distances).ok()?;
        Some(distances)
    }

    /// A contact as contacts of one pair each. Solids on one body do not touch.
    fn pairs_of(&self, contact: &Contact) -> Vec<Contact> {
        let body = |solid: usize| self.solids[solid].body.as_str();
        let others = if contact.others.is_empty() { &contact.solids } else { &contact.others };
        let mut pairs = Vec::new();
        for (number, one) in contact.solids.iter().enumerate() {
            let rest = if contact.others.is_empty() { &others[number + 1..] } else { &others[..] };
            for other in rest.iter().filter(|other| body(*one) != body(**other)) {
                let name = format!("{}_{}", contact.name, pairs.len() + 1);
                pairs.push(Contact { name, solids: vec![*one], others: vec![*other], ..contact.clone() });
            }
        }
        pairs
    }
}
