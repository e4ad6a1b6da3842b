// What goes between cotty and its clients. Written by `make docs`; served as /v1/types.ts.

/** What a session is doing, as far as can be known. */
export type Activity = {
  kind: "prompt";
} | {
  kind: "running";
  /** The one that may read the terminal. */
  program?: string | null;
} | {
  kind: "waiting_for_input";
  /** Which. */
  program?: string | null;
} | {
  kind: "pager";
  /** Which. */
  program: string;
} | {
  kind: "editor";
  /** Which. */
  program: string;
} | {
  kind: "secret_input";
} | {
  kind: "secret_suspected";
} | {
  kind: "exited";
};

/** What kind of actor asks. */
export type ActorKind = "person" | "agent" | "child";

/** What output can do to the one who shows it. */
export type Allow = "title" | "clipboard" | "checksum" | "resize";

/** Which request, and the answer. */
export interface AnswerParams {
  /** It will not be done; otherwise it is. */
  decline?: boolean;
  /** A word to the agent, in at most 2,000 characters. */
  note?: string | null;
  /** Its id. */
  request_id?: string;
}

export type AnswerReply = HandoffRequest;

/** Why an operation was refused or failed. The text of an error says what happened and names no tool or command. */
export type ApiError = {
  kind: "session_not_found";
  /** The name that may have been meant. */
  near?: string | null;
  /** As it was asked for. */
  session: string;
} | {
  kind: "session_destroyed";
  /** As it was asked for. */
  session: string;
} | {
  /** The sessions that were idle longest. */
  idle: string[];
  kind: "max_sessions";
  /** The limit. */
  limit: number;
} | {
  kind: "bad_name";
  /** The name, shortened. */
  name: string;
} | {
  kind: "name_taken";
  /** The name. */
  name: string;
} | {
  /** The kernel's reason, where the program is there and could not be started. */
  error?: string | null;
  kind: "program_not_found";
  /** As it was asked for. */
  program: string;
} | {
  /** The directory. */
  dir: string;
  /** The kernel's reason. */
  error: string;
  kind: "directory";
} | {
  /** Why. */
  error: string;
  kind: "pty";
} | {
  kind: "open_files";
  /** The limit. */
  limit: number;
} | {
  /** Why. */
  error: string;
  kind: "io";
} | {
  /** What. */
  error: string;
  kind: "keeper";
} | {
  /** Why. */
  error: string;
  kind: "policy";
} | {
  /** How. */
  error: string;
  kind: "broken";
} | {
  /** Its exit code; none where a signal ended it. */
  exit_code: number | null;
  kind: "exited";
} | {
  /** What that call does. */
  call: string;
  kind: "busy";
  /** For how long it has. */
  ms: number;
} | {
  /** Who. */
  by: string;
  /** When it comes back if that person does nothing; never, where it has to be given back. */
  ends_in_ms: number | null;
  kind: "keyboard_held";
} | {
  kind: "keyboard_not_yours";
} | {
  kind: "not_a_person";
} | {
  kind: "secret_input";
  /** Told from what the screen shows, not by the kernel. */
  suspected: boolean;
} | {
  /** As it was asked for. */
  key: string;
  kind: "unknown_key";
  /** The key that may have been meant. */
  near?: string | null;
} | {
  /** The character that it was held with. */
  key: string | null;
  kind: "unknown_modifier";
} | {
  kind: "mouse_off";
  /** The program in the foreground. */
  program: string | null;
} | {
  kind: "label_not_found";
  /** The text. */
  label: string;
  /** Which of several. */
  nth: number;
} | {
  kind: "not_yours";
  /** Its owner. */
  owner: string;
  /** Its id. */
  session: string;
} | {
  /** What the session does instead. */
  activity: Activity;
  kind: "not_at_prompt";
  /** Whether the program has terminals of its own, which cannot be seen into. */
  nested: boolean;
} | {
  /** It was entered, but a quote or a block is open. */
  entered: boolean;
  kind: "line_started";
} | {
  kind: "no_shell";
} | {
  kind: "no_commands";
  /** As it was asked for. */
  session: string;
} | {
  kind: "no_such_command";
  /** The number. */
  number: number;
  /** How many there were so far. */
  total: number;
} | {
  kind: "policy_denied";
  /** The rule's reason. */
  reason: string;
} | {
  /** Why. */
  error: string;
  kind: "invalid_pattern";
  /** The parameter that takes text as it is. */
  literal?: string | null;
} | {
  /** The file. */
  file: string;
  kind: "capture_running";
} | {
  kind: "no_capture";
} | {
  /** The open request. */
  id: string;
  kind: "already_asked";
  /** What it asks. */
  message: string;
} | {
  kind: "other_asked";
} | {
  /** As it was asked for. */
  id: string;
  kind: "request_not_found";
} | {
  /** Which. */
  id: string;
  kind: "request_ended";
  /** How it ended. */
  state: RequestState;
} | {
  kind: "no_recording";
  /** As it was asked for. */
  session: string;
} | {
  kind: "recording_live";
} | {
  kind: "shutting_down";
} | {
  /** What the session does. */
  activity: Activity;
  /** How long was waited. */
  elapsed_ms: number;
  /** The person who has the keyboard. */
  held_by?: string | null;
  kind: "wait_timeout";
  /** See [`ApiError::NotAtPrompt`]. */
  nested: boolean;
  /** Output before this was seen. */
  seq: number;
  /** Why it did not come true. */
  why: string;
} | {
  kind: "read_only";
} | {
  kind: "child_not_allowed";
} | {
  kind: "bad_token";
} | {
  kind: "unauthorized";
  /** Why. */
  reason: string;
} | {
  kind: "bad_token_name";
  /** The name. */
  name: string;
} | {
  kind: "token_exists";
  /** The name. */
  name: string;
} | {
  kind: "token_not_found";
  /** The name. */
  name: string;
} | {
  kind: "unknown_operation";
  /** Those that there are. */
  known: string[];
  /** As it was asked for. */
  name: string;
} | {
  kind: "unknown_route";
  /** The method. */
  method: string;
  /** The path. */
  path: string;
} | {
  kind: "wrong_method";
  /** The method. */
  method: string;
  /** The path. */
  path: string;
} | {
  kind: "too_large";
  /** The most it may have. */
  mib: number;
} | {
  kind: "unknown_parameter";
  /** Those that there are. */
  known: string[];
  /** As it was given, with the path to it. */
  name: string;
  /** The one that may have been meant. */
  near?: string | null;
  /** The operation or tool. */
  of: string;
} | {
  kind: "missing_parameter";
  /** Its name, with the path to it. */
  name: string;
  /** The operation or tool. */
  of: string;
} | {
  /** What was given, shortened. */
  given: string;
  kind: "wrong_parameter";
  /** Its name, with the path to it. */
  name: string;
  /** The value that may have been meant. */
  near?: string | null;
  /** The operation or tool. */
  of: string;
  /** What it takes. */
  takes: string;
} | {
  kind: "unknown_choice";
  /** Those that there are. */
  known: string[];
  /** As it was asked for. */
  name: string;
  /** The one that may have been meant. */
  near?: string | null;
  /** What is chosen: a signal, a tool, a window type. */
  what: string;
} | {
  kind: "no_input";
  /** What is missing. */
  problem: string;
} | {
  /** What would be right. */
  instead?: string | null;
  kind: "invalid";
  /** What. */
  problem: string;
} | {
  /** It is a pattern that does not compile. */
  is_pattern: boolean;
  kind: "bad_variable";
  /** Which variable, and why. */
  problem: string;
} | {
  kind: "which_panel";
  /** Their names. */
  known: string[];
} | {
  kind: "no_panel";
  /** Those that there are. */
  known: string[];
  /** As it was asked for. */
  panel: string | null;
} | {
  /** Why it is not there. */
  code: Code;
  kind: "no_window";
  /** Those that there are. */
  known: string[];
  /** Whether one was asked for by name. */
  named: boolean;
} | {
  /** The first that was asked for. */
  first: number;
  kind: "too_many_lines";
  /** The last. */
  last: number;
  /** The most. */
  most: number;
} | {
  kind: "no_mcp_session";
} | {
  kind: "unread_answers";
} | {
  /** Of how many. */
  count: number;
  /** Why no more. */
  error: ApiError;
  kind: "partly_typed";
  /** How many were. */
  typed: number;
} | {
  /** Why. */
  error: ApiError;
  kind: "step";
  /** Which, from 1. */
  step: number;
};

