import type { Key } from "./protocol";

/** The daemon's names for the browser's key names. */
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

/** Control with one of these zooms the page. */
const ZOOM = "+-=0";

/** The fields of a browser's event that are used here. */
export type Press = Pick<
  KeyboardEvent,
  "key" | "code" | "keyCode" | "isComposing" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey" | "getModifierState"
>;

/** Whether the key copies the selection. Ctrl+C itself goes to the program. */
export function isCopy(event: Press): boolean {
  return event.ctrlKey && event.shiftKey && event.code === "KeyC";
}

/** The message for a pressed key; nothing if the browser keeps the key or it is part of a composition. */
export function keyMessage(event: Press, mac: boolean): Key | undefined {
  // 229: an input method has the key; its result comes as text.
  if (event.isComposing || event.keyCode === 229 || event.metaKey) return undefined;
  const { key, ctrlKey: ctrl, altKey: alt, shiftKey: shift } = event;
  if ([...key].length === 1) {
    // AltGr, and Option on a Mac, select the character and are not modifiers.
    const chosen = event.getModifierState("AltGraph") || (mac && alt && !ctrl);
    if (chosen) return { type: "key", key, ctrl: false, alt: false, shift: false };
    if (ctrl && !alt && (ZOOM.includes(key) || (shift && /[a-z]/i.test(key)))) return undefined;
    // The character already reflects Shift.
    return { type: "key", key, ctrl, alt, shift: false };
  }
  // Some browsers copy and paste with these keys.
  if (key === "Insert" && (ctrl || shift)) return undefined;
  const name = NAMES[key] ?? (/^F([1-9]|1[0-2])$/.test(key) ? key.toLowerCase() : undefined);
  return name === undefined ? undefined : { type: "key", key: name, ctrl, alt, shift };
}
