use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn conversation() -> McpConversation {
    let origin = cotty_protocol::Origin { cwd: "/".into(), env: Default::default() };
    let (tools, only, open) = (Vec::new(), Vec::new(), Vec::new());
    McpConversation::new(McpHello { instance: "i".into(), origin, tools, only, max_call_ms: None, open })
}

/// A conversation after the handshake.
fn initialized() -> McpConversation {
    let mut conversation = conversation();
    assert!(conversation.begin_again().is_empty());
    assert_eq!(client_sent(&mut conversation, INITIALIZE), Verdict::Pass);
    assert_eq!(conversation.daemon_sent(&result(json!(0))), Verdict::Pass);
    assert_eq!(client_sent(&mut conversation, INITIALIZED), Verdict::Pass);
    conversation
}

/// Handles a line from the client; the time does not matter.
fn client_sent(conversation: &mut McpConversation, line: &str) -> Verdict {
    conversation.client_sent(line, Instant::now())
}

fn request(id: Value, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn result(id: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()
}

/// Connects to a new daemon. It gets the handshake under another id; returns the lines that follow it.
fn reconnect(conversation: &mut McpConversation) -> Vec<String> {
    let lines = conversation.begin_again();
    let first = whole(&lines[0]);
    assert_eq!((&first["method"], &lines[1]), (&json!("initialize"), &INITIALIZED.to_owned()));
    assert_ne!(first["id"], json!(0));
    assert_eq!(
        conversation.daemon_sent(&result(first["id"].clone())),
        Verdict::Drop,
        "the client already has it"
    );
    lines[2..].to_vec()
}

fn lines_of(verdict: Verdict) -> Vec<Value> {
    match verdict {
        Verdict::Answer(lines) => lines.iter().map(|line| whole(line)).collect(),
        Verdict::Swap(line) => vec![whole(&line)],
        other => panic!("no lines: {other:?}"),
    }
}

#[test]
fn a_new_daemon_receives_the_handshake_and_the_open_requests() {
    let mut conversation = initialized();
    // `2` and `"2"` are two requests.
    let [one, two, three] = [json!(1), json!("2"), json!(2)].map(|id| request(id, "ping", json!({})));
    for line in [&one, &two, &three] {
        assert_eq!(client_sent(&mut conversation, line), Verdict::Pass);
    }
    assert_eq!(conversation.daemon_sent(&result(json!(1))), Verdict::Pass);
    assert_eq!(reconnect(&mut conversation), [two.clone(), three.clone()]);
    let cancelled = notification("notifications/cancelled", json!({"requestId": 2}));
    assert_eq!(client_sent(&mut conversation, &cancelled), Verdict::Pass);
    assert_eq!(conversation.daemon_sent(&result(json!(2))), Verdict::Drop, "it was cancelled");
    assert_eq!(reconnect(&mut conversation), [two]);
    assert!(!conversation.is_answered());
    conversation.daemon_sent(&result(json!("2")));
    assert!(conversation.is_answered());
}

#[test]
fn an_unanswered_handshake_is_an_open_request() {
    let mut conversation = conversation();
    conversation.begin_again();
    client_sent(&mut conversation, INITIALIZE);
    assert_eq!(conversation.begin_again(), [INITIALIZE]);
    assert_eq!(conversation.daemon_sent(&result(json!(0))), Verdict::Pass);
    assert_eq!(whole(&conversation.begin_again()[0])["method"], "initialize");
}

#[test]
fn a_line_that_is_not_a_message_is_refused() {
    let mut conversation = initialized();
    let code = |verdict| lines_of(verdict)[0]["error"]["code"].clone();
    assert_eq!(code(client_sent(&mut conversation, "[{}]")), -32600);
    assert_eq!(code(client_sent(&mut conversation, "[")), -32600);
    assert_eq!(code(client_sent(&mut conversation, "{\"id\":")), -32700);
    assert_eq!(client_sent(&mut conversation, "  "), Verdict::Drop);
    // The daemon decides.
    assert_eq!(client_sent(&mut conversation, r#"{"method":5}"#), Verdict::Pass);
    assert!(conversation.is_answered() && reconnect(&mut conversation).is_empty());
}

#[test]
fn a_request_that_the_daemon_would_not_answer_is_refused_by_its_id() {
    let mut conversation = initialized();
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
        let refused = lines_of(client_sent(&mut conversation, line)).remove(0);
        assert_eq!(refused["error"]["code"], code, "{line}");
        let id = serde_json::from_str::<MessageHead>(line).unwrap().id;
        assert_eq!(Some(&refused["id"]), id.as_ref(), "{line}");
        assert!(!conversation.has_open(), "{line}");
    }
    for params in [r#"{"name":"t"}"#, r#"{"name":"t","arguments":null}"#, r#"{"name":"t","arguments":{}}"#] {
        assert_eq!(client_sent(&mut conversation, &call(params)), Verdict::Pass);
        conversation.daemon_sent(&result(json!(7)));
    }
}

#[test]
fn too_many_open_requests_are_refused_and_not_kept() {
    let mut conversation = initialized();
    for id in 0..MOST_OPEN {
        assert_eq!(client_sent(&mut conversation, &request(id.into(), "ping", json!({}))), Verdict::Pass);
    }
    let refused = lines_of(client_sent(&mut conversation, &request(json!("more"), "ping", json!({}))));
    assert_eq!((&refused[0]["id"], &refused[0]["error"]["code"]), (&json!("more"), &json!(-32000)));
    assert_eq!(conversation.give_up("gone").len(), MOST_OPEN);
    let large = request(json!(1), "ping", json!({"text": "x".repeat(MOST_BYTES / 2)}));
    assert_eq!(client_sent(&mut conversation, &large), Verdict::Pass);
    assert_eq!(lines_of(client_sent(&mut conversation, &large)).len(), 1);
    conversation.daemon_sent(&result(json!(1)));
    assert_eq!(client_sent(&mut conversation, &large), Verdict::Pass);
}

#[test]
fn an_open_request_is_answered_once_when_cotty_is_stopped() {
    let mut conversation = initialized();
    client_sent(&mut conversation, &request(json!("b"), "ping", json!({})));
    let answers = conversation.give_up("stopped");
    let answer = whole(&answers[0]);
    assert!(answers.len() == 1 && answer["id"] == "b" && answer["error"]["message"] == "stopped");
    assert!(conversation.is_answered() && conversation.give_up("stopped").is_empty());
}

#[test]
fn requests_of_two_daemons_have_different_ids() {
    let mut conversation = initialized();
    let question = request(json!(0), "elicitation/create", json!({}));
    let first = lines_of(conversation.daemon_sent(&question)).remove(0)["id"].clone();
    let lost: Vec<Value> = conversation.lost().iter().map(|line| whole(line)).collect();
    assert_eq!(
        (&lost[0]["method"], &lost[0]["params"]["requestId"]),
        (&json!("notifications/cancelled"), &first)
    );
    assert!(conversation.lost().is_empty());
    reconnect(&mut conversation);
    let second = lines_of(conversation.daemon_sent(&question)).remove(0)["id"].clone();
    assert_ne!(first, second);
    assert_eq!(client_sent(&mut conversation, &result(first)), Verdict::Drop, "its daemon is gone");
    assert_eq!(lines_of(client_sent(&mut conversation, &result(second.clone())))[0]["id"], 0);
    assert_eq!(client_sent(&mut conversation, &result(second)), Verdict::Drop, "answered already");
    assert_eq!(client_sent(&mut conversation, &result(json!(0))), Verdict::Drop, "never asked");
}

#[test]
fn a_daemon_cancels_its_request_by_the_id_that_the_client_knows() {
    let mut conversation = initialized();
    let asked =
        lines_of(conversation.daemon_sent(&request(json!(7), "elicitation/create", json!({})))).remove(0);
    let back = notification("notifications/cancelled", json!({"requestId": 7}));
    assert_eq!(lines_of(conversation.daemon_sent(&back))[0]["params"]["requestId"], asked["id"]);
    assert_eq!(conversation.daemon_sent(&back), Verdict::Pass, "another request");
    assert!(conversation.lost().is_empty());
}

#[test]
fn subscriptions_are_sent_again_until_they_end() {
    let mut conversation = initialized();
    let about = |uri: &str| json!({"uri": uri});
    for (id, uri) in [(1, "a"), (2, "b")] {
        client_sent(&mut conversation, &request(id.into(), "resources/subscribe", about(uri)));
        assert_eq!(conversation.daemon_sent(&result(id.into())), Verdict::Pass);
    }
    // A refused subscription is not sent again.
    client_sent(&mut conversation, &request(json!(3), "resources/subscribe", about("c")));
    assert_eq!(conversation.daemon_sent(&error(Some(&json!(3)), -32002, "no")), Verdict::Pass);
    client_sent(&mut conversation, &request(json!(4), "resources/unsubscribe", about("a")));
    conversation.daemon_sent(&result(json!(4)));
    let lines = reconnect(&mut conversation);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    let line = whole(line);
    assert_eq!((&line["method"], &line["params"]["uri"]), (&json!("resources/subscribe"), &json!("b")));
    // The resource might have changed while no daemon ran.
    let update = lines_of(conversation.daemon_sent(&result(line["id"].clone()))).remove(0);
    assert_eq!(
        (&update["method"], &update["params"]),
        (&json!("notifications/resources/updated"), &about("b"))
    );
    // The next daemon no longer knows the resource.
    let line = whole(&reconnect(&mut conversation)[0]);
    lines_of(conversation.daemon_sent(&error(Some(&line["id"]), -32002, "gone")));
    assert!(reconnect(&mut conversation).is_empty());
}

#[test]
fn a_listening_client_is_acknowledged_once() {
    let mut conversation = conversation();
    conversation.begin_again();
    let listen = request(
        json!(5),
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["a", "b"]}}),
    );
    client_sent(&mut conversation, &listen);
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 5});
    let acknowledged = notification("notifications/subscriptions/acknowledged", json!({"_meta": meta}));
    assert_eq!(conversation.daemon_sent(&acknowledged), Verdict::Pass);
    // It never ends by itself, so it must not keep the pipe open after the client has left.
    assert!(conversation.is_answered());
    assert_eq!(conversation.begin_again(), [listen]);
    let updates = lines_of(conversation.daemon_sent(&acknowledged));
    let uris: Vec<&Value> = updates.iter().map(|line| &line["params"]["uri"]).collect();
    assert_eq!(uris, ["a", "b"]);
    assert!(updates.iter().all(|line| line["params"]["_meta"] == meta));
}

