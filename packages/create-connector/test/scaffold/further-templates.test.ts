import { describeTemplate } from './describe-template.ts'
import { npm, yarnPnp } from './scaffold-manager.ts'

describeTemplate('transform', { manager: yarnPnp })
describeTemplate('python', {
  manager: npm,
  requirement: { program: 'python3', args: ['-c', 'import ensurepip, venv'] },
})
describeTemplate('evm-blocks')
describeTemplate('evm-events')
describeTemplate('go', { requirement: { program: 'go', args: ['version'] } })
