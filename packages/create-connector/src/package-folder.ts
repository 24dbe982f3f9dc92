import { fileURLToPath } from 'node:url'

/** The parent of the sources, and of the published bundle. */
export const packageFolder: string = fileURLToPath(new URL('..', import.meta.url))
