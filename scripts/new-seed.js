import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { root } from './prepare.js'

/**
 * A seed for the random choices of the tests, of up to 31 bits. On CI it comes from the commit: each commit tries a new
 * one, and what CI says of a commit can be checked before and after.
 */
export function newSeed() {
  if (!process.env.CI) return randomInt(2 ** 31)
  const commit = execFileSync('git', ['-c', `safe.directory=${root}`, 'rev-parse', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  return Number.parseInt(commit.slice(0, 7), 16)
}
