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
// A link with another token, opened in the same tab, changes nothing but the hash.
addEventListener("hashchange", () => location.reload());

if (token === null) {
  header.state("closed", "there is no token in this address: open the link that `cotty status` prints");
} else {
  const session = new URLSearchParams(location.search).get("session");
  const typed = (message: FromViewer) => {
    header.note("");
    connection.send(message);
  };
  // From the first paint on: until then there is nothing to see and nothing to type into.
  let screen: Screen | undefined;
  const handoff = new HandoffBanner(typed, () => screen?.focus());
  const connection = new Connection(token, session, {
    state(state: State, why: string) {
      header.state(state, why);
      screen?.live(state === "connected");
    },
    message(message: ToViewer) {
      switch (message.type) {
        case "paint":
          header.paint(message);
          screen ??= new Screen(document.getElementById("screen")!, typed);
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

/** The token of the link that was opened, kept for this tab and out of the address bar. */
function takeToken(): string | null {
  const given = tokenIn(location.hash);
  if (given !== null) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return validToken(sessionStorage.getItem("token"));
}
