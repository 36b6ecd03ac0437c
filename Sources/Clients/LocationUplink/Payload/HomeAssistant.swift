// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

/// How Home Assistant learns of the device by itself (its MQTT discovery).
package enum HomeAssistant {
    /// The retained message that describes a tracker, which takes its place from the messages on `topic`.
    package static func discovery(prefix: String, user: String, device: String, topic: String) -> Message {
        let name = plain("\(user)_\(device)")
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("name")
        writer.null()
        writer.member("unique_id", "locationd_\(name)")
        writer.member("source_type", "gps")
        writer.member("json_attributes_topic", topic)
        // Names as Home Assistant has them; without "gps_accuracy" it would take a place for exact.
        writer.name("json_attributes_template")
        writer.string(
            "{% if value_json is defined and value_json.lat is defined %}"
                + "{{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc, "
                + "'altitude': value_json.alt | default(none), 'speed': value_json.vel | default(0), "
                + "'course': value_json.cog | default(none), 'timestamp': value_json.tst} | tojson }}{% endif %}")
        writer.name("device")
        writer.beginObject()
        writer.name("identifiers")
        writer.beginArray()
        writer.string("locationd_\(name)")
        writer.endArray()
        writer.member("name", device)
        writer.member("manufacturer", "locationd")
        writer.member("sw_version", locationdVersion)
        writer.endObject()
        writer.endObject()
        return Message(
            topic: "\(prefix)/device_tracker/locationd_\(name)/config", payload: writer.bytes, isRetained: true)
    }

    // Returns `text` with _ for all but ASCII letters, digits, _ and -, which a topic's level and an identifier may have.
    private static func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain || scalar == "_" || scalar == "-" ? Character(scalar) : "_"
            })
    }
}
