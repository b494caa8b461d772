// tsx registers its loader in the main thread only: a worker thread starts here and registers it for itself.
import { register } from 'tsx/esm/api';

register();
await import('./c-worker.ts');
