import { describe, expect, test } from "vitest";
import { tokenIn, validToken } from "../src/token";

describe("the token in a link", () => {
  test.each([
    ["#token=abc-123_X", "abc-123_X"],
    ["#session=s1&token=abc", "abc"],
    ["#token=a%2Bb", "a+b"],
    ["#token=", ""],
    ["#", null],
    ["", null],
    ["#mytoken=abc", null],
    ["#Token=abc", null],
  ])("of %j is %j", (hash, token) => {
    expect(tokenIn(hash)).toBe(token);
  });
});

describe("a token in a header", () => {
  test.each(["abc", "A-Z_0.9~", "!"])("may be %j", (token) => {
    expect(validToken(token)).toBe(token);
  });

  test.each([null, "", "a b", "a\nb", "a\r\nx: y", "tökén", "a\u0000", "a\u007f", "abc\n"])(
    "may not be %j",
    (token) => {
      expect(validToken(token)).toBeNull();
    },
  );
});
