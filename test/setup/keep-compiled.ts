/** Node writes what it compiled when a process ends. One that is killed calls this, or the next one compiles it again. */
export { flushCompileCache as keepCompiled } from 'node:module';
