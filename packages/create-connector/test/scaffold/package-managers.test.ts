import { describeTemplate } from './describe-template.ts'
import { bun, pnpm, yarn1, yarnNodeModules } from './scaffold-manager.ts'

// The tests of the other templates use npm and Yarn 4 under PnP.
for (const manager of [pnpm, yarnNodeModules, yarn1, bun]) describeTemplate('blank', { manager })
