/** What answers does not know the page's credential. */
export class Stranger extends Error {
  constructor() {
    super("the link is old, or another program answers at this address: open the link that `cotty status` prints");
  }
}

/** What the page sends on a WebSocket, and what must come back first. */
export interface Expected {
  nonce: string;
  proof: string;
}

/** How the page gets in: page and daemon prove to each other that they know the credential, and neither sends it. */
export interface Door {
  /** Returns a pass: a token for this origin that is valid for some minutes. */
  enter(): Promise<string>;
  /** The proof that the daemon must send first on a WebSocket. */
  onSocket(): Promise<Expected>;
}

/** The door of the daemon at this origin. */
export class DaemonDoor implements Door {
  constructor(
    readonly key: string,
    readonly origin: string,
  ) {}

  async enter(): Promise<string> {
    const nonce = freshNonce();
    const { challenge, proof } = await ask({ nonce });
    // Nothing derived from the credential leaves the page before this.
    if (typeof challenge !== "string" || proof !== (await this.#mac("daemon", nonce, challenge))) throw new Stranger();
    const { pass } = await ask({ nonce, challenge, proof: await this.#mac("page", nonce, challenge) });
    if (typeof pass !== "string") throw new Error("no pass");
    return pass;
  }

  async onSocket(): Promise<Expected> {
    const nonce = freshNonce();
    return { nonce, proof: await this.#mac("socket", nonce) };
  }

  #mac(role: Role, ...parts: string[]): Promise<string> {
    return mac(this.key, this.origin, role, ...parts);
  }
}

type Role = "daemon" | "page" | "socket";

/** The daemon computes the same: `crates/server/src/proof.rs`. */
export async function mac(key: string, origin: string, role: Role, ...parts: string[]): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", bytes(key), algorithm, false, ["sign"]);
  const message = ["cotty page 1", role, origin, ...parts].join("\n");
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", secret, bytes(message))));
}

function freshNonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws if nothing answers, or if the daemon cannot answer now. Any other answer is for the caller to check. */
async function ask(body: object): Promise<Record<string, unknown>> {
  const response = await fetch("/v1/prove", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    // The proof must not go anywhere else.
    redirect: "error",
  });
  if (response.status >= 500) throw new Error("busy");
  const answer: unknown = await response.json().catch(() => null);
  return typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : {};
}
