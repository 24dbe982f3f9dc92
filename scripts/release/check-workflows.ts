import { globSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import type { CheckResult } from './check-table.ts'

const actionlint = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'

/** Checks the workflows statically. */
export async function checkWorkflows(): Promise<CheckResult> {
  const what = { subject: 'Workflows', check: 'actionlint' }
  const go = await execa('go', ['version'], { reject: false })
  if (go.exitCode !== 0) return { ...what, skipped: 'there is no Go, which runs it' }
  const files = globSync('.github/workflows/*.yml', { cwd: root })
  const { exitCode, all } = await execa('go', ['run', actionlint, ...files], { cwd: root, reject: false, all: true })
  return { ...what, ...(exitCode !== 0 && { problem: all }) }
}

const root = join(import.meta.dirname, '../..')
