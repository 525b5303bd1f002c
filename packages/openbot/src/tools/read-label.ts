import { parseSessionLabel } from '@openbot/sessions';
import { toolFailure } from './contract.ts';

/** The label that a model gives a session; blank means none. */
export function readLabel(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || raw.trim() === '') return undefined;
  const parsed = parseSessionLabel(raw);
  if (!parsed.ok) throw toolFailure(`The label cannot be used: ${parsed.error}.`);
  return parsed.label;
}
