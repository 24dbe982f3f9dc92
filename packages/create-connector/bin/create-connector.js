#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(
    `error: create-connector needs Node 20.12 or newer, and this is Node ${process.versions.node}. ` +
      'A connector runs on Node 22.22 or newer: install one from https://nodejs.org and run this again.\n',
  )
  process.exit(1)
}
await import('../dist/main.js')
