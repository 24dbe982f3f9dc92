import { type FindingGroup, finding } from './finding-group.ts'

/** As in `engines` of package.json. */
const needed = [22, 22] as const

export function diagnoseNode(version: string = process.versions.node): FindingGroup {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isTooOld = major < needed[0] || (major === needed[0] && minor < needed[1])
  const found = finding({
    severity: 'error',
    code: 'unsupported_node',
    place: `Node ${version}`,
    message: `This is Node ${version}. The command needs ${needed.join('.')} or newer.`,
    remedy: 'Install a newer Node, or start the command with "npx", which uses the Node of the project.',
  })
  return { about: 'node', title: `Node ${version}`, findings: isTooOld ? [found] : [] }
}
