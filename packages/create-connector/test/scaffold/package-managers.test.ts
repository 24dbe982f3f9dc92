import { describeTemplate } from './describe-template.ts'
import { bun, pnpm, yarn1, yarnNodeModules } from './scaffold-manager.ts'

// npm and Yarn 4 under PnP make the other templates.
for (const manager of [pnpm, yarnNodeModules, yarn1, bun]) describeTemplate('blank', { manager })
