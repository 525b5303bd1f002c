/** What the commands about people who were let in, or ask to be, have in common. */
import { resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { normalizeAccountId } from '@openbot/sessions/key';
import { printable } from '@openbot/sessions/terminal-text';
import type { PairingFilter } from '../../access/pairing.ts';
import type { PairingPerson } from '../../access/pairing-file.ts';
import { openAuditLog } from '../../gateway/audit-log.ts';
import type { PAIRING_FLAGS } from './flags.ts';

export type PairingInput = CommandInput<typeof PAIRING_FLAGS>;

export function stateDirOf({ flags, env }: PairingInput): string {
  return resolve(resolveStateDir({ flag: flags.stateDir, env }));
}

/** The channel may be a word of its own. */
export function filterOf({ flags }: PairingInput, word?: string): PairingFilter {
  const channel = (word ?? flags.channel)?.trim().toLowerCase();
  const { account } = flags;
  return {
    ...(channel !== undefined && { channel }),
    ...(account !== undefined && { accountId: normalizeAccountId(account) }),
  };
}

/** `[channel] <what>` */
export function readNamed(
  input: PairingInput,
  what: string,
): { readonly name: string; readonly filter: PairingFilter } {
  // An id may have spaces at its ends.
  const words = input.words.filter((word) => word?.trim());
  const name = words.at(-1);
  if (name === undefined)
    throw new OpenBotError('USAGE', `Which ${what}?`, { hint: "'openbot pairing list' shows them" });
  return { name, filter: filterOf(input, words.length > 1 ? words[0] : undefined) };
}

/** As `openclaw pairing list --json` has it. */
export function personOf({ channel, accountId, id, meta }: PairingPerson) {
  return { channel, id, meta: { ...meta, accountId } };
}

/** `Ada (@ada), 777 on telegram`: names are those that the person chose. */
export function describePerson({ channel, accountId, id, meta }: PairingPerson): string {
  const { firstName, username } = meta;
  const names = [firstName, username === undefined ? undefined : `@${username.replace(/^@/, '')}`];
  const shown = names.filter((name) => name !== undefined).join(', ');
  const where = accountId === 'default' ? channel : `${channel}, account ${accountId}`;
  return printable(`${id} on ${where}${shown === '' ? '' : ` (calls themselves ${shown})`}`);
}

/** Also where no gateway runs. What cannot be written is said, and holds up nothing. */
export async function noteChange(
  { terminal }: PairingInput,
  stateDir: string,
  what: 'approved' | 'denied' | 'revoked',
  { channel, accountId, id }: PairingPerson,
): Promise<void> {
  const audit = openAuditLog(stateDir, { now: Date.now, log: (line) => terminal.say(`${line}\n`) });
  audit.note(`pairing.${what}`, { channel, accountId, id });
  await audit.close();
}
