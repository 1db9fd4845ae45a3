// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/image_pull.h"
#include "ui/services.h"

#include <QDialog>
#include <QTimer>

#include <memory>
#include <optional>

class QComboBox;
class QLineEdit;
class QPushButton;

namespace vitrine::ui {

class ContentArea;
class GlyphLabel;
class HttpChoice;
class MachineChoice;
class MessageBar;
class StackedBar;
class TextLabel;

// The plan before a pull: what the image is, what will be fetched, what is here, the space
// afterwards. The plan is made on a worker thread half a second after the last key; nothing is
// written before *Pull*. As high as its content; where the screen is lower, the content scrolls.
class PullDialog final : public QDialog {
    Q_OBJECT
public:
    explicit PullDialog(const Services& services, QWidget* parent = nullptr);
    ~PullDialog() override;

    void setReference(const QString& text);
    void setInsecure(bool insecure);
    void setMakeMachine(const QString& name);                         // empty: do not
    void wantMachine();                                               // its name is suggested
    [[nodiscard]] bool isReady() const { return m_plan.has_value(); } // the plan is there

Q_SIGNALS:
    void planned();                      // a plan or an error is there
    void pullStarted(vitrine::Job* job); // owned by the job list

private:
    [[nodiscard]] QWidget* makeContent();
    void edited();
    void startPlanning();
    void planFinished();
    void showPlan();
    void showError(const Error& error);
    void signIn();
    void pull();
    void copyCommand();
    void updateButtons();
    [[nodiscard]] QString reasonAgainstPull() const; // empty: Pull can be pressed
    [[nodiscard]] PullRequest request(const ImageReference& reference) const;

    Services m_services;
    ContentArea* m_scroll;
    QWidget* m_content;
    // In the order in which Tab goes through them.
    QLineEdit* m_reference;
    GlyphLabel* m_foundGlyph;
    TextLabel* m_found;
    TextLabel* m_signInText;
    HttpChoice* m_http;
    MessageBar* m_message;
    StackedBar* m_fetchBar;
    TextLabel* m_fetchNote;
    StackedBar* m_spaceBar;
    TextLabel* m_spaceNote;
    MachineChoice* m_machine;
    QComboBox* m_connections;
    QPushButton* m_copy;
    QPushButton* m_pull;
    QTimer m_debounce{this};
    std::unique_ptr<Job> m_job;
    struct Planned {
        std::optional<PullPlan> plan;
        ByteCount volume; // size of the library's volume
    };
    std::shared_ptr<Planned> m_result;
    ByteCount m_volume;
    std::optional<PullPlan> m_plan;
};

} // namespace vitrine::ui
