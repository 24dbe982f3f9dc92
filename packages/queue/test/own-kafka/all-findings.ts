import type { Finding } from '../../src/finding.ts'
import { type DiagnoseKafkaOptions, diagnoseKafka } from '../../src/kafka/diagnose.ts'

/** All findings of a diagnosis. */
export async function allFindings(options: DiagnoseKafkaOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of diagnoseKafka(options)) findings.push(finding)
  return findings
}
