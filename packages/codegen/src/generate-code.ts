import type { Project } from '@headrace/catalog'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import type { CodeNames } from './code-names.ts'
import { type GeneratedFile, generatedMark } from './generated-folder.ts'
import { generateProtobufCode } from './protobuf-code.ts'

const runtimePackage = '@headrace/sdk'

/** In order of path. The same project gives the same bytes. */
export async function generateCode(project: Project): Promise<GeneratedFile[]> {
  const { files, names } = await generateProtobufCode(project.schema)
  const schemaModule = await generateSchemaModule(project, names)
  return [...files, schemaModule].sort((left, right) => (left.path < right.path ? -1 : 1))
}

async function generateSchemaModule(project: Project, names: CodeNames): Promise<GeneratedFile> {
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

function namesIn(settings: string): ReadonlySet<string> {
  const declared = settings.matchAll(/^export (?:interface|type) (\w+)/gm)
  return new Set(['DefinedSchema', 'defineSchema', 'Messages', 'schema', ...Array.from(declared, ([, name]) => name!)])
}

interface TopicMessage {
  /** The key in a unit's `messages`. */
  readonly key: string
  readonly fullName: string
  readonly exported: string
  readonly local: string
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
      throw new Error(`The project has a topic for "${fullName}", but no such message.`)
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

/** Describes the validated settings: one with a default is always present. */
export async function generateSettingsInterface(schema: object): Promise<string> {
  const code = await compile(asReceived(schema) as JSONSchema, 'Config', {
    additionalProperties: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    $refOptions: { resolve: { file: false, http: false } },
    style: { printWidth: 120, semi: false, singleQuote: true },
  })
  return code.trim()
}

/** Titles are removed, because each would become a type of its own. */
function asReceived(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asReceived)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([name, value]) => !(name === 'title' && typeof value === 'string'))
  const copy = Object.fromEntries(entries.map(([name, value]) => [name, asReceived(value)]))
  if (!isObject(copy.properties)) return copy
  const defaulted = Object.entries(copy.properties).filter(
    ([, property]) => isObject(property) && 'default' in property,
  )
  const required = Array.isArray(copy.required) ? copy.required : []
  return { ...copy, required: [...new Set([...required, ...defaulted.map(([name]) => name)])] }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
