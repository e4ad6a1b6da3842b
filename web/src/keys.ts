import type { Key } from "./protocol";

/** The browser's names of keys, and the daemon's. */
const NAMES: Record<string, string> = {
  Enter: "enter",
  Tab: "tab",
  Backspace: "backspace",
  Escape: "escape",
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "home",
  End: "end",
  PageUp: "pageup",
  PageDown: "pagedown",
  Insert: "insert",
  Delete: "delete",
};

/** Control with one of these changes the size of the page's text. */
const ZOOM = "+-=0";

/** What is read of a browser's event. */
export type Press = Pick<
  KeyboardEvent,
  "key" | "code" | "keyCode" | "isComposing" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey" | "getModifierState"
>;

/** Whether it asks for a copy of what is selected: Ctrl+C is the program's. */
export function isCopy(event: Press): boolean {
  return event.ctrlKey && event.shiftKey && event.code === "KeyC";
}

/** What a pressed key is to the daemon; nothing where it is the browser's, or part of a composition. */
export function keyMessage(event: Press, mac: boolean): Key | undefined {
  // 229: an input method has the key, and what it makes of it comes as text.
  if (event.isComposing || event.keyCode === 229 || event.metaKey) return undefined;
  const { key, ctrlKey: ctrl, altKey: alt, shiftKey: shift } = event;
  if ([...key].length === 1) {
    // AltGr, and Option on a Mac, chose the character and are no modifiers of it.
    const chosen = event.getModifierState("AltGraph") || (mac && alt && !ctrl);
    if (chosen) return { type: "key", key, ctrl: false, alt: false, shift: false };
    if (ctrl && !alt && (ZOOM.includes(key) || (shift && /[a-z]/i.test(key)))) return undefined;
    // The character itself says whether Shift was held.
    return { type: "key", key, ctrl, alt, shift: false };
  }
  // Copy and paste, where the browser has them on these.
  if (key === "Insert" && (ctrl || shift)) return undefined;
  const name = NAMES[key] ?? (/^F([1-9]|1[0-2])$/.test(key) ? key.toLowerCase() : undefined);
  return name === undefined ? undefined : { type: "key", key: name, ctrl, alt, shift };
}
