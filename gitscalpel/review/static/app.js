// The page in a frame of a client of MCP (MCP Apps, 2026-01-26): all that it asks for goes through the client.
"use strict";

const TOOLS = {
  approve: ["approve", (tx) => ({ tx, expect: head(), message: comment() })],
  reject: ["approve", (tx) => ({ do: "reject", tx, expect: head(), message: comment() })],
  check: ["check", (tx) => ({ tx })],
  land: ["land", (tx) => ({ tx, expect: head() })],
};
const waiting = new Map();
let asked = 0;
let tx = "";
let root = {};

const head = () => document.querySelector('input[name="expect"]').value;
const comment = () => document.getElementById("message").value;
const tell = (method, params = {}) => parent.postMessage({ jsonrpc: "2.0", method, params }, "*");

function ask(method, params) {
  const id = ++asked;
  parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

addEventListener("message", (event) => {
  const said = event.data;
  if (event.source !== parent || !said || said.jsonrpc !== "2.0") return;
  if (said.method === "ui/notifications/tool-input") root = rooted(said.params.arguments);
  else if (said.method === "ui/notifications/tool-result") shown(said.params);
  else if (said.method && said.id !== undefined)
    parent.postMessage({ jsonrpc: "2.0", id: said.id, result: {} }, "*");
  else if (waiting.has(said.id)) {
    const { resolve, reject } = waiting.get(said.id);
    waiting.delete(said.id);
    if (said.error) reject(new Error(said.error.message));
    else resolve(said.result);
  }
});

const rooted = (given) => (given && given.root ? { root: given.root } : {});

function shown(result) {
  const data = result.structuredContent && result.structuredContent.data;
  if (data && data.tx) look(data.tx, "");
  else note(words(result), result.isError);
}

async function look(which, done) {
  tx = which;
  try {
    const found = await ask("resources/read", { uri: `ui://gitscalpel/review/${tx}` });
    const page = new DOMParser().parseFromString(found.contents[0].text, "text/html");
    document.getElementById("main").replaceWith(page.getElementById("main"));
    note(done, false);
  } catch (error) {
    note(done || error.message, !done);
  }
}

// A frame that may not send forms tells of no submit either.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-do]");
  if (!button) return;
  event.preventDefault();
  const [name, given] = TOOLS[button.dataset.do];
  note("…", false);
  try {
    const result = await ask("tools/call", { name, arguments: { ...root, ...given(tx) } });
    if (result.isError) note(words(result), true);
    else look(tx, words(result));
  } catch (error) {
    note(error.message, true);
  }
});

const words = (result) => (result.content || []).map((part) => part.text || "").join("\n");

function note(text, wrong) {
  const row = document.createElement("div");
  row.className = `job ${wrong ? "failed" : "done"}`;
  row.setAttribute("role", wrong ? "alert" : "status");
  row.append(Object.assign(document.createElement("pre"), { textContent: text }));
  document.getElementById("said").replaceChildren(...(text ? [row] : []));
}

new ResizeObserver(() => {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  tell("ui/notifications/size-changed", { width, height });
}).observe(document.documentElement);

const about = { appInfo: { name: "gitscalpel", version: "1" }, appCapabilities: {} };
if (parent !== window)
  ask("ui/initialize", { ...about, protocolVersion: "2026-01-26" }).then(() => tell("ui/notifications/initialized"));
