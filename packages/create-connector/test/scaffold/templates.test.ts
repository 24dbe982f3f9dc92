import { describeTemplate } from './describe-template.ts'

// Finds an empty npm cache, as a new user has.
describeTemplate('blank')
