import { writeJson } from '@openbot/sessions/command-line';
import { approvePairing } from '../../access/pairing.ts';
import type { PairedPerson } from '../../access/pairing-file.ts';
import { keyOfApproval, writeApproval } from '../../access/write-answers.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { sharesSession } from '../../config/channels.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { resolveAddress } from '../../routing/request-route.ts';
import { openState } from '../../state/open-state.ts';
import { describePerson, noteChange, type PairingInput, personOf, readNamed, stateDirOf } from './named.ts';

/** Lets a person in who asked, and tells them. */
export async function pairingApprove(input: PairingInput): Promise<void> {
  const { flags, terminal } = input;
  const stateDir = stateDirOf(input);
  const { name: code, filter } = readNamed(input, 'code');
  const person = await approvePairing(stateDir, code, filter, Date.now());
  await noteChange(input, stateDir, 'approved', person);
  const { config } = await loadBotConfig(stateDir, input.env);
  await tell(input, stateDir, config, person);
  if (flags.json)
    return writeJson(terminal, {
      ...personOf(person),
      approvedAt: new Date(person.approvedAt).toISOString(),
    });
  terminal.say(
    `Approved ${describePerson(person)}\n` +
      '  They may talk in direct messages, and are told so. What they wrote before is not answered.\n' +
      '  They may give no commands: that needs their id in allowFrom.\n' +
      (sharesSession(config)
        ? '  They talk in your own session, and the agent can tell them what you said there.\n' +
          '  A session for each person: openbot config set session.dmScope per-channel-peer\n'
        : ''),
  );
}

/** Through the outbox: the process that has the channel sends it, now or when it runs again. */
async function tell(
  { env }: PairingInput,
  stateDir: string,
  config: BotConfig,
  person: PairedPerson,
): Promise<void> {
  const { channel, accountId, to, approvedAt } = person;
  const { agentId, sessionKey } = resolveAddress({ config, to, channel, accountId });
  const state = await openState(stateDir, { store: config.session?.store, env });
  try {
    await state.outbox.put([
      {
        key: keyOfApproval(person),
        agentId,
        sessionKey,
        target: { channel, accountId, to },
        payload: { text: writeApproval() },
        createdAt: approvedAt,
      },
    ]);
  } finally {
    await state.close();
  }
}
