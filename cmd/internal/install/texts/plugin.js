// Gives opencode the memory: a briefing and recall in the system text, and the
// end of a turn to the program. It never throws and never waits long.
import { spawn } from "node:child_process"

const command = {{words}}
const limit = 3000

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

export const Memory = async ({ directory }) => {
  const prompts = new Map()
  const send = (name, sessionID, more) =>
    call({ hook_event_name: name, session_id: sessionID || "", cwd: directory, ...more })
  return {
    "chat.message": async (input, output) => {
      const text = (output.parts || []).map((p) => (p.type === "text" ? p.text : "")).join("\n")
      prompts.set(input.sessionID, text.replace(/^"([\s\S]*)"$/, "$1"))
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || !prompts.has(input.sessionID)) return
      if (/title generator/i.test((output.system || [])[0] || "")) return
      const prompt = prompts.get(input.sessionID)
      prompts.delete(input.sessionID)
      const text = context(await send("experimental.chat.system.transform", input.sessionID, { prompt }))
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input) => {
      await send("experimental.session.compacting", input.sessionID)
    },
    event: async ({ event }) => {
      if (event.type === "session.idle" || event.type === "session.deleted") {
        const properties = event.properties || {}
        await send(event.type, properties.sessionID || (properties.info || {}).id)
      }
    },
  }
}
