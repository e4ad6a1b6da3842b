import "@xterm/xterm/css/xterm.css";
import "./style.css";
import { Connection, type State } from "./connection";
import { HandoffBanner } from "./handoff";
import { Header } from "./header";
import type { FromViewer, ToViewer } from "./protocol";
import { Screen } from "./screen";
import { tokenIn, validToken } from "./token";

const header = new Header();
const token = takeToken();
// A link with another token in the same tab changes only the hash.
addEventListener("hashchange", () => location.reload());

if (token === null) {
  header.state("closed", "this address has no token: open the link that `cotty status` prints");
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
  const connection = new Connection(token, session, {
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
          break;
      }
    },
  });
}

/** Moves the token of the opened link from the address bar to the tab's storage, and returns the valid token. */
function takeToken(): string | null {
  const given = tokenIn(location.hash);
  if (given !== null) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return validToken(sessionStorage.getItem("token"));
}
