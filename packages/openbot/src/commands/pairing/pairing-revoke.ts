import { writeJson } from '@openbot/sessions/command-line';
import { revokePairing } from '../../access/pairing.ts';
import { describePerson, noteChange, type PairingInput, personOf, readNamed, stateDirOf } from './named.ts';

/** Takes back that a person was let in. */
export async function pairingRevoke(input: PairingInput): Promise<void> {
  const { flags, terminal } = input;
  const stateDir = stateDirOf(input);
  const { name: id, filter } = readNamed(input, 'person');
  const person = await revokePairing(stateDir, id, filter);
  await noteChange(input, stateDir, 'revoked', person);
  if (flags.json) return writeJson(terminal, personOf(person));
  terminal.say(
    `Revoked ${describePerson(person)}\n  If allowFrom has their id, they are still heard: that is a setting.\n`,
  );
}
