// The messages between the page and the daemon, by the names that the page uses. The types are generated.

import type { FromViewer, ToViewer } from "./protocol.gen";

export type { Activity, Asked, ErrorBody, FromViewer, Operations, ToViewer } from "./protocol.gen";

/** The screen, or what changed of it. */
export type Paint = Extract<ToViewer, { type: "paint" }>;

/** How a program ended. */
export type Exited = Extract<ToViewer, { type: "exited" }>;

/** Who is there. */
export type Company = Extract<ToViewer, { type: "company" }>;

/** One key, by name: the daemon encodes it for the modes that the program has set. */
export type Key = Extract<FromViewer, { type: "key" }>;
