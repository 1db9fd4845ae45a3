// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/value_list.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QTimer>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr qsizetype mostRemembered = 8192;

const QRegularExpression& separators() {
    static const QRegularExpression expression(QStringLiteral("[,;\n\r\\x{2028}\\x{2029}]+"));
    return expression;
}

QStringList partsOf(const QString& text) {
    QStringList parts;
    for (const QString& part : text.split(separators()))
        parts.append(part.simplified());
    return parts;
}

} // namespace

// The editor tells the list of every key; rows have a hairline below.
class ValueListDelegate final : public QStyledItemDelegate {
public:
    explicit ValueListDelegate(ValueList* list)
        : QStyledItemDelegate(list->m_table)
        , m_list(list) {
        connect(this, &QAbstractItemDelegate::closeEditor, list, [list](const QWidget* editor) {
            QTimer::singleShot(0, list, [list, editor] { list->closed(editor); });
        });
    }
    QWidget* createEditor(QWidget* parent,
                          const QStyleOptionViewItem&,
                          const QModelIndex& index) const override {
        auto* editor = new QLineEdit(parent);
        editor->setFont(Theme::fixed());
        editor->setPlaceholderText(m_list->m_setup.example);
        editor->setAccessibleName(m_list->m_setup.title);
        editor->setProperty(property::small, true);
        connect(editor, &QLineEdit::textEdited, m_list, &ValueList::typed);
        // The view closes it without a word when another row becomes the current one.
        connect(
            editor, &QObject::destroyed, m_list, [list = m_list, editor] { list->closed(editor); });
        m_list->begun(index.row(), editor);
        return editor;
    }
    // Once: the view asks for it again whenever something about the row changes.
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        auto* field = static_cast<QLineEdit*>(editor);
        if (field->property("filled").toBool())
            return;
        field->setProperty("filled", true);
        field->setText(index.data(Qt::EditRole).toString());
        field->selectAll();
    }
    void
    setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex& index) const override {
        m_list->finished(index.row(), static_cast<QLineEdit*>(editor)->text());
    }
    void updateEditorGeometry(QWidget* editor,
                              const QStyleOptionViewItem& option,
                              const QModelIndex&) const override {
        editor->setGeometry(option.rect.adjusted(2, 2, -2, -3));
    }
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        painter->save();
        painter->setPen(Theme::current().separator);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        painter->restore();
    }

private:
    ValueList* m_list;
};

ValueList::ValueList(Setup setup, QWidget* parent)
    : QWidget(parent)
    , m_setup(std::move(setup))
    , m_table(new QTableWidget(0, 2, this))
    , m_none(new TextLabel(m_setup.none, TextSize::Body, TextTone::Secondary, this))
    , m_add(iconButton(tr("Add to %1").arg(m_setup.title), u"plus", this))
    , m_remove(iconButton(tr("Remove from %1").arg(m_setup.title), u"minus", this))
    , m_reason(new ReasonLabel(this))
    , m_glyph(new GlyphLabel(this))
    , m_message(new TextLabel({}, TextSize::Small, TextTone::Error, this))
    , m_fix(smallButton({}, {}, this)) {
    m_table->setAccessibleName(m_setup.title);
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Fixed);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setItemDelegate(new ValueListDelegate(this));
    m_table->installEventFilter(this);
    m_message->setWordWrap(true);
    m_message->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_table->setWordWrap(false);

    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(spacing::grid);
    if (!m_setup.icon.isEmpty()) {
        auto* icon = new GlyphLabel(this);
        icon->setIcon(m_setup.icon, 16);
        head->addWidget(icon);
    }
    head->addWidget(new TextLabel(m_setup.title, TextSize::BodyStrong, TextTone::Text, this));
    auto* help = new TextLabel(m_setup.help, TextSize::Small, TextTone::Secondary, this);
    help->setWordWrap(true);
    head->addWidget(help, 1);
    head->addWidget(m_add);
    head->addWidget(m_remove);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(spacing::grid);
    below->addWidget(m_glyph, 0, Qt::AlignTop);
    below->addWidget(m_message, 1);
    below->addWidget(m_fix, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    layout->addLayout(head);
    layout->addWidget(m_none);
    layout->addWidget(m_table);
    layout->addLayout(below);
    layout->addWidget(m_reason);

    connect(m_add, &QToolButton::clicked, this, &ValueList::add);
    connect(m_remove, &QToolButton::clicked, this, &ValueList::removeCurrent);
    connect(m_table, &QTableWidget::currentCellChanged, this, [this] {
        updateButtons();
        if (!m_filling)
            judge();
    });
    connect(m_fix, &QPushButton::clicked, this, [this] {
        const int row = m_fix->property("row").toInt();
        const QString right = m_fix->property("right").toString();
        if (row < 0 || row >= m_table->rowCount() || right.isEmpty())
            return;
        setRow(row, right);
        m_table->setCurrentCell(row, 0);
        m_table->setFocus();
        judge();
        Q_EMIT edited();
        Q_EMIT committed();
    });
    layOut();
    judge();
}

