import { fetchHeader } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Log } from '../log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from './block-source.ts'
import { type ChainPosition, positionAfter, publishedAt } from './chain-position.ts'
import { type EndpointView, viewEndpoints } from './endpoint-view.ts'
import { createEndpointWords, patienceMs, type Word } from './endpoint-words.ts'
import { findFork } from './find-fork.ts'
import { createHeadWatch } from './head-watch.ts'
import { createSideWarnings } from './side-warnings.ts'
import { believedOthers, type WatchedView } from './weigh-branches.ts'

/** Where to read on in view of what all endpoints say. */
export interface BranchVerdict {
  /** After the newest published block, or with `revertTo` after the newest one that is still part of the chain. */
  readonly position: ChainPosition
  /** Whether it can change only with the chain. False while endpoints are waited for. */
  readonly isSettled: boolean
}

/**
 * Tells whether what is published is still part of the chain.
 *
 * It is taken back where every endpoint that serves this client has said, by hash, whether it has the newest published
 * block, and none has it or one that would be taken back with it. One that has not said so yet is waited for, and the word
 * of one that has fallen silent holds: see `EndpointWords`. Where endpoints contradict each other the published branch
 * stands, but for what `believedOthers` tells.
 */
export interface PublishedBranch {
  /**
   * @param history Published blocks, at least one, newest first, each the parent of the one before.
   * @throws {RetryableError} no endpoint has answered for `patienceMs`.
   */
  judge(history: readonly EvmCheckpoint[], signal: AbortSignal): Promise<BranchVerdict>
  /** Says that the endpoint that is asked first has the published branch. */
  found(): void
}

export function createPublishedBranch(rpc: Rpc, log: Log): PublishedBranch {
  const warnings = createSideWarnings(log)
  const views = createEndpointWords<WatchedView>()
  const headers = createEndpointWords<RpcHeader | null>()
  const stillMs = createHeadWatch()
  let newest: string | undefined

  function forget(): void {
    views.forget()
    headers.forget()
  }

  function found(): void {
    forget()
    warnings.forget()
  }

  return {
    found,
    async judge(history, signal) {
      if (newest !== history[0]!.hash) forget()
      newest = history[0]!.hash
      const seen = [...(await viewEndpoints(rpc, history, signal))].map(([endpoint, view]) => {
        const watched = view && { ...view, stillMs: view.head ? stillMs(endpoint, view.head) : 0 }
        return [endpoint, watched] as const
      })
      const words = views.hold(newest, new Map(seen))
      // Throws where none can be reached, or none gives a usable answer.
      if (words.length === 0) await fetchHeader(rpc, history[0]!.number, signal)
      const sides = bySide(words)
      if (sides.other.length === 0) return judgeUncontradicted(sides, history)
      if (sides.unknown.length > 0) return waitForUnknown(sides, history)
      return judgeContradicted(sides, history, signal)
    },
  }

  function judgeUncontradicted({ published, behind, unknown }: ViewsBySide, history: History): BranchVerdict {
    if (published.length > 0) {
      const verdict = stands(history, published)
      if (verdict.isSettled) found()
      return verdict
    }
    const sides = { behind: names(behind), silent: unknown }
    warnings.warn(sides, { published: history[0]!.number }, 'no endpoint tells of the newest published block: waiting')
    const isStill = unknown.length === 0 && behind.every(({ stillMs }) => stillMs >= patienceMs)
    return { ...stands(history), isSettled: isStill && behind.length > 0 }
  }

  function waitForUnknown({ unknown, other, published }: ViewsBySide, history: History): BranchVerdict {
    const sides = { silent: unknown, elsewhere: names(other), published: names(published) }
    warnings.warn(sides, { newest: history[0] }, 'not all endpoints say whether the chain was reorganised: waiting')
    return stands(history)
  }

  async function judgeContradicted(
    { published, other, behind }: ViewsBySide,
    history: History,
    signal: AbortSignal,
  ): Promise<BranchVerdict> {
    const all = published.length + other.length + behind.length
    const believed = believedOthers({ holders: published, others: other, all }, patienceMs)
    if (believed.length === 0) return standsByWordOf(published, other, history)
    const from = firstUnknown(history[0]!, believed)
    const fork = await findFork(rpc, { history, from, endpoints: names(believed), words: headers, signal })
    if (fork === undefined) return waitForFork(believed, history)
    // The head of one that is behind can be a block that would be taken back: then it holds the published branch too.
    const above = behind.filter(({ head }) => isAbove(publishedAt(history, head!.number), history[fork]))
    const holders = [...published, ...above]
    const stillBelieved = believedOthers({ holders, others: believed, all }, patienceMs)
    if (stillBelieved.length === 0) return standsByWordOf(holders, other, history)
    return { position: positionAtFork(history, fork), isSettled: true }
  }

  function waitForFork(believed: readonly EndpointView[], history: History): BranchVerdict {
    const sides = { elsewhere: names(believed) }
    warnings.warn(
      sides,
      { newest: history[0] },
      'endpoints do not say up to where they have what is published: waiting',
    )
    return stands(history)
  }

  function standsByWordOf(
    holders: readonly HeardView[],
    others: readonly HeardView[],
    history: History,
  ): BranchVerdict {
    const sides = { holding: names(holders), elsewhere: names(others) }
    warnings.warn(sides, { published: history[0]!.number }, 'endpoints disagree on what is published: it stands')
    return stands(history, holders)
  }
}

type History = readonly EvmCheckpoint[]

/** @param holders Those by whose word it stands: it is settled where one of them says so now. */
function stands(history: History, holders: readonly HeardView[] = []): BranchVerdict {
  return { position: positionAfter(history[0]!, history), isSettled: holders.some(({ isSilent }) => !isSilent) }
}

/** @param fork Place in the history of the newest block that stays; its length where none does. */
function positionAtFork(history: History, fork: number): ChainPosition {
  const ancestor = history[fork]
  if (ancestor) return positionAfter(ancestor, history)
  return { next: history.at(-1)!.number, previous: undefined, revertTo: null }
}

interface HeardView extends WatchedView {
  readonly isSilent: boolean
}

type ViewsBySide = Readonly<Record<EndpointView['branch'], readonly HeardView[]>> & {
  /** Names of those that have not said on which side they are. */
  readonly unknown: readonly string[]
}

function bySide(words: readonly Word<WatchedView>[]): ViewsBySide {
  const views = words.flatMap(({ said, isSilent }) => (said ? [{ ...said, isSilent }] : []))
  const of = (branch: EndpointView['branch']) => views.filter((view) => view.branch === branch)
  const unknown = words.filter(({ said }) => said === undefined).map(({ endpoint }) => endpoint)
  return { published: of('published'), other: of('other'), behind: of('behind'), unknown }
}

function names(views: readonly EndpointView[]): readonly string[] {
  return views.map(({ endpoint }) => endpoint)
}

/** Place in the history of the first block that the head of an endpoint on another branch does not rule out. */
function firstUnknown(newest: EvmCheckpoint, others: readonly EndpointView[]): number {
  const heads = others.map(({ head, hash }) => (hash === undefined && head ? head.number : newest.number))
  return newest.number - Math.min(newest.number, Math.max(...heads)) + 1
}

function isAbove(block: EvmCheckpoint | undefined, ancestor: EvmCheckpoint | undefined): boolean {
  return block !== undefined && (ancestor === undefined || block.number > ancestor.number)
}
