#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Scripted model server: real HTTP/1.1 and server-sent events on the loopback.

model-server.py SCRIPT DIR [CERTIFICATE KEY]      (writes DIR/port, then serves until killed; with a certificate over TLS)

SCRIPT is a JSON list of steps. Each request takes the first step whose "match" (a regular expression over the texts of
its messages; absent: any) fits and whose "times" (default 1; 0: always) is not used up. Without one it answers 500.
A step:
  text        answer; TEXT@FILE reads it from a file beside the script
  status      default 200         headers    {"Retry-After": "1"}
  body        raw body instead of the kind's own (latin-1)
  stream      false: one JSON body although a stream was asked for
  chunk       bytes of text an event (default 16)     drip   seconds between events
  delay       seconds before the answer               cut    end the connection after that many events
  mib         so many MiB of text instead             done   false: no end mark
  usage       [in, out]; null: none is reported
  hang        true: keep the connection open behind the end mark
  latin1      true: what is no ASCII in the text of a stream goes out as one byte, which is no UTF-8
As a proxy it passes CONNECT on, and DIR/connects gets the address.
DIR/requests.jsonl gets one line a request: path, body, and for the headers with keys only their SHA-256.
"""
import hashlib
import http.server
import json
import os
import re
import socket
import ssl
import sys
import threading
import time

script_path, work = sys.argv[1], sys.argv[2]
lock = threading.Lock()
used = {}


def steps():
    with open(script_path, encoding='utf-8') as f:
        return json.load(f)


def texts(body):
    parts = [str(body.get('system', ''))]
    for m in body.get('messages', []):
        parts.append(str(m.get('content', '')))
    return '\n'.join(parts)


def choose(body):
    said = texts(body)
    with lock:
        for i, s in enumerate(steps()):
            times = s.get('times', 1)
            if times and used.get(i, 0) >= times:
                continue
            if 'match' in s and not re.search(s['match'], said, re.S):
                continue
            used[i] = used.get(i, 0) + 1
            return s
    return {'status': 500, 'body': '{"error": {"message": "the script has no answer", "type": "script"}}'}


def answer_text(s):
    text = s.get('text', '')
    if text.startswith('TEXT@'):
        with open(os.path.join(os.path.dirname(script_path), text[5:]), encoding='utf-8') as f:
            text = f.read()
    return text


def carry(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    latin1 = False

    def log_message(self, *args):
        pass

    def keep(self, body):
        secret = {h: hashlib.sha256(self.headers[h].encode()).hexdigest()
                  for h in ('authorization', 'x-api-key') if self.headers.get(h)}
        line = json.dumps({'path': self.path, 'body': body, 'keys': secret,
                           'version': self.headers.get('anthropic-version')})
        with lock, open(os.path.join(work, 'requests.jsonl'), 'a', encoding='utf-8') as f:
            f.write(line + '\n')

    def piece(self, data):
        self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.flush()

    def event(self, value, name=None):
        head = 'event: %s\n' % name if name else ''
        data = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=not self.latin1).encode('latin-1')
        self.piece(head.encode() + b'data: ' + data + b'\n\n')

    def plain(self, s, body):
        data = body.encode('latin-1')
        self.send_response(s.get('status', 200))
        for k, v in s.get('headers', {}).items():
            self.send_header(k, v)
        self.send_header('Content-Type', s.get('type', 'application/json'))
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def whole(self, s, anthropic):
        u = s.get('usage', [10, 5])
        if anthropic:
            v = {'type': 'message', 'model': 'scripted', 'stop_reason': 'end_turn',
                 'content': [{'type': 'text', 'text': answer_text(s)}]}
            if u:
                v['usage'] = {'input_tokens': u[0], 'output_tokens': u[1]}
        else:
            v = {'model': 'scripted', 'choices': [{'message': {'content': answer_text(s)},
                                                   'finish_reason': 'stop'}]}
            if u:
                v['usage'] = {'prompt_tokens': u[0], 'completion_tokens': u[1]}
        self.plain(s, json.dumps(v))

    def pieces(self, s):
        if 'mib' in s:
            block = 'x' * 65536
            return (block for _ in range(s['mib'] * 16))
        text, n = answer_text(s), s.get('chunk', 16)
        return (text[i:i + n] for i in range(0, len(text), n))

    def openai(self, s):
        u = s.get('usage', [10, 5])
        sent = 0
        for p in self.pieces(s):
            if sent == s.get('cut', -1):
                return False
            self.event({'model': 'scripted', 'choices': [{'delta': {'content': p}, 'finish_reason': None}]})
            sent += 1
            time.sleep(s.get('drip', 0))
        if sent == s.get('cut', -1):
            return False
        if s.get('done', True):
            self.event({'choices': [{'delta': {}, 'finish_reason': s.get('finish', 'stop')}]})
            if u:
                self.event({'choices': [], 'usage': {'prompt_tokens': u[0], 'completion_tokens': u[1]}})
            self.event(b'[DONE]')
        return True

    def anthropic(self, s):
        u = s.get('usage', [10, 5])
        start = {'type': 'message_start', 'message': {'model': 'scripted'}}
        if u:
            start['message']['usage'] = {'input_tokens': u[0], 'output_tokens': 1}
        self.event(start, 'message_start')
        self.event({'type': 'ping'}, 'ping')
        sent = 0
        for p in self.pieces(s):
            if sent == s.get('cut', -1):
                return False
            self.event({'type': 'content_block_delta', 'delta': {'type': 'text_delta', 'text': p}},
                       'content_block_delta')
            sent += 1
            time.sleep(s.get('drip', 0))
        if s.get('error'):
            self.event({'type': 'error', 'error': {'type': s['error'], 'message': 'trouble'}}, 'error')
        elif s.get('done', True):
            delta = {'type': 'message_delta', 'delta': {'stop_reason': s.get('finish', 'end_turn')}}
            if u:
                delta['usage'] = {'output_tokens': u[1]}
            self.event(delta, 'message_delta')
            self.event({'type': 'message_stop'}, 'message_stop')
        return True

    def do_GET(self):
        self.plain({}, '{"data": [{"id": "scripted"}]}')

    def do_CONNECT(self):
        with open(os.path.join(work, 'connects'), 'a', encoding='utf-8') as f:
            f.write(self.path + '\n')
        host, number = self.path.rsplit(':', 1)
        with socket.create_connection((host, int(number))) as to:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=carry, args=(to, self.connection), daemon=True)
            back.start()
            carry(self.connection, to)
            back.join()
        self.close_connection = True

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        body = json.loads(raw)
        self.keep(body)
        s = choose(body)
        self.latin1 = s.get('latin1', False)
        anthropic = self.path.endswith('/messages')
        time.sleep(s.get('delay', 0))
        try:
            if 'body' in s:
                self.plain(s, s['body'])
            elif not s.get('stream', True):
                self.whole(s, anthropic)
            else:
                self.send_response(s.get('status', 200))
                self.send_header('Content-Type', 'text/event-stream; charset=utf-8')
                self.send_header('Transfer-Encoding', 'chunked')
                self.end_headers()
                if not (self.anthropic(s) if anthropic else self.openai(s)):
                    self.close_connection = True
                    return
                if s.get('hang'):
                    time.sleep(30)
                self.piece(b'')
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


server = Server(('127.0.0.1', 0), Handler)
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    # The handshake belongs to the thread of the connection: one that fails must not hold the others up.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open(os.path.join(work, 'port.new'), 'w', encoding='utf-8') as f:
    f.write('%d\n' % server.server_address[1])
os.rename(os.path.join(work, 'port.new'), os.path.join(work, 'port'))
server.serve_forever()
