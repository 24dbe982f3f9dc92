// `npm start`: shows the whole path on a local chain. Runs on Node 20 and newer.
import { runProgram } from '../build/prepare.js'

// In its own process group the demo gets Ctrl-C only from this process, and ends its parts in order. The channel closes
// when this process ends for any reason, and the demo ends too.
runProgram('scripts/demo/main.ts', { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
