// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_page.h"

#include "tests/support/layout_misfits.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/kernel/kernel_form.h"
#include "ui/kernel/kernel_output.h"
#include "ui/kernel/kernel_targets_view.h"
#include "ui/shell/question.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/message_bar.h"

#include <QFile>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class KernelPageTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        m_path = qgetenv("PATH");
    }
    void TearDown() override {
        WindowTest::TearDown();
        qputenv("PATH", m_path);
    }
    void showPage() {
        open();
        ASSERT_TRUE(window->showPage(QStringLiteral("kernel-runs")));
        page = window->kernelPage();
        ASSERT_TRUE(waitUntil([this] { return !page->isRunning(); }));
    }
    // Instead of vitrinectl: a shell script.
    void standIn(const QByteArray& script) {
        QFile file(folder.filePath(QStringLiteral("vitrinectl")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\nfor w; do case $w in --report=*) report=${w#--report=};; esac; "
                   "done\n" +
                   script);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("PATH", folder.path().toUtf8() + ':' + m_path);
    }
    void runCommand(const QString& command) {
        page->form()->kernelField()->setText(QStringLiteral("/nowhere/bzImage"));
        page->form()->commandField()->setText(command);
        ASSERT_TRUE(page->runButton()->isEnabled());
        page->runButton()->click();
    }
    bool ended() {
        return waitUntil([this] { return !page->isRunning(); });
    }
    void pictures(const QString& name) {
        for (const SchemeChoice scheme : {SchemeChoice::Dark, SchemeChoice::Light})
            for (const QSize size : {QSize(900, 600), QSize(1280, 800)}) {
                applyTheme(scheme);
                window->resize(size);
                settleLayout(*window);
                savePicture(*window,
                            QStringLiteral("kernel-%1-%2-%3")
                                .arg(name,
                                     scheme == SchemeChoice::Dark ? QStringLiteral("dark")
                                                                  : QStringLiteral("light"))
                                .arg(size.width()));
                EXPECT_EQ(layoutMisfits(*page).join(QLatin1Char('\n')).toStdString(), std::string())
                    << name.toStdString() << size.width();
            }
    }

    QTemporaryDir folder;
    KernelPage* page = nullptr;

private:
    QByteArray m_path;
};

} // namespace

TEST_F(KernelPageTest, BothStreamsAndTheExitCodeAreShown) {
    standIn("printf 'one\\ntwo\\n'; echo wrong >&2\n"
            "echo '{\"ExitCode\":7,\"Seconds\":3.25,\"Share\":\"9p\"}' > $report; exit 7\n");
    showPage();
    runCommand(QStringLiteral("make 'a b'"));
    ASSERT_TRUE(ended());
    EXPECT_EQ(page->status()->text().toStdString(),
              "Exit code 7 after 3.25\u00A0s, files over 9P.");
    const QStringList lines = page->output()->toPlainText().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 3);
    const auto wrong = static_cast<int>(lines.indexOf(QStringLiteral("wrong")));
    ASSERT_GE(wrong, 0);
    for (int line = 0; line < 3; ++line)
        EXPECT_EQ(page->output()->streamOf(line) == KernelOutput::Stream::Errors, line == wrong);
    EXPECT_FALSE(page->message()->isShown());
    EXPECT_EQ(page->commandRow()->command().toStdString(),
              "vitrinectl kernel run --kernel=/nowhere/bzImage 'make '\\''a b'\\'''");
    EXPECT_EQ(controlsWithoutName(*page), QStringList());
    pictures(QStringLiteral("command"));
}

TEST_F(KernelPageTest, AKernelThatIsMissingIsToldByTheRealProgram) {
    showPage();
    runCommand(QStringLiteral("true"));
    ASSERT_TRUE(ended());
    EXPECT_TRUE(page->message()->isShown());
    EXPECT_TRUE(page->message()->text().contains(QLatin1String("/nowhere/bzImage")))
        << page->message()->text().toStdString();
    EXPECT_TRUE(page->runButton()->isEnabled());
}

TEST_F(KernelPageTest, StopEndsARun) {
    standIn("echo begun; exec sleep 600\n");
    showPage();
    runCommand(QStringLiteral("sleep 600"));
    ASSERT_TRUE(waitUntil(
        [this] { return page->output()->toPlainText().contains(QLatin1String("begun")); }));
    page->stopButton()->click();
    ASSERT_TRUE(ended());
    EXPECT_TRUE(page->status()->text().startsWith(QLatin1String("Stopped after")));
    EXPECT_FALSE(page->stopButton()->isEnabled());
}

