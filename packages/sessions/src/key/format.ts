import { MAX_SESSION_KEY_LENGTH, refuseKey, showKey } from './key-text.ts';
import { parseSessionKey } from './parse.ts';
import type { ParsedSessionKey } from './parsed-key.ts';
import {
  CRON_JOB_OF_RUN_POSITION,
  CRON_JOB_POSITION,
  CRON_RUN_POSITION,
  PEER_POSITION,
  quoteId,
  THREAD_POSITION,
} from './quote-id.ts';

/**
 * Writes the key of which these are the parts. Throws INVALID_SESSION_KEY when the result would not be read back as the
 * same parts, so that two conversations never share an address.
 */
export function formatSessionKey(parts: ParsedSessionKey): string {
  const key = writeKey(parts);
  if (key.length > MAX_SESSION_KEY_LENGTH) {
    throw refuseKey(
      `${showKey(key)} has ${key.length} characters, and a session key at most ${MAX_SESSION_KEY_LENGTH}`,
      'Shorten the id: a capital takes three characters of a key, and one beyond ASCII three for each byte.',
    );
  }
  const mainKey = mainKeyWithin(parts);
  const read = parseSessionKey(key, { mainKey });
  if (!read || !sameParts(read, parts) || (mainKey !== undefined && !canBeMainKey(mainKey))) {
    throw refuseKey(
      `${showKey(key)} would not be read back as the ${parts.kind} session that it was built for`,
      'Agents, channels, accounts and main keys are one lower-case word each, and none of dm, direct, group, channel, thread, topic, subagent, cron, hook, clone.',
    );
  }
  return key;
}

function writeKey(parts: ParsedSessionKey): string {
  switch (parts.kind) {
    case 'global':
    case 'unknown':
      return parts.kind;
    case 'main':
      return `agent:${parts.agentId}:${parts.mainKey}`;
    case 'thread':
      return `${parts.parentKey}:${parts.marker}:${quoteId(parts.threadId, THREAD_POSITION)}`;
    case 'subagent':
      return `agent:${parts.agentId}:subagent:${quoteId(parts.name, PEER_POSITION)}`;
    case 'hook':
      return `agent:${parts.agentId}:hook:${quoteId(parts.hookId, PEER_POSITION)}`;
    case 'clone':
      return `agent:${parts.agentId}:clone:${quoteId(parts.cloneId, PEER_POSITION)}`;
    case 'cron': {
      const cron = `agent:${parts.agentId}:cron`;
      if (parts.runId === undefined) return `${cron}:${quoteId(parts.jobId, CRON_JOB_POSITION)}`;
      const job = quoteId(parts.jobId, CRON_JOB_OF_RUN_POSITION);
      return `${cron}:${job}:run:${quoteId(parts.runId, CRON_RUN_POSITION)}`;
    }
    case 'direct':
      return joinPeer(parts, parts.spelling === 'bare' ? [] : [parts.spelling]);
    case 'group':
    case 'channel':
      return joinPeer(parts, [parts.kind]);
    case 'other':
      return `agent:${parts.agentId}:${parts.rest}`;
  }
}

function joinPeer(
  parts: { agentId: string; channel?: string; accountId?: string; peerId: string },
  peerKind: string[],
): string {
  const place = [parts.channel, parts.accountId].filter((part) => part !== undefined);
  return ['agent', parts.agentId, ...place, ...peerKind, quoteId(parts.peerId, PEER_POSITION)].join(':');
}

function mainKeyWithin(parts: ParsedSessionKey): string | undefined {
  if (parts.kind === 'thread') return mainKeyWithin(parts.parent);
  return parts.kind === 'main' ? parts.mainKey : undefined;
}

/** A main key that would be read as another form if the setting were forgotten is refused. */
function canBeMainKey(mainKey: string): boolean {
  const read = parseSessionKey(`agent:main:${mainKey}`);
  return read?.kind === 'main' || (read?.kind === 'direct' && read.spelling === 'bare');
}

function sameParts(left: ParsedSessionKey, right: ParsedSessionKey): boolean {
  const parts = (of: ParsedSessionKey) =>
    Object.entries(of).filter(([name, value]) => name !== 'parent' && value !== undefined);
  const others = new Map<string, unknown>(parts(right));
  const mine = parts(left);
  return mine.length === others.size && mine.every(([name, value]) => others.get(name) === value);
}
