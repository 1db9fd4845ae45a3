// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QPlainTextEdit>
#include <QStringDecoder>
#include <QTimer>

#include <array>

namespace vitrine::ui {

// What a run printed, as plain text: characters that would steer a terminal are shown as
// replacements. Lines of standard error carry "err" in the margin, are slanted and have the error's
// colour. Keeps the last mostLines lines.
class KernelOutput final : public QPlainTextEdit {
    Q_OBJECT
public:
    static constexpr int mostLines = 10000;
    static constexpr qsizetype longestLine = 4096; // characters; the rest goes on in the next one
    enum class Stream { Output, Errors };

    explicit KernelOutput(QWidget* parent = nullptr);

    void add(Stream stream, const QByteArray& bytes); // shown within a moment
    void flush();                                     // now
    void reset();
    [[nodiscard]] bool isCut() const { return m_cut; } // lines of before are gone
    [[nodiscard]] Stream streamOf(int line) const;

Q_SIGNALS:
    void cutChanged(bool cut);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Line {
        Stream stream = Stream::Output;
        bool goesOn = false; // with the last line that is shown
        QString text;
    };
    struct Source {
        QStringDecoder decoder{QStringDecoder::Utf8};
        bool atReturn = false; // a CR came, and perhaps LF follows
    };
    void take(Stream stream, QStringView text, bool endsLine);
    void colour();
    void paintMargin();
    [[nodiscard]] int marginWidth() const;
    [[nodiscard]] static QTextCharFormat formatOf(Stream stream);

    QWidget* m_margin;
    QTimer m_soon;
    std::array<Source, 2> m_sources;
    QList<Line> m_pending;
    Stream m_lastStream = Stream::Output;
    qsizetype m_length = 0; // of the last line
    bool m_open = false;    // the last line has no end yet
    bool m_cut = false;
};

} // namespace vitrine::ui
