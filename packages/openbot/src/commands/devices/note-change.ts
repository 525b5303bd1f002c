import { openAuditLog } from '../../gateway/audit-log.ts';
import { findGateway } from '../../gateway-process/find-gateway.ts';

/** A gateway that runs notices the change by itself. Without one it would be in no audit log. */
export async function noteChange(
  stateDir: string,
  what: 'device.approved' | 'device.revoked',
  about: Readonly<Record<string, string>>,
  warn: (line: string) => void,
): Promise<void> {
  if (findGateway(stateDir) !== undefined) return;
  const audit = openAuditLog(stateDir, { now: Date.now, log: warn });
  audit.note(what, about);
  await audit.close();
}
