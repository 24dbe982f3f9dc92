import type { RunOptions } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import { integerOption } from './parse-option.ts'
import type { QueueOptions } from './queue-options.ts'
import type { SettingsOptions } from './settings-options.ts'

/** What a run is given, by whichever command. */
export interface RunCommandOptions extends QueueOptions, SettingsOptions {
  readonly onBadMessage: 'keep' | 'stop'
  readonly group?: 'auto' | 'off'
  readonly newTopics?: true
  readonly publishAgain?: true
  readonly metricsPort?: number
  readonly metricsHost: string
}

/** Gives a command the options that say how a run publishes. */
export function addRunOptions(command: Command, onBadMessage: RunCommandOptions['onBadMessage']): Command {
  return command
    .addOption(
      new Option('--on-bad-message <action>', 'what to do with a message that cannot be produced')
        .choices(['keep', 'stop'])
        .default(onBadMessage),
    )
    .option('--new-topics', 'begin anew in new topics where an older version has data')
    .option('--publish-again', 'start although the checkpoint was lost; what is published stays and is there twice')
}

/** Gives a command the options that say where a run tells how it goes on. */
export function addMetricsOptions(command: Command): Command {
  return command
    .option('--metrics-port <port>', 'serve /metrics and /health there; 0 takes a free port', integerOption(0, 65_535))
    .option('--metrics-host <address>', 'address to serve them on', '127.0.0.1')
}

/** What the runtime takes of these options. */
export function howToRun({
  onBadMessage,
  group,
  newTopics,
  publishAgain,
  metricsPort: port,
  metricsHost: host,
}: RunCommandOptions): Pick<RunOptions, 'onBadMessage' | 'group' | 'newTopics' | 'publishAgain' | 'metrics'> {
  return { onBadMessage, group, newTopics, publishAgain, metrics: port === undefined ? undefined : { port, host } }
}
