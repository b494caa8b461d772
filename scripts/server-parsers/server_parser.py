"""A tool parser of vLLM or SGLang as a command: cst check --parser-cmd 'python3 server_parser.py --server sglang --parser hermes'.

A server says nowhere that a call is whole: it streams deltas of calls by index. So a *policy* of the client is judged with
it, the one that OpenAI's streams allow and clients have:

- a call runs when a call with a later index begins, or when the answer ends complete (finish_reason `tool_calls`, `stop`);
- on a cut (`length`, an error, a lost connection) nothing more runs;
- arguments are what the server has streamed, put together; the name is the first that came; no arguments are `{}`;
- a call whose arguments are no JSON object, or that has no name, is *broken*: it does not run. It is reported as a `fault`;
  with --broken skip the client goes on without it, as most do, and it is told in `unfinished` (`arrived`: how many).

A delta for a call that has run changes it, and is reported so. What the text is cut into is said by --feed:

- `token`: one token a step, as by an engine. A marker of the dialect is one token, other text goes by the character;
- `delta`: the deltas of the stream, as by an engine that has several tokens a step (stream interval, speculation, a busy
  server). A marker that the stream has in two deltas goes whole with the second: an engine never has half a token;
- `char`: one character a step, markers too (a model that spells its markers out).

Environment: SERVER_PACKAGES, the folder that holds the unpacked packages `sglang` and `vllm` (docs/server-parsers.md).
"""
import argparse
import json
import logging
import os
import sys
from pathlib import Path

from servers import DIALECTS, open_server
from tokens import Tokenizer

JSON_DIALECTS = {'hermes', 'deepseek', 'kimi', 'harmony'}


class Client:
    """The calls of one answer, put together from deltas, and which of them have run."""

    def __init__(self, has_values, skips_broken):
        self.has_values = has_values
        self.skips_broken = skips_broken
        self.calls = {}
        self.ran = []
        self.broken = []
        self.changed = None
        self.fault = None

    def take(self, delta):
        index, given_id, name, arguments = delta
        if index not in self.calls:
            self.run([other for other in self.calls if other < index])
            self.calls[index] = {'id': None, 'name': None, 'arguments': '', 'ordinal': len(self.calls)}
        call = self.calls[index]
        if index in self.ran and (arguments or name and name != call['name']):
            at = self.ran.index(index)
            self.changed = at if self.changed is None else min(at, self.changed)
        call['id'] = call['id'] or given_id
        call['name'] = call['name'] or name
        call['arguments'] += arguments or ''

    def run(self, indices):
        for index in indices:
            if index not in self.ran and index not in self.broken:
                (self.broken if self.parsed(index) is None else self.ran).append(index)

    def parsed(self, index):
        """The arguments as an object; None if the call is broken."""
        call = self.calls[index]
        try:
            value = json.loads(call['arguments'] or '{}', parse_constant=refuse_constant)
        except ValueError:
            return None
        return value if isinstance(value, dict) and call['name'] else None

    def answer(self, told):
        """What has changed since `told` calls were reported."""
        if self.changed is not None and any(self.parsed(index) is None for index in self.ran[self.changed:]):
            self.fault = f'deltas for a call that has run break it: {self.shown(self.ran[self.changed])}'
        if self.broken and not self.skips_broken:
            self.fault = f'the arguments are no JSON object, or there is no name: {self.shown(self.broken[0])}'
        if self.fault is not None:
            return {'fault': self.fault}
        keep = told if self.changed is None else min(told, self.changed)
        self.changed = None
        calls = [self.report(index) for index in self.ran[keep:]]
        answer = ({} if keep == told else {'keep': keep}) | ({'calls': calls} if calls else {})
        return answer | ({'unfinished': {'arrived': len(self.broken)}} if self.broken else {})

    def shown(self, index):
        call = self.calls[index]
        return f'call {index}, {call["name"]!r}, {call["arguments"][:200]!r}'

    def report(self, index):
        call = self.calls[index]
        told = {'ordinal': call['ordinal'], 'id': call['id'], 'name': call['name']}
        if not self.has_values:
            return told | {'arguments': call['arguments']}
        # The text has no types: a value that the server made of it is compared as its JSON.
        values = self.parsed(index).items()
        return told | {'values': [[key, value if isinstance(value, str) else compact(value)] for key, value in values]}


