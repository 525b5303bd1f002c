/**
 * An agent that takes no lock: a line every millisecond, each opened, appended and closed, hanging from the one before.
 * Every text has its number. Told `stop`, it finishes its exchange and says how many texts there were.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [path, first] = process.argv.slice(2);
let parentId = first;
let lines = 0;
let texts = 0;

async function append(message) {
  const id = `line-${lines++}`;
  const timestamp = new Date().toISOString();
  appendFileSync(path, `${JSON.stringify({ type: 'message', id, parentId, timestamp, message })}\n`);
  parentId = id;
  await sleep(1);
}

const say = (role) => append({ role, content: [{ type: 'text', text: `text-${texts++}` }] });
let stopped = false;
process.stdin.once('data', () => {
  stopped = true;
});

for (let turn = 0; !stopped; turn++) {
  await say('user');
  if (turn % 4 === 0) {
    const call = { type: 'toolCall', id: `call-${turn}`, name: 'read', arguments: { path: `file ${turn}` } };
    await append({ role: 'assistant', content: [call], stopReason: 'toolUse' });
    await append({
      role: 'toolResult',
      toolCallId: call.id,
      toolName: 'read',
      content: [{ type: 'text', text: 'result '.repeat(40) }],
      isError: false,
    });
  }
  await say('assistant');
  if (turn === 0) console.log('appending');
}
console.log(`texts ${texts}`);
process.exit();
