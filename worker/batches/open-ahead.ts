/**
 * Opens items in order, up to `ahead` of them before they are asked for, so that they are read in parallel.
 *
 * @returns a function that resolves to the next opened item, or throws why it cannot be opened.
 */
export function openAhead<Item, Opened>(
  items: readonly Item[],
  ahead: number,
  open: (item: Item) => Promise<Opened>,
): () => Promise<Opened> {
  const opening: Promise<Opened>[] = []
  let at = 0
  return async () => {
    while (opening.length < ahead && at < items.length) {
      const opened = open(items[at++] as Item)
      opened.catch(() => undefined) // thrown to who asks for it
      opening.push(opened)
    }
    const next = opening.shift()
    if (!next) throw new Error('No item is left')
    return next
  }
}
