import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Mutation } from './mutation.ts'

export interface Search {
  readonly mutation: Mutation
  /** A seed to try first. */
  readonly first?: number | undefined
  /** After `first`, the seeds from 1 up to this one are tried. */
  readonly upTo: number
}

/** The first seed that fails with the mutation and not without it. */
export interface Found {
  readonly seed?: number
  readonly failure?: string
  /** Why the search was not completed. */
  readonly error?: string
}

/** Searches seeds in child processes, because seeds replace the clocks. */
export async function searchSeeds(
  searches: Iterable<Search>,
  jobs: number,
  found: (search: Search, result: Found) => void,
): Promise<void> {
  const left = searches[Symbol.iterator]()
  await Promise.all(Array.from({ length: jobs }, () => searchInChild(left, found)))
}

async function searchInChild(left: Iterator<Search>, found: (search: Search, result: Found) => void): Promise<void> {
  const execArgv = ['--conditions=@headrace/source', '--disable-warning=ExperimentalWarning']
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), { execArgv })
  const exited = once(child, 'exit').then(([code, signal]) => [{ error: `its process ended with ${signal ?? code}` }])
  try {
    for (let { value: search, done } = left.next(); !done; { value: search, done } = left.next()) {
      child.send(search)
      const [result] = await Promise.race([once(child, 'message'), exited])
      found(search, result)
    }
  } finally {
    if (child.connected) child.disconnect()
  }
}
