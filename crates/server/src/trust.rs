//! Who calls, and how far the daemon trusts the caller.
//!
//! The socket is part of the boundary around agents: a process inside a session must not gain rights by connecting to
//! it. So a process that descends from the keeper is never a person. Inside an agent's session it is a child. Inside
//! a person's session it may be that person's agent host, and acts as an agent, whose sessions only callers from inside the
//! same session can reach.
//!
//! The evidence comes from the kernel: the peer's credentials and its parents, up to the subreaper of its session. A
//! process can change its own environment, so that can only lower its trust.

use axum::http::HeaderMap;
use cotty_protocol::op::token_new::Kind;
use cotty_protocol::{ActorKind, ApiError, Caller};
use cotty_pty::tree::Lineage;
use cotty_session::{Actor, Hub, Session, one_line, short_name};
use rustix::process::Pid;

/// Headers that name the caller of a request whose body does not.
const ACTOR: &str = "cotty-actor";
const CLIENT: &str = "cotty-client";
const DIRECTORY: &str = "cotty-directory";
const OWNER: &str = "cotty-owner";
/// Most characters of a directory in an owner's name, which everyone sees.
const LONGEST_DIRECTORY: usize = 1024;

/// How far the daemon trusts a caller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Trust {
    /// A person or an agent, as it says: one of the user's processes, or a caller with a full token.
    Trusted {
        /// The token's name, if it has one.
        token: Option<String>,
    },
    /// The page: a person or an agent, as it says.
    Page,
    /// A person or an agent, as it says, that may only read.
    ReadOnly {
        /// The token's name.
        token: String,
    },
    /// An agent with a token of its own, whatever it says.
    AgentToken {
        /// The token's name.
        token: String,
    },
    /// Inside a person's session: an agent, whatever it says.
    Agent {
        /// That session's id.
        session: String,
    },
    /// Inside an agent's session, or inside an unknown one.
    Child {
        /// That session's id, if known.
        session: Option<String>,
    },
}

impl Trust {
    /// The trust of a caller with a token of this name and kind.
    pub(crate) fn with_token(name: String, kind: Kind) -> Trust {
        match kind {
            Kind::Full => Trust::Trusted { token: Some(name) },
            Kind::Agent => Trust::AgentToken { token: name },
            Kind::ReadOnly => Trust::ReadOnly { token: name },
        }
    }

    pub(crate) fn read_only(&self) -> bool {
        matches!(self, Trust::ReadOnly { .. })
    }

    /// The name of its token, if it has one.
    pub(crate) fn token(&self) -> Option<&str> {
        match self {
            Trust::Trusted { token } => token.as_deref(),
            Trust::ReadOnly { token } | Trust::AgentToken { token } => Some(token),
            Trust::Page | Trust::Agent { .. } | Trust::Child { .. } => None,
        }
    }

    /// The actor for a caller that introduces itself as `caller` and works in the directory `cwd`.
    pub(crate) fn actor(&self, caller: Caller, cwd: Option<&str>) -> Actor {
        let Caller { kind: claimed, client } = caller;
        let client = short_name(&client);
        let agent = || {
            let directory = one_line(cwd.unwrap_or("/"), LONGEST_DIRECTORY);
            // What the caller cannot choose comes first, in brackets that no client's name can begin with.
            match (self, self.token()) {
                (Trust::AgentToken { token }, _) => format!("[{token}]"),
                (_, Some(token)) => format!("[{token}] {client} in {directory}"),
                (Trust::Agent { session }, None) => format!("({session}) {client} in {directory}"),
                (_, None) => format!("{} in {directory}", client.trim_start_matches(['[', '('])),
            }
        };
        let (kind, owner) = match (self, claimed) {
            (Trust::Child { session }, _) => {
                (cotty_session::ActorKind::Child, session.clone().unwrap_or_default())
            }
            // A caller that says it is a child is one, but of no session.
            (_, ActorKind::Child) => (cotty_session::ActorKind::Child, String::new()),
            (Trust::Agent { .. } | Trust::AgentToken { .. }, _) | (_, ActorKind::Agent) => {
                (cotty_session::ActorKind::Agent, agent())
            }
            // Not the owner `person`: a read-only caller must not move the person's read position.
            (Trust::ReadOnly { token }, ActorKind::Person) => {
                (cotty_session::ActorKind::Person, format!("token {token}"))
            }
            (Trust::Trusted { .. } | Trust::Page, ActorKind::Person) => {
                (cotty_session::ActorKind::Person, "person".to_owned())
            }
        };
        Actor { kind, owner, client }
    }

