import { isDeepStrictEqual } from 'node:util';
import type { OutboundMessage } from '../outbox/contract.ts';
import { pickChannelData, type ReplyPayload } from '../outbox/reply-payload.ts';
import { addressOf } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';
import { type Tool, type ToolContext, toolFailure } from '../tools/contract.ts';
import { rootOf, withFile } from '../tools/workspace.ts';
import { mediaWithin } from '../turn/reply/resolve-media.ts';
import { assertMaySend, findSessionOf, resolveTarget } from './message-target.ts';
import { mirrorMessage } from './mirror-message.ts';
import type { ToolScope } from './parts.ts';

/** The tool's name in the keys of its messages. */
const ACTION = 'message';

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'The message.' },
    channel: { type: 'string', description: 'The chat network. Default: the one you are asked on.' },
    accountId: {
      type: 'string',
      description: 'Which of your accounts there sends it. Default: the one you are asked on, or the first.',
    },
    to: {
      type: 'string',
      description: 'The recipient there. Default: the person or group you talk with.',
    },
    media: {
      type: 'array',
      items: { type: 'string' },
      description: 'Files of the workspace or of messages to you, or https addresses, to send with it.',
    },
    channelData: {
      type: 'object',
      description:
        'What one network alone has, by its name: {"telegram":{"buttons":[[{"text":"Yes","callback_data":"yes"}]]}}, ' +
        '{"discord":{"embeds":[…],"components":[…]}}. Other networks leave it out.',
    },
  },
  required: ['text'],
};

/** Sends a message before the answer, or to another person. */
export function makeMessage(scope: ToolScope): Tool {
  return {
    name: 'message',
    description:
      'Sends a message to a person at once, by default to the one you talk with. Do not repeat it in your answer.',
    parameters: PARAMETERS,
    // Whether a session may send is up to the send policy.
    changes: false,
    run: async ({ text, channel, accountId, to, media = [], channelData }, context) => {
      const wanted = { channel, accountId, to } as Parameters<typeof resolveTarget>[1];
      const target = resolveTarget(scope, wanted);
      const mediaUrls = await resolveMedia(scope, media as string[], context);
      const payload: ReplyPayload = {
        ...((text as string).trim() !== '' && { text: text as string }),
        ...(mediaUrls.length > 0 && { mediaUrl: mediaUrls[0], mediaUrls }),
        ...pickChannelData(channelData as ReplyPayload['channelData'], target.channel),
      };
      if (Object.keys(payload).length === 0) throw toolFailure('The message is empty.');
      const recipient = await findSessionOf(scope, target);
      await assertMaySend(scope, target, recipient);
      const { parts, session } = scope;
      const { agentId, sessionKey, turnId } = session;
      const key = scope.nameAction(ACTION, [target, payload]);
      const createdAt = parts.now();
      const message = { key, agentId, sessionKey, turnId, target, payload, createdAt };
      await parts.state.outbox.put([message]);
      parts.wakeSender();
      // This session has the call itself.
      if (recipient !== undefined && recipient.key !== sessionKey)
        // It is on its way: a failure would have the model send it again.
        await mirrorMessage(scope, recipient, message).catch((error) =>
          parts.onTrouble(error, recipient.key),
        );
      const isHere = isDeepStrictEqual(target, session.requester);
      return {
        text: `The message is on its way to ${target.to} on ${target.channel}.`,
        ...(isHere && { sent: { text: payload.text ?? '', mediaUrls } }),
      };
    },
  };
}

/** The next turn of the session reads that a file of a message which this tool sent did not arrive. */
export async function tellUnsentFile(
  { inbox }: Pick<BotState, 'inbox'>,
  { key, turnId, agentId, sessionKey, target }: OutboundMessage,
  { fault, at }: { readonly fault: string; readonly at: number },
): Promise<void> {
  if (turnId === undefined || !key.startsWith(`${turnId}:${ACTION}:`)) return;
  const text = `A file of your message to ${target.to} on ${target.channel} was not sent: ${fault}`;
  await inbox.addEvent(addressOf({ agentId, sessionKey }), { text, at });
}

async function resolveMedia(
  { agent }: ToolScope,
  media: readonly string[],
  context: ToolContext,
): Promise<string[]> {
  const { findReadDenial, folderOf } = context;
  const resolve = mediaWithin(agent.workspaceDir, undefined, folderOf);
  const urls: string[] = [];
  for (const one of media) {
    const url = resolve(one);
    if (url === undefined)
      throw toolFailure(`${JSON.stringify(one)} is neither a file of the workspace nor an https address.`);
    if (!/^https:/i.test(url)) {
      const denial = findReadDenial?.(url);
      if (denial !== undefined) throw toolFailure(denial);
      // Follows no link out of the workspace.
      await withFile(rootOf(context, url), url, async () => {});
    }
    urls.push(url);
  }
  return urls;
}
