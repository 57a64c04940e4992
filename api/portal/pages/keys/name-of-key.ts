/** As people name a key: by its label if it has one. */
export const nameOfKey = ({ label, id }: { label: string | null; id: number }): string =>
  label ?? `API key ${id}`
