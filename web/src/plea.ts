import type { Company, FromViewer } from "./protocol";

/** The line between header and screen while an agent asks for a person. */
export class Plea {
  #banner = part<HTMLFormElement>("plea");
  #note = part<HTMLInputElement>("plea-note");
  #plea = "";

  /** `send` tells the daemon; `done` is called after each button: what is typed next is for the program. */
  constructor(
    readonly send: (message: FromViewer) => void,
    readonly done: () => void,
  ) {
    this.#banner.onsubmit = (event) => {
      event.preventDefault();
      this.#answer(false);
    };
    part("plea-decline").onclick = () => this.#answer(true);
    part("plea-take").onclick = () => {
      this.send({ type: "take" });
      this.done();
    };
  }

  company(company: Company) {
    const shown = banner(company);
    this.#banner.hidden = shown === undefined;
    if (shown === undefined) return;
    if (this.#plea !== shown.plea) this.#note.value = "";
    this.#plea = shown.plea;
    part("plea-from").textContent = shown.from;
    part("plea-message").textContent = shown.message;
    part("plea-state").textContent = shown.state;
    part("plea-take").hidden = !shown.takes;
  }

  #answer(decline: boolean) {
    const note = this.#note.value.trim() || null;
    this.send({ type: "answer", plea: this.#plea, decline, note });
    this.done();
  }
}

/** What the banner shows, and whether the keyboard can be taken there; nothing while no agent asks. */
export function banner({ plea, yours, by }: Company) {
  if (plea?.state !== "waiting" && plea?.state !== "taken") return undefined;
  const others = plea.state === "taken" ? `${by ?? "somebody"} is at it` : "";
  return {
    plea: plea.plea,
    from: `${plea.from} asks:`,
    message: plea.message,
    state: yours ? "you have the keyboard" : others,
    takes: !yours,
  };
}

function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
