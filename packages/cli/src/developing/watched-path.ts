import { sep } from 'node:path'

/**
 * Whether a change there is one of the connector.
 *
 * @param path - Relative to the connector's folder; a folder that is left out is not looked into.
 */
export function isWatchedPath(path: string): boolean {
  const parts = path.split(sep)
  if (path === '' || path === '.env') return true
  if (parts[0] === 'src' && parts[1] === 'generated') return false
  return !parts.some((part) => leftOut.some((pattern) => pattern.test(part)))
}

/**
 * Names of folders and files that are made of others, are no part of a run, or are only there while an editor writes.
 * Databases are what a run reads or writes.
 */
const leftOut = [
  /^\./,
  /^(?:node_modules|dist|coverage|tests?|__pycache__|venv)$/,
  /\.(?:test|spec)\.[a-z]+$|_test\.(?:go|py)$|^test_.*\.py$/,
  /\.(?:md|log|pyc|tmp|swp|swx)$|~$|^#.*#$|^4913$/i,
  /\.(?:db|sqlite3?)(?:-(?:journal|wal|shm))?$/i,
]
