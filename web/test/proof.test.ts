import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DaemonDoor, mac, Stranger } from "../src/proof";

const KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const ORIGIN = "http://127.0.0.1:7420";
const NONCE = "a".repeat(64);

type Asked = { nonce: string; challenge?: string; proof?: string };
type Answer = { status: number; body: unknown } | Error;

let asked: Asked[];
let answer: (asked: Asked) => Answer | Promise<Answer>;

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (url: string, init: { body: string; redirect: string }) => {
    expect([url, init.redirect]).toEqual(["/v1/prove", "error"]);
    const body = JSON.parse(init.body) as Asked;
    asked.push(body);
    const given = await answer(body);
    if (given instanceof Error) throw given;
    const text = typeof given.body === "string" ? given.body : JSON.stringify(given.body);
    return { status: given.status, json: async () => JSON.parse(text) };
  });
});

afterEach(() => vi.unstubAllGlobals());

/** A daemon that knows a key and is reached at an origin. */
function daemon(key: string, origin: string) {
  return async ({ nonce, challenge, proof }: Asked): Promise<Answer> => {
    if (challenge === undefined) {
      return { status: 200, body: { challenge: "1-c", proof: await mac(key, origin, "daemon", nonce, "1-c") } };
    }
    return proof === (await mac(key, origin, "page", nonce, challenge))
      ? { status: 200, body: { pass: "page-1-x" } }
      : { status: 401, body: { error: { code: "UNAUTHORIZED" } } };
  };
}

const enter = () => new DaemonDoor(KEY, ORIGIN).enter();

describe("a proof", () => {
  // The same values as in crates/server/src/proof.rs.
  test.each([
    ["daemon", ["1-c"], "419a18955cef08bbc97e07563edab99f4671046e5d4544b4ff6056927d3d9b86"],
    ["page", ["1-c"], "c166116df45afbef7f2ceab50f7c15111feeccdd8d4ddde28f972e8031fb5e86"],
    ["socket", [], "68ba91b9d3d50e612e7a6950a1cf35e011da83a282b1018a3bb351fc20c12e99"],
  ] as const)("of the %s is what the daemon computes", async (role, parts, expected) => {
    expect(await mac(KEY, ORIGIN, role, NONCE, ...parts)).toBe(expected);
  });

  test("on a WebSocket is for its own nonce", async () => {
    const door = new DaemonDoor(KEY, ORIGIN);
    const [one, two] = [await door.onSocket(), await door.onSocket()];
    expect(one.nonce).not.toBe(two.nonce);
    expect(one.proof).toBe(await mac(KEY, ORIGIN, "socket", one.nonce));
  });
});

describe("entering", () => {
  test("gets a pass from the daemon, with a new nonce each time", async () => {
    answer = daemon(KEY, ORIGIN);
    expect([await enter(), await enter()]).toEqual(["page-1-x", "page-1-x"]);
    expect(asked).toHaveLength(4);
    expect(asked[0]?.nonce).toMatch(/^[0-9a-f]{64}$/);
    expect(asked[0]?.nonce).not.toBe(asked[2]?.nonce);
  });

  const strangers: [string, typeof answer][] = [
    ["another key", daemon("f".repeat(64), ORIGIN)],
    ["another port, through which requests are relayed", daemon(KEY, "http://127.0.0.1:7421")],
    ["no proof", () => ({ status: 200, body: { challenge: "1-c" } })],
    ["no challenge", () => ({ status: 200, body: { proof: "undefined" } })],
    ["the nonce as its proof", ({ nonce }) => ({ status: 200, body: { challenge: "1-c", proof: nonce } })],
    ["an error", () => ({ status: 404, body: { error: {} } })],
    ["a page", () => ({ status: 200, body: "<html>" })],
    ["null", () => ({ status: 200, body: "null" })],
  ];
  test.each(strangers)("stops at a stranger with %s, which learns only a nonce", async (_, stranger) => {
    answer = stranger;
    await expect(enter()).rejects.toThrow(Stranger);
    expect(asked.map((one) => Object.keys(one))).toEqual([["nonce"]]);
  });

  const failures: [string, Answer][] = [
    ["nothing answers", new TypeError("Failed to fetch")],
    ["the daemon is busy", { status: 503, body: {} }],
  ];
  test.each(failures)("fails for now when %s", async (_, failure) => {
    answer = () => failure;
    await expect(enter()).rejects.not.toThrow(Stranger);
  });

  test("fails for now when the daemon refuses the page's proof", async () => {
    const right = daemon(KEY, ORIGIN);
    answer = (one) => (one.challenge === undefined ? right(one) : { status: 401, body: { error: {} } });
    await expect(enter()).rejects.not.toThrow(Stranger);
  });
});
