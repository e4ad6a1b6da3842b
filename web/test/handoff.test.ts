import { describe, expect, test } from "vitest";
import { banner } from "../src/handoff";
import type { HandoffNotice, Presence } from "../src/protocol";

function presence(state: HandoffNotice["state"], more: Partial<Presence> = {}): Presence {
  return {
    type: "presence",
    holder: "nobody",
    yours: false,
    others: [],
    count: 0,
    mouse: false,
    alternate: false,
    fitted: false,
    handoff: { request_id: "p1", from: "claude", message: "log in, please", state },
    ...more,
  };
}

describe("the banner", () => {
  test("shows who asks for what, with the button, while the request waits", () => {
    expect(banner(presence("waiting"))).toEqual({
      request_id: "p1",
      from: "claude asks:",
      message: "log in, please",
      state: "",
      takes: true,
    });
  });

  test("says that you have the keyboard, and does not offer it again", () => {
    const shown = banner(presence("taken", { holder: "person", yours: true, by: "ann" }));
    expect(shown).toMatchObject({ state: "you have the keyboard", takes: false });
  });

  test("says who has taken the request, and offers to take over", () => {
    const shown = banner(presence("taken", { holder: "person", by: "bob" }));
    expect(shown).toMatchObject({ state: "bob has the keyboard", takes: true });
  });

  test("calls a person without a name someone", () => {
    expect(banner(presence("taken", { holder: "person" }))?.state).toBe("somebody has the keyboard");
  });

  test.each(["completed", "declined", "timeout", "cancelled"] as const)("is hidden when the request is %s", (state) => {
    expect(banner(presence(state))).toBeUndefined();
  });

  test("is hidden without a request", () => {
    expect(banner(presence("waiting", { handoff: undefined }))).toBeUndefined();
  });
});
