#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `error: connector needs Node 22.22 or newer, and this is Node ${process.versions.node}. ` +
      'Where the right Node is installed beside it, "npx connector" takes that one.\n',
  )
  process.exit(1)
}
// Before the command is loaded, which fills the space.
if (process.argv[2] === 'run') (await import('../dist/running/limit-young-space.js')).limitYoungSpace()
await import('../dist/main.js')