const ValueList::Judgement& ValueList::judgementOf(const QString& value) const {
    if (m_known.size() > mostRemembered)
        m_known.clear();
    const auto found = m_known.constFind(value);
    if (found != m_known.constEnd())
        return *found;
    Judgement judgement;
    if (const auto checked = m_setup.check ? m_setup.check(value) : Result<>(); !checked) {
        judgement.problem = checked.error().message;
        judgement.fix = m_setup.fix ? m_setup.fix(value) : QString();
    }
    judgement.normal = m_setup.normal ? m_setup.normal(value) : value;
    return *m_known.insert(value, judgement);
}

QString ValueList::textAt(int row) const {
    if (row == m_editedRow && m_editor)
        return m_typed.simplified();
    const QTableWidgetItem* item = m_table->item(row, 0);
    return item != nullptr ? item->text().simplified() : QString();
}

bool ValueList::isFixed(int row) const {
    return m_fixedValues.contains(textAt(row));
}

ValueList::~ValueList() {
    // An editor ends after the members of the list and would tell it so.
    for (QLineEdit* const editor : m_table->findChildren<QLineEdit*>())
        editor->disconnect(this);
}

QStringList ValueList::values() const {
    QStringList values;
    for (int row = 0; row < m_table->rowCount(); ++row)
        if (const QString text = textAt(row); !text.isEmpty())
            values.append(text);
    return values;
}

void ValueList::setValues(const QStringList& values) {
    if (m_editor) {
        m_pendingSet = values != this->values();
        m_pending = values;
        return;
    }
    fill(values);
}

void ValueList::fill(const QStringList& values) {
    if (values == this->values() && values.size() == m_table->rowCount())
        return;
    m_filling = true;
    const int current = m_table->currentRow();
    m_table->setRowCount(static_cast<int>(values.size()));
    for (int row = 0; row < m_table->rowCount(); ++row)
        setRow(row, values.at(row));
    if (current >= 0 && m_table->rowCount() > 0)
        m_table->setCurrentCell(std::min(current, m_table->rowCount() - 1), 0);
    m_filling = false;
    layOut();
    judge();
}

void ValueList::setRow(int row, const QString& text) {
    for (int column = 0; column < 2; ++column)
        if (m_table->item(row, column) == nullptr)
            m_table->setItem(row, column, new QTableWidgetItem);
    QTableWidgetItem* item = m_table->item(row, 0);
    item->setText(text);
    item->setFont(Theme::fixed());
    m_table->item(row, 1)->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
}

void ValueList::setNotes(const QHash<QString, Note>& notes) {
    if (notes == m_notes)
        return;
    m_notes = notes;
    judge();
}

void ValueList::setFixed(const QStringList& values) {
    m_fixedValues = values;
    judge();
}

void ValueList::setRemark(std::function<QString(const QString&)> remark) {
    m_remark = std::move(remark);
}

void ValueList::setReason(const QString& reason) {
    m_reason->setReason(reason);
    m_table->setEnabled(reason.isEmpty());
    m_add->setEnabled(reason.isEmpty());
    m_add->setAccessibleDescription(reason);
    updateButtons();
}

QString ValueList::problem() const {
    for (const QString& value : values())
        if (const QString problem = judgementOf(value).problem; !problem.isEmpty())
            return problem;
    return {};
}

QString ValueList::message() const {
    return m_message->text();
}

