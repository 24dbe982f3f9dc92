// `npm run kafka`: installs and builds what is missing, then starts a Kafka. Runs on Node 20 and up.
import { spawn } from 'node:child_process'
import { pinnedNode, prepare, root } from './prepare.js'

prepare()

const kafka = spawn(pinnedNode, ['scripts/kafka/main.ts', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
// Ctrl-C reaches the child without help.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => kafka.kill(signal))
kafka.on('exit', (code) => process.exit(code ?? 1))