/** What is asked, or which hand-off request it goes on with. */
export interface AskParams {
  /** What a person is to do, in at most 2,000 characters; for a new request. */
  message?: string | null;
  /** Instead of a new hand-off request: the id of one, to go on waiting for it. */
  request_id?: string | null;
  /** Id, number or name. */
  session?: string;
  /** For a new hand-off request: it is given up after this many milliseconds; 300,000 where none are given. */
  timeout_ms?: number | null;
  /** Answer after this many milliseconds, though the hand-off request is still open; where none are given, when it has ended. */
  wait_ms?: number | null;
}

/** What became of it so far. */
export interface AskReply {
  /** What it is doing. */
  activity: Activity;
  /** The person who has the keyboard meanwhile, or who ended it. */
  by?: string | null;
  /** In how many milliseconds it is given up, while it is open. */
  ends_in_ms?: number | null;
  /** The agent's name. */
  from: string;
  /** Who may type. */
  keyboard: KeyboardReply;
  /** ISO 8601. */
  made_at: string;
  /** What a person is to do: data, not markup. */
  message: string;
  /** What that person tells the agent. */
  note?: string | null;
  /** Its number. */
  number: number;
  /** How long it has been open, or was. */
  open_ms: number;
  /** Its id, `req_` and eight characters. */
  request_id: string;
  /** What the session shows. */
  screen: string;
  /** Bytes of output processed. */
  seq: number;
  /** The session. */
  session_id: string;
  /** What came since it was made: `read` with this as `since`. */
  since: number;
  /** How far it came. */
  state: RequestState;
  /** How many bytes people typed meanwhile. */
  typed_bytes: number;
}

/** What text may have beside colours and underlines. */
export type Attribute = "bold" | "dim" | "italic" | "blink" | "inverse" | "hidden" | "strike" | "overline";

/** The buttons. */
export type Button = "left" | "middle" | "right" | "none";

/** One operation as a value: what, by whom, from where, and under which id, so that a retry happens once. */
export interface Call {
  /** Who says that it asks. */
  caller: Caller;
  /** The operation's name. */
  op: string;
  /** The process that asks; sessions take their environment from it. */
  origin?: Origin | null;
  /** The operation's parameters. */
  params?: unknown;
  /** Chosen by the client, the same on every retry. */
  retry_id: string;
}

/** Who a client says it is; the daemon decides what to believe. */
export interface Caller {
  /** Its name, for lists and logs (`cotty cli`, `claude-code`). */
  client: string;
  /** What it is. */
  kind: ActorKind;
}

/** What to do. */
export type CaptureAction = "start" | "stop";

/** Which session, and what to do. */
export interface CaptureParams {
  /** Start or stop. */
  action?: CaptureAction;
  /** For `start`: the file's directory; one of cotty's own where none is given. */
  dir?: string | null;
  /** Id, number or name. */
  session?: string;
}

/** The capture. */
export interface CaptureReply {
  /** Bytes of output in it. */
  bytes_captured: number;
  /** Bytes of output that could not be written. */
  bytes_lost?: number;
  /** Its file: a line of JSON for each piece, with `timestamp` and `data`. */
  capture_file: string;
  /** How long it has gone on. */
  duration_seconds: number;
}

/** Every error that cotty can answer with. */
export type Code = "PTY_ERROR" | "IO_ERROR" | "SESSION_NOT_FOUND" | "SESSION_DESTROYED" | "MAX_SESSIONS" | "SESSION_ERROR" | "NO_INPUT" | "INVALID_KEY" | "INVALID_PATTERN" | "PROCESS_EXITED" | "PROGRAM_NOT_FOUND" | "WAIT_TIMEOUT" | "KEYBOARD_HELD" | "SECRET_INPUT" | "POLICY_DENIED" | "INVALID_INPUT" | "NOT_YOURS" | "NOT_A_PERSON" | "NOT_ALLOWED" | "READ_ONLY" | "MOUSE_OFF" | "LABEL_NOT_FOUND" | "BUSY" | "NOT_AT_PROMPT" | "NO_SHELL" | "CAPTURE_RUNNING" | "NO_CAPTURE" | "ALREADY_ASKED" | "REQUEST_NOT_FOUND" | "REQUEST_ENDED" | "NO_RECORDING" | "UNKNOWN_OPERATION" | "UNKNOWN_ROUTE" | "WRONG_METHOD" | "TOO_LARGE" | "TOKEN_NOT_FOUND" | "TOKEN_EXISTS" | "UNAUTHORIZED" | "SHUTTING_DOWN";

/** A colour: an index of xterm's palette, or `#rrggbb`. */
export type Color = number | string;