void ValueList::judge() {
    const Theme& theme = Theme::current();
    QHash<QString, int> first; // row of each, by its normal form
    int shown = -1;            // the row that the message is about
    bool shownIsWrong = false;
    QString text;
    const int busy = m_editor ? m_editedRow : m_table->currentRow();
    m_filling = true;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QString value = textAt(row);
        QTableWidgetItem* item = m_table->item(row, 0);
        if (item == nullptr)
            continue;
        const Judgement judgement = value.isEmpty() ? Judgement{} : judgementOf(value);
        const bool wrong = !judgement.problem.isEmpty();
        QString remark;
        if (!wrong && !value.isEmpty()) {
            const auto earlier = first.constFind(judgement.normal);
            if (earlier != first.constEnd())
                remark = tr("\"%1\" stands here twice; once is enough.").arg(value);
            else
                first.insert(judgement.normal, row);
            if (remark.isEmpty() && m_remark)
                remark = m_remark(value);
        }
        const QString say = wrong ? judgement.problem : remark;
        item->setData(Qt::ForegroundRole, wrong ? QVariant(theme.error) : QVariant());
        item->setIcon(wrong               ? QIcon(glyphPixmap(Glyph::Broken))
                      : !remark.isEmpty() ? QIcon(glyphPixmap(Glyph::Warning))
                                          : QIcon());
        item->setToolTip(say.toHtmlEscaped());
        item->setData(Qt::AccessibleDescriptionRole, say);
        item->setFlags(isFixed(row)
                           ? Qt::ItemIsEnabled | Qt::ItemIsSelectable
                           : Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
        const Note note = m_notes.value(value);
        QTableWidgetItem* beside = m_table->item(row, 1);
        beside->setText(note.text);
        beside->setToolTip(note.text.toHtmlEscaped());
        beside->setForeground(note.isProblem ? theme.error : theme.secondary);
        beside->setIcon(note.isProblem ? QIcon(glyphPixmap(Glyph::Broken)) : QIcon());
        if (say.isEmpty())
            continue;
        // The row under way before others, what is wrong before what is only odd.
        const bool better = shown < 0 || row == busy || (wrong && !shownIsWrong && shown != busy);
        if (better) {
            shown = row;
            shownIsWrong = wrong;
            text = say;
        }
    }
    m_filling = false;
    sizeNotes();
    m_message->setTone(shownIsWrong ? TextTone::Error : TextTone::Warning);
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_glyph->setVisible(!text.isEmpty());
    m_glyph->setGlyph(shownIsWrong ? Glyph::Broken : Glyph::Warning);
    const QString right = shownIsWrong ? judgementOf(textAt(shown)).fix : QString();
    m_fix->setVisible(!right.isEmpty() && !m_editor);
    m_fix->setText(tr("Use %1").arg(right));
    m_fix->setProperty("row", shown);
    m_fix->setProperty("right", right);
    m_table->setAccessibleDescription(text);
    if (m_editor) {
        const bool wrong = shown == m_editedRow && shownIsWrong;
        m_editor->setAccessibleDescription(shown == m_editedRow ? text : QString());
        if (m_editor->property(property::invalid).toBool() != wrong) {
            m_editor->setProperty(property::invalid, wrong);
            m_editor->update();
        }
    }
    updateButtons();
}

void ValueList::layOut() {
    const int rows = m_table->rowCount();
    m_none->setVisible(rows == 0);
    m_table->setFixedHeight(std::clamp(rows, rows == 0 ? 0 : 1, mostRowsShown) * spacing::tableRow);
    m_table->setVisible(rows > 0);
    updateButtons();
}

// As wide as they are, but values keep half of the room.
void ValueList::sizeNotes() {
    int widest = 0;
    const QFontMetrics metrics(m_table->font());
    for (const Note& note : std::as_const(m_notes))
        widest =
            std::max(widest, metrics.horizontalAdvance(note.text) + (note.isProblem ? 48 : 24));
    m_table->horizontalHeader()->resizeSection(1, std::min(widest, m_table->width() / 2));
}

void ValueList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    sizeNotes();
}

void ValueList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        judge(); // colours of the rows
}

void ValueList::updateButtons() {
    const int row = m_table->currentRow();
    const bool chosen = row >= 0 && row < m_table->rowCount();
    const QString why = !m_table->isEnabled() ? m_add->accessibleDescription()
                        : !chosen             ? tr("Choose a row first.")
                        : isFixed(row)        ? tr("This row is always there.")
                                              : QString();
    m_remove->setEnabled(why.isEmpty());
    m_remove->setAccessibleDescription(why);
    const QString name = tr("Remove from %1").arg(m_setup.title);
    m_remove->setToolTip(why.isEmpty() ? name : name + QStringLiteral(": ") + why);
}

