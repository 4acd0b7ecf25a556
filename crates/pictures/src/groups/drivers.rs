//! `ballesta groups --drivers all`: the choices of drivers of a plane chain, compared.

use ballesta::topology::groups::Adjacency;
use ballesta::topology::groups::drivers::{Choice, operations};
use ballesta_files::words as text;
use ballesta_run::adjacency::Chain;
use serde::Serialize;
use std::path::Path;

/// The object of `groups --drivers all --json`.
#[derive(Serialize)]
pub struct DriverReport {
    model: String,
    kind: &'static str,
    links: Vec<String>,
    ground: String,
    mobility: usize,
    /// Operations with all links in one system.
    cost_of_one_system: usize,
    choices: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    /// Pairs; a pair with two inputs occurs twice.
    drivers: Vec<[String; 2]>,
    /// Choice in the file.
    given: bool,
    determined: bool,
    /// Links of the groups, in their order.
    groups: Vec<Vec<String>>,
    /// (N_m, L_c) of the groups.
    sizes: Vec<(usize, isize)>,
    largest: usize,
    cost: usize,
}

/// Whether these are the inputs of the file.
fn is_given(choice: &Choice, adjacency: &Adjacency) -> bool {
    adjacency.pairs.iter().map(|pair| pair.inputs).eq(choice.inputs.iter().copied())
}

fn names(chain: &Chain, adjacency: &Adjacency, choice: &Choice) -> Vec<[String; 2]> {
    choice.drivers().into_iter().map(|pair| adjacency.pairs[pair].links.map(|link| chain.links[link].clone())).collect()
}

/// The complete object as JSON.
pub fn findings(chain: &Chain, adjacency: &Adjacency, choices: &[Choice]) -> DriverReport {
    let entry = |choice: &Choice| Entry {
        drivers: names(chain, adjacency, choice),
        given: is_given(choice, adjacency),
        determined: choice.structure.is_determined(),
        groups: choice
            .structure
            .groups
            .iter()
            .map(|group| group.links.iter().map(|&link| chain.links[link].clone()).collect())
            .collect(),
        sizes: choice.structure.groups.iter().map(|group| (group.links.len(), group.mobility())).collect(),
        largest: choice.sizes().into_iter().max().unwrap_or(0),
        cost: choice.cost(),
    };
    DriverReport {
        model: chain.name.clone(),
        kind: "drivers",
        links: chain.links.clone(),
        ground: chain.links[adjacency.ground].clone(),
        mobility: drivers(choices),
        cost_of_one_system: operations(adjacency.links - 1),
        choices: choices.iter().map(entry).collect(),
    }
}

/// Number of inputs of every choice.
fn drivers(choices: &[Choice]) -> usize {
    choices.first().map_or(0, |choice| choice.inputs.iter().sum())
}

/// The page as text.
pub fn page(file: &Path, chain: &Chain, adjacency: &Adjacency, choices: &[Choice]) -> String {
    // Only choices that determine all motions are listed.
    let whole = operations(adjacency.links - 1);
    let sound: Vec<&Choice> = choices.iter().filter(|choice| choice.structure.is_determined()).collect();
    let mut page = format!("{}  ({})\n\n", chain.name, file.display());
    page += &format!(
        "{} for mobility {}: {} of {} determine the motion of all links\n",
        text::count(drivers(choices), "input"),
        drivers(choices),
        sound.len(),
        text::count(choices.len(), "choice")
    );
    // Size and cost of the groups for each choice.
    let mut rows =
        vec![["", "drivers", "groups (N_m, L_c)", "largest", "cost", "of one system"].map(str::to_string).to_vec()];
    for choice in &sound {
        let drivers: Vec<String> = names(chain, adjacency, choice).into_iter().map(|pair| pair.join("–")).collect();
        let groups =
            choice.structure.groups.iter().map(|group| format!("({}, {})", group.links.len(), group.mobility()));
        rows.push(vec![
            if is_given(choice, adjacency) { "*".into() } else { String::new() },
            if drivers.is_empty() { "none".into() } else { drivers.join(", ") },
            groups.collect::<Vec<_>>().join(" "),
            choice.sizes().into_iter().max().unwrap_or(0).to_string(),
            choice.cost().to_string(),
            format!("{:.1} %", 100.0 * choice.cost() as f64 / whole as f64),
        ]);
    }
    if !sound.is_empty() {
        page += &text::table(&rows);
    }
    // The cost is compared with the solution of all links in one system.
    page += "\ncost: operations to factor and solve the equations of all groups once, 2/3 n³ + 2 n² with n = 3 N_m\n";
    page += &format!("      (all links in one system: {whole})\n");
    if sound.iter().any(|choice| is_given(choice, adjacency)) {
        page += "*     the inputs of the file\n";
    }
    page
}
