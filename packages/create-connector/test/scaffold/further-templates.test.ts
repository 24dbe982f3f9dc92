import { describeTemplate } from './describe-template.ts'

describeTemplate('evm-blocks')
describeTemplate('evm-events')
describeTemplate('go', { requirement: { program: 'go', args: ['version'] } })
