import { Unicode11Addon } from "@xterm/addon-unicode11";
import { type ITheme, Terminal } from "@xterm/xterm";
import type { Connection } from "./connection";
import { isCopy, keyMessage } from "./keys";
import type { Paint } from "./protocol";

const THEME: ITheme = {
  background: "#14171c",
  foreground: "#d5dae1",
  cursor: "#7fd1b9",
  cursorAccent: "#14171c",
  selectionBackground: "#3a4656",
  black: "#2a313b",
  red: "#ef7d7d",
  green: "#8fc98a",
  yellow: "#e6b566",
  blue: "#7fabe8",
  magenta: "#c594d8",
  cyan: "#6cc4c9",
  white: "#d5dae1",
  brightBlack: "#6b7686",
  brightRed: "#ff9a9a",
  brightGreen: "#abe0a5",
  brightYellow: "#ffd08a",
  brightBlue: "#a2c6ff",
  brightMagenta: "#dfb3ee",
  brightCyan: "#92dfe3",
  brightWhite: "#ffffff",
};

const MAC = navigator.platform.startsWith("Mac");

/**
 * The session's screen, at the session's own size.
 *
 * xterm.js only draws. Its answers to queries (`onData`) are ignored: the daemon has already answered. Only keys, pastes
 * and composed text are sent.
 */
export class Screen {
  #terminal = new Terminal({
    allowProposedApi: true, // for the widths of characters
    scrollback: 0,
    fontFamily: '"JetBrains Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 14,
    lineHeight: 1.15, // otherwise the next row hides the underscores of some fonts
    drawBoldTextInBrightColors: false, // keep the program's own colours
    theme: THEME,
  });

  constructor(
    readonly element: HTMLElement,
    readonly connection: Connection,
  ) {
    this.#terminal.loadAddon(new Unicode11Addon());
    this.#terminal.unicode.activeVersion = "11";
    this.#terminal.open(element);
    this.#terminal.attachCustomKeyEventHandler((event) => {
      if (event.type === "keydown") this.#press(event);
      return false;
    });
    // Before xterm.js handles it, and with unchanged line ends.
    element.addEventListener("paste", (event) => this.#paste(event), { capture: true });
    const area = this.#terminal.textarea!;
    area.addEventListener("compositionend", (event) => this.#text(event.data));
    // Text from neither a key nor a composition: an emoji picker, dictation.
    area.addEventListener("input", (event) => {
      const { isComposing, inputType, data } = event as InputEvent;
      if (!isComposing && inputType === "insertText") this.#text(data ?? "");
    });
    this.#terminal.focus();
  }

  paint({ cols, rows, data }: Paint) {
    if (this.#terminal.cols !== cols || this.#terminal.rows !== rows) this.#terminal.resize(cols, rows);
    this.#terminal.write(data);
  }

  /** Sends the next keys to the session. */
  focus() {
    this.#terminal.focus();
  }

  /** Sets whether the screen is current. */
  live(live: boolean) {
    this.element.classList.toggle("stale", !live);
  }

  #press(event: KeyboardEvent) {
    if (isCopy(event)) {
      event.preventDefault();
      void navigator.clipboard.writeText(this.#terminal.getSelection());
      return;
    }
    const message = keyMessage(event, MAC);
    if (message === undefined) return;
    event.preventDefault();
    this.#terminal.clearSelection();
    this.connection.send(message);
  }

  #paste(event: ClipboardEvent) {
    event.preventDefault();
    event.stopPropagation();
    this.#text(event.clipboardData?.getData("text/plain") ?? "");
  }

  #text(text: string) {
    this.#terminal.textarea!.value = "";
    if (text === "") return;
    this.#terminal.clearSelection();
    this.connection.send({ type: "text", text, paste: "auto" });
  }
}
