import { describe, expect, test } from "vitest";
import { activityText } from "../src/header";
import type { Activity, Exited } from "../src/protocol";

describe("the activity of a session", () => {
  const cases: [Activity, string][] = [
    [{ kind: "prompt" }, "prompt"],
    [{ kind: "running" }, "running"],
    [{ kind: "running", program: "make" }, "running make"],
    [{ kind: "waiting_for_input" }, "running"],
    [{ kind: "waiting_for_input", program: "python3" }, "running python3"],
    [{ kind: "pager", program: "less" }, "running less"],
    [{ kind: "editor", program: "vim" }, "running vim"],
    [{ kind: "secret_input" }, "asks for a secret"],
    [{ kind: "secret_suspected" }, "may ask for a secret"],
    // A paint came before the exit message.
    [{ kind: "exited" }, "exited"],
  ];
  test.each(cases)("%j is shown as %j", (activity, text) => {
    expect(activityText(activity, undefined)).toBe(text);
  });
});

describe("an exit", () => {
  const cases: [Omit<Exited, "type">, string][] = [
    [{ exit_code: 0, signal: null }, "exited 0"],
    [{ exit_code: 130, signal: null }, "exited 130"],
    [{ exit_code: null, signal: 9 }, "killed by signal 9"],
    // Neither is known.
    [{ exit_code: null, signal: null }, "exited"],
  ];
  test.each(cases)("%j is shown as %j", (ended, text) => {
    expect(activityText({ kind: "exited" }, { type: "exited", ...ended })).toBe(text);
  });
});
