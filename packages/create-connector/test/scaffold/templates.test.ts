import { describeTemplate } from './describe-template.ts'

// In turn and in this order: the first one finds an empty npm cache, as who runs the command for the first time does.
describeTemplate('blank')
describeTemplate('transform')
describeTemplate('python', { program: 'python3', args: ['-c', 'import ensurepip, venv'] })
