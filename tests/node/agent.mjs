// An agent with the official TypeScript clients: `node agent.mjs '{"package":…, "mode":…, "shown":…, "command":… | "url":…}'`.
// Runs the seed's first flow, interrupts a command, gets an error, cancels a wait, and prints what it saw as JSON.

const { package: name, mode, shown, command, args, cwd, env, url, headers } = JSON.parse(process.argv[2]);
const old = name === "@modelcontextprotocol/sdk";
const { Client } = await import(old ? `${name}/client/index.js` : name);
const { StdioClientTransport } = await import(old ? `${name}/client/stdio.js` : `${name}/stdio`);
const { StreamableHTTPClientTransport } = await import(old ? `${name}/client/streamableHttp.js` : name);

const said = [];
for (const method of ["log", "warn", "error"]) console[method] = (...words) => said.push(words.join(" "));

const info = { name: "typescript", version: "1" };
const options = old ? {} : { versionNegotiation: { mode } };
const client = new Client(info, options);
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    : new StdioClientTransport({ command, args, cwd, env });
await client.connect(transport);

async function call(tool, input, more) {
    const params = { name: `terminal__${tool}`, arguments: input };
    const result = await (old ? client.callTool(params, undefined, more) : client.callTool(params, more));
    const [{ text }] = result.content;
    if (result.isError) return { refused: shown === "content" ? text : JSON.stringify(result.structuredContent) };
    return shown === "content" ? JSON.parse(text) : result.structuredContent;
}

const tools = (await client.listTools()).tools.map((tool) => tool.name);
const { session_id } = await call("create_session", { program: "bash" });
const listing = await call("send", {
    session_id,
    text: "ls -a\n",
    read: { view: "new", wait_for_prompt: true, timeout_ms: 5000 },
});
const ran = await call("run", { session_id, command: "echo out; (exit 3)" });
await call("send", { session_id, text: "sleep 3600\n" });
const interrupted = await call("send", {
    session_id,
    key: "c",
    ctrl: true,
    read: { view: "new", wait_for_prompt: true },
});
const refused = await call("read", { session_id: "sess_nowhere1" });
// A cancelled wait; the program continues.
await call("send", { session_id, text: "cat\n" });
const giving_up = new AbortController();
const waiting = call("wait", { session_id, text: "never", timeout_ms: 50_000 }, { signal: giving_up.signal });
giving_up.abort();
const cancelled = await waiting.then(() => "answered", () => "cancelled");
const after = await call("send", { session_id, text: "still here\n", read: { view: "new", wait_idle_ms: 100 } });
await call("destroy_session", { session_id });
await client.close();
process.stdout.write(JSON.stringify({ tools, listing, ran, interrupted, refused, cancelled, after, said }));
