import { describe, expect, test } from "vitest";
import { isCopy, keyMessage, type Press } from "../src/keys";

const MODIFIERS = ["ctrl", "alt", "shift", "meta"] as const;

/** A key event as a browser reports it: "ctrl+shift+C", "altgraph+@", "Enter". */
function press(chord: string, more: Partial<Press> = {}): Press {
  const parts = chord === "+" ? ["+"] : chord.replace(/\+\+$/, "+plus").split("+");
  const last = parts.pop();
  const held = (name: string) => parts.includes(name);
  const unknown = parts.filter((name) => name !== "altgraph" && !MODIFIERS.some((known) => known === name));
  if (last === undefined || unknown.length > 0) throw new Error(`invalid chord: ${chord}`);
  return {
    key: last === "plus" ? "+" : last,
    code: "",
    keyCode: 0,
    isComposing: false,
    ctrlKey: held("ctrl"),
    altKey: held("alt"),
    shiftKey: held("shift"),
    metaKey: held("meta"),
    getModifierState: (name) => name === "AltGraph" && held("altgraph"),
    ...more,
  };
}

/** The key that is sent, in the daemon's notation ("ctrl+c"); nothing if the browser keeps the key. */
function sent(event: Press, mac = false): string | undefined {
  const message = keyMessage(event, mac);
  if (message === undefined) return undefined;
  expect(message.type).toBe("key");
  const { key, ctrl, alt, shift } = message;
  return [ctrl && "ctrl", alt && "alt", shift && "shift", key].filter(Boolean).join("+");
}

describe("a character", () => {
  test.each([
    ["a", "a"],
    ["shift+A", "A"],
    [" ", " "],
    ["+", "+"],
    ["é", "é"],
    ["shift+?", "?"],
    // One character of two UTF-16 units.
    ["😀", "😀"],
    ["ctrl+c", "ctrl+c"],
    ["ctrl+[", "ctrl+["],
    ["ctrl+ ", "ctrl+ "],
    ["alt+b", "alt+b"],
    ["alt+shift+B", "alt+B"],
    ["ctrl+alt+d", "ctrl+alt+d"],
    // readline's undo: Shift belongs to the character.
    ["ctrl+shift+_", "ctrl+_"],
    ["ctrl+shift+@", "ctrl+@"],
    ["alt++", "alt++"],
    ["ctrl+alt+0", "ctrl+alt+0"],
  ])("%s is sent as %s", (chord, key) => {
    expect(sent(press(chord))).toBe(key);
  });

  test.each([
    ["altgraph+@", "@"],
    // Windows reports AltGr also as Control and Alt.
    ["ctrl+alt+altgraph+€", "€"],
    ["ctrl+alt+altgraph+\\", "\\"],
    ["shift+altgraph+°", "°"],
  ])("%s was selected with AltGr, so it has no modifiers", (chord, key) => {
    expect(sent(press(chord))).toBe(key);
  });

  test("Option on a Mac selects the character; elsewhere Alt is a modifier", () => {
    expect(sent(press("alt+å"), true)).toBe("å");
    expect(sent(press("alt+å"), false)).toBe("alt+å");
  });

  test("Control and Option together on a Mac are modifiers", () => {
    expect(sent(press("ctrl+alt+a"), true)).toBe("ctrl+alt+a");
  });
});

describe("a named key", () => {
  test.each([
    ["Enter", "enter"],
    ["Tab", "tab"],
    ["Backspace", "backspace"],
    ["Escape", "escape"],
    ["ArrowUp", "up"],
    ["ArrowDown", "down"],
    ["ArrowLeft", "left"],
    ["ArrowRight", "right"],
    ["Home", "home"],
    ["End", "end"],
    ["PageUp", "pageup"],
    ["PageDown", "pagedown"],
    ["Insert", "insert"],
    ["Delete", "delete"],
    ["F1", "f1"],
    ["F9", "f9"],
    ["F10", "f10"],
    ["F12", "f12"],
    // Shift does not change these names.
    ["shift+Tab", "shift+tab"],
    ["shift+Enter", "shift+enter"],
    ["ctrl+ArrowLeft", "ctrl+left"],
    ["ctrl+shift+ArrowLeft", "ctrl+shift+left"],
    ["alt+Backspace", "alt+backspace"],
    ["ctrl+alt+shift+F5", "ctrl+alt+shift+f5"],
    ["ctrl+Delete", "ctrl+delete"],
    ["alt+Insert", "alt+insert"],
  ])("%s is sent as %s", (chord, key) => {
    expect(sent(press(chord))).toBe(key);
  });

  test("Option stays a modifier on a Mac", () => {
    expect(sent(press("alt+ArrowLeft"), true)).toBe("alt+left");
  });
});

describe("the browser keeps", () => {
  test.each([
    // Zoom.
    "ctrl++",
    "ctrl+shift++",
    "ctrl+-",
    "ctrl+=",
    "ctrl+0",
    // Its own windows, tabs and tools.
    "ctrl+shift+T",
    "ctrl+shift+c",
    "meta+c",
    "meta+ArrowLeft",
    // Copy and paste.
    "ctrl+Insert",
    "shift+Insert",
    // Keys that type nothing.
    "shift+Shift",
    "ctrl+Control",
    "alt+Alt",
    "meta+Meta",
    "altgraph+AltGraph",
    "CapsLock",
    "NumLock",
    "ContextMenu",
    "Dead",
    "Unidentified",
    "Process",
    "F13",
    "F0",
    "F123",
    "AudioVolumeUp",
  ])("%s", (chord) => {
    expect(sent(press(chord))).toBeUndefined();
  });

  test("keys of an input method's composition, by either sign of it", () => {
    expect(sent(press("a", { isComposing: true }))).toBeUndefined();
    expect(sent(press("Enter", { isComposing: true }))).toBeUndefined();
    expect(sent(press("a", { keyCode: 229 }))).toBeUndefined();
    expect(sent(press("Process", { keyCode: 229 }))).toBeUndefined();
  });
});

test.each([
  ["ctrl+shift+C", "KeyC", true],
  // By position, so that it is the same key in every keyboard layout.
  ["ctrl+shift+С", "KeyC", true],
  ["ctrl+c", "KeyC", false],
  ["shift+C", "KeyC", false],
  ["ctrl+shift+J", "KeyJ", false],
])("%s at %s copies: %s", (chord, code, copies) => {
  expect(isCopy(press(chord, { code }))).toBe(copies);
});
