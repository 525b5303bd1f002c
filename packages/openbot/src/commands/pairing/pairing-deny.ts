import { writeJson } from '@openbot/sessions/command-line';
import { denyPairing } from '../../access/pairing.ts';
import { describePerson, noteChange, type PairingInput, personOf, readNamed, stateDirOf } from './named.ts';

/** Refuses a person who asked to be let in. */
export async function pairingDeny(input: PairingInput): Promise<void> {
  const { flags, terminal } = input;
  const stateDir = stateDirOf(input);
  const { name: code, filter } = readNamed(input, 'code');
  const person = await denyPairing(stateDir, code, filter, Date.now());
  await noteChange(input, stateDir, 'denied', person);
  if (flags.json) return writeJson(terminal, personOf(person));
  terminal.say(
    `Denied ${describePerson(person)}\n  They hear nothing of it, and can ask again when the hour is over.\n`,
  );
}
