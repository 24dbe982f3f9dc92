import { join } from 'node:path'
import { inject } from 'vitest'

/** A language that a child can be written in. */
export interface Language {
  readonly name: string
  /** Why it is not available here. */
  readonly missing?: string
  /** The command of a child that writes the units of a script, whose path is the last argument. */
  scripted(script: string): readonly string[]
}

const children = join(import.meta.dirname, 'children')
const pythonClock = join(import.meta.dirname, '../../../../examples/python-clock')

const python = inject('pythonFolder')
const go = inject('goFolder')

export const languages: readonly Language[] = [
  {
    name: 'Python',
    ...(python === null && { missing: 'there is no Python with protobuf' }),
    scripted: (script) => [`${python}/python3`, join(children, 'scripted.py'), script, pythonClock],
  },
  {
    name: 'Go',
    ...(go === null && { missing: 'there is no Go' }),
    scripted: (script) => [`${go}/scripted`, script],
  },
]
