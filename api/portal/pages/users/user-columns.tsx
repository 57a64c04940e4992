import { ActionIcon, Badge, Group, Menu, Stack, Text, VisuallyHidden } from '@mantine/core'
import {
  IconCircleCheck,
  IconCircleOff,
  IconDeviceMobileOff,
  IconDots,
  IconLink,
  IconMail,
  IconShield,
  IconTrash,
  IconUser,
} from '@tabler/icons-react'
import { USER_ROLE_LABELS } from '../../parts/labels.ts'
import type { RecordColumns } from '../../parts/record-table.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import type { User, UserChange } from './user-types.ts'

const STATUSES = {
  active: { label: 'Active', color: 'teal', icon: IconCircleCheck },
  invited: { label: 'Invited', color: 'blue', icon: IconMail },
  disabled: { label: 'Disabled', color: 'gray', icon: IconCircleOff },
} as const

/** @param ownId of the signed-in user. */
export const userColumns = (ownId: number, request: (change: UserChange) => void): RecordColumns<User> => [
  {
    id: 'user',
    header: 'User',
    cell: ({ row: { original } }) => (
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {original.userEmail}
        {original.id === ownId && (
          <Text span size="xs" c="dimmed">
            {' '}
            (you)
          </Text>
        )}
      </Text>
    ),
  },
  { id: 'role', header: 'Role', cell: ({ row }) => USER_ROLE_LABELS[row.original.role] },
  { id: 'status', header: 'Status', cell: ({ row }) => <UserStatus user={row.original} /> },
  {
    id: 'lastLogin',
    header: 'Last sign-in',
    cell: ({ row: { original } }) =>
      original.lastLoginAt === null ? (
        <Text size="sm" c="dimmed">
          Never
        </Text>
      ) : (
        <TimeText at={original.lastLoginAt} since />
      ),
  },
  {
    id: 'actions',
    header: () => <VisuallyHidden>Actions</VisuallyHidden>,
    cell: ({ row: { original } }) => (
      <Group justify="flex-end">
        <UserActions user={original} isSelf={original.id === ownId} request={request} />
      </Group>
    ),
  },
]

function UserStatus({ user }: { user: User }) {
  const { label, color, icon: Icon } = STATUSES[user.state]
  return (
    <Stack gap={2} align="flex-start">
      <Badge
        variant="light"
        color={color}
        tt="none"
        fw={600}
        miw="max-content"
        leftSection={<Icon size={13} aria-hidden />}
      >
        {label}
      </Badge>
      {user.state === 'invited' && user.linkExpiresAt === null && (
        <Text size="xs" c="dimmed">
          Link expired
        </Text>
      )}
    </Stack>
  )
}

function UserActions({
  user,
  isSelf,
  request,
}: {
  user: User
  isSelf: boolean
  request: (change: UserChange) => void
}) {
  const other = user.role === 'admin' ? 'analyst' : 'admin'
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.userEmail}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={
            other === 'admin' ? <IconShield size={16} aria-hidden /> : <IconUser size={16} aria-hidden />
          }
          onClick={() => request({ kind: 'role', role: other, user })}
        >
          Make {other === 'admin' ? 'an admin' : 'an analyst'}
        </Menu.Item>
        {user.state !== 'disabled' && (
          <Menu.Item
            leftSection={<IconLink size={16} aria-hidden />}
            onClick={() => request({ kind: 'link', user })}
          >
            {user.state === 'invited' ? 'New invitation link' : 'Reset password'}
          </Menu.Item>
        )}
        {user.state !== 'invited' && (
          <Menu.Item
            leftSection={<IconDeviceMobileOff size={16} aria-hidden />}
            onClick={() => request({ kind: 'factors', user })}
          >
            Reset second factors
          </Menu.Item>
        )}
        <Menu.Divider />
        {user.state === 'disabled' ? (
          <Menu.Item
            leftSection={<IconCircleCheck size={16} aria-hidden />}
            onClick={() => request({ kind: 'enable', user })}
          >
            Enable
          </Menu.Item>
        ) : (
          <Menu.Item
            c="var(--mantine-color-error)"
            disabled={isSelf}
            leftSection={<IconCircleOff size={16} aria-hidden />}
            onClick={() => request({ kind: 'disable', user })}
          >
            Disable
          </Menu.Item>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          disabled={isSelf}
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => request({ kind: 'delete', user })}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
