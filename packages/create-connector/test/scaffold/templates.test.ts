import { describeTemplate } from './describe-template.ts'

// The npm cache is empty, as for a new user.
describeTemplate('blank')
