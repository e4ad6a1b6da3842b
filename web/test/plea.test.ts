import { describe, expect, test } from "vitest";
import { banner } from "../src/plea";
import type { Asked, Company } from "../src/protocol";

function company(state: Asked["state"], more: Partial<Company> = {}): Company {
  return {
    type: "company",
    holder: "nobody",
    yours: false,
    others: [],
    count: 0,
    mouse: false,
    alternate: false,
    fitted: false,
    plea: { plea: "p1", from: "claude", message: "log in, please", state },
    ...more,
  };
}

describe("the banner", () => {
  test("shows who asks and what, with the button, while it waits", () => {
    expect(banner(company("waiting"))).toEqual({
      plea: "p1",
      from: "claude asks:",
      message: "log in, please",
      state: "",
      takes: true,
    });
  });

  test("says that the keyboard is yours, and does not offer it again", () => {
    const shown = banner(company("taken", { holder: "person", yours: true, by: "ann" }));
    expect(shown).toMatchObject({ state: "you have the keyboard", takes: false });
  });

  test("says who else is at it, and offers to take over", () => {
    const shown = banner(company("taken", { holder: "person", by: "bob" }));
    expect(shown).toMatchObject({ state: "bob is at it", takes: true });
  });

  test("has a word for a person without a name", () => {
    expect(banner(company("taken", { holder: "person" }))?.state).toBe("somebody is at it");
  });

  test.each(["completed", "declined", "timeout", "cancelled"] as const)("is gone when the request is %s", (state) => {
    expect(banner(company(state))).toBeUndefined();
  });

  test("is not there while nobody has asked", () => {
    expect(banner(company("waiting", { plea: undefined }))).toBeUndefined();
  });
});
