/** A seed that has failed. */
export interface Regression {
  readonly scenario: string
  readonly seed: number
  /** What it was. */
  readonly what: string
}

/**
 * Seeds that have failed, and run in each test. A seed means what it meant for as long as its scenario and the model stay
 * as they are: after a change of those, find seeds again for the ones that matter, and drop the others.
 */
export const regressions: readonly Regression[] = [
  {
    scenario: 'connector',
    seed: 8_001_624,
    what: 'verify reported a checkpoint as missing that compaction had replaced',
  },
  {
    scenario: 'transform',
    seed: 326,
    what: 'a run ended because a broker that had been away did not know a topic',
  },
  {
    scenario: 'publish',
    seed: 13,
    what: 'a reader stayed with a leader that was replaced and cut off',
  },
  {
    scenario: 'publish',
    seed: 515,
    what: 'a broker that did not answer was asked for the next leader, until the budget was spent',
  },
  {
    scenario: 'publish',
    seed: 609_521,
    what: 'a reader asked only the broker that was cut off, because the others had once not answered',
  },
  {
    scenario: 'publish',
    seed: 102,
    what: 'a run ended with an error of a broker because all brokers were fenced for a moment',
  },
  {
    scenario: 'publish',
    seed: 778,
    what: 'a coordinator that loaded for long was asked without end',
  },
  {
    scenario: 'connector',
    seed: 1_412,
    what: 'verify took records for missing that a leader did not have which was replaced and cut off',
  },
  {
    scenario: 'evm',
    seed: 1_706_935_132,
    what: 'a run that another one had replaced took its records for lost, as the newer claim was read too late',
  },
  {
    scenario: 'evm',
    seed: 1_698_606_242,
    what: 'a commit counted as visible because a coordinator refused it that was replaced and cut off',
  },
  {
    scenario: 'publish',
    seed: 1_698_616_629,
    what: 'a transaction was ended at a coordinator that was replaced and cut off, until the budget was spent',
  },
  {
    scenario: 'evm',
    seed: 1_685,
    what: 'a checkpoint was not found because a newer one had it compacted away during the read',
  },
  {
    scenario: 'publish',
    seed: 1_678_486_053,
    what: 'a coordinator that was replaced and cut off was asked until the budget was spent, as it always answered at once',
  },
]
