import type { State } from "./connection";
import type { Activity, Exited, Paint } from "./protocol";

/** The line above the screen. Titles come from programs: they are set as text, never as markup. */
export class Header {
  #session = label("session");
  #title = label("title");
  #note = label("note");
  #doing = label("doing");
  #connection = label("connection");
  #ended: Exited | undefined;

  paint({ session_id, title, activity }: Paint) {
    this.#session.textContent = session_id;
    this.#title.textContent = this.#title.title = title;
    this.#do(activity);
    document.title = `${title || session_id} · cotty`;
  }

  exited(exited: Exited) {
    this.#ended = exited;
    this.#do({ kind: "exited" });
  }

  /** Shows the state of the connection. */
  state(state: State, why: string) {
    this.#connection.dataset.state = state;
    this.#connection.textContent = state;
    this.note(why);
  }

  /** Shows a message to the person until the next key. */
  note(text: string) {
    this.#note.textContent = this.#note.title = text;
  }

  #do(activity: Activity) {
    this.#doing.dataset.kind = activity.kind;
    this.#doing.textContent = activityText(activity, this.#ended);
  }
}

/** The same texts as in `cotty ls`, but without whether a program waits: no paint is sent when that changes. */
export function activityText(activity: Activity, ended: Exited | undefined): string {
  switch (activity.kind) {
    case "prompt":
      return "prompt";
    case "running":
    case "waiting_for_input":
    case "pager":
    case "editor":
      return activity.program ? `running ${activity.program}` : "running";
    case "secret_input":
      return "asks for a secret";
    case "secret_suspected":
      return "may ask for a secret";
    case "exited":
      if (ended === undefined) return "exited";
      if (ended.exit_code !== null) return `exited ${ended.exit_code}`;
      return ended.signal === null ? "exited" : `killed by signal ${ended.signal}`;
  }
}

function label(id: string): HTMLElement {
  return document.getElementById(id)!;
}
