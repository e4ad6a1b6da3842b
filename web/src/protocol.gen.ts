// The messages between cotty and its clients. Written by `make docs`; served as /v1/types.ts.

/** What a session is doing, as far as cotty can observe. */
export type Activity = {
  kind: "prompt";
} | {
  kind: "running";
  /** The program in the foreground. */
  program?: string | null;
} | {
  kind: "waiting_for_input";
  /** The program's name. */
  program?: string | null;
} | {
  kind: "pager";
  /** The program's name. */
  program: string;
} | {
  kind: "editor";
  /** The program's name. */
  program: string;
} | {
  kind: "secret_input";
} | {
  kind: "secret_suspected";
} | {
  kind: "exited";
};

/** The kind of actor that calls. */
export type ActorKind = "person" | "agent" | "child";

/** What a program's output can be allowed to do. */
export type Allow = "title" | "clipboard" | "checksum" | "resize";

/** Which request, and the answer. */
export interface AnswerParams {
  /** Decline the request instead of completing it. */
  decline?: boolean;
  /** A note to the agent, at most 2,000 characters. */
  note?: string | null;
  /** Its id. */
  request_id?: string;
}

export type AnswerReply = HandoffRequest;

/** Why an operation was refused or failed. The text of an error says what happened and names no tool or command. */
export type ApiError = {
  kind: "session_not_found";
  /** A similar name that exists. */
  near?: string | null;
  /** As the caller gave it. */
  session: string;
} | {
  kind: "session_destroyed";
  /** As the caller gave it. */
  session: string;
} | {
  /** The sessions that have been idle longest. */
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
  /** The kernel's reason, if the program exists but cannot be started. */
  error?: string | null;
  kind: "program_not_found";
  /** As the caller gave it. */
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
  kind: "processes";
} | {
  /** Why. */
  error: string;
  kind: "io";
} | {
  /** Why. */
  error: string;
  kind: "keeper";
} | {
  /** Why. */
  error: string;
  kind: "policy";
} | {
  /** Why. */
  error: string;
  kind: "broken";
} | {
  /** Its exit code; none if a signal ended it. */
  exit_code: number | null;
  kind: "exited";
} | {
  /** What that call does. */
  call: string;
  kind: "busy";
  /** For how long it has been typing. */
  ms: number;
} | {
  /** Who. */
  by: string;
  /** When the keyboard is free if that person types nothing more; none if the person must give it back. */
  ends_in_ms: number | null;
  kind: "keyboard_held";
} | {
  kind: "keyboard_not_yours";
} | {
  kind: "not_a_person";
} | {
  kind: "secret_input";
  /** Guessed from the screen, not reported by the kernel. */
  suspected: boolean;
} | {
  /** As the caller gave it. */
  key: string;
  kind: "unknown_key";
  /** A similar key that exists. */
  near?: string | null;
} | {
  /** The character that was pressed with it. */
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
  /** Which of several occurrences. */
  nth: number;
} | {
  kind: "not_yours";
  /** Its owner. */
  owner: string;
  /** Its id. */
  session: string;
} | {
  /** What the session is doing. */
  activity: Activity;
  kind: "not_at_prompt";
  /** Whether the program has terminals of its own, whose content cotty cannot observe. */
  nested: boolean;
} | {
  /** The line was entered, but a quote or a block is still open. */
  entered: boolean;
  kind: "line_started";
} | {
  kind: "no_shell";
} | {
  kind: "no_commands";
  /** As the caller gave it. */
  session: string;
} | {
  kind: "no_such_command";
  /** The number. */
  number: number;
  /** How many commands the session has run. */
  total: number;
} | {
  kind: "policy_denied";
  /** The rule's reason. */
  reason: string;
} | {
  /** Why. */
  error: string;
  kind: "invalid_pattern";
  /** The parameter that takes plain text instead. */
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
  /** As the caller gave it. */
  id: string;
  kind: "request_not_found";
} | {
  /** Its id. */
  id: string;
  kind: "request_ended";
  /** How it ended. */
  state: RequestState;
} | {
  kind: "no_recording";
  /** As the caller gave it. */
  session: string;
} | {
  kind: "recording_live";
} | {
  kind: "shutting_down";
} | {
  /** What the session is doing. */
  activity: Activity;
  /** How long the wait lasted. */
  elapsed_ms: number;
  /** The person who has the keyboard. */
  held_by?: string | null;
  kind: "wait_timeout";
  /** See [`ApiError::NotAtPrompt`]. */
  nested: boolean;
  /** The seq up to which output was checked. */
  seq: number;
  /** Why the condition was not met. */
  why: string;
} | {
  kind: "retry_id_reused";
  /** The id. */
  retry_id: string;
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
  /** The valid choices. */
  known: string[];
  /** As the caller gave it. */
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
  /** The limit. */
  mib: number;
} | {
  kind: "unknown_parameter";
  /** The valid choices. */
  known: string[];
  /** Its name as given, with the path to it. */
  name: string;
  /** A similar one that exists. */
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
  /** The given value, shortened. */
  given: string;
  kind: "wrong_parameter";
  /** Its name, with the path to it. */
  name: string;
  /** A similar value that is valid. */
  near?: string | null;
  /** The operation or tool. */
  of: string;
  /** What it must be. */
  takes: string;
} | {
  kind: "unknown_choice";
  /** The valid choices. */
  known: string[];
  /** As the caller gave it. */
  name: string;
  /** A similar one that exists. */
  near?: string | null;
  /** What the caller chooses: a signal, a tool, a window type. */
  what: string;
} | {
  kind: "no_input";
  /** What is missing. */
  problem: string;
} | {
  /** What would be right. */
  instead?: string | null;
  kind: "invalid";
  /** What is wrong. */
  problem: string;
} | {
  /** Whether the value is a pattern that does not compile. */
  is_pattern: boolean;
  kind: "bad_variable";
  /** Which variable, and why. */
  problem: string;
} | {
  kind: "which_panel";
  /** The names of the panels. */
  known: string[];
} | {
  kind: "no_panel";
  /** The valid choices. */
  known: string[];
  /** As the caller gave it. */
  panel: string | null;
} | {
  /** The error code to return. */
  code: Code;
  kind: "no_window";
  /** The valid choices. */
  known: string[];
  /** Whether the caller named a window. */
  named: boolean;
} | {
  /** The first requested line. */
  first: number;
  kind: "too_many_lines";
  /** The last requested line. */
  last: number;
  /** The limit. */
  most: number;
} | {
  kind: "no_mcp_session";
} | {
  kind: "unread_answers";
} | {
  /** How many were to be typed. */
  count: number;
  /** Why the rest was not. */
  error: ApiError;
  kind: "partly_typed";
  /** How many were typed. */
  typed: number;
} | {
  /** Why. */
  error: ApiError;
  kind: "step";
  /** Which step, from 1. */
  step: number;
};

