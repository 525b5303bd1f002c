import { describe, expect, it } from 'vitest';
import { ReplyStream } from '../../src/commands/talk/reply-stream.ts';
import { buildReplyPayloads } from '../../src/turn/reply/build-reply-payloads.ts';
import { dropStreamed } from '../../src/turn/reply/drop-repeats.ts';

function play(pieces: readonly string[]) {
  const stream = new ReplyStream();
  const shown = [...pieces.map((piece) => stream.add(piece)), stream.end()];
  expect(stream.shown).toBe(shown.join(''));
  return shown;
}

const MESSAGES = [
  ['Hello.', 'Hello.'],
  ['One\ntwo\n\nthree\n', 'One\ntwo\n\nthree'],
  ['[[reply_to_current]] Yes, I do.', 'Yes, I do.'],
  ['[[reply_to:77]]\nYes.', 'Yes.'],
  ['Look:\nMEDIA: /tmp/chart.png\nThat is all.', 'Look:\nThat is all.'],
  ['MEDIA: https://x.test/a.png', ''],
  ['NO_REPLY', ''],
  ['**NO_REPLY**.', ''],
  ['NO_REPLY is a token that I can send.', 'NO_REPLY is a token that I can send.'],
  ['I saw it.\nNO_REPLY', 'I saw it.'],
  ['An array: a[[0]] and [1, 2]', 'An array: a[[0]] and [1, 2]'],
  ['Emoji 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 👩‍💻 here', 'Emoji 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and 👩‍💻 here'],
  [
    '```\nMEDIA: /tmp/a.png\n[[reply_to_current]]\n```\nafter',
    '```\nMEDIA: /tmp/a.png\n[[reply_to_current]]\n```\nafter',
  ],
  ['x[[reply_to_current]] is not one', 'x[[reply_to_current]] is not one'],
  ['Yes [[audio_as_voice]] and [[ reply_to: 7 ]] no', 'Yes and no'],
  ['OK\nA\nB', 'OK\nA\nB'],
  ['\n\n  indented', '  indented'],
] as const;

describe.each(MESSAGES)('%j', (text, visible) => {
  it('is shown without what is meant for the runtime, however it arrives', () => {
    const ways = [[text], [...text.split('')], text.split(/(?<=\s)/), text.match(/[\s\S]{1,3}/g) ?? []];
    for (const pieces of ways) expect(play(pieces).join('').trimEnd()).toBe(visible);
  });

  it('is the whole reply: nothing is left to be shown at the end', () => {
    const shown = play([...text.split('')]).join('');
    const payloads = buildReplyPayloads({ payloads: [{ text }] });
    const left = dropStreamed(payloads, [shown]).filter((payload) => payload.text !== undefined);
    expect(left).toEqual([]);
  });
});

it('shows words as they come, and holds back only what may be a directive', () => {
  expect(play(['Hel', 'lo [', '[reply', '_to_current]] ', 'you\nNO_', 'thing'])).toEqual([
    'Hel',
    'lo ',
    '',
    '',
    'you',
    '\nNO_thing',
    '',
  ]);
});

it('a long line without an end is not held back', () => {
  for (const begin of ['[[', 'MEDIA: ', '*****']) {
    const shown = play([begin, ...Array.from({ length: 5000 }, () => '*')]);
    expect(shown.at(-1)).toBe('');
    expect(shown.join('')).toBe(begin + '*'.repeat(5000));
  }
});
