import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** Where people set a password, with what is asked of it. @see NewPassword in account-schemas.ts */
export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="New password"
    description="At least 10 characters; a few words are good"
    required
    autoComplete="new-password"
    {...props}
  />
)
