/** A dataset's primary key. */
export interface DatasetKey {
  readonly subscriptionId: number
  readonly id: number
}

/** The key as a text, for maps and sets. */
export const nameOf = ({ subscriptionId, id }: DatasetKey): string => `${subscriptionId} ${id}`
