//! Finds the known name that is nearest to a mistyped one.

use cotty_session::edit_distance;

/// Longest name that is compared.
const LONGEST: usize = 64;

/// The nearest of the names, if one is near enough.
pub(crate) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let far = 1 + given.chars().count() / 3;
    // Empty or very long text is not a mistyped name.
    if given.is_empty() || given.len() > LONGEST {
        return None;
    }
    // A prefix counts as one typo, however much is missing: `timeout` for `timeout_ms`.
    let is_prefix = |name: &str| given.len() > 2 && name.starts_with(&given);
    let distance = |name: &str| if is_prefix(name) { 1 } else { edit_distance(&given, &name.to_lowercase()) };
    names
        .into_iter()
        .map(|name| (distance(name), name))
        .filter(|(d, _)| *d <= far)
        .min()
        .map(|(_, name)| name)
}

/// The end of an error message about an unknown name.
pub(crate) fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_near_and_another_word_is_not() {
        let names = ["max_sessions", "max_per_owner", "listen"];
        assert_eq!(nearest("max_session", names), Some("max_sessions"));
        assert_eq!(nearest("lsiten", names), Some("listen"));
        assert_eq!(nearest("Listen", names), Some("listen"));
        assert_eq!(nearest("max_per", names), Some("max_per_owner"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest(&"listen".repeat(100_000), names), None);
    }
}
