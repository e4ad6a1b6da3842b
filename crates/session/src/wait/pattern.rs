//! Compiles regular expressions from clients, within limits.

use cotty_protocol::ApiError;
use regex::Regex;

/// Longest regular expression, in bytes.
const LONGEST: usize = 16 << 10;
/// Most memory that a compiled one may take, in bytes.
const LARGEST: usize = 1 << 20;

/// Compiles a regular expression. `^` and `$` match at line ends.
pub fn pattern(pattern: &str) -> Result<Regex, ApiError> {
    let refused = |error| ApiError::InvalidPattern { error, literal: None };
    // Parsing a very long pattern takes time, too.
    if pattern.len() > LONGEST {
        return Err(refused(format!("it has {} bytes; the limit is {LONGEST}", pattern.len())));
    }
    let compiled = regex::RegexBuilder::new(pattern).size_limit(LARGEST).multi_line(true).build();
    compiled.map_err(|error| refused(error.to_string()))
}

/// The regular expression that matches this text and nothing else.
pub fn literal(text: &str) -> Result<Regex, ApiError> {
    pattern(&regex::escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_or_too_large_pattern_is_refused() {
        for wrong in ["(", "(a{1000}){1000}", &"a".repeat(LONGEST + 1)] {
            let refused = pattern(wrong);
            assert!(matches!(refused, Err(ApiError::InvalidPattern { .. })));
        }
    }

    #[test]
    fn a_literal_matches_itself() {
        assert_eq!(
            literal("a.b*").unwrap().find_iter("axb* a.b*").map(|m| m.start()).collect::<Vec<_>>(),
            [5]
        );
    }
}
