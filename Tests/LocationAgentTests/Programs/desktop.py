# SPDX-License-Identifier: Apache-2.0
"""What shows notifications, for tests: python-dbusmock's notification daemon on the session bus that the environment names, driven by lines
on standard input. Each line is answered by one: its result as JSON. The arguments are its capabilities."""
import json
import subprocess
import sys
import time

import dbus
import dbus.lowlevel

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
bus = dbus.SessionBus()
screen = None


def wait(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    sys.exit("cannot see the screen come or go within 10 s")


def arrive():
    global screen
    screen = subprocess.Popen(
        [sys.executable, "-m", "dbusmock", "--session", "--template", "notification_daemon", "-p",
         json.dumps({"capabilities": " ".join(sys.argv[1:])})],
        stdout=subprocess.DEVNULL,
    )
    wait(lambda: bus.name_has_owner(NAME))


def leave():
    screen.terminate()
    screen.wait()
    wait(lambda: not bus.name_has_owner(NAME))


def mock():
    return dbus.Interface(bus.get_object(NAME, PATH), "org.freedesktop.DBus.Mock")


def shown():
    """Of each notification: who, title, text, buttons, how long it stays, which one it replaces, and hints."""
    return [[str(a[0]), str(a[3]), str(a[4]), [str(key) for key in a[5]], int(a[7]), int(a[1]),
             {str(name): int(hint) for name, hint in a[6].items()}]
            for _, a in mock().GetMethodCalls("Notify")]


def closed():
    return [int(a[0]) for _, a in mock().GetMethodCalls("CloseNotification")]


def press(number, key):
    mock().EmitSignal(NAME, "ActionInvoked", "us", [dbus.UInt32(number), key])


def forge(number, key):
    """Another program says that the button was pressed, to everybody on the bus."""
    other = dbus.SessionBus(private=True)
    for name in bus.list_names():
        message = dbus.lowlevel.SignalMessage(PATH, NAME, "ActionInvoked")
        message.append(dbus.UInt32(number), key, signature="us")
        message.set_destination(name)
        other.send_message(message)
    other.flush()
    other.close()


commands = {function.__name__: function for function in [arrive, leave, shown, closed, press, forge]}
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    print(json.dumps(commands[words[0]](*words[1:])), flush=True)
if screen:
    screen.terminate()