    /// The trust of a process that connected to the socket.
    pub(crate) async fn of_peer(peer: &Peer, hub: &Hub) -> Trust {
        let Lineage { line, descends } = &peer.lineage;
        let proved = if *descends { hub.session_of(line).await } else { None };
        let marked = peer.marks.iter().find_map(|mark| hub.find(mark).ok());
        judge(!line.is_empty(), *descends, proved.as_ref().map(inside), marked.as_ref().map(inside))
    }
}

/// A session's id, and whether a person made it.
fn inside(session: &Session) -> (String, bool) {
    let meta = session.meta();
    (meta.id.clone(), meta.actor.kind == cotty_session::ActorKind::Person)
}

type Inside = (String, bool);

/// Decides the trust of a process. `proved` is its session according to the kernel, `marked` according to its
/// environment.
fn judge(seen: bool, descends: bool, proved: Option<Inside>, marked: Option<Inside>) -> Trust {
    match (seen, descends, proved, marked) {
        (_, _, Some((session, true)), _) => Trust::Agent { session },
        (_, _, Some((id, false)), _) => Trust::Child { session: Some(id) },
        // It descends from the keeper, but left everything by which the kernel could tell its session. Its own claim
        // would let it choose whose screen it reads.
        (_, true, None, _) => Trust::Child { session: None },
        // It does not descend from the keeper, but was started from inside a session (`systemd-run`, `at`).
        (_, false, None, Some((session, true))) => Trust::Agent { session },
        (_, false, None, Some((id, false))) => Trust::Child { session: Some(id) },
        (true, false, None, None) => Trust::Trusted { token: None },
        // It exited before we could look, or is in another namespace: it could be any process.
        (false, false, None, None) => Trust::Child { session: None },
    }
}

/// The process at the other end of the Unix socket, as it was when it connected.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) uid: Option<u32>,
    lineage: Lineage,
    /// The sessions that its own and its parents' environments name, nearest first.
    marks: Vec<String>,
}

impl Peer {
    pub(crate) fn inspect(uid: Option<u32>, pid: Option<u32>, keeper: u32) -> Peer {
        let lineage = pid.filter(|&pid| pid > 0).map(|pid| Lineage::of(pid, keeper)).unwrap_or_default();
        // Parents that do not descend from the keeper may name a session of another cotty that this one runs in.
        let looked_at = if lineage.descends { lineage.line.len() } else { 1 };
        let marks = lineage.line.iter().take(looked_at).filter_map(|relative| mark(relative.pid)).collect();
        Peer { uid, lineage, marks }
    }
}

fn mark(pid: u32) -> Option<String> {
    let environment = cotty_pty::facts::started_with(Pid::from_raw(pid.cast_signed())?, "environ")?;
    environment.split('\0').find_map(|entry| entry.strip_prefix("COTTY_SESSION=")).map(str::to_owned)
}

