"""The text of our plug-in for OpenCode, in JavaScript. `opencode` says what it does and puts the lines of the hooks in.

Of a long output OpenCode tells plug-ins the end and a file with all of it. The plug-in takes the file if it is OpenCode's
own, and says so with `whole` beside the answer, where no tool can say it.
"""

from __future__ import annotations

from typing import Final

PLUGIN: Final = """\
// `devs-git agent install opencode` writes this file, and writes it anew when it runs again. Do not edit it.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"

const { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } = fs
const { readSync, statSync, writeSync } = fs

const LINES = @LINES@
// Bytes of a file with a whole output. A larger one is not taken, and the output counts as cut.
const LARGEST = 16 << 20
// Where OpenCode itself writes outputs that it cuts, and its own tools whose outputs it cuts.
// The name of a server's tool has "_".
const OUTPUTS = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "opencode", "tool-output")
const CUTTING = ["bash", "edit", "glob", "grep", "lsp", "skill", "task", "todowrite", "webfetch", "websearch", "write"]

// How often, and after how many milliseconds, we look whether a file is whole.
const TURNS = 40, PAUSE = 25

// The git directory that all worktrees share; "" outside of a repository.
const sharedDirectory = (folder) => {
  const git = join(folder, ".git")
  if (!existsSync(git)) return folder === dirname(folder) ? "" : sharedDirectory(dirname(folder))
  if (statSync(git).isDirectory()) return git
  return resolve(folder, readFileSync(git, "utf8").replace("gitdir: ", "").trim()).replace(/\\/worktrees\\/[^/]+$/, "")
}

const time = (milliseconds) => (milliseconds ? new Date(milliseconds).toISOString() : undefined)

// What our hook says to the model; "" for nothing.
const saidIn = (stdout) => {
  try {
    return (stdout && JSON.parse(stdout).hookSpecificOutput?.additionalContext) || ""
  } catch {
    return ""
  }
}

// What `use` makes of an open file and its size; undefined for what is no regular file with one name. A pipe is not waited for.
const withFile = (path, flags, use) => {
  const file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  try {
    const found = fstatSync(file)
    return found.isFile() && found.nlink === 1 ? use(file, found.size) : undefined
  } finally {
    closeSync(file)
  }
}

// All of a long output. OpenCode names the file, but so may whoever answers for it: only a file of its own is taken.
const wholeOutput = (tool, path) => {
  try {
    if (!CUTTING.includes(tool) || dirname(path) !== OUTPUTS || !/^tool_\\w+$/.test(basename(path))) return
    if (!lstatSync(OUTPUTS).isDirectory()) return
    return withFile(path, constants.O_RDONLY, (file, size) => {
      if (size === 0 || size > LARGEST) return
      const bytes = Buffer.alloc(size)
      let count = 0
      for (let more = 1; more > 0 && count < size; count += more) more = readSync(file, bytes, count, size - count, null)
      return count === size ? bytes.toString("utf8") : undefined
    })
  } catch {}
}

// OpenCode may still be writing the file of a command. It is whole when it has the end that the model is shown, and grows no more.
const wholeWhenWritten = async (tool, answer) => {
  const path = answer.metadata?.outputPath
  if (!path) return
  const shown = String(answer.output)
  const end = shown.startsWith("...output truncated...") ? shown.slice(-200).trimEnd() : ""
  let before
  for (let turn = 0; turn < TURNS; turn++) {
    const now = wholeOutput(tool, path)
    if (now === undefined || (now === before && now.trimEnd().endsWith(end))) return now
    before = now
    await new Promise((resume) => setTimeout(resume, PAUSE))
  }
}

export const DevsGit = async ({ directory }) => {
  const shared = process.platform === "win32" ? "" : sharedDirectory(directory)
  if (!shared) return {}
  const ours = join(shared, "devs"), folder = join(ours, "transcripts")
  const messages = new Map(), begun = new Map(), told = new Map()
  const transcript = (session) => join(folder, `opencode-${session.replace(/[^\\w-]/g, "_")}.jsonl`)

  const tell = (event, session, fields) =>
    spawnSync("sh", ["-c", LINES[event]], {
      cwd: directory,
      encoding: "utf8",
      input: JSON.stringify({
        session_id: session,
        transcript_path: transcript(session),
        cwd: directory,
        hook_event_name: event,
        ...fields,
      }),
    })

  // A transcript that cannot be written stops nothing. Nothing is written through a link, or where devs-git is not.
  const write = (session, line) => {
    try {
      if (!existsSync(join(ours, "agent-hook")) || lstatSync(ours).isSymbolicLink()) return
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (lstatSync(folder).isSymbolicLink()) return
      const text = JSON.stringify({ opencode: session, ...line }) + "\\n"
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
      withFile(transcript(session), flags, (file) => writeSync(file, text))
    } catch {}
  }

  // A fork of a session has its messages with new ids, but with the old times. So ids are made of these.
  const idOf = (part) => {
    const { created, parts } = messages.get(part.messageID) ?? { created: 0, parts: [part.id] }
    if (!parts.includes(part.id)) parts.push(part.id)
    return `${created}-${part.callID ?? parts.indexOf(part.id)}`
  }

  const ended = (part) => {
    const { state, sessionID, callID, tool } = part
    const failed = state.status === "error" || (state.metadata?.exit ?? 0) !== 0
    // A denied call never began, and neither did one that a fork of a session copied.
    if (state.status === "error" && begun.delete(callID))
      tell("PostToolUseFailure", sessionID, {
        tool_name: tool,
        tool_input: state.input,
        tool_use_id: callID,
        error: state.error,
        duration_ms: state.time.end - state.time.start,
      })
    write(sessionID, {
      type: "tool",
      id: idOf(part),
      timestamp: time(state.time.start),
      ended: time(state.time.end),
      call: callID,
      tool,
      input: state.input,
      output: state.status === "error" ? state.error : state.output,
      failed,
    })
  }

  const changed = {
    "message.updated": ({ info }) => {
      const { parts } = messages.get(info.id) ?? { parts: [] }
      messages.set(info.id, { role: info.role, created: info.time.created, parts })
      if (info.role === "assistant" && info.time.completed)
        write(info.sessionID, { type: "tokens", message: info.id, tokens: info.tokens })
    },
    "message.part.updated": ({ part }) => {
      const { role, created } = messages.get(part.messageID) ?? {}
      if (part.type === "tool" && ["completed", "error"].includes(part.state.status)) ended(part)
      if (part.type === "text" && role && (role !== "assistant" || part.time?.end))
        write(part.sessionID, {
          type: "text",
          id: idOf(part),
          timestamp: time(part.time?.start ?? created),
          role: part.synthetic ? "system" : role,
          text: part.text,
        })
    },
    "session.idle": ({ sessionID }) => tell("Stop", sessionID, {}),
  }

  return {
    event: async ({ event }) => changed[event.type]?.(event.properties),
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const { stdout } = tell("UserPromptSubmit", sessionID, { prompt: prompt.join("\\n") })
      const first = parts.find((part) => part.type === "text")
      if (saidIn(stdout) && first) first.text += `\\n\\n${saidIn(stdout)}`
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const fields = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const { status, stdout, stderr } = tell("PreToolUse", sessionID, fields)
      const answer = status === 0 && stdout ? JSON.parse(stdout) : {}
      // The model is told with the output: there is no other way.
      if (saidIn(stdout)) told.set(callID, saidIn(stdout))
      if (status === 0 && answer.decision !== "deny") return void begun.set(callID, Date.now())
      throw new Error(answer.reason || stderr || "devs-git: INTERNAL: the hook could not be started, so this tool is denied.")
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, answer) => {
      const failed = answer.isError === true || (answer.metadata?.exit ?? 0) !== 0
      const output = await wholeWhenWritten(tool, answer)
      const fields = {
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
        tool_response: output === undefined ? answer : { ...answer, output },
        whole: output !== undefined,
        duration_ms: Date.now() - begun.get(callID),
      }
      begun.delete(callID)
      const { stdout } = tell(failed ? "PostToolUseFailure" : "PostToolUse", sessionID, fields)
      // The model is told where all of a long output is.
      for (const said of [told.get(callID), saidIn(stdout)])
        if (said && typeof answer.output === "string") answer.output += `\\n${said}`
      told.delete(callID)
    },
  }
}
"""
