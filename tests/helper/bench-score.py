#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""bench-score.py RUN OLD_TREE GOLD_TREE SCORE.json [RUN2]: the numbers of docs/drivebench.md once more, from the
texts and the verdicts of a run, in another language than kport's; ends with 1 when one differs by more than 1e-9."""
import json, math, os, re, subprocess, sys, tempfile
from collections import Counter, defaultdict

run, old_tree, gold_tree, score_file = sys.argv[1:5]
score = json.load(open(score_file))["runs"][0]
cases = [json.loads(l) for l in open(run + "/cases.jsonl")]
settings = json.load(open(run + "/run.json"))
N = settings["attempts"]
bad = 0

def same(what, a, b):
    global bad
    if a is None and b is None:
        return
    if a is None or b is None or abs(a - b) > 1e-9:
        print("differs:", what, a, b)
        bad = 1

# ---- texts
KEYWORDS = set("auto break case char const continue default do double else enum extern float for goto if inline int long "
               "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile "
               "while".split())
TOKEN = re.compile(r'#[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|'
                   r'[-+*/%&|^=!<>]=|&&|\|\||\.\.\.|\S')
FUNC = re.compile(r'^(?:static )?[a-z]+ (\w+)\([^()]*\)\s*\{', re.M)

def units(text):
    out, rest, at = defaultdict(list), "", 0
    for m in FUNC.finditer(text):
        depth, end = 0, m.end() - 1
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if not depth:
                break
        out[""].append(text[at:m.start()])
        out[m.group(1)].append(text[m.start():end])
        at = end
    out[""].append(text[at:])
    return {k: (TOKEN.findall(" \n".join(v)), [x.strip() for x in v if x.strip()]) for k, v in out.items()}

def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]

def ngram(c, r, weighted):
    if not c or not r:
        return float(len(c) == len(r))
    total, most = 0.0, min(4, len(r))
    for n in range(1, most + 1):
        a = Counter(tuple(c[i:i + n]) for i in range(len(c) - n + 1))
        b = Counter(tuple(r[i:i + n]) for i in range(len(r) - n + 1))
        w = lambda g: sum(5 if weighted and t in KEYWORDS else 1 for t in g)
        hit, every = sum(min(k, b[g]) * w(g) for g, k in a.items()), sum(k * w(g) for g, k in a.items())
        if not hit:
            return 0.0
        total += math.log(hit / every)
    return (math.exp(1 - len(r) / len(c)) if len(c) < len(r) else 1.0) * math.exp(total / most)

def shape(t):
    if re.match(r"[A-Za-z_]", t) and t not in KEYWORDS:
        return "I"
    return "N" if re.match(r"\.?\d", t) else "S" if t[0] in "\"'" else t

def subtrees(l):
    out = Counter()
    for i, t in enumerate(l):
        if t not in ("(", "[", "{"):
            continue
        depth, key = 0, []
        for u in l[i:i + 64]:
            key.append(shape(u))
            depth += (u in ("(", "[", "{")) - (u in (")", "]", "}"))
            if not depth:
                break
        out[tuple(key)] += 1
    return out

def flows(l):
    out = Counter()
    for i in range(1, len(l)):
        if l[i] != "=" or not re.match(r"[A-Za-z_]", l[i - 1]):
            continue
        for u in l[i + 1:]:
            if u == ";":
                break
            if re.match(r"[A-Za-z_]", u) and u not in KEYWORDS:
                out[(l[i - 1], u)] += 1
    return out

def recall(f, c, r):
    a, b = f(c), f(r)
    return sum(min(k, a[g]) for g, k in b.items()) / sum(b.values()) if b else float(bool(c) == bool(r))

def similar(old, ours, gold, names):
    o, u, g = units(old), units(ours), units(gold)
    none, n, s = ([], []), 0, Counter()
    for name in set(o) | set(u) | set(g):
        (a, ab), (b, bb), (c, cb) = o.get(name, none), u.get(name, none), g.get(name, none)
        us, them = a != b, a != c
        s["any"] += us or them
        s["both"] += us and them
        s["ours"] += distance(a, b)
        s["gold"] += distance(a, c)
        if them:
            n += 1
            s["exact"] += bb == cb
            s["token"] += b == c
            s["delta"] += max(0.0, 1 - distance(b, c) / distance(a, c))
            for k, v in (("bleu", ngram(b, c, False)), ("weighted_bleu", ngram(b, c, True)),
                         ("syntax", recall(subtrees, b, c)), ("dataflow", recall(flows, b, c))):
                s[k] += v
    out = {k: s[k] / max(n, 1) for k in ("delta", "bleu", "weighted_bleu", "syntax", "dataflow")}
    out["codebleu"] = (out["bleu"] + out["weighted_bleu"] + out["syntax"] + out["dataflow"]) / 4
    out.update(units=n, exact=s["exact"], token=s["token"], function_iou=s["both"] / s["any"] if s["any"] else 1.0,
               edit_ratio=s["ours"] / s["gold"] if s["gold"] else None)
    count = lambda t: Counter(x for x in TOKEN.findall(t) if re.match(r"[A-Za-z_]", x))
    co, cu, cg = count(old), count(ours), count(gold)
    us, them = ({w: k[w] - co[w] for w in set(co) | set(cu) | set(cg)} for k in (cu, cg))
    share = lambda w: min(abs(us[w]), abs(them[w])) if us[w] * them[w] > 0 else 0
    api = [w for w in us if w in names]
    find, made = sum(abs(them[w]) for w in api), sum(map(abs, us.values()))
    out["recall"] = sum(map(share, api)) / find if find else None
    out["precision"] = sum(map(share, us)) / made if made else None
    return out

