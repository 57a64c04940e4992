import { InvalidArgumentError } from 'commander'

const UNITS = { '': 1, k: 1_000, m: 1_000_000 } as const

/** Parses numbers of datasets, such as `100k,1m`. @throws InvalidArgumentError unless they ascend from 1,000 on. */
export function parseSizes(text: string): readonly number[] {
  const sizes = text.split(',').map((part) => {
    const [, digits, unit = ''] = /^(\d{1,9})([km]?)$/i.exec(part.trim()) ?? []
    return Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS]
  })
  const ascends = sizes.every((size, at) => size >= 1_000 && size <= 1e9 && size > (sizes[at - 1] ?? 0))
  if (!ascends || sizes.length > 10)
    throw new InvalidArgumentError('It must be up to 10 ascending numbers from 1000 on, such as 100k,1m.')
  return sizes
}
