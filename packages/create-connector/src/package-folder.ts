import { fileURLToPath } from 'node:url'

/** The folder of this package. The sources are one folder below it, as is the bundle that is published. */
export const packageFolder: string = fileURLToPath(new URL('..', import.meta.url))
