import { readDescriptorLimit } from '../../src/gateway/connection-limits.ts';

console.log(readDescriptorLimit());
