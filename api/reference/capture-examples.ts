import { z } from 'zod'
import { PLATFORMS, type Platform } from '../../db/capture/capture.ts'
import { endpoint } from '../http/endpoint.ts'
import android from './captures/android.json' with { type: 'json' }
import ios from './captures/ios.json' with { type: 'json' }
import web from './captures/web.json' with { type: 'json' }

/** A capture of each platform, made up: of no device and no person. */
export const CAPTURE_EXAMPLES = { android, ios, web } as const satisfies Record<Platform, unknown>

const SDK = { android: 'for Android', ios: 'for iOS', web: 'for browsers' }

/** The endpoints that publish an example of each platform. */
export const captureExamples = () =>
  PLATFORMS.map((platform) =>
    endpoint({
      method: 'get',
      path: `/schemas/capture-1/examples/${platform}.json`,
      operationId: `readCaptureExample${SUFFIX[platform]}`,
      tag: 'Reference',
      summary: `Read an example of a capture by the SDK ${SDK[platform]}`,
      description:
        'A capture as in /schemas/capture-1.json. Its gzip in base64 is the data of an upload, which becomes ready.',
      credential: { kind: 'none' },
      response: {
        status: 200,
        description: 'The capture',
        schema: z
          .looseObject({
            format: z.string().meta({ description: 'Name and version of the format' }),
            platform: z.enum(PLATFORMS).meta({ description: 'Platform of the SDK that made it' }),
            collectedAt: z.iso.datetime().meta({ description: 'When it was made' }),
          })
          .meta({ description: 'As /schemas/capture-1.json describes it' }),
        example: CAPTURE_EXAMPLES[platform],
      },
      problems: [],
      async act() {
        return CAPTURE_EXAMPLES[platform]
      },
    }),
  )

const SUFFIX = { android: 'Android', ios: 'Ios', web: 'Web' }
