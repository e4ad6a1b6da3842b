import type { FromViewer, Presence } from "./protocol";

/** The line between header and screen while a hand-off request is open. */
export class HandoffBanner {
  #banner = part<HTMLFormElement>("handoff");
  #note = part<HTMLInputElement>("handoff-note");
  #request = "";

  /** `send` sends to the daemon. `done` is called after each button, so that the next keys go to the program. */
  constructor(
    readonly send: (message: FromViewer) => void,
    readonly done: () => void,
  ) {
    this.#banner.onsubmit = (event) => {
      event.preventDefault();
      this.#answer(false);
    };
    part("handoff-decline").onclick = () => this.#answer(true);
    part("handoff-take").onclick = () => {
      this.send({ type: "take" });
      this.done();
    };
  }

  presence(presence: Presence) {
    const shown = banner(presence);
    this.#banner.hidden = shown === undefined;
    if (shown === undefined) return;
    if (this.#request !== shown.request_id) this.#note.value = "";
    this.#request = shown.request_id;
    part("handoff-from").textContent = shown.from;
    part("handoff-message").textContent = shown.message;
    part("handoff-state").textContent = shown.state;
    part("handoff-take").hidden = !shown.takes;
  }

  #answer(decline: boolean) {
    const note = this.#note.value.trim() || null;
    this.send({ type: "answer", request_id: this.#request, decline, note });
    this.done();
  }
}

/** The banner's texts, and whether to offer the keyboard; nothing while no request is open. */
export function banner({ handoff, yours, by }: Presence) {
  if (handoff?.state !== "waiting" && handoff?.state !== "taken") return undefined;
  const others = handoff.state === "taken" ? `${by ?? "somebody"} has the keyboard` : "";
  return {
    request_id: handoff.request_id,
    from: `${handoff.from} asks:`,
    message: handoff.message,
    state: yours ? "you have the keyboard" : others,
    takes: !yours,
  };
}

function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
