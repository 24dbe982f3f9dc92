import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample, addQueueAction } from '../output/result.ts'
import { openTopic } from '../reading/open-topic.ts'

export function addTypesCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('types')
    .description('print TypeScript types for the records of a topic, as readers get them')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
  addQueueAction(command, 'print a JSON object with the code', context, async function* (queue, topic: string) {
    const { content } = await openTopic(queue, topic, context.environment)
    const { generateReaderTypes } = await import('@headrace/codegen')
    const code = generateReaderTypes(content)
    yield { json: () => [{ topic, code }], text: () => code }
  })
  addExample(command, 'connector types headrace.evm.1_0_0.ethereum_Block > block.ts')
}
