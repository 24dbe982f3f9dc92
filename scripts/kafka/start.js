// `npm run kafka`: starts a Kafka. Runs on Node 20 and newer.
import { runProgram } from '../build/prepare.js'

runProgram('scripts/kafka/main.ts')
