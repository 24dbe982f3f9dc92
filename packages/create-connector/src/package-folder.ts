import { fileURLToPath } from 'node:url'

/** The folder of this package: the parent folder of the sources, and of the published bundle. */
export const packageFolder: string = fileURLToPath(new URL('..', import.meta.url))
