import { describe, expect, test } from 'vitest';
import { formatEvent, parseFrame } from '../../src/gateway-protocol/frames.ts';

describe('a frame of a client', () => {
  test('is a request with the id that it has', () => {
    expect(
      parseFrame('{"type":"req","id":"2:x","method":"health","params":null,"traceparent":"00"}'),
    ).toEqual({
      kind: 'request',
      id: '2:x',
      method: 'health',
      params: null,
    });
  });

  test.each([
    ['{"type":"req","method":"health"}', 'invalid', "must have required property 'id'"],
    ['{"type":"req","id":7,"method":"health"}', 'invalid', 'at /id: must be string'],
    ['{"type":"event","id":"1","method":"health"}', '1', 'at /type: must be equal to constant'],
    ['{"type":"req","id":"1"}', '1', "must have required property 'method'"],
    ['{"type":"req","id":"1","method":""}', '1', 'at /method: must NOT have fewer than 1 characters'],
    ['[]', 'invalid', 'must be object'],
    ['null', 'invalid', 'must be object'],
  ])('%s is answered with an error', (text, id, fault) => {
    expect(parseFrame(text)).toEqual({ kind: 'malformed', id, message: `invalid request frame: ${fault}` });
  });

  test.each(['', 'hello', '{"type":', '\u0000'])('%j is noise', (text) => {
    expect(parseFrame(text)).toEqual({ kind: 'noise' });
  });
});

test('an event has the same text for all connections but for its seq', () => {
  const format = formatEvent({
    event: 'presence',
    payload: { presence: [] },
    stateVersion: { presence: 2, health: 1 },
  });
  expect(JSON.parse(format(1))).toEqual({
    type: 'event',
    event: 'presence',
    payload: { presence: [] },
    stateVersion: { presence: 2, health: 1 },
    seq: 1,
  });
  expect(format(12)).toBe(format(1).replace('"seq":1}', '"seq":12}'));
});
