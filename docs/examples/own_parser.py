"""A parser for cst check --parser-cmd 'python3 own_parser.py': json-whole over native tool calls. EAGER=1 makes it wrong."""
import json, os, sys

def no_constant(name):
    raise ValueError(name)  # NaN is no JSON

def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError('a key stands twice')
    return dict(pairs)

def good(call):
    if call['free']:
        return call['name'] is not None
    try:
        value = json.loads(call['text'] or '{}', parse_constant=no_constant, object_pairs_hook=unique)
        return call['name'] is not None and isinstance(value, dict)
    except ValueError:
        return False

def executable(calls, bad, end):
    if os.environ.get('EAGER'):  # wrong: what parses now may not be all that comes
        return [n for n, call in calls.items() if call['text'] and good(call)]
    return list(calls) if end == 'complete' and not bad and all(map(good, calls.values())) else []

for line in sys.stdin:
    message, answer = json.loads(line), {}
    if message['type'] == 'hello':
        answer = {'type': 'ready', 'version': 1, 'name': 'own_parser', 'protocol': 'json-whole', 'granularity': 'char'}
    elif message['type'] == 'start':
        calls, ran, bad = {}, [], False
    elif message['type'] == 'tool-delta':
        call = calls.setdefault(message['call'], {'id': None, 'name': None, 'text': '', 'free': message.get('input') == 'text'})
        call['text'] += message['text']
        call.update({key: message[key] for key in ('id', 'name') if key in message})
    elif message['type'] == 'refused-delta':
        bad = True
    if message['type'] in ('tool-delta', 'end'):
        new = [n for n in executable(calls, bad, message.get('how')) if n not in ran]
        ran += new
        answer['calls'] = [{'ordinal': n, 'id': call['id'], 'name': call['name'],
                            **({'values': [['input', call['text']]]} if call['free'] else {'arguments': call['text']})}
                           for n, call in calls.items() if n in new]
    print(json.dumps(answer), flush=True)
