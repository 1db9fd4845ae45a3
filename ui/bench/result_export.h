// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

#include <QObject>

class QMenu;
class QWidget;

namespace vitrine::ui {

class BenchChart;

// The menu that writes a chart as a picture or a campaign's whole data as a file. Asks for the
// place; pictures are painted on the window's thread, files are written in the background.
class ResultExport final : public QObject {
    Q_OBJECT
public:
    enum class Format { Png, Svg, Json, Csv, Markdown, Tart };
    ResultExport(BenchChart* chart, QWidget* parent);

    [[nodiscard]] QMenu* menu() const { return m_menu; }
    // Host and guest of the set beside it; empty: none.
    void setBesideFacts(const QString& facts) { m_besideFacts = facts; }
    void setSource(const bench::ChartSourcePointer& source); // null: nothing to export
    // Without a question; written() or failed() follows.
    void write(Format format, const QString& path);

Q_SIGNALS:
    void written(const QString& path);
    void failed(const vitrine::Error& error);

private:
    void ask(Format format);
    [[nodiscard]] QStringList linesOfPicture() const;

    BenchChart* m_chart;
    QWidget* m_parent;
    QMenu* m_menu;
    bench::ChartSourcePointer m_source;
    QString m_besideFacts;
};

} // namespace vitrine::ui
