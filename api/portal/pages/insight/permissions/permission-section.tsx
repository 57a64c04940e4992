import { Text, ThemeIcon, Title, Tooltip } from '@mantine/core'
import type { PermissionItem } from '../insight-types.ts'
import { Section } from '../section.tsx'
import { groupPermissions, permissionName } from './permission-groups.ts'
import styles from './permission-section.module.css'
import { PERMISSION_STATES, type PermissionState, stateOf } from './permission-states.ts'

/** The app's permissions on the device, by group. */
export function PermissionSection({ title, items }: { title: string; items: readonly PermissionItem[] }) {
  return (
    <Section title={title} description="Permissions of the app on the device.">
      <ul className={styles.legend} aria-label="Legend">
        {PERMISSION_STATES.map((state) => (
          <li key={state.state}>
            <StateMark state={state} />
            <div>
              <Text size="sm" fw={600} className="tabular">
                {state.label} {items.filter((item) => stateOf(item) === state).length}
              </Text>
              <Text size="xs" c="dimmed">
                {state.meaning}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      <div className={styles.groups}>
        {groupPermissions(items).map(({ name, items: ofGroup }) => (
          <div key={name} className={styles.group}>
            <Title order={3} size="h5" mb={6}>
              {name}
            </Title>
            <ul>
              {ofGroup.map((item) => (
                <PermissionRow key={item.permission} item={item} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Section>
  )
}

function PermissionRow({ item }: { item: PermissionItem }) {
  const state = stateOf(item)
  return (
    <li data-permission={item.permission} data-state={state.state}>
      <StateMark state={state} />
      <Tooltip label={item.permission} position="top-start">
        <Text size="sm" truncate="end">
          {permissionName(item.permission)}
        </Text>
      </Tooltip>
      <Text size="xs" c="dimmed" className={styles.word}>
        {state.label}
      </Text>
    </li>
  )
}

const StateMark = ({ state: { color, icon: Icon } }: { state: PermissionState }) => (
  <ThemeIcon variant="light" color={color} size={22} radius="xl" aria-hidden>
    <Icon size={14} stroke={2.4} />
  </ThemeIcon>
)
