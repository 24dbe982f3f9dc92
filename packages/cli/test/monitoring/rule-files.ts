import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '../../../../deploy/prometheus')

export interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}

/** The test of one incident, as promtool reads it. */
export interface Incident {
  readonly name: string
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[]
}

export const alertsFolder: string = folder
export const ruleFiles: readonly string[] = globSync('rules/*.yml', { cwd: folder }).sort()
export const incidentFiles: readonly string[] = globSync('tests/*.test.yml', { cwd: folder }).sort()

export function readRuleFiles(): readonly RuleFile[] {
  return ruleFiles.map((file) => readYaml<RuleFile>(file))
}

export function readRules(): readonly Rule[] {
  return readRuleFiles().flatMap(({ groups }) => groups.flatMap(({ rules }) => rules))
}

export function readIncidents(): readonly Incident[] {
  return incidentFiles.flatMap((file) => readYaml<{ tests: Incident[] }>(file).tests)
}

function readYaml<Content>(file: string): Content {
  return parse(readFileSync(join(folder, file), 'utf8')) as Content
}
