import { z } from 'zod'
import { text } from '../http/text.ts'

/** @see the interface document, "Dataset", referenceNumber */
export const ReferenceNumber = text(1, 100).meta({
  description: 'Dataset identifier; letters, digits, - and _ are recommended. Unique within the subscription',
  examples: ['LN-2026-000123'],
})

/** Reference number of a new dataset; excludes those that clients cannot send in a path. */
export const NewReferenceNumber = ReferenceNumber.refine(
  (value) => value !== '.' && value !== '..',
  'must not be . or .., which clients and proxies remove from paths',
)

export const EXAMPLE_INFO = { clientId: 'C-1042', emailHash: 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15' }

const MAX_KEYS = 100

/** Text keys and values; keys are validated like values, so that errors name each invalid key. */
const pairs = (minKeys: 0 | 1) =>
  z
    .custom<Record<string, string>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object with text values',
    )
    .superRefine((info, context) => {
      const addError = (message: string, ...path: string[]) =>
        context.addIssue({ code: 'custom', message, path })
      const keys = Object.keys(info)
      if (keys.length < minKeys || keys.length > MAX_KEYS)
        return addError(`must have ${minKeys} to ${MAX_KEYS} keys`)
      for (const key of keys) {
        for (const { message } of InfoKey.safeParse(key).error?.issues ?? [])
          addError(`the key ${message}`, key)
        for (const { message } of InfoValue.safeParse(info[key]).error?.issues ?? []) addError(message, key)
      }
    })
    .meta({
      type: 'object',
      minProperties: minKeys,
      maxProperties: MAX_KEYS,
      propertyNames: { type: 'string', minLength: 1, maxLength: 100 },
      additionalProperties: { type: 'string', maxLength: 1_000 },
      description:
        'Key-value pairs; the value of a saved key cannot change. clientId identifies the client for velocity',
      examples: [EXAMPLE_INFO],
    })

/** At least one pair: a request that saves nothing is a mistake. */
export const AdditionalInfo = pairs(1)

/** Pairs of an upload; may be empty, for clients that always send the object. */
export const UploadInfo = pairs(0)

const InfoKey = text(1, 100).refine((key) => key !== '__proto__', 'must not be __proto__')

const InfoValue = text(0, 1_000)
