import { runCreateConnector } from './run-create-connector.ts'

process.exit(await runCreateConnector(process.argv.slice(2)))
