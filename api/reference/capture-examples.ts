import { z } from 'zod'
import { PLATFORMS, type Platform } from '../../db/capture/capture.ts'
import { endpoint } from '../http/endpoint.ts'
import android from './captures/android.json' with { type: 'json' }
import ios from './captures/ios.json' with { type: 'json' }
import web from './captures/web.json' with { type: 'json' }

/** A synthetic capture of each platform. */
export const CAPTURE_EXAMPLES = { android, ios, web } as const satisfies Record<Platform, unknown>

const SDK = { android: 'for Android', ios: 'for iOS', web: 'for browsers' }

/** Endpoints that return the example of each platform. */
export const captureExamples = () =>
  PLATFORMS.map((platform) =>
    endpoint({
      method: 'get',
      path: `/schemas/capture-1/examples/${platform}.json`,
      operationId: `readCaptureExample${SUFFIX[platform]}`,
      tag: 'Reference',
      summary: `Returns an example capture of the SDK ${SDK[platform]}`,
      description:
        'Valid by /schemas/capture-1.json. Gzipped and base64-encoded, it is valid data of an upload.',
      credential: { kind: 'none' },
      response: {
        status: 200,
        description: 'The capture',
        schema: z
          .looseObject({
            format: z.string().meta({ description: 'Name and version of the format' }),
            platform: z.enum(PLATFORMS).meta({ description: 'Platform of the SDK' }),
            collectedAt: z.iso.datetime().meta({ description: 'When the capture was collected' }),
          })
          .meta({ description: 'Capture, as described by /schemas/capture-1.json' }),
        example: CAPTURE_EXAMPLES[platform],
      },
      problems: [],
      async act() {
        return CAPTURE_EXAMPLES[platform]
      },
    }),
  )

const SUFFIX = { android: 'Android', ios: 'Ios', web: 'Web' }
