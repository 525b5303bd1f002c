import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line without anything to do: blank, a heading, an item without words. */
const NOTHING = /^\s*(?:#+(?:\s.*)?|[-*+]\s*(?:\[[ xX]?\]\s*)?)?$/;

/**
 * Whether the workspace has a HEARTBEAT.md that asks for nothing; no model is called then. Without the file the agent
 * decides itself what to look at, as in OpenClaw.
 */
export function isChecklistEmpty(workspaceDir: string): boolean {
  try {
    const text = readFileSync(join(workspaceDir, 'HEARTBEAT.md'), 'utf8').replace(/^\uFEFF/, '');
    return text.split(/\r\n?|\n/).every((line) => NOTHING.test(line));
  } catch {
    return false;
  }
}
