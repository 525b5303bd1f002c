/** OpenClaw's own page in a browser, served by `openbot gateway run`, does what a person does with it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { type Browser, findChromium, openBrowser, type Page } from '../browser.ts';
import { runOpenbot } from '../commands.ts';
import { makeOpenbotGateway, type OpenbotGateway } from '../openbot-gateway.ts';
import type { Scenario, Scene } from '../scene.ts';

const SCRIPT = {
  contextWindow: 100_000,
  turns: [
    { when: 'weather', steps: [{ text: 'It rains.' }] },
    { when: 'begin', steps: [{ text: 'Half of an answer' }, { stall: true }] },
    { when: 'files', steps: [{ tool: 'list_files', args: {} }, { text: 'There are none.' }] },
    { when: 'second', steps: [{ text: 'Of the second one.' }] },
    { when: 'danger', steps: [{ ask: 'Danger', args: { path: 'x' } }, { text: '{{result}}' }] },
    { when: 'still', steps: [{ text: 'I am still here.' }] },
  ],
};

/** What the page asks of OpenClaw's gateway and openbot does not have. It asks though hello does not list them. */
const KNOWN_FAULT = /^refused: unknown method: /;

export const controlUi: Scenario = {
  name: 'the control ui of OpenClaw works on openbot gateway run',
  isWithoutOpenclaw: true,
  cannotRun: () =>
    findChromium() === undefined
      ? 'there is no Chromium (install it, or name it in OPENBOT_INTEROP_CHROMIUM)'
      : undefined,
  async run(scene) {
    const root = join(dirname(scene.install.program), 'dist/control-ui');
    const gateway = await makeOpenbotGateway(scene.home, 'openbot-ui', {
      config: { gateway: { controlUi: { root } }, agents: { defaults: { model: 'script/play' } } },
      scripts: { play: SCRIPT },
    });
    await gateway.start();
    const browser = await openBrowser(scene.home);
    try {
      await connect(browser, gateway);
      await talk(browser.page);
      await permit(browser.page);
      await openSecond(scene, browser.page, gateway);
      await restart(scene, browser, gateway);
      await lookAround(browser.page, gateway);
      const unwanted = browser.faults.filter((fault) => !KNOWN_FAULT.test(fault));
      deepEqual(unwanted, [], 'what went wrong in the page');
    } finally {
      await browser.close();
      await gateway.stop();
    }
  },
};

/** The page asks for the token, and is let in as a device. */
async function connect({ page, faults }: Browser, { url, token }: OpenbotGateway): Promise<void> {
  await page.goto(url);
  await page.getByText('This Gateway expects its token').waitFor();
  match(faults.splice(0).join('\n'), /^refused: unauthorized: gateway token missing/);
  await page.locator('input[type=password]').fill(token);
  await page.getByRole('button', { name: 'Connect' }).click();
  await composer(page).waitFor();
}

/** An answer, one that is seen while it is written and stopped, and one with a tool behind it. */
async function talk(page: Page): Promise<void> {
  await say(page, 'How is the weather?');
  await page.getByText('It rains.').waitFor();
  await say(page, 'Please begin');
  await page.getByText('Half of an answer').waitFor();
  const stop = page.getByRole('button', { name: 'Stop generating' });
  await stop.click();
  await stop.waitFor({ state: 'hidden' });
  await say(page, 'Which files are there?');
  await page.getByText('There are none.').waitFor();
  const shown = await page.locator('main').textContent();
  ok(shown.includes('Half of an answer'), 'what was said before the stop stays');
  ok(!shown.includes('System:'), 'what the agent is told of the stop is not shown as a message');
}

/** A question is answered by a message, and the page rests when the run is over. */
async function permit(page: Page): Promise<void> {
  await say(page, 'Do what is a danger');
  const question = page.getByText(/Answer "yes \w+"/).last();
  await question.waitFor();
  const [, answer] = /Answer "(yes \w+)"/.exec(await question.textContent()) ?? [];
  await say(page, answer!);
  await page.getByText('It was allowed.').first().waitFor();
  await page.getByRole('button', { name: 'Stop generating' }).waitFor({ state: 'hidden' });
  ok(!/Working…|Working on/.test(await page.locator('main').textContent()), 'the page rests');
}

async function openSecond(scene: Scene, page: Page, { stateDir }: OpenbotGateway): Promise<void> {
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  const box = page.getByPlaceholder(/^What should this session work on/);
  await box.fill('This is the second one');
  await box.press('Enter');
  await page.getByText('Of the second one.').first().waitFor();
  // It has a name in the list, which it got from its first message.
  await page
    .getByRole('link', { name: /^This is the second one/ })
    .first()
    .waitFor();
  const { count } = await runOpenbot(scene.home, ['sessions', '--state-dir', stateDir]);
  equal(count, 2);
  // At /chat/main/<id>, with files that are named relative to the page.
  await page.reload();
  await page.getByText('Of the second one.').first().waitFor();
  await page.getByRole('link', { name: /^Home/ }).first().click();
  await page.getByText('There are none.').waitFor();
}

async function restart(scene: Scene, browser: Browser, gateway: OpenbotGateway): Promise<void> {
  const { page } = browser;
  const connected = browser.countReceived('"hello-ok"');
  await gateway.stop();
  await gateway.start();
  await scene.waitFor('the page connects again', () => browser.countReceived('"hello-ok"') > connected);
  await say(page, 'Are you still there?');
  await page.getByText('I am still here.').waitFor();
  await page.getByText('There are none.').waitFor();
}

/** The other pages that have something to show. */
async function lookAround(page: Page, { url }: OpenbotGateway): Promise<void> {
  const pages = {
    sessions: 'agent:main:main',
    agents: 'script/play',
    logs: 'gateway ready on',
    'settings/agents': 'script/play',
  };
  for (const [name, shown] of Object.entries(pages)) {
    await page.goto(`${url}/${name}`);
    await page.locator('main').getByText(shown).first().waitFor();
  }
}

function composer(page: Page) {
  return page.getByPlaceholder(/^Message /).last();
}

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}
