// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_form.h"

#include "ui/theme/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <vector>

namespace vitrine::ui {

// Labels right-aligned beside their fields where there is room for both, above them in a narrow
// window. The widgets stay the same ones: neither the focus nor what was typed is touched.
class SettingsRows final : public QLayout {
public:
    SettingsRows() { setContentsMargins(0, 0, 0, 0); }
    ~SettingsRows() override = default;

    // `label` may be null: over both columns. `line`: height of what the label stands beside.
    void addRow(QLabel* label, QWidget* field, int line) {
        if (label)
            addChildWidget(label);
        addChildWidget(field);
        m_rows.push_back({std::unique_ptr<QLayoutItem>(label ? new QWidgetItem(label) : nullptr),
                          std::unique_ptr<QLayoutItem>(new QWidgetItem(field)),
                          line});
        invalidate();
    }
    void setFieldVisible(const QWidget* field, bool visible) {
        for (const Row& row : m_rows)
            if (row.field->widget() == field)
                for (QLayoutItem* item : {row.label.get(), row.field.get()})
                    if (item)
                        item->widget()->setVisible(visible);
    }
    // Rows come with addRow(); what the base class may add is given away.
    void addItem(QLayoutItem* item) override {
        m_rows.push_back({nullptr, std::unique_ptr<QLayoutItem>(item), 0});
    }
    [[nodiscard]] int count() const override {
        return static_cast<int>(std::count_if(m_rows.begin(),
                                              m_rows.end(),
                                              [](const Row& row) { return row.label != nullptr; }) +
                                static_cast<std::ptrdiff_t>(m_rows.size()));
    }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override {
        for (const Row& row : m_rows)
            for (QLayoutItem* item : {row.label.get(), row.field.get()})
                if (item && index-- == 0)
                    return item;
        return nullptr;
    }
    QLayoutItem* takeAt(int index) override {
        const QLayoutItem* wanted = itemAt(index);
        for (auto row = m_rows.begin(); wanted && row != m_rows.end(); ++row) {
            if (row->label.get() == wanted)
                return row->label.release();
            if (row->field.get() != wanted)
                continue;
            QLayoutItem* item = row->field.release();
            row->label.reset();
            m_rows.erase(row);
            return item;
        }
        return nullptr;
    }
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override {
        return place({0, 0, width, 0}, false);
    }
    // The narrow form's.
    [[nodiscard]] QSize minimumSize() const override {
        QSize size(0, 0);
        for (const Row& row : m_rows) {
            if (row.field->isEmpty())
                continue;
            const int label = row.label ? row.label->sizeHint().width() : 0;
            const QSize field = row.field->minimumSize();
            size.setWidth(std::max({size.width(), label, field.width()}));
            size.rheight() += field.height();
        }
        return size;
    }
    [[nodiscard]] QSize sizeHint() const override {
        const int width =
            std::max(minimumSize().width(), labelWidth() + spacing::block + fieldRoom);
        return {width, heightForWidth(width)};
    }
    void setGeometry(const QRect& rectangle) override {
        QLayout::setGeometry(rectangle);
        place(rectangle, true);
    }

private:
    struct Row {
        std::unique_ptr<QLayoutItem> label;
        std::unique_ptr<QLayoutItem> field;
        int line = 0;
    };
    static constexpr int rowGap = 12;
    static constexpr int labelMinimum = 120;
    static constexpr int fieldRoom = 400; // beside the labels, or they go above

    [[nodiscard]] int labelWidth() const {
        int width = labelMinimum;
        for (const Row& row : m_rows)
            if (row.label && !row.field->isEmpty())
                width = std::max(width, row.label->sizeHint().width());
        return width;
    }
    [[nodiscard]] bool isWide(int width) const {
        int room = fieldRoom;
        for (const Row& row : m_rows)
            if (row.label && !row.field->isEmpty())
                room = std::max(room, row.field->minimumSize().width());
        return width >= labelWidth() + spacing::block + room;
    }
    static int heightOf(const QLayoutItem& item, int width) {
        return item.hasHeightForWidth() ? item.heightForWidth(width) : item.sizeHint().height();
    }
    int place(const QRect& area, bool apply) const { // returns the height
        const bool wide = isWide(area.width());
        const int column = wide ? labelWidth() : 0;
        int y = 0;
        for (const Row& row : m_rows) {
            if (row.field->isEmpty())
                continue;
            y += y > 0 ? rowGap : 0;
            QRect field(area.x(), area.y() + y, area.width(), 0);
            if (row.label && wide) {
                field.setLeft(area.x() + column + spacing::block);
            } else if (row.label) {
                field.translate(0, row.label->sizeHint().height() + spacing::tight);
            }
            field.setHeight(heightOf(*row.field, field.width()));
            if (apply) {
                row.field->setGeometry(field);
                placeLabel(row, QRect(area.x(), area.y() + y, column, row.line), wide);
            }
            y = field.y() + field.height() - area.y();
        }
        return y;
    }
    static void placeLabel(const Row& row, const QRect& beside, bool wide) {
        if (!row.label)
            return;
        const QSize size = row.label->sizeHint();
        row.label->setGeometry(
            wide ? QRect(beside.x() + beside.width() - size.width(),
                         beside.y() + std::max(0, (beside.height() - size.height()) / 2),
                         size.width(),
                         size.height())
                 : QRect(beside.topLeft(), size));
    }

