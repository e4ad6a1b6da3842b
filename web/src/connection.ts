import { type Door, type Expected, Stranger } from "./proof";
import type { ErrorBody, FromViewer, Operations, ToViewer } from "./protocol";

export type State = "connecting" | "connected" | "closed";

/** Receives the daemon's messages and the state of the connection. */
export interface Listener {
  /** Called for each message of the daemon. */
  message(message: ToViewer): void;
  /** Called when the state of the connection changes; `why` is empty while connected. */
  state(state: State, why: string): void;
}

/** Milliseconds until the next attempt. The first is short, since a replaced daemon is back at once. */
const FIRST_DELAY = 50;
const LONGEST_DELAY = 2000;
/** Error codes that another attempt would not change. */
const FINAL = ["SESSION_NOT_FOUND", "SESSION_DESTROYED"];

/** Watches one session, and reconnects when the daemon is replaced. */
export class Connection {
  #socket: WebSocket | undefined;
  #delay = FIRST_DELAY;

  /** Watches the named session, or by default the newest live one. */
  constructor(
    readonly door: Door,
    private session: string | null,
    readonly listener: Listener,
  ) {
    void this.#connect();
  }

  /** Sends a message. Without a connection it is lost; the page shows that there is none. */
  send(message: FromViewer) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #connect() {
    let pass: string;
    let expected: Expected;
    try {
      pass = await this.door.enter();
      this.session = await this.#find(pass);
      expected = await this.door.onSocket();
    } catch (error) {
      if (isFinal(error)) this.listener.state("closed", error.message);
      else this.#retry(error instanceof Refused ? error.message : "cotty does not answer");
      return;
    }
    if (this.session === null) return this.#retry("no live session yet: `cotty new` starts one");
    this.#watch(this.session, pass, expected);
  }

  /** Finds the session with a call first, because a WebSocket does not report why it was refused. */
  async #find(pass: string): Promise<string | null> {
    if (this.session !== null) {
      const info = await call(pass, "info", { session: this.session });
      return info.session_id;
    }
    const { sessions } = await call(pass, "list", {});
    return sessions.findLast((session) => !session.exited)?.session_id ?? null;
  }

  #watch(session: string, pass: string, expected: Expected) {
    const url = new URL(`/v1/sessions/${encodeURIComponent(session)}/view`, location.href);
    // How this viewer appears to others.
    url.search = `?name=page&kind=page&nonce=${expected.nonce}`;
    url.protocol = url.protocol.replace("http", "ws");
    // Browsers cannot set headers on a WebSocket, so the pass goes as a second "protocol".
    const socket = new WebSocket(url, ["cotty.view.v1", `cotty.bearer.${pass}`]);
    let proven = false;
    let gone = false;
    let greeted = false;
    socket.onmessage = (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as ToViewer;
      if (!proven) {
        proven = message.type === "proof" && message.proof === expected.proof;
        // Only now may something be shown or typed.
        if (proven) this.#socket = socket;
        else socket.close();
        return;
      }
      gone ||= message.type === "gone";
      this.listener.message(message);
      if (greeted) return;
      // Only now is there a screen to see and to type into.
      greeted = true;
      this.#delay = FIRST_DELAY;
      this.listener.state("connected", "");
    };
    socket.onclose = () => {
      this.#socket = undefined;
      if (gone) this.listener.state("closed", `${session} was destroyed`);
      else this.#retry("the connection was lost");
    };
  }

  #retry(why: string) {
    this.listener.state("connecting", why);
    setTimeout(() => void this.#connect(), this.#delay);
    this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
  }
}

/** The daemon returned an error. */
class Refused extends Error {
  constructor(readonly error: ErrorBody) {
    super(error.hint ? `${error.message}: ${error.hint}` : error.message);
  }
}

/** Whether another attempt would end in the same way. */
function isFinal(error: unknown): error is Error {
  return error instanceof Stranger || (error instanceof Refused && FINAL.includes(error.error.code));
}

async function call<Op extends keyof Operations>(
  pass: string,
  op: Op,
  params: Operations[Op]["params"],
): Promise<Operations[Op]["reply"]> {
  const response = await fetch("/v1/call", {
    method: "POST",
    headers: { authorization: `Bearer ${pass}`, "content-type": "application/json" },
    body: JSON.stringify({ op, retry_id: crypto.randomUUID(), caller: { kind: "person", client: "page" }, params }),
  });
  const answer = (await response.json()) as { ok: Operations[Op]["reply"] } | { error: ErrorBody };
  if ("error" in answer) throw new Refused(answer.error);
  return answer.ok;
}