#[test]
fn progress_never_decreases() {
    let mut conversation = initialized();
    let progress =
        |at: f64| notification("notifications/progress", json!({"progressToken": "t", "progress": at}));
    let call = |id: u32| request(id.into(), "ping", json!({"_meta": {"progressToken": "t"}}));
    client_sent(&mut conversation, &call(1));
    for at in [1.0, 2.5] {
        assert_eq!(conversation.daemon_sent(&progress(at)), Verdict::Pass);
    }
    reconnect(&mut conversation);
    for (at, verdict) in [(1.0, Verdict::Drop), (2.5, Verdict::Drop), (3.0, Verdict::Pass)] {
        assert_eq!(conversation.daemon_sent(&progress(at)), verdict, "{at}");
    }
    // Another request may reuse the token.
    conversation.daemon_sent(&result(json!(1)));
    client_sent(&mut conversation, &call(2));
    assert_eq!(conversation.daemon_sent(&progress(1.0)), Verdict::Pass);
}

#[test]
fn a_new_daemon_receives_the_ages_of_open_calls() {
    let began = Instant::now();
    let after = |ms| began + std::time::Duration::from_millis(ms);
    let mut conversation = initialized();
    let call = |id: Value| request(id, "tools/call", json!({"name": "t"}));
    conversation.client_sent(&call(json!(1)), began);
    conversation.client_sent(&request(json!(2), "tools/list", json!({})), after(1));
    conversation.client_sent(&call(json!("3")), after(1_500));
    conversation.client_sent(&call("x".repeat(LONGEST_ID + 1).into()), after(1_500));
    let ages = |conversation: &McpConversation, at| {
        let ages = conversation.ages(after(at)).into_iter();
        ages.map(|open| (open.id, open.ms)).collect::<Vec<_>>()
    };
    assert_eq!(ages(&conversation, 2_000), [(json!(1), 2_000), (json!("3"), 500)]);
    reconnect(&mut conversation);
    conversation.daemon_sent(&result(json!(1)));
    assert_eq!(
        ages(&conversation, 3_000),
        [(json!("3"), 1_500)],
        "the age includes the time with earlier daemons"
    );
}
