/** The embedded engine in a process of its own, so that a benchmark's server has its own to itself. */
import { startEmbeddedEngine } from '../../lib/local/engine/embedded.ts';

const { endpoint } = await startEmbeddedEngine({ port: 0 });
process.send?.(endpoint);
process.on('disconnect', () => process.exit(0));
