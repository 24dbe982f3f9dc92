import type { Finding, HeadraceError, Remedy } from '@headrace/queue'

export function messageOf({ message, remedy }: HeadraceError): string {
  // Another version of the packages may have other kinds.
  const text = remedy && texts[remedy.kind]
  return text ? `${message} ${text(remedy.value)}` : message
}

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
