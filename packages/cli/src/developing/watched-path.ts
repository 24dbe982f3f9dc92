import { sep } from 'node:path'

/**
 * Whether a change of this file or folder restarts the connector.
 *
 * @param path - Relative to the connector's folder.
 */
export function isWatchedPath(path: string): boolean {
  const parts = path.split(sep)
  if (path === '' || path === '.env') return true
  if (parts[0] === 'src' && parts[1] === 'generated') return false
  return !parts.some((part) => ignored.some((pattern) => pattern.test(part)))
}

/**
 * Names of folders and files that are generated, are no part of a run, or are temporary files of editors. A run may write
 * databases itself.
 */
const ignored = [
  /^\./,
  /^(?:node_modules|dist|coverage|tests?|__pycache__|venv)$/,
  /\.(?:test|spec)\.[a-z]+$|_test\.(?:go|py)$|^test_.*\.py$/,
  /\.(?:md|log|pyc|tmp|swp|swx)$|~$|^#.*#$|^4913$/i,
  /\.(?:db|sqlite3?)(?:-(?:journal|wal|shm))?$/i,
]
