//! Chains and structural groups of the synthesis as adjacency files.

use crate::adjacency::Chain;
use ballesta::topology::groups::drivers::choices;
use ballesta::topology::groups::synthesis::{SynthesizedChain, SynthesizedGroup};
use ballesta::topology::groups::{Adjacency, CODES};

/// The chain with the ground link `ground` and the inputs for which its groups are cheapest to solve. It has no inputs
/// if there are too many choices to compare.
pub fn of_chain(chain: &SynthesizedChain, ground: usize, name: &str, description: &str) -> Chain {
    let links: Vec<String> = (1..=chain.codes.len()).map(|number| number.to_string()).collect();
    let mut matrix: Vec<Vec<u64>> =
        chain.codes.iter().map(|row| row.iter().map(|&code| code.into()).collect()).collect();
    let adjacency = Adjacency::new(&chain.codes, ground);
    let best = choices(&adjacency).ok().and_then(|all| all.into_iter().find(|choice| choice.structure.is_determined()));
    for (pair, inputs) in adjacency.pairs.iter().zip(best.map(|choice| choice.inputs).unwrap_or_default()) {
        let code = CODES.iter().position(|code| code.freedom == pair.freedom && code.inputs == inputs);
        let [a, b] = pair.links;
        (matrix[a][b], matrix[b][a]) = (code.unwrap_or(0) as u64, code.unwrap_or(0) as u64);
    }
    Chain { name: name.into(), description: description.into(), ground: Some(links[ground].clone()), links, matrix }
}

/// The group attached to the ground. Further outer pairs of a link are with driven cranks on the ground. These cranks
/// are known links, each a separate preceding group.
pub fn of_group(group: &SynthesizedGroup, name: &str, description: &str) -> Chain {
    let moving = group.codes.len();
    let cranks = group.outer.iter().map(|codes| codes.len().saturating_sub(1)).max().unwrap_or(0);
    let count = 1 + cranks + moving;
    let mut links = vec!["ground".to_string()];
    links.extend((1..=cranks).map(|number| format!("known_{number}")));
    links.extend((1..=moving).map(|number| number.to_string()));
    let mut matrix = vec![vec![0; count]; count];
    let mut set = |a: usize, b: usize, code: u8| (matrix[a][b], matrix[b][a]) = (code.into(), code.into());
    (1..=cranks).for_each(|crank| set(0, crank, 3));
    for (a, outer) in group.outer.iter().enumerate() {
        outer.iter().enumerate().for_each(|(known, &code)| set(known, 1 + cranks + a, code));
        group.codes[a].iter().enumerate().for_each(|(b, &code)| set(1 + cranks + a, 1 + cranks + b, code));
    }
    Chain { name: name.into(), description: description.into(), ground: Some(links[0].clone()), links, matrix }
}

/// The text of the file of a chain, one row of the matrix per line.
pub fn file(chain: &Chain) -> String {
    let quoted = |text: &String| format!("{text:?}");
    let links: Vec<String> = chain.links.iter().map(quoted).collect();
    let mut text = format!("# {}\n\n[adjacency]\nname = {:?}\n", chain.description, chain.name);
    text += &format!("description = {:?}\nlinks = [{}]\n", chain.description, links.join(", "));
    text += &chain.ground.iter().map(|ground| format!("ground = {ground:?}\n")).collect::<String>();
    text += "matrix = [\n";
    for row in &chain.matrix {
        let codes: Vec<String> = row.iter().map(u64::to_string).collect();
        text += &format!("    [{}],\n", codes.join(", "));
    }
    text + "]\n"
}
