// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace vitrine::test {

// A macOS machine as Tart writes it: keys in no order, '/' escaped, a key nobody knows, identifiers
// and variables of bytes that are no text.
struct MacMachine {
    // A binary property list with one entry, as the framework makes it.
    static QByteArray ecid() {
        return QByteArray("bplist00\xd1\x01\x02\x54"
                          "ECID\x13",
                          17) +
               QByteArray("\x8f\x00\xff\xfb\x3f\x01\x7e\x90", 8) + "rest";
    }
    // Its base64 holds '/' and '+'.
    static QByteArray hardwareModel() {
        return QByteArray("bplist00\xff\xff\xfe\xfb\xef\xbe\0", 15);
    }
    static QByteArray nvram() {
        QByteArray bytes;
        for (int i = 0; i < 70000; ++i)
            bytes += static_cast<char>((i * 131 + (i >> 8)) & 0xff);
        return bytes;
    }
    static QByteArray escaped(const QByteArray& bytes) {
        return bytes.toBase64().replace("/", "\\/");
    }
    static QByteArray config() {
        return "{\n  \"hardwareModel\" : \"" + escaped(hardwareModel()) +
               "\",\n  \"memorySize\" : 4294967296,\n  \"os\" : \"darwin\",\n  \"ecid\" : \"" +
               escaped(ecid()) +
               "\",\n  \"cpuCount\" : 4,\n  \"display\" : {\n    \"height\" : 900,\n    \"width\" "
               ": 1440,\n    \"unit\" : \"pt\"\n  },\n  \"fromTheFuture\" : [1, 2],\n  \"arch\" : "
               "\"arm64\",\n  \"diskFormat\" : \"raw\",\n  \"cpuCountMin\" : 2,\n  "
               "\"memorySizeMin\" : 4294967296,\n  \"version\" : 1,\n  \"macAddress\" : "
               "\"7e:11:22:33:44:55\"\n}";
    }
    // Of a config.json: base64 as it was decoded.
    static QByteArray bytesOf(const QByteArray& config, const char* key) {
        return QByteArray::fromBase64(QJsonDocument::fromJson(config)
                                          .object()
                                          .value(QLatin1String(key))
                                          .toString()
                                          .toLatin1());
    }
};

} // namespace vitrine::test
