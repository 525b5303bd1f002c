/** People who were let in by a code, and those who wait for it. */
import { randomInt } from 'node:crypto';
import { OpenBotError } from '@openbot/sessions';
import {
  changePairing,
  type PairedPerson,
  type PairingFile,
  type PairingPerson,
  type PairingRequest,
  readPairing,
} from './pairing-file.ts';

export const PAIRING_MS = 60 * 60_000;
/** Of one account. Whoever finds no place hears nothing. */
export const MOST_REQUESTS = 3;
const CODE_LENGTH = 8;
/** None that is read as another one. */
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** What a stranger says of themselves is kept up to here. */
const LONGEST_NAME = 64;
const LONGEST_ID = 256;

/** Which requests or people are meant. */
export interface PairingFilter {
  readonly channel?: string;
  readonly accountId?: string;
}

/** The request of a stranger, one in an hour. Undefined where they get no answer: denied, or no place is left. */
export async function requestPairing(
  stateDir: string,
  person: PairingPerson,
  now: number,
  follow: () => PairingFile,
): Promise<PairingRequest | undefined> {
  // `*` would stand for everybody once it is approved.
  if (person.id === '*' || person.id.length > LONGEST_ID || person.to.length > LONGEST_ID) return undefined;
  // Those who find no place cost no lock and no write.
  if (findPlace(follow(), person, now).is === 'none') return undefined;
  return changePairing(stateDir, (before) => {
    const place = findPlace(before, person, now);
    if (place.is === 'none') return { file: before, result: undefined };
    const fresh = before.requests.filter((one) => isFresh(one, now));
    const request: PairingRequest =
      place.is === 'known'
        ? { ...place.request, lastSeenAt: now }
        : { ...shortenNames(person), code: newCode(fresh), createdAt: now, lastSeenAt: now };
    const others = fresh.filter((one) => !isSame(one, person));
    return { file: { ...before, requests: [...others, request] }, result: request };
  });
}

type Place = { readonly is: 'free' | 'none' } | { readonly is: 'known'; readonly request: PairingRequest };

function findPlace({ requests }: PairingFile, person: PairingPerson, now: number): Place {
  const fresh = requests.filter((one) => isFresh(one, now));
  const request = fresh.find((one) => isSame(one, person));
  if (request !== undefined) return request.isDenied ? { is: 'none' } : { is: 'known', request };
  const waiting = fresh.filter((one) => isOn(one, person) && !one.isDenied);
  return { is: waiting.length < MOST_REQUESTS ? 'free' : 'none' };
}

export function listPairing(
  stateDir: string,
  filter: PairingFilter,
  now: number,
): { readonly requests: readonly PairingRequest[]; readonly approved: readonly PairedPerson[] } {
  const { requests, approved } = readPairing(stateDir);
  return {
    requests: requests.filter((one) => isOn(one, filter) && isFresh(one, now) && !one.isDenied),
    approved: approved.filter((one) => isOn(one, filter)),
  };
}

/** Throws PAIRING_NOT_FOUND, as the others below. */
export function approvePairing(
  stateDir: string,
  code: string,
  filter: PairingFilter,
  now: number,
): Promise<PairedPerson> {
  return changePairing(stateDir, (before) => {
    const { code: _, createdAt: __, lastSeenAt: ___, ...person } = findRequest(before, code, filter, now);
    const paired = { ...person, approvedAt: now };
    return {
      file: {
        ...before,
        requests: before.requests.filter((one) => isFresh(one, now) && !isSame(one, person)),
        approved: [...before.approved.filter((one) => !isSame(one, person)), paired],
      },
      result: paired,
    };
  });
}

/** The person hears nothing, and can ask again when the request would have expired. */
export function denyPairing(
  stateDir: string,
  code: string,
  filter: PairingFilter,
  now: number,
): Promise<PairingRequest> {
  return changePairing(stateDir, (before) => {
    const denied = findRequest(before, code, filter, now);
    const requests = before.requests
      .filter((one) => isFresh(one, now))
      .map((one) => (isSame(one, denied) ? { ...one, isDenied: true } : one));
    return { file: { ...before, requests }, result: denied };
  });
}

/** Takes back what an approval gave. */
export function revokePairing(stateDir: string, id: string, filter: PairingFilter): Promise<PairedPerson> {
  return changePairing(stateDir, (before) => {
    const those = before.approved.filter((one) => isOn(one, filter) && one.id === id);
    const person = onlyOne(those, `a person "${id}" who was approved`);
    return {
      file: { ...before, approved: before.approved.filter((one) => one !== person) },
      result: person,
    };
  });
}

function findRequest({ requests }: PairingFile, code: string, filter: PairingFilter, now: number) {
  const wanted = code.trim().toUpperCase();
  const those = requests.filter(
    (one) => one.code === wanted && isOn(one, filter) && isFresh(one, now) && !one.isDenied,
  );
  return onlyOne(those, `a request with the code "${wanted}"`);
}

function onlyOne<T>(those: readonly T[], what: string): T {
  const [found] = those;
  if (found !== undefined && those.length === 1) return found;
  const number = found === undefined ? 'There is not' : 'There is more than one:';
  throw new OpenBotError('PAIRING_NOT_FOUND', `${number} ${what}`, {
    hint:
      found === undefined
        ? 'Requests expire after an hour. To see them, and who was approved: openbot pairing list'
        : 'Name the channel and the account: --channel telegram --account work',
  });
}

/** Whether two are about the same account, or one is on the account that a filter names. */
function isOn(one: PairingPerson, { channel, accountId }: PairingFilter): boolean {
  return (
    (channel === undefined || one.channel === channel) &&
    (accountId === undefined || one.accountId === accountId)
  );
}

function isSame(one: PairingPerson, other: PairingPerson): boolean {
  return isOn(one, other) && one.id === other.id;
}

function isFresh({ createdAt }: PairingRequest, now: number): boolean {
  return now - createdAt < PAIRING_MS;
}

function newCode(others: readonly PairingRequest[]): string {
  for (;;) {
    const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]);
    const code = letters.join('');
    if (!others.some((one) => one.code === code)) return code;
  }
}

function shortenNames({ meta, ...person }: PairingPerson): PairingPerson {
  const { username, firstName } = meta;
  return {
    ...person,
    meta: {
      ...(username !== undefined && { username: username.slice(0, LONGEST_NAME) }),
      ...(firstName !== undefined && { firstName: firstName.slice(0, LONGEST_NAME) }),
    },
  };
}
