/** The label of a key; its number if it has none. */
export const keyLabel = ({ label, id }: { label: string | null; id: number }): string =>
  label ?? `API key ${id}`
