import { parseArguments, printHelp, refuseArgument } from '../build/arguments.js'
import type { Suite } from './bench.ts'
import { embeddedSuite } from './embedded/suite.ts'
import { evmSuite } from './evm/suite.ts'
import { kafkaSuite } from './kafka/suite.ts'
import { readingSuite } from './reading/suite.ts'
import { renderSuite } from './render/suite.ts'
import { runBench } from './run-bench.ts'
import { scaleSuite } from './scale/suite.ts'
import { sinkParquetSuite } from './sink/parquet-suite.ts'
import { sinkPostgresSuite } from './sink/suite.ts'
import { formatResult, tableHead } from './table.ts'

const suites: Suite[] = [
  embeddedSuite,
  kafkaSuite,
  renderSuite,
  readingSuite,
  evmSuite,
  sinkPostgresSuite,
  sinkParquetSuite,
  scaleSuite,
]

const names = suites.map(({ name }) => name).join(', ')

printHelp(`
npm run bench -- [options]

Measures this project and its peers, and prints the ratios.

  --quick       one short round of each bench, which only shows that it works
  --only SUITE  one suite: ${names}
  --help        print this
`)
const { values } = parseArguments({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
if (values.only !== undefined && !suites.some(({ name }) => name === values.only))
  refuseArgument(`There is no suite "${values.only}". The suites are ${names}`)
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort())
const context = { quick: values.quick, signal: interrupted.signal }

console.log(tableHead)
for (const suite of suites.filter(({ name }) => values.only === undefined || name === values.only)) {
  const open = await suite.open(context)
  if ('unavailable' in open) {
    console.log(`${suite.name}: skipped, ${open.unavailable}.`)
    continue
  }
  try {
    for (const bench of open.benches) console.log(formatResult(await runBench(bench, context)))
  } finally {
    await open.close()
  }
}
