import { expect, test } from 'vitest';
import { variablesOfClaude } from '../../../src/runners/claude/variables.ts';

const ENV = {
  PATH: '/bin',
  LC_ALL: 'C',
  ANTHROPIC_API_KEY: 'a',
  CLAUDE_CONFIG_DIR: '/c',
  HTTPS_PROXY: 'p',
  no_proxy: 'n',
  NODE_EXTRA_CA_CERTS: '/ca',
  AWS_REGION: 'r',
  GOOGLE_CLOUD_PROJECT: 'g',
  GOOGLE_API_KEY: 'x',
  AZURE_OPENAI_API_KEY: 'x',
  OPENAI_API_KEY: 'x',
  TELEGRAM_BOT_TOKEN: 'x',
  MINE: 'm',
};
const ALWAYS = [
  'PATH',
  'LC_ALL',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CONFIG_DIR',
  'HTTPS_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
];

test('Claude Code gets what it needs, and what the configuration names', () => {
  expect(Object.keys(variablesOfClaude(ENV, []))).toEqual(ALWAYS);
  expect(variablesOfClaude(ENV, ['MINE'])).toMatchObject({ MINE: 'm' });
});

test('it gets credentials of a cloud where it uses one, and no keys of other models there', () => {
  const given = Object.keys(variablesOfClaude({ ...ENV, CLAUDE_CODE_USE_BEDROCK: '1' }, []));
  expect(given).toEqual([...ALWAYS, 'AWS_REGION', 'GOOGLE_CLOUD_PROJECT', 'CLAUDE_CODE_USE_BEDROCK']);
});
