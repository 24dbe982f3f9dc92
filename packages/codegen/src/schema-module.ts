import type { Project } from '@headrace/catalog'
import type { CodeNames } from './code-names.ts'
import { type GeneratedFile, generatedMark } from './generated-file.ts'
import { generateSettingsInterface } from './settings-interface.ts'

const runtimePackage = '@headrace/sdk'

/** Generates `schema.ts`: the type of the settings and the call of `defineSchema`. */
export async function generateSchemaModule(project: Project, names: CodeNames): Promise<GeneratedFile> {
  const settings = await generateSettingsInterface(project.manifest.config)
  const messages = messagesWithTopic(project, names, namesIn(settings))
  const content = [
    `${generatedMark}connector codegen. DO NOT EDIT.`,
    '',
    `import { type DefinedSchema, defineSchema } from '${runtimePackage}'`,
    ...importLines(messages),
    '',
    '/** The settings, as the manifest describes them. */',
    settings,
    '',
    'export interface Messages {',
    ...messages.map(({ key, local }) => `  ${key}: ${local}`),
    '}',
    '',
    'export const schema: DefinedSchema<Messages, Config> = defineSchema<Messages, Config>({',
    ...messages.map(({ key, local, fullName }) => `  ${key}: { name: '${fullName}', encode: ${local}.encode },`),
    '})',
    '',
  ]
  return { path: 'schema.ts', content: content.join('\n') }
}

/** Names that this module declares or imports. */
function namesIn(settings: string): ReadonlySet<string> {
  const declared = settings.matchAll(/^export (?:interface|type) (\w+)/gm)
  return new Set(['DefinedSchema', 'defineSchema', 'Messages', 'schema', ...Array.from(declared, ([, name]) => name!)])
}

interface TopicMessage {
  /** The key in a unit's `messages`. */
  readonly key: string
  readonly fullName: string
  /** The name in the generated file that exports it. */
  readonly exported: string
  /** The name in this module. */
  readonly local: string
  /** Path of the generated file. */
  readonly module: string
}

function messagesWithTopic(
  { manifest, schema }: Project,
  names: CodeNames,
  taken: ReadonlySet<string>,
): readonly TopicMessage[] {
  const used = new Set(taken)
  const keys = new Set<string>()
  return manifest.topics.map(({ message: fullName }) => {
    const descriptor = schema.message(fullName)
    const exported = names.get(fullName)
    if (!descriptor || exported === undefined)
      throw new Error(`The project has a topic of "${fullName}" but no such message.`)
    let local = exported
    while (used.has(local)) local += 'Message'
    used.add(local)
    const key = keys.has(descriptor.name) ? local : descriptor.name
    keys.add(key)
    return { key, fullName, exported, local, module: `./${descriptor.file.name}.ts` }
  })
}

function importLines(messages: readonly TopicMessage[]): string[] {
  const byModule = Map.groupBy(messages, ({ module }) => module)
  return [...byModule]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([module, group]) => {
      const imported = group.map(({ exported, local }) => (exported === local ? local : `${exported} as ${local}`))
      return `import { ${imported.sort().join(', ')} } from '${module}'`
    })
}
