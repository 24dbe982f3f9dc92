import { describe, expect, it } from 'vitest'
import { TopicMismatchError } from '../../errors.ts'
import { checkExistingTopic, settingsFor } from './topic-settings.ts'

const data = { name: 'headrace.evm.1_0_0.ethereum_Block', partitions: 4, cleanup: 'delete' } as const
const system = { name: '_headrace.checkpoints', partitions: 32, cleanup: 'compact' } as const

describe('an existing topic', () => {
  it.for([data, system])('is accepted if nothing differs: $name', (spec) => {
    expect(check(spec, spec.partitions)).toBeUndefined()
    expect(() => checkExistingTopic(spec, { partitions: spec.partitions, settings: undefined })).not.toThrow()
  })

  it('of a connector with another number of partitions is refused with two remedies', () => {
    expect(check(data, 1)).toBe(
      'Topic "headrace.evm.1_0_0.ethereum_Block" exists with other settings: 1 partition instead of 4. ' +
        'Set "partitions" of the topic in manifest.yaml to 1: keys stay in their partition. Or give ' +
        '"topicVersion" a new number: new topics are created, and this one keeps its records.',
    )
  })

  it('of the system with another number of partitions is refused with the advice never to delete it', () => {
    expect(check(system, 33)).toBe(
      'Topic "_headrace.checkpoints" exists with other settings: 33 partitions instead of 32. ' +
        'The number of partitions of a system topic is fixed, and the first command that uses the queue creates it ' +
        'so: this topic was created or changed by hand, or by another program. Use another Kafka cluster, or restore ' +
        'the topic from a backup that has 32 partitions. Never delete it while it holds records: they exist nowhere ' +
        'else, and a connector without its checkpoint publishes everything a second time.',
    )
  })

  it('of the system with another number of partitions is refused without a command that changes its settings', () => {
    const settings = { ...settingsFor('compact'), 'cleanup.policy': 'delete' }
    const message = check(system, 1, settings)
    expect(message).toContain('1 partition instead of 32, cleanup.policy=delete instead of compact.')
    expect(message).not.toContain('kafka-configs.sh')
  })

  it.for([data, system])('with wrong settings is refused with the command that fixes them: $name', (spec) => {
    const settings = { ...settingsFor(spec.cleanup), 'message.timestamp.type': 'LogAppendTime' }
    expect(check(spec, spec.partitions, settings)).toMatch(
      new RegExp(`kafka-configs\\.sh .*--entity-name ${spec.name} --add-config message\\.timestamp\\.type=CreateTime$`),
    )
  })
})

/** The message of the error, or `undefined` without an error. */
function check(
  spec: typeof data | typeof system,
  partitions: number,
  settings: Record<string, string> = settingsFor(spec.cleanup),
): string | undefined {
  try {
    checkExistingTopic(spec, { partitions, settings: new Map(Object.entries(settings)) })
    return undefined
  } catch (error) {
    if (!(error instanceof TopicMismatchError)) throw error
    return error.message
  }
}
