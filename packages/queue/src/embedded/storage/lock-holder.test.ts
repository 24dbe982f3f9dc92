import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { lockedError } from './lock-holder.ts'
import { createQueueFile } from './storage.ts'

const holdLock = `
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(process.argv[1])
  database.exec('BEGIN IMMEDIATE')
  process.stdout.write('held')
  setInterval(() => undefined, 1000)
`

test.runIf(process.platform === 'linux')(
  'the error for a locked queue names the process that holds the lock, and reports whether that process is stopped',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'headrace-lock-'))
    const file = join(directory, 'queue.db')
    const database = createQueueFile(file)
    const child = spawn(process.execPath, ['-e', holdLock, file])
    try {
      await once(child.stdout, 'data')
      expect(lockedError(file).message).toContain(`process ${child.pid} (node -e).`)
      expect(lockedError(file).message).not.toContain('stopped')
      child.kill('SIGSTOP')
      await expect
        .poll(() => lockedError(file).message)
        .toContain(`It is stopped: continue it (kill -CONT ${child.pid})`)
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(lockedError(file).message).toBe(`Another process keeps ${file} locked.`)
      new DatabaseSync(file).exec('BEGIN IMMEDIATE; ROLLBACK')
    } finally {
      child.kill('SIGKILL')
      database.close()
      rmSync(directory, { recursive: true })
    }
  },
)
