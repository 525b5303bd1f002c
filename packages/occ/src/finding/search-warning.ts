import type { OpenBotError } from '@openbot/sessions';
import type { SearchScope } from '../storage/contract/found-session.ts';

/** An index or a database that could not be read, so that the search went on without it. */
export interface SearchWarning {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * A scope for one command: it collects the warnings of the search, each once, and what was resolved for it.
 * @param report called with each warning
 */
export function openScope(
  scope: SearchScope,
  report?: (warning: SearchWarning) => void,
): { scope: SearchScope; warnings: readonly SearchWarning[] } {
  const warnings: SearchWarning[] = [];
  const warn = ({ code, message, hint }: OpenBotError) => {
    if (warnings.some((known) => known.message === message)) return;
    const warning = hint === undefined ? { code, message } : { code, message, hint };
    warnings.push(warning);
    report?.(warning);
  };
  return { scope: { ...scope, warn, layouts: new Map() }, warnings };
}

/** A result with the warnings of the search, if there are any. */
export function withWarnings<Result extends object>(
  result: Result,
  warnings: readonly SearchWarning[],
): Result & { warnings?: readonly SearchWarning[] } {
  return warnings.length === 0 ? result : { ...result, warnings };
}
