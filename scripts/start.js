// `npm start`: installs and builds what is missing, then shows the whole path on a local chain. Runs on Node 20 and up.
import { spawn } from 'node:child_process'
import { pinnedNode, prepare, root } from './prepare.js'

prepare()

// A process group of its own: Ctrl-C reaches this process alone, which hands it on once, so the parts end in order.
// The channel tells the demo when this process is gone, however it went.
const demo = spawn(pinnedNode, ['scripts/demo/main.ts', ...process.argv.slice(2)], {
  cwd: root,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => demo.kill(signal))
demo.on('exit', (code) => process.exit(code ?? 1))