# ---- statistics
def wilson(h, n):
    z = 1.959963984540054
    if not n:
        return 0.0, 1.0
    p, d = h / n, 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return (p + z * z / (2 * n)) / d - half if h else 0.0, (p + z * z / (2 * n)) / d + half if h < n else 1.0

def bootstrap(clusters):
    state, mask, rates = 1, (1 << 64) - 1, []
    for _ in range(2000):
        h = n = 0
        for _ in clusters:
            state = (state + 0x9e3779b97f4a7c15) & mask
            z = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & mask
            z = ((z ^ z >> 27) * 0x94d049bb133111eb) & mask
            c = clusters[(z ^ z >> 31) % len(clusters)]
            h, n = h + c[0], n + c[1]
        rates.append(h / n)
    rates.sort()
    return rates[50], rates[1949]

def check_rate(what, v, h, n):
    same(what + " hits", v["hits"], h)
    same(what + " n", v["n"], n)
    for a, b in zip(v["wilson95"], wilson(h, n)):
        same(what + " wilson", a, b)

hits, per_case, groups, texts = 0, [], {}, []
for case in cases:
    mine = 0
    for attempt in range(1, N + 1):
        stem = "%s.%d" % (case["id"], attempt)
        rec = json.load(open("%s/results/%s.json" % (run, stem)))
        verdicts = rec.get("gates", {}).values()
        ok = rec.get("gates", {}).get("compile") == "PASS" and not set(verdicts) & {"FAIL", "UNKNOWN", "INFRA"}
        same(stem + " resolved", float(rec["resolved"]), float(ok))
        mine += ok
        read = lambda d: open(os.path.join(d, case["driver"]["path"])).read()
        with tempfile.TemporaryDirectory() as tmp:
            target = os.path.join(tmp, case["driver"]["path"])
            os.makedirs(os.path.dirname(target))
            open(target, "w").write(read(old_tree))
            if rec["status"] == "answered":
                subprocess.run(["patch", "-s", "-f", "-p1", "-i", os.path.abspath("%s/patches/%s.patch" % (run, stem))],
                               cwd=tmp, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            names = {w.split(".")[-1] for x in case["symbols"] for w in (x["name"], x.get("to", "")) if w and "/" not in w}
            want = similar(read(old_tree), read(tmp), read(gold_tree), names)
        for k, v in want.items():
            same("%s %s" % (stem, k), rec["similar"][k], v)
        texts.append(want)
    hits += mine
    per_case.append(mine)
    c = groups.setdefault(case["siblings"]["group"], [0, 0])
    c[0], c[1] = c[0] + mine, c[1] + N
check_rate("resolved", score["resolved"], hits, len(cases) * N)
for a, b in zip(score["resolved"]["bootstrap95"], bootstrap(list(groups.values()))):
    same("bootstrap", a, b)
for k in range(1, N + 1):
    at = sum(1 - math.comb(N - c, k) / math.comb(N, k) for c in per_case) / len(cases)
    every = sum(math.comb(c, k) / math.comb(N, k) for c in per_case) / len(cases)
    same("pass@%d" % k, score["tries"]["pass_at"][str(k)], at)
    same("pass^%d" % k, score["tries"]["pass_all"][str(k)], every)
if N > 1:
    check_rate("flips", score["tries"]["flips"], sum(0 < c < N for c in per_case), len(cases))
for k in ("delta", "codebleu", "edit_ratio", "recall", "precision", "function_iou"):
    v = [t[k] for t in texts if t[k] is not None]
    same(k, score["similar"][k] and score["similar"][k]["mean"], sum(v) / len(v) if v else None)
check_rate("exact", score["similar"]["exact"], sum(t["exact"] for t in texts), sum(t["units"] for t in texts))
print("%d results agree" % len(texts) if not bad else "they differ")
sys.exit(bad)
