/** A thread that only does gunzip, JSON.parse and the schema check, as often as its parent requests. */
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { parseCapture } from '../../../worker/capture/parse-capture.ts'
import { readBlobs } from '../read-upload-bodies.ts'

const blobs = readBlobs(String(workerData))

parentPort?.on('message', (count: number) => {
  for (let n = 0; n < count; n++)
    parseCapture(JSON.parse(gunzipSync(blobs[n % blobs.length] ?? '').toString('utf8')))
  parentPort?.postMessage(count)
})