/** A new hand-off request, or the id of an open one to wait for. */
export interface AskParams {
  /** For a new request: what the person should do, at most 2,000 characters. */
  message?: string | null;
  /** Instead of a new hand-off request: the id of an open one, to wait for it. */
  request_id?: string | null;
  /** Id, number or name. */
  session?: string;
  /** For a new hand-off request: it times out after this many milliseconds; default: 300,000. */
  timeout_ms?: number | null;
  /** Return after this many milliseconds even if the hand-off request is still open; default: when it has ended. */
  wait_ms?: number | null;
}

/** The request's current state, and the session's. */
export interface AskReply {
  /** What it is doing. */
  activity: Activity;
  /** The person who took it or ended it. */
  by?: string | null;
  /** If it is open: in how many milliseconds it times out. */
  ends_in_ms?: number | null;
  /** The agent's name. */
  from: string;
  /** Who may type. */
  keyboard: KeyboardReply;
  /** When it was created, ISO 8601. */
  made_at: string;
  /** What the person should do: data, not markup. */
  message: string;
  /** That person's note to the agent. */
  note?: string | null;
  /** Its number. */
  number: number;
  /** How long it has been open, or was open. */
  open_ms: number;
  /** Its id, `req_` and eight characters. */
  request_id: string;
  /** What the session shows. */
  screen: string;
  /** Bytes of output processed. */
  seq: number;
  /** The session. */
  session_id: string;
  /** To read the output since it was created: `read` with this as `since`. */
  since: number;
  /** Its state. */
  state: RequestState;
  /** How many bytes people have typed since it was created. */
  typed_bytes: number;
}

/** Attributes of text other than colours and underlines. */
export type Attribute = "bold" | "dim" | "italic" | "blink" | "inverse" | "hidden" | "strike" | "overline";

/** The buttons. */
export type Button = "left" | "middle" | "right" | "none";

/** One operation as a value: the operation, its caller, its origin, and a retry id, so that a retry does not act twice. */
export interface Call {
  /** Who the client says it is. */
  caller: Caller;
  /** The operation's name. */
  op: string;
  /** The calling process; sessions take their environment from it. */
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
  /** The kind of actor. */
  kind: ActorKind;
}

/** What to do. */
export type CaptureAction = "start" | "stop";

/** Which session, and what to do. */
export interface CaptureParams {
  /** Start or stop. */
  action?: CaptureAction;
  /** For `start`: the file's directory; default: a directory in cotty's home. */
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
  /** Its file: one line of JSON per chunk of output, with `timestamp` and `data`. */
  capture_file: string;
  /** How long it has been running. */
  duration_seconds: number;
}

/** Every error code that cotty returns. */
export type Code = "PTY_ERROR" | "IO_ERROR" | "SESSION_NOT_FOUND" | "SESSION_DESTROYED" | "MAX_SESSIONS" | "SESSION_ERROR" | "NO_INPUT" | "INVALID_KEY" | "INVALID_PATTERN" | "PROCESS_EXITED" | "PROGRAM_NOT_FOUND" | "WAIT_TIMEOUT" | "KEYBOARD_HELD" | "SECRET_INPUT" | "RETRY_ID_REUSED" | "POLICY_DENIED" | "INVALID_INPUT" | "NOT_YOURS" | "NOT_A_PERSON" | "NOT_ALLOWED" | "READ_ONLY" | "MOUSE_OFF" | "LABEL_NOT_FOUND" | "BUSY" | "NOT_AT_PROMPT" | "NO_SHELL" | "CAPTURE_RUNNING" | "NO_CAPTURE" | "ALREADY_ASKED" | "REQUEST_NOT_FOUND" | "REQUEST_ENDED" | "NO_RECORDING" | "UNKNOWN_OPERATION" | "UNKNOWN_ROUTE" | "WRONG_METHOD" | "TOO_LARGE" | "TOKEN_NOT_FOUND" | "TOKEN_EXISTS" | "UNAUTHORIZED" | "SHUTTING_DOWN";

/** A colour: an index of xterm's palette, or `#rrggbb`. */
export type Color = number | string;

/** One command. */
export interface Command {
  /** Their bytes. */
  bytes: number;
  /** The shell's directory when it started. */
  directory: string | null;
  /** Lines of output that were dropped because of the limits. */
  dropped_lines: number;
  /** How long it took, or has been running. */
  duration_ms: number;
  /** Its exit code, once it ended. */
  exit_code: number | null;
  /** Lines of output that can still be read. */
  lines: number;
  /** Its number in this session; never used again. */
  number: number;
  /** Its output, if requested. */
  output?: Output | null;
  /** Why the policy denied it. */
  reason?: string | null;
  /** When it started, ISO 8601. */
  started: string;
  /** Its state. */
  state: CommandState;
  /** Its text, if the shell reported it. */
  text: string | null;
}

/** The state of a command. */
export type CommandState = "done" | "running" | "denied" | "exited";

/** Which commands, or the output of which one. */
export interface CommandsParams {
  /** How many lines from the start of the output; default: 100. */
  head?: number | null;
  /** List only the newest N commands; default: 20. */
  limit?: number | null;
  /** Only the command with this number, with its output. */
  output?: number | null;
  /** Id, number or name. */
  session?: string;
  /** How many lines from the end of the output; default: 100. */
  tail?: number | null;
}

