import type { OpenBotError } from '@openbot/sessions';
import type { SearchScope } from '../storage/contract/found-session.ts';

/** An index or a database that could not be read, so that the search went on without it. */
export interface SearchWarning {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * A place whose warnings are kept, each once.
 * @param tell called as each comes
 */
export function keepWarnings(
  scope: SearchScope,
  tell?: (warning: SearchWarning) => void,
): { scope: SearchScope; warnings: readonly SearchWarning[] } {
  const warnings: SearchWarning[] = [];
  const warn = ({ code, message, hint }: OpenBotError) => {
    if (warnings.some((known) => known.message === message)) return;
    const warning = hint === undefined ? { code, message } : { code, message, hint };
    warnings.push(warning);
    tell?.(warning);
  };
  return { scope: { ...scope, warn }, warnings };
}

/** A result with what the search could not read. */
export function withWarnings<Result extends object>(
  result: Result,
  warnings: readonly SearchWarning[],
): Result & { warnings?: readonly SearchWarning[] } {
  return warnings.length === 0 ? result : { ...result, warnings };
}
