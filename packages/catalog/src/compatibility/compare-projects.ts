import { type ManifestTopic, type Project, type SettingsSchema, settingDefaults } from '../manifest/manifest.ts'
import { createSettingsValidator } from '../manifest/settings-validator.ts'
import { fillTemplate, settingsIn, templateParts, templatePattern } from '../manifest/topic-name-template.ts'
import type { FilePlace, Problem } from '../problem.ts'
import { formatTopicName } from '../topic-name/topic-name.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'
import { type Incompatibility, newVersionRemedy } from './incompatibility.ts'

export interface Comparison {
  /** Full names of the compared topics. */
  readonly topics: readonly string[]
  readonly problems: readonly Problem[]
}

/** Compares a project with an earlier state of it. */
export function compareProjects(before: Project, after: Project): Comparison {
  if (before.lineage !== after.lineage) return { topics: [], problems: [] }
  const { manifest } = before
  const defaults = settingDefaults(manifest.config)
  const nameOf = ({ name }: ManifestTopic) => formatTopicName({ ...manifest, name: fillTemplate(name, defaults) })
  const forms = manifest.topics.map((topic) => formOf(nameOf(topic), topic, before))
  const canBecome = createCanBecome(after.manifest.config)
  const unpublished = manifest.topics.flatMap((topic, index) => {
    const current = findCurrentTopic(forms[index]!, after)
    return current ? comparePublication({ topic, before, current, after }, canBecome) : []
  })
  const { topics, problems } = comparePublished(forms, after)
  return { topics, problems: [...problems, ...unpublished] }
}

/** Compares published topics with what the project would publish. */
export function comparePublished(published: readonly TopicForm[], project: Project): Comparison {
  const found = new Map<string, Problem>()
  const canBecome = createCanBecome(project.manifest.config)
  for (const before of published) {
    const current = findCurrentTopic(before, project)
    const problems = current
      ? compareTopics(before, formOf(before.topic, current, project)).map((one) => placed(one, current, project))
      : [removed(before, project)]
    const name = before.topic.slice(project.lineage.length + 1)
    if (current && !canBecome(current.name, name)) problems.push(warnOfName(name, current, project))
    for (const problem of problems) found.set(problem.message, problem)
  }
  return { topics: published.map(({ topic }) => topic), problems: [...found.values()] }
}

function formOf(topic: string, current: ManifestTopic, { schema }: Project): TopicForm {
  return { ...current, topic, descriptors: schema.descriptors }
}

function placed({ message, at }: Incompatibility, current: ManifestTopic, { schema, topicPlace }: Project): Problem {
  const declared = 'declaration' in at ? schema.places?.get(at.declaration) : topicPlace(current.message, at.setting)
  return incompatible(declared ?? topicPlace(current.message), message)
}

function removed({ topic, message }: TopicForm, { topicPlace }: Project): Problem {
  return incompatible(
    topicPlace(),
    `Topic "${topic}" with the message ${message} was removed. ${waiting} Restore it. ${newVersionRemedy}`,
  )
}

function incompatible(place: FilePlace, message: string): Problem {
  return { severity: 'error', code: 'incompatible_schema', ...place, message }
}

/** Finds the topic of the project that has the name of the earlier topic with some settings. */
function findCurrentTopic({ topic, message }: TopicForm, { lineage, manifest }: Project): ManifestTopic | undefined {
  if (!topic.startsWith(`${lineage}.`)) return undefined
  const name = topic.slice(lineage.length + 1)
  const named = manifest.topics.filter((one) => templatePattern(one.name).test(name))
  return named.find((one) => one.message === message) ?? named[0]
}

interface KeptTopic {
  readonly topic: ManifestTopic
  readonly before: Project
  readonly current: ManifestTopic
  readonly after: Project
}

/** Settings of runs are unknown, so defaults and samples are compared. */
function comparePublication(kept: KeptTopic, canBecome: CanBecome): Problem[] {
  const { topic, before, current, after } = kept
  const name = fillTemplate(topic.name, settingDefaults(before.manifest.config))
  const switched = explainSwitch(name, kept)
  const renamed = explainName(name, kept, canBecome)
  return [
    ...(switched === undefined ? [] : [warn(switched, after.topicPlace(current.message, 'when'))]),
    ...(renamed === undefined ? [] : [warn(renamed, after.topicPlace(current.message, 'name'))]),
  ]
}