/// Where a request says it comes from.
#[derive(Debug, Default)]
pub(crate) struct At {
    /// The directory: it decides who owns the sessions, and they start there.
    pub(crate) directory: Option<String>,
    /// The owner of the sessions if there is no directory.
    pub(crate) owner: Option<String>,
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    // Directory names may have any UTF-8, not only ASCII.
    let value = std::str::from_utf8(headers.get(name)?.as_bytes()).ok()?;
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

/// Reads from its headers where a request comes from.
pub(crate) fn at(headers: &HeaderMap) -> At {
    At { directory: header(headers, DIRECTORY), owner: header(headers, OWNER) }
}

/// Reads the caller and its directory from a request's headers. The default is a person.
pub(crate) fn introduction(headers: &HeaderMap) -> Result<(Caller, Option<String>), ApiError> {
    let kind = match header(headers, ACTOR).as_deref() {
        None | Some("person") => ActorKind::Person,
        Some("agent") => ActorKind::Agent,
        Some(other) => {
            return Err(ApiError::invalid_instead(
                format!("`{other}` is not an actor"),
                format!("the header `{ACTOR}` must be `person` or `agent`"),
            ));
        }
    };
    let client = header(headers, CLIENT).unwrap_or_else(|| "http".to_owned());
    Ok((Caller { kind, client }, at(headers).directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(session: Option<&str>) -> Trust {
        Trust::Child { session: session.map(str::to_owned) }
    }

    #[test]
    fn only_a_process_from_outside_all_sessions_is_trusted() {
        let (mine, yours) = (|| Some(("sess_p".to_owned(), true)), || Some(("sess_a".to_owned(), false)));
        let trusted = Trust::Trusted { token: None };
        assert_eq!(judge(true, false, None, None), trusted);
        let agent = Trust::Agent { session: "sess_p".into() };
        assert_eq!(judge(true, true, mine(), None), agent);
        assert_eq!(judge(true, true, yours(), None), child(Some("sess_a")));
        // Its own claim does not raise its trust.
        assert_eq!(judge(true, true, yours(), mine()), child(Some("sess_a")));
        assert_eq!(judge(true, true, None, mine()), child(None));
        assert_eq!(judge(true, true, None, yours()), child(None));
        assert_eq!(judge(true, true, None, None), child(None));
        // But it can lower it.
        assert_eq!(judge(true, false, None, mine()), agent);
        assert_eq!(judge(true, false, None, yours()), child(Some("sess_a")));
        assert_eq!(judge(false, false, None, None), child(None));
    }

    #[test]
    fn no_caller_becomes_more_than_its_trust_allows() {
        let actor = |trust: &Trust, kind| {
            let actor = trust.actor(Caller { kind, client: "x".into() }, Some("/d"));
            (actor.kind, actor.owner)
        };
        use cotty_session::ActorKind::{Agent, Child, Person};
        let trusted = Trust::Trusted { token: None };
        assert_eq!(actor(&trusted, ActorKind::Person), (Person, "person".into()));
        assert_eq!(actor(&trusted, ActorKind::Agent), (Agent, "x in /d".into()));
        assert_eq!(actor(&trusted, ActorKind::Child), (Child, String::new()));
        let named = Trust::with_token("ci".into(), Kind::Full);
        assert_eq!(actor(&named, ActorKind::Person), (Person, "person".into()));
        assert_eq!(actor(&named, ActorKind::Agent), (Agent, "[ci] x in /d".into()));
        for (claimed, owner) in
            [("[ci] x", "ci] x in /d"), ("(sess_p) x", "sess_p) x in /d"), ("[(x", "x in /d")]
        {
            let forged = trusted.actor(Caller { kind: ActorKind::Agent, client: claimed.into() }, Some("/d"));
            assert_eq!(forged.owner, owner);
        }
        let loud = Caller { kind: ActorKind::Agent, client: format!("a\x1b\n{}", "b".repeat(99)) };
        let loud = trusted.actor(loud, Some(&format!("/\x1b{}", "d".repeat(9999))));
        assert_eq!((loud.client.len(), loud.owner.len()), (64, 64 + " in ".len() + LONGEST_DIRECTORY));
        assert!(!loud.owner.contains(['\x1b', '\n']));
        let read_only = Trust::with_token("w".into(), Kind::ReadOnly);
        assert_eq!(actor(&read_only, ActorKind::Person), (Person, "token w".into()));
        assert!(read_only.read_only() && !named.read_only());
        let inside = Trust::Agent { session: "sess_p".into() };
        let own = Trust::with_token("bot".into(), Kind::Agent);
        for kind in [ActorKind::Person, ActorKind::Agent] {
            assert_eq!(actor(&inside, kind), (Agent, "(sess_p) x in /d".into()));
            assert_eq!(actor(&own, kind), (Agent, "[bot]".into()));
        }
        assert_eq!((own.token(), own.read_only()), (Some("bot"), false));
        for kind in [ActorKind::Person, ActorKind::Agent, ActorKind::Child] {
            assert_eq!(actor(&child(Some("sess_a")), kind), (Child, "sess_a".into()));
            assert_eq!(actor(&child(None), kind), (Child, String::new()));
        }
    }
}
