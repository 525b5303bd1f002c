import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportError } from '@openbot/sessions/command-line';
import { PLAIN_PALETTE } from '@openbot/sessions/terminal-text';
import { expect, onTestFinished, test } from 'vitest';
import { OPENBOT } from '../../src/cli/main.ts';
import { explainInstall } from '../../src/install-command.ts';

const SDK = '@anthropic-ai/claude-agent-sdk';
const fileIn = (folder: string) => join(folder, 'node_modules', 'openbot', 'dist', 'bin', 'commands.js');

test('a package is installed where openbot is, not where a person is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openbot-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, 'a project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{}');
  expect(explainInstall(SDK, fileIn(project))).toBe(`npm install --prefix '${project}' ${SDK}`);
  expect(explainInstall(SDK, fileIn(join(folder, 'lib')))).toBe(`npm install --global ${SDK}`);
  expect(explainInstall(SDK, fileIn(join(folder, '_npx', 'abc')))).toBe(
    `npx --package openbot --package ${SDK} openbot …`,
  );
  expect(explainInstall(SDK, join(folder, 'openbot', 'src', 'cli', 'x.ts'))).toBe(`npm install ${SDK}`);
});

test('the error of a missing package says that', () => {
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const terminal = { writeError: write, warn: write, errorPalette: PLAIN_PALETTE };
  const error = Object.assign(new Error('the package x is not installed'), {
    code: 'SDK_NOT_INSTALLED',
    hint: 'npm install x',
  });
  reportError(OPENBOT, error, terminal, { json: false, verbose: false });
  expect(texts.join('')).toBe(`Error: the package x is not installed\n  ${explainInstall('x')}\n`);
});
