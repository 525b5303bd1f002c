import { isChannelName } from './channel-names.ts';
import { readKeyPart } from './key-text.ts';

/** A person's name, and the ids that are theirs: `42`, or `telegram:42` where other channels use the same id for other people. */
export type IdentityLinks = Record<string, readonly (string | number)[]>;

/** The name under which this peer is known on every channel, in lower case; null when no link names the id. */
export function resolveLinkedPeerId(params: {
  identityLinks?: IdentityLinks | null;
  channel?: string | null;
  peerId: string;
}): string | null {
  const peerId = readKeyPart(params.peerId, 'peer id');
  if (!params.identityLinks || peerId === '') return null;
  const channel = readKeyPart(params.channel, 'channel');
  const claims = new Set([channel === '' ? peerId : `${channel}:${peerId}`]);
  const named = peerId.slice(0, Math.max(0, peerId.indexOf(':')));
  // An id of one channel that is spelled as one of another (`telegram:42`) is not that person.
  if (named === channel || !isChannelName(named)) claims.add(peerId);
  for (const [person, ids] of Object.entries(params.identityLinks)) {
    const name = readKeyPart(person, 'identity link');
    if (name === '' || !Array.isArray(ids)) continue;
    if (ids.some((id) => claims.has(readKeyPart(id, 'identity link')))) return name;
  }
  return null;
}
