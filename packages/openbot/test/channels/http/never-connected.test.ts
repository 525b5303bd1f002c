import { expect, test } from 'vitest';
import { isNeverConnected } from '../../../src/channels/http/never-connected.ts';

test('a failure before the connection is told from one that may come behind the message', () => {
  const before = ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'];
  const behind = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', ''];
  expect(before.map(isNeverConnected)).toEqual(before.map(() => true));
  expect(behind.map(isNeverConnected)).toEqual(behind.map(() => false));
});
