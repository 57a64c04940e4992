import { useEffect, useState } from 'react'
import { encodeCapture } from './encode-capture.ts'
import { sampleCapture } from './sample-capture.ts'

/** The dataset that the commands upload. */
export interface Sample {
  readonly referenceNumber: string
  /** `data` of the upload; undefined while it is being encoded. */
  readonly data: string | undefined
}

/** Letters and digits without ambiguous ones. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** Creates a sample that is new on each visit, so that its upload creates a dataset. */
export function useSample(): Sample {
  const [at] = useState(() => new Date())
  const [id] = useState(() => randomText(6))
  const [data, setData] = useState<string>()
  useEffect(() => {
    void encodeCapture(sampleCapture(at, `sample-phone-${id}`)).then(setData)
  }, [at, id])
  return { referenceNumber: `SAMPLE-${at.toISOString().slice(0, 10)}-${id}`, data }
}