def compact(value):
    return json.dumps(value, ensure_ascii=False)


def refuse_constant(name):
    raise ValueError(f'{name} is no JSON')


class Answer:
    """One stream: what arrives is fed to the server, what it gives to the client."""

    def __init__(self, server, tokenizer, feed, client):
        self.server, self.tokenizer, self.feed, self.client = server(tokenizer), tokenizer, feed, client
        self.held = ''

    def text(self, text):
        if self.feed == 'char':
            return self.steps(text)
        tokens, self.held = self.tokenizer.cut(self.held + text)
        self.steps(tokens if self.feed == 'token' else filter(None, [''.join(tokens)]))

    def steps(self, pieces):
        for piece in pieces:
            for delta in self.server.feed(piece, self.tokenizer.encode(piece)):
                self.client.take(delta)

    def end(self, how):
        self.steps(self.held if self.feed == 'token' else filter(None, [self.held]))
        for delta in self.server.finish():
            self.client.take(delta)
        if how == 'complete':
            self.client.run(list(self.client.calls))


def arguments_of_the_command():
    parser = argparse.ArgumentParser(description='A tool parser of vLLM or SGLang, judged by cst check --parser-cmd.')
    parser.add_argument('--server', required=True, choices=sorted(DIALECTS))
    parser.add_argument('--parser', required=True, help='as the server calls it (--tool-call-parser)')
    parser.add_argument('--tools', help='a JSON list of functions, [{"name": …, "parameters": …}]; default: one, `t`')
    parser.add_argument('--feed', choices=['token', 'delta', 'char'], default='token')
    parser.add_argument('--broken', choices=['fault', 'skip'], default='fault')
    options = parser.parse_args()
    known = DIALECTS[options.server]
    if options.parser not in known:
        parser.error(f'{options.server} has {", ".join(known)}, as far as cst reads their dialects; not {options.parser}')
    if not (Path(os.environ.get('SERVER_PACKAGES', '')) / options.server).is_dir():
        parser.error(f'SERVER_PACKAGES must name a folder that holds the unpacked package {options.server}')
    return options


def read_tools(file):
    if file is None:
        return [{'name': 't', 'parameters': {'type': 'object', 'properties': {}}}]
    return json.loads(Path(file).read_text(encoding='utf-8'))


def main():
    options = arguments_of_the_command()
    dialect = DIALECTS[options.server][options.parser]
    # Both servers log to stdout here and there; stdout is for answers.
    out, sys.stdout = sys.stdout, sys.stderr
    server = open_server(options.server, options.parser, read_tools(options.tools))
    logging.disable(logging.CRITICAL)
    tokenizer = Tokenizer(dialect)
    ready = {
        'type': 'ready', 'version': 1, 'name': f'{options.server} {options.parser} by {options.feed}', 'protocol': dialect,
        'granularity': 'delta' if options.feed == 'delta' else 'char',
    }
    if dialect in JSON_DIALECTS:
        ready['arguments'] = 'json'
    answer, told = None, 0
    for line in sys.stdin:
        message, reply = json.loads(line), {}
        if message['type'] == 'hello':
            reply = ready
        elif message['type'] == 'start':
            client = Client(dialect not in JSON_DIALECTS, options.broken == 'skip')
            answer, told = Answer(server, tokenizer, options.feed, client), 0
        elif message['type'] in ('text', 'end'):
            try:
                # Half a character at the very end of a stream is no text.
                answer.text(message.get('text', '')) if message['type'] == 'text' else answer.end(message['how'])
            except Exception as error:
                answer.client.fault = f'the server raises {error!r}'
            reply = answer.client.answer(told)
            told = len(answer.client.ran)
        print(json.dumps(reply), file=out, flush=True)


if __name__ == '__main__':
    main()
