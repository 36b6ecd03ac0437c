# SPDX-License-Identifier: Apache-2.0
"""A connection to the system bus that does what it is told, a JSON line each, and tells what it hears, a JSON line each.

    {"call": [PATH, INTERFACE, METHOD, SIGNATURE, [ARGUMENT...]]}   a method of GeoClue; without an answer yet others may be called
    {"set": [PATH, INTERFACE, PROPERTY, SIGNATURE, VALUE]}          a property of GeoClue
    {"agent": {"answer": [YES, LEVEL], "ceiling": LEVEL}}           serves GeoClue's agent interface; again: says something else
    {"simple": [DESKTOP-ID, LEVEL]}                                 libgeoclue's own client
"""
import json
import os

import gi

gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue, Gio, GLib

NAME = "org.freedesktop.GeoClue2"
AGENT = """<node><interface name="org.freedesktop.GeoClue2.Agent">
<method name="AuthorizeApp"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="b" direction="out"/>
<arg type="u" direction="out"/></method><property name="MaxAccuracyLevel" type="u" access="read"/></interface></node>"""

bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
agent = {}
simple = []
unfinished = b""


def say(**members):
    print(json.dumps(members), flush=True)


def heard(_, sender, path, interface, signal, arguments):
    say(signal=signal, path=path, arguments=arguments.unpack())


def answered(number):
    def finish(connection, result):
        try:
            reply = connection.call_finish(result)
            say(reply=number, values=reply.unpack())
        except GLib.Error as error:
            say(reply=number, error=Gio.DBusError.get_remote_error(error), message=error.message)

    return finish


def call(number, path, interface, method, arguments):
    bus.call(NAME, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 60000, None, answered(number))


def authorize(_, sender, path, interface, method, arguments, invocation):
    say(asked=arguments.unpack())
    if agent["answer"] is not None:
        invocation.return_value(GLib.Variant("(bu)", agent["answer"]))


def ceiling(*_):
    return GLib.Variant("u", agent["ceiling"])


def serve_agent(wish):
    isNew = not agent
    agent.update(wish)
    if isNew:
        info = Gio.DBusNodeInfo.new_for_xml(AGENT).interfaces[0]
        bus.register_object("/org/freedesktop/GeoClue2/Agent", info, authorize, ceiling, None)
    else:
        changes = GLib.Variant("(sa{sv}as)", (info_name(), {"MaxAccuracyLevel": ceiling()}, []))
        bus.emit_signal(None, "/org/freedesktop/GeoClue2/Agent", "org.freedesktop.DBus.Properties", "PropertiesChanged", changes)


def info_name():
    return "org.freedesktop.GeoClue2.Agent"


def located(client, *_):
    place = client.get_location()
    say(located=[place.get_property(name) for name in ("latitude", "longitude", "accuracy", "altitude", "speed", "heading")])


def ready(_, result):
    try:
        client = Geoclue.Simple.new_finish(result)
    except GLib.Error as error:
        say(refused=error.message)
        return
    simple.append(client)
    located(client)
    client.connect("notify::location", located)


def obey(wish):
    number = wish.get("number")
    if "call" in wish:
        path, interface, method, signature, arguments = wish["call"]
        call(number, path, interface, method, GLib.Variant("(%s)" % signature, arguments))
    elif "set" in wish:
        path, interface, name, signature, value = wish["set"]
        arguments = GLib.Variant("(ssv)", (interface, name, GLib.Variant(signature, value)))
        call(number, path, "org.freedesktop.DBus.Properties", "Set", arguments)
    elif "agent" in wish:
        serve_agent(wish["agent"])
    elif "simple" in wish:
        Geoclue.Simple.new(wish["simple"][0], Geoclue.AccuracyLevel(wish["simple"][1]), None, ready)


def told(*_):
    # Not through sys.stdin, which would keep lines for itself that nobody is woken for.
    global unfinished
    piece = os.read(0, 65536)
    if not piece:
        loop.quit()
        return False
    *lines, unfinished = (unfinished + piece).split(b"\n")
    for line in lines:
        obey(json.loads(line))
    return True


bus.signal_subscribe(NAME, None, None, None, None, Gio.DBusSignalFlags.NONE, heard)
GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, told)
loop = GLib.MainLoop()
say(ready=bus.get_unique_name())
loop.run()