/** One command. */
export interface Command {
  /** Their bytes. */
  bytes: number;
  /** The shell's directory when it began. */
  directory: string | null;
  /** Lines of output that the limits had dropped. */
  dropped_lines: number;
  /** How long it took, or has taken so far. */
  duration_ms: number;
  /** Its exit code, once it ended. */
  exit_code: number | null;
  /** Lines of output that can still be read. */
  lines: number;
  /** Its number in this session; no other will have it. */
  number: number;
  /** What it said, where that was asked for. */
  output?: Output | null;
  /** Why it was not run. */
  reason?: string | null;
  /** When it began; ISO 8601. */
  started: string;
  /** How far it came. */
  state: CommandState;
  /** Its text, where the shell could tell it. */
  text: string | null;
}

/** How far a command came. */
export type CommandState = "done" | "running" | "denied" | "exited";

/** Which commands, or the output of which one. */
export interface CommandsParams {
  /** Of the output, the first so many lines; 100 where none are given. */
  head?: number | null;
  /** The newest so many; 20 where none are given. */
  limit?: number | null;
  /** Only the command of this number, with its output. */
  output?: number | null;
  /** Id, number or name. */
  session?: string;
  /** And the last so many; 100 where none are given. */
  tail?: number | null;
}

/** The commands, newest last. */
export interface CommandsReply {
  /** Each of them. */
  commands: Command[];
  /** How many there were in all, with those that are not listed. */
  total: number;
}

/** No parameters. */
export type ConfigParams = Record<string, never>;

/** Every key. */
export interface ConfigReply {
  /** In the order of the file. */
  keys: Key[];
  /** What of the configuration could not be taken as it stands. */
  problems: string[];
}

