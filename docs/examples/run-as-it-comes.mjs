// Runs each call of an answer at the byte that makes it executable: curl -N … | node run-as-it-comes.mjs ctl
import { argumentsAsJson, DEFAULT_OPTIONS, describeError, PARSERS, PROTOCOLS, StreamReader } from 'cst-eval';

const protocol = process.argv[2] ?? 'ctl';
if (!PROTOCOLS.includes(protocol)) {
  console.error(`there is no protocol ${protocol}: ${PROTOCOLS.join(', ')}`);
  process.exit(2);
}
const parser = PARSERS[protocol](DEFAULT_OPTIONS);
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
