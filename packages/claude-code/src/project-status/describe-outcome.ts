import { redactSecrets } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import type { Command, CommandOutcome } from './run-command.ts';

const REASON_LIMIT = 160;

/** Why a command gave no answer, in one line without secrets: an address in a message may hold a password. */
export function describeOutcome(
  command: Pick<Command, 'program' | 'timeoutMs'>,
  outcome: CommandOutcome,
): string {
  const { program } = command;
  if (outcome.kind === 'not-installed') return `${program} is not installed`;
  if (outcome.kind === 'timed-out') return `${program} did not answer within ${command.timeoutMs / 1000} s`;
  const said = outcome.kind === 'failed' ? outcome.message : firstLine(outcome.errors);
  const code = outcome.kind === 'ended' ? ` with exit code ${outcome.code}` : '';
  return said === ''
    ? `${program} failed${code}`
    : shorten(`${program} failed: ${redactSecrets(said)}`, REASON_LIMIT);
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return oneLine(line.replace(/^(?:fatal|error): /, ''));
}
