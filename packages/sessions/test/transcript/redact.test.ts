import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../../test/setup/expect-linear.ts';
import { cases, HUNT, sample, tries } from '../../../../test/setup/hunt.ts';
import { redactSecrets } from '../../src/index.ts';
import { FRAGMENTS, LONG_FRAGMENTS } from './redact-fragments.ts';

const KEY = 'AbCdEf0123456789abcdefghijklmnop';
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b';
const AMAZON = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7Vx0\nq8zX\n-----END RSA PRIVATE KEY-----`;

describe('what is hidden', () => {
  it.each<[string, string]>([
    [`sk-ant-api03-${KEY}`, 'sk-ant…mnop'],
    [`use sk-proj-${KEY}.`, 'use sk-pro…mnop.'],
    [`sk-or-v1-${'0a1b2c3d'.repeat(8)}`, 'sk-or-…2c3d'],
    ['sk-0123456789abcdef01234567', 'sk-012…4567'],
    [`sk-ant-api03-${LETTERS}`, 'sk-ant…WXYZ'],
    [`sk-ant-oat01-${'q'.repeat(24)}`, 'sk-ant…qqqq'],
    [`sk-proj-${LETTERS}`, 'sk-pro…WXYZ'],
    [`sk-${'q'.repeat(32)}`, 'sk-qqq…qqqq'],
    [`xoxb-${LETTERS}`, 'xoxb-a…WXYZ'],
    [`AKIAIOSFODNN7EXAMPLE and the secret ${AMAZON}`, 'AKIAIO…MPLE and the secret wJalrX…EKEY'],
    [`AKIAIOSFODNN7EXAMPLE / ${AMAZON}`, 'AKIAIO…MPLE / wJalrX…EKEY'],
    [`use the token ${HEX} for CI`, 'use the token 9f86d0…4f1b for CI'],
    [`api key ${HEX}`, 'api key 9f86d0…4f1b'],
    [`with the key ${KEY}`, 'with the key AbCdEf…mnop'],
    ['as bob with password hunter2x', 'as bob with password ***'],
    ['the password summer2024!', 'the password ***!'],
    ['sk_live_0123456789abcdef', 'sk_liv…cdef'],
    ['rk_test_0123456789abcdef', 'rk_tes…cdef'],
    ['whsec_0123456789abcdefABCDEF', 'whsec_…CDEF'],
    ['AIzaSyA-0123456789_abcdefghijklmnopqrstuv', 'AIzaSy…stuv'],
    ['ya29.a0AfH6SMBx0123456789abcdef', 'ya29.a…cdef'],
    ['GOCSPX-0123456789abcdefghijklmnop', 'GOCSPX…mnop'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIAIO…MPLE'],
    ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'ghp_01…wxyz'],
    ['github_pat_11ABCDEFG0_abcdefghijklmnopqrstuvwxyz', 'github…wxyz'],
    ['glpat-0123456789_abcdefghij', 'glpat-…ghij'],
    ['xoxb-123456789012-1234567890123-abcdefGHIJKL', 'xoxb-1…IJKL'],
    ['xapp-1-A0123456789-012345', 'xapp-1…2345'],
    ['npm_0123456789abcdefghijklmnopqrstuvwxyz', 'npm_01…wxyz'],
    ['hf_abcdefghijklmnopqrstuvwxyzABCDEFGH', 'hf_abc…EFGH'],
    ['gsk_0123456789abcdefghijklmnop', 'gsk_01…mnop'],
    ['pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5', 'pypi-A…Nzg5'],
    ['SG.abcdefghijklmnop0123.ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'SG.abc…WXYZ'],
    ['bot token 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0', 'bot token 123456…saw0'],
    [
      'https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0/getMe',
      'https://api.telegram.org/bot123…saw0/getMe',
    ],
    ['MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs', 'MTk4Nj…kKWs'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N', 'eyJhbG…0w5N'],
    [
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      'https://hooks.slack.com/services/T00000…XXXX',
    ],
    ['OPENAI_API_KEY=abc', 'OPENAI_API_KEY=***'],
    ['export DB_PASSWORD=hunter', 'export DB_PASSWORD=***'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'AWS_SECRET_ACCESS_KEY=wJalrX…EKEY'],
    ['STRIPE_KEY=0123456789', 'STRIPE_KEY=***'],
    ['"apiKey": "abcd1234efgh5678ijkl"', '"apiKey": "abcd12…ijkl"'],
    ['{"password":"hunter","user":"bob"}', '{"password":"***","user":"bob"}'],
    ['{\\"apiKey\\":\\"abcdefghijk\\"}', '{\\"apiKey\\":\\"***\\"}'],
    ["auth: { user: 'bob', pass: 'b3tter' }", "auth: { user: 'bob', pass: '***' }"],
    ['clientSecret: "q~8Qabc.def_ghi"', 'clientSecret: "***"'],
    ['password: hunter2', 'password: ***'],
    ['my password is hunter2!', 'my password is ***!'],
    ['log in with password=swordfish', 'log in with password=***'],
    ['passwd=swordfish user=bob', 'passwd=*** user=bob'],
    ['use db_password=swordfish, then pwd=sword', 'use db_password=***, then pwd=***'],
    ['--password=swordfish --force', '--password=*** --force'],
    ['[db]\npassword = swordfish\nhost = x', '[db]\npassword = ***\nhost = x'],
    ['log in as bob, password: swordfish', 'log in as bob, password: ***'],
    ['Password: swordfish, user: bob', 'Password: ***, user: bob'],
    ['db:\n  passwd: swordfish\n  host: x', 'db:\n  passwd: ***\n  host: x'],
    ['Passphrase: "correct horse battery staple"', 'Passphrase: "***"'],
    ['x-api-key: abcdef123456', 'x-api-key: ***'],
    ['deploy --token abc123xyz --force', 'deploy --token *** --force'],
    ['--api-key=abc123xyz', '--api-key=***'],
    ['postgres://bob:p@ss@db.example.com:5432/x', 'postgres://bob:***@db.example.com:5432/x'],
    ['postgres://bob:pa/ss@db/x', 'postgres://bob:***@db/x'],
    ['redis://:secret@localhost:6379', 'redis://:***@localhost:6379'],
    ['https://0123456789abcdef0123:x-oauth-basic@github.com/a/b', 'https://012345…0123:***@github.com/a/b'],
    ['https://0123456789abcdef0123@github.com/a/b', 'https://012345…0123@github.com/a/b'],
    ['https://x.com/cb?token=abc&page=2', 'https://x.com/cb?token=***&page=2'],
    ['https://s3/x?X-Amz-Signature=0123456789abcdef0123&X=1', 'https://s3/x?X-Amz-Signature=012345…0123&X=1'],
    ['https://maps/?key=0123456789abcdef', 'https://maps/?key=***'],
    ['Authorization: Bearer abc.def-123456789012', 'Authorization: Bearer abc.de…9012'],
    ['curl -H "Authorization: Basic dXNlcjpwYXNz" x', 'curl -H "Authorization: Basic ***" x'],
    ['"authorization": "token 0123456789"', '"authorization": "token ***"'],
    ['proxy-authorization: 0123456789abcdef', 'proxy-authorization: ***'],
    ['send Bearer 0123456789abcdefghij now', 'send Bearer 012345…ghij now'],
    ['with Basic dXNlcjpwYXNzd29yZA== in it', 'with Basic *** in it'],
    ['-H Basic OnBhdHBhdHBhdA==', '-H Basic ***'],
    ['Cookie: sid=abc123; theme=dark', 'Cookie: sid=***; theme=***'],
    [
      'Set-Cookie: sid=abcdef0123456789abcd; Path=/; HttpOnly',
      'Set-Cookie: sid=abcdef…abcd; Path=/; HttpOnly',
    ],
    [
      `key:\n${PEM}\nend`,
      'key:\n-----BEGIN RSA PRIVATE KEY-----…redacted…-----END RSA PRIVATE KEY-----\nend',
    ],
    [PEM.replaceAll('\n', '\\n'), '-----BEGIN RSA PRIVATE KEY-----…redacted…-----END RSA PRIVATE KEY-----'],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nxyz\n-----END PGP PRIVATE KEY BLOCK-----',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----…redacted…-----END PGP PRIVATE KEY BLOCK-----',
    ],
    [
      '-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijklmnop0123456789\nand then it stopped',
      '-----BEGIN PRIVATE KEY-----…redacted…\nand then it stopped',
    ],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\nMIIEpAIBAAKCAQEA7Vx0\nand then it stopped',
      '-----BEGIN RSA PRIVATE KEY-----…redacted…\nand then it stopped',
    ],
    [
      '"-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\n\\nMIIEpAIBAAKCAQEA7Vx0"',
      '"-----BEGIN RSA PRIVATE KEY-----…redacted…"',
    ],
    ['My API key: f3a9c1d2e4b5a6978897a6b5c4d3e2f1', 'My API key: f3a9c1…e2f1'],
    ['My API key: f3a9c1d2', 'My API key: ***'],
    ['the api key = "abcdefgh"', 'the api key = "***"'],
    ['the private key: 0x4c0883a69102937d6231471b5dbb6204', 'the private key: 0x4c08…6204'],
    ['Secret access key: wJalrXUtnFEMI/K7MDENG', 'Secret access key: wJalrX…DENG'],
    ['my private key is 0x4c0883a69102', 'my private key is ***'],
    ['smtp_pass: 120000, pass: abc123', 'smtp_pass: ***, pass: ***'],
    ['curl -u admin:S3cr3tPassw0rd https://x.com', 'curl -u admin:*** https://x.com'],
    ["curl -s --user 'admin:two words' x", "curl -s --user 'admin:***' x"],
    [
      'curl -X POST \\\n  -uadmin:hunter \\\n  --proxy-user "p:q" x',
      'curl -X POST \\\n  -uadmin:*** \\\n  --proxy-user "p:***" x',
    ],
    ['{"command":"curl -u \\"admin:word\\" x"}', '{"command":"curl -u \\"admin:***\\" x"}'],
    ['["curl","-u","admin:word","x"]', '["curl","-u","admin:***","x"]'],
    ['postgres://user:p@ss/w0rd@host', 'postgres://user:***@host'],
    ['postgres://user:p@s/s@w#0@rd@db.example.com/x', 'postgres://user:***@db.example.com/x'],
    ['postgres://a:b@h/x,postgres://c:d@h/y?z=1@2', 'postgres://a:***@h/x,postgres://c:***@2'],
    [
      'first sk-ant-api03-abcdefgh01234567 then ghp_0123456789abcdefghijkl',
      'first sk-ant…4567 then ghp_01…ijkl',
    ],
  ])('%j', (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactSecrets(expected)).toBe(expected);
  });

  it('shows no more than ten characters of a token and nothing of a password', () => {
    // Digits at both ends, so that no part of a secret is a word of the text around it.
    const token = fc.stringMatching(/^[0-9][a-z0-9]{20,60}[0-9]$/);
    fc.assert(
      fc.property(token, (secret) => {
        for (const text of [
          `API_KEY=${secret}`,
          `"token": "${secret}"`,
          `Authorization: Bearer ${secret}`,
          `?token=${secret}`,
        ]) {
          const redacted = redactSecrets(text);
          expect(redacted).not.toContain(secret.slice(0, 7));
          expect(redacted).not.toContain(secret.slice(-5));
        }
        for (const text of [`PASSWORD=${secret}`, `password: '${secret}'`, `https://bob:${secret}@host/`]) {
          expect(redactSecrets(text)).toBe(text.replace(secret, '***'));
        }
      }),
    );
  });

  it('a very long value is hidden to its end', () => {
    const secret = 'a1'.repeat(5000);
    expect(redactSecrets(`TOKEN=${secret} rest`)).toBe('TOKEN=a1a1a1…a1a1 rest');
    expect(redactSecrets(`password=${secret}`)).toBe('password=***');
  });
});