/** Which session, and what to change. */
export interface ConfigureParams {
  /** Lines of history to keep from now on, up to 1,000,000. */
  history_lines?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** What holds now. */
export interface ConfigureReply {
  /** Lines of history it keeps. */
  history_lines: number;
}

/** What the line discipline does with a character, whichever the program set for it. */
export type Control = "interrupt" | "eof" | "suspend";

/** What to start, and how. */
export interface CreateParams {
  /** What its output may do beyond showing things; nothing where nothing is named. */
  allow?: Allow[];
  /** Its arguments. */
  args?: string[];
  /** Columns; 80 where none are given. */
  cols?: number | null;
  /** A command line instead of both: plain words are run as they stand, anything more by `sh -c`. */
  command?: string | null;
  /** Its directory; the caller's where none is given. */
  cwd?: string | null;
  /** Variables on top of the caller's environment. */
  env?: Record<string, string>;
  /** A name to find it by. */
  name?: string | null;
  /** The program; the caller's shell where none is given. */
  program?: string | null;
  /** What a prompt looks like on the cursor's line: a regular expression. Where one is given it decides, also in a shell that marks its prompts. */
  prompt_pattern?: string | null;
  /** But not later than this; 5,000 where none is given. */
  ready_timeout_ms?: number | null;
  /** Keep a recording of it. Default: true. */
  record?: boolean | null;
  /** Rows; 24 where none are given. */
  rows?: number | null;
  /** Answer only when the shell waits for a command. Default: true for shells. */
  wait_ready?: boolean | null;
}

/** What was started. */
export interface CreateReply {
  /** What it is doing. */
  activity: Activity;
  /** Its size. */
  dimensions: Dimensions;
  /** Its number. */
  number: number;
  /** Its process id. */
  pid: number;
  /** The program's path. */
  program: string;
  /** Whether the shell waits for a command. */
  ready: boolean;
  /** Bytes of output processed. */
  seq: number;
  /** Its id. */
  session_id: string;
}

/** Where the cursor is and how it looks. */
export interface Cursor {
  /** Its shape. */
  shape: Shape;
  /** Whether it is to be seen. */
  visible: boolean;
  /** Column. */
  x: number;
  /** Row. */
  y: number;
}

/** Which session, and how. */
export interface DestroyParams {
  /** Kill at once instead of asking first. */
  force?: boolean;
  /** Id, number or name. */
  session?: string;
}

/** How it ended. */
export interface DestroyReply {
  /** Always true: a failure is an error. */
  destroyed: boolean;
  /** The program's exit code; null if a signal ended it. */
  exit_code: number | null;
  /** Processes that set themselves free and could not be ended. */
  left_running: string[];
}

/** New lines for a part of the screen. It is always whole rows (`x` is 0, `x2` the number of columns), so that nobody has to know how wide a character is to put them in the place of the old. */
export interface Diff {
  /** The text of each of its rows from the top, right-trimmed. */
  lines: string[];
  /** Why. */
  reason: Reason;
  /** Which part. */
  region: Region;
  /** For each line where it does not look plain; left out where every line does. */
  styles?: Run[][];
}

/** Columns and rows. */
export interface Dimensions {
  /** Columns. */
  cols: number;
  /** Rows. */
  rows: number;
}

/** An error as it is written on the wire, by a face for its caller. */
export interface ErrorBody {
  /** The same as data. */
  cause?: ApiError | null;
  /** Stable across releases. */
  code: Code;
  /** The next step to try. */
  hint?: string | null;
  /** What happened. */
  message: string;
}

/** The versions of what one daemon leaves to the next. */
export interface Formats {
  /** A session's state but for its terminal. */
  checkpoint: StatusFormat;
  /** The state of a terminal. */
  engine: StatusFormat;
  /** The newest output, and what happened beside it. */
  journal: StatusFormat;
}

/** From the viewer. */
export type FromViewer = {
  /** With Alt. */
  alt?: boolean;
  /** With Control. */
  ctrl?: boolean;
  /** Its name, or one character. */
  key: string;
  /** With Shift. */
  shift?: boolean;
  type: "key";
} | {
  /** Paste brackets. */
  paste?: Paste;
  /** The text. */
  text: string;
  type: "text";
} | {
  /** With Alt. */
  alt?: boolean;
  /** With Control. */
  ctrl?: boolean;
  /** The gesture. */
  mouse: Mouse;
  /** With Shift. */
  shift?: boolean;
  type: "mouse";
} | {
  type: "take";
} | {
  type: "give";
} | {
  type: "leave";
} | {
  /** It will not be done; otherwise it is. */
  decline?: boolean;
  /** A word to the agent. */
  note?: string | null;
  /** The hand-off request's id. */
  request_id: string;
  type: "answer";
} | {
  /** The window. */
  size?: Dimensions | null;
  type: "fit";
};

/** What an agent asks of people. */
export interface HandoffNotice {
  /** The person who ended it. */
  by?: string | null;
  /** The agent's name. */
  from: string;
  /** What a person is to do: data, not markup. */
  message: string;
  /** The hand-off request's id. */
  request_id: string;
  /** How far it came. */
  state: RequestState;
}

/** What an agent asks of people: to take over its session for a moment. */
export interface HandoffRequest {
  /** The person who has the keyboard meanwhile, or who ended it. */
  by?: string | null;
  /** In how many milliseconds it is given up, while it is open. */
  ends_in_ms?: number | null;
  /** The agent's name. */
  from: string;
  /** ISO 8601. */
  made_at: string;
  /** What a person is to do: data, not markup. */
  message: string;
  /** What that person tells the agent. */
  note?: string | null;
  /** Its number. */
  number: number;
  /** How long it has been open, or was. */
  open_ms: number;
  /** Its id, `req_` and eight characters. */
  request_id: string;
  /** The session. */
  session_id: string;
  /** What came since it was made: `read` with this as `since`. */
  since: number;
  /** How far it came. */
  state: RequestState;
  /** How many bytes people typed meanwhile. */
  typed_bytes: number;
}

/** What a daemon could not take over from the one before it: the program goes on, history is missing. */
export interface HistoryLost {
  /** When, in ISO 8601. */
  at: string;
  /** Output before this is missing. */
  before_seq: number;
  /** What, and why. */
  what: string[];
}

/** Who may type. */
export type Holder = "agent" | "person" | "nobody";

/** Images that a program sent and that no text shows. */
export interface Images {
  /** Their bytes. */
  bytes: number;
  /** How many sequences; a large image may come in several. */
  count: number;
  /** `sixel`, `kitty` or `iterm2`. */
  kind: string;
}

/** Which session. */
export interface InfoParams {
  /** Id, number or name. */
  session?: string;
}

export type InfoReply = SessionInfo;

/** One key. */
export interface Key {
  /** Where exactly: a file and line, a variable, a flag. */
  from: string;
  /** `section.name`. */
  key: string;
  /** The layer: `built_in`, `file`, `environment` or `flag`. */
  source: string;
  /** Its value, as the file would have it. */
  value: unknown;
}

/** What can happen to a key. */
export type KeyEvent = "press" | "repeat" | "release";

/** What to do with it. */
export type KeyboardAction = "show" | "take" | "give" | "leave";

/** Whose keyboard, and what to do with it. */
export interface KeyboardParams {
  /** What to do. */
  action?: KeyboardAction;
  /** For `take`: it goes back this long after the last key; 600,000 where none are given. */
  lease_ms?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** What is known of a keyboard. */
export interface KeyboardReply {
  /** The person who has it, as it introduced itself. */
  by?: string | null;
  /** Who may type now. */
  holder: Holder;
  /** What happened while the agent did not have it, until it types again. */
  returned?: Returned | null;
  /** In how many milliseconds it goes back if that person does nothing more; absent: when it is given back. */
  returns_in_ms?: number | null;
}

/** What whoever has a token may do. */
export type Kind = "full" | "read_only";

/** How a shell's last command ended. */
export interface LastCommand {
  /** How long it took. */
  duration_ms: number;
  /** Its exit code, where the shell told it. */
  exit_code: number | null;
}

/** What was left out of a long text, between its head and its tail. */
export interface LeftOut {
  /** It is missing behind this many lines of the text that is here: between the head's last line and the tail's first. */
  after_lines: number;
  /** Bytes. */
  bytes: number;
  /** Lines. */
  lines: number;
  /** Where it begins in the whole text, for what `new` can read again: read with this as `offset` … */
  offset?: number | null;
  /** … and this as `since`. */
  since?: number | null;
}

/** Whose. */
export interface ListParams {
  /** For an agent: name the sessions of other owners, too. */
  all?: boolean;
}

/** The sessions, oldest first. */
export interface ListReply {
  /** How many. */
  count: number;
  /** What other owners have, where it was asked for. */
  others?: Other[];
  /** Each of them; for an agent, each of its owner's. */
  sessions: SessionInfo[];
}

/** Which condition ended a wait. */
export type Met = "text" | "regex" | "idle" | "prompt" | "secret" | "reads" | "keyboard" | "all" | "stop" | "exit" | "timeout";

/** A gesture, at a place or on a text that the screen shows. */
export interface Mouse {
  /** What it does. */
  action?: MouseAction;
  /** With which button. */
  button?: Button;
  /** Column, from 1. */
  col?: number | null;
  /** For `scroll`: steps down, or up where negative; 3 where none are given. */
  down?: number | null;
  /** Instead of row and column: a text on the screen, whose middle is meant. */
  label?: string | null;
  /** Which of several such texts, from 1 at the top. */
  nth?: number | null;
  /** For `scroll`: steps to the right, or left where negative. */
  right?: number | null;
  /** Row, from 1. */
  row?: number | null;
}

/** The gestures. */
export type MouseAction = "click" | "double_click" | "press" | "release" | "move" | "scroll";

/** The process behind a call: where it stands and what its environment is. */
export interface Origin {
  /** Its working directory. */
  cwd: string;
  /** Its environment. The daemon filters it before a child sees it. */
  env: Record<string, string>;
}

/** A session of another owner. */
export interface Other {
  /** Its name. */
  name?: string | null;
  /** Its number. */
  number: number;
  /** Whose it is. */
  owner: string;
  /** Its id. */
  session_id: string;
}

/** How far it came. */
export type Outcome = "done" | "running" | "exited";

/** What a command said. */
export interface Output {
  /** Its first lines; all of them where nothing is left out. */
  head: string;
  /** Lines between the two that are left out. */
  left_out: number;
  /** Its last lines. */
  tail: string;
}

/** One frame. */
export interface Paint {
  /** What the session is doing. */
  activity: Activity;
  /** Columns of the session. */
  cols: number;
  /** What to write to the terminal. */
  data: string;
  /** Whether it replaces the screen instead of changing it. */
  full: boolean;
  /** Rows of the session. */
  rows: number;
  /** Output that this frame shows, in bytes. */
  seq: number;
  /** The session's id. */
  session_id: string;
  /** The title that the program set: data, not markup. */
  title: string;
}

/** A panel. */
export interface Panel {
  /** Whether its program has ended. */
  exited: boolean;
  /** Its name. */
  panel_id: string;
  /** Its session. */
  session_id: string;
}

/** Which panel. */
export interface PanelOpenParams {
  /** Its name; `terminal` where none is given. */
  panel_id?: string | null;
}

/** The panel. */
export interface PanelOpenReply {
  /** Whether it was opened just now; otherwise it was there. */
  opened: boolean;
  /** Its name. */
  panel_id: string;
  /** Its session. */
  session_id: string;
}

/** Nothing to say yet: the caller's own. */
export type PanelsParams = Record<string, never>;

/** The panels, oldest first. */
export interface PanelsReply {
  /** Each of them. */
  panels: Panel[];
}

/** When typed text is put in paste brackets. */
export type Paste = "auto" | "always" | "never";

/** A place on the screen, 1-based. */
export interface Place {
  /** Column, from 1. */
  col: number;
  /** Row, from 1. */
  row: number;
}

/** Who is there, and what a viewer's keys and mouse would do. */
export interface Presence {
  /** The agent whose session it is, where it is one's. */
  agent?: string | null;
  /** Whether it is the alternate screen, that of full-screen programs. */
  alternate: boolean;
  /** The person who has it, as it introduced itself. */
  by?: string | null;
  /** How many others there are. */
  count: number;
  /** Whether the session follows the holder's window. */
  fitted: boolean;
  /** What an agent asked of people last, open or not. */
  handoff?: HandoffNotice | null;
  /** Who has the keyboard. */
  holder: Holder | null;
  /** Whether the program asked for the mouse. */
  mouse: boolean;
  /** Other viewers, in the order they came; the first of them where there are many. */
  others: Watcher[];
  /** The last agent that was not let type. */
  turned_away?: TurnedAway | null;
  /** Whether that is this viewer. */
  yours: boolean;
}

/** Which: exactly one of `session`, `older_than_seconds` and `all`. */
export interface PurgeParams {
  /** All. */
  all?: boolean;
  /** Also of live sessions, all but their newest part. */
  live?: boolean;
  /** Those that did not change for so long. */
  older_than_seconds?: number | null;
  /** That of this session, by id, number or name. */
  session?: string | null;
}

/** What was taken away. */
export interface PurgeReply {
  /** Bytes of both. */
  bytes: number;
  /** Recordings of live sessions that were meant too, and stay. */
  kept_live: number;
  /** Whole recordings. */
  recordings: number;
  /** Parts of recordings that go on. */
  segments: number;
}

/** How to write it down. */
export type ReadFormat = "plain" | "raw";

/** What to read, and what to wait for first. */
export interface ReadParams {
  /** For `lines`: the first of them; the screen's top row where none is given. */
  first_line?: number | null;
  /** How. */
  format?: ReadFormat;
  /** For `lines`: the last of them, included; the screen's bottom row where none is given. */
  last_line?: number | null;
  /** For `scrollback` and `whole`: most lines to answer with, the newest; 1,000 where none are given. */
  limit?: number | null;
  /** Most bytes of text: of a longer one its head and its tail, with what was left out counted. All where none are given, or 0. */
  max_bytes?: number | null;
  /** For `scrollback`: lines to skip, from the newest. For `new`: bytes to skip, to page through a long text. */
  offset?: number;
  /** Whose place `new` and `changes` read from; the owner's where none is named. */
  reader?: string | null;
  /** Id, number or name. */
  session?: string;
  /** For `new`: from this many bytes of output on, instead of this reader's place. */
  since?: number | null;
  /** For `lines`: the same with colours, too. */
  styled?: boolean;
  /** Which part. */
  view?: View;
  /** Wait for this first. */
  wait?: Wait | null;
}

/** What was read. */
export interface ReadReply {
  /** What it is doing. */
  activity: Activity;
  /** The text. */
  content: string;
  /** The cursor, 1-based, for the screen. */
  cursor: Place | null;
  /** The session's size. */
  dimensions: Dimensions;
  /** Lines that the limits had dropped before they were read. */
  dropped_lines: number;
  /** With what. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** Whether anything came since this reader's last read. */
  has_new_content: boolean;
  /** For `lines`: how many left the screen and can still be read. */
  history?: number | null;
  /** What a daemon could not take over from the one before it, if this reader was not told yet. */
  history_lost?: HistoryLost | null;
  /** Whether nothing came for the time waited for. */
  idle: boolean;
  /** Images that came since then. */
  images?: Images[];
  /** Who has the keyboard, where a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** What stands between the head and the tail of a long text. */
  left_out?: LeftOut | null;
  /** Lines in it. */
  lines: number;
  /** How the wait ended, where there was one. */
  met?: Met | null;
  /** Whether the shell waits for a command. */
  prompt_detected: boolean;
  /** For `changes`: the row of each line, from 1. */
  rows?: number[];
  /** Go on from here. */
  seq: number;
  /** For `lines`, where it was asked for: the same text with colours, as escape sequences. */
  styled?: string | null;
  /** Why it came to nothing, where the time ran out. */
  why?: string | null;
}

/** Why a part of the screen changed, as far as it shows: a hint, nothing more. */
export type Reason = "text" | "clear" | "scroll" | "screen_switch" | "redraw";

/** How a session's recording goes. */
export interface Recording {
  /** Bytes on the disk. */
  bytes: number;
  /** Why nothing can be written now; it is tried again. */
  error?: string | null;
  /** Bytes of output that could not be recorded. */
  lost_bytes: number;
  /** Whether the session is recorded. */
  on: boolean;
}

/** How to write it down. */
export type RecordingFormat = "cast" | "text" | "jsonl";

/** Which session, how, and which part. */
export interface RecordingParams {
  /** How. */
  format?: RecordingFormat;
  /** About how many bytes to answer with; 262,144 where none are given, at most 4,194,304. */
  limit?: number | null;
  /** Go on from here: what the page before answered. */
  next?: string | null;
  /** Id, number or name; of a session that is gone best its id. */
  session?: string;
}

/** A page of it. */
export interface RecordingReply {
  /** What stands there. */
  content: string;
  /** Whether this is all there is so far. */
  end: boolean;
  /** Go on from here. */
  next: string;
  /** The session's id. */
  session_id: string;
}

/** Part of the screen. */
export interface Region {
  /** The first column. */
  x: number;
  /** The column after the last. */
  x2: number;
  /** The first row. */
  y: number;
  /** The row after the last. */
  y2: number;
}

/** How far a hand-off request came. */
export type RequestState = "waiting" | "taken" | "completed" | "declined" | "timeout" | "cancelled";

/** Nothing to say. */
export type RequestsParams = Record<string, never>;

/** Those that are open, oldest first. */
export interface RequestsReply {
  /** How many. */
  count: number;
  /** Each of them; for an agent, those of its own sessions. */
  requests: HandoffRequest[];
}

/** Which session, and how large. */
export interface ResizeParams {
  /** Columns; as they are where none are given. */
  cols?: number | null;
  /** Only for as long as the caller, a person, has the keyboard; then the session gets its own size back. */
  fit?: boolean;
  /** Rows; as they are where none are given. */
  rows?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** How large it is now. */
export interface ResizeReply {
  /** Its size. */
  dimensions: Dimensions;
}

/** What happened while the agent did not have the keyboard. */
export interface Returned {
  /** Who had it. */
  by: string;
  /** How many bytes that person typed. */
  bytes: number;
  /** For how long. */
  held_ms: number;
  /** What came meanwhile: `read` with this as `since` … */
  since: number;
  /** … up to this much output. */
  until: number;
}

/** Neighbouring cells that look alike. What is left out is as it is in plain text. */
export interface Run {
  /** What else there is. */
  attributes?: Attribute[];
  /** Colour behind the text. */
  bg?: Color | null;
  /** Colour of the text. */
  fg?: Color | null;
  /** The address that it links to: data from a program, not to be trusted. */
  link?: string | null;
  /** Kind of underline. */
  underline?: Underline | null;
  /** Colour of the underline, where it is not the text's. */
  underline_color?: Color | null;
  /** The first cell. A wide character takes two. */
  x: number;
  /** The cell after the last. It may lie behind the text: a coloured background. */
  x2: number;
}

/** What to run, and where. */
export interface RunParams {
  /** The command, one line or several. */
  command?: string;
  /** Most bytes of output: of a longer one its head and its tail, with what was left out counted. All where none are given, or 0. */
  max_bytes?: number | null;
  /** Id, number or name of a session whose shell waits for a command. */
  session?: string;
  /** Answer `running` after this many milliseconds, 30,000 where none are given, or once the command waits for input. */
  timeout_ms?: number | null;
}

/** What became of it, and of the session. */
export interface RunReply {
  /** What the session is doing. */
  activity: Activity;
  /** The shell's directory afterwards. */
  cwd?: string | null;
  /** Lines of output that were too many to keep, before those in `output`. */
  dropped_lines?: number;
  /** The session's recording has the lines that were dropped, too. */
  dropped_recorded?: boolean;
  /** How long it took, or has taken so far. */
  duration_ms: number;
  /** Its exit code, once it ended. */
  exit_code: number | null;
  /** What a daemon could not take over from the one before it, if this reader was not told yet. */
  history_lost?: HistoryLost | null;
  /** Images in the output, of which there is no text. */
  images?: Images[];
  /** The command is not complete: the shell waits for the rest of it. */
  incomplete?: boolean;
  /** Who has the keyboard, where a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** What stands between the head and the tail of a long output, missing behind its first `after_lines` lines: read view "new" with its `since` and `offset`. */
  left_out?: LeftOut | null;
  /** "done", "running" (it goes on; the output is what it said so far) or "exited" (the shell itself ended). */
  outcome: Outcome;
  /** The command's own output, without prompt and echo. */
  output: string;
  /** Go on from here. */
  seq: number;
  /** The signal that ended the shell. */
  signal?: number | null;
}

/** One match. */
export interface SearchMatch {
  /** The column in the line where the match begins, from 1. */
  col?: number | null;
  /** The whole line. */
  line: string;
  /** The line's id; absent where a full-screen program showed it and it is gone from the screen. */
  line_id?: number | null;
  /** The text that matched. */
  text: string;
}

/** Which session, and what to look for. */
export interface SearchParams {
  /** Most matches to answer with, newest first; 50 where none are given. */
  limit?: number | null;
  /** A regular expression; each line is searched as a whole, however it wrapped. */
  regex?: string | null;
  /** Id, number or name. */
  session?: string;
  /** Instead of it: a text as it stands. */
  text?: string | null;
}

/** One match. */
export interface SearchRecordingsMatch {
  /** The whole line. */
  line: string;
  /** The session's id. */
  session_id: string;
  /** The text that matched. */
  text: string;
}

/** What to look for, and where. */
export interface SearchRecordingsParams {
  /** Most matches to answer with, newest first; 50 where none are given. */
  limit?: number | null;
  /** A regular expression; each line is searched as a whole, however it wrapped. */
  regex?: string | null;
  /** Only in the recording of this session: id, number or name; of a session that is gone best its id. */
  session?: string | null;
  /** Instead of it: a text as it stands. */
  text?: string | null;
}

/** What was found. */
export interface SearchRecordingsReply {
  /** Whether the time for a search was over before all was searched. */
  gave_up: boolean;
  /** Newest first, recording by recording. */
  matches: SearchRecordingsMatch[];
  /** Whether there are more than were asked for. */
  more: boolean;
  /** Recordings that were searched. */
  recordings: number;
}

/** What was found. */
export interface SearchReply {
  /** Newest first. */
  matches: SearchMatch[];
  /** Whether there are more than were asked for. */
  more: boolean;
}

/** What to type: text, one key, the mouse, or bytes as they are. */
export interface SendParams {
  /** With Alt. */
  alt?: boolean;
  /** Bytes as they are, in base64. */
  bytes?: string | null;
  /** What the terminal itself understands. */
  control?: Control | null;
  /** With Control. */
  ctrl?: boolean;
  /** What happens to the key; only programs that asked for it hear of more than `press`. */
  event?: KeyEvent;
  /** A key: `up`, `enter`, `f5`, `c`, `ctrl+c`, `^C`, `<Esc>`. */
  key?: string | null;
  /** What the mouse does; `ctrl`, `alt` and `shift` go with it. */
  mouse?: Mouse | null;
  /** Also tell a person what became of it; an agent is always told. */
  observe?: boolean;
  /** Paste brackets. */
  paste?: Paste;
  /** Id, number or name. */
  session?: string;
  /** With Shift. */
  shift?: boolean;
  /** Whether `text` has keys written into it: `^C`, `^[`, `[UP]`, `[F5]`; `\\^` and `\\[` are the characters. */
  special?: boolean;
  /** Text; each line end is the Enter key. */
  text?: string | null;
}

/** What was typed. */
export interface SendReply {
  /** Bytes written for the program to read. */
  bytes: number;
  /** Where it was asked for: whether the program took the bytes, within a tenth of a second. */
  consumed?: boolean | null;
  /** Whether the text went in paste brackets, so that its lines are text and no Enter keys. */
  pasted?: boolean;
  /** Whether the screen changed beyond the echo. */
  reacted?: boolean | null;
  /** What an agent had not been told yet: what a person did with the keyboard. */
  returned?: Returned | null;
  /** Output processed before they were written: read or wait from here. */
  seq: number;
  /** Whether the shell began a command. */
  submitted?: boolean | null;
}

/** Everything that a list shows of a session. */
export interface SessionInfo {
  /** What it is doing. */
  activity: Activity;
  /** Its arguments. */
  args: string[];
  /** Whether its history is longer than the journal: then a daemon that cannot read this one's checkpoints loses the rest of it. */
  checkpointed: boolean;
  /** Both as one line, or the line that it was made from. */
  command: string;
  /** ISO 8601. */
  created_at: string;
  /** The cursor, 1-based. */
  cursor: Place;
  /** The directory of its foreground program, now; where it has ended, the one that it began in. */
  cwd: string | null;
  /** Its size. */
  dimensions: Dimensions;
  /** With what, where it ended by itself. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** What an agent asks of people here, while it does. */
  handoff?: HandoffRequest | null;
  /** No errors, not exited. */
  healthy: boolean;
  /** Lines of history it keeps. */
  history_lines: number;
  /** What a daemon could not take over from the one before it, where that happened. */
  history_lost?: HistoryLost | null;
  /** Milliseconds since anything came or was typed. */
  idle_ms: number;
  /** Who may type. */
  keyboard: KeyboardReply;
  /** The name its maker gave it. */
  name?: string | null;
  /** Its small number, never used again in this home. */
  number: number;
  /** Whose it is. */
  owner: string;
  /** Which of its owner's panels it is, where it is one. */
  panel_id?: string | null;
  /** Its process id. */
  pid: number;
  /** The program's path. */
  program: string;
  /** How its recording goes. */
  recording: Recording;
  /** Bytes of output processed. */
  seq: number;
  /** Its id, `sess_` and eight characters. */
  session_id: string;
  /** By which signal, where one ended it. */
  signal?: number | null;
  /** Whether a signal stopped the program in the foreground. */
  stopped?: boolean;
  /** The title that the program set. */
  title: string;
}

/** The cursor's shape. */
export type Shape = "block" | "underline" | "bar";

/** Which session, and which signal. */
export interface SignalParams {
  /** Id, number or name. */
  session?: string;
  /** Its name: `INT`, `TERM`, `HUP`, `KILL`, `QUIT`, `STOP`, `TSTP`, `CONT`, `USR1`, `USR2`; `SIG` before it does no harm. `INT` where none is given. */
  signal?: string | null;
}

/** Who got it. */
export interface SignalReply {
  /** The process group that was signalled. */
  group: number;
  /** The program in it that most likely reads the terminal. */
  program?: string | null;
}

/** The screen at one moment. */
export interface Snapshot {
  /** Whether it is the alternate screen, that of full-screen programs. */
  alternate: boolean;
  /** Columns of the session. */
  cols: number;
  /** Where the cursor is. */
  cursor: Cursor;
  /** The text of each row from the top, right-trimmed. */
  lines: string[];
  /** Rows of the session. */
  rows: number;
  /** Output that it shows, in bytes. */
  seq: number;
  /** The session's id. */
  session_id: string;
  /** For each line where it does not look plain; left out where every line does. */
  styles?: Run[][];
  /** The title that the program set: data, not markup. */
  title: string;
}

/** Which session. */
export interface SnapshotParams {
  /** Id, number or name. */
  session?: string;
}

export type SnapshotReply = Snapshot;

/** The versions of one format. */
export interface StatusFormat {
  /** The oldest that is read. */
  reads_from: number;
  /** The one that is written; all older ones from `reads_from` on are read. */
  writes: number;
}

/** No parameters. */
export type StatusParams = Record<string, never>;

/** What runs, and where it listens. */
export interface StatusReply {
  /** Sessions whose program has ended and that can still be read. */
  exited: number;
  /** The versions of what it leaves to the next daemon; older daemons do not say. */
  formats?: Formats | null;
  /** Where the page is: `http://127.0.0.1:7420`. */
  http: string;
  /** The keeper's process id. */
  keeper_pid: number;
  /** The page, for a person with its token. */
  link: string;
  /** Sessions whose program runs. */
  live: number;
  /** The daemon's process id. */
  pid: number;
  /** The Unix socket. */
  socket: string;
  /** Its version. */
  version: string;
}

/** To the viewer. */
export type ToViewer = Paint & {
  type: "paint";
} | {
  /** With what, where it ended by itself. */
  exit_code: number | null;
  /** By which signal, where one ended it. */
  signal: number | null;
  type: "exited";
} | {
  type: "gone";
} | ErrorBody & {
  type: "refused";
} | Presence & {
  type: "presence";
};

/** What is known of a token; not the token itself. */
export interface TokenInfo {
  /** What it may do. */
  kind: Kind;
  /** When it was last used, to the minute; absent: never. */
  last_used?: string | null;
  /** When it was made, ISO 8601. */
  made: string;
  /** Its name. */
  name: string;
}

/** No parameters. */
export type TokenListParams = Record<string, never>;

/** By name. The page's own token is not among them. */
export interface TokenListReply {
  /** Each of them. */
  tokens: TokenInfo[];
}

/** What it is called, and what it may do. */
export interface TokenNewParams {
  /** A name to revoke it by: letters, digits, `-` and `_`. */
  name?: string;
  /** Whoever has it may look, and nothing else. */
  read_only?: boolean;
}

/** The token. It is told this once. */
export interface TokenNewReply {
  /** What it may do. */
  kind: Kind;
  /** Its name. */
  name: string;
  /** What goes behind `Authorization: Bearer`. */
  token: string;
}

/** Which. */
export interface TokenRevokeParams {
  /** Its name. */
  name?: string;
}

/** It is gone. */
export interface TokenRevokeReply {
  /** Always true: what is not there is an error. */
  revoked: boolean;
}

/** An agent that was not let type. */
export interface TurnedAway {
  /** How often that has happened: a new one is a new number. */
  count: number;
  /** The agent's name. */
  name: string;
  /** Whether because of a secret; otherwise a person had the keyboard. */
  secret: boolean;
}

/** The kinds of underline. */
export type Underline = "single" | "double" | "curly" | "dotted" | "dashed";

/** To the front end. */
export type Update = {
  type: "bell";
} | Cursor & {
  type: "cursor";
} | Diff & {
  type: "diff";
} | Snapshot & {
  type: "snapshot";
} | {
  /** With what, where it ended by itself. */
  exit_code: number | null;
  /** By which signal, where one ended it. */
  signal: number | null;
  type: "exited";
} | {
  type: "gone";
};

/** Which part to read. */
export type View = "screen" | "new" | "changes" | "scrollback" | "lines" | "whole";

/** Conditions to wait for; the first that holds wins, and the program's end ends every wait. Every face offers all of them. */
export interface Wait {
  /** Until all of the conditions hold at once, instead of any. */
  all?: boolean;
  /** Until the program ends. */
  exit?: boolean;
  /** Until no output came for this many ms. */
  idle_ms?: number | null;
  /** Until no person has the keyboard. */
  keyboard?: boolean;
  /** Until the shell waits for a command. */
  prompt?: boolean;
  /** Until the program took what was typed and reads again (REPLs, questions). */
  reads?: boolean;
  /** Until this regular expression matches. */
  regex?: string | null;
  /** Until the program asks for a secret. */
  secret?: boolean;
  /** Count only output after this: a `seq`, `since` or `next_since` of another answer. Default: since the last input. */
  since?: number | null;
  /** A match of this regular expression ends the wait whatever else is waited for, e.g. "error|failed". */
  stop?: string | null;
  /** Until this text appears, or stands there already. */
  text?: string | null;
  /** Longest wait in ms. Default: 30000 where a condition is given. */
  timeout_ms?: number | null;
}

/** Which session, and for what. */
export interface WaitParams {
  /** Until all of the conditions hold at once, instead of any. */
  all?: boolean;
  /** Until the program ends. */
  exit?: boolean;
  /** Until no output came for this many ms. */
  idle_ms?: number | null;
  /** Until no person has the keyboard. */
  keyboard?: boolean;
  /** Until the shell waits for a command. */
  prompt?: boolean;
  /** Until the program took what was typed and reads again (REPLs, questions). */
  reads?: boolean;
  /** Until this regular expression matches. */
  regex?: string | null;
  /** Until the program asks for a secret. */
  secret?: boolean;
  /** Id, number or name. */
  session?: string;
  /** Count only output after this: a `seq`, `since` or `next_since` of another answer. Default: since the last input. */
  since?: number | null;
  /** A match of this regular expression ends the wait whatever else is waited for, e.g. "error|failed". */
  stop?: string | null;
  /** Until this text appears, or stands there already. */
  text?: string | null;
  /** Longest wait in ms. Default: 30000 where a condition is given. */
  timeout_ms?: number | null;
}

/** How it ended. */
export interface WaitReply {
  /** What the session is doing. */
  activity: Activity;
  /** How the last command ended, where the prompt was waited for and the shell tells. */
  command?: LastCommand | null;
  /** After how long. */
  elapsed_ms: number;
  /** With what, where it ended by itself. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** Who has the keyboard, where a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** The line that was waited for. */
  matched?: string | null;
  /** Which condition held. */
  met: Met;
  /** The screen at that moment. */
  screen: string;
  /** Bytes of output processed. */
  seq: number;
  /** By which signal, where one ended it. */
  signal: number | null;
  /** Why nothing held, where nothing did. */
  why?: string | null;
}

/** Another viewer. */
export interface Watcher {
  /** What the person watches through: `attach`, `page`. */
  kind: string;
  /** The person's name. */
  name: string;
}

/** Which request. */
export interface WithdrawParams {
  /** The hand-off request's id, or that of the request that made it. */
  request_id?: string;
  /** Id, number or name. */
  session?: string;
}

export type WithdrawReply = HandoffRequest;

/** The parameters and the reply of each operation. */
export interface Operations {
  /** Answer what an agent asks of people: it is done, or declined */
  answer: { params: AnswerParams; reply: AnswerReply };
  /** Ask people to take over a session for a moment, and wait for how that ends */
  ask: { params: AskParams; reply: AskReply };
  /** Write all output of a session from now on to a file, or stop doing so */
  capture: { params: CaptureParams; reply: CaptureReply };
  /** List the commands that a session's shell ran, or read the output of one */
  commands: { params: CommandsParams; reply: CommandsReply };
  /** Tell every setting of the daemon and where it comes from */
  config: { params: ConfigParams; reply: ConfigReply };
  /** Change how much history a session keeps */
  configure: { params: ConfigureParams; reply: ConfigureReply };
  /** Start a program (your shell by default) in a terminal of its own */
  create: { params: CreateParams; reply: CreateReply };
  /** End a session together with everything it started */
  destroy: { params: DestroyParams; reply: DestroyReply };
  /** Tell what a session is and does, without its content */
  info: { params: InfoParams; reply: InfoReply };
  /** Take the keyboard of a session, give it back, or ask who has it */
  keyboard: { params: KeyboardParams; reply: KeyboardReply };
  /** List the sessions */
  list: { params: ListParams; reply: ListReply };
  /** Open a panel with your shell, or find the one of that name */
  panel_open: { params: PanelOpenParams; reply: PanelOpenReply };
  /** List your panels */
  panels: { params: PanelsParams; reply: PanelsReply };
  /** List what agents ask of people */
  requests: { params: RequestsParams; reply: RequestsReply };
  /** Take away the recording of a session, old ones, or all */
  purge: { params: PurgeParams; reply: PurgeReply };
  /** Read the screen, what is new, or what left the screen */
  read: { params: ReadParams; reply: ReadReply };
  /** Read the recording of a session, also of one that is long gone */
  recording: { params: RecordingParams; reply: RecordingReply };
  /** Give a session another size */
  resize: { params: ResizeParams; reply: ResizeReply };
  /** Run one command in a shell and answer with its output and exit code */
  run: { params: RunParams; reply: RunReply };
  /** Search the screen, what left it, and what full-screen programs showed */
  search: { params: SearchParams; reply: SearchReply };
  /** Search recordings, also of sessions that are long gone */
  search_recordings: { params: SearchRecordingsParams; reply: SearchRecordingsReply };
  /** Type text, press a key or use the mouse in a session */
  send: { params: SendParams; reply: SendReply };
  /** Send a signal to the program in a session's foreground */
  signal: { params: SignalParams; reply: SignalReply };
  /** Tell what a session shows, as lines with their styles and the cursor */
  snapshot: { params: SnapshotParams; reply: SnapshotReply };
  /** Tell what runs and where it listens */
  status: { params: StatusParams; reply: StatusReply };
  /** List the tokens for the HTTP listener */
  token_list: { params: TokenListParams; reply: TokenListReply };
  /** Make a token for the HTTP listener, for everything or for looking only */
  token_new: { params: TokenNewParams; reply: TokenNewReply };
  /** Revoke a token: it opens nothing any more, at once */
  token_revoke: { params: TokenRevokeParams; reply: TokenRevokeReply };
  /** Wait until text appears, output pauses, the prompt is back or the program ends */
  wait: { params: WaitParams; reply: WaitReply };
  /** Withdraw what people were asked for */
  withdraw: { params: WithdrawParams; reply: WithdrawReply };
}
