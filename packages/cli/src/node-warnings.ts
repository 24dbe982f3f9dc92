/**
 * Has Node's warnings told by `tell`, since standard error may be read by a program. That Node calls `node:sqlite` and
 * the running of TypeScript experimental is left out: which versions of Node will do is settled in `engines`.
 */
export function redirectNodeWarnings(tell: (warning: Error) => void): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') tell(warning)
  })
}
