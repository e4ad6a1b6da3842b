//! How the page and the daemon prove to each other that they know the page's credential, without sending it. Every proof
//! covers its role and the page's origin, so it is worth nothing in another role, or at another port.

use cotty_protocol::text::hex;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// How long the page may take to answer a challenge.
const CHALLENGE_MS: u64 = 10_000;
/// How long a pass is valid. The page gets a new one whenever it connects.
const PASS_MS: u64 = 10 * 60 * 1000;
/// Every pass begins so. No token does: a token has a dot.
const PASS: &str = "page-";

/// What a proof is for.
#[derive(Debug, Clone, Copy)]
enum Role {
    /// A challenge is the daemon's own. So it need not remember challenges, which anyone can request.
    Challenge,
    /// The daemon knows the credential.
    Daemon,
    /// The page knows the credential.
    Page,
    /// The holder of a pass was the page.
    Pass,
    /// What answers on this WebSocket knows the credential.
    Socket,
}

/// The credential, used at one origin such as `http://127.0.0.1:7420`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proofs<'a> {
    pub(crate) key: &'a str,
    pub(crate) origin: &'a str,
}

impl Proofs<'_> {
    /// A challenge for the page, and the daemon's proof.
    pub(crate) fn greet(self, nonce: &str, now_ms: u64) -> Option<(String, String)> {
        is_nonce(nonce).then(|| {
            let challenge = self.challenge(nonce, now_ms);
            let proof = self.mac(Role::Daemon, &[nonce, &challenge]);
            (challenge, proof)
        })
    }

    /// A pass, if the page's proof is right and recent.
    pub(crate) fn enter(self, nonce: &str, challenge: &str, proof: &str, now_ms: u64) -> Option<String> {
        let made_ms = u64::from_str_radix(challenge.split_once('-')?.0, 16).ok()?;
        let valid = is_nonce(nonce)
            && same(challenge, &self.challenge(nonce, made_ms))
            && same(proof, &self.mac(Role::Page, &[nonce, challenge]))
            && now_ms.abs_diff(made_ms) <= CHALLENGE_MS;
        valid.then(|| self.pass(now_ms))
    }

    /// Whether this is a valid pass.
    pub(crate) fn admits(self, pass: &str, now_ms: u64) -> bool {
        let made = pass.strip_prefix(PASS).and_then(|rest| rest.split_once('-'));
        made.and_then(|(made, _)| u64::from_str_radix(made, 16).ok())
            .is_some_and(|made_ms| now_ms.abs_diff(made_ms) <= PASS_MS && same(pass, &self.pass(made_ms)))
    }

    /// The daemon's proof on a WebSocket of the page.
    pub(crate) fn on_socket(self, nonce: &str) -> Option<String> {
        is_nonce(nonce).then(|| self.mac(Role::Socket, &[nonce]))
    }

    /// What the page answers.
    #[cfg(test)]
    pub(crate) fn answer(self, nonce: &str, challenge: &str) -> String {
        self.mac(Role::Page, &[nonce, challenge])
    }

    fn challenge(self, nonce: &str, made_ms: u64) -> String {
        format!("{made_ms:x}-{}", self.mac(Role::Challenge, &[nonce, &format!("{made_ms:x}")]))
    }

    fn pass(self, made_ms: u64) -> String {
        format!("{PASS}{made_ms:x}-{}", self.mac(Role::Pass, &[&format!("{made_ms:x}")]))
    }

    /// `web/src/proof.ts` computes the same.
    fn mac(self, role: Role, parts: &[&str]) -> String {
        let role = match role {
            Role::Challenge => "challenge",
            Role::Daemon => "daemon",
            Role::Page => "page",
            Role::Pass => "pass",
            Role::Socket => "socket",
        };
        // No part contains a line feed.
        let message = format!("cotty page 1\n{role}\n{}\n{}", self.origin, parts.join("\n"));
        hex(&hmac(self.key.as_bytes(), message.as_bytes()))
    }
}

