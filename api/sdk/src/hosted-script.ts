/** The script of `hosted.ts`: sets `credoappsdk`, the name that pages use for the script of the hosted service. */
import { CredoAppException, CredoAppService, CredoAppServiceAsync } from './hosted.ts'

Object.assign(self, { credoappsdk: { CredoAppException, CredoAppService, CredoAppServiceAsync } })
