import { once } from 'node:events'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Koa from 'koa'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { servePortal } from '../../api/http/serve-portal.ts'
import { checkAccessibility, takeScreenshot } from '../support/portal/check-page.ts'
import { withPortal } from '../support/portal/with-portal.ts'
import { PROJECT } from '../support/start-process.ts'

const portal = withPortal()

interface Deployment extends AsyncDisposable {
  readonly url: string
  /** Removes the files with this name prefix. @returns a function that restores them. */
  remove(prefix: string): Promise<() => Promise<void>>
}

/** Serves a copy of the built portal, whose files can be removed, with the same API. */
async function openDeployment(): Promise<Deployment> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-deployment-'))
  const assets = join(directory, 'dist/assets')
  await cp(join(PROJECT, 'api/portal/dist'), join(directory, 'dist'), { recursive: true })
  const servePages = new Koa().use(servePortal(join(directory, 'dist'))).callback()
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith('/api/')) {
      void servePages(incoming, outgoing)
      return
    }
    const { url, method, headers } = incoming
    const onward = request(new URL(url, portal.url), { method: method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    async remove(prefix) {
      const names = (await readdir(assets)).filter((name) => name.startsWith(prefix))
      expect(names).not.toEqual([])
      for (const name of names) await rename(join(assets, name), join(directory, name))
      return async () => {
        for (const name of names) await rename(join(directory, name), join(assets, name))
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Opens the list of datasets of a deployment, signed in. */
async function openDatasets(url: string): Promise<Page> {
  const session = await portal.openAs(portal.stack.tenant.userEmail)
  const page = await portal.openPage()
  await page.context().addCookies(await session.context().cookies())
  await page.goto(`${url}/datasets`)
  await page.getByRole('heading', { name: 'Datasets' }).waitFor()
  return page
}

const follow = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Get started' }).click()

test('a page with missing code reloads once, then shows a message, and recovers automatically', async () => {
  await using deployment = await openDeployment()
  const page = await openDatasets(deployment.url)
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads++
  })
  const putBack = await deployment.remove('start-page-')
  await follow(page)
  await page.getByText("This page couldn't load").waitFor()
  expect(new URL(page.url()).pathname).toBe('/start')
  expect(loads).toBe(1)
  await checkAccessibility(page)
  await takeScreenshot(page, 'load-failure')
  await putBack()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
})

test('a page opened before a deployment reloads to the requested page', async () => {
  await using deployment = await openDeployment()
  const page = await openDatasets(deployment.url)
  const putBack = await deployment.remove('start-page-')
  const failed = page.waitForResponse((response) => response.url().includes('/assets/start-page-'))
  await follow(page)
  expect((await failed).status()).toBe(404)
  await putBack() // the reload finds the restored files
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
})

test('a page with a missing first script shows a message and recovers automatically', async () => {
  await using deployment = await openDeployment()
  const putBack = await deployment.remove('base-')
  const page = await portal.openPage()
  await page.goto(`${deployment.url}/login`)
  await page.getByText('This page couldn’t load.').waitFor()
  await page.getByRole('link', { name: 'Reload' }).waitFor()
  await checkAccessibility(page)
  await takeScreenshot(page, 'load-failure-first-script')
  await putBack()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
