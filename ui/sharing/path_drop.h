// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>

#include <functional>

class QWidget;

namespace vitrine::ui {

class DropArea;

// Lets files and folders be dropped on a widget, with a DropArea over it (or over the part of it
// that `setArea` says) while they are dragged. With Shift held, folders are to be writable.
class PathDrop final : public QObject {
    Q_OBJECT
public:
    // A child of `target`.
    explicit PathDrop(QWidget* target);

    // Fills the area for what is dragged; an empty answer refuses it, otherwise it is the reason
    // why nothing can be dropped.
    struct Offer {
        bool accepted = true;
        QString title;
        QString text;
        QString hint;
    };
    void setOffer(std::function<Offer(const QStringList& paths)> offer) {
        m_offer = std::move(offer);
    }
    void setArea(std::function<QRect()> area) { m_areaOf = std::move(area); }
    [[nodiscard]] DropArea* area() const { return m_area; }

Q_SIGNALS:
    void dropped(const QStringList& paths, bool writable);
    void areaShown(bool shown); // it is painted over the target, or no longer

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_target;
    DropArea* m_area;
    std::function<Offer(const QStringList&)> m_offer;
    std::function<QRect()> m_areaOf;
};

// The title, words and hint for sharing with a machine.
[[nodiscard]] PathDrop::Offer shareOffer(const QStringList& paths, const QString& machine);

} // namespace vitrine::ui
