/** As people name a key: by its label if it has one. */
export const keyLabel = ({ label, id }: { label: string | null; id: number }): string =>
  label ?? `API key ${id}`
