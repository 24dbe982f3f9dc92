import { expect, test } from 'vitest'
import { parseOptions, UsageError } from './options.ts'

const scenarios = ['publish', 'connector']
const parse = (line: string) => parseOptions(line.split(' ').filter(Boolean), scenarios)

test('the command without options runs 1,000 new seeds of all scenarios', () => {
  const options = parse('')
  expect(options).toMatchObject({ scenarios, seeds: 1000, jobs: 1, trace: false, inProcess: false })
  expect(parse('')).not.toEqual(options)
})

test('the options repeat one seed of one scenario with some of its faults', () => {
  const args = ['--scenario', 'publish', '--seed', '17', '--only', 'leader moved 3, throttled 1']
  expect(parseOptions(args, scenarios)).toMatchObject({
    scenarios: ['publish'],
    from: 17,
    seeds: 1,
    only: new Set(['leader moved 3', 'throttled 1']),
    inProcess: true,
  })
})

test('the option --until-failure has no limit of seeds unless --seeds sets one', () => {
  expect(parse('--until-failure')).toMatchObject({ seeds: Number.POSITIVE_INFINITY })
  expect(parse('--until-failure --seeds 10')).toMatchObject({ seeds: 10 })
})

test('the option --help is recognised', () => {
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
