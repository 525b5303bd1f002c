/** Commands and their output in ```console blocks of a document. */
import { join } from 'node:path';
import { writeDemoState } from '../../src/demo/write-state.ts';
import { runOcc } from '../setup/run-occ.ts';

const BLOCK = /^```console\n([\s\S]*?)^```/gm;

interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** The commands that a document shows, in its order. */
export function readConsoleCommands(markdown: string): string[] {
  return [...markdown.matchAll(BLOCK)].flatMap(([, block]) =>
    readBlock(block!).map(({ command }) => command),
  );
}

/**
 * The document with what occ says now: its commands are run one after the other on the sessions of the demo, with
 * `home` as the home folder. Output that only differs in new ids and times stays as it is shown.
 */
export async function fillConsoleBlocks(markdown: string, home: string): Promise<string> {
  await writeDemoState(join(home, '.openclaw'), Date.now());
  const said: string[] = [];
  for (const command of readConsoleCommands(markdown)) {
    const { stdout, stderr } = await runOcc(command.split(' ').slice(1), { env: { HOME: home } });
    said.push(`${stdout}${stderr}`.trimEnd());
  }
  return markdown.replace(BLOCK, (_, block: string) => {
    const commands = readBlock(block).map(({ command, output }) => {
      const now = said.shift()!;
      return `$ ${command}\n${normalize(now) === normalize(output) ? output : now}\n`;
    });
    return `\`\`\`console\n${commands.join('\n')}\`\`\``;
  });
}

function readBlock(block: string): ShownCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), output: part.slice(end + 1).trimEnd() };
    });
}

function normalize(output: string): string {
  return output
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, (id) =>
      id.startsWith('5e550a11') ? id : 'a new id',
    )
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'some time');
}
