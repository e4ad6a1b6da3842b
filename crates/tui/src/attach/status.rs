//! The texts of the status line. Pure.

use cotty_protocol::op::keyboard::Holder;
use cotty_protocol::op::requests::State;
use cotty_protocol::op::{Activity, SessionInfo};
use cotty_protocol::text::inert;
use cotty_protocol::view::{HandoffNotice, Presence, Watcher};
use ratatui::text::Line;

/// How many other viewers are named; the rest is counted.
const NAMED: usize = 3;
/// The least that is shown of a request's message, however narrow the window is.
const LEAST_ASKED: usize = 12;
/// The most that is shown of each part before it: a name may have 64 letters.
const LONGEST_FIRST: usize = 30;

/// Untrusted text, without characters that control the terminal or change the direction of text.
pub(crate) fn plain(text: &str) -> String {
    inert(text, ' ')
}

/// A session's number, and its name or id.
pub(crate) fn label(info: &SessionInfo) -> String {
    format!("{} {}", info.number, info.name.as_ref().unwrap_or(&info.session_id))
}

/// Who has the keyboard.
pub(crate) fn keyboard(presence: &Presence) -> String {
    let by = presence.by.as_deref().unwrap_or("somebody");
    match (presence.holder, &presence.agent) {
        (Some(Holder::Person), _) if presence.yours => "you have the keyboard".into(),
        (Some(Holder::Person), _) => format!("{by} has the keyboard"),
        (Some(Holder::Nobody), _) => "nobody has the keyboard".into(),
        (_, Some(agent)) => format!("agent {agent} has the keyboard"),
        (_, None) => "the keyboard is free".into(),
    }
}

/// The other viewers; empty if there are none.
pub(crate) fn others(presence: &Presence) -> String {
    let mut text: Vec<String> = presence.others.iter().take(NAMED).map(who).collect();
    if presence.count > text.len() {
        text.push(format!("{} more", presence.count - text.len()));
    }
    text.join(", ")
}

fn who(watcher: &Watcher) -> String {
    match watcher.name == watcher.kind {
        true => watcher.name.clone(),
        false => format!("{} ({})", watcher.name, watcher.kind),
    }
}

/// The part of the status line about a secret, if the program asks for one.
pub(crate) fn asks(activity: &Activity) -> Option<&'static str> {
    match activity {
        Activity::SecretInput => Some("asks for a secret"),
        Activity::SecretSuspected => Some("may ask for a secret"),
        _ => None,
    }
}

/// An agent's request, with its message.
pub(crate) fn handoff(request: &HandoffNotice) -> String {
    format!("{} asks: {}", request.from, request.message)
}

/// A change of the hand-off request, if it is news.
fn handoff_news(before: Option<&HandoffNotice>, now: &HandoffNotice) -> Option<String> {
    let known = before.filter(|before| before.request_id == now.request_id);
    if known.is_some_and(|known| known.is_open() == now.is_open()) || (known.is_none() && !now.is_open()) {
        return None;
    }
    let by = now.by.as_deref().unwrap_or("somebody");
    Some(match now.state {
        State::Waiting | State::Taken => handoff(now),
        State::Completed => format!("{by} completed the request of {}", now.from),
        State::Declined => format!("{by} declined the request of {}", now.from),
        State::Timeout => format!("the request of {} timed out", now.from),
        State::Cancelled => format!("the request of {} was withdrawn", now.from),
    })
}

