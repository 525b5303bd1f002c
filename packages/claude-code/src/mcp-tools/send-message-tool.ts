import { OpenBotError } from '@openbot/sessions';
import type { McpScope } from './scope.ts';
import { COUNT, describe, LEFT_OUT_SCHEMA, type McpTool, objectOf, TEXT, YES_NO } from './tool.ts';

const MAX_MESSAGE = 4000;

export function makeSendMessageTool({ agentId, sessionKey, sendMessage }: McpScope): McpTool {
  return {
    name: 'openclaw_send_message',
    title: 'Message to the requester',
    description: 'Sends a short message to the person who requested this run.',
    inputSchema: objectOf({
      text: {
        ...describe(TEXT, 'The text of the message.'),
        minLength: 1,
        maxLength: MAX_MESSAGE,
        pattern: '\\S',
      },
    }),
    outputSchema: objectOf(
      { isSent: YES_NO, characters: COUNT, leftOut: LEFT_OUT_SCHEMA },
      { sessionKey: TEXT },
    ),
    isReadOnly: false,
    async run(input) {
      if (sendMessage === undefined) {
        throw new OpenBotError('SEND_NOT_POSSIBLE', 'This server cannot send messages', {
          hint: 'Put the message into the answer of this run instead.',
        });
      }
      const text = (input.text as string).toWellFormed();
      await sendMessage({ text, agentId, sessionKey });
      const characters = [...text].length;
      return { isSent: true, characters, sessionKey, leftOut: [] };
    },
  };
}
