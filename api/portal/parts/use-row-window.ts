import {
  defaultRangeExtractor,
  useWindowVirtualizer,
  type VirtualItem,
  windowScroll,
} from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'

/** Tables up to this length render all rows, so that the browser's search (Ctrl-F) finds them. */
const MAX_WHOLE = 100

/** Rows rendered above and below the visible ones, so that Tab always has a next row. */
const OVERSCAN = 10

/** The height of a row before it is measured, in pixels: a table line, or a card on phones (record-table.module.css). */
const estimatePx = () => (matchMedia('(max-width: 62em)').matches ? 88 : 50)

/** A part of a table: a row by its index, or a space as high as the rows that are not rendered. */
export type RowOrSpace = { readonly row: number } | { readonly spacePx: number }

/**
 * Selects the rows of a table to render: those near the visible part and the one with the focus. Each row has some 40 nodes;
 * rendering all 1,500 rows took 376 MB. The browser's search finds rendered rows only; up to 100 rows, all are.
 *
 * @returns `parts` from top to bottom, and the props of the table's body and rows.
 */
export function useRowWindow(rows: number) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [topPx, setTopPx] = useState(0)
  const [focused, setFocused] = useState<number>()
  const isWindowed = rows > MAX_WHOLE
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows,
    enabled: isWindowed,
    estimateSize: estimatePx,
    overscan: OVERSCAN,
    scrollMargin: topPx,
    useFlushSync: false,
    // only to correct for measured heights: on the first render it would undo the router's scroll restoration
    scrollToFn: (offset, options, instance) => {
      if (options.adjustments !== undefined) windowScroll(offset, options, instance)
    },
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range)
      if (focused === undefined || focused >= rows || near.includes(focused)) return near
      return [...near, focused].toSorted((a, b) => a - b)
    },
  })
  // the height above the table changes, for example with the filters
  useLayoutEffect(() => {
    if (isWindowed && body.current) setTopPx(body.current.getBoundingClientRect().top + window.scrollY)
  })

  const parts: readonly RowOrSpace[] = isWindowed
    ? partsOf(virtualizer.getVirtualItems(), topPx, virtualizer.getTotalSize())
    : Array.from({ length: rows }, (_, row) => ({ row }))
  return {
    parts,
    bodyProps: {
      ref: body,
      onFocus: ({ target }: { target: EventTarget }) => setFocused(indexOf(target)),
      onBlur: () => setFocused(undefined),
    },
    rowProps: (row: number) =>
      isWindowed
        ? { ref: virtualizer.measureElement, 'data-index': row, 'aria-rowindex': row + 2 }
        : { 'aria-rowindex': row + 2 },
  }
}

function partsOf(items: readonly VirtualItem[], topPx: number, totalPx: number): RowOrSpace[] {
  const parts: RowOrSpace[] = []
  let reachedPx = topPx
  for (const { index, start, end } of items) {
    if (start > reachedPx) parts.push({ spacePx: start - reachedPx })
    parts.push({ row: index })
    reachedPx = end
  }
  const restPx = topPx + totalPx - reachedPx
  return restPx > 0 ? [...parts, { spacePx: restPx }] : parts
}

const indexOf = (target: EventTarget): number | undefined => {
  const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null
  return row ? Number(row.dataset.index) : undefined
}
