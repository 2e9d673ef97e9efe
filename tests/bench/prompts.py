#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tokens of the first questions that a model would be asked, over the development cases (--dump-prompt: nothing is sent).

prompts.py KPORT BENCH-PORT CASES OUT [--policy model|hybrid] [--left DIR] [--set intree|dkms] [--pair OLD:NEW]
           [--every N] [--offset N] [--window N] [--seconds N]

CASES holds the lists of "make bench-port". With "model" (the default) the engine's own repairs are off, so that every case
has questions; with "hybrid" only what it leaves is asked. --left takes the cases alone whose result.json in DIR (the OUT of
bench-port) says "not ported". OUT/prompts.tsv gets a line a case; a case that has its numbers there is not asked again, so that slices of
--seconds add up. Exit code 1: a prompt is above the window, or the median of the cases with one breakage is above 12,000
tokens.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

BYTES_PER_TOKEN = 3  # as agents/prompt.c counts
LIMIT = 12000

arg = argparse.ArgumentParser()
arg.add_argument('kport')
arg.add_argument('bench_port')
arg.add_argument('cases')
arg.add_argument('out')
arg.add_argument('--policy', default='model')
arg.add_argument('--left')
arg.add_argument('--set', default='intree')
arg.add_argument('--seconds', type=float, default=1e9)
arg.add_argument('--every', type=int, default=1)
arg.add_argument('--offset', type=int, default=0)
arg.add_argument('--pair')
arg.add_argument('--window', type=int, default=32768)
arg = arg.parse_args()


def cases():
    cmd = [arg.bench_port, '--kport', arg.kport, '--cases', arg.cases, '--out', arg.left or arg.out, '--set', arg.set,
           '--every', str(arg.every), '--offset', str(arg.offset), '--inputs']
    if arg.pair:
        cmd += ['--pair', arg.pair]
    r = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True)
    rows = [line.split('\t') for line in r.stdout.rstrip('\n').split('\n') if line]
    return [row[:5] for row in rows if not arg.left or row[5] == 'not ported']


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
    if not row[4]:
        return None, 'no input'
    cmd = [arg.kport, 'port', row[4], '--from', row[2], '--to', row[3], '--no-boot', '--gates', 'compile', '--generator',
           arg.policy, '--model', 'openai:m', '--dump-prompt', '--window', str(arg.window), '--out',
           os.path.join(arg.out, 'port'), '--force', '--quiet']
    r = subprocess.run(cmd, capture_output=True, text=True, errors='replace')
    if r.returncode not in (0, 1):
        return None, r.stderr.strip().split('\n')[-1]
    return list(requests(r.stdout)), ''


def show(name, values):
    if values:
        v = sorted(values)
        print('%-44s %5d  median %6d  95 %% %6d  max %6d' % (name, len(v), statistics.median(v),
                                                           v[int(0.95 * (len(v) - 1))], v[-1]))


def read_done(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as f:
        return {tuple(line.split('\t')[:5]): line.rstrip('\n').split('\t')[5:] for line in f if line.endswith('\n')}


def report(rows, done):
    mine = [done[k] for k in rows if k in done]
    asked = [(int(v[0]), [int(t) for t in v[1].split()]) for v in mine if v[0] != '-']
    each = [t for _, sizes in asked for t in sizes]
    single = [sum(sizes) for broken, sizes in asked if broken == 1]
    show('tokens of a prompt', each)
    show('of a case, all its first questions', [sum(sizes) for _, sizes in asked if sizes])
    show('of a case with one breakage', single)
    above = sum(t > arg.window for t in each)
    print('%d of %d prompts are above the window of %d; of %d cases %d were run, %d had nothing to ask, %d could not be asked'
          ' about' % (above, len(each), arg.window, len(rows), len(mine), sum(not sizes for _, sizes in asked),
                      len(mine) - len(asked)))
    for k in rows:
        if k in done and done[k][0] == '-':
            print('  %s %s %s: %s' % (k[1], k[2], k[3], done[k][1]))
    return 1 if above or (single and statistics.median(single) > LIMIT) else 0


os.makedirs(arg.out, exist_ok=True)
path = os.path.join(arg.out, 'prompts.tsv')
inputs = cases()
rows = [(arg.policy, *row[:4]) for row in inputs]
done, end = read_done(path), time.monotonic() + arg.seconds
with open(path, 'a', encoding='utf-8') as tsv:
    for i, (key, row) in enumerate(zip(rows, inputs)):
        if done.get(key, ['-'])[0] != '-' or time.monotonic() > end:
            continue
        asked, why = dump(row)
        if asked is None:
            done[key] = ['-', why]
        else:
            done[key] = [str(sum(breakages(q) for q in asked)), ' '.join(str(tokens(q)) for q in asked)]
        tsv.write('\t'.join([*key, *done[key]]) + '\n')
        tsv.flush()
        print('%d/%d %s %s: %s' % (i + 1, len(rows), row[1], row[3], ', '.join(done[key])), file=sys.stderr)
sys.exit(report(rows, done))
