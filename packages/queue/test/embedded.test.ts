import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { afterAll } from 'vitest'
import { describeQueue } from './conformance/describe-queue.ts'

const directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
afterAll(() => rmSync(directory, { recursive: true }))

describeQueue('the embedded engine', { open: () => openQueue(`embedded:${directory}`), bufferBytes: 64 * 1024 * 1024 })
