/** Reads and then updates a store, and prints the code of each failure. */
import { openFileSessionStore } from '../../../src/store/file-store.ts';

const [path = ''] = process.argv.slice(2);
const store = openFileSessionStore(path, { lock: { timeoutMs: 200 } });
const codeOf = (step: Promise<unknown>) =>
  step.then(
    () => 'fine',
    (error) => error.code ?? String(error),
  );
console.log('read', await codeOf(store.get('k')));
console.log('update', await codeOf(store.update('k', () => ({ sessionId: 'new', updatedAt: 1 }))));
