// Runs on Node 20.11 and newer.
import { printHelp } from '../build/arguments.js'
import { runProgram } from '../build/prepare.js'

printHelp(`
npm start -- [options]

Runs a local chain, a connector and a gateway. Prints a link that shows the topics in a browser, and the blocks.

  --blocks N  end after this number of blocks
  --help      print this
`)
// In its own process group the demo gets Ctrl-C only from this process, and ends its parts in order. The channel closes
// when this process ends for any reason, and the demo ends too.
runProgram('scripts/demo/main.ts', { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
