/** Measures this project against its peers and prints the ratios: `npm run bench -- [--quick] [--only NAME]`. */
import { parseArgs } from 'node:util'
import type { Suite } from './bench.ts'
import { embeddedSuite } from './embedded/suite.ts'
import { evmSuite } from './evm/suite.ts'
import { kafkaSuite } from './kafka/suite.ts'
import { readingSuite } from './reading/suite.ts'
import { renderSuite } from './render/suite.ts'
import { runBench } from './run-bench.ts'
import { formatResult, tableHead } from './table.ts'

const suites: Suite[] = [embeddedSuite, kafkaSuite, renderSuite, readingSuite, evmSuite]

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } })
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
