/** A seed that once failed. */
export interface Regression {
  readonly scenario: string
  readonly seed: number
  /** The defect. */
  readonly what: string
}

/**
 * Seeds that once failed and run in each test. Any change of the scenario or of the model can change what a seed does:
 * then search new seeds for the important ones, and drop the others.
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
    what: 'a run ended because a broker that had been down did not know a topic',
  },
  {
    scenario: 'publish',
    seed: 13,
    what: 'a reader stayed at a leader that was replaced and isolated',
  },
  {
    scenario: 'publish',
    seed: 515,
    what: 'the next leader was requested only from a broker that did not answer, until the retry budget was used up',
  },
  {
    scenario: 'publish',
    seed: 609_521,
    what: 'a reader asked only an isolated broker, because the others had once not answered',
  },
  {
    scenario: 'publish',
    seed: 102,
    what: 'a run ended with the error of a broker while all brokers were fenced for a moment',
  },
  {
    scenario: 'publish',
    seed: 778,
    what: 'a coordinator that took long to load was asked indefinitely',
  },
  {
    scenario: 'connector',
    seed: 1_412,
    what: 'verify reported records as missing because a replaced, isolated leader did not have them',
  },
  {
    scenario: 'evm',
    seed: 1_706_935_132,
    what: 'a replaced run reported its records as lost, because it read the newer claim too late',
  },
  {
    scenario: 'evm',
    seed: 1_698_606_242,
    what: 'a commit counted as visible because a replaced, isolated coordinator rejected it',
  },
  {
    scenario: 'publish',
    seed: 1_698_616_629,
    what: 'a transaction was ended only at a replaced, isolated coordinator, until the retry budget was used up',
  },
  {
    scenario: 'evm',
    seed: 1_685,
    what: 'a checkpoint was not found because it was compacted during the read',
  },
  {
    scenario: 'publish',
    seed: 1_678_486_053,
    what: 'a replaced, isolated coordinator that answered immediately was asked until the retry budget was used up',
  },
]
