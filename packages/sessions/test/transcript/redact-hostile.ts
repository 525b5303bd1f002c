/** Run as a process of its own: redacts 5 MB of each fragment, repeated, alone and in pairs. Prints `done`. */
import { redactSecrets } from '../../src/transcript/redact/redact.ts';
import { FRAGMENTS } from './redact-fragments.ts';

const LENGTH = 5_000_000;
const SHORT = 10_000;

const long = [
  'a',
  '-',
  '=',
  ' ',
  '"',
  '://a:',
  'token=',
  'token=a.',
  'sk-',
  'eyJa.',
  '-----BEGIN PRIVATE KEY-----',
  'cookie: a=b;',
  'M',
  '1',
  'aA',
  'pass=',
  'api key: ',
  'curl -u a:',
  '://u:***@s/',
  '://u:p@s/w',
  '-----BEGIN PRIVATE KEY-----\nA-B: c\n',
  'Basic ',
];
for (const piece of long) redactSecrets(piece.repeat(Math.ceil(LENGTH / piece.length)));
for (const a of FRAGMENTS) {
  for (const b of FRAGMENTS) redactSecrets((a + b).repeat(Math.ceil(SHORT / (a + b).length)));
}
console.log('done');
