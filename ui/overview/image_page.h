// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/overview/page_frame.h"
#include "ui/services.h"

class QPushButton;

namespace vitrine::ui {

class ElidedLabel;
class Form;
class GlyphLabel;
class MessageBar;
class TextLabel;

// A cached image: what it is, and making a machine of it.
class ImagePage final : public PageFrame {
    Q_OBJECT
public:
    explicit ImagePage(QWidget* parent = nullptr);
    void showImage(const MachineInfo& info);

Q_SIGNALS:
    void makeMachineRequested();
    void deleteRequested();

private:
    ElidedLabel* m_title;
    MessageBar* m_message;
    QPushButton* m_make;
    QPushButton* m_delete;
    TextLabel* m_system;
    TextLabel* m_processor;
    TextLabel* m_memory;
    TextLabel* m_disk;
    TextLabel* m_used;
    ElidedLabel* m_reference;
    ElidedLabel* m_folder;
};

} // namespace vitrine::ui