    std::vector<Row> m_rows;
};

namespace {

// A tool tip would otherwise take text from outside for markup.
QString toolTipOf(const QString& text) {
    return text.toHtmlEscaped();
}

} // namespace

SettingsField::SettingsField(QWidget* control,
                             const QString& suffix,
                             const QString& help,
                             QWidget* parent)
    : QWidget(parent)
    , m_control(control)
    , m_suffix(new TextLabel(suffix, TextSize::Body, TextTone::Secondary, this))
    , m_effectBox(new QWidget(this))
    , m_effectGlyph(new GlyphLabel(m_effectBox))
    , m_effect(new TextLabel({}, TextSize::Small, TextTone::Accent, m_effectBox))
    , m_lock(new GlyphLabel(this))
    , m_below(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_help(help) {
    m_below->setWordWrap(true);
    m_lock->setIcon(u"lock", 16);
    auto* effect = new QHBoxLayout(m_effectBox);
    effect->setContentsMargins(0, 0, 0, 0);
    effect->setSpacing(spacing::tight);
    effect->addWidget(m_effectGlyph);
    effect->addWidget(m_effect);
    auto* row = new FlowLayout;
    for (QWidget* widget : {control, static_cast<QWidget*>(m_suffix), m_effectBox})
        row->addWidget(widget);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(spacing::tight);
    below->addWidget(m_lock, 0, Qt::AlignTop);
    below->addWidget(m_below, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addLayout(below);
    setEffect(std::nullopt);
    updateBelow();
}

void SettingsField::setReason(const QString& reason) {
    m_reason = reason;
    m_control->setEnabled(reason.isEmpty());
    updateBelow();
}

void SettingsField::setHelp(const QString& help) {
    m_help = help;
    updateBelow();
}

void SettingsField::setSuffix(const QString& suffix) {
    m_suffix->setText(suffix);
    m_suffix->setVisible(!suffix.isEmpty());
}

void SettingsField::setProblem(const QString& problem) {
    m_problem = problem;
    updateBelow();
}

QString SettingsField::reason() const {
    return m_reason;
}

void SettingsField::setEffect(std::optional<SettingsChange::Effect> effect) {
    m_effectBox->setVisible(effect.has_value());
    if (!effect)
        return;
    const bool now = *effect == SettingsChange::Effect::Now;
    m_effectGlyph->setIcon(now ? u"check" : u"retry", 16, GlyphLabel::IconTone::Accent);
    m_effect->setText(now ? tr("applies now") : tr("at next start"));
}

void SettingsField::updateBelow() {
    const bool locked = !m_reason.isEmpty();
    const QString text = !m_problem.isEmpty() ? m_problem : locked ? m_reason : m_help;
    m_lock->setVisible(locked && m_problem.isEmpty());
    m_below->setText(text);
    m_below->setVisible(!text.isEmpty());
    m_below->setTone(m_problem.isEmpty() ? TextTone::Secondary : TextTone::Error);
    QList<QWidget*> inputs{m_control};
    for (QWidget* part : m_control->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (part->focusPolicy() != Qt::NoFocus &&
            !part->objectName().startsWith(QLatin1String("qt_")))
            inputs << part;
    for (QWidget* input : std::as_const(inputs)) {
        input->setAccessibleDescription(text);
        // One that a pane gave to a part of the control stays.
        if (locked)
            input->setToolTip(toolTipOf(m_reason));
        else if (input->toolTip() == m_toolTip)
            input->setToolTip({});
    }
    m_toolTip = locked ? toolTipOf(m_reason) : QString();
}

SettingsForm::SettingsForm(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_rows(new SettingsRows) {
    auto* heading = sectionHeading(title, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(12);
    layout->addWidget(heading);
    layout->addLayout(m_rows);
    layout->addStretch(1);
}

SettingsField* SettingsForm::addField(const QString& label,
                                      QWidget* control,
                                      const QString& help,
                                      const QString& suffix) {
    auto* field = new SettingsField(control, suffix, help, this);
    auto* text = new QLabel(label, this);
    text->setBuddy(control);
    // A long form scrolls; its controls keep their height.
    const int line = std::min(control->sizeHint().height(), spacing::control);
    control->setMinimumHeight(line);
    if (control->accessibleName().isEmpty())
        control->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    field->setSuffix(suffix);
    m_rows->addRow(text, field, line);
    return field;
}

void SettingsForm::setFieldVisible(SettingsField* field, bool visible) {
    m_rows->setFieldVisible(field, visible);
}

void SettingsForm::addWide(QWidget* widget) {
    m_rows->addRow(nullptr, widget, 0);
}

void SettingsForm::addHeading(const QString& text) {
    addWide(sectionHeading(text, this));
}

QWidget* SettingsForm::beside(const QList<QWidget*>& controls) {
    auto* box = new QWidget(this);
    auto* row = new FlowLayout(box);
    for (QWidget* control : controls)
        row->addWidget(control);
    if (row->expandingDirections().testFlag(Qt::Horizontal))
        box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    return box;
}

} // namespace vitrine::ui
