# SPDX-License-Identifier: Apache-2.0
"""What locationd-beacons and locationd take of a processor while so many advertisements a second come over the bus, beside dbus-monitor on the same bus.

    .build/dbusmock/bin/python3 Tests/LocationBeaconsTests/Programs/load.py .build/release [RATE] [SECONDS] [BEACONS]
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

programs = os.path.abspath(sys.argv[1])
rate, seconds, beacons = [float(word) for word in (sys.argv[2:] + ["1000", "20", "50"][len(sys.argv) - 2:])]
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
here = os.path.dirname(os.path.abspath(__file__))
types = "".join(f'<allow {way}_type="{kind}"/>' for way in ["send", "receive"]
                for kind in ["method_call", "method_return", "signal", "error"])


def used(process):
    """Seconds of processor time."""
    with open(f"/proc/{process.pid}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as directory:
    def path(name):
        return os.path.join(directory, name)

    with open(path("bus.conf"), "w") as file:
        file.write(f'<busconfig><type>system</type><listen>unix:path={path("bus")}</listen><auth>EXTERNAL</auth><policy '
                   f'context="default"><allow user="*"/><allow own="*"/><allow eavesdrop="true"/>{types}</policy></busconfig>')
    for name in ["state", "run"]:
        os.mkdir(path(name))
    with open(path("locationd.conf"), "w") as file:
        file.write(f'[Apps]\nDirectory={path("apps.d")}\n')
    environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS="unix:path=" + path("bus"))
    running = []

    def start(*command, **more):
        running.append(subprocess.Popen(command, env=environment, **more))
        time.sleep(1)
        return running[-1]

    try:
        start("dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + path("bus.conf"))
        air = start(sys.executable, os.path.join(here, "air.py"), "plain", stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True)
        air.stdout.readline()

        def tell(command):
            air.stdin.write(command + "\n")
            air.stdin.flush()
            return json.loads(air.stdout.readline())

        tell("arrive")
        tell("add_adapter hci0")
        daemon = start(programs + "/locationd", "--config", path("locationd.conf"), "--socket", path("socket"), "--gpsd",
                       "127.0.0.1:1", "--state-directory", path("state"), "--runtime-directory", path("run"))
        ears = start(programs + "/locationd-beacons", "--socket", path("socket"))
        client = socket.socket(socket.AF_UNIX)
        client.connect(path("socket"))
        request = {"jsonrpc": "2.0", "id": 1, "method": "startRangingBeacons", "params": {"uuid": UUID}}
        client.sendall((json.dumps(request) + "\n").encode())
        for number in range(int(beacons)):
            tell(f"beacon hci0 {number} {UUID} 1 {number} -59 -60")
        monitor = start("dbus-monitor", "--system", "sender='org.bluez'", stdout=subprocess.DEVNULL)
        watched = {"locationd-beacons": ears, "locationd": daemon, "dbus-monitor": monitor}
        before = {name: used(process) for name, process in watched.items()}
        begin = time.monotonic()
        count = tell(f"flood {seconds} {rate}")
        time.sleep(1)
        elapsed = time.monotonic() - begin
        client.setblocking(False)
        lines = client.recv(1 << 24).count(b"didRangeBeacons")
        print(f"{count} advertisements of {int(beacons)} beacons in {elapsed:.1f} s, {lines} didRangeBeacons")
        for name, process in watched.items():
            print(f"{name}: {(used(process) - before[name]) / elapsed * 100:.2f} % of a processor")
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()
