// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QWidget>

#include <functional>
#include <optional>

namespace vitrine::ui {

// A 16-pixel bar in shares, with a legend below it: what will be fetched, space on the volume.
// Colours are asked for when painting, so they follow the scheme.
class StackedBar final : public QWidget {
    Q_OBJECT
public:
    struct Share {
        QString label;                // translated
        std::optional<quint64> bytes; // nullopt: not known yet
        std::function<QColor()> color;
    };
    explicit StackedBar(QWidget* parent = nullptr);
    void setShares(QList<Share> shares);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<Share> m_shares;
};

} // namespace vitrine::ui
