import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Connection, type State } from "../src/connection";
import { type Door, Stranger } from "../src/proof";
import type { ToViewer } from "../src/protocol";

/** The browser's WebSocket. The test plays the daemon. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  onmessage?: (event: { data: string }) => void;
  onclose?: () => void;

  constructor(
    readonly url: URL,
    readonly protocols: string[],
  ) {
    FakeSocket.all.push(this);
  }

  send(text: string) {
    this.sent.push(text);
  }

  /** The daemon sends its first message. */
  prove(proof = "right") {
    this.tell({ type: "proof", proof });
    return this;
  }

  /** The daemon sends a message. */
  tell(message: ToViewer) {
    this.readyState = FakeSocket.OPEN;
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  close() {
    this.readyState = 3;
    this.onclose?.();
  }
}

type Answer = { ok: unknown } | { error: { code: string; message: string; hint?: string } };
type Call = { op: string; retry_id: string; params: { session?: string } };

/** Lets the page in, unless `entering` says otherwise. */
const door: Door = {
  enter: async () => {
    entries++;
    if (entering !== undefined) throw entering;
    return "pass";
  },
  onSocket: async () => ({ nonce: "abc", proof: "right" }),
};
let entering: Error | undefined;
let entries: number;
let answers: (Answer | Error | string)[];
let calls: Call[];
let headers: Record<string, string>[];
let states: [State, string][];
let messages: ToViewer[];