/** The commands, newest last. */
export interface CommandsReply {
  /** The commands. */
  commands: Command[];
  /** How many commands the session has run, listed or not. */
  total: number;
}

/** No parameters. */
export type ConfigParams = Record<string, never>;

/** Every key. */
export interface ConfigReply {
  /** The keys, in the order of the file. */
  keys: Key[];
  /** Problems in the configuration. */
  problems: string[];
}

/** Which session, and what to change. */
export interface ConfigureParams {
  /** Lines of history to keep from now on, up to 1,000,000. */
  history_lines?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** The session's settings. */
export interface ConfigureReply {
  /** How many lines of history it keeps. */
  history_lines: number;
}

/** A control function of the terminal's line discipline, whichever character the program has set for it. */
export type Control = "interrupt" | "eof" | "suspend";

/** What to start, and how. */
export interface CreateParams {
  /** What its output may do besides being shown; default: nothing. */
  allow?: Allow[];
  /** Its arguments. */
  args?: string[];
  /** Columns; default: 80. */
  cols?: number | null;
  /** A command line instead of both. Plain words are run directly, anything else with `sh -c`. */
  command?: string | null;
  /** Working directory; default: the caller's. */
  cwd?: string | null;
  /** Variables to add to the caller's environment. */
  env?: Record<string, string>;
  /** The session's name. */
  name?: string | null;
  /** The program; default: the caller's shell. */
  program?: string | null;
  /** A regular expression that matches a prompt on the cursor's line. It overrides the marks of a shell that has them. */
  prompt_pattern?: string | null;
  /** How long to wait for that, in milliseconds; default: 5,000. */
  ready_timeout_ms?: number | null;
  /** Record the session. Default: true. */
  record?: boolean | null;
  /** Rows; default: 24. */
  rows?: number | null;
  /** Return only when the shell waits for a command. Default: true for shells. */
  wait_ready?: boolean | null;
}

/** The new session. */
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

/** The cursor's position and shape. */
export interface Cursor {
  /** Its shape. */
  shape: Shape;
  /** Whether it is visible. */
  visible: boolean;
  /** Column. */
  x: number;
  /** Row. */
  y: number;
}

/** Which session, and how. */
export interface DestroyParams {
  /** Kill at once instead of asking the program to end. */
  force?: boolean;
  /** Id, number or name. */
  session?: string;
}

/** How the session ended. */
export interface DestroyReply {
  /** Always true: a failure is an error. */
  destroyed: boolean;
  /** The program's exit code; null if a signal ended it. */
  exit_code: number | null;
  /** Processes of the session that could not be ended. */
  left_running: string[];
}

/** New lines for a part of the screen: always whole rows (`x` is 0, `x2` the number of columns), so that a client can replace them without knowing how wide a character is. */
export interface Diff {
  /** The text of each of its rows from the top, right-trimmed. */
  lines: string[];
  /** Why it changed. */
  reason: Reason;
  /** Which part. */
  region: Region;
  /** The styled runs of each line; left out if all lines are plain. */
  styles?: Run[][];
}

/** Columns and rows. */
export interface Dimensions {
  /** Columns. */
  cols: number;
  /** Rows. */
  rows: number;
}

/** An error as a face writes it on the wire. */
export interface ErrorBody {
  /** The error as data. */
  cause?: ApiError | null;
  /** Stable across releases. */
  code: Code;
  /** The next step to try. */
  hint?: string | null;
  /** What happened. */
  message: string;
}

/** The format versions of the state that one daemon leaves to the next. */
export interface Formats {
  /** A session's state without its terminal. */
  checkpoint: StatusFormat;
  /** The state of a terminal. */
  engine: StatusFormat;
  /** The newest output and events. */
  journal: StatusFormat;
}

/** A message from the viewer. */
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
  /** Decline the request instead of completing it. */
  decline?: boolean;
  /** A note to the agent. */
  note?: string | null;
  /** The hand-off request's id. */
  request_id: string;
  type: "answer";
} | {
  /** The window's size. */
  size?: Dimensions | null;
  type: "fit";
};

/** A hand-off request, as viewers see it. */
export interface HandoffNotice {
  /** The person who ended it. */
  by?: string | null;
  /** The agent's name. */
  from: string;
  /** What the person should do: data, not markup. */
  message: string;
  /** The hand-off request's id. */
  request_id: string;
  /** Its state. */
  state: RequestState;
}

/** A hand-off request: an agent asks a person to take over its session for a moment. */
export interface HandoffRequest {
  /** The person who took it or ended it. */
  by?: string | null;
  /** If it is open: in how many milliseconds it times out. */
  ends_in_ms?: number | null;
  /** The agent's name. */
  from: string;
  /** When it was created, ISO 8601. */
  made_at: string;
  /** What the person should do: data, not markup. */
  message: string;
  /** That person's note to the agent. */
  note?: string | null;
  /** Its number. */
  number: number;
  /** How long it has been open, or was open. */
  open_ms: number;
  /** Its id, `req_` and eight characters. */
  request_id: string;
  /** The session. */
  session_id: string;
  /** To read the output since it was created: `read` with this as `since`. */
  since: number;
  /** Its state. */
  state: RequestState;
  /** How many bytes people have typed since it was created. */
  typed_bytes: number;
}

/** History that was lost when the daemon was replaced. The program keeps running. */
export interface HistoryLost {
  /** When, ISO 8601. */
  at: string;
  /** Output before this seq is missing. */
  before_seq: number;
  /** What was lost, and why. */
  what: string[];
}

/** Who may type. */
export type Holder = "agent" | "person" | "nobody";

/** Images that a program sent; they have no text. */
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
  /** Its value, as written in the file. */
  value: unknown;
}

/** A key event. */
export type KeyEvent = "press" | "repeat" | "release";

