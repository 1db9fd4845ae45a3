// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/kernel/kernel_text.h"
#include "ui/theme/theme.h"

#include <QWidget>

class QPushButton;
class QScrollArea;
class QTabBar;
class QTimer;

namespace vitrine::ui {

class CommandRow;
class GlyphLabel;
class KernelForm;
class KernelOutput;
class KernelTargetsView;
class MessageBar;
class TextLabel;

// Kernel runs (docs/kernel-runs.md): one command on a kernel, or the targets of a list one after
// the other. A vitrinectl does the work and ends with the page.
class KernelPage final : public QWidget {
    Q_OBJECT
public:
    enum class Tab { Command, List };

    explicit KernelPage(QWidget* parent = nullptr);

    void showTab(Tab tab);
    void run();         // the command, or all targets
    void runSelected(); // of the targets
    void stop();
    [[nodiscard]] bool isRunning() const;

    [[nodiscard]] KernelForm* form() const { return m_form; }
    [[nodiscard]] KernelTargetsView* targets() const { return m_targets; }
    [[nodiscard]] KernelOutput* output() const { return m_output; }
    [[nodiscard]] MessageBar* message() const { return m_message; }
    [[nodiscard]] CommandRow* commandRow() const { return m_command; }
    [[nodiscard]] TextLabel* status() const { return m_status; }
    [[nodiscard]] TextLabel* cutNote() const { return m_cutNote; }
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPushButton* runSelectedButton() const { return m_runSelected; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum class Work { None, Command, ReadList, Target };

    void build();
    void readList(const QString& path);
    void runRows(const QList<int>& rows);
    void runNext();
    void finished(const KernelResult& result);
    void commandFinished(const KernelResult& result);
    void listRead();
    void targetFinished(const KernelResult& result);
    void tellEnd(Glyph glyph, const QString& text);
    void showTargetOutput();
    void update();
    [[nodiscard]] Tab tab() const;
    [[nodiscard]] QString whyNot() const;
    [[nodiscard]] QStringList words() const; // behind "vitrinectl kernel"

    KernelChild* m_child;
    MessageBar* m_message;
    QTabBar* m_tabs;
    QScrollArea* m_area;
    KernelForm* m_form;
    KernelTargetsView* m_targets;
    QPushButton* m_run;
    QPushButton* m_runSelected;
    QPushButton* m_stop;
    GlyphLabel* m_glyph;
    TextLabel* m_status;
    TextLabel* m_outputTitle;
    TextLabel* m_cutNote;
    KernelOutput* m_output;
    CommandRow* m_command;
    QTimer* m_tick;
    Work m_work = Work::None;
    QList<int> m_queue;
    int m_row = -1; // of the target that runs
    int m_listEnd = 0;
    int m_listFailed = 0;
    bool m_stopping = false;
    bool m_shown = false;
};

} // namespace vitrine::ui
