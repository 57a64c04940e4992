import { z } from 'zod'
import { brands, texts } from './browser.ts'
import { count, longText, optional, text, timestamp } from './scalars.ts'

export const Consent = z.object({
  basis: optional(
    text,
    'Legal basis on which the data is collected: consent, contract, legal_obligation, legitimate_interest or another',
  ),
  at: optional(timestamp, 'When the user agreed or was informed, ISO 8601 with zone'),
  policy: optional(text, 'Version or address of the privacy policy that the user was shown'),
})

const ClientHints = z.object({
  brands: optional(brands, 'Sec-CH-UA, at most 1,000 brands'),
  mobile: optional(z.boolean(), 'Sec-CH-UA-Mobile'),
  platform: optional(text, 'Sec-CH-UA-Platform, such as Windows or Android'),
  platformVersion: optional(text, 'Sec-CH-UA-Platform-Version'),
  model: optional(text, 'Sec-CH-UA-Model'),
})

const Request = z.object({
  userAgent: optional(longText, 'User-Agent, at most 4,000 characters'),
  languages: optional(texts, 'Accept-Language: language tags, the preferred one first, at most 1,000'),
  clientHints: optional(ClientHints, 'Client hints; Chromium only'),
})

export const Collection = z.object({
  level: optional(
    text,
    'How the reference number was given. open: by the page; claimed: by the backend afterwards; verified: by a token of the backend',
  ),
  origin: optional(longText, 'Origin that opened the collection, at most 4,000 characters'),
  segments: optional(count, 'Segments received'),
  missing: optional(count, 'Segments sent and not received'),
  ended: optional(text, 'complete: the page completed the collection; abandoned: it stopped sending'),
  request: optional(Request, 'Headers of the request that opened the collection'),
})
