import { describe, expect, test } from "vitest";
import { keyIn, validKey } from "../src/key";

describe("the key in a link", () => {
  test.each([
    ["#key=abc-123_X", "abc-123_X"],
    ["#session=s1&key=abc", "abc"],
    ["#key=a%2Bb", "a+b"],
    ["#key=", ""],
    ["#", null],
    ["", null],
    ["#mykey=abc", null],
    ["#Key=abc", null],
    ["#token=abc", null],
  ])("of %j is %j", (hash, key) => {
    expect(keyIn(hash)).toBe(key);
  });
});

describe("a key", () => {
  const right = "0123456789abcdef".repeat(4);

  test("has 64 hex digits", () => {
    expect(validKey(right)).toBe(right);
  });

  test.each([null, "", "abc", `${right}0`, right.toUpperCase(), `${right}\n`, right.replace("0", "g")])(
    "may not be %j",
    (key) => {
      expect(validKey(key)).toBeNull();
    },
  );
});
