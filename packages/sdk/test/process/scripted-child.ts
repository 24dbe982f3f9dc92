import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { type Connector, type ProcessLimits, processConnector, type Schema } from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { onTestFinished } from 'vitest'
import type { BlockUnit } from '../chain/connector.ts'
import { schema } from '../chain/schema.ts'
import type { Language } from './languages.ts'

export interface ScriptedChildOptions {
  readonly language: Language
  readonly units: readonly Pick<BlockUnit, 'messages'>[]
  readonly oneByOne?: boolean
  readonly limits?: Partial<ProcessLimits>
}

/** What a scripted child reads. Messages are JSON, as protobuf defines it. */
interface Script {
  /** A serialized `google.protobuf.FileDescriptorSet`, as base64. */
  readonly descriptors: string
  readonly units: readonly {
    readonly checkpoint: unknown
    readonly messages: readonly { readonly name: string; readonly json: JsonValue }[]
    readonly revertTo?: unknown
    readonly final?: unknown
  }[]
  /** Wait for the commit of each unit before the next one, except for replacements of reverted units. */
  readonly oneByOne: boolean
}

/** A child that writes the units after the last committed one. */
export function scriptedChild(project: TestProject, options: ScriptedChildOptions): Connector<Schema, unknown> {
  const { language, units, oneByOne = false, limits } = options
  const dir = mkdtempSync(join(tmpdir(), 'headrace-script-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const script: Script = {
    descriptors: Buffer.from(project.project.schema.descriptors).toString('base64'),
    units: units.map((unit) => ({ ...(unit as BlockUnit), messages: jsonMessages(project, unit) })),
    oneByOne,
  }
  const file = join(dir, 'script.json')
  writeFileSync(file, JSON.stringify(script))
  const messages = ['acme.chain.Block', 'acme.chain.Transaction']
  return processConnector({ command: language.scripted(file), dir, messages, limits })
}

function jsonMessages(
  { project }: TestProject,
  { messages = {} }: Pick<BlockUnit, 'messages'>,
): Script['units'][number]['messages'] {
  return Object.entries(messages).flatMap(([name, list]) => {
    const codec = schema.messages[name as 'Block']
    const message = project.schema.message(codec.name)!
    return (list as never[]).map((value) => ({
      name: codec.name,
      json: toJson(message, fromBinary(message, codec.encode(value, new BinaryWriter()).finish())),
    }))
  })
}
