#!/usr/bin/env python3
"""Runs the release binary over the recorded output of the real tools and fails when a count falls below the ratchet.

The recordings lie beside the checkout (../shared/golden); a checkout without them skips this step and says so.
tests/ratchet.json holds, for each run, the lowest count of passing cases that is accepted. Raise it when more pass:
  python3 tests/conformance.py --record
"""
import json, os, re, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
shared = os.path.join(root, "..", "shared")
binary = os.path.join(root, "target", "release", "tidepool")
ratchet_file = os.path.join(here, "ratchet.json")
TOOLS = {"helm": "conform", "helm-corpus": "conform", "kustomize": "conform", "kustomize-corpus": "conform",
         "api": "conform-kubernetes", "argocd": "conform-argocd"}

if not os.path.isdir(os.path.join(shared, "golden")):
    print("no recordings beside this checkout: conformance skipped")
    sys.exit(0)
with open(ratchet_file, encoding="utf-8") as f:
    ratchet = json.load(f)
record, ok = "--record" in sys.argv, True
for run, floor in ratchet.items():
    words = run.split()
    tool = TOOLS[words[0]]
    args = words if tool == "conform" else words[1:]
    command = [sys.executable, os.path.join(shared, "tools", tool), *args, "--bin", binary, "--show", "0"]
    out = subprocess.run(command, capture_output=True, text=True)
    found = re.findall(r"(\d+) passed, (\d+) failed", out.stdout)
    if not found:
        print(f"{run}: no count\n{out.stdout[-500:]}{out.stderr[-500:]}")
        ok = False
        continue
    good, bad = map(int, found[-1])
    print(f"{run}: {good} of {good + bad} (ratchet {floor})", flush=True)
    if record:
        ratchet[run] = max(floor, good)
    elif good < floor:
        print(f"{run}: fell below the ratchet")
        ok = False
if record:
    with open(ratchet_file, "w", encoding="utf-8") as f:
        json.dump(ratchet, f, indent=2)
        f.write("\n")
sys.exit(0 if ok else 1)
