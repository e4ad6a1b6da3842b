// A headless xterm.js, configured like the page's. Each line of input is data to write, in base64. Each line of output is
// the screen after it: `cursor`, `cursor_visible` and `cells` as in `cotty render --format json --cells`.
// Arguments: columns, rows.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");

const [cols, rows] = process.argv.slice(2).map(Number);
const terminal = new Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
terminal.loadAddon(new Unicode11Addon());
terminal.unicode.activeVersion = "11";

const UNDERLINES = [undefined, "single", "double", "curly", "dotted", "dashed"];

function color(isDefault, isRgb, value) {
  if (isDefault) return undefined;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
}

function style(cell) {
  const attributes = {
    bold: cell.isBold(),
    dim: cell.isDim(),
    italic: cell.isItalic(),
    blink: cell.isBlink(),
    inverse: cell.isInverse(),
    hidden: cell.isInvisible(),
    strike: cell.isStrikethrough(),
    overline: cell.isOverline(),
  };
  const found = Object.keys(attributes).filter((name) => attributes[name]);
  // The kind and the colour of an underline are not in the public API (6.0), but the object has them.
  const underline = cell.isUnderline() ? UNDERLINES[cell.getUnderlineStyle()] : undefined;
  const ownColor = cell.hasExtendedAttrs() && !cell.isUnderlineColorDefault();
  return {
    width: cell.getWidth() === 1 ? undefined : cell.getWidth(),
    fg: color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    bg: color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    underline,
    underline_color: ownColor ? color(false, cell.isUnderlineColorRGB(), cell.getUnderlineColor()) : undefined,
    attributes: found.length ? found : undefined,
  };
}

function screen() {
  const buffer = terminal.buffer.active;
  const cells = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.getLine(buffer.baseY + row);
    const runs = [];
    let last;
    for (let col = 0; col < cols; col++) {
      const cell = line.getCell(col);
      if (cell.getWidth() === 0) continue;
      const own = style(cell);
      const same = JSON.stringify(own);
      if (same === last) runs.at(-1).text.push(cell.getChars());
      else runs.push({ text: [cell.getChars()], ...own });
      last = same;
    }
    cells.push(runs);
  }
  const cursor_visible = !terminal._core.coreService.isCursorHidden; // not public either
  return { cursor: { row: buffer.cursorY, col: buffer.cursorX }, cursor_visible, cells };
}

for await (const line of createInterface({ input: process.stdin })) {
  await new Promise((written) => terminal.write(Buffer.from(line, "base64"), written));
  process.stdout.write(`${JSON.stringify(screen())}\n`);
}
