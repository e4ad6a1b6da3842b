use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A daemon is there, and the handshake is done.
fn begun() -> Conversation {
    let mut conversation = Conversation::default();
    assert!(conversation.begin_again().is_empty());
    assert_eq!(heard(&mut conversation, INITIALIZE), Verdict::Pass);
    assert_eq!(conversation.told(&result(json!(0))), Verdict::Pass);
    assert_eq!(heard(&mut conversation, INITIALIZED), Verdict::Pass);
    conversation
}

/// The client says this, at a moment that does not matter.
fn heard(conversation: &mut Conversation, line: &str) -> Verdict {
    conversation.asked(line, Instant::now())
}

fn request(id: Value, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn result(id: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()
}

/// The new daemon hears the handshake under another id; answers what it hears after that.
fn again(conversation: &mut Conversation) -> Vec<String> {
    let lines = conversation.begin_again();
    let first = whole(&lines[0]);
    assert_eq!((&first["method"], &lines[1]), (&json!("initialize"), &INITIALIZED.to_owned()));
    assert_ne!(first["id"], json!(0));
    assert_eq!(conversation.told(&result(first["id"].clone())), Verdict::Drop, "the client has had it");
    lines[2..].to_vec()
}

fn said(verdict: Verdict) -> Vec<Value> {
    match verdict {
        Verdict::Answer(lines) => lines.iter().map(|line| whole(line)).collect(),
        Verdict::Swap(line) => vec![whole(&line)],
        other => panic!("nothing is said: {other:?}"),
    }
}

#[test]
fn a_new_daemon_hears_the_handshake_and_what_is_still_open() {
    let mut conversation = begun();
    // `2` and `"2"` are two requests.
    let [one, two, three] = [json!(1), json!("2"), json!(2)].map(|id| request(id, "ping", json!({})));
    for line in [&one, &two, &three] {
        assert_eq!(heard(&mut conversation, line), Verdict::Pass);
    }
    assert_eq!(conversation.told(&result(json!(1))), Verdict::Pass);
    assert_eq!(again(&mut conversation), [two.clone(), three.clone()]);
    let cancelled = notification("notifications/cancelled", json!({"requestId": 2}));
    assert_eq!(heard(&mut conversation, &cancelled), Verdict::Pass);
    assert_eq!(conversation.told(&result(json!(2))), Verdict::Drop, "nobody waits for it");
    assert_eq!(again(&mut conversation), [two]);
    assert!(!conversation.is_answered());
    conversation.told(&result(json!("2")));
    assert!(conversation.is_answered());
}

#[test]
fn a_handshake_that_was_not_answered_is_simply_open() {
    let mut conversation = Conversation::default();
    conversation.begin_again();
    heard(&mut conversation, INITIALIZE);
    assert_eq!(conversation.begin_again(), [INITIALIZE]);
    assert_eq!(conversation.told(&result(json!(0))), Verdict::Pass);
    assert_eq!(whole(&conversation.begin_again()[0])["method"], "initialize");
}

#[test]
fn what_is_not_a_message_is_refused() {
    let mut conversation = begun();
    let code = |verdict| said(verdict)[0]["error"]["code"].clone();
    assert_eq!(code(heard(&mut conversation, "[{}]")), -32600);
    assert_eq!(code(heard(&mut conversation, "[")), -32600);
    assert_eq!(code(heard(&mut conversation, "{\"id\":")), -32700);
    assert_eq!(heard(&mut conversation, "  "), Verdict::Drop);
    // The daemon's to judge.
    assert_eq!(heard(&mut conversation, r#"{"method":5}"#), Verdict::Pass);
    assert!(conversation.is_answered() && again(&mut conversation).is_empty());
}

#[test]
fn what_the_daemon_would_answer_to_nobody_is_refused_by_its_id() {
    let mut conversation = begun();
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let call =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
    for (line, code) in [
        (deep.as_str(), -32700),
        (&call(r#"{"name":"t","arguments":{"text":"\ud83d"}}"#), -32700),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":[7],"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600),
        (r#"{"id":7,"method":"ping"}"#, -32600),
        (&call("[1]"), -32600),
        (&call(r#"{"name":"t","_meta":"x"}"#), -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602),
        (&call("{}"), -32602),
        (&call(r#"{"name":"t","arguments":"x"}"#), -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":5}}"#, -32602),
    ] {
        let refused = said(heard(&mut conversation, line)).remove(0);
        assert_eq!(refused["error"]["code"], code, "{line}");
        let id = serde_json::from_str::<MessageHead>(line).unwrap().id;
        assert_eq!(Some(&refused["id"]), id.as_ref(), "{line}");
        assert!(!conversation.has_open(), "{line}");
    }
    for params in [r#"{"name":"t"}"#, r#"{"name":"t","arguments":null}"#, r#"{"name":"t","arguments":{}}"#] {
        assert_eq!(heard(&mut conversation, &call(params)), Verdict::Pass);
        conversation.told(&result(json!(7)));
    }
}

#[test]
fn too_much_at_once_is_refused_and_forgotten() {
    let mut conversation = begun();
    for id in 0..MOST_OPEN {
        assert_eq!(heard(&mut conversation, &request(id.into(), "ping", json!({}))), Verdict::Pass);
    }
    let refused = said(heard(&mut conversation, &request(json!("more"), "ping", json!({}))));
    assert_eq!((&refused[0]["id"], &refused[0]["error"]["code"]), (&json!("more"), &json!(-32000)));
    assert_eq!(conversation.give_up("gone").len(), MOST_OPEN);
    let large = request(json!(1), "ping", json!({"text": "x".repeat(MOST_BYTES / 2)}));
    assert_eq!(heard(&mut conversation, &large), Verdict::Pass);
    assert_eq!(said(heard(&mut conversation, &large)).len(), 1);
    conversation.told(&result(json!(1)));
    assert_eq!(heard(&mut conversation, &large), Verdict::Pass);
}

#[test]
fn what_is_open_when_cotty_is_stopped_is_answered_once() {
    let mut conversation = begun();
    heard(&mut conversation, &request(json!("b"), "ping", json!({})));
    let answers = conversation.give_up("stopped");
    let answer = whole(&answers[0]);
    assert!(answers.len() == 1 && answer["id"] == "b" && answer["error"]["message"] == "stopped");
    assert!(conversation.is_answered() && conversation.give_up("stopped").is_empty());
}

#[test]
fn questions_of_two_daemons_are_never_mixed_up() {
    let mut conversation = begun();
    let question = request(json!(0), "elicitation/create", json!({}));
    let first = said(conversation.told(&question)).remove(0)["id"].clone();
    let lost: Vec<Value> = conversation.lost().iter().map(|line| whole(line)).collect();
    assert_eq!(
        (&lost[0]["method"], &lost[0]["params"]["requestId"]),
        (&json!("notifications/cancelled"), &first)
    );
    assert!(conversation.lost().is_empty());
    again(&mut conversation);
    let second = said(conversation.told(&question)).remove(0)["id"].clone();
    assert_ne!(first, second);
    assert_eq!(heard(&mut conversation, &result(first)), Verdict::Drop, "its daemon is gone");
    assert_eq!(said(heard(&mut conversation, &result(second.clone())))[0]["id"], 0);
    assert_eq!(heard(&mut conversation, &result(second)), Verdict::Drop, "answered already");
    assert_eq!(heard(&mut conversation, &result(json!(0))), Verdict::Drop, "never asked");
}

#[test]
fn a_daemon_takes_its_question_back_by_the_name_that_the_client_knows() {
    let mut conversation = begun();
    let asked = said(conversation.told(&request(json!(7), "elicitation/create", json!({})))).remove(0);
    let back = notification("notifications/cancelled", json!({"requestId": 7}));
    assert_eq!(said(conversation.told(&back))[0]["params"]["requestId"], asked["id"]);
    assert_eq!(conversation.told(&back), Verdict::Pass, "it is about something else");
    assert!(conversation.lost().is_empty());
}

#[test]
fn subscriptions_are_said_again_until_they_end() {
    let mut conversation = begun();
    let about = |uri: &str| json!({"uri": uri});
    for (id, uri) in [(1, "a"), (2, "b")] {
        heard(&mut conversation, &request(id.into(), "resources/subscribe", about(uri)));
        assert_eq!(conversation.told(&result(id.into())), Verdict::Pass);
    }
    // Refused ones, and those that were never answered, do not count.
    heard(&mut conversation, &request(json!(3), "resources/subscribe", about("c")));
    assert_eq!(conversation.told(&error(Some(&json!(3)), -32002, "no")), Verdict::Pass);
    heard(&mut conversation, &request(json!(4), "resources/unsubscribe", about("a")));
    conversation.told(&result(json!(4)));
    let lines = again(&mut conversation);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    let line = whole(line);
    assert_eq!((&line["method"], &line["params"]["uri"]), (&json!("resources/subscribe"), &json!("b")));
    // It may have changed while nobody could say so.
    let heard = said(conversation.told(&result(line["id"].clone()))).remove(0);
    assert_eq!(
        (&heard["method"], &heard["params"]),
        (&json!("notifications/resources/updated"), &about("b"))
    );
    // The next daemon does not know it any more.
    let line = whole(&again(&mut conversation)[0]);
    said(conversation.told(&error(Some(&line["id"]), -32002, "gone")));
    assert!(again(&mut conversation).is_empty());
}

#[test]
fn a_client_that_listens_hears_of_it_once() {
    let mut conversation = Conversation::default();
    conversation.begin_again();
    let listen = request(
        json!(5),
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["a", "b"]}}),
    );
    heard(&mut conversation, &listen);
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 5});
    let acknowledged = notification("notifications/subscriptions/acknowledged", json!({"_meta": meta}));
    assert_eq!(conversation.told(&acknowledged), Verdict::Pass);
    // It never ends by itself, and must not keep a client that has left.
    assert!(conversation.is_answered());
    assert_eq!(conversation.begin_again(), [listen]);
    let heard = said(conversation.told(&acknowledged));
    let uris: Vec<&Value> = heard.iter().map(|line| &line["params"]["uri"]).collect();
    assert_eq!(uris, ["a", "b"]);
    assert!(heard.iter().all(|line| line["params"]["_meta"] == meta));
}

#[test]
fn progress_never_goes_back() {
    let mut conversation = begun();
    let progress =
        |at: f64| notification("notifications/progress", json!({"progressToken": "t", "progress": at}));
    let call = |id: u32| request(id.into(), "ping", json!({"_meta": {"progressToken": "t"}}));
    heard(&mut conversation, &call(1));
    for at in [1.0, 2.5] {
        assert_eq!(conversation.told(&progress(at)), Verdict::Pass);
    }
    again(&mut conversation);
    for (at, verdict) in [(1.0, Verdict::Drop), (2.5, Verdict::Drop), (3.0, Verdict::Pass)] {
        assert_eq!(conversation.told(&progress(at)), verdict, "{at}");
    }
    // Another request may use the token again.
    conversation.told(&result(json!(1)));
    heard(&mut conversation, &call(2));
    assert_eq!(conversation.told(&progress(1.0)), Verdict::Pass);
}

#[test]
fn a_new_daemon_hears_how_old_the_calls_are() {
    let began = Instant::now();
    let after = |ms| began + std::time::Duration::from_millis(ms);
    let mut conversation = begun();
    let call = |id: Value| request(id, "tools/call", json!({"name": "t"}));
    conversation.asked(&call(json!(1)), began);
    conversation.asked(&request(json!(2), "tools/list", json!({})), after(1));
    conversation.asked(&call(json!("3")), after(1_500));
    conversation.asked(&call("x".repeat(LONGEST_ID + 1).into()), after(1_500));
    let ages = |conversation: &Conversation, at| {
        let ages = conversation.ages(after(at)).into_iter();
        ages.map(|open| (open.id, open.ms)).collect::<Vec<_>>()
    };
    assert_eq!(ages(&conversation, 2_000), [(json!(1), 2_000), (json!("3"), 500)]);
    again(&mut conversation);
    conversation.told(&result(json!(1)));
    assert_eq!(ages(&conversation, 3_000), [(json!("3"), 1_500)], "also with the daemon after that");
}
