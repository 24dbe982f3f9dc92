import { registerHooks } from 'node:module'

/**
 * Lets a connector import `@headrace/*` where nothing is installed beside it: what its own folder cannot resolve is
 * taken from the installation of this command. What is installed beside it always wins.
 */
export function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context)
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
        if (!missing || !specifier.startsWith('@headrace/')) throw error
        return nextResolve(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}