function warnOfName(name: string, { name: template, message }: ManifestTopic, project: Project): Problem {
  return warn(
    `Topic name "${name}" was published, but "${template}" can no longer become this name: "config" does not allow the ` +
      `value of ${settingsIn(template).join(', ')}. ${waiting} Allow the value again.`,
    project.topicPlace(message, 'name'),
  )
}

function warn(message: string, place: FilePlace): Problem {
  return { severity: 'warning', code: 'topic_not_published', ...place, message: `${message} ${newVersionRemedy}` }
}

const waiting = 'Its readers would wait for records that never come.'

function explainSwitch(name: string, { topic, before, current, after }: KeptTopic): string | undefined {
  if (isOnByDefault(current, after)) return undefined
  if (isOnByDefault(topic, before))
    return (
      `Topic name "${name}" was published by default, and now only if the setting "${current.when}" is true. ${waiting} ` +
      `Write "default: true" for "${current.when}", or set it in each run that publishes the topic.`
    )
  if (topic.when === current.when) return undefined
  return (
    `Topic name "${name}" was published if the setting "${topic.when}" is true, and now if "${current.when}" is. ${waiting} ` +
    `Restore "when: ${topic.when}", or set "${current.when}" in each run that publishes the topic.`
  )
}

function isOnByDefault({ when }: ManifestTopic, { manifest }: Project): boolean {
  return when === undefined || settingDefaults(manifest.config)[when] === true
}

function explainName(name: string, kept: KeptTopic, canBecome: CanBecome): string | undefined {
  const { current, after } = kept
  if (!canBecome(current.name, name)) return undefined
  const now = fillTemplate(current.name, settingDefaults(after.manifest.config))
  if (now !== name)
    return (
      `Topic name "${name}" was published by default, and "${now}" is now. ${waiting} Restore the default of ` +
      `${settingsIn(current.name).join(', ')}, or set it in each run that publishes the topic.`
    )
  const unreachable = namesBefore(kept).find((one) => !canBecome(current.name, one))
  if (unreachable === undefined) return undefined
  return (
    `Topic name "${unreachable}" was possible, but "${current.name}" can no longer become this name. Readers of such a topic ` +
    `would wait for records that never come. Restore "name: ${kept.topic.name}", and allow the previous values again.`
  )
}

function namesBefore({ topic, before: { manifest } }: KeptTopic): string[] {
  const { config } = manifest
  const defaults = settingDefaults(config)
  const validator = createSettingsValidator(config)
  return settingsIn(topic.name).flatMap((setting) => {
    const { enum: listed = [], pattern = '' } = config.properties![setting]!
    const words = pattern.match(/[A-Za-z0-9_-]+/g) ?? []
    const values = [...samples, ...words, ...(listed as readonly unknown[]).map(String)]
    return values
      .filter((value) => validator.checkOne(setting, value).length === 0)
      .map((value) => fillTemplate(topic.name, { ...defaults, [setting]: value }))
  })
}

const samples = ['base', 'Base', 'BASE', 'chain-2', 'chain_2', 'a', 'A', '1', '10', 'arbitrum-nova-testnet']

type CanBecome = (template: string, name: string) => boolean

function createCanBecome(config: SettingsSchema): CanBecome {
  const validator = createSettingsValidator(config)
  const allows = (setting: string, value: string): boolean => validator.checkOne(setting, value).length === 0
  return (template, name) => {
    const parts = templateParts(template)
    const matches = (at: number, rest: string, values: ReadonlyMap<string, string>): boolean => {
      const text = parts[at]!
      if (!rest.startsWith(text)) return false
      const left = rest.slice(text.length)
      const setting = parts[at + 1]
      if (setting === undefined) return left === ''
      const known = values.get(setting)
      if (known !== undefined) return left.startsWith(known) && matches(at + 2, left.slice(known.length), values)
      for (let length = 1; length <= left.length; length++) {
        const value = left.slice(0, length)
        const more = new Map(values).set(setting, value)
        if (matches(at + 2, left.slice(length), more) && allows(setting, value)) return true
      }
      return false
    }
    return matches(0, name, new Map())
  }
}
