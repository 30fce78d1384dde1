"""The main job needs no key and no network: here no process can reach anything but this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ragkit.files import ROOT

# Brings up loopback in a fresh network namespace, where nothing else exists, and becomes the command.
INSIDE = """
import fcntl, os, socket, struct, sys
with socket.socket() as sock:
    fcntl.ioctl(sock, 0x8914, struct.pack("16sH14s", b"lo", 1, b""))  # SIOCSIFFLAGS, IFF_UP
os.execv(sys.argv[1], sys.argv[1:])
"""
PROBE = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=3)"  # TEST-NET-1: nobody's address
LOOPBACK = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=3).close()
"""


@cache
def alone() -> list[str]:
    """The words that put a command into a namespace with loopback only."""
    words = ["unshare", "--map-root-user", "--net", sys.executable, "-c", INSIDE]
    if not shutil.which("unshare") or subprocess.run([*words, shutil.which("true") or "true"]).returncode:
        pytest.skip("this machine gives no network namespace (unshare): the main job was not run without a network")
    return words


def offline(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    keyless = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    return subprocess.run(
        [*alone(), *command], env=keyless | environment, cwd=ROOT, capture_output=True, text=True, timeout=280
    )


def test_the_namespace_has_loopback_and_nothing_else() -> None:
    assert offline(sys.executable, "-c", LOOPBACK).returncode == 0
    assert "unreachable" in offline(sys.executable, "-c", PROBE).stderr


def test_the_main_job_runs_without_key_and_network(tmp_path: Path) -> None:
    done = offline(sys.executable, "-m", "ragkit", "report", "--force", RAGKIT_RESULTS=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "report.html").stat().st_size > 100_000
