#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tokens of the first questions that a model would be asked, over the development cases (--dump-prompt: nothing is sent).

prompts.py KPORT CASES OUT [--policy model|hybrid] [--every N] [--offset N] [--pair OLD:NEW] [--window N]

CASES holds intree-dev.tsv. With "model" the engine's own repairs are off, so that every case has questions; with
"hybrid" only what it leaves is asked. OUT/prompts.tsv gets a line a case. Exit code 1: a prompt is above the window, or
the median of the cases with one breakage is above 12,000 tokens.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

BYTES_PER_TOKEN = 3  # as agents/prompt.c counts
LIMIT = 12000

arg = argparse.ArgumentParser()
arg.add_argument('kport')
arg.add_argument('cases')
arg.add_argument('out')
arg.add_argument('--policy', default='model')
arg.add_argument('--every', type=int, default=1)
arg.add_argument('--offset', type=int, default=0)
arg.add_argument('--pair')
arg.add_argument('--window', type=int, default=32768)
arg = arg.parse_args()


def source_of(name, known={}):
    if name not in known:
        r = subprocess.run([arg.kport, 'kernel', 'show', '--json', name], capture_output=True, text=True)
        k = json.loads(r.stdout) if r.returncode == 0 else {}
        known[name] = os.path.join(k['dir'], k['source_dir']) if k.get('source_dir') else None
    return known[name]


def requests(text):
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value


def tokens(request):
    return -(-sum(len(m['content'].encode()) for m in request['messages']) // BYTES_PER_TOKEN)


def breakages(request):
    said = re.search(r'What the compiler of .*?----- DATA\n(.*?)----- END', request['messages'][-1]['content'], re.S)
    return len(re.findall(r'^\S+:\d+: ', said.group(1), re.M)) if said else 0


def dump(row):
    source = source_of(row[1])
    out = os.path.join(arg.out, 'port')
    if not source or not source_of(row[2]):
        return None, 'no kernel'
    r = subprocess.run([arg.kport, 'port', os.path.join(source, row[0]), '--from', row[1], '--to', row[2], '--no-boot',
                        '--gates', 'compile', '--generator', arg.policy, '--model', 'openai:m', '--dump-prompt',
                        '--window', str(arg.window), '--out', out, '--exclude', row[0], '--quiet'],
                       capture_output=True, text=True, errors='replace')
    if r.returncode not in (0, 1):
        return None, r.stderr.strip().split('\n')[-1]
    return list(requests(r.stdout)), ''


def show(name, values):
    if values:
        v = sorted(values)
        print('%-44s %5d  median %6d  95 %% %6d  max %6d' % (name, len(v), statistics.median(v),
                                                           v[int(0.95 * (len(v) - 1))], v[-1]))


os.makedirs(arg.out, exist_ok=True)
with open(os.path.join(arg.cases, 'intree-dev.tsv'), encoding='utf-8') as f:
    rows = [line.rstrip('\n').split('\t') for line in f][1:]
if arg.pair:
    rows = [r for r in rows if r[1:3] == arg.pair.split(':')]
rows = rows[arg.offset::arg.every]
single, total, each, failed = [], [], [], []
with open(os.path.join(arg.out, 'prompts.tsv'), 'w', encoding='utf-8') as tsv:
    for i, row in enumerate(rows):
        asked, why = dump(row)
        if asked is None:
            failed.append((row[0], why))
            continue
        sizes, broken = [tokens(q) for q in asked], sum(breakages(q) for q in asked)
        tsv.write('\t'.join([*row[:3], str(broken), str(len(asked)), str(sum(sizes))]) + '\n')
        tsv.flush()
        print('%d/%d %s: %d breakages, %d tokens' % (i + 1, len(rows), row[0], broken, sum(sizes)), file=sys.stderr)
        each += sizes
        if asked:
            total.append(sum(sizes))
        if broken == 1:
            single.append(sum(sizes))
show('tokens of a prompt', each)
show('of a case, all its first questions', total)
show('of a case with one breakage', single)
above = sum(t > arg.window for t in each)
print('%d of %d prompts are above the window of %d; %d cases could not be asked about' %
      (above, len(each), arg.window, len(failed)))
for name, why in failed:
    print('  %s: %s' % (name, why))
sys.exit(1 if above or (single and statistics.median(single) > LIMIT) else 0)
