import { describeClient, diagnoseQueue, type Finding } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { diagnoseNode, diagnosePort, diagnoseProject, type FindingGroup } from '../diagnosis/diagnosis.ts'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { portOption } from '../options/parse-option.ts'
import { addQueueOptions, announceConnecting, kafkaConfigOf, type QueueOptions } from '../options/queue-options.ts'
import { addProjectOptions, type SettingsOptions } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'
import { remedyOf } from '../remedy-text.ts'
import { checkBundleFile } from '../support/support-bundle.ts'
import { type ReportedFinding, supportResult } from '../support/support-result.ts'

export interface DoctorOptions extends QueueOptions, SettingsOptions {
  readonly repair?: true
  readonly supportBundle?: string
  readonly host: string
  readonly port: number
  readonly json?: true
}

export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description('find problems with the queue, Node, the manifest, the source, and the port of a gateway')
  addProjectOptions(command)
    .option('--repair', 'repair an embedded queue that no other process has open; the damaged file is kept')
    .option('--support-bundle <file>', 'also write what was found to a new .tar.gz file, without secrets, for a report')
    .option('--host <address>', 'address that "connector serve" would listen on', '127.0.0.1')
    .option('--port <port>', 'port that "connector serve" would listen on; 0 checks none', portOption, 8080)
  addResultAction(command, 'print one JSON object per finding', context, diagnose)
  addQueueOptions(command)
  addExample(command, 'connector doctor --queue embedded:.headrace')
}

async function* diagnose(dir: string, options: DoctorOptions, context: CommandContext): Results {
  const { queue, queueFrom, repair = false, supportBundle, host, port, json } = options
  if (supportBundle !== undefined) checkBundleFile(supportBundle)
  const { inform, exitWith } = context
  const kafkaConfig = kafkaConfigOf(options, context.environment)
  const diagnosed = diagnoseQueue(queue, { ...kafkaConfig, repair })
  const findings = json ? diagnosed : announcingFirst(diagnosed, queue, inform)
  // A mistake in the configuration is a finding.
  const client = await describeClient(queue, kafkaConfig).catch(() => undefined)
  const title = `queue ${queue}${queueFrom ? ` (${queueFrom})` : ''}${client === undefined ? '' : `: ${client}`}`
  const ofQueue: FindingGroup = { about: 'queue', title, findings }
  const others = [...(await diagnoseProject(dir, options, context)), ...(port > 0 ? [diagnosePort(port, host)] : [])]
  let code: ExitCode = exitCodes.done
  const reported: ReportedFinding[] = []
  for (const group of [ofQueue, diagnoseNode(), ...others]) {
    let count = 0
    for await (const found of group.findings) {
      const { repairable, ...finding } = { ...found, remedy: remedyOf(found) }
      reported.push({ about: group.about, ...finding })
      const title = count++ === 0 ? `${group.title}\n` : ''
      yield { json: () => [{ about: group.about, ...finding }], text: () => title + formatFinding(finding) }
      if (finding.severity === 'error' && !finding.repaired && code !== exitCodes.mistake) code = exitCodeFor(finding)
    }
    if (count === 0) yield { json: () => [], text: () => `${group.title}\n  ok\n` }
  }
  if (supportBundle !== undefined) yield await supportResult(supportBundle, { dir, options, context, reported })
  exitWith(code)
}

async function* announcingFirst(
  findings: AsyncGenerator<Finding, void>,
  queue: string,
  inform: CommandContext['inform'],
): AsyncGenerator<Finding> {
  const first = await announceConnecting(queue, inform, findings.next())
  if (first.done) return
  yield first.value
  yield* findings
}

function exitCodeFor({ code }: Finding): ExitCode {
  return code === 'queue_unavailable' || code === 'source_unavailable' ? exitCodes.unavailable : exitCodes.mistake
}

function formatFinding({ severity, code, place, message, remedy, repaired }: Finding): string {
  const where = message.includes(place) ? '' : `${place}: `
  const head = `  ${severity}: ${where}${message} (${code})\n`
  return repaired ? `${head}    repaired\n` : `${head}    ${remedy}\n`
}
