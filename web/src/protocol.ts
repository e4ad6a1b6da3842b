// The messages between the page and the daemon, under the page's names. The types are generated.

import type { FromViewer, ToViewer } from "./protocol.gen";

export type { Activity, ErrorBody, FromViewer, HandoffNotice, Operations, ToViewer } from "./protocol.gen";

/** The screen, or a change of it. */
export type Paint = Extract<ToViewer, { type: "paint" }>;

/** How a program ended. */
export type Exited = Extract<ToViewer, { type: "exited" }>;

/** Who has the keyboard, and who watches. */
export type Presence = Extract<ToViewer, { type: "presence" }>;

/** One key, by name: the daemon encodes it for the modes that the program has set. */
export type Key = Extract<FromViewer, { type: "key" }>;
