import { globSync } from 'node:fs'
import { z } from 'zod'
import { PROJECT } from '../start-process.ts'
import { readPrometheus, readText } from './files.ts'

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          record: z.string().optional(),
          alert: z.string().optional(),
          expr: z.string(),
          annotations: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  ),
})

const Dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) }),
  ),
})

/** The files of rules that Prometheus reads, below deploy/prometheus. */
export const ruleFiles = z
  .object({ rule_files: z.array(z.string()) })
  .parse(readPrometheus('prometheus.yml')).rule_files

export const rules = ruleFiles
  .flatMap((name) => Rules.parse(readPrometheus(name)).groups)
  .flatMap(({ rules }) => rules)

/** The expressions of the dashboard, as Prometheus gets them from Grafana. */
export const dashboardExpressions = Dashboard.parse(
  JSON.parse(readText('deploy/grafana/inkling.json')),
).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))

const autoscalingPage = readText('docs/operations/autoscaling.md')

/** The expressions of docs/operations/autoscaling.md. */
export const autoscalingExpressions = [
  ...autoscalingPage.matchAll(/^(?: {2}FAS_PROMETHEUS_QUERY = ')?([a-z_]+\(.*\binkling_.*?)'?$/gm),
].map(([, expr = '']) => expr)

/** Names of the metrics in a text, without those that a rule records. */
export const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\b(inkling|process|nodejs)_\w+(?!\w*[:(])/g)].map(([name]) => name)

/** Every text that names metrics. */
export const textsWithMetrics: readonly string[] = [
  ...rules.map(({ expr }) => expr),
  ...dashboardExpressions,
  ...globSync('deploy/kubernetes/**/*.yaml', { cwd: PROJECT }).map(readText),
  autoscalingPage,
  readText('docs/operations/monitoring.md'),
]
