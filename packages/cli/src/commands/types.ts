import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addQueueOptions, type QueueOptions, useExistingQueue } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'
import { openTopic } from '../reading/open-topic.ts'

interface TypesOptions extends QueueOptions {
  readonly json?: true
}

export function addTypesCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('types')
    .description('print the TypeScript types of the records that readers of a topic get')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
    .option('--json', 'print a JSON object with the code')
    .action((topic: string, options: TypesOptions) =>
      useExistingQueue(options, context, async (queue) => {
        const { registration } = await openTopic(queue, topic)
        const { generateReaderTypes } = await import('@headrace/codegen')
        const code = generateReaderTypes(registration)
        await context.output.write(options.json ? jsonLine({ topic, code }) : code)
      }),
    )
  addQueueOptions(command)
  addExample(command, 'connector types headrace.evm.1_0_0.ethereum_Block > block.ts')
}
