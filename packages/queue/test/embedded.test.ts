import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { describeQueue } from '@headrace/queue/testing'
import { afterAll } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
afterAll(() => rmSync(directory, { recursive: true }))

describeQueue('the embedded engine', { open: () => openQueue(`embedded:${directory}`) })
