import type { ReactNode } from 'react'
import { useUser } from '../client/session.tsx'

/** Shows actions to admins only. The API refuses them to others in any case. */
export const AdminOnly = ({ children }: { children: ReactNode }) =>
  useUser().role === 'admin' ? children : null
