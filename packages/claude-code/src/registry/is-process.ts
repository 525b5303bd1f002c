import type { ProcessIdentity } from '@openbot/sessions/disk';

/** Whether a file names a process. */
export function isProcess(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host } = value as Record<string, unknown>;
  return Number.isInteger(pid) && Number(pid) > 0 && typeof host === 'string';
}
