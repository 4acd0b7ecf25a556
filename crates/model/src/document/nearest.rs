//! The nearest known name to a misspelt one: the only implementation of this search.
//!
//! The search ignores case, and ignores signs if the letters agree ("Nm" means "N.m"). Edits are letters added, left
//! out, changed or exchanged. Among names with the same number of edits, the name with the larger similarity by Jaro
//! and Winkler is nearest; among equal ones the first. A name is near with up to 1 + a quarter of its letters of edits.

/// The candidate that most resembles `name`, if one is near.
pub fn nearest<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let lower = name.to_lowercase();
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let rated = candidates.iter().map(|candidate| {
        let same_letters = !lower.is_empty() && letters(name) == letters(candidate);
        let own = candidate.to_lowercase();
        let edits = if same_letters { 0 } else { strsim::damerau_levenshtein(&lower, &own) };
        (edits, strsim::jaro_winkler(name, candidate), *candidate)
    });
    let best = rated.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)))?;
    let longest = lower.chars().count().max(best.2.chars().count());
    (best.0 <= 1 + longest / 4 && best.0 < longest).then_some(best.2)
}

/// "did you mean …?", or the list of known names.
pub fn did_you_mean(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if candidates.is_empty() => "the file defines none".to_string(),
        None => format!("write one of {}", list(candidates)),
    }
}

/// The entries, quoted with backticks, at most two dozen of them.
pub fn list(entries: &[&str]) -> String {
    const MAX_LISTED: usize = 24;
    let mut text = entries.iter().take(MAX_LISTED).map(|entry| format!("`{entry}`")).collect::<Vec<_>>().join(", ");
    if entries.len() > MAX_LISTED {
        text += &format!(" and {} more", entries.len() - MAX_LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        assert_eq!(nearest("gravty", &["step", "gravity"]), Some("gravity"));
        assert_eq!(nearest("RK4", &["rk4", "heun"]), Some("rk4"));
        assert_eq!(nearest("Nm", &["N", "m", "N.m"]), Some("N.m"));
        assert_eq!(nearest("pni", &["bob", "pin"]), Some("pin"));
        assert_eq!(nearest("BEARING.DAMPING", &["bearing.stiffness", "bearing.damping"]), Some("bearing.damping"));
        assert_eq!(nearest("spring.stifness", &["spring.damping", "spring.stiffness"]), Some("spring.stiffness"));
        assert_eq!(nearest("NM", &["N", "m", "N.m"]), Some("N.m"));
        assert_eq!(nearest("torque", &["spring.stiffness"]), None);
        assert_eq!(nearest("colour", &["name", "step"]), None);
        assert_eq!(nearest("", &["a"]), None);
        assert_eq!(nearest("a", &[]), None);
    }
}
