// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QObject>

#include <memory>

class QSocketNotifier;

namespace vitrine::cli {

// Bytes for a descriptor of this process, such as standard output, written as its reader takes
// them, so that the event loop goes on meanwhile. The descriptor is not changed: others share it.
// What waits is kept; whoever gives more looks at waiting().
class OutputQueue final : public QObject {
    Q_OBJECT
public:
    explicit OutputQueue(int descriptor); // not owned
    ~OutputQueue() override;

    void write(const QByteArray& bytes);
    [[nodiscard]] qsizetype waiting() const { return m_bytes.size() - m_start; } // bytes

Q_SIGNALS:
    void written();               // some of what waited
    void failed(int errorNumber); // once; everything is dropped from then on

private:
    void writeSome();

    int m_descriptor;
    QByteArray m_bytes;
    qsizetype m_start = 0;
    bool m_failed = false;
    std::unique_ptr<QSocketNotifier> m_writable;
};

} // namespace vitrine::cli
