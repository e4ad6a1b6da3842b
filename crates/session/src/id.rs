/// A new session id: `sess_` and eight letters or digits, unique across machines for all that matters.
pub(crate) fn session_id() -> Result<String, std::io::Error> {
    Ok(format!("sess_{}", random_text::<8>()?))
}

/// `N` random lower-case letters and digits.
pub(crate) fn random_text<const N: usize>() -> Result<String, std::io::Error> {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0u8; N];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_have_the_seeds_form_and_do_not_repeat() {
        let ids: HashSet<String> = (0..1000).map(|_| session_id().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let rest = id.strip_prefix("sess_").unwrap();
            assert!(rest.len() == 8 && rest.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
        }
    }
}
