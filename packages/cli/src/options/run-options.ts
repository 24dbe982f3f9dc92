import type { RunOptions } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import { integerOption } from './parse-option.ts'
import type { QueueOptions } from './queue-options.ts'
import type { SettingsOptions } from './settings-options.ts'

export interface RunCommandOptions extends QueueOptions, SettingsOptions {
  readonly onBadMessage: 'keep' | 'stop'
  readonly group?: 'auto' | 'off'
  readonly newTopics?: true
  readonly publishAgain?: true
  readonly metricsPort?: number
  readonly metricsHost: string
}

export function addRunOptions(command: Command, onBadMessage: RunCommandOptions['onBadMessage']): Command {
  return command
    .addOption(
      new Option(
        '--on-bad-message <action>',
        'keep: publish an empty record for a message that cannot be produced; stop: end the run',
      )
        .choices(['keep', 'stop'])
        .default(onBadMessage),
    )
    .option('--new-topics', 'publish to new topics if an older version of the connector has published data')
    .option('--publish-again', 'start although the checkpoint was lost, and publish again what was published already')
}

export function addMetricsOptions(command: Command): Command {
  return command
    .option(
      '--metrics-port <port>',
      'also serve /metrics and /health, on this port; 0 takes a free one',
      integerOption(0, 65_535),
    )
    .option('--metrics-host <address>', 'address to serve /metrics on', '127.0.0.1')
}

export function runtimeOptions({
  onBadMessage,
  group,
  newTopics,
  publishAgain,
  metricsPort: port,
  metricsHost: host,
}: RunCommandOptions): Pick<RunOptions, 'onBadMessage' | 'group' | 'newTopics' | 'publishAgain' | 'metrics'> {
  return { onBadMessage, group, newTopics, publishAgain, metrics: port === undefined ? undefined : { port, host } }
}
