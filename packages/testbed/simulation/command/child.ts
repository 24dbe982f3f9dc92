/** Runs the tasks of the parent process. */
import { scenarios } from '../scenarios/index.ts'
import { serveTasks } from './serve-tasks.ts'

serveTasks(scenarios)
