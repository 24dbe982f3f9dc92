import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const copy = join(root, 'packages/create-connector/templates')

// The package of create-connector carries the templates, and npm packs nothing from outside its folder.
rmSync(copy, { recursive: true, force: true })
cpSync(join(root, 'templates'), copy, { recursive: true })