/// Whether this is a nonce as the page makes it. Nothing else is signed.
fn is_nonce(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn same(given: &str, right: &str) -> bool {
    given.as_bytes().ct_eq(right.as_bytes()).into()
}

/// HMAC-SHA256 (RFC 2104).
pub(crate) fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const OTHER: &str = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const ORIGIN: &str = "http://127.0.0.1:7420";
    const NONCE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const NOW: u64 = 1_800_000_000_000;

    fn at<'a>(key: &'a str, origin: &'a str) -> Proofs<'a> {
        Proofs { key, origin }
    }

    /// The page's side.
    fn answer(page: Proofs<'_>, challenge: &str) -> String {
        page.answer(NONCE, challenge)
    }

    #[test]
    fn hmac_passes_the_vectors_of_rfc_4231() {
        let fifty = [0xdd; 50];
        let key4: Vec<u8> = (1..=25).collect();
        let long = [0xaa; 131];
        let cases: &[(&[u8], &[u8], &str)] = &[
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &fifty, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (&key4, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (
                &long,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &long,
                b"This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ];
        for (key, message, expected) in cases {
            assert_eq!(hex(&hmac(key, message)), *expected);
        }
    }

    /// `web/test/proof.test.ts` has the same values.
    #[test]
    fn the_page_computes_the_same_proofs() {
        let proofs = at(KEY, ORIGIN);
        let given = [
            proofs.mac(Role::Daemon, &[NONCE, "1-c"]),
            proofs.mac(Role::Page, &[NONCE, "1-c"]),
            proofs.mac(Role::Socket, &[NONCE]),
        ];
        assert_eq!(
            given,
            [
                "419a18955cef08bbc97e07563edab99f4671046e5d4544b4ff6056927d3d9b86",
                "c166116df45afbef7f2ceab50f7c15111feeccdd8d4ddde28f972e8031fb5e86",
                "68ba91b9d3d50e612e7a6950a1cf35e011da83a282b1018a3bb351fc20c12e99",
            ]
        );
    }

    #[test]
    fn the_page_gets_in_only_with_the_right_key_at_the_right_origin_in_time() {
        let ours = at(KEY, ORIGIN);
        let (challenge, proof) = ours.greet(NONCE, NOW).unwrap();
        assert_eq!(proof, ours.mac(Role::Daemon, &[NONCE, &challenge]));
        let right = answer(ours, &challenge);
        let other_challenge = ours.challenge(&"b".repeat(64), NOW);
        let forged = format!("{NOW:x}-{}", "0".repeat(64));
        let cases = [
            ("right", NONCE, challenge.as_str(), right.clone(), NOW + CHALLENGE_MS, true),
            ("the clock went back", NONCE, &challenge, right.clone(), NOW - 1, true),
            ("late", NONCE, &challenge, right.clone(), NOW + CHALLENGE_MS + 1, false),
            ("another key", NONCE, &challenge, answer(at(OTHER, ORIGIN), &challenge), NOW, false),
            (
                "another port",
                NONCE,
                &challenge,
                answer(at(KEY, "http://127.0.0.1:9"), &challenge),
                NOW,
                false,
            ),
            (
                "another host",
                NONCE,
                &challenge,
                answer(at(KEY, "http://localhost:7420"), &challenge),
                NOW,
                false,
            ),
            ("the daemon's own proof", NONCE, &challenge, proof, NOW, false),
            ("no proof", NONCE, &challenge, String::new(), NOW, false),
            (
                "the challenge of another nonce",
                NONCE,
                &other_challenge,
                answer(ours, &other_challenge),
                NOW,
                false,
            ),
            ("its own challenge", NONCE, &forged, answer(ours, &forged), NOW, false),
            ("another nonce", &"b".repeat(64), &challenge, right.clone(), NOW, false),
            ("no nonce", "", &challenge, right.clone(), NOW, false),
            ("no challenge", NONCE, "", answer(ours, ""), NOW, false),
        ];
        for (what, nonce, challenge, proof, now, valid) in cases {
            assert_eq!(ours.enter(nonce, challenge, &proof, now).is_some(), valid, "{what}");
        }
    }

    #[test]
    fn a_pass_is_valid_at_its_origin_for_its_key_and_not_for_long() {
        let ours = at(KEY, ORIGIN);
        let (challenge, _) = ours.greet(NONCE, NOW).unwrap();
        let pass = ours.enter(NONCE, &challenge, &answer(ours, &challenge), NOW).unwrap();
        assert!(ours.admits(&pass, NOW) && ours.admits(&pass, NOW + PASS_MS));
        assert!(!ours.admits(&pass, NOW + PASS_MS + 1));
        assert!(!at(OTHER, ORIGIN).admits(&pass, NOW));
        assert!(!at(KEY, "http://127.0.0.1:9").admits(&pass, NOW));
        let later = pass.replacen(&format!("{NOW:x}"), &format!("{:x}", NOW + 1), 1);
        for wrong in ["", PASS, KEY, "page-x-y", &later, &challenge, pass.strip_prefix(PASS).unwrap()] {
            assert!(!ours.admits(wrong, NOW), "{wrong}");
        }
    }

    #[test]
    fn only_nonces_are_signed() {
        let ours = at(KEY, ORIGIN);
        for wrong in ["", "a", "\n", &"A".repeat(64), &"a".repeat(65), &format!("{}\n", "a".repeat(63))] {
            assert!(ours.greet(wrong, NOW).is_none() && ours.on_socket(wrong).is_none(), "{wrong}");
        }
        assert!(ours.on_socket(NONCE).is_some());
    }
}
