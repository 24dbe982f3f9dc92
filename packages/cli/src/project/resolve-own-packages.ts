import { registerHooks } from 'node:module'

/**
 * Lets a connector import `@headrace/*` without an installation of its own: packages that its folder cannot resolve come
 * from the installation of this command.
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
