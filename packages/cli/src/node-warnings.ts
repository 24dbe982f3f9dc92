/** Drops warnings of experimental features (`node:sqlite`, TypeScript): `engines` says which Node works. */
export function redirectNodeWarnings(report: (warning: Error) => void): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') report(warning)
  })
}