describe('what is left alone', () => {
  it.each([
    '',
    'The token: a unit of text. Its secret: patience.',
    'password: string',
    'tokens: 1500, "totalTokens": 1680, max_tokens=4096',
    '{"token": "hello", "logprob": -0.1}',
    'the secretary: Jane, 2nd floor',
    'const token = await getToken();',
    'const token = parts[1];',
    'if (password === confirm) return;',
    'Client(token=token, password=password)',
    'apiKey: config.apiKey, secret: process.env.SECRET',
    'password = os.environ["PW"]',
    'interface A { token: string; password?: string }',
    'export function resetPassword(token: string, userId: number)',
    'PASSWORD_MIN_LENGTH=8',
    'API_KEY=$API_KEY',
    'API_KEY=<your key>',
    'TOKEN=$(cat file)',
    'KEY=value pairs, key: value, PRIMARY KEY (id)',
    'PRIMARY_KEY=id',
    'password: "must be at least 8 characters"',
    '<input type="password" name="pw">',
    'the secret is out, the token is expired, the password is wrong',
    'commit 4f3a2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
    '01a1e06b-bcd9-7616-8d44-c6be777b69ba',
    'task-force-2024-alpha-beta-gamma and sk-learn',
    'sk-skeleton-loading-indicator-component, sk-ant-model-names',
    'the session token 01a1e06b-bcd9-7616-8d44-c6be777b69ba, token bucket2rate',
    `cherry-pick ${HEX} onto token-refresh, key 12, token RefreshTokenHandlerFactory`,
    'password reset form; the password: field is broken; password: reset it, then log in',
    'Error in password: required. Password: incorrect, try again. Wrong password: rejected',
    'passwd: files systemd\npasswd: all authentication tokens updated successfully',
    'Password:\nLast login: today\nEnter your password: ',
    'login(user, password=user_password); password = hashedPassword; pwd=/tmp pwd=~ pwd=..',
    '{\n  user: name,\n  password: hash,\n}',
    'password == confirm, password=>hash, password := read',
    'grep -n password= src; password=, password=) password=;',
    'password=true, password=hidden&x, type=password',
    'password reset page, password oauth2 flow, password sha256 hash, password RFC8018, password AUTH-1234',
    'the key handlerOfModifiedKeys, secret management for tenant4',
    `AKIA is a prefix, and ${AMAZON} alone is not known`,
    'npm_config_registry=https://registry.example.org/',
    'https://example.com/a?b=c&page=2#top',
    'ssh://git@github.com/org/repo.git and git@github.com:org/repo.git',
    'http://localhost:8080/@vite/client http://[::1]:8080/@x',
    'https://user@host/path',
    'file:///C:/Users/x@y/a',
    'the bearer of bad news; Basic understanding of it',
    'Basic understanding2 of it, Basic Chapter1Section2, Basic Auth2Factor34',
    'pass: 120000 tests, pass: 98.7654%, pass = 14/15/16',
    'secret: 2026-11-15 meeting; token: 2026-11-15T18:14:09Z; api key: 15.11.2026',
    'private key: 4096-bit, signing key: ed25519, encryption key: AES-256-GCM, access key: secp256k1',
    'private key: id_ed25519, service key: key-2026.pem',
    'the private key: keep it; API key: required, an API key is needed',
    'docker run -u 1000:1000 node:24 and curl -u $USER:$PASS x, curl -u admin: x',
    'curl -s x\nmake -u fast:er1234',
    'https://u:***@registry.example.org/@scope/pkg https://u:***@localhost/a@b',
    'http://u:***@host:8080/pkg@1.2.3',
    '-----BEGIN PRIVATE KEY-----\nNote: the rest was left out on purpose',
    'Authorization: required',
    'Authorization: Bearer <token>',
    'cookie: chocolate chip',
    '-----BEGIN CERTIFICATE-----\nMIIabcdefghijklmnop\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIabcdefghijklmnop\n-----END PUBLIC KEY-----',
    '2026-11-15T18:14:09.411Z 12:30:45 10.0.0.1:8080',
    'Ünïcödé, 漢字, \u{1f511} and \u2028 stay',
  ])('%j', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});

describe('on hostile text', () => {
  it('redacting twice is redacting once', HUNT, () => {
    const text = fc.array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 4 })), {
      maxLength: 14,
    });
    fc.assert(
      fc.property(text, (pieces) => {
        const once = redactSecrets(pieces.join(''));
        expect(redactSecrets(once)).toBe(once);
      }),
      cases({ gate: 800, torture: 40_000 }),
    );
  });

  it.each(LONG_FRAGMENTS)('takes time linear in the length: %j, repeated', HUNT, (piece) => {
    expectLinear(tries({ gate: 4000, torture: 200_000 }), (length) =>
      redactSecrets(piece.repeat(Math.ceil(length / piece.length))),
    );
  });

  it('ends soon for any two fragments, repeated in turns', HUNT, () => {
    const pairs = FRAGMENTS.flatMap((a) => FRAGMENTS.map((b) => a + b));
    for (const pair of sample(pairs, { gate: 400 }))
      redactSecrets(pair.repeat(Math.ceil(10_000 / pair.length)));
  });
});