TEST_F(KernelPageTest, OnlyTheLastLinesAreKeptAndThatIsSaid) {
    standIn("seq 1 12000; echo '{\"ExitCode\":0,\"Seconds\":1}' > $report\n");
    showPage();
    runCommand(QStringLiteral("seq 1 12000"));
    ASSERT_TRUE(ended());
    EXPECT_EQ(page->output()->blockCount(), KernelOutput::mostLines);
    EXPECT_TRUE(page->output()->toPlainText().endsWith(QLatin1String("12000")));
    EXPECT_TRUE(page->cutNote()->isVisible());
}

TEST_F(KernelPageTest, TargetsOfAFileAreListedRunAndTold) {
    QFile list(folder.filePath(QStringLiteral("list.toml")));
    ASSERT_TRUE(list.open(QIODevice::WriteOnly));
    list.write("[[target]]\nname = \"first\"\nkernel = \"none\"\ncommand = \"true\"\n"
               "[[target]]\nname = \"second\"\nkernel = \"none\"\ncommand = \"true\"\n");
    list.close();
    showPage();
    page->showTab(KernelPage::Tab::List);
    EXPECT_FALSE(page->runButton()->isEnabled());
    page->targets()->setFile(list.fileName());
    ASSERT_TRUE(ended());
    QTableWidget* const table = page->targets()->table();
    ASSERT_EQ(table->rowCount(), 2);
    EXPECT_EQ(table->item(1, KernelTargetsView::NameColumn)->text(), QStringLiteral("second"));
    page->run();
    ASSERT_TRUE(ended());
    EXPECT_EQ(page->status()->text(), QStringLiteral("0 of 2 passed."));
    EXPECT_EQ(table->item(0, KernelTargetsView::ResultColumn)->text(), QStringLiteral("error"));
    EXPECT_TRUE(
        table->item(0, KernelTargetsView::ReasonColumn)->text().contains(QLatin1String("none")));
    EXPECT_TRUE(page->output()->toPlainText().contains(QLatin1String("There is no kernel")));
    pictures(QStringLiteral("list"));
    ASSERT_TRUE(list.open(QIODevice::WriteOnly));
    list.write("[[target]\n");
    list.close();
    page->targets()->setFile(list.fileName());
    ASSERT_TRUE(ended());
    EXPECT_EQ(table->rowCount(), 0);
    EXPECT_TRUE(page->message()->isShown());
}

TEST_F(KernelPageTest, FurtherFoldersAreMounted) {
    KernelForm form;
    form.kernelField()->setText(QStringLiteral("k"));
    form.mountsField()->setText(QStringLiteral(" /srv/a b:/mnt:ro; ;/tmp:/host "));
    form.commandField()->setText(QStringLiteral("true"));
    EXPECT_TRUE(form.words().contains(QStringLiteral("--mount=/srv/a b:/mnt:ro")));
    EXPECT_TRUE(form.words().contains(QStringLiteral("--mount=/tmp:/host")));
    EXPECT_EQ(form.words().size(), 5) << form.words().join(QLatin1Char('|')).toStdString();
    form.remember();
    EXPECT_EQ(KernelForm().mountsField()->text(), form.mountsField()->text());
}

TEST_F(KernelPageTest, TheCommandIsNotRemembered) {
    standIn("echo '{\"ExitCode\":0,\"Seconds\":1}' > $report\n");
    showPage();
    runCommand(QStringLiteral("login --password secret"));
    ASSERT_TRUE(ended());
    const KernelForm again;
    EXPECT_EQ(again.kernelField()->text(), QStringLiteral("/nowhere/bzImage"));
    EXPECT_TRUE(again.commandField()->text().isEmpty());
}

TEST_F(KernelPageTest, ClosingTheWindowAsksBeforeARunEnds) {
    standIn("exec sleep 1000\n");
    showPage();
    runCommand(QStringLiteral("make"));
    ASSERT_TRUE(waitUntil([this] { return page->isRunning(); }));
    window->close();
    Question* const question = window->quitQuestion();
    ASSERT_NE(question, nullptr);
    EXPECT_TRUE(window->isVisible());
    question->button(QStringLiteral("Cancel"))->click();
    EXPECT_TRUE(page->isRunning());
    window->close();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Stop and Close"))->click();
    EXPECT_TRUE(waitUntil([this] { return !window->isVisible(); }));
}
