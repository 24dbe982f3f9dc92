#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `error: create-connector needs Node 22.22 or newer, and this is Node ${process.versions.node}. ` +
      'So does every connector: install one from https://nodejs.org and run this again.\n',
  )
  process.exit(1)
}
await import('../dist/main.js')
