import type { Project } from '@headrace/catalog'
import { type GeneratedFile, generatedMark } from './generated-file.ts'
import { generateSettingsInterface } from './settings-interface.ts'

/** What the generated code imports, and its project depends on. */
const runtimePackage = '@headrace/sdk'

/**
 * Makes `schema.ts`: the type of the settings and the call of `defineSchema` that ties each message with a topic to its
 * codec.
 */
export async function generateSchemaModule(project: Project): Promise<GeneratedFile> {
  const messages = messagesWithTopic(project)
  const content = [
    `${generatedMark}connector codegen. DO NOT EDIT.`,
    '',
    `import { type DefinedSchema, defineSchema } from '${runtimePackage}'`,
    ...importLines(messages),
    '',
    '/** The settings, as the manifest describes them. */',
    await generateSettingsInterface(project.manifest.config),
    '',
    'export interface Messages {',
    ...messages.map(({ name }) => `  ${name}: ${name}`),
    '}',
    '',
    'export const schema: DefinedSchema<Messages, Config> = defineSchema<Messages, Config>({',
    ...messages.map(({ name, fullName }) => `  ${name}: { name: '${fullName}', encode: ${name}.encode },`),
    '})',
    '',
  ]
  return { path: 'schema.ts', content: content.join('\n') }
}

interface TopicMessage {
  readonly name: string
  readonly fullName: string
  /** Path of the generated file that has it. */
  readonly module: string
}

function messagesWithTopic({ manifest, schema }: Project): TopicMessage[] {
  return manifest.topics.map(({ message }) => {
    const descriptor = schema.message(message)
    if (!descriptor) throw new Error(`The project has a topic of "${message}" but no such message.`)
    return { name: descriptor.name, fullName: descriptor.typeName, module: `./${descriptor.file.name}.ts` }
  })
}

function importLines(messages: readonly TopicMessage[]): string[] {
  const byModule = Map.groupBy(messages, ({ module }) => module)
  return [...byModule]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([module, group]) =>
        `import { ${group
          .map(({ name }) => name)
          .sort()
          .join(', ')} } from '${module}'`,
    )
}
