import { resolve } from 'node:path'
import { type Finding, HeadraceError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import type { FindingGroup } from '../diagnosis/diagnosis.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import { kafkaConfigOf, openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import type { Result } from '../output/result.ts'
import { createRedact } from './redact.ts'
import { writeSupportBundle } from './support-bundle.ts'
import {
  environmentFile,
  kafkaConfigFile,
  machineFile,
  projectFile,
  queueFiles,
  type SupportFiles,
} from './support-files.ts'

export type ReportedFinding = Omit<Finding, 'repairable'> & Pick<FindingGroup, 'about'>

export interface SupportOptions {
  readonly dir: string
  readonly options: QueueOptions
  readonly context: CommandContext
  readonly reported: readonly ReportedFinding[]
}

/** Writes the bundle after a diagnosis. */
export async function supportResult(
  file: string,
  { dir, options, context, reported }: SupportOptions,
): Promise<Result> {
  const { environment } = await withEnvFile(dir, context).catch(() => context)
  const { kafkaConfig } = kafkaConfigOf(options, environment)
  const files: SupportFiles = {
    'machine.json': machineFile(),
    'environment.json': environmentFile(environment.variables),
    'doctor.json': reported.map(withoutQuotes),
    'project.json': await projectFile(resolve(dir)),
    ...(kafkaConfig !== undefined && { 'client-properties.json': await kafkaConfigFile(kafkaConfig) }),
    ...(await filesOfQueue(options, context, reported)),
  }
  const names = await writeSupportBundle(file, files, createRedact(environment.variables))
  return {
    json: () => [{ bundle: file, files: names }],
    text: () =>
      `\n${file} has ${names.join(', ')}.\nIt should have no secrets: look at each file before you send it to anyone.\n`,
  }
}

/** Messages about a manifest or settings quote what was found there. */
function withoutQuotes({ about, message, ...finding }: ReportedFinding): object {
  return about === 'manifest' ? { about, ...finding } : { about, message, ...finding }
}

/** A queue that did not answer the doctor is not waited for again. */
async function filesOfQueue(
  options: QueueOptions,
  context: CommandContext,
  reported: readonly ReportedFinding[],
): Promise<SupportFiles> {
  const failed = reported.find(
    ({ about, severity, repaired }) => about === 'queue' && severity === 'error' && !repaired,
  )
  if (failed?.code === 'queue_unavailable') return { 'status.json': { error: failed.code } }
  try {
    await using queue = await openExistingQueue(options, context)
    return await queueFiles(queue)
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    return { 'status.json': { error: error.code } }
  }
}
