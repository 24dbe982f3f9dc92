/** A child process with scenarios that fail in defined ways. */
import { serveTasks } from '../simulation/command/serve-tasks.ts'
import type { Scenario } from '../simulation/scenario.ts'
import { disturb } from '../simulation/world/disturbances.ts'

const failsOnPause: Scenario = {
  name: 'fails on pause',
  faults: ['program paused', 'program killed'],
  async run(world) {
    disturb(world, [
      { kind: 'program killed', strike: () => world.note('toy', 'is killed') },
      { kind: 'program paused', strike: () => world.fail(`it was paused at ${Math.floor(world.now())} ms`) },
    ])
    await world.healed
  },
}

const never: Scenario = {
  name: 'never ends',
  faults: [],
  async run() {
    for (;;) await undefined
  },
}

const exits: Scenario = {
  name: 'exits',
  faults: [],
  async run() {
    process.exit(3)
  },
}

serveTasks([failsOnPause, never, exits])
