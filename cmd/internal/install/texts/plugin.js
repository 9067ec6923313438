// Gives opencode the memory: a briefing and recall in the system text, and what
// was said to the program when a session ends or is compacted. It never throws
// and never waits long.
import { spawn, spawnSync } from "node:child_process"

const command = {{words}}
const limit = 5000 // milliseconds: the program itself gives up much earlier
const most = 200 // messages of a session that are kept

function call(event) {
  return new Promise((resolve) => {
    let out = ""
    let timer
    const done = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    try {
      const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      timer = setTimeout(() => {
        child.kill()
        done("")
      }, limit)
      child.on("error", () => done(""))
      child.on("close", (code) => done(code === 0 ? out : ""))
      child.stdout.on("data", (part) => (out += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      done("")
    }
  })
}

function context(text) {
  try {
    const answer = JSON.parse(text)
    return answer.additionalContext || (answer.hookSpecificOutput || {}).additionalContext || ""
  } catch {
    return ""
  }
}

// What was said in each session, by the id of the message.
function record(said, sessionID, id, change) {
  if (!sessionID || !id) return
  if (!said.has(sessionID)) said.set(sessionID, new Map())
  const messages = said.get(sessionID)
  messages.set(id, { id, role: "", text: "", ...messages.get(id), ...change })
  if (messages.size > most) messages.delete(messages.keys().next().value)
}

function listed(said, sessionID) {
  return [...(said.get(sessionID) || new Map()).values()].filter((m) => m.role && (m.text || m.kept))
}

export const Memory = async ({ directory }) => {
  const prompts = new Map()
  const said = new Map()
  const event = (name, sessionID, more) => ({ hook_event_name: name, session_id: sessionID || "", cwd: directory, ...more })
  // The end does not wait for anything that is not done when it returns.
  const end = (sessionID) => {
    const messages = listed(said, sessionID)
    said.delete(sessionID)
    prompts.delete(sessionID)
    if (messages.length === 0) return
    try {
      const input = JSON.stringify(event("session.deleted", sessionID, { messages }))
      spawnSync(command[0], command.slice(1), { input, timeout: limit, stdio: ["pipe", "ignore", "ignore"], windowsHide: true })
    } catch {}
  }
  return {
    "chat.message": async (input, output) => {
      const all = (output.parts || []).map((p) => (p.type === "text" && !p.synthetic ? p.text : "")).join("\n")
      const text = all.trim().replace(/^"([\s\S]*)"$/, "$1")
      prompts.set(input.sessionID, text)
      record(said, input.sessionID, (output.message || {}).id || String(Date.now()), { role: "user", text })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || !prompts.has(input.sessionID)) return
      if (/title generator/i.test((output.system || [])[0] || "")) return
      const prompt = prompts.get(input.sessionID)
      prompts.delete(input.sessionID)
      const text = context(await call(event("experimental.chat.system.transform", input.sessionID, { prompt })))
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input) => {
      const messages = listed(said, input.sessionID)
      await call(event("experimental.session.compacting", input.sessionID, { messages }))
    },
    event: async ({ event: e }) => {
      const p = e.properties || {}
      if (e.type === "message.updated" && p.info && p.info.role === "assistant") {
        record(said, p.info.sessionID, p.info.id, { role: "assistant" })
      }
      if (e.type === "message.part.updated" && p.part) {
        const known = (said.get(p.part.sessionID) || new Map()).get(p.part.messageID)
        if (known && known.role === "assistant" && p.part.type === "text") record(said, p.part.sessionID, p.part.messageID, { text: String(p.part.text || "").slice(0, 8000) })
        if (known && p.part.type === "tool" && /memory_(store|correct|checkpoint|record|feedback)/.test(p.part.tool || "")) record(said, p.part.sessionID, p.part.messageID, { kept: true })
      }
      if (e.type === "session.deleted") end(p.sessionID || (p.info || {}).id)
    },
    dispose: async () => {
      for (const sessionID of [...said.keys()]) end(sessionID)
    },
  }
}
