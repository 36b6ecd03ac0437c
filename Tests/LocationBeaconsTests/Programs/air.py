# SPDX-License-Identifier: Apache-2.0
"""The air and BlueZ in it, for tests: python-dbusmock's BlueZ on the system bus that the environment names, driven by lines on standard input.
Each line is answered by one: its result as JSON. The first argument says whether adapters have advertisement monitors."""
import json
import subprocess
import sys
import time

import dbus
import dbus.lowlevel

MOCK = "org.bluez.Mock"
ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
bus = dbus.SystemBus()
bluez = None
devices = {}


def wait(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    sys.exit("cannot see BlueZ come or go within 10 s")


def arrive():
    global bluez
    parameters = json.dumps({"enable_monitor_api": sys.argv[1] == "monitors"})
    bluez = subprocess.Popen(
        [sys.executable, "-m", "dbusmock", "--system", "--template", "bluez5", "-p", parameters],
        stdout=subprocess.DEVNULL,
    )
    wait(lambda: bus.name_has_owner("org.bluez"))


def leave():
    bluez.terminate()
    bluez.wait()
    devices.clear()
    wait(lambda: not bus.name_has_owner("org.bluez"))


def mock(path="/org/bluez", interface=MOCK):
    return dbus.Interface(bus.get_object("org.bluez", path), interface)


# BlueZ releases a monitor before it answers that it has let go of it; the mock only lets go.
UNREGISTER = """
import dbus.lowlevel
self.monitors.remove(args[0])
for name in self.connection.list_names():
    if name.startswith(":") and name != self.connection.get_unique_name():
        release = dbus.lowlevel.MethodCallMessage(name, args[0] + "/monitor", "org.bluez.AdvertisementMonitor1", "Release")
        release.set_no_reply(True)
        self.connection.send_message(release)
"""


def add_adapter(name):
    mock().AddAdapter(name, name)
    if sys.argv[1] == "monitors":
        mock("/org/bluez/" + name, "org.freedesktop.DBus.Mock").AddMethod(
            "org.bluez.AdvertisementMonitorManager1", "UnregisterMonitor", "o", "", UNREGISTER)


def power(name, state):
    update("/org/bluez/" + name, ADAPTER, {"Powered": dbus.Boolean(state == "on")})


def update(path, interface, properties, **more):
    mock(path, "org.freedesktop.DBus.Mock").UpdateProperties(
        interface, dbus.Dictionary(properties, signature="sv"), **more)


def device(adapter, number):
    if (adapter, number) not in devices:
        address = "C0:00:00:00:%02X:%02X" % (number >> 8, number & 255)
        devices[adapter, number] = mock().AddDevice(adapter, address, "beacon")
    return devices[adapter, number]


def data(uuid, major, minor, measured_power):
    payload = bytes([2, 0x15]) + bytes.fromhex(uuid.replace("-", ""))
    payload += int(major).to_bytes(2, "big") + int(minor).to_bytes(2, "big") + bytes([int(measured_power) & 255])
    return dbus.Dictionary({dbus.UInt16(0x4C): dbus.Array(payload, signature="y", variant_level=1)}, signature="qv")


def beacon(adapter, number, uuid, major, minor, measured_power, rssi):
    """A beacon, as it is heard the first time."""
    properties = {"ManufacturerData": data(uuid, major, minor, measured_power), "RSSI": dbus.Int16(rssi)}
    update(device(adapter, int(number)), DEVICE, properties)


def again(adapter, number, rssi):
    """The same beacon: BlueZ tells only how loud it is."""
    update(device(adapter, int(number)), DEVICE, {"RSSI": dbus.Int16(rssi)})


def forge(uuid, major, minor):
    """Another program tells everybody on the bus what BlueZ tells of a beacon."""
    other = dbus.SystemBus(private=True)
    properties = dbus.Dictionary(
        {"ManufacturerData": data(uuid, major, minor, -59), "RSSI": dbus.Int16(-40)}, signature="sv")
    for name in bus.list_names():
        message = dbus.lowlevel.SignalMessage(
            "/org/bluez/hci0/dev_forged", "org.freedesktop.DBus.Properties", "PropertiesChanged")
        message.append(DEVICE, properties, dbus.Array([], signature="s"), signature="sa{sv}as")
        message.set_destination(name)
        other.send_message(message)
    other.flush()
    other.close()


def flood(seconds, rate):
    """All devices in turn, so many advertisements a second, over so many seconds; answers how many there were."""
    objects = [mock(path, "org.freedesktop.DBus.Mock") for path in devices.values()]
    begin, count = time.monotonic(), 0
    while (elapsed := time.monotonic() - begin) < float(seconds):
        while count < elapsed * float(rate):
            properties = dbus.Dictionary({"RSSI": dbus.Int16(-50 - count % 20)}, signature="sv")
            objects[count % len(objects)].UpdateProperties(DEVICE, properties)
            count += 1
        time.sleep(0.001)
    mock().Ping(dbus_interface="org.freedesktop.DBus.Peer")
    return count


def discovers(adapter):
    properties = mock("/org/bluez/" + adapter, "org.freedesktop.DBus.Properties")
    return bool(properties.Get(ADAPTER, "Discovering"))


def calls(adapter, method):
    return len(mock("/org/bluez/" + adapter, "org.freedesktop.DBus.Mock").GetMethodCalls(method))


def sampling(adapter):
    """How often the monitor of an adapter wants to be told of a beacon, tenths of a second, as BlueZ would ask for it."""
    for name in bus.list_names():
        if not name.startswith(":") or name == bus.get_unique_name():
            continue
        try:
            monitor = bus.get_object(name, f"/org/locationd/beacons/{adapter}/monitor", introspect=False)
            return int(monitor.Get(
                "org.bluez.AdvertisementMonitor1", "RSSISamplingPeriod",
                dbus_interface="org.freedesktop.DBus.Properties", timeout=1))
        except dbus.DBusException:
            continue


def remove_adapter(name):
    mock().RemoveAdapterWithDevices(name)


commands = {
    function.__name__: function
    for function in [arrive, leave, add_adapter, remove_adapter, power, beacon, again, forge, flood, discovers, calls, sampling]
}
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    print(json.dumps(commands[words[0]](*words[1:])), flush=True)
if bluez:
    bluez.terminate()
