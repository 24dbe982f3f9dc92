import { type Remedy, UserError } from '@headrace/queue'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import type { CommandContext } from './command-context.ts'
import { createProgram } from './program.ts'
import { messageOf, remedyOf } from './remedy-text.ts'

const commands = (parent: Command): Command[] => parent.commands.flatMap((one) => [one, ...commands(one)])
const program = createProgram({ environment: { variables: {} } } as unknown as CommandContext)
const options = new Set(commands(program).flatMap((command) => command.options.map(({ long }) => long)))
const names = new Set(commands(program).map((command) => command.name()))

const kinds = {
  choose_metrics_port: '--metrics-port',
  diagnose_queue: '"connector doctor"',
  keep_bad_messages: '--on-bad-message keep',
  keep_records: '--keep-records',
  list_checkpoints: '"connector checkpoint show --history"',
  publish_again: '--publish-again',
  set_instance: '--instance NAME',
  set_kafka_config: '--kafka-config',
  set_queue_and_instance: '--queue and --instance',
  use_new_topics: '--new-topics',
} satisfies Record<Remedy['kind'], string>

test.each(Object.entries(kinds))('the remedy "%s" is shown as options or a command that exist', (kind, expected) => {
  const text = messageOf(new UserError('a_code', 'It failed.', { remedy: { kind: kind as Remedy['kind'] } }))
  expect(text).toMatch(/^It failed\. The /)
  expect(text).toContain(expected)
  for (const [option] of text.matchAll(/--[a-z-]+/g)) expect(options).toContain(option)
  for (const name of /"connector ([a-z ]+)/.exec(text)?.[1]?.trim().split(' ') ?? []) expect(names).toContain(name)
})

test('an error without a remedy, or with one of another version, is shown by its message alone', () => {
  const unknown = { kind: 'of_another_version' } as unknown as Remedy
  expect(messageOf(new UserError('a_code', 'It failed.'))).toBe('It failed.')
  expect(messageOf(new UserError('a_code', 'It failed.', { remedy: unknown }))).toBe('It failed.')
})

test('the value of a remedy is shown with its option', () => {
  const remedy: Remedy = { kind: 'set_instance', value: 'base' }
  expect(messageOf(new UserError('a_code', 'It failed.', { remedy }))).toBe('It failed. The option is --instance base.')
})

test('the remedy of a finding names the option that repairs it, until it is repaired', () => {
  const finding = { severity: 'error', code: 'damaged_end', place: 'a', message: 'b.', remedy: 'Repair it.' } as const
  const shown = (repaired: boolean) => remedyOf({ ...finding, repairable: true, repaired })
  expect([shown(false), shown(true)]).toEqual(['Repair it. The option is --repair.', 'Repair it.'])
})
