// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/notes_editor.h"

#include "core/machine/sidecar.h"
#include "ui/machines/background.h"
#include "ui/overview/page_frame.h"
#include "ui/theme/theme.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int saveDelay = 800;      // ms after the last key
constexpr int longestNotes = 65536; // characters

} // namespace

NotesEditor::NotesEditor(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QPlainTextEdit(this))
    , m_message(new MessageBar(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    auto* heading = sectionHeading(tr("Notes"), this);
    heading->setBuddy(m_edit);
    heading->setMinimumHeight(headingHeight());
    layout->addWidget(heading);
    layout->addWidget(m_message);
    layout->addWidget(m_edit, 1);
    m_edit->setAccessibleName(tr("Notes"));
    m_edit->setTabChangesFocus(true);
    m_edit->setPlaceholderText(tr("What is this machine for?"));
    m_edit->document()->setDocumentMargin(6);
    m_edit->setMinimumHeight(96);
    m_later.setSingleShot(true);
    m_later.setInterval(saveDelay);
    connect(&m_later, &QTimer::timeout, this, &NotesEditor::save);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        if (m_filling)
            return;
        m_dirty = true;
        m_later.start();
    });
}

NotesEditor::~NotesEditor() {
    save();
}

void NotesEditor::setMachine(const QString& directory) {
    if (m_directory == directory)
        return;
    save();
    m_directory = directory;
    m_message->clear();
    m_filling = true;
    m_edit->clear();
    m_filling = false;
    m_edit->setEnabled(!directory.isEmpty());
}

void NotesEditor::setText(const QString& directory, const QString& text) {
    if (directory != m_directory || m_dirty || m_saving > 0 || m_edit->toPlainText() == text)
        return;
    m_filling = true;
    m_edit->setPlainText(text);
    m_filling = false;
}

QString NotesEditor::text() const {
    return m_edit->toPlainText();
}

void NotesEditor::save() {
    m_later.stop();
    if (!m_dirty || m_directory.isEmpty())
        return;
    m_dirty = false;
    ++m_saving;
    const QString notes = m_edit->toPlainText().left(longestNotes);
    const QString directory = m_directory;
    inBackground(
        this,
        [directory, notes] {
            return Sidecar::update(directory,
                                   [&notes](Sidecar& sidecar) { sidecar.notes = notes; });
        },
        [this, directory](const Result<>& done) {
            --m_saving;
            if (!done && directory == m_directory) {
                m_message->showError(done.error(), tr("The notes were not saved."));
                m_message->addAction(tr("Save Again"), [this] {
                    m_dirty = true;
                    save();
                });
            } else if (done) {
                m_message->clear();
                Q_EMIT saved();
            }
        });
}

} // namespace vitrine::ui
