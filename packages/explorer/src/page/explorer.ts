import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { createRouter, type Router } from './route/route.ts'
import { createService, type Service } from './service/service.ts'
import { createSession, type Session } from './session/session.ts'
import { createTheme, type Theme } from './theme/theme.ts'
import { type Clock, createClock } from './time/clock.ts'

/** What the views share. */
export interface Explorer {
  readonly session: Session
  readonly service: Service
  readonly router: Router
  readonly theme: Theme
  readonly clock: Clock
}

export function createExplorer(window: Window & typeof globalThis): Explorer {
  // Before the router, because it takes the token out of the address.
  const session = createSession(window)
  return {
    session,
    service: createService(window.location.origin, session),
    router: createRouter(window),
    theme: createTheme(window),
    clock: createClock(window.document),
  }
}

export const ExplorerContext = createContext<Explorer | undefined>(undefined)

export function useExplorer(): Explorer {
  return useContext(ExplorerContext)!
}
