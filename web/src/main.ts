import "@xterm/xterm/css/xterm.css";
import "./style.css";
import { Connection, type State } from "./connection";
import { HandoffBanner } from "./handoff";
import { Header } from "./header";
import { keyIn, validKey } from "./key";
import { DaemonDoor } from "./proof";
import type { FromViewer, ToViewer } from "./protocol";
import { Screen } from "./screen";

const header = new Header();
const key = takeKey();
// A link with another key in the same tab changes only the hash.
addEventListener("hashchange", () => location.reload());

if (key === null) {
  header.state("closed", "this address has no key: open the link that `cotty status` prints");
} else {
  const session = new URLSearchParams(location.search).get("session");
  // A refusal is shown until the next input.
  for (const input of ["keydown", "paste", "click"]) addEventListener(input, () => header.note(""), { capture: true });
  // Created at the first paint: before, there is nothing to see and nothing to type into.
  let screen: Screen | undefined;
  const handoff = new HandoffBanner(
    (message: FromViewer) => connection.send(message),
    () => screen?.focus(),
  );
  const connection = new Connection(new DaemonDoor(key, location.origin), session, {
    state(state: State, why: string) {
      header.state(state, why);
      screen?.live(state === "connected");
    },
    message(message: ToViewer) {
      switch (message.type) {
        case "paint":
          header.paint(message);
          screen ??= new Screen(document.getElementById("screen")!, connection);
          screen.paint(message);
          break;
        case "exited":
          header.exited(message);
          break;
        case "refused":
          header.note(message.message);
          break;
        case "presence":
          handoff.presence(message);
          break;
        case "gone":
        case "proof":
          break;
      }
    },
  });
}

/** Moves the key of the opened link from the address bar to the tab's storage, and returns the valid key. */
function takeKey(): string | null {
  const given = keyIn(location.hash);
  if (given !== null) {
    sessionStorage.setItem("key", given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return validKey(sessionStorage.getItem("key"));
}