/** What to do with the keyboard. */
export type KeyboardAction = "show" | "take" | "give" | "leave";

/** Which session's keyboard, and what to do with it. */
export interface KeyboardParams {
  /** What to do. */
  action?: KeyboardAction;
  /** For `take`: the keyboard goes back this many milliseconds after the last key; default: 600,000. */
  lease_ms?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** The state of a keyboard. */
export interface KeyboardReply {
  /** The name of the person who has it. */
  by?: string | null;
  /** Who may type now. */
  holder: Holder;
  /** What happened while a person had it. Reported until the agent types again. */
  returned?: Returned | null;
  /** Milliseconds until it goes back if that person types nothing more; absent: when the person gives it back. */
  returns_in_ms?: number | null;
}

/** What a token may do. */
export type Kind = "full" | "agent" | "read_only";

/** How a shell's last command ended. */
export interface LastCommand {
  /** How long it took. */
  duration_ms: number;
  /** Its exit code, if the shell reported it. */
  exit_code: number | null;
}

/** The part that was left out of a long text, between its head and its tail. */
export interface LeftOut {
  /** Where the gap is: after this many lines of the returned text. */
  after_lines: number;
  /** Bytes. */
  bytes: number;
  /** Lines. */
  lines: number;
  /** To read the missing part with view `new`: give this as `offset` … */
  offset?: number | null;
  /** … and this as `since`. */
  since?: number | null;
}

/** Whose sessions. */
export interface ListParams {
  /** For an agent: also name the sessions of other owners. */
  all?: boolean;
}

/** The sessions, oldest first. */
export interface ListReply {
  /** How many. */
  count: number;
  /** The sessions of other owners, if requested. */
  others?: Other[];
  /** The sessions; for an agent, only its owner's. */
  sessions: SessionInfo[];
}

/** Which condition ended a wait. */
export type Met = "text" | "regex" | "idle" | "prompt" | "secret" | "reads" | "keyboard" | "all" | "stop" | "exit" | "timeout";

/** A gesture at a cell or on a text of the screen. */
export interface Mouse {
  /** The gesture. */
  action?: MouseAction;
  /** The button. */
  button?: Button;
  /** Column, from 1. */
  col?: number | null;
  /** For `scroll`: steps down, or up if negative; default: 3. */
  down?: number | null;
  /** Instead of row and column: a text on the screen; the gesture goes to its middle. */
  label?: string | null;
  /** Which of several such texts, from 1 at the top. */
  nth?: number | null;
  /** For `scroll`: steps to the right, or left if negative. */
  right?: number | null;
  /** Row, from 1. */
  row?: number | null;
}

/** The gestures. */
export type MouseAction = "click" | "double_click" | "press" | "release" | "move" | "scroll";

/** The process behind a call: its working directory and environment. */
export interface Origin {
  /** Its working directory. */
  cwd: string;
  /** Its environment. The daemon filters it before it starts a child. */
  env: Record<string, string>;
}

/** A session of another owner. */
export interface Other {
  /** Its name. */
  name?: string | null;
  /** Its number. */
  number: number;
  /** Its owner. */
  owner: string;
  /** Its id. */
  session_id: string;
}

/** How far the command got. */
export type Outcome = "done" | "running" | "exited";

/** A command's output. */
export interface Output {
  /** Its first lines; all lines if nothing is left out. */
  head: string;
  /** How many lines are left out between head and tail. */
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
  /** Whether it replaces the whole screen. */
  full: boolean;
  /** Rows of the session. */
  rows: number;
  /** The seq that this frame shows. */
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
  /** Its panel id. */
  panel_id: string;
  /** Its session. */
  session_id: string;
}

/** Which panel. */
export interface PanelOpenParams {
  /** Its panel id; default: `terminal`. */
  panel_id?: string | null;
}

/** The panel. */
export interface PanelOpenReply {
  /** Whether this call opened it; otherwise it was already open. */
  opened: boolean;
  /** Its panel id. */
  panel_id: string;
  /** Its session. */
  session_id: string;
}

/** No parameters. */
export type PanelsParams = Record<string, never>;

/** The panels, oldest first. */
export interface PanelsReply {
  /** The panels. */
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
  /** The agent that owns the session, if one does. */
  agent?: string | null;
  /** Whether the alternate screen is shown, that of full-screen programs. */
  alternate: boolean;
  /** The name of the person who has it. */
  by?: string | null;
  /** How many others there are. */
  count: number;
  /** Whether the session's size follows the holder's window. */
  fitted: boolean;
  /** The newest hand-off request, open or not. */
  handoff?: HandoffNotice | null;
  /** Who has the keyboard. */
  holder: Holder | null;
  /** Whether the program has mouse reporting on. */
  mouse: boolean;
  /** Other viewers, in the order they connected; only the first if there are many. */
  others: Watcher[];
  /** The last agent whose input was refused. */
  turned_away?: TurnedAway | null;
  /** Whether this viewer has it. */
  yours: boolean;
}

/** Which recordings: exactly one of `session`, `older_than_seconds` and `all`. */
export interface PurgeParams {
  /** All recordings. */
  all?: boolean;
  /** Also recordings of live sessions, except their newest part. */
  live?: boolean;
  /** Recordings that have not changed for this long. */
  older_than_seconds?: number | null;
  /** The recording of this session, by id, number or name. */
  session?: string | null;
}

/** What was deleted. */
export interface PurgeReply {
  /** Bytes of both. */
  bytes: number;
  /** Recordings that were not deleted because their sessions are live. */
  kept_live: number;
  /** Whole recordings. */
  recordings: number;
  /** Segments of recordings that otherwise remain. */
  segments: number;
}

/** The format of the text. */
export type ReadFormat = "plain" | "raw";

/** What to read, and what to wait for first. */
export interface ReadParams {
  /** For `lines`: the first line; default: the screen's top row. */
  first_line?: number | null;
  /** The format. */
  format?: ReadFormat;
  /** For `lines`: the last line, included; default: the screen's bottom row. */
  last_line?: number | null;
  /** For `scrollback` and `whole`: return at most this many of the newest lines; default: 1,000. */
  limit?: number | null;
  /** Most bytes of text. A longer text is cut to its head and tail, and the reply counts what was left out. Default, or 0: all. */
  max_bytes?: number | null;
  /** For `scrollback`: lines to skip, from the newest. For `new`: bytes to skip, to page through a long text. */
  offset?: number;
  /** The reader whose place `new` and `changes` use; default: the owner's. */
  reader?: string | null;
  /** Id, number or name. */
  session?: string;
  /** For `new`: read from this seq instead of this reader's place. */
  since?: number | null;
  /** For `lines`: also return the text with colours. */
  styled?: boolean;
  /** Which part. */
  view?: View;
  /** Wait for this before reading. */
  wait?: Wait | null;
}

/** What was read. */
export interface ReadReply {
  /** What it is doing. */
  activity: Activity;
  /** The text. */
  content: string;
  /** For the screen: the cursor, 1-based. */
  cursor: Place | null;
  /** The session's size. */
  dimensions: Dimensions;
  /** Lines that were dropped because of the limits before they were read. */
  dropped_lines: number;
  /** Its exit code. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** Whether there is output since this reader's last read. */
  has_new_content: boolean;
  /** For `lines`: how many lines of history there are. */
  history?: number | null;
  /** History that was lost when the daemon was replaced. Reported to each reader once. */
  history_lost?: HistoryLost | null;
  /** Whether there was no output for the `idle_ms` of the wait. */
  idle: boolean;
  /** Images in that output. */
  images?: Images[];
  /** Who has the keyboard, if a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** What was left out between the head and the tail of a long text. */
  left_out?: LeftOut | null;
  /** Lines in it. */
  lines: number;
  /** How the wait ended, if there was one. */
  met?: Met | null;
  /** Whether the shell waits for a command. */
  prompt_detected: boolean;
  /** For `changes`: the row of each line, from 1. */
  rows?: number[];
  /** Give this as `since` to continue. */
  seq: number;
  /** For `lines`, if requested: the text with colours, as escape sequences. */
  styled?: string | null;
  /** If the wait timed out: why. */
  why?: string | null;
}

/** Why a part of the screen changed: a guess, only a hint. */
export type Reason = "text" | "clear" | "scroll" | "screen_switch" | "redraw";

/** The state of a session's recording. */
export interface Recording {
  /** Bytes on the disk. */
  bytes: number;
  /** Why nothing can be written now; the daemon tries again. */
  error?: string | null;
  /** Bytes of output that could not be recorded. */
  lost_bytes: number;
  /** Whether the session is recorded. */
  on: boolean;
}

/** The format of the recording. */
export type RecordingFormat = "cast" | "text" | "jsonl";

/** Which session, in which format, and which part. */
export interface RecordingParams {
  /** The format. */
  format?: RecordingFormat;
  /** About how many bytes to return; default: 262,144, at most 4,194,304. */
  limit?: number | null;
  /** Where to continue: `next` of the previous page. */
  next?: string | null;
  /** Id, number or name; for a destroyed session, preferably its id. */
  session?: string;
}

/** A page of the recording. */
export interface RecordingReply {
  /** The text of the page. */
  content: string;
  /** Whether this is the last page so far. */
  end: boolean;
  /** Where the next page begins. */
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

/** The state of a hand-off request. */
export type RequestState = "waiting" | "taken" | "completed" | "declined" | "timeout" | "cancelled";

/** No parameters. */
export type RequestsParams = Record<string, never>;

/** The open requests, oldest first. */
export interface RequestsReply {
  /** How many. */
  count: number;
  /** The requests; for an agent, only those of its own sessions. */
  requests: HandoffRequest[];
}

/** Which session, and how large. */
export interface ResizeParams {
  /** Columns; default: unchanged. */
  cols?: number | null;
  /** Only while the caller, a person, has the keyboard; afterwards the session returns to its own size. */
  fit?: boolean;
  /** Rows; default: unchanged. */
  rows?: number | null;
  /** Id, number or name. */
  session?: string;
}

/** The session's new size. */
export interface ResizeReply {
  /** Its size. */
  dimensions: Dimensions;
}

/** Which daemon to replace, and by which program. */
export interface RestartParams {
  /** The process id of the daemon to replace. If another daemon runs, nothing happens. */
  pid?: number | null;
  /** The absolute path of the program to start as the next daemon; default: the program of this one. */
  program?: string | null;
}

/** What is about to happen. */
export interface RestartReply {
  /** The process id of this daemon. */
  pid: number;
  /** Whether the keeper starts the given program. A keeper of an earlier version always starts what is at its own path. */
  uses_program: boolean;
}

/** What happened while a person had the keyboard. */
export interface Returned {
  /** The person. */
  by: string;
  /** How many bytes the person typed. */
  bytes: number;
  /** For how long. */
  held_ms: number;
  /** To read the output of that time: `read` with this as `since` … */
  since: number;
  /** … up to this seq. */
  until: number;
}

/** Neighbouring cells with the same attributes. A missing field has the value of plain text. */
export interface Run {
  /** Other attributes. */
  attributes?: Attribute[];
  /** Colour behind the text. */
  bg?: Color | null;
  /** Colour of the text. */
  fg?: Color | null;
  /** The address that it links to: untrusted data from the program. */
  link?: string | null;
  /** Kind of underline. */
  underline?: Underline | null;
  /** Colour of the underline, if it differs from the text's. */
  underline_color?: Color | null;
  /** The first cell. A wide character takes two. */
  x: number;
  /** The cell after the last. It may be beyond the end of the text: a coloured background. */
  x2: number;
}

/** What to run, and where. */
export interface RunParams {
  /** The command, one line or several. */
  command?: string;
  /** Most bytes of output. A longer output is cut to its head and tail, and the reply counts what was left out. Default, or 0: all. */
  max_bytes?: number | null;
  /** Id, number or name of a session whose shell waits for a command. */
  session?: string;
  /** Return `running` after this many milliseconds (default: 30,000), or when the command waits for input. */
  timeout_ms?: number | null;
}

/** The command's result, and the session's state. */
export interface RunReply {
  /** What the session is doing. */
  activity: Activity;
  /** The shell's directory afterwards. */
  cwd?: string | null;
  /** Lines dropped because of the limits, before those in `output`. */
  dropped_lines?: number;
  /** Whether the session's recording has the dropped lines. */
  dropped_recorded?: boolean;
  /** How long it took, or has been running. */
  duration_ms: number;
  /** Its exit code, once it ended. */
  exit_code: number | null;
  /** History that was lost when the daemon was replaced. Reported to each reader once. */
  history_lost?: HistoryLost | null;
  /** Images in the output; they have no text. */
  images?: Images[];
  /** The command is not complete: the shell waits for the rest of it. */
  incomplete?: boolean;
  /** Who has the keyboard, if a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** What was left out of a long output, after its first `after_lines` lines. To get it: read view "new" with its `since` and `offset`. */
  left_out?: LeftOut | null;
  /** "done", "running" (it continues; `output` is its output so far) or "exited" (the shell itself ended). */
  outcome: Outcome;
  /** The command's own output, without prompt and echo. */
  output: string;
  /** Give this as `since` to continue. */
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
  /** The line's id; absent for a line of the alternate-screen history. */
  line_id?: number | null;
  /** The text that matched. */
  text: string;
}

/** Which session, and what to look for. */
export interface SearchParams {
  /** Return at most this many matches, newest first; default: 50. */
  limit?: number | null;
  /** A regular expression; a wrapped line is searched as one line. */
  regex?: string | null;
  /** Id, number or name. */
  session?: string;
  /** Instead of `regex`: plain text. */
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
  /** Return at most this many matches, newest first; default: 50. */
  limit?: number | null;
  /** A regular expression; a wrapped line is searched as one line. */
  regex?: string | null;
  /** Search only this session's recording: id, number or name; for a destroyed session, preferably its id. */
  session?: string | null;
  /** Instead of `regex`: plain text. */
  text?: string | null;
}

/** The matches. */
export interface SearchRecordingsReply {
  /** Whether the search ran out of time before it was complete. */
  gave_up: boolean;
  /** Newest first, recording by recording. */
  matches: SearchRecordingsMatch[];
  /** Whether there are more matches than `limit`. */
  more: boolean;
  /** How many recordings were searched. */
  recordings: number;
}

/** The matches. */
export interface SearchReply {
  /** Newest first. */
  matches: SearchMatch[];
  /** Whether there are more matches than `limit`. */
  more: boolean;
}

/** What to type: text, one key, a mouse gesture, or raw bytes. */
export interface SendParams {
  /** With Alt. */
  alt?: boolean;
  /** Raw bytes, in base64. */
  bytes?: string | null;
  /** A control function of the terminal. */
  control?: Control | null;
  /** With Control. */
  ctrl?: boolean;
  /** The key event. Only programs that asked for it receive events other than `press`. */
  event?: KeyEvent;
  /** A key: `up`, `enter`, `f5`, `c`, `ctrl+c`, `^C`, `<Esc>`. */
  key?: string | null;
  /** A mouse gesture; `ctrl`, `alt` and `shift` apply to it. */
  mouse?: Mouse | null;
  /** Report the effect (`consumed`, `reacted`, `submitted`) to a person, too; an agent always gets it. */
  observe?: boolean;
  /** Paste brackets. */
  paste?: Paste;
  /** Id, number or name. */
  session?: string;
  /** With Shift. */
  shift?: boolean;
  /** Whether `text` contains key names: `^C`, `^[`, `[UP]`, `[F5]`; write `\\^` and `\\[` for the characters. */
  special?: boolean;
  /** Text; each line end is the Enter key. */
  text?: string | null;
}

/** What was typed. */
export interface SendReply {
  /** Bytes written to the terminal. */
  bytes: number;
  /** If requested: whether the program read the bytes within 80 ms. */
  consumed?: boolean | null;
  /** For an interrupt: how many bytes of earlier input were dropped, because the program had not read them. */
  dropped?: number;
  /** Whether the text was put in paste brackets, so that its line ends are not Enter keys. */
  pasted?: boolean;
  /** Whether the screen changed beyond the echo. */
  reacted?: boolean | null;
  /** For an agent, if not yet reported: what happened while a person had the keyboard. */
  returned?: Returned | null;
  /** The seq before they were written: read or wait from here. */
  seq: number;
  /** Whether the shell started a command. */
  submitted?: boolean | null;
}

/** Everything that a list shows of a session. */
export interface SessionInfo {
  /** What it is doing. */
  activity: Activity;
  /** Its arguments. */
  args: string[];
  /** Whether its history is longer than the journal. A daemon that cannot read this one's checkpoints loses the older part. */
  checkpointed: boolean;
  /** Program and arguments as one line, or the command line it was created from. */
  command: string;
  /** When it was created, ISO 8601. */
  created_at: string;
  /** The cursor, 1-based. */
  cursor: Place;
  /** The current directory of its foreground program; after it exited, the one it started in. */
  cwd: string | null;
  /** Its size. */
  dimensions: Dimensions;
  /** The exit code, if it ended by itself. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** The open hand-off request, if there is one. */
  handoff?: HandoffRequest | null;
  /** Whether it has no errors and has not exited. */
  healthy: boolean;
  /** How many lines of history it keeps. */
  history_lines: number;
  /** History that was lost when the daemon was replaced, if any. */
  history_lost?: HistoryLost | null;
  /** Milliseconds since the last output or input. */
  idle_ms: number;
  /** Who may type. */
  keyboard: KeyboardReply;
  /** Its name, if one was given. */
  name?: string | null;
  /** Its small number, never used again in this home. */
  number: number;
  /** Its owner. */
  owner: string;
  /** Its panel id, if it is a panel. */
  panel_id?: string | null;
  /** Its process id. */
  pid: number;
  /** The program's path. */
  program: string;
  /** The state of its recording. */
  recording: Recording;
  /** Bytes of output processed. */
  seq: number;
  /** Its id, `sess_` and eight characters. */
  session_id: string;
  /** The signal that ended it, if one did. */
  signal?: number | null;
  /** Whether the program in the foreground is stopped by a signal. */
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
  /** Its name: `INT`, `TERM`, `HUP`, `KILL`, `QUIT`, `STOP`, `TSTP`, `CONT`, `USR1`, `USR2`, with or without `SIG`. Default: `INT`. */
  signal?: string | null;
}

/** Who received it. */
export interface SignalReply {
  /** The process group that was signalled. */
  group: number;
  /** The program in that group that most likely reads the terminal. */
  program?: string | null;
}

/** The screen at one moment. */
export interface Snapshot {
  /** Whether the alternate screen is shown, that of full-screen programs. */
  alternate: boolean;
  /** Columns of the session. */
  cols: number;
  /** Where the cursor is. */
  cursor: Cursor;
  /** The text of each row from the top, right-trimmed. */
  lines: string[];
  /** Rows of the session. */
  rows: number;
  /** The seq that it shows. */
  seq: number;
  /** The session's id. */
  session_id: string;
  /** The styled runs of each line; left out if all lines are plain. */
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
  /** The oldest version that the daemon reads. */
  reads_from: number;
  /** The version that the daemon writes; it reads all versions from `reads_from` to this one. */
  writes: number;
}

/** No parameters. */
export type StatusParams = Record<string, never>;

/** Which daemon runs, and where it listens. */
export interface StatusReply {
  /** How many descriptors the daemon has open. */
  descriptors: number;
  /** How many sessions have exited and can still be read. */
  exited: number;
  /** The format versions of the state that it leaves to the next daemon; older daemons do not report them. */
  formats?: Formats | null;
  /** The address of the page: `http://127.0.0.1:7420`. */
  http: string;
  /** The keeper's process id. */
  keeper_pid: number;
  /** Why the last daemon that failed to start did so. */
  last_failure?: string | null;
  /** The link to the page, with its credential; for others than a person only its address. */
  link: string;
  /** How many sessions have a running program. */
  live: number;
  /** The daemon's process id. */
  pid: number;
  /** The Unix socket. */
  socket: string;
  /** The daemon's version. */
  version: string;
  /** How the daemon sees the caller. */
  you: ActorKind;
}

/** No parameters. */
export type StopParams = Record<string, never>;

/** What is about to end. */
export interface StopReply {
  /** The keeper's process id. When this process has ended, everything has. */
  keeper_pid: number;
}

/** A message to the viewer. */
export type ToViewer = Paint & {
  type: "paint";
} | {
  /** The exit code, if it ended by itself. */
  exit_code: number | null;
  /** The signal that ended it, if one did. */
  signal: number | null;
  type: "exited";
} | {
  type: "gone";
} | ErrorBody & {
  type: "refused";
} | Presence & {
  type: "presence";
} | {
  /** The proof for the page's nonce. */
  proof: string;
  type: "proof";
};

/** The details of a token, without the token itself. */
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

/** The tokens, by name. */
export interface TokenListReply {
  /** The tokens. */
  tokens: TokenInfo[];
}

/** The token's name, and what it may do. */
export interface TokenNewParams {
  /** What it may do; default: everything. */
  kind?: Kind | null;
  /** A name to revoke it by: letters, digits, `-` and `_`. */
  name?: string;
  /** The same as the kind `read_only`. */
  read_only?: boolean;
}

/** The new token. No other reply contains it. */
export interface TokenNewReply {
  /** What it may do. */
  kind: Kind;
  /** Its name. */
  name: string;
  /** The token itself, for the header `Authorization: Bearer`. */
  token: string;
}

/** Which token. */
export interface TokenRevokeParams {
  /** Its name. */
  name?: string;
}

/** The token is revoked. */
export interface TokenRevokeReply {
  /** Always true: an unknown token is an error. */
  revoked: boolean;
}

/** No parameters. */
export type TokenRotateParams = Record<string, never>;

/** The old link is no longer valid, and open pages are disconnected. */
export interface TokenRotateReply {
  /** The new link to the page. */
  link: string;
}

/** An agent whose input was refused. */
export interface TurnedAway {
  /** How many refusals there were: each new one increases the count. */
  count: number;
  /** The agent's name. */
  name: string;
  /** Whether the reason was a prompt for a secret; otherwise a person had the keyboard. */
  secret: boolean;
}

/** The kinds of underline. */
export type Underline = "single" | "double" | "curly" | "dotted" | "dashed";

/** A message to the front end. */
export type Update = {
  type: "bell";
} | Cursor & {
  type: "cursor";
} | Diff & {
  type: "diff";
} | Snapshot & {
  type: "snapshot";
} | {
  /** The exit code, if it ended by itself. */
  exit_code: number | null;
  /** The signal that ended it, if one did. */
  signal: number | null;
  type: "exited";
} | {
  type: "gone";
};

/** Which part to read. */
export type View = "screen" | "new" | "changes" | "scrollback" | "lines" | "whole";

/** Conditions to wait for. The first that holds wins; the program's end ends every wait. Every face offers all of them. */
export interface Wait {
  /** Until all of the conditions hold at once, instead of any. */
  all?: boolean;
  /** Until the program ends. */
  exit?: boolean;
  /** Until there was no output for this many ms. */
  idle_ms?: number | null;
  /** Until no person has the keyboard. */
  keyboard?: boolean;
  /** Until the shell waits for a command. */
  prompt?: boolean;
  /** Until the program has read the input and reads again (REPLs, prompts). */
  reads?: boolean;
  /** Until this regular expression matches. */
  regex?: string | null;
  /** Until the program asks for a secret. */
  secret?: boolean;
  /** Only output after this counts: a `seq`, `since` or `next_since` of an answer. Default: since the last input. */
  since?: number | null;
  /** A match of this regular expression ends the wait in any case, e.g. "error|failed". */
  stop?: string | null;
  /** Until this text appears, or is already there. */
  text?: string | null;
  /** Longest wait in ms. Default: 30000 if there is a condition. */
  timeout_ms?: number | null;
}

/** Which session, and what to wait for. */
export interface WaitParams {
  /** Until all of the conditions hold at once, instead of any. */
  all?: boolean;
  /** Until the program ends. */
  exit?: boolean;
  /** Until there was no output for this many ms. */
  idle_ms?: number | null;
  /** Until no person has the keyboard. */
  keyboard?: boolean;
  /** Until the shell waits for a command. */
  prompt?: boolean;
  /** Until the program has read the input and reads again (REPLs, prompts). */
  reads?: boolean;
  /** Until this regular expression matches. */
  regex?: string | null;
  /** Until the program asks for a secret. */
  secret?: boolean;
  /** Id, number or name. */
  session?: string;
  /** Only output after this counts: a `seq`, `since` or `next_since` of an answer. Default: since the last input. */
  since?: number | null;
  /** A match of this regular expression ends the wait in any case, e.g. "error|failed". */
  stop?: string | null;
  /** Until this text appears, or is already there. */
  text?: string | null;
  /** Longest wait in ms. Default: 30000 if there is a condition. */
  timeout_ms?: number | null;
}

/** How the wait ended. */
export interface WaitReply {
  /** What the session is doing. */
  activity: Activity;
  /** How the last command ended, if the wait was for the prompt and the shell reported it. */
  command?: LastCommand | null;
  /** How long the wait lasted. */
  elapsed_ms: number;
  /** The exit code, if it ended by itself. */
  exit_code: number | null;
  /** Whether the program has ended. */
  exited: boolean;
  /** Who has the keyboard, if a person has it or just had it. */
  keyboard?: KeyboardReply | null;
  /** The line that matched. */
  matched?: string | null;
  /** Which condition held. */
  met: Met;
  /** The screen when the wait ended. */
  screen: string;
  /** Bytes of output processed. */
  seq: number;
  /** The signal that ended it, if one did. */
  signal: number | null;
  /** If the wait timed out: why. */
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
  /** The hand-off request's id, or the id of the call that created it. */
  request_id?: string;
  /** Id, number or name. */
  session?: string;
}

export type WithdrawReply = HandoffRequest;

/** The parameters and the reply of each operation. */
export interface Operations {
  /** Complete or decline a hand-off request of an agent */
  answer: { params: AnswerParams; reply: AnswerReply };
  /** Ask a person to take over a session, and wait for the outcome */
  ask: { params: AskParams; reply: AskReply };
  /** Start or stop writing all output of a session to a file */
  capture: { params: CaptureParams; reply: CaptureReply };
  /** List the commands that a session's shell ran, or read the output of one */
  commands: { params: CommandsParams; reply: CommandsReply };
  /** Show every setting of the daemon and where it comes from */
  config: { params: ConfigParams; reply: ConfigReply };
  /** Change how much history a session keeps */
  configure: { params: ConfigureParams; reply: ConfigureReply };
  /** Start a program (your shell by default) in a new terminal */
  create: { params: CreateParams; reply: CreateReply };
  /** End a session and everything it started */
  destroy: { params: DestroyParams; reply: DestroyReply };
  /** Describe a session and what it is doing, without its content */
  info: { params: InfoParams; reply: InfoReply };
  /** Take the keyboard of a session, give it back, or ask who has it */
  keyboard: { params: KeyboardParams; reply: KeyboardReply };
  /** List the sessions */
  list: { params: ListParams; reply: ListReply };
  /** Open a panel with your shell, or find the one of that name */
  panel_open: { params: PanelOpenParams; reply: PanelOpenReply };
  /** List your panels */
  panels: { params: PanelsParams; reply: PanelsReply };
  /** List open hand-off requests */
  requests: { params: RequestsParams; reply: RequestsReply };
  /** Delete the recording of a session, old recordings, or all */
  purge: { params: PurgeParams; reply: PurgeReply };
  /** Read the screen, new output, or the history */
  read: { params: ReadParams; reply: ReadReply };
  /** Read the recording of a session, even if the session is gone */
  recording: { params: RecordingParams; reply: RecordingReply };
  /** Resize a session */
  resize: { params: ResizeParams; reply: ResizeReply };
  /** Replace the daemon and keep every session */
  restart: { params: RestartParams; reply: RestartReply };
  /** Run one command in a shell and return its output and exit code */
  run: { params: RunParams; reply: RunReply };
  /** Search the screen, the history and the alternate-screen history */
  search: { params: SearchParams; reply: SearchReply };
  /** Search recordings, also of sessions that are gone */
  search_recordings: { params: SearchRecordingsParams; reply: SearchRecordingsReply };
  /** Type text, press a key or use the mouse in a session */
  send: { params: SendParams; reply: SendReply };
  /** Send a signal to the program in a session's foreground */
  signal: { params: SignalParams; reply: SignalReply };
  /** Return the screen as styled lines, with the cursor */
  snapshot: { params: SnapshotParams; reply: SnapshotReply };
  /** Describe the daemon and where it listens */
  status: { params: StatusParams; reply: StatusReply };
  /** End the daemon and all sessions */
  stop: { params: StopParams; reply: StopReply };
  /** List the tokens for the HTTP listener */
  token_list: { params: TokenListParams; reply: TokenListReply };
  /** Make a token for the HTTP listener, for a person, for an agent, or only to read */
  token_new: { params: TokenNewParams; reply: TokenNewReply };
  /** Revoke a token at once */
  token_revoke: { params: TokenRevokeParams; reply: TokenRevokeReply };
  /** Make a new credential for the page; open pages are disconnected */
  token_rotate: { params: TokenRotateParams; reply: TokenRotateReply };
  /** Wait until text appears, output pauses, the prompt is back or the program ends */
  wait: { params: WaitParams; reply: WaitReply };
  /** Withdraw a hand-off request */
  withdraw: { params: WithdrawParams; reply: WithdrawReply };
}
