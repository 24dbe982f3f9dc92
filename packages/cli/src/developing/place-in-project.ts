import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The first place of a stack in a connector's own code, as `src/connector.ts:12:5`. */
export function placeInProject(stack: string | undefined, dir: string): string | undefined {
  for (const [, location, place] of stack?.matchAll(/(file:\/\/[^\s)]+|\/[^\s():]+):(\d+:\d+)\)?$/gm) ?? []) {
    const path = relative(dir, location!.startsWith('file:') ? fileURLToPath(location!) : location!)
    const isOwn = !path.startsWith('..') && !path.split(sep).includes('node_modules')
    if (isOwn) return `${path}:${place}`
  }
  return undefined
}
