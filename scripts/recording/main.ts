/**
 * Records the first minute in a terminal and draws it: `npm run recording`. What is seen is what the commands printed, on
 * this machine, of the packages as they were last built; pauses are cut short, and the times that are printed are real.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRegistry } from '../registry/start-registry.ts'
import { userEnvironment } from '../registry/user-environment.ts'
import { editTime, joinChunks } from './edit-time.ts'
import type { OutputChunk } from './recorded-output.ts'
import { runInTerminal, type TerminalCommand } from './run-in-terminal.ts'
import { terminalHistory } from './terminal-lines.ts'
import { terminalSvg } from './terminal-svg.ts'
import { typedCommand } from './typed-command.ts'

const size = { columns: 108, rows: 22 }
const file = join(import.meta.dirname, '../../docs/recording.svg')
const title = 'A terminal: npx create-connector makes a project, and npm run dev shows its first records'

const registry = await startRegistry()
const folder = await mkdtemp(join(tmpdir(), 'headrace-recording-'))
const environment = {
  ...userEnvironment(registry),
  HOME: folder,
  TERM: 'xterm-256color',
  npm_config_yes: 'true',
  npm_config_progress: 'false',
  npm_config_update_notifier: 'false',
}
try {
  const made = await show('npx create-connector demo --owner me --yes', { folder })
  const entered = await show('cd demo', { folder })
  const interrupt = { after: /run started/, laterMs: 4000 }
  const running = await show('npm run dev', { folder: join(folder, 'demo'), interrupt })
  const history = await terminalHistory(joinChunks([...made, ...entered, ...running]), size)
  await writeFile(file, terminalSvg(history, { size, title }))
} finally {
  await registry.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A command as it is typed, and what it prints. */
async function show(command: string, options: Pick<TerminalCommand, 'folder' | 'interrupt'>): Promise<OutputChunk[][]> {
  const printed = await runInTerminal({ ...options, command, size, environment })
  const atHome = printed.map(({ atMs, text }) => ({ atMs, text: text.replaceAll(folder, '~') }))
  return [typedCommand(command), editTime(atHome, { pauseMs: 1200, atMostMs: 9000 })]
}
