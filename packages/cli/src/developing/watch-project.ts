import { EventEmitter, once } from 'node:events'
import { relative, resolve, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { UserError } from '@headrace/queue'
import { type ChokidarOptions, type FSWatcher, watch } from 'chokidar'

export interface ProjectWatch extends Pick<Changes, 'next' | 'arePending'> {
  /** Also watches these files, in any folder; they need not exist. */
  add(files: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface WatchProjectOptions {
  readonly dir: string
  /** Folders and files that the run itself writes. */
  readonly written: readonly string[]
  onError(error: UserError): void
}

/** Resolves when it notices every further change. */
export async function watchProject({ dir, written, onError }: WatchProjectOptions): Promise<ProjectWatch> {
  const changes = createChanges()
  const own = written.map((path) => resolve(path))
  const isIgnored = (path: string) => own.includes(path) || !isWatchedPath(relative(dir, path))
  const watchers: FSWatcher[] = []
  const startWatcher = async (paths: string[], options: ChokidarOptions): Promise<void> => {
    const watcher = watch(paths, { ...options, ignoreInitial: true })
    watchers.push(watcher)
    watcher.on('all', (event, path) => {
      if (event !== 'addDir' && event !== 'unlinkDir') changes.add(relative(dir, path))
    })
    watcher.on('error', (error) => onError(watchFailed(dir, error as NodeJS.ErrnoException)))
    await new Promise<void>((ready) => watcher.once('ready', ready))
  }
  const named = new Set<string>()
  await startWatcher([dir], { ignored: isIgnored })

  return {
    next: changes.next,
    arePending: changes.arePending,
    async add(files) {
      const added = files.map((file) => resolve(file)).filter((file) => !named.has(file) && isElsewhere(dir, file))
      for (const file of added) named.add(file)
      if (added.length > 0) await startWatcher(added, {})
    },
    async close() {
      await Promise.all(watchers.map((watcher) => watcher.close()))
    },
  }
}

function isElsewhere(dir: string, file: string): boolean {
  const path = relative(dir, file)
  return path.startsWith('..') || !isWatchedPath(path)
}

function watchFailed(dir: string, error: NodeJS.ErrnoException): UserError {
  const remedies: Record<string, string> = {
    ENOSPC: 'Raise the limit of the system: sysctl fs.inotify.max_user_watches=524288.',
    EMFILE: 'Raise the limits of the system: ulimit -n 65536, and sysctl fs.inotify.max_user_instances=1024.',
    EACCES: 'Give this user read access to the whole folder.',
  }
  const remedy = remedies[error.code ?? ''] ?? 'Start the command again.'
  return new UserError('watch_failed', `Changes in ${dir} cannot be watched: ${error.message}. ${remedy}`, {
    cause: error,
  })
}

/** Whether a change restarts the connector. The path is relative to its folder. */
export function isWatchedPath(path: string): boolean {
  const parts = path.split(sep)
  if (path === '' || path === '.env') return true
  if (parts[0] === 'src' && parts[1] === 'generated') return false
  return !parts.some((part) => ignored.some((pattern) => pattern.test(part)))
}

/** Generated files, files that are no part of a run, databases, and temporary files of editors. */
const ignored = [
  /^\./,
  /^(?:node_modules|dist|coverage|tests?|__pycache__|venv)$/,
  /\.(?:test|spec)\.[a-z]+$|_test\.(?:go|py)$|^test_.*\.py$/,
  /\.(?:md|log|pyc|tmp|swp|swx)$|~$|^#.*#$|^4913$/i,
  /\.(?:db|sqlite3?)(?:-(?:journal|wal|shm))?$/i,
]

export interface Changes {
  add(file: string): void
  /** Resolves to the changes since the last call, or to `undefined` when `signal` aborts. One call at a time. */
  next(signal: AbortSignal): Promise<readonly string[] | undefined>
  arePending(): boolean
}

export interface ChangesOptions {
  /** How long to wait for a further change, in ms: editors write a file in several steps. */
  readonly quietMs?: number
  /** Maximum time from the first change to the result, in ms. */
  readonly longestMs?: number
}

export function createChanges({ quietMs = 100, longestMs = 2000 }: ChangesOptions = {}): Changes {
  const files = new Set<string>()
  const added = new EventEmitter()
  let newest = 0

  return {
    add(file) {
      files.add(file)
      newest = performance.now()
      added.emit('file')
    },
    async next(signal) {
      if (files.size === 0) await once(added, 'file', { signal }).catch(() => {})
      const latest = performance.now() + longestMs
      while (!signal.aborted) {
        const quiet = Math.min(newest + quietMs, latest) - performance.now()
        if (quiet <= 0) {
          const changes = [...files].sort()
          files.clear()
          return changes
        }
        await wait(quiet, undefined, { signal }).catch(() => {})
      }
      return undefined
    },
    arePending: () => files.size > 0,
  }
}
