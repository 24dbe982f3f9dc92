import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from './whole-path/connector-process.ts'

test('a command that npx or npm run has started ends when their shell is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-parent-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const serve = `'${process.execPath}' '${bin}' serve --port 0 --queue 'embedded:${folder}/queue'; exit 0`
  const shell = spawn('sh', ['-c', serve], {
    env: { ...process.env, npm_lifecycle_script: 'connector serve' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(() => endGroup(shell.pid!))
  // The command has the other end of this pipe too: it closes when both have ended.
  const closed = once(shell, 'close')
  await once(shell.stdout, 'data')
  shell.kill('SIGTERM')
  await closed
  expect(shell.signalCode).toBe('SIGTERM')
})

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
}