void ValueList::add() {
    if (m_editor || !m_table->isEnabled())
        return;
    m_filling = true;
    const int row = m_table->rowCount();
    m_table->setRowCount(row + 1);
    setRow(row, {});
    m_filling = false;
    layOut();
    m_table->setCurrentCell(row, 0);
    m_table->setFocus();
    m_table->editItem(m_table->item(row, 0));
}

void ValueList::addValues(const QStringList& values) {
    m_filling = true;
    for (const QString& value : values) {
        if (value.isEmpty())
            continue;
        const int row = m_table->rowCount();
        m_table->setRowCount(row + 1);
        setRow(row, value);
    }
    m_filling = false;
    layOut();
    if (m_table->rowCount() > 0)
        m_table->setCurrentCell(m_table->rowCount() - 1, 0);
    judge();
    Q_EMIT edited();
    Q_EMIT committed();
}

void ValueList::removeCurrent() {
    const int row = m_table->currentRow();
    if (m_editor || row < 0 || !m_table->isEnabled() || isFixed(row))
        return;
    m_table->removeRow(row);
    layOut();
    if (m_table->rowCount() > 0)
        m_table->setCurrentCell(std::min(row, m_table->rowCount() - 1), 0);
    else
        m_add->setFocus();
    judge();
    Q_EMIT edited();
    Q_EMIT committed();
}

void ValueList::begun(int row, QLineEdit* editor) {
    m_editor = editor;
    m_editedRow = row;
    m_typed = m_table->item(row, 0) != nullptr ? m_table->item(row, 0)->text() : QString();
    QTimer::singleShot(0, this, &ValueList::judge);
}

void ValueList::typed(const QString& text) {
    m_typed = text;
    if (text.contains(separators())) {
        const int row = m_editedRow;
        QTimer::singleShot(0, this, [this, row, parts = partsOf(text)] { split(row, parts); });
        return;
    }
    judge();
    Q_EMIT edited();
}

// What was pasted, or typed with a comma behind it: then one goes on in the next row.
void ValueList::split(int row, const QStringList& parts) {
    if (!m_editor || row != m_editedRow)
        return;
    const bool goesOn = parts.last().isEmpty();
    QStringList good = parts;
    good.removeAll(QString());
    m_typed = good.isEmpty() ? QString() : good.first();
    m_editor->setText(m_typed);
    const QWidget* const editor = m_editor;
    finished(row, m_typed);
    m_table->setCurrentItem(nullptr); // ends the edit
    closed(editor);
    const QStringList rest = good.mid(1);
    if (!rest.isEmpty())
        addValues(rest);
    if (goesOn && !good.isEmpty())
        add();
}

void ValueList::finished(int row, const QString& text) {
    const QString value = text.simplified();
    QTableWidgetItem* item = m_table->item(row, 0);
    if (item == nullptr)
        return;
    const bool changed = item->text() != value;
    m_filling = true;
    item->setText(value);
    m_filling = false;
    m_typed = value;
    if (changed) {
        judge();
        Q_EMIT edited();
        if (!value.isEmpty())
            Q_EMIT committed();
    }
}

// An edit is over: rows that were left empty go. Told twice of some.
void ValueList::closed(const QWidget* editor) {
    if (m_editedRow < 0 || (m_editor && m_editor != editor))
        return;
    m_editor = nullptr;
    m_editedRow = -1;
    bool gone = false;
    for (int row = m_table->rowCount() - 1; row >= 0; --row)
        if (textAt(row).isEmpty()) {
            m_table->removeRow(row);
            gone = true;
        }
    layOut();
    judge();
    Q_EMIT edited();
    if (gone)
        Q_EMIT committed();
    if (std::exchange(m_pendingSet, false))
        fill(m_pending);
}

void ValueList::paste() {
    QStringList parts = partsOf(QGuiApplication::clipboard()->text());
    parts.removeAll(QString());
    if (!parts.isEmpty())
        addValues(parts);
}

bool ValueList::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table && event->type() == QEvent::KeyPress && !m_editor) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Insert) {
            add();
            return true;
        }
        if (key->key() == Qt::Key_Delete || key->key() == Qt::Key_Backspace) {
            removeCurrent();
            return true;
        }
        if (key->matches(QKeySequence::Paste)) {
            paste();
            return true;
        }
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) &&
            m_table->currentRow() >= 0 && !isFixed(m_table->currentRow())) {
            m_table->editItem(m_table->item(m_table->currentRow(), 0));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace vitrine::ui
