import { useEffect, useState } from 'react'
import { encodeCapture } from './encode-capture.ts'
import { sampleCapture } from './sample-capture.ts'

/** What the commands of the page upload. */
export interface Sample {
  readonly referenceNumber: string
  /** Of an upload; undefined for the moment that it takes to make it. */
  readonly data: string | undefined
}

/** Letters and digits that are told apart when read out. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** A sample that is new with each visit, so that its upload is one, and stays the same until the page is left. */
export function useSample(): Sample {
  const [at] = useState(() => new Date())
  const [id] = useState(() => randomText(6))
  const [data, setData] = useState<string>()
  useEffect(() => {
    void encodeCapture(sampleCapture(at, `sample-phone-${id}`)).then(setData)
  }, [at, id])
  return { referenceNumber: `SAMPLE-${at.toISOString().slice(0, 10)}-${id}`, data }
}
