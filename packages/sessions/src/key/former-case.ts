/** Keys from before ids kept their case in them: `ME` and `me` had one. */
import { foldIdCase } from './channel-names.ts';
import { formatSessionKey } from './format.ts';
import { parseSessionKey } from './parse.ts';
import type { ParsedAgentKey } from './parsed-key.ts';
import { readAddressId } from './person-entry.ts';

/** What an entry says of the sender that it had last. */
export interface RecordedSender {
  readonly provider?: string;
  /** `webhook:ME`, `webhook:group:Crew` */
  readonly from?: string;
  readonly threadId?: string | number;
}

/** The key under which the session of these ids was kept. */
export function readFormerKey(sessionKey: string): string {
  return respell(sessionKey, loosen, loosen);
}

/** The key that the recorded sender has now, if the former key is one that it had. Else the former key. */
export function readOwnKey(formerKey: string, { provider, from, threadId }: RecordedSender): string {
  const id = readSenderId({ provider, from });
  const exact = (recorded: string | number | undefined) => (former: string) => {
    const kept = recorded === undefined ? former : foldIdCase(provider, String(recorded));
    return loosen(kept) === former ? kept : former;
  };
  return respell(formerKey, exact(id), exact(threadId));
}

/** Whether the former key is that of the sender, so that others whose ids differ by case or spaces had it too. */
export function isFormerKeyOf(key: string, sender: RecordedSender): boolean {
  const id = loosen(readSenderId(sender) ?? '');
  let isOf = false;
  respell(
    key,
    (peerId) => {
      isOf ||= id !== '' && peerId === id;
      return peerId;
    },
    (threadId) => threadId,
  );
  return isOf;
}

export function readSenderId({ provider = '', from }: RecordedSender): string | undefined {
  return readAddressId(from, [provider])
    ?.replace(/^(?:group|channel):/, '')
    .replace(/:topic:.*$/s, '');
}

function respell(key: string, peerOf: (id: string) => string, threadOf: (id: string) => string): string {
  const write = (parsed: ParsedAgentKey): ParsedAgentKey => {
    if (parsed.kind === 'thread') {
      const parent = write(parsed.parent);
      return {
        ...parsed,
        parent,
        parentKey: formatSessionKey(parent),
        threadId: threadOf(parsed.threadId),
      };
    }
    return 'peerId' in parsed ? { ...parsed, peerId: peerOf(parsed.peerId) } : parsed;
  };
  const parsed = parseSessionKey(key);
  if (!parsed || parsed.kind === 'global' || parsed.kind === 'unknown') return key;
  return formatSessionKey(write(parsed));
}

function loosen(id: string): string {
  return id.trim().toLowerCase();
}
