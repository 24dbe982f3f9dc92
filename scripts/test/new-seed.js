import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { root } from '../build/prepare.js'

/**
 * A seed of up to 31 bits for the random choices of the tests. On CI it is derived from the commit, so that each commit
 * tries another seed and a result of CI can be reproduced.
 */
export function newSeed() {
  if (!process.env.CI) return randomInt(2 ** 31)
  const commit = execFileSync('git', ['-c', `safe.directory=${root}`, 'rev-parse', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  })
  return Number.parseInt(commit.slice(0, 7), 16)
}
