import { expect, test } from 'vitest'
import { parseOptions, UsageError } from './options.ts'

const scenarios = ['publish', 'connector']
const parse = (line: string) => parseOptions(line.split(' ').filter(Boolean), scenarios)

test('without options 1,000 new seeds run in all scenarios', () => {
  const options = parse('')
  expect(options).toMatchObject({ scenarios, seeds: 1000, jobs: 1, trace: false, inProcess: false })
  expect(parse('')).not.toEqual(options)
})

test('one seed of one scenario is repeated with fewer faults', () => {
  const args = ['--scenario', 'publish', '--seed', '17', '--only', 'leader moved 3, throttled 1']
  expect(parseOptions(args, scenarios)).toMatchObject({
    scenarios: ['publish'],
    from: 17,
    seeds: 1,
    only: new Set(['leader moved 3', 'throttled 1']),
    inProcess: true,
  })
})

test('until a failure there is no end but the number of seeds', () => {
  expect(parse('--until-failure')).toMatchObject({ seeds: Number.POSITIVE_INFINITY })
  expect(parse('--until-failure --seeds 10')).toMatchObject({ seeds: 10 })
})

test('help is asked for', () => {
  expect(parse('--help')).toBe('help')
})

test.each([
  ['--scenario other', 'There is no scenario "other". There is publish, connector.'],
  ['--seeds 0', '--seeds is "0"; it must be a whole number from 1 to 4294967295.'],
  ['--seeds 1e3', '--seeds is "1e3"; it must be a whole number from 1 to 4294967295.'],
  ['--seed 1 --seeds 2', '--seed is one seed. For several: --from and --seeds.'],
  [
    '--seed 1 --only throttled',
    '--only needs --seed and --scenario: its faults are those of one seed of one scenario.',
  ],
  ['--jobs x', '--jobs is "x"; it must be a whole number from 1 to 256.'],
  ['--sed 1', "Unknown option '--sed'"],
  ['17', "Unexpected argument '17'. This command does not take positional arguments"],
])('"%s" is refused', (line, message) => {
  expect(() => parse(line)).toThrow(new UsageError(message))
})
