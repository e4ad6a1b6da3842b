// What the page and the daemon tell each other: the part of crates/protocol that the page speaks.

/** What a session is doing. */
export type Activity =
  | { kind: "prompt" }
  | { kind: "running" | "waiting_for_input"; program?: string }
  | { kind: "pager" | "editor"; program: string }
  | { kind: "secret_input" }
  | { kind: "secret_suspected" }
  | { kind: "exited" };

/** Why something was refused. */
export interface ErrorBody {
  code: string;
  message: string;
  hint?: string;
}

/** The screen, or what changed of it. */
export interface Paint {
  type: "paint";
  seq: number;
  full: boolean;
  cols: number;
  rows: number;
  data: string;
  session_id: string;
  title: string;
  activity: Activity;
}

/** How a program ended. */
export interface Exited {
  type: "exited";
  exit_code: number | null;
  signal: number | null;
}

/** Who is there, at the beginning and whenever that changes. */
export interface Company {
  type: "company";
  holder: "agent" | "person" | "nobody";
  by?: string;
  yours: boolean;
  agent?: string;
  others: { name: string; kind: string }[];
  count: number;
  mouse: boolean;
  alternate: boolean;
  fitted: boolean;
  turned_away?: { count: number; name: string; secret: boolean };
  plea?: Asked;
}

/** What an agent asks of people. Its words are data: set as text, never as markup. */
export interface Asked {
  plea: string;
  from: string;
  message: string;
  state: "waiting" | "taken" | "completed" | "declined" | "timeout" | "cancelled";
  by?: string;
}

export type ToViewer = Paint | Exited | Company | { type: "gone" } | ({ type: "refused" } & ErrorBody);

/** One key, by name: the daemon encodes it for the modes that the program has set. */
export interface Key {
  type: "key";
  key: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

export type FromViewer =
  | Key
  | { type: "text"; text: string; paste: "auto" }
  | { type: "take" }
  | { type: "answer"; plea: string; decline: boolean; note: string | null };

/** The part of a session's description that the page reads. */
export interface SessionInfo {
  session_id: string;
  exited: boolean;
}
