/**
 * Passes Node's warnings to `report`, because standard error may be read by a program. Drops warnings of experimental
 * features (`node:sqlite`, TypeScript): `engines` in package.json says which versions of Node work.
 */
export function redirectNodeWarnings(report: (warning: Error) => void): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') report(warning)
  })
}
