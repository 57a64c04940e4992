import { PasswordInput, type PasswordInputProps, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { MIN_PASSWORD_LENGTH } from '../../account/account-schemas.ts'
import { PASSWORD_STRENGTH_LABELS } from './labels.ts'
import { estimateStrength, type PasswordStrength } from './password-strength.ts'

const LEVELS: Readonly<Record<PasswordStrength, { percent: number; color: string }>> = {
  short: { percent: 10, color: 'red' },
  weak: { percent: 33, color: 'orange' },
  fair: { percent: 66, color: 'yellow' },
  strong: { percent: 100, color: 'teal' },
}

/** Input for a new password, with its strength. @see NewPassword in account-schemas.ts */
export function NewPasswordInput({ onChange, ...props }: PasswordInputProps) {
  const [password, setPassword] = useState('')
  const strength = estimateStrength(password)
  const { percent, color } = LEVELS[strength]
  return (
    <Stack gap={6}>
      <PasswordInput
        label="New password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters. Use a passphrase.`}
        required
        autoComplete="new-password"
        onChange={(event) => {
          setPassword(event.currentTarget.value)
          onChange?.(event)
        }}
        {...props}
      />
      {password !== '' && (
        <>
          <Progress value={percent} color={color} size="sm" aria-hidden />
          <Text size="xs" c="dimmed" role="status">
            Strength: {PASSWORD_STRENGTH_LABELS[strength]}
          </Text>
        </>
      )}
    </Stack>
  )
}
