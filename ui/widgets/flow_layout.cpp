// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/flow_layout.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace vitrine::ui {

namespace {

struct Placed {
    QLayoutItem* item = nullptr;
    int width = 0;
};

int heightOf(const Placed& placed) {
    const QLayoutItem& item = *placed.item;
    return item.hasHeightForWidth() ? item.heightForWidth(placed.width) : item.sizeHint().height();
}

bool expands(const QLayoutItem& item) {
    return item.expandingDirections().testFlag(Qt::Horizontal);
}

} // namespace

FlowLayout::FlowLayout(QWidget* parent)
    : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(spacing::grid);
}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) {
    m_items.emplace_back(item);
    invalidate();
}

int FlowLayout::count() const {
    return static_cast<int>(m_items.size());
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count())
        return nullptr;
    QLayoutItem* item = m_items[static_cast<std::size_t>(index)].release();
    m_items.erase(m_items.begin() + index);
    invalidate();
    return item;
}

Qt::Orientations FlowLayout::expandingDirections() const {
    const bool any = std::any_of(m_items.begin(), m_items.end(), [](const auto& item) {
        return !item->isEmpty() && expands(*item);
    });
    return any ? Qt::Orientations(Qt::Horizontal) : Qt::Orientations();
}

int FlowLayout::heightForWidth(int width) const {
    return place({0, 0, width, 0}, false);
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const auto& item : m_items)
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    return size;
}

QSize FlowLayout::sizeHint() const {
    QSize size(0, 0);
    for (const auto& item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize wanted = item->sizeHint();
        size.rwidth() += wanted.width() + (size.width() > 0 ? spacing() : 0);
        size.setHeight(std::max(size.height(), wanted.height()));
    }
    return size;
}

void FlowLayout::setGeometry(const QRect& rectangle) {
    QLayout::setGeometry(rectangle);
    place(rectangle, true);
}

int FlowLayout::place(const QRect& rectangle, bool apply) const {
    std::vector<Placed> line;
    int used = 0; // of the line
    int bottom = 0;
    const auto finish = [&] {
        if (line.empty())
            return;
        for (Placed& placed : line) {
            if (expands(*placed.item) && used < rectangle.width()) {
                const int more = std::min(rectangle.width() - used,
                                          placed.item->maximumSize().width() - placed.width);
                placed.width += more;
                used += more;
            }
        }
        int height = 0;
        for (const Placed& placed : line)
            height = std::max(height, heightOf(placed));
        const int top = bottom + (bottom > 0 ? spacing::tight : 0);
        int x = rectangle.x();
        for (const Placed& placed : line) {
            const int own = heightOf(placed);
            if (apply)
                placed.item->setGeometry(
                    {x, rectangle.y() + top + (height - own) / 2, placed.width, own});
            x += placed.width + spacing();
        }
        bottom = top + height;
        line.clear();
        used = 0;
    };
    for (const auto& item : m_items) {
        if (item->isEmpty())
            continue;
        const int width =
            std::max(item->minimumSize().width(),
                     std::min(item->sizeHint().width(), std::max(0, rectangle.width())));
        if (!line.empty() && used + spacing() + width > rectangle.width())
            finish();
        used += width + (line.empty() ? 0 : spacing());
        line.push_back({item.get(), width});
    }
    finish();
    return bottom;
}

} // namespace vitrine::ui
