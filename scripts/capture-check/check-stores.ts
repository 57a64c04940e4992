import type { Capture } from '../../db/capture/capture.ts'
import {
  STORE_POLICIES,
  type StoreEffect,
  type StoreName,
  type StorePolicy,
  storesOf,
} from '../../db/capture/store-policies.ts'
import { findMember } from './find-member.ts'
import { jsonPointer } from './json-pointer.ts'

/** Data of a capture that a rule of a store restricts. */
export interface StoreFinding {
  readonly rule: string
  readonly effect: StoreEffect
  /** Whether the application breaks the rule by it: forbidden, or not declared. */
  readonly breaks: boolean
  readonly pointer: string
  /** The member or the permission. */
  readonly found: string
  readonly reason: string
  readonly source: string
}

export interface StoreResult {
  readonly store: StoreName
  readonly title: string
  readonly passes: boolean
  readonly findings: readonly StoreFinding[]
}

/** Checks a capture against the policies of its platform's stores. `declared` names rules with an approved declaration. */
export const checkStores = (capture: Capture, declared: readonly string[]): StoreResult[] =>
  storesOf(capture.platform).map((store) => {
    const findings = listFindings(capture, STORE_POLICIES[store], declared)
    return {
      store,
      title: STORE_POLICIES[store].title,
      passes: !findings.some(({ breaks }) => breaks),
      findings,
    }
  })

function listFindings(capture: Capture, policy: StorePolicy, declared: readonly string[]): StoreFinding[] {
  return Object.entries(policy.rules).flatMap(([rule, { effect, members, permissions, reason, source }]) => {
    const breaks = effect === 'forbidden' || (effect === 'needs_declaration' && !declared.includes(rule))
    const places = [
      ...members
        .filter((path) => findMember(capture, path) != null)
        .map((path) => ({ pointer: jsonPointer(path.split('.')), found: path })),
      ...(capture.permissions ?? []).flatMap(({ name, granted, declared }, at) =>
        permissions.includes(name) && (granted || declared !== false)
          ? [{ pointer: jsonPointer(['permissions', at]), found: name }]
          : [],
      ),
    ]
    return places.map((place) => ({ rule, effect, breaks, ...place, reason, source }))
  })
}

/** Names of the rules that accept a declaration. */
export const DECLARABLE_RULES = Object.values(STORE_POLICIES).flatMap(({ rules }: StorePolicy) =>
  Object.entries(rules).flatMap(([rule, { effect }]) => (effect === 'needs_declaration' ? [rule] : [])),
)
