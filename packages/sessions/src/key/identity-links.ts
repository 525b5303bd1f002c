import { readKeyId, readKeyPart } from './key-text.ts';
import { isEntryOf, type NormalizeId } from './person-entry.ts';

/** A person's name, and the ids that are theirs: `42`, or `telegram:42` where other channels use the same id for other people. */
export type IdentityLinks = Record<string, readonly (string | number)[]>;

/** In front of an id that is spelled as a name of the links and is not linked itself. */
const UNLINKED = 'unlinked:';

/**
 * An id that no link names, as keys have it. Anybody may have the name of a person as their id where senders choose it: in a
 * key it is another one.
 */
export function keepFromNames(id: string, identityLinks: IdentityLinks | null | undefined): string {
  let name = id;
  while (name.startsWith(UNLINKED)) name = name.slice(UNLINKED.length);
  const isName = Object.keys(identityLinks ?? {}).some((one) => readKeyPart(one, 'identity link') === name);
  return isName && name !== '' ? `${UNLINKED}${id}` : id;
}

/** The name under which this peer is known on every channel, in lower case; null when no link names the id. */
export function resolveLinkedPeerId(params: {
  identityLinks?: IdentityLinks | null;
  channel?: string | null;
  peerId: string;
  /** Of the channel. */
  normalizeId?: NormalizeId;
}): string | null {
  const peerId = readKeyId(params.peerId, 'peer id');
  if (!params.identityLinks || peerId === '') return null;
  const channel = readKeyPart(params.channel, 'channel');
  const { normalizeId } = params;
  const peer = { channels: channel === '' ? [] : [channel], ids: [peerId], normalizeId };
  for (const [person, ids] of Object.entries(params.identityLinks)) {
    const name = readKeyPart(person, 'identity link');
    if (name === '' || !Array.isArray(ids)) continue;
    if (ids.some((id) => isEntryOf(id, peer))) return name;
  }
  return null;
}
