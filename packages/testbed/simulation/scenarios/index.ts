import type { Scenario } from '../scenario.ts'
import { chain } from './chain.ts'
import { connector } from './connector.ts'
import { evm } from './evm.ts'
import { gateway } from './gateway.ts'
import { publish } from './publish.ts'
import { recreate } from './recreate.ts'
import { transform } from './transform.ts'

/** Every scenario, by its name. */
export const scenarios: readonly Scenario[] = [publish, connector, transform, gateway, chain, evm, recreate]
