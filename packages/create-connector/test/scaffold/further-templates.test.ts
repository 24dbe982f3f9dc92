import { describeTemplate } from './describe-template.ts'

describeTemplate('evm-blocks')
describeTemplate('evm-events')
describeTemplate('go', { program: 'go', args: ['version'] })
