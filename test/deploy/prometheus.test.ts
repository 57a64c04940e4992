import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  autoscalingExpressions,
  dashboardExpressions,
  ruleFiles,
  rules,
} from '../support/deploy/expressions.ts'
import { readText } from '../support/deploy/files.ts'
import { findProgram } from '../support/find-program.ts'
import { PROJECT } from '../support/start-process.ts'

const promtool = findProgram(['promtool'])

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { cwd: PROJECT, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

test.skipIf(promtool === undefined)('Prometheus accepts its configuration, and every rule', () => {
  run('check', 'config', '--lint=all', 'deploy/prometheus/prometheus.yml')
  expect(run('check', 'rules', ...ruleFiles.map((name) => `deploy/prometheus/${name}`))).toMatch(/SUCCESS/)
})

test.skipIf(promtool === undefined)(
  'Prometheus accepts the files of a server, laid out as docs/operations/server.md does',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'inkling-prometheus-'))
    try {
      const [, files = ''] =
        /^cp (.+) \/etc\/prometheus\/$/m.exec(readText('docs/operations/server.md')) ?? []
      for (const name of files.split(' '))
        cpSync(join(PROJECT, 'deploy/server', name), join(folder, basename(name)))
      expect(run('check', 'config', join(folder, 'prometheus.yml'))).toContain('2 rule files found')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('Prometheus of a server scrapes each process that docs/operations/server.md starts', () => {
  const [, units = ''] = /^systemctl enable --now (.+)$/m.exec(readText('docs/operations/server.md')) ?? []
  const ports = { web: (port: string) => `1${port}`, worker: (port: string) => port }
  const expected = [...units.matchAll(/inkling-(web|worker)@(\d+)/g)].map(
    ([, type = '', port = '']) => `inkling-${type} 127.0.0.1:${ports[type as 'web' | 'worker'](port)}`,
  )
  const { scrape_configs } = parse(readText('deploy/server/prometheus.yml')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
  }
  const scraped = scrape_configs.flatMap(({ job_name, static_configs }) =>
    static_configs.flatMap(({ targets }) => targets.map((target) => `${job_name} ${target}`)),
  )
  expect(scraped).toEqual(expected)
  expect(scraped).toHaveLength(4)
})

test.skipIf(promtool === undefined)('alerts of the objectives fire as fast as their budget is spent', () => {
  run('test', 'rules', 'test/deploy/prometheus/slo.test.yml')
})

test.skipIf(promtool === undefined)(
  'Prometheus can read every expression of the dashboard and for autoscalers',
  () => {
    expect(dashboardExpressions.length).toBeGreaterThan(40)
    expect(autoscalingExpressions).toHaveLength(2)
    const folder = mkdtempSync(join(tmpdir(), 'inkling-dashboard-'))
    const check = (expressions: readonly string[]) => {
      const file = {
        groups: [{ name: 'dashboard', rules: expressions.map((expr, n) => ({ record: `e${n}`, expr })) }],
      }
      writeFileSync(join(folder, 'rules.yml'), JSON.stringify(file))
      run('check', 'rules', join(folder, 'rules.yml'))
    }
    try {
      check([...dashboardExpressions, ...autoscalingExpressions])
      expect(() => check(['sum(rate(']), 'an expression that it cannot read').toThrow()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('each recorded series of a rule or the dashboard is recorded', () => {
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
  const named = [...rules.map(({ expr }) => expr), ...dashboardExpressions].flatMap((text) =>
    [...text.matchAll(/\binkling:[\w:]+/g)].map(([name]) => name),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !recorded.has(name))).toEqual([])
})

test('docs/operations/monitoring.md explains each alert of the objectives', () => {
  const page = readText('docs/operations/monitoring.md')
  const ofObjectives = rules.flatMap(({ alert }) => (/Upload|Settled/.test(alert ?? '') ? [alert] : []))
  expect(ofObjectives).toHaveLength(4)
  expect(ofObjectives.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
