import { describeTemplate } from './describe-template.ts'
import { npm, yarnPnp } from './scaffold-manager.ts'

// In this order: the first one finds an empty npm cache, as a new user has.
describeTemplate('blank')
describeTemplate('transform', { manager: yarnPnp })
describeTemplate('python', {
  manager: npm,
  requirement: { program: 'python3', args: ['-c', 'import ensurepip, venv'] },
})
