// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/result_export.h"

#include "core/bench/campaign_export.h"
#include "ui/bench/bench_chart.h"
#include "ui/bench/campaign_text.h"
#include "ui/bench/chart_picture.h"
#include "ui/machines/background.h"

#include <QBuffer>
#include <QFileDialog>
#include <QJsonDocument>
#include <QMenu>
#include <QSaveFile>

namespace vitrine::ui {

namespace {

using Format = ResultExport::Format;

struct Kind {
    Format format;
    const char* ending;
    const char* text; // translated where it is shown
};
constexpr std::array kinds{
    Kind{Format::Png, "png", QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "Picture (PNG)…")},
    Kind{Format::Svg, "svg", QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "Picture (SVG)…")},
    Kind{Format::Json, "json", QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "All Data (JSON)…")},
    Kind{Format::Csv, "csv", QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "Table (CSV)…")},
    Kind{Format::Markdown,
         "md",
         QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "Table (Markdown)…")},
    Kind{Format::Tart, "txt", QT_TRANSLATE_NOOP("vitrine::ui::ResultExport", "Tart's Table…")}};

Result<> writeFile(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return fail(Error::Kind::Internal,
                Tr::tr("The file \"%1\" was not written: %2. Choose another place.")
                    .arg(path, file.errorString()));
}

QByteArray dataOf(const bench::Campaign& campaign, Format format) {
    switch (format) {
    case Format::Csv:
        return bench::toCsv(campaign);
    case Format::Markdown:
        return bench::toMarkdown(campaign);
    case Format::Tart:
        return bench::toTartTable(campaign, bench::Unmeasured::Exact).toUtf8();
    default:
        return QJsonDocument(campaign.toJson()).toJson();
    }
}

QByteArray pngOf(const QImage& image) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

} // namespace

ResultExport::ResultExport(BenchChart* chart, QWidget* parent)
    : QObject(parent)
    , m_chart(chart)
    , m_parent(parent)
    , m_menu(new QMenu(parent)) {
    for (const Kind& kind : kinds) {
        if (kind.format == Format::Json)
            m_menu->addSeparator();
        m_menu->addAction(tr(kind.text), this, [this, format = kind.format] { ask(format); });
    }
}

void ResultExport::setSource(const bench::ChartSourcePointer& source) {
    m_source = source;
}

void ResultExport::ask(Format format) {
    if (!m_source)
        return;
    QString ending;
    for (const Kind& kind : kinds)
        if (kind.format == format)
            ending = QLatin1String(kind.ending);
    auto* const dialog = new QFileDialog(m_parent, tr("Export Results"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setDefaultSuffix(ending);
    dialog->setNameFilters({QStringLiteral("*.") + ending, tr("All files (*)")});
    dialog->selectFile(m_source->campaign().id + QLatin1Char('.') + ending);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) {
        write(format, path);
    });
    dialog->open();
}

QStringList ResultExport::linesOfPicture() const {
    const bench::Campaign& campaign = m_source->campaign();
    QStringList lines{QStringLiteral("%1 \u00B7 %2")
                          .arg(bench::nameOf(m_chart->data().quantity), titleOf(campaign)),
                      factsOf(*m_source)};
    if (!m_chart->data().besideTitle.isEmpty())
        lines.append(tr("Beside it: %1 \u00B7 %2").arg(m_chart->data().besideTitle, m_besideFacts));
    if (const QString doubts = doubtsOf(*m_source); !doubts.isEmpty())
        lines.append(doubts);
    return lines;
}

void ResultExport::write(Format format, const QString& path) {
    if (!m_source)
        return;
    QImage image;
    QByteArray svg;
    if (format == Format::Png)
        image = chartImage(*m_chart, linesOfPicture());
    else if (format == Format::Svg)
        svg = chartSvg(*m_chart, linesOfPicture());
    inBackground(
        this,
        [source = m_source, format, path, image, svg] {
            if (format == Format::Png)
                return writeFile(path, pngOf(image));
            return writeFile(path,
                             format == Format::Svg ? svg : dataOf(source->campaign(), format));
        },
        [this, path](const Result<>& done) {
            if (done)
                Q_EMIT written(path);
            else
                Q_EMIT failed(done.error());
        });
}

} // namespace vitrine::ui
