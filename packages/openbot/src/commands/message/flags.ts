import { declareFlags } from '@openbot/sessions/command-line';
import { CHANNEL, JSON_OUTPUT, LOCAL, STATE_DIR } from '../flags.ts';

export const MESSAGE_SEND_FLAGS = declareFlags({
  channel: { ...CHANNEL.channel, help: 'Channel. Default: the only one that is configured' },
  target: {
    kind: 'text',
    short: 't',
    value: 'dest',
    example: '42',
    help: 'Who gets it: an id of the channel',
  },
  message: { kind: 'text', short: 'm', value: 'text', example: '"hello"', help: 'The message' },
  media: {
    kind: 'text',
    value: 'path-or-url',
    example: './photo.jpg',
    help: 'A file or an https address to send with it',
  },
  channelData: {
    kind: 'text',
    value: 'json',
    example: `'{"telegram":{"buttons":[[{"text":"More","callback_data":"more"}]]}}'`,
    help: 'What one network alone has, such as buttons: an object with the name of the network',
  },
  replyTo: { kind: 'text', value: 'id', help: 'The message that it answers' },
  threadId: { kind: 'text', value: 'id', help: 'The thread or topic' },
  account: { kind: 'text', value: 'id', help: 'Which of your accounts sends it. Default: default' },
  dryRun: { kind: 'boolean', help: 'Say what would be sent, and send nothing' },
  ...LOCAL,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
