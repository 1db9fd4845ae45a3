// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace vitrine::ui {

// Items beside each other, which go on in another line where the width ends. Every item gets the
// width that it asks for, or the whole line; one that wants to expand gets what its line has left.
// What is hidden takes no room.
class FlowLayout final : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override;
    void setGeometry(const QRect& rectangle) override;

private:
    int place(const QRect& rectangle, bool apply) const; // returns the height

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
};

} // namespace vitrine::ui
