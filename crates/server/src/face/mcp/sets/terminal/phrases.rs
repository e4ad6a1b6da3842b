//! Which of these tools performs a step.

use cotty_protocol::error::Step;

use crate::face::mcp::advice::Phrase;

const SEND: &str = "terminal__send";
const WAIT: &str = "terminal__wait";
const READ: &str = "terminal__read";
const CREATE: &str = "terminal__create_session";

pub(super) fn phrase(step: &Step) -> Phrase {
    use Phrase::{Call, Plain, Unsaid, Words, WordsCall};
    match step {
        Step::ListSessions => WordsCall("list your sessions", "terminal__list_sessions", ""),
        Step::UseOwnSession => {
            WordsCall("use a session of your own", "terminal__list_sessions", " shows them")
        }
        Step::CreateSession => WordsCall("create another session", CREATE, ""),
        Step::CreateShellSession => Call(CREATE, ""),
        Step::DestroySession => Call("terminal__destroy_session", ""),
        Step::InspectSession => Call("terminal__get_info", ""),
        Step::ReadRecording => {
            WordsCall("search its recording", "terminal__search", " with where \"recordings\"")
        }
        Step::ReadLastScreen | Step::ReadScreen | Step::ReadNew => Call(READ, ""),
        Step::RunCommand => WordsCall("run one", "terminal__run", ""),
        Step::WaitForPrompt => Call(WAIT, " with prompt true"),
        Step::WaitForProgram => Call(WAIT, " with prompt, exit or text"),
        Step::WaitForText => Call(WAIT, ""),
        Step::WaitForKeyboard => Call(WAIT, " with keyboard true"),
        Step::Type | Step::FinishLine | Step::LeaveEditor => Call(SEND, ""),
        Step::Interrupt => WordsCall("interrupt it", SEND, " key \"ctrl+c\""),
        Step::NextPage => WordsCall("show the next page", SEND, " key \"space\""),
        Step::LeavePager => WordsCall("leave it", SEND, " key \"q\""),
        Step::LeaveInterpreter => WordsCall(
            "leave it first",
            SEND,
            ": a shell or an interpreter with text \"exit\\n\" or key \"ctrl+d\", most others with key \"ctrl+c\"",
        ),
        Step::LeaveInner => Call(SEND, " text \"exit\\n\""),
        Step::DropLine => WordsCall("drop it", SEND, " key \"ctrl+c\""),
        Step::ClearLine => WordsCall("clear it", SEND, " key \"ctrl+u\""),
        Step::EnterLine => WordsCall("run it", SEND, " key \"enter\""),
        Step::LeaveSecret => WordsCall("cancel the prompt", SEND, " key \"ctrl+c\""),
        Step::TypeAndRead => Call(SEND, " with read"),
        Step::AskForSecret => Call("terminal__request_user_input", ""),
        Step::LetCallEnd => Words("wait until the other call ends, then call again"),
        Step::GiveInput => Words("give text, key, mouse or steps"),
        Step::TryAgain => {
            Words("call once more; if it fails again, create another session and tell the person")
        }
        Step::MakeToken => Words("ask the person for a token that is not read-only"),
        Step::TakeKeyboard | Step::ListRequests | Step::OpenPanel | Step::OpenWindow => Unsaid,
        Step::Say(_)
        | Step::DidYouMean(_)
        | Step::Choose(_)
        | Step::EndIdleSessions(_)
        | Step::ContinueFrom(_)
        | Step::ReadWithoutCommands(_)
        | Step::GivePath
        | Step::GiveLiteral(_)
        | Step::CaptureToFile
        | Step::StopCapture
        | Step::StartCapture
        | Step::WaitForRequest(_)
        | Step::GetToken
        | Step::ListTokens => Plain,
    }
}
