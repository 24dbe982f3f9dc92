import type { Queue, TopicSpec } from '@headrace/queue'
import { expect, it } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { createSystemTopics, systemTopics } from './system-topics.ts'

it('every system topic is created as docs/reference/kafka.md lists it', async () => {
  const made: TopicSpec[] = []
  const queue: Pick<Queue, 'createTopics'> = {
    async createTopics(specs) {
      made.push(...specs)
    },
  }
  await createSystemTopics(queue as Queue)
  expect(made.map(({ name }) => name).sort()).toEqual(Object.values(systemTopics).sort())
  const page = readReferencePage('kafka.md')
  const listed = page.rows('Topics', 'topic').map(([name, partitions, cleanup]) => [name, partitions, cleanup])
  expect(listed).toEqual(made.map(({ name, partitions = 1, cleanup }) => [name, `${partitions}`, cleanup]))
  const [commands] = page.code('Made beforehand', 'sh')
  for (const { name, partitions = 1, cleanup } of made) {
    expect(createdBy(commands!, name)).toBe(`--partitions ${partitions} $${cleanup}`)
  }
})

/** The options with which the commands create a topic. */
function createdBy(commands: string, topic: string): string | undefined {
  const all = commands.split('\n').flatMap((line) => {
    const loop = /^for name in (.*); do (.*); done$/.exec(line)
    return loop ? loop[1]!.split(' ').map((name) => loop[2]!.replace('$name', name)) : [line]
  })
  return all.find((line) => line.startsWith(`create --topic ${topic} `))?.slice(`create --topic ${topic} `.length)
}
