// Runs on Node 20.11 and newer.
import { printHelp } from '../build/arguments.js'
import { runProgram } from '../build/prepare.js'

printHelp(`
npm start -- [options]

Runs a local chain, a connector and a gateway, and prints the blocks that the gateway serves.

  --blocks N  end after this number of blocks
  --help      print this
`)
// In its own process group the demo gets Ctrl-C only from this process, and ends its parts in order. The channel closes
// when this process ends for any reason, and the demo ends too.
runProgram('scripts/demo/main.ts', { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
