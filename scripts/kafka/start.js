// Runs on Node 20.11 and newer.
import { printHelp } from '../build/arguments.js'
import { runProgram } from '../build/prepare.js'

printHelp(`
npm run kafka -- [options]

Runs a Kafka in the foreground. Its data is removed when it ends.

  --port N                 port to listen on (default: 9092)
  --transaction-version N  0 or 2, the feature transaction.version of Kafka (default: 2)
  --help                   print this
`)
runProgram('scripts/kafka/main.ts')
