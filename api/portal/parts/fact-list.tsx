import type { ReactNode } from 'react'
import styles from './fact-list.module.css'

interface Fact {
  readonly name: string
  readonly value: ReactNode
}

/** A list of names and values. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.list}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
