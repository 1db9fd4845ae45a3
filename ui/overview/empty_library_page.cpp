// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/empty_library_page.h"

#include "ui/library/machine_text.h"
#include "ui/overview/host_checks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QFile>
#include <QHBoxLayout>
#include <QPainter>
#include <QSvgRenderer>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int columnWidth = 664;

// The display case of the empty library, in the accent.
class DisplayCase final : public QWidget {
public:
    explicit DisplayCase(QWidget* parent)
        : QWidget(parent) {
        setFixedSize(96, 64);
        QFile file(QStringLiteral(":/vitrine/display-case.svg"));
        if (file.open(QIODevice::ReadOnly))
            m_source = file.readAll();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QByteArray source = m_source;
        source.replace("currentColor", Theme::current().accent.name().toLatin1());
        QPainter painter(this);
        QSvgRenderer(source).render(&painter, QRectF(rect()));
    }

private:
    QByteArray m_source;
};

QWidget* makeStep(QStringView icon,
                  const QString& title,
                  const QString& text,
                  QPushButton* button,
                  QWidget* parent) {
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, spacing::block, 0, spacing::block);
    layout->setSpacing(spacing::block);
    auto* picture = new GlyphLabel(row);
    picture->setIcon(icon, 32, GlyphLabel::IconTone::Accent);
    layout->addWidget(picture);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(spacing::tight);
    texts->addWidget(sectionHeading(title, row));
    auto* explanation = new TextLabel(text, TextSize::Body, TextTone::Secondary, row);
    explanation->setWordWrap(true);
    texts->addWidget(explanation);
    layout->addLayout(texts, 1);
    layout->addWidget(button);
    return row;
}

} // namespace

EmptyLibraryPage::EmptyLibraryPage(const Services& services, QWidget* parent)
    : PageFrame(parent) {
    auto* column = new QWidget(this);
    column->setMaximumWidth(columnWidth);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, spacing::block, 0, spacing::block);
    layout->setSpacing(0);
    layout->addWidget(new DisplayCase(column));
    layout->addSpacing(spacing::block);
    layout->addWidget(
        new TextLabel(tr("Your library is empty"), TextSize::PageTitle, TextTone::Text, column));
    layout->addSpacing(spacing::tight);
    auto* where = new TextLabel(tr("Machines live in %1. Nothing leaves this computer.")
                                    .arg(homeShortened(services.library->library().home())),
                                TextSize::Body,
                                TextTone::Secondary,
                                column);
    where->setWordWrap(true);
    layout->addWidget(where);
    layout->addSpacing(spacing::block);
    layout->addWidget(new Hairline(Qt::Horizontal, column));

    auto* pull = primaryButton(tr("Pull an Image…"), {}, column);
    connect(pull, &QPushButton::clicked, this, &EmptyLibraryPage::pullRequested);
    layout->addWidget(makeStep(u"pull",
                               tr("Pull an image"),
                               tr("A ready system from a registry. You see the plan before a byte "
                                  "moves."),
                               pull,
                               column));
    layout->addWidget(new Hairline(Qt::Horizontal, column));
    auto* create = normalButton(tr("New Machine…"), {}, column);
    connect(create, &QPushButton::clicked, this, &EmptyLibraryPage::createRequested);
    layout->addWidget(makeStep(u"disk",
                               tr("Install from an ISO or a disk image"),
                               tr("An installation disc or a raw disk image of Linux; on a Mac "
                                  "also a restore image of macOS."),
                               create,
                               column));
    layout->addWidget(new Hairline(Qt::Horizontal, column));
    auto* open = normalButton(tr("Choose Folder…"), {}, column);
    connect(open, &QPushButton::clicked, this, &EmptyLibraryPage::openLibraryRequested);
    layout->addWidget(makeStep(u"folder",
                               tr("Open a library that exists"),
                               tr("A folder that Tart or Vitrine made. It stays in its place."),
                               open,
                               column));
    layout->addWidget(new Hairline(Qt::Horizontal, column));
    layout->addSpacing(spacing::block);
    layout->addWidget(new HostChecks(services.host, column));
    layout->addStretch();

    auto* middle = new QHBoxLayout;
    middle->addStretch(1);
    middle->addWidget(column, 100);
    middle->addStretch(1);
    content()->addLayout(middle);
}

} // namespace vitrine::ui
