//! Untrusted text made safe to show, bytes as hexadecimal text, and random names.

use std::fmt::Write;
use std::io;

/// Whether a character would control a terminal or change the direction of the text around it.
pub fn acts(c: char) -> bool {
    c.is_control() || reorders(c)
}

/// Whether a character would change the direction of the text around it, or end its line or paragraph.
pub fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line, with `instead` for each character that [`acts`].
pub fn inert(text: &str, instead: char) -> String {
    text.chars().map(|c| if acts(c) { instead } else { c }).collect()
}

/// Bytes as pairs of hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// `N` random lower-case letters and digits. Sixteen make a unique name.
pub fn random<const N: usize>() -> io::Result<String> {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0u8; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b % 32)])).collect())
}

/// A secret: 32 random bytes, as hexadecimal text.
pub fn secret() -> io::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn inert_text_has_no_control_characters() {
        assert_eq!(inert("a\x1b[31m\u{9b}2J\u{202e}b\n\u{61c}\u{200f}", '?'), "a?[31m?2J?b???");
        assert_eq!(inert("größe 日本 👍🏽 שלום", '?'), "größe 日本 👍🏽 שלום");
    }

    #[test]
    fn random_names_do_not_repeat() {
        let names: HashSet<String> = (0..1000).map(|_| random::<16>().unwrap()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| name.len() == 16 && name.chars().all(|c| c.is_ascii_alphanumeric())));
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
