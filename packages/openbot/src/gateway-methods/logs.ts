import { open } from 'node:fs/promises';
import { listAgentIds } from '../config/agents.ts';
import type { Caller, MethodCall } from '../gateway-protocol/method.ts';
import { integer, maybe } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';
import { shownPath } from './sessions/session-ref.ts';

const USUAL_LINES = 500;
const MOST_LINES = 5000;
const USUAL_BYTES = 250_000;
const MOST_BYTES = 1_000_000;

const tail = gatewayMethod({
  name: 'logs.tail',
  scope: 'operator.read',
  params: {
    cursor: maybe(integer({ least: 0 })),
    limit: maybe(integer({ least: 1, most: MOST_LINES })),
    maxBytes: maybe(integer({ least: 1, most: MOST_BYTES })),
  },
  handle: async ({ cursor, limit = USUAL_LINES, maxBytes = USUAL_BYTES }, call) => {
    const { logPath } = call.services;
    if (logPath === undefined)
      throw refuse('UNAVAILABLE', 'This gateway writes no log file; it was started in the foreground');
    const { size, from, reset, text, file } = await readEnd(logPath, {
      cursor,
      maxBytes,
      former: readLast.get(call.caller),
    });
    if (file !== undefined) readLast.set(call.caller, file);
    const isCut = from > (cursor ?? 0) || reset;
    const lines = text.split('\n');
    // The first one may have begun before what was read.
    const whole = (from > 0 && cursor !== from ? lines.slice(1) : lines).filter((line) => line !== '');
    const shown = chooseLines(whole, call);
    return {
      file: shownPath(call.caller, logPath),
      cursor: size,
      size,
      lines: shown.slice(-limit),
      truncated: isCut || shown.length > limit,
      reset,
    };
  },
});

/** The file that a connection was last told of: after a rotation its cursor means nothing in the new one. */
const readLast = new WeakMap<Caller, string>();

/** What was written since the cursor, and of that no more than the last bytes. A cursor behind the end is of a former file. */
async function readEnd(
  path: string,
  {
    cursor,
    maxBytes,
    former,
  }: { readonly cursor?: number; readonly maxBytes: number; readonly former?: string },
) {
  const none = { size: 0, from: 0, reset: false, text: '', file: undefined };
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return none;
  try {
    const { size, dev, ino } = await handle.stat();
    const file = `${dev}:${ino}`;
    const reset = cursor !== undefined && (cursor > size || (former ?? file) !== file);
    const from = Math.max(0, reset ? 0 : (cursor ?? 0), size - maxBytes);
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return { size, from, reset, text: bytes.toString('utf8', 0, bytesRead), file };
  } finally {
    await handle.close();
  }
}

/** A caller for some agents is shown the lines with a session of theirs, and of these none that names another agent. */
function chooseLines(
  lines: readonly string[],
  { caller, services }: MethodCall<GatewayServices>,
): readonly string[] {
  if (caller.agentIds === undefined) return lines;
  const all = listAgentIds(services.config, services.stateDir);
  const others = all.filter((id) => !mayReach(caller, id)).map(nameOf);
  // An agent that is not configured any more may still be named.
  const keys = /\bagent:([a-z0-9_-]+):/gi;
  return lines.filter((line) => {
    const named = [...line.matchAll(keys)].map(([, id]) => id!.toLowerCase());
    return (
      named.length > 0 && named.every((id) => mayReach(caller, id)) && !others.some((name) => name.test(line))
    );
  });
}

function nameOf(agentId: string): RegExp {
  return new RegExp(`(?<![\\w-])${agentId}(?![\\w-])`, 'i');
}

export const LOG_METHODS = [tail];
