import { writeJson } from '@openbot/sessions/command-line';
import { cutEnd, formatAge, layOutTable, printable } from '@openbot/sessions/terminal-text';
import { listPairing, PAIRING_MS } from '../../access/pairing.ts';
import type { PairedPerson, PairingRequest } from '../../access/pairing-file.ts';
import { filterOf, type PairingInput, personOf, stateDirOf } from './named.ts';

/** Lists people who ask to be let in, and those who were. */
export async function pairingList(input: PairingInput): Promise<void> {
  const { flags, terminal, words } = input;
  const now = Date.now();
  const filter = filterOf(input, words[0]);
  const { requests, approved } = listPairing(stateDirOf(input), filter, now);
  const asText = (at: number) => new Date(at).toISOString();
  if (flags.json)
    return writeJson(terminal, {
      ...(filter.channel !== undefined && { channel: filter.channel }),
      requests: requests.map((one) => ({
        ...personOf(one),
        code: one.code,
        createdAt: asText(one.createdAt),
        lastSeenAt: asText(one.lastSeenAt),
        expiresAt: asText(one.createdAt + PAIRING_MS),
      })),
      approved: approved.map((one) => ({ ...personOf(one), approvedAt: asText(one.approvedAt) })),
    });
  const all = [...requests, ...approved];
  if (all.length === 0) {
    terminal.say('Nobody asks to be let in, and nobody was approved.\n');
    return;
  }
  const lines = layOutTable<PairingRequest | PairedPerson>(
    [
      { title: 'CHANNEL', show: ({ channel }) => printable(channel) },
      { title: 'ACCOUNT', show: ({ accountId }) => printable(accountId), leave: 1 },
      { title: 'ID', show: ({ id }) => printable(id), cut: cutEnd, least: 8 },
      { title: 'CODE', show: (one) => ('code' in one ? one.code : 'approved') },
      {
        title: 'NAME',
        show: ({ meta }) => printable([meta.firstName, meta.username].filter(Boolean).join(', ')),
        cut: cutEnd,
        least: 8,
        leave: 2,
      },
      { title: 'WHEN', show: (one) => formatAge('code' in one ? one.createdAt : one.approvedAt, now) },
    ],
    all,
    terminal.maxLineWidth,
    (text) => terminal.palette.bold(text),
  );
  terminal.write(`${lines.join('\n')}\n`);
  if (requests.length > 0) terminal.say('To let one in: openbot pairing approve <channel> <code>\n');
}
