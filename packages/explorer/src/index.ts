import { join } from 'node:path'

/** The folder of the built page, for the option `explorer` of `createGateway`. */
export const explorerFolder: string = join(import.meta.dirname, '../dist/page')
