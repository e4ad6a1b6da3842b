use cotty_protocol::text::random;

/// A new session id: `sess_` and eight random letters or digits, which makes a collision very unlikely.
pub(crate) fn session_id() -> Result<String, std::io::Error> {
    Ok(format!("sess_{}", random::<8>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_have_the_documented_form_and_do_not_repeat() {
        let ids: HashSet<String> = (0..1000).map(|_| session_id().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let rest = id.strip_prefix("sess_").unwrap();
            assert!(rest.len() == 8 && rest.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
        }
    }
}
