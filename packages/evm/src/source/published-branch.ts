import { setTimeout as delay } from 'node:timers/promises'
import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint, Log } from './block-source.ts'
import { type ChainPosition, positionAfter, publishedAt } from './chain-position.ts'
import { createEndpointAnswers, patienceMs, type RememberedAnswer } from './endpoint-answers.ts'
import { createHeadWatch, type EndpointView, viewEndpoints } from './endpoint-view.ts'
import { findFirst } from './find-first.ts'
import { createSideWarnings, type Sides } from './side-warnings.ts'
import { acceptedOthers } from './weigh-branches.ts'

export interface BranchVerdict {
  /** After the newest published block, or with `revertTo` after the newest one that is canonical. */
  readonly position: ChainPosition
  /** False while answers of endpoints are awaited. */
  readonly isSettled: boolean
}

/**
 * The published blocks are reverted once every endpoint has answered, by hash, and none has the newest one or another
 * that would be reverted. If endpoints contradict each other, `acceptedOthers` decides.
 */
export interface PublishedBranch {
  /**
   * @param history Not empty, newest first.
   * @throws {RetryableError} no endpoint has answered for `patienceMs`.
   */
  judge(history: readonly EvmCheckpoint[], signal: AbortSignal): Promise<BranchVerdict>
  confirm(): void
}

const mostAttempts = 6
const firstPauseMs = 100

export function createPublishedBranch(rpc: Rpc, log: Log): PublishedBranch {
  const warnings = createSideWarnings(log)
  const views = createEndpointAnswers<EndpointView>()
  const headers = createEndpointAnswers<RpcHeader | null>()
  const unchangedMs = createHeadWatch()
  let newest: string | undefined

  function clear(): void {
    views.clear()
    headers.clear()
  }

  function confirm(): void {
    clear()
    warnings.reset()
  }

  return {
    confirm,
    async judge(history, signal) {
      if (newest !== history[0]!.hash) clear()
      newest = history[0]!.hash
      const remembered = views.update(newest, await viewEndpoints(rpc, history, unchangedMs, signal))
      // Throws if no endpoint gives a valid answer.
      if (remembered.length === 0) await fetchHeader(rpc, history[0]!.number, signal)
      const sides = bySide(remembered)
      if (sides.other.length === 0) return judgeUncontradicted(sides, history)
      if (sides.unknown.length > 0) {
        const named = { silent: sides.unknown, elsewhere: names(sides.other), published: names(sides.published) }
        return wait(named, 'not all endpoints report whether the chain was reorganised: waiting', history)
      }
      return judgeContradicted(sides, history, signal)
    },
  }

  function judgeUncontradicted({ published, behind, unknown }: ViewsBySide, history: History): BranchVerdict {
    if (published.length > 0) {
      const verdict = keepPublished(history, published)
      if (verdict.isSettled) confirm()
      return verdict
    }
    const sides = { behind: names(behind), silent: unknown }
    warnings.warn(sides, { published: history[0]!.number }, 'no endpoint has the newest published block: waiting')
    const haveStopped = unknown.length === 0 && behind.every(({ unchangedMs }) => unchangedMs >= patienceMs)
    return { ...keepPublished(history), isSettled: haveStopped && behind.length > 0 }
  }

  async function judgeContradicted(
    { published, other, behind }: ViewsBySide,
    history: History,
    signal: AbortSignal,
  ): Promise<BranchVerdict> {
    const all = published.length + other.length + behind.length
    const accepted = acceptedOthers(published, other, all)
    if (accepted.length === 0) return keepDisputed(published, other, history)
    const from = firstUnknown(history[0]!, accepted)
    const fork = await findFirst(from, history.length, (index) => hasBlock(names(accepted), history[index]!, signal))
    if (fork === undefined) {
      const sides = { elsewhere: names(accepted) }
      return wait(sides, 'endpoints do not report which published blocks they have: waiting', history)
    }
    // An endpoint that is behind holds the branch if its head is a block that would be reverted.
    const above = behind.filter(({ head }) => isAbove(publishedAt(history, head!.number), history[fork]))
    const holders = [...published, ...above]
    const stillAccepted = acceptedOthers(holders, accepted, all)
    if (stillAccepted.length === 0) return keepDisputed(holders, other, history)
    return { position: positionAtFork(history, fork), isSettled: true }
  }

  /** By hash, whether one of the endpoints has a block. `undefined`: not all have answered. */
  async function hasBlock(
    endpoints: readonly string[],
    { number, hash }: EvmCheckpoint,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    for (let attempt = 1; ; attempt++) {
      const found = headers
        .update(`${number}`, await fetchHeaderOfEach(rpc, number, signal))
        .filter(({ endpoint }) => endpoints.includes(endpoint))
        .map(({ answer }) => answer)
      if (found.some((header) => header?.hash === hash)) return true
      if (!found.includes(undefined)) return found.some((header) => header) ? false : undefined
      if (attempt === mostAttempts) return undefined
      await delay(firstPauseMs * 2 ** (attempt - 1), undefined, { signal })
    }
  }

  function wait(sides: Sides, message: string, history: History): BranchVerdict {
    warnings.warn(sides, { newest: history[0] }, message)
    return keepPublished(history)
  }

  function keepDisputed(
    holders: readonly RememberedView[],
    others: readonly RememberedView[],
    history: History,
  ): BranchVerdict {
    const sides = { holding: names(holders), elsewhere: names(others) }
    warnings.warn(sides, { published: history[0]!.number }, 'endpoints disagree on the published blocks: keeping them')
    return keepPublished(history, holders)
  }
}

type History = readonly EvmCheckpoint[]

/** Settled if an endpoint with the published branch answers now. */
function keepPublished(history: History, holders: readonly RememberedView[] = []): BranchVerdict {
  return { position: positionAfter(history[0]!, history), isSettled: holders.some(({ isSilent }) => !isSilent) }
}

/** `fork`: index in the history, or its length. */
function positionAtFork(history: History, fork: number): ChainPosition {
  const ancestor = history[fork]
  if (ancestor) return positionAfter(ancestor, history)
  return { next: history.at(-1)!.number, previous: undefined, revertTo: null }
}

interface RememberedView extends EndpointView {
  readonly isSilent: boolean
}

type ViewsBySide = Readonly<Record<EndpointView['branch'], readonly RememberedView[]>> & {
  /** Endpoints that have not answered. */
  readonly unknown: readonly string[]
}

function bySide(remembered: readonly RememberedAnswer<EndpointView>[]): ViewsBySide {
  const views = remembered.flatMap(({ answer, isSilent }) => (answer ? [{ ...answer, isSilent }] : []))
  const of = (branch: EndpointView['branch']) => views.filter((view) => view.branch === branch)
  const unknown = remembered.filter(({ answer }) => answer === undefined).map(({ endpoint }) => endpoint)
  return { published: of('published'), other: of('other'), behind: of('behind'), unknown }
}

function names(views: readonly EndpointView[]): readonly string[] {
  return views.map(({ endpoint }) => endpoint)
}

/** The first index in the history that the heads of `others` do not rule out. */
function firstUnknown(newest: EvmCheckpoint, others: readonly EndpointView[]): number {
  const heads = others.map(({ head, hash }) => (hash === undefined && head ? head.number : newest.number))
  return newest.number - Math.min(newest.number, Math.max(...heads)) + 1
}

function isAbove(block: EvmCheckpoint | undefined, ancestor: EvmCheckpoint | undefined): boolean {
  return block !== undefined && (ancestor === undefined || block.number > ancestor.number)
}
