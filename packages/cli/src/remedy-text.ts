import type { Finding, HeadraceError, Remedy } from '@headrace/queue'

/** The message of an error, with the option or the command that its remedy is here. */
export function messageOf({ message, remedy }: HeadraceError): string {
  // An error of another version of the packages may have a kind that is not known here.
  const text = remedy && texts[remedy.kind]
  return text ? `${message} ${text(remedy.value)}` : message
}

/** The remedy of a finding of `connector doctor`, with the option that applies it. */
export function remedyOf({ code, remedy, repairable, repaired }: Finding): string {
  if (repairable && !repaired) return `${remedy} The option is --repair.`
  return code === 'wrong_security_protocol' ? `${remedy} ${texts.set_kafka_config()}` : remedy
}

const texts: Readonly<Record<Remedy['kind'], (value?: string) => string>> = {
  choose_metrics_port: () => 'The option is --metrics-port.',
  diagnose_queue: () => 'The command is "connector doctor".',
  keep_bad_messages: () => 'The option is --on-bad-message keep.',
  keep_records: () => 'The option is --keep-records.',
  list_checkpoints: () => 'The command is "connector checkpoint show --history".',
  publish_again: () => 'The option is --publish-again.',
  set_instance: (instance = 'NAME') => `The option is --instance ${instance}.`,
  set_kafka_config: () => 'The option --kafka-config names the file.',
  set_queue_and_instance: () => 'The options are --queue and --instance.',
  use_new_topics: () => 'The option is --new-topics.',
}
