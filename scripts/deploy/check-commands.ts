import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { parseCommand } from '../../packages/cli/test/parse-command.ts'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
helm template deploy/helm/headrace | node --conditions=@headrace/source scripts/deploy/check-commands.ts

Reads Kubernetes objects from the standard input, and checks that each container has a valid command line. It has no
options.
`)
parseArguments({ options: {} })

interface Workload {
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } }
}

interface Container {
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
}

const objects = parseAllDocuments(await text(process.stdin)).map((document) => document.toJS() as Workload | null)
let checked = 0
for (const object of objects)
  for (const { args, env = [] } of object?.spec?.template?.spec.containers ?? []) {
    const { name } = await parseCommand(args, Object.fromEntries(env.map(({ name, value }) => [name, value])))
    console.log(`${object!.metadata.name}: connector ${name}`)
    checked++
  }
if (checked === 0) throw new Error('There is no container in the standard input.')
