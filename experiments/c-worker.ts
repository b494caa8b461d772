/** A worker thread of experiment C: a recording task comes in, its rows go out. */
import { parentPort } from 'node:worker_threads';
import { checkRecording, type RecordingTask } from './c-recording.ts';

parentPort?.on('message', (task: RecordingTask) => {
  try {
    parentPort?.postMessage({ rows: checkRecording(task) });
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ failure: `${task.suite}/${task.file}: ${reason}` });
  }
});
