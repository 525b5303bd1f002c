/** The transcript lock as OpenClaw's file era writes it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

export function takeLock(transcript) {
  const lock = `${transcript}.lock`;
  writeFileSync(lock, JSON.stringify(describeLock(process.pid)), { flag: 'wx', mode: 0o600 });
  return () => rmSync(lock);
}

export function describeLock(pid) {
  const record = { pid, createdAt: new Date().toISOString(), maxHoldMs: 300_000 };
  if (process.platform !== 'linux') return record;
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return { ...record, starttime: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) };
}
