import { LONGEST_TIMER_MS } from '../project-status/time-limit.ts';
import type {
  PermissionAnswer,
  PermissionRequest,
  PermissionSettlement,
} from '../run-contract/permission.ts';
import { callListener } from './event-source.ts';

interface PermissionRelayOptions {
  readonly timeoutMs: number;
  readonly onAsked: (request: PermissionRequest) => void;
  readonly onSettled: (requestId: string, settlement: PermissionSettlement) => void;
}

/** Passes permission requests to the listeners, and returns the first answer. Without an answer the request is denied. */
export class PermissionRelay {
  readonly #options: PermissionRelayOptions;
  readonly #listeners = new Set<(request: PermissionRequest) => void>();
  readonly #open = new Map<string, (answer: PermissionAnswer, how: PermissionSettlement) => void>();

  constructor(options: PermissionRelayOptions) {
    this.#options = options;
  }

  listen(listener: (request: PermissionRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Always resolves with an answer. `signal` withdraws the request. */
  ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const { requestId } = request;
    if (this.#open.has(requestId)) return Promise.resolve(deny('This question is already open.'));
    return new Promise((resolve) => {
      const { timeoutMs, onAsked, onSettled } = this.#options;
      const settle = (answer: PermissionAnswer, how: PermissionSettlement) => {
        if (this.#open.get(requestId) !== settle) return;
        this.#open.delete(requestId);
        clearTimeout(timer);
        signal.removeEventListener('abort', withdraw);
        onSettled(requestId, how);
        resolve(answer);
      };
      const withdraw = () => settle(deny('The run was ended.'), 'withdrawn');
      const timer = setTimeout(
        () => settle(deny('No answer arrived in time, so it is not allowed.'), 'timed-out'),
        Math.min(timeoutMs, LONGEST_TIMER_MS),
      );
      this.#open.set(requestId, settle);
      onAsked(request);
      if (signal.aborted) return withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      this.#notify(request, () =>
        settle(deny('No one can allow it now. Continue without it.'), 'nobody-listens'),
      );
    });
  }

  /** False if the request is not open: answered, over, or unknown. */
  respond(requestId: string, answer: PermissionAnswer): boolean {
    const settle = this.#open.get(requestId);
    settle?.(answer, answer.behavior === 'allow' ? 'allowed' : 'denied');
    return settle !== undefined;
  }

  /** @param onNoListener called without listeners, or when all of them have failed: a listener that fails cannot answer */
  #notify(request: PermissionRequest, onNoListener: () => void): void {
    const listeners = [...this.#listeners];
    let taking = listeners.length;
    if (taking === 0) onNoListener();
    const giveUp = () => {
      if (--taking === 0) onNoListener();
    };
    for (const listener of listeners) callListener(listener, request, giveUp);
  }
}

function deny(message: string): PermissionAnswer {
  return { behavior: 'deny', message };
}
