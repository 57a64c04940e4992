import { FactList } from '../../parts/fact-list.tsx'
import { countText } from '../../parts/formats.ts'
import { SITE_KEY_LEVEL_LABELS } from '../../parts/labels.ts'
import type { Dataset } from './insight-types.ts'
import { Section } from './section.tsx'

const LEVEL_TEXTS: Readonly<Record<NonNullable<Dataset['collection']>['level'], string>> = {
  open: 'the page gave the reference number, which proves nothing',
  claimed: 'your backend claimed the collection afterwards',
  verified: 'your backend gave the page a token before',
}

/** How a browser collected the dataset. */
export function CollectionSection({ collection }: { collection: NonNullable<Dataset['collection']> }) {
  const { level, origin, segments, ended } = collection
  return (
    <Section title="Collection">
      <FactList
        facts={[
          { name: 'Level', value: `${SITE_KEY_LEVEL_LABELS[level]}: ${LEVEL_TEXTS[level]}` },
          { name: 'Page', value: origin },
          { name: 'Segments', value: countText(segments) },
          {
            name: 'Ended',
            value:
              ended === 'complete'
                ? 'Completed by the page'
                : 'Abandoned: the browser sent nothing for 30 minutes',
          },
        ]}
      />
    </Section>
  )
}