/// Joins the parts that are not empty.
pub(crate) fn line(parts: &[String]) -> String {
    let parts: Vec<String> =
        parts.iter().map(|part| plain(part).trim().to_owned()).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// The line while a request can be ended: as much of the request's message as fits, then the other parts that fit. The key
/// that ends the request and the key for help are never cut.
pub(crate) fn fitted(width: usize, first: &[String], asked: &str, rest: &[String], keys: &str) -> String {
    let mut parts: Vec<String> = first.iter().map(|part| cut(part, LONGEST_FIRST)).collect();
    let used = |parts: &[String], more: &str| {
        Line::from(line(&[parts, &[more.to_owned(), keys.to_owned()]].concat())).width()
    };
    let room = width.saturating_sub(used(&parts, "x") - 1).max(LEAST_ASKED);
    parts.push(cut(&plain(asked), room));
    for part in rest {
        if used(&parts, part) <= width {
            parts.push(part.clone());
        }
    }
    parts.push(keys.to_owned());
    line(&parts)
}

/// Cuts a text to this many columns.
fn cut(text: &str, width: usize) -> String {
    if Line::from(text).width() <= width {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() && Line::from(short.as_str()).width() >= width {}
    short.trim_end().to_owned() + "…"
}

/// The message about a change of presence, if it is worth one. The person's own typing is not.
pub(crate) fn news(before: &Presence, now: &Presence) -> Option<String> {
    let count = |presence: &Presence| presence.turned_away.as_ref().map_or(0, |turned| turned.count);
    if let Some(turned) = now.turned_away.as_ref().filter(|_| count(now) > count(before)) {
        let why = if turned.secret { "the program asks for a secret".to_owned() } else { keyboard(now) };
        return Some(format!("{} was refused: {why}", turned.name));
    }
    if let Some(news) =
        now.handoff.as_ref().and_then(|request| handoff_news(before.handoff.as_deref(), request))
    {
        return Some(news);
    }
    let held = |presence: &Presence| (presence.holder == Some(Holder::Person)).then(|| presence.by.clone());
    if (before.yours, held(before)) != (now.yours, held(now)) {
        let text = match (held(before).is_some(), held(now).is_some()) {
            (true, false) => format!("the keyboard went back: {}", keyboard(now)),
            _ => keyboard(now),
        };
        // Without an agent, a free keyboard is not news.
        let matters = held(now).is_some() || now.agent.is_some();
        return Some(text).filter(|_| matters && !(now.yours && held(before).is_none()));
    }
    let only_in = |one: &Presence, other: &Presence| {
        let mut left = other.others.clone();
        let new = |watcher: &&Watcher| match left.iter().position(|known| known == *watcher) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        };
        let found = one.others.iter().filter(new).map(who).collect::<Vec<_>>();
        found.join(", ")
    };
    let (joined, left) = (only_in(now, before), only_in(before, now));
    match (joined.is_empty(), left.is_empty()) {
        // The count decides: if only some viewers are named, one that leaves makes another one appear.
        (false, _) if now.count > before.count => Some(format!("{joined} joined")),
        (_, false) if now.count < before.count => Some(format!("{left} left")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_protocol::view::TurnedAway;

    fn presence(others: &[&str]) -> Presence {
        let others: Vec<Watcher> =
            others.iter().map(|name| Watcher { name: (*name).into(), kind: "attach".into() }).collect();
        let agent = Some("claude".to_owned());
        Presence { holder: Some(Holder::Agent), agent, count: others.len(), others, ..Presence::default() }
    }

    fn held(by: &str, yours: bool) -> Presence {
        Presence { holder: Some(Holder::Person), by: Some(by.into()), yours, ..presence(&[]) }
    }

    #[test]
    fn the_status_names_the_keyboard_holder() {
        assert_eq!(keyboard(&presence(&[])), "agent claude has the keyboard");
        assert_eq!(keyboard(&held("ann", false)), "ann has the keyboard");
        assert_eq!(keyboard(&held("ann", true)), "you have the keyboard");
        assert_eq!(keyboard(&Presence { agent: None, ..presence(&[]) }), "the keyboard is free");
        assert_eq!(
            keyboard(&Presence { holder: Some(Holder::Nobody), ..presence(&[]) }),
            "nobody has the keyboard"
        );
    }

    #[test]
    fn the_status_names_some_of_the_other_viewers() {
        assert_eq!(others(&presence(&[])), "");
        assert_eq!(others(&presence(&["ann"])), "ann (attach)");
        let page = Watcher { name: "page".into(), kind: "page".into() };
        assert_eq!(others(&Presence { others: vec![page], count: 20, ..presence(&[]) }), "page, 19 more");
    }

    #[test]
    fn changes_of_presence_are_news_but_own_typing_is_not() {
        let alone = presence(&[]);
        assert_eq!(news(&alone, &alone), None);
        assert_eq!(news(&alone, &held("me", true)), None);
        assert_eq!(news(&alone, &held("ann", false)).unwrap(), "ann has the keyboard");
        assert_eq!(news(&held("me", true), &held("ann", false)).unwrap(), "ann has the keyboard");
        let gave = news(&held("me", true), &alone).unwrap();
        assert_eq!(gave, "the keyboard went back: agent claude has the keyboard");
        let nobodys = |presence| Presence { agent: None, ..presence };
        assert_eq!(news(&nobodys(held("me", true)), &nobodys(presence(&[]))), None);
        assert_eq!(news(&alone, &presence(&["ann"])).unwrap(), "ann (attach) joined");
        assert_eq!(news(&presence(&["ann", "ann"]), &presence(&["ann"])).unwrap(), "ann (attach) left");
        let turned = |count| Some(TurnedAway { count, name: "claude".into(), secret: false });
        let (one, two) = (
            Presence { turned_away: turned(1), ..held("me", true) },
            Presence { turned_away: turned(2), ..held("me", true) },
        );
        assert_eq!(news(&one, &two).unwrap(), "claude was refused: you have the keyboard");
        assert_eq!(news(&two, &two), None);
    }

    #[test]
    fn a_request_and_its_end_are_news_once() {
        let asked = |state| HandoffNotice {
            request_id: "req_a".into(),
            from: "claude".into(),
            message: "look".into(),
            state,
            by: Some("ann".into()),
        };
        let with = |state| Presence { handoff: Some(Box::new(asked(state))), ..presence(&[]) };
        let alone = presence(&[]);
        assert_eq!(news(&alone, &with(State::Waiting)).unwrap(), "claude asks: look");
        assert_eq!(news(&with(State::Waiting), &with(State::Taken)), None);
        let done = news(&with(State::Taken), &with(State::Completed)).unwrap();
        assert_eq!(done, "ann completed the request of claude");
        let withdrawn = news(&with(State::Taken), &with(State::Cancelled)).unwrap();
        assert_eq!(withdrawn, "the request of claude was withdrawn");
        assert_eq!(news(&with(State::Completed), &with(State::Completed)), None);
        assert_eq!(news(&alone, &with(State::Timeout)), None, "the request was never shown here");
    }

    #[test]
    fn the_key_that_ends_a_request_is_never_cut() {
        let first = ["3 build".to_owned(), "Ctrl-D when done".to_owned()];
        let rest = [
            "a secret is asked for".to_owned(),
            "bash".to_owned(),
            "you have the keyboard".to_owned(),
            "80×24".to_owned(),
        ];
        let shown = |width, asked: &str| fitted(width, &first, asked, &rest, "Ctrl-] ? keys");
        let begin = "3 build · Ctrl-D when done";
        let whole = "a asks: b · a secret is asked for · bash · you have the keyboard · 80×24";
        assert_eq!(shown(120, "a asks: b"), format!("{begin} · {whole} · Ctrl-] ? keys"));
        let long = shown(80, &format!("mcp asks: {}", "word ".repeat(40)));
        assert_eq!(long, format!("{begin} · mcp asks: word word word word word… · Ctrl-] ? keys"));
        assert!(shown(90, &"漢".repeat(80)).contains("漢… · Ctrl-] ? keys"));
        assert_eq!(shown(80, ""), format!("{begin} · a secret is asked for · bash · Ctrl-] ? keys"));
        assert!(shown(20, "mcp asks: please").starts_with(begin));
        let named =
            fitted(80, &["3 ".to_owned() + &"n".repeat(64), first[1].clone()], "a", &[], "Ctrl-] ? keys");
        assert!(named.contains("n… · Ctrl-D when done · a · Ctrl-] ? keys"), "{named}");
    }

    #[test]
    fn a_title_has_no_control_characters() {
        assert_eq!(plain("a\x1b[31m\u{9b}b\u{202e}c\n"), "a [31m b c ");
        assert_eq!(line(&["one".into(), " \x07".into(), "two".into()]), "one · two");
    }
}
