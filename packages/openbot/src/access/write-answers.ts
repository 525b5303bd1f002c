import type { PairedPerson, PairingRequest } from './pairing-file.ts';

/** What a stranger is told, once. */
export function writePairingAnswer({ channel, id, code }: PairingRequest): string {
  return [
    'I do not know you yet, so I may not answer.',
    `Your id on ${channel}: ${id}`,
    `Pairing code: ${code}`,
    '',
    'The owner of this bot can let you in within an hour:',
    `openbot pairing approve ${channel} ${code}`,
    '',
    'What you write until then is not read, and not answered later.',
  ].join('\n');
}

export function writeApproval(): string {
  return 'You may talk to me now. What you wrote before was not read: please send it again.';
}

/** Of a letter to a person who was approved: the same one for one approval. */
export function keyOfApproval({ channel, accountId, id, approvedAt }: PairedPerson): string {
  return `paired:${JSON.stringify([channel, accountId, id])}:${approvedAt}`;
}

export function writeTooFast(limit: number): string {
  return `That is more than ${limit} messages in a minute. I read none of the others until the minute is over; please send again then what matters.`;
}
