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

  company({ plea, yours, by }: Company) {
    const open = plea !== undefined && (plea.state === "waiting" || plea.state === "taken");
    this.#banner.hidden = !open;
    if (!open) return;
    if (this.#plea !== plea.plea) this.#note.value = "";
    this.#plea = plea.plea;
    part("plea-from").textContent = `${plea.from} asks:`;
    part("plea-message").textContent = plea.message;
    part("plea-state").textContent = yours ? "you have the keyboard" : plea.state === "taken" ? `${by} is at it` : "";
    part("plea-take").hidden = yours;
  }

  #answer(decline: boolean) {
    const note = this.#note.value.trim() || null;
    this.send({ type: "answer", plea: this.#plea, decline, note });
    this.done();
  }
}

function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
