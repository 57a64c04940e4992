import { z } from 'zod'
import { Capture, PLATFORMS } from '../../db/capture/capture.ts'
import { endpoint, JsonText } from '../http/endpoint.ts'
import { CAPTURE_EXAMPLES } from './capture-examples.ts'

/** Endpoint of the capture format's JSON Schema, which the first request builds. */
export const captureSchema = () => {
  let text: JsonText | undefined
  return endpoint({
    method: 'get',
    path: '/schemas/capture-1.json',
    operationId: 'readCaptureSchema',
    tag: 'Reference',
    summary: 'Returns the JSON Schema of the capture format, version 1',
    description: 'Describes each property and includes an example of each platform.',
    credential: { kind: 'none' },
    response: {
      status: 200,
      description: 'JSON Schema, draft 2020-12',
      schema: z.looseObject({ $schema: z.url().meta({ description: 'JSON Schema draft' }) }),
      example: { $schema: DRAFT, title: Capture.meta()?.title, type: 'object' },
    },
    problems: [],
    async act() {
      text ??= new JsonText(JSON.stringify(describeCapture(), null, 2))
      return text
    },
  })
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

const describeCapture = () => ({
  ...z.toJSONSchema(Capture, { target: 'draft-2020-12', io: 'input' }),
  examples: PLATFORMS.map((platform) => CAPTURE_EXAMPLES[platform]),
})
