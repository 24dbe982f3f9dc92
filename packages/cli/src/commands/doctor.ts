import { diagnoseQueue, type Finding } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { announceConnecting } from '../options/announce-connecting.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, kafkaConfigOf, type QueueOptions } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'

interface DoctorOptions extends QueueOptions {
  readonly repair?: true
  readonly json?: true
}

export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description('look for what is wrong with a queue')
    .option('--repair', 'mend an embedded queue that no other process has open; the damaged file is kept')
    .option('--json', 'one JSON object a finding')
    .action(async (options: DoctorOptions) => {
      const { environment, output, inform, exitWith } = context
      const { queue, repair = false, json } = options
      const diagnosed = diagnoseQueue(queue, { ...kafkaConfigOf(options, environment), repair })
      const findings = json ? diagnosed : announcingFirst(diagnosed, queue, inform)
      let count = 0
      for await (const finding of findings) {
        count++
        await output.write(json ? jsonLine(finding) : formatFinding(finding))
        if (finding.severity === 'error' && !finding.repaired) exitWith(exitCodeFor(finding))
      }
      if (count === 0 && !json) await output.write(`Nothing is wrong with ${queue}.\n`)
    })
  addQueueOptions(command)
  addExample(command, 'connector doctor --queue embedded:.headrace')
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
  return code === 'queue_unavailable' ? exitCodes.unavailable : exitCodes.mistake
}

function formatFinding({ severity, code, place, message, remedy, repaired }: Finding): string {
  const where = message.includes(place) ? '' : `${place}: `
  const head = `${severity}: ${where}${message} (${code})\n`
  return repaired ? `${head}  repaired\n` : `${head}  ${remedy}\n`
}
