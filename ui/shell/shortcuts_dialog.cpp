// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/shortcuts_dialog.h"

#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTableWidget>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

struct Line {
    QString menu;
    QString action;
    QString keys;
};

QString plainText(const QAction* action) {
    return QString(action->text()).remove(QLatin1Char('&'));
}

void collect(const QMenu* menu, const QString& title, QList<Line>& lines) {
    for (const QAction* action : menu->actions()) {
        if (action->menu() != nullptr)
            collect(action->menu(), title, lines);
        else if (!action->shortcut().isEmpty())
            lines.append(
                {title, plainText(action), action->shortcut().toString(QKeySequence::NativeText)});
    }
}

// Keys that belong to a place and not to a menu.
void addKeysOutsideMenus(QList<Line>& lines) {
    const QString console = ShortcutsDialog::tr("Console");
    const QString enter = QKeySequence(Qt::Key_Enter).toString(QKeySequence::NativeText);
    const QString rightControl = ShortcutsDialog::tr("Right Ctrl");
    lines.append({console, ShortcutsDialog::tr("Type in the Guest"), enter});
    lines.append({console, ShortcutsDialog::tr("Give the Keyboard Back"), rightControl});
    lines.append(
        {console,
         ShortcutsDialog::tr("Leave Full Screen"),
         //: Two keys, one after the other.
         ShortcutsDialog::tr("%1, then %2")
             .arg(rightControl, QKeySequence(Qt::Key_F11).toString(QKeySequence::NativeText))});
    const QString search = ShortcutsDialog::tr("Search");
    lines.append({search, ShortcutsDialog::tr("Go to the First Hit"), enter});
    lines.append({search,
                  ShortcutsDialog::tr("Clear the Search"),
                  QKeySequence(Qt::Key_Escape).toString(QKeySequence::NativeText)});
}

} // namespace

ShortcutsDialog::ShortcutsDialog(const QMenuBar* menus, QWidget* parent)
    : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keyboard Shortcuts"));
    setBackgroundRole(QPalette::Base);
    resize(560, 520);
    QList<Line> lines;
    for (const QAction* action : menus->actions()) {
        if (action->menu() != nullptr)
            collect(action->menu(), plainText(action), lines);
    }
    addKeysOutsideMenus(lines);
    auto* layout = new QVBoxLayout(this);
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText(tr("Filter"));
    filter->setAccessibleName(tr("Filter the shortcuts"));
    filter->setClearButtonEnabled(true);
    layout->addWidget(filter);
    auto* table = new QTableWidget(static_cast<int>(lines.size()), 3, this);
    table->setHorizontalHeaderLabels({tr("Menu"), tr("Action"), tr("Keys")});
    table->setAccessibleName(tr("Keyboard Shortcuts"));
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(spacing::denseRow);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    // Always there: columns would move when filtering makes it needless.
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    table->setColumnWidth(0, 96);
    table->setColumnWidth(2, 160);
    for (int row = 0; row < lines.size(); ++row) {
        table->setItem(row, 0, new QTableWidgetItem(lines.at(row).menu));
        table->setItem(row, 1, new QTableWidgetItem(lines.at(row).action));
        table->setItem(row, 2, new QTableWidgetItem(lines.at(row).keys));
    }
    layout->addWidget(table, 1);
    auto* nothing =
        new TextLabel(tr("Nothing matches."), TextSize::Body, TextTone::Secondary, table);
    nothing->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    nothing->hide();
    auto* over = new QVBoxLayout(table->viewport());
    over->setContentsMargins(0, spacing::block, 0, 0);
    over->addWidget(nothing);
    auto* close = normalButton(tr("Close"), {}, this);
    layout->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(filter, &QLineEdit::textChanged, table, [table, nothing](const QString& text) {
        bool any = false;
        for (int row = 0; row < table->rowCount(); ++row) {
            bool shown = false;
            for (int column = 0; column < table->columnCount(); ++column)
                shown =
                    shown || table->item(row, column)->text().contains(text, Qt::CaseInsensitive);
            table->setRowHidden(row, !shown);
            any = any || shown;
        }
        nothing->setVisible(!any);
    });
}

} // namespace vitrine::ui
