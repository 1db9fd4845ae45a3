// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QStringList>
#include <QWidget>

namespace vitrine::test {

// Posted layout requests are done, also those that they cause in turn.
inline void settleLayout(QWidget& page) {
    for (int turn = 0; turn < 8; ++turn) {
        QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QApplication::sendPostedEvents(&page, QEvent::Resize);
        QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    }
}

namespace misfits {

inline QString nameOf(const QWidget& widget) {
    QString text = widget.accessibleName();
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        text = label->text();
    else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        text = button->text();
    return QStringLiteral("%1 \"%2\" (%3 x %4)")
        .arg(QLatin1String(widget.metaObject()->className()), text.left(40))
        .arg(widget.width())
        .arg(widget.height());
}

// Parts of a control of Qt's, which lays them out itself.
inline bool isInside(const QWidget& widget, const QWidget& page) {
    for (const QWidget* parent = widget.parentWidget(); parent && parent != &page;
         parent = parent->parentWidget()) {
        if (qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent))
            return true;
        if (qobject_cast<const QAbstractScrollArea*>(parent) &&
            !qobject_cast<const QScrollArea*>(parent))
            return true;
    }
    return widget.objectName().startsWith(QLatin1String("qt_"));
}

inline void checkSize(const QWidget& widget, QStringList& found) {
    if (qobject_cast<const QAbstractScrollArea*>(&widget)) // what does not fit scrolls
        return;
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    if (button && button->text().isEmpty()) // an icon of its own size
        return;
    const QSize least = widget.minimumSizeHint();
    // A fixed size is somebody's decision; what is shown has to fit into it all the same.
    if (widget.width() < least.width() &&
        widget.sizePolicy().horizontalPolicy() != QSizePolicy::Ignored)
        found << nameOf(widget) + QStringLiteral(" needs a width of %1").arg(least.width());
    if (widget.hasHeightForWidth()) {
        const int needed = widget.heightForWidth(widget.width());
        if (widget.height() < needed)
            found << nameOf(widget) + QStringLiteral(" needs a height of %1").arg(needed);
    } else if (widget.height() < least.height()) {
        found << nameOf(widget) + QStringLiteral(" needs a height of %1").arg(least.height());
    }
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const auto* choice = qobject_cast<const QComboBox*>(&widget);
    const bool showsText = (label && !label->wordWrap()) || button ||
                           qobject_cast<const QAbstractSpinBox*>(&widget) ||
                           (choice && !choice->isEditable());
    if (showsText && widget.width() < widget.sizeHint().width())
        found << nameOf(widget) +
                     QStringLiteral(" cuts text %1 wide").arg(widget.sizeHint().width());
}

inline void checkChildren(const QWidget& parent, QStringList& found) {
    QList<const QWidget*> children;
    for (const QObject* child : parent.children()) {
        const auto* widget = qobject_cast<const QWidget*>(child);
        if (widget && widget->isVisible() && !widget->isWindow())
            children << widget;
    }
    for (qsizetype i = 0; i < children.size(); ++i) {
        if (!parent.rect().contains(children.at(i)->geometry()))
            found << nameOf(*children.at(i)) + QStringLiteral(" is outside of ") + nameOf(parent);
        for (qsizetype j = i + 1; j < children.size(); ++j)
            if (children.at(i)->geometry().intersects(children.at(j)->geometry()))
                found << nameOf(*children.at(i)) + QStringLiteral(" lies over ") +
                             nameOf(*children.at(j));
    }
}

} // namespace misfits

// What is cut, lies over another thing or makes a page scroll sideways; one text for each.
inline QStringList layoutMisfits(const QWidget& page) {
    QStringList found;
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(&page) || widget->isWindow() || misfits::isInside(*widget, page))
            continue;
        misfits::checkSize(*widget, found);
        if (widget->layout() != nullptr)
            misfits::checkChildren(*widget, found);
        const auto* area = qobject_cast<const QAbstractScrollArea*>(widget);
        if (area && area->horizontalScrollBar()->isVisibleTo(area))
            found << misfits::nameOf(*widget) + QStringLiteral(" scrolls sideways");
    }
    if (page.layout() != nullptr)
        misfits::checkChildren(page, found);
    return found;
}

} // namespace vitrine::test
