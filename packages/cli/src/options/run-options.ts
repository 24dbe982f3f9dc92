import type { RunOptions } from '@headrace/sdk'
import { type Command, Option } from 'commander'
import { portOption } from './parse-option.ts'
import type { QueueOptions } from './queue-options.ts'
import type { SettingsOptions } from './settings-options.ts'

export interface RunCommandOptions extends QueueOptions, SettingsOptions, MetricsOptions {
  readonly onBadMessage: 'keep' | 'stop'
  readonly group?: 'auto' | 'off'
  readonly newTopics?: true
  readonly publishAgain?: true
}

export interface MetricsOptions {
  readonly metricsPort?: number
  readonly metricsHost: string
}

export const newTopicsOption: Option = new Option(
  '--new-topics',
  'publish to new topics if an older version of the connector has published data',
)

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
    .addOption(newTopicsOption)
    .option('--publish-again', 'start although the checkpoint was lost, and publish again what was published already')
}

/** `paths` are those that the process serves. */
export function addMetricsOptions(command: Command, paths: string): Command {
  return command
    .option('--metrics-port <port>', `also serve ${paths}, on this port; 0 takes a free one`, portOption)
    .option('--metrics-host <address>', 'address to serve /metrics on', '127.0.0.1')
}

export function metricsAddress({ metricsPort: port, metricsHost: host }: MetricsOptions): RunOptions['metrics'] {
  return port === undefined ? undefined : { port, host }
}

export function runtimeOptions(
  options: RunCommandOptions,
): Pick<RunOptions, 'onBadMessage' | 'group' | 'newTopics' | 'publishAgain' | 'metrics'> {
  const { onBadMessage, group, newTopics, publishAgain } = options
  return { onBadMessage, group, newTopics, publishAgain, metrics: metricsAddress(options) }
}
