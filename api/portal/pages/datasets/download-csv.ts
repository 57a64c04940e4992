import { api } from '../../client/api.ts'
import { fileNameOf } from '../../parts/save-file.ts'
import { toDate } from '../../parts/to-date.ts'
import { type DatasetFilters, queryOf } from './dataset-query.ts'

/** Maximum of one file of the API. */
const MAX_RECORDS = 100_000

/** Progress of an export. */
export interface ExportProgress {
  readonly datasets: number
  /** Estimated share, 0 to 1. */
  readonly share: number
}

export interface ExportedFile {
  readonly name: string
  /** With a byte order mark, so that spreadsheets detect UTF-8. */
  readonly file: Blob
  readonly datasets: number
  /** Cursor of the next file; undefined for the last one. */
  readonly next: string | undefined
}

/**
 * Downloads the datasets of a search as a CSV file of the API.
 *
 * @throws ApiProblem, or an AbortError when aborted.
 */
export async function downloadCsv(
  search: DatasetFilters,
  options: {
    cursor?: string | undefined
    signal: AbortSignal
    onProgress: (progress: ExportProgress) => void
  },
): Promise<ExportedFile> {
  const { cursor, signal, onProgress } = options
  const { data, response } = await api.POST('/api/exports/v1/datasets', {
    body: { ...queryOf(search), ...(cursor !== undefined && { cursor }) },
    parseAs: 'stream',
    signal,
  })
  const oldest = timeOf(response.headers.get('inkling-oldest-upload'))
  const parts: string[] = []
  let [datasets, newest, tail] = [0, Number.NaN, '']
  const decoder = new TextDecoder()
  for await (const bytes of data as unknown as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(bytes, { stream: true })
    parts.push(text)
    datasets += text.split('\r\n').length - 1
    tail = (tail + text).slice(-4_000)
    const latest = timeOf(/.*\n[^\r\n]*?,"([\d-]{10}T[\d:.]{15}Z)",/s.exec(tail)?.[1])
    if (Number.isNaN(newest)) newest = timeOf(/,"([\d-]{10}T[\d:.]{15}Z)",/.exec(text)?.[1])
    const byTime = (newest - latest) / (newest - oldest)
    onProgress({
      datasets: Math.max(0, datasets - 1),
      share: Math.min(1, Math.max(datasets / MAX_RECORDS, byTime || 0)),
    })
  }
  const next = /\r\n"#next\?([^"]+)"(?:,"")+\r\n$/.exec(tail)?.[1]
  return {
    name: fileNameOf(response, 'datasets.csv'),
    file: new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' }),
    datasets: Math.max(0, datasets - (next === undefined ? 1 : 2)),
    next: new URLSearchParams(next).get('cursor') ?? undefined,
  }
}

const timeOf = (at: string | null | undefined) => (at ? toDate(at).getTime() : Number.NaN)
