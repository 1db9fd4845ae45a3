// SPDX-License-Identifier: Apache-2.0
// The page of kernel runs with the sample guest's kernel and this computer's files.
#include "tests/ui/shell/window_fixture.h"
#include "ui/kernel/kernel_form.h"
#include "ui/kernel/kernel_output.h"
#include "ui/kernel/kernel_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

constexpr int patience = 50000; // ms

} // namespace

TEST_F(WindowTest, AKernelRunsOneCommandAndThePageShowsWhatCameOfIt) {
    const QString guest = qEnvironmentVariable("VITRINE_SAMPLE_GUEST") + QStringLiteral("/amd64/");
    open();
    ASSERT_TRUE(window->showPage(QStringLiteral("kernel-runs")));
    KernelPage* const page = window->kernelPage();
    KernelForm* const form = page->form();
    form->kernelField()->setText(guest + QStringLiteral("boot/vmlinux"));
    form->modulesField()->setText(guest + QStringLiteral("modules"));
    form->memoryBox()->setValue(384);
    form->commandField()->setText(QStringLiteral("uname -s; echo wrong >&2; exit 3"));
    page->runButton()->click();
    EXPECT_TRUE(page->isRunning());
    ASSERT_TRUE(waitUntil([page] { return !page->isRunning(); }, patience));
    EXPECT_TRUE(page->status()->text().startsWith(QLatin1String("Exit code 3 after ")))
        << page->status()->text().toStdString() << page->message()->text().toStdString();
    QStringList lines = page->output()->toPlainText().split(QLatin1Char('\n'));
    lines.sort();
    EXPECT_EQ(lines, QStringList({QStringLiteral("Linux"), QStringLiteral("wrong")}));
}
