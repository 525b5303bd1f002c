import type { SessionEntry } from '@openbot/sessions';
import { formatSenderName } from '../words/sender-label.ts';
import type { GroupActivation } from './group-activation.ts';

/**
 * For the first run after the activation of a group was changed during a session: the system prompt is a new one then, and
 * what the model did so far followed the old one.
 */
export function describeNewActivation(
  entry: Pick<SessionEntry, 'groupActivationNeedsSystemIntro' | 'systemSent'>,
  activation: GroupActivation,
  silentToken: string,
): string | undefined {
  if (entry.groupActivationNeedsSystemIntro !== true || entry.systemSent !== true) return undefined;
  return `The settings of this group were changed. ${describeActivation(activation, silentToken)}`;
}

/** What the system prompt says about a group: where the agent is, when it is asked, how it stays silent. */
export function buildGroupIntro(params: {
  channel: string;
  activation: GroupActivation;
  subject?: string;
  members?: string;
  silentToken: string;
}): string {
  const { channel, activation, subject, members, silentToken } = params;
  const where = subject?.trim()
    ? `the ${channel} group ${JSON.stringify(formatSenderName(subject))}`
    : `a ${channel} group`;
  return [
    `You take part in ${where}.`,
    ...(members?.trim() ? [`Members, as the channel lists them: ${formatSenderName(members)}.`] : []),
    describeActivation(activation, silentToken),
    'Each message ends with a line that names its sender. Address that person, keep answers short, and remember that the whole group reads them.',
  ].join('\n');
}

function describeActivation(activation: GroupActivation, silentToken: string): string {
  return activation === 'always'
    ? `You are given every message. Answer only when you can help or are asked; otherwise reply with ${silentToken} and nothing else.`
    : 'You are given a message when it mentions you or answers one of yours; what was said since your last reply comes with it.';
}
