/** Runs the seeds that the command gives to this process. */
import { scenarios } from '../scenarios/index.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks(scenarios)
