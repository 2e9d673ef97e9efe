#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A model file (GGUF 3) for llama.cpp with random weights: what it says has no meaning.

tiny-gguf.py FILE [SEED]

One layer of 32 numbers, a token a byte: 70 KiB. The same seed gives the same file.
"""
import random
import struct
import sys

EMBD, FF, HEADS, CONTEXT = 32, 64, 2, 65536
TEMPLATE = ("{% for m in messages %}{{ '<s>' + m['role'] + '\n' + m['content'] + '</s>' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<s>assistant\n' }}{% endif %}")
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6

out, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = random.Random(seed)
vocab = [('<unk>', UNKNOWN), ('<s>', CONTROL), ('</s>', CONTROL)]
vocab += [('<0x%02X>' % i, BYTE) for i in range(256)]
vocab += [(chr(i), NORMAL) for i in range(33, 127)] + [('\u2581', NORMAL)]


def text(s):
    b = s.encode()
    return struct.pack('<Q', len(b)) + b


def value(v):
    if isinstance(v, bool):
        return struct.pack('<I?', 7, v)
    if isinstance(v, int):
        return struct.pack('<II', 4, v)
    if isinstance(v, float):
        return struct.pack('<If', 6, v)
    if isinstance(v, str):
        return struct.pack('<I', 8) + text(v)
    kind = {int: 5, float: 6, str: 8}[type(v[0])]
    pack = {int: lambda x: struct.pack('<i', x), float: lambda x: struct.pack('<f', x), str: text}[type(v[0])]
    return struct.pack('<IIQ', 9, kind, len(v)) + b''.join(pack(x) for x in v)


meta = {
    'general.architecture': 'llama', 'general.name': 'random', 'general.file_type': 0, 'general.alignment': 32,
    'llama.context_length': CONTEXT, 'llama.embedding_length': EMBD, 'llama.block_count': 1,
    'llama.feed_forward_length': FF, 'llama.attention.head_count': HEADS, 'llama.attention.head_count_kv': HEADS,
    'llama.attention.layer_norm_rms_epsilon': 1e-5, 'llama.rope.dimension_count': EMBD // HEADS,
    'llama.vocab_size': len(vocab), 'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': [t for t, _ in vocab], 'tokenizer.ggml.scores': [0.0] * len(vocab),
    'tokenizer.ggml.token_type': [k for _, k in vocab], 'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2, 'tokenizer.ggml.unknown_token_id': 0,
    'tokenizer.ggml.add_bos_token': False, 'tokenizer.ggml.add_space_prefix': False,
    'tokenizer.chat_template': TEMPLATE,
}
shapes = {'token_embd.weight': (EMBD, len(vocab)), 'output_norm.weight': (EMBD,), 'output.weight': (EMBD, len(vocab)),
          'blk.0.attn_norm.weight': (EMBD,), 'blk.0.ffn_norm.weight': (EMBD,), 'blk.0.ffn_gate.weight': (EMBD, FF),
          'blk.0.ffn_up.weight': (EMBD, FF), 'blk.0.ffn_down.weight': (FF, EMBD)}
for part in ('q', 'k', 'v', 'output'):
    shapes['blk.0.attn_%s.weight' % part] = (EMBD, EMBD)

infos, data = b'', b''
for name, dims in shapes.items():
    n = 1
    for d in dims:
        n *= d
    infos += text(name) + struct.pack('<I', len(dims)) + b''.join(struct.pack('<Q', d) for d in dims)
    infos += struct.pack('<IQ', 0, len(data))
    numbers = [1.0] * n if name.endswith('norm.weight') else [rng.gauss(0, 0.1) for _ in range(n)]
    data += struct.pack('<%df' % n, *numbers)
    data += b'\0' * (-len(data) % 32)
head = struct.pack('<4sIQQ', b'GGUF', 3, len(shapes), len(meta))
head += b''.join(text(k) + value(v) for k, v in meta.items()) + infos
head += b'\0' * (-len(head) % 32)
with open(out, 'wb') as f:
    f.write(head + data)
