//! Exit code of a result, by one rule for all commands.
//!
//! | outcome | meaning | exit code |
//! |---|---|---|
//! | good | no figure beyond its limit | 0 |
//! | questionable | a figure is beyond its limit; the result may still be right | 0 and a warning; with `--strict` 3 |
//! | wrong | the result is wrong | 3 |
//!
//! A result is wrong if it is outside the validity of its model, if a figure is not finite, or if `verify` does not
//! verify the model. It is also wrong if the energy error of the step exceeds a tenth of the energy exchanged. A result
//! with another warning is questionable. Wrong and questionable results are kept and written. A command without a
//! result ends with a [`Failure`], which has its own code: 1 for a wrong input, 2 for usage and files, 3 for a fault.

use ballesta_files::failure::Failure;

/// Quality of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// No warning.
    #[default]
    Good,
    /// The result may be wrong, for this reason.
    Questionable(String),
    /// The result is wrong, for this reason.
    Wrong(String),
}

impl Outcome {
    /// A wrong result, or a questionable result if there is a warning.
    pub fn new(warning: Option<String>, wrong: bool) -> Outcome {
        match warning {
            None => Outcome::Good,
            Some(reason) if wrong => Outcome::Wrong(reason),
            Some(reason) => Outcome::Questionable(reason),
        }
    }

    /// Word for JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Good => "good",
            Outcome::Questionable(_) => "questionable",
            Outcome::Wrong(_) => "wrong",
        }
    }

    /// The reason, if there is one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Outcome::Good => None,
            Outcome::Questionable(reason) | Outcome::Wrong(reason) => Some(reason),
        }
    }

    /// The worse outcome of two, with the reasons of both.
    pub fn and(self, other: Outcome) -> Outcome {
        let wrong = [&self, &other].iter().any(|outcome| matches!(outcome, Outcome::Wrong(_)));
        let reasons: Vec<&str> = [&self, &other].into_iter().filter_map(Outcome::reason).collect();
        Outcome::new((!reasons.is_empty()).then(|| reasons.join("; ")), wrong)
    }

    /// The exit code.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self {
            Outcome::Good => 0,
            Outcome::Questionable(_) if !strict => 0,
            Outcome::Questionable(_) | Outcome::Wrong(_) => 3,
        }
    }

    /// End of a command: an outcome or a failure.
    pub fn settle(self, strict: bool) -> Result<Option<String>, Failure> {
        match (self.exit_code(strict), self) {
            (_, Outcome::Good) => Ok(None),
            (0, Outcome::Questionable(reason) | Outcome::Wrong(reason)) => Ok(Some(reason)),
            (_, Outcome::Questionable(reason)) => Err(Failure::Fault(format!("{reason} (--strict)"))),
            (_, Outcome::Wrong(reason)) => Err(Failure::Fault(reason)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wrong_results_and_strict_questionable_ones_end_with_3() {
        let all = [Outcome::Good, Outcome::Questionable("q".into()), Outcome::Wrong("w".into())];
        let codes = |strict: bool| all.each_ref().map(|outcome| outcome.exit_code(strict));
        assert_eq!((codes(false), codes(true)), ([0, 0, 3], [0, 3, 3]));
        let said = |strict: bool| all.clone().map(|outcome| outcome.settle(strict).map_err(|f| f.to_string()));
        assert_eq!(said(false), [Ok(None), Ok(Some("q".into())), Err("fault: w".into())]);
        assert_eq!(said(true), [Ok(None), Err("fault: q (--strict)".into()), Err("fault: w".into())]);
        assert_eq!(all[1].clone().and(all[2].clone()), Outcome::Wrong("q; w".into()));
        assert_eq!(all[0].clone().and(all[1].clone()), all[1]);
    }
}
