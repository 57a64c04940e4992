import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listVersions } from '../../db/scorecards/scorecards.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { openTenant, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'
import { withAdmin } from '../support/with-admin.ts'

const { stack, web, admin, expectRefused, expectWrongUsage, listAudit } = withAdmin()

let tenant: Tenant

describe('scorecard and fragment', () => {
  let directory: string
  let demo: { inputs: { name: string }[]; reasons: object }

  beforeAll(async () => {
    tenant = await openTenant(stack.db)
    directory = await mkdtemp(join(tmpdir(), 'inkling-scorecards-'))
    demo = JSON.parse(await readFile(join(PROJECT, 'scripts/scorecards/demo-mobile.json'), 'utf8'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const file = async (name: string, content: unknown) => {
    const path = join(directory, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  test('a deployed definition is used for the next insight, and recorded', async () => {
    const path = await file('mine.json', { ...demo, name: 'Mine' })
    const deploy = ['scorecard', 'deploy', tenant.name, 'mine', path]
    const deployed = await admin(deploy)
    expect(deployed).toEqual({
      code: 'mine',
      version: expect.stringMatching(/^[\da-f]{64}$/),
      replaced: null,
      name: 'Mine',
      platforms: ['android', 'ios'],
    })
    expect(await admin(deploy)).toEqual(deployed)
    const fragment = { code: 'windows.v1', kind: 'velocity_windows' }
    expect(await admin(['fragment', 'deploy', tenant.name, fragment.code, '--kind', fragment.kind])).toEqual(
      fragment,
    )

    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    const { body: answer } = await readByCode(web.url, tenant.requesterKey, body.referenceNumber)
    expect(answer.insights.map(({ code }: { code: string }) => code).toSorted()).toEqual(
      ['demo_mobile', 'mine', 'permission', 'device_info', 'velocity', 'windows.v1'].toSorted(),
    )
    expect((await listAudit(tenant.subscriptionId)).slice(-3)).toMatchObject([
      { action: 'scorecard.deploy', subject: 'mine', detail: { version: deployed.version } },
      { action: 'scorecard.deploy', subject: 'mine', detail: { version: deployed.version } },
      { action: 'fragment.deploy', subject: 'windows.v1', detail: { kind: 'velocity_windows' } },
    ])
  })

  test('an invalid definition is rejected with the path of each error, and not deployed', async () => {
    const deploy = (path: string, code = 'faulty') => ['scorecard', 'deploy', tenant.name, code, path]
    const notJson = await file('not-json.json', '{ "name": ')
    const wrong = await file('wrong.json', { ...demo, platforms: 'android', reasons: { texts: {} } })
    const unknown = await file('unknown.json', {
      ...demo,
      inputs: demo.inputs.map((input) => ({ ...input, feature: 'shoe_size' })),
    })
    const good = await file('good.json', demo)
    await expectRefused(
      [deploy(notJson), /not-json\.json is not JSON: /],
      [deploy(wrong), /wrong\.json is not a scorecard:[\s\S]*→ at platforms/],
      [deploy(unknown), /there is no feature "shoe_size"\s+→ at inputs\[0\]\.feature/],
      [deploy(join(directory, 'none.json')), /^No such file or directory: .*none\.json\. Check the path\n$/],
      [deploy(directory), /^Expected a file, got a directory\. Check the path\n$/],
      [['scorecard', 'deploy', 'nobody', 'mine', good], 'No such subscription'],
    )
    await expectWrongUsage([deploy(good, 'a/b'), 'The code "a/b" must be'])
    const scorecards = await listVersions(stack.db, tenant.subscriptionId)
    expect(scorecards.map(({ code }) => code)).not.toContain('faulty')
  })

  test('fragment deploy rejects invalid arguments', async () => {
    const deploy = (name: string, code: string, kind: string) =>
      ['fragment', 'deploy', name, code, '--kind', kind] as const
    await expectWrongUsage(
      [deploy(tenant.name, 'x', 'velocities'), 'Allowed choices are permission'],
      [deploy(tenant.name, 'a b', 'velocity'), 'The code "a b" must be'],
    )
    await expectRefused([deploy('nobody', 'x', 'velocity'), 'No such subscription: "nobody"'])
  })

  test('fragment list shows deployed fragments; remove deletes one and is recorded', async () => {
    const own = await openTenant(stack.db)
    const list = async () => (await admin(['fragment', 'list', own.name])).fragments
    expect(await list()).toEqual([
      { code: 'permission', kind: 'permission' },
      { code: 'device_info', kind: 'device_info' },
      { code: 'velocity', kind: 'velocity' },
    ])
    const removed = await admin(['fragment', 'remove', own.name, 'velocity'])
    expect(removed).toEqual({ code: 'velocity', removed: true })
    expect((await list()).map(({ code }: { code: string }) => code)).toEqual(['permission', 'device_info'])
    expect((await listAudit(own.subscriptionId)).at(-1)).toMatchObject({
      actor: expect.stringMatching(/^operator/),
      action: 'fragment.remove',
      subject: 'velocity',
    })
    await expectRefused([
      ['fragment', 'remove', own.name, 'velocity'],
      'No such fragment in this subscription: "velocity"',
    ])
  })
})
