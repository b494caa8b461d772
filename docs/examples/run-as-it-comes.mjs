// Runs each call of an answer at the byte that makes it executable: curl -N … | node run-as-it-comes.mjs ctl
import { argumentsAsJson, DEFAULT_OPTIONS, describeError, PARSERS, StreamReader } from 'cst-eval';

const parser = PARSERS[process.argv[2] ?? 'ctl'](DEFAULT_OPTIONS);
const reader = new StreamReader('openai-chat', (event) => parser.push(event));

let ran = 0;
function runWhatIsNew() {
  for (; ran < parser.calls.length; ran++) {
    const { id, name, args } = parser.calls[ran];
    console.log(`run ${id} ${name}:`, argumentsAsJson(args));
  }
}

for await (const bytes of process.stdin) {
  reader.push(bytes);
  runWhatIsNew();
}
parser.end(reader.end());
runWhatIsNew();
if (parser.error !== null) console.log(`refused: ${describeError(parser.error)}`);
