import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  erase,
  loadSession,
  randomText,
  readDevice,
  type Session,
  saveSession,
  sessionNames,
} from '../../../api/sdk/src/journal.ts'

/** A storage as browsers have it: its keys are its own members. */
class MemoryStorage {
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? ((this as unknown as Record<string, string>)[name] ?? null) : null
  }
  setItem(name: string, text: string): void {
    Object.assign(this, { [name]: text })
  }
  removeItem(name: string): void {
    Reflect.deleteProperty(this, name)
  }
}

const SESSION: Session = {
  ...{ nonce: 'n', at: 1, seen: 2, n: 3, open: { device: 'd' } },
  ...{ fields: ['text a'], events: 0, dropped: 0, activeMs: 0 },
}

beforeEach(() => {
  vi.stubGlobal('localStorage', new MemoryStorage())
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('a session is read as it was saved, with its segments in their order', () => {
  const pending = new Map([
    [2, '{"v":1,"n":2,"at":5}'],
    [10, '{"v":1,"n":10,"text":"a\\nb"}'],
  ])
  saveSession('inkling:pk:a', SESSION, pending)
  expect(loadSession('inkling:pk:a')).toEqual([SESSION, pending])
  expect(loadSession('inkling:pk:b')).toBeUndefined()
})

test('the sessions of a site key are listed until they are erased', () => {
  for (const name of ['inkling:pk:a', 'inkling:pk:b', 'inkling:other:c', 'unrelated'])
    saveSession(name, SESSION, new Map())
  expect(sessionNames('inkling:pk:')).toEqual(['inkling:pk:a', 'inkling:pk:b'])
  erase('inkling:pk:a')
  expect(sessionNames('inkling:pk:')).toEqual(['inkling:pk:b'])
})

test('the value that names the browser stays the same until it is erased', () => {
  const device = readDevice()
  expect(readDevice()).toBe(device)
  erase()
  expect(readDevice()).not.toBe(device)
})

test('random texts fit a nonce of the server', () => {
  for (let at = 0; at < 100; at++) expect(randomText()).toMatch(/^[\w-]{16,64}$/)
})

test('where the browser forbids storage, nothing is stored and nothing is thrown', () => {
  vi.stubGlobal('localStorage', undefined)
  saveSession('inkling:pk:a', SESSION, new Map())
  expect(loadSession('inkling:pk:a')).toBeUndefined()
  expect(sessionNames('inkling:pk:')).toEqual([])
  expect(readDevice()).toMatch(/^[\w-]{16,64}$/)
  erase()
})
