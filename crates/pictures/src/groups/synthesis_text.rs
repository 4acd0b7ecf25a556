//! `ballesta groups --chains` and `--structural-groups`: results of the synthesis, as text and JSON.

use ballesta::topology::groups::synthesis::{SynthesizedChain, SynthesizedGroup, Wanted};
use ballesta_files::words as text;
use serde::Serialize;

/// The object of `groups --chains N --json` and `groups --structural-groups N --json`.
#[derive(Serialize)]
pub struct SynthesisReport {
    kind: &'static str,
    /// Links of a chain, or moving links of a group.
    links: usize,
    mobility: usize,
    higher_pairs: usize,
    count: usize,
    /// For chains: number of mechanisms by choice of the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanisms: Option<usize>,
    found: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    number: usize,
    /// Number of links with 2, 3, 4 and more pairs.
    links_by_pairs: Vec<usize>,
    /// Codes of the pairs between the links.
    matrix: Vec<Vec<u8>>,
    /// For a chain: links, from 1, that give different mechanisms as the ground.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grounds: Vec<usize>,
    /// For a group, per link: codes of the pairs with known links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outer: Vec<Vec<u8>>,
}

/// Numbers of links with 2, 3, 4 and more pairs; `outer`: further pairs of every link.
fn by_pairs(codes: &[Vec<u8>], outer: &[Vec<u8>]) -> Vec<usize> {
    let inner = |row: &Vec<u8>| row.iter().filter(|code| **code > 0).count();
    let degrees: Vec<usize> =
        codes.iter().enumerate().map(|(link, row)| inner(row) + outer.get(link).map_or(0, Vec::len)).collect();
    (2..=degrees.iter().copied().max().unwrap_or(0))
        .map(|pairs| degrees.iter().filter(|d| **d == pairs).count())
        .collect()
}

/// Chains as JSON.
pub fn of_chains(wanted: Wanted, chains: &[SynthesizedChain]) -> SynthesisReport {
    let entry = |(index, chain): (usize, &SynthesizedChain)| Entry {
        number: index + 1,
        links_by_pairs: by_pairs(&chain.codes, &[]),
        matrix: chain.codes.clone(),
        grounds: chain.grounds.iter().map(|ground| ground + 1).collect(),
        outer: Vec::new(),
    };
    SynthesisReport {
        kind: "chains",
        links: wanted.links,
        mobility: wanted.mobility,
        higher_pairs: wanted.higher,
        count: chains.len(),
        mechanisms: Some(chains.iter().map(|chain| chain.grounds.len()).sum()),
        found: chains.iter().enumerate().map(entry).collect(),
    }
}

/// Groups as JSON.
pub fn of_groups(wanted: Wanted, groups: &[SynthesizedGroup]) -> SynthesisReport {
    let entry = |(index, group): (usize, &SynthesizedGroup)| Entry {
        number: index + 1,
        links_by_pairs: by_pairs(&group.codes, &group.outer),
        matrix: group.codes.clone(),
        grounds: Vec::new(),
        outer: group.outer.clone(),
    };
    SynthesisReport {
        kind: "structural_groups",
        links: wanted.links - 1,
        mobility: wanted.mobility,
        higher_pairs: wanted.higher,
        count: groups.len(),
        mechanisms: None,
        found: groups.iter().enumerate().map(entry).collect(),
    }
}

impl SynthesisReport {
    /// The page as text.
    pub fn page(&self) -> String {
        let kind = if self.kind == "chains" { "closed chain" } else { "structural group" };
        let links = if self.kind == "chains" { "link" } else { "moving link" };
        let mut page = format!(
            "{} of {}, mobility {}, {}",
            text::count(self.count, kind),
            text::count(self.links, links),
            self.mobility,
            text::count(self.higher_pairs, "higher pair")
        );
        let mechanisms = self.mechanisms.filter(|mechanisms| *mechanisms > 0);
        page += &mechanisms.map_or(String::new(), |count| format!("; {}", text::count(count, "mechanism")));
        page += "\n\n";
        if self.found.is_empty() {
            return page;
        }
        let last = if self.kind == "chains" { "grounds" } else { "outer pairs" };
        let mut rows = vec![["", "links", "pairs", last].map(String::from).to_vec()];
        rows.extend(self.found.iter().map(Entry::row));
        page += &text::table(&rows);
        page + "\nlinks: numbers with 2 + 3 + 4 … pairs; h: higher pair, i: input\n"
    }
}

/// Meaning of a code other than a lower pair.
fn mark(code: u8) -> &'static str {
    ["", "", "h", "i", "hi", "hii"].get(usize::from(code)).copied().unwrap_or("")
}

impl Entry {
    fn row(&self) -> Vec<String> {
        let mut pairs = Vec::new();
        for (a, row) in self.matrix.iter().enumerate() {
            let inner = row.iter().enumerate().skip(a + 1).filter(|(_, code)| **code > 0);
            pairs.extend(inner.map(|(b, &code)| format!("{}–{}{}", a + 1, b + 1, mark(code))));
        }
        let outer = self.outer.iter().enumerate();
        let outer =
            outer.flat_map(|(link, codes)| codes.iter().map(move |&code| format!("{}{}", link + 1, mark(code))));
        let grounds = self.grounds.iter().map(usize::to_string);
        let links: Vec<String> = self.links_by_pairs.iter().map(usize::to_string).collect();
        let last: Vec<String> = grounds.chain(outer).collect();
        vec![self.number.to_string(), links.join(" + "), pairs.join(" "), last.join(" ")]
    }
}
