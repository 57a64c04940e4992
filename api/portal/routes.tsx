import type { ComponentType } from 'react'
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router'
import { RequireSignIn } from './client/session.tsx'
import { PageError } from './shell/page-error.tsx'
import { RequireAdmin } from './shell/require-admin.tsx'
import { RequireFactor } from './shell/require-factor.tsx'

/** A page whose code is loaded on its first visit. */
const page = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
})

/** All pages of the portal. */
export const router = createBrowserRouter([
  {
    errorElement: <PageError />,
    hydrateFallbackElement: <></>,
    children: [
      page('/login', async () => (await import('./pages/sign-in/sign-in-page.tsx')).SignInPage),
      page('/confirmed', async () => (await import('./pages/confirmed/confirmed-page.tsx')).ConfirmedPage),
      page(
        '/invitation',
        async () => (await import('./pages/invitation/invitation-page.tsx')).InvitationPage,
      ),
      {
        element: <RequireSignIn />,
        children: [
          {
            element: <RequireFactor />,
            children: [
              {
                // separate from the sign-in page, which needs little of its code
                lazy: async () => ({ Component: (await import('./shell/layout.tsx')).Layout }),
                errorElement: <PageError />,
                children: [
                  { path: '/', element: <Navigate to="/datasets" replace /> },
                  page(
                    '/datasets',
                    async () => (await import('./pages/datasets/datasets-page.tsx')).DatasetsPage,
                  ),
                  page(
                    '/datasets/:referenceNumber',
                    async () => (await import('./pages/insight/insight-page.tsx')).InsightPage,
                  ),
                  page(
                    '/test',
                    async () => (await import('./pages/test-mode/test-mode-page.tsx')).TestModePage,
                  ),
                  page('/start', async () => (await import('./pages/start/start-page.tsx')).StartPage),
                  page(
                    '/start/browser',
                    async () => (await import('./pages/start/browser-start-page.tsx')).BrowserStartPage,
                  ),
                  page(
                    '/account',
                    async () => (await import('./pages/account/account-page.tsx')).AccountPage,
                  ),
                  page(
                    '/scorecards',
                    async () => (await import('./pages/scorecards/scorecards-page.tsx')).ScorecardsPage,
                  ),
                  page(
                    '/scorecards/:code/:version',
                    async () => (await import('./pages/scorecards/version-page.tsx')).VersionPage,
                  ),
                  page(
                    '/pipeline',
                    async () => (await import('./pages/pipeline/pipeline-page.tsx')).PipelinePage,
                  ),
                  {
                    element: <RequireAdmin />,
                    children: [
                      page('/users', async () => (await import('./pages/users/users-page.tsx')).UsersPage),
                      page(
                        '/security',
                        async () => (await import('./pages/security/security-page.tsx')).SecurityPage,
                      ),
                      page('/keys', async () => (await import('./pages/keys/keys-page.tsx')).KeysPage),
                      page(
                        '/keys/site',
                        async () => (await import('./pages/site-keys/site-keys-page.tsx')).SiteKeysPage,
                      ),
                      page(
                        '/keys/webhooks',
                        async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
                      ),
                      page(
                        '/keys/limits',
                        async () => (await import('./pages/limits/limits-page.tsx')).LimitsPage,
                      ),
                      page(
                        '/privacy',
                        async () => (await import('./pages/privacy/privacy-page.tsx')).PrivacyPage,
                      ),
                      page('/audit', async () => (await import('./pages/audit/audit-page.tsx')).AuditPage),
                      page(
                        '/scorecards/upload',
                        async () => (await import('./pages/scorecards/upload-page.tsx')).UploadPage,
                      ),
                    ],
                  },
                  page('*', async () => (await import('./pages/not-found/not-found-page.tsx')).NotFoundPage),
                ],
              },
            ],
          },
        ],
      },
    ],
  },
])