beforeEach(() => {
  vi.useFakeTimers();
  entering = undefined;
  entries = 0;
  answers = [];
  calls = [];
  headers = [];
  states = [];
  messages = [];
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { href: "http://127.0.0.1:7070/?session=build#x" });
  vi.stubGlobal("fetch", async (url: string, init: { body: string; headers: Record<string, string> }) => {
    expect(url).toBe("/v1/call");
    calls.push(JSON.parse(init.body));
    headers.push(init.headers);
    const answer = answers.shift();
    if (answer === undefined) throw new Error("the test has no answer for this call");
    if (answer instanceof Error) throw answer;
    return { json: async () => (typeof answer === "string" ? JSON.parse(answer) : answer) };
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  expect(answers).toEqual([]);
});

/** Delivers answers without advancing the clock. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const found = (session_id: string): Answer => ({ ok: { session_id, exited: false } });
const refused = (code: string, hint?: string): Answer => ({ error: { code, message: `no: ${code}`, hint } });
const paint: ToViewer = {
  type: "paint",
  seq: 1,
  full: true,
  cols: 80,
  rows: 24,
  data: "$ ",
  session_id: "s1",
  title: "",
  activity: { kind: "prompt" },
};

async function connect(session: string | null, ...given: typeof answers) {
  answers.push(...given);
  const connection = new Connection(door, session, {
    state: (state, why) => states.push([state, why]),
    message: (message) => messages.push(message),
  });
  await settle();
  return connection;
}

function socket(): FakeSocket {
  const last = FakeSocket.all.at(-1);
  if (last === undefined) throw new Error("no WebSocket was opened");
  return last;
}

describe("finding the session", () => {
  test("a named session is looked up, and watched by the id that the daemon returns", async () => {
    await connect("build", found("s 1/x"));
    expect(calls).toMatchObject([{ op: "info", params: { session: "build" }, caller: { kind: "person" } }]);
    expect(headers[0]?.authorization).toBe("Bearer pass");
    expect(socket().url.href).toBe("ws://127.0.0.1:7070/v1/sessions/s%201%2Fx/view?name=page&kind=page&nonce=abc");
    expect(socket().protocols).toEqual(["cotty.view.v1", "cotty.bearer.pass"]);
  });

  test("over https the WebSocket is encrypted, too", async () => {
    vi.stubGlobal("location", { href: "https://box.example/" });
    await connect("s1", found("s1"));
    expect(socket().url.href).toBe("wss://box.example/v1/sessions/s1/view?name=page&kind=page&nonce=abc");
  });

  test("without a name, the newest live session is watched", async () => {
    const sessions = [
      { session_id: "old", exited: false },
      { session_id: "newest-alive", exited: false },
      { session_id: "ended", exited: true },
    ];
    await connect(null, { ok: { sessions } });
    expect(calls).toMatchObject([{ op: "list" }]);
    expect(socket().url.pathname).toBe("/v1/sessions/newest-alive/view");
  });

  test("without a live session, the page says so and tries again", async () => {
    await connect(null, { ok: { sessions: [] } });
    expect(states).toEqual([["connecting", "no live session yet: `cotty new` starts one"]]);
    expect(FakeSocket.all).toEqual([]);
    answers.push({ ok: { sessions: [{ session_id: "s1", exited: false }] } });
    await vi.advanceTimersByTimeAsync(50);
    expect(socket().url.pathname).toBe("/v1/sessions/s1/view");
  });

  test("a session once found is kept, even if there is a newer one", async () => {
    await connect(null, { ok: { sessions: [{ session_id: "s1", exited: false }] } });
    socket().prove().tell(paint);
    answers.push(found("s1"));
    socket().close();
    await vi.advanceTimersByTimeAsync(50);
    expect(calls.at(-1)).toMatchObject({ op: "info", params: { session: "s1" } });
  });
});

describe("the door", () => {
  test("of a stranger ends the attempts", async () => {
    entering = new Stranger();
    await connect("s1");
    expect(states).toEqual([["closed", new Stranger().message]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([entries, calls]).toEqual([1, []]);
  });

  test("is tried again when nothing answers, and before every call", async () => {
    entering = new TypeError("Failed to fetch");
    await connect("s1");
    expect(states).toEqual([["connecting", "cotty does not answer"]]);
    entering = undefined;
    answers.push(found("s1"));
    await vi.advanceTimersByTimeAsync(50);
    socket().prove().tell(paint);
    answers.push(found("s1"));
    socket().close();
    await vi.advanceTimersByTimeAsync(50);
    expect([entries, calls.length]).toEqual([3, 2]);
  });
});

describe("a WebSocket without the right proof", () => {
  const first: [string, ToViewer][] = [
    ["a wrong proof", { type: "proof", proof: "wrong" }],
    ["a paint", paint],
  ];
  test.each(first)("is closed after %s: nothing is shown, and nothing typed", async (_, message) => {
    const connection = await connect("s1", found("s1"));
    const opened = socket();
    opened.readyState = FakeSocket.OPEN;
    connection.send({ type: "take" });
    entering = new Stranger();
    opened.tell(message);
    opened.readyState = FakeSocket.OPEN;
    connection.send({ type: "take" });
    await vi.advanceTimersByTimeAsync(50);
    expect([messages, opened.sent, FakeSocket.all]).toEqual([[], [], [opened]]);
    expect(states.map(([state]) => state)).toEqual(["connecting", "closed"]);
  });
});

describe("an error", () => {
  test.each(["SESSION_NOT_FOUND", "SESSION_DESTROYED"])("%s ends the attempts", async (code) => {
    await connect("s1", refused(code, "do this"));
    expect(states).toEqual([["closed", `no: ${code}: do this`]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
  });

  test("any other is shown, and the call is tried again", async () => {
    await connect("s1", refused("BUSY"));
    expect(states).toEqual([["connecting", "no: BUSY"]]);
    answers.push(found("s1"));
    await vi.advanceTimersByTimeAsync(50);
    expect(FakeSocket.all).toHaveLength(1);
  });

  const silences: [string, Error | string][] = [
    ["the connection fails", new TypeError("Failed to fetch")],
    ["the answer is not JSON", "<html>502</html>"],
    ["the answer is null", "null"],
  ];
  test.each(silences)("when %s, the page says that cotty does not answer", async (_, answer) => {
    await connect("s1", answer);
    expect(states).toEqual([["connecting", "cotty does not answer"]]);
    answers.push(found("s1"));
    await vi.advanceTimersByTimeAsync(50);
    expect(FakeSocket.all).toHaveLength(1);
  });
});

describe("attempts", () => {
  test("come less and less often, but at least every two seconds", async () => {
    await connect("s1", new Error("down"));
    for (const delay of [50, 100, 200, 400, 800, 1600, 2000, 2000]) {
      const before = calls.length;
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(calls).toHaveLength(before);
      answers.push(new Error("still down"));
      await vi.advanceTimersByTimeAsync(1);
      expect(calls).toHaveLength(before + 1);
    }
  });

  test("have different retry ids", async () => {
    await connect("s1", new Error("down"));
    answers.push(new Error("down"));
    await vi.advanceTimersByTimeAsync(50);
    const ids = calls.map((call) => call.retry_id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 0)).toBe(true);
  });

  test("are quick again after a paint, not after a mere connection", async () => {
    await connect("s1", new Error("down"));
    answers.push(found("s1"));
    await vi.advanceTimersByTimeAsync(50);
    // Opened, and closed before any message: the next attempt waits even longer.
    answers.push(found("s1"));
    socket().close();
    await vi.advanceTimersByTimeAsync(99);
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(FakeSocket.all).toHaveLength(2);
    socket().prove().tell(paint);
    answers.push(found("s1"));
    socket().close();
    await vi.advanceTimersByTimeAsync(50);
    expect(FakeSocket.all).toHaveLength(3);
  });
});

describe("while a session is watched", () => {
  test("the first message makes it connected, once", async () => {
    await connect("s1", found("s1"));
    expect(states).toEqual([]);
    socket().prove().tell(paint);
    socket().tell(paint);
    expect(states).toEqual([["connected", ""]]);
    expect(messages).toEqual([paint, paint]);
  });

  test("a message is shown before the page says that it is connected", async () => {
    const order: string[] = [];
    answers.push(found("s1"));
    new Connection(door, "s1", { state: (state) => order.push(state), message: ({ type }) => order.push(type) });
    await settle();
    socket().prove().tell(paint);
    expect(order).toEqual(["paint", "connected"]);
  });

  test("every kind of message is passed on unchanged", async () => {
    await connect("s1", found("s1"));
    const sent: ToViewer[] = [
      paint,
      { type: "exited", exit_code: null, signal: 15 },
      { type: "refused", code: "SECRET_INPUT", message: "not now", hint: "wait" },
      { type: "gone" },
    ];
    socket().prove();
    for (const message of sent) socket().tell(message);
    expect(messages).toEqual(sent);
  });

  test("a lost connection is reopened", async () => {
    await connect("s1", found("s1"));
    socket().prove().tell(paint);
    answers.push(found("s1"));
    socket().close();
    expect(states.at(-1)).toEqual(["connecting", "the connection was lost"]);
    await vi.advanceTimersByTimeAsync(50);
    socket().prove().tell(paint);
    expect(states.at(-1)).toEqual(["connected", ""]);
  });

  test("a destroyed session ends the attempts, and the page names it", async () => {
    await connect("s1", found("s1"));
    socket().prove().tell(paint);
    socket().tell({ type: "gone" });
    socket().close();
    expect(states.at(-1)).toEqual(["closed", "s1 was destroyed"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });
});

describe("input", () => {
  test("is sent as JSON with a connection", async () => {
    const connection = await connect("s1", found("s1"));
    socket().prove().tell(paint);
    connection.send({ type: "key", key: "c", ctrl: true, alt: false, shift: false });
    connection.send({ type: "text", text: 'a "b"\n', paste: "auto" });
    expect(socket().sent.map((text) => JSON.parse(text))).toEqual([
      { type: "key", key: "c", ctrl: true, alt: false, shift: false },
      { type: "text", text: 'a "b"\n', paste: "auto" },
    ]);
  });

  test("is not kept for later without a connection", async () => {
    const connection = await connect("s1", found("s1"));
    connection.send({ type: "take" });
    socket().prove().tell(paint);
    expect(socket().sent).toEqual([]);
    answers.push(found("s1"));
    socket().close();
    connection.send({ type: "take" });
    await vi.advanceTimersByTimeAsync(50);
    socket().prove().tell(paint);
    expect(FakeSocket.all.flatMap((one) => one.sent)).toEqual([]);
  });
});
