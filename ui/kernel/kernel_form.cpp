// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_form.h"

#include "ui/kernel/kernel_text.h"
#include "ui/machines/background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int labelWidth = 120;
constexpr int usualMemory = 1024; // MiB
constexpr int leastMemory = 64;
constexpr int mostMemory = 1024 * 1024;
constexpr int mostCpus = 255;
const QString autoWord = QStringLiteral("auto");

QString keyOf(const char* name) {
    return QStringLiteral("kernelRuns/") + QLatin1String(name);
}

} // namespace

KernelForm::KernelForm(QWidget* parent)
    : QWidget(parent)
    , m_form(new Form(labelWidth, this))
    , m_kernel(new QLineEdit(this))
    , m_root(new QComboBox(this))
    , m_rootFolder(new QLineEdit(this))
    , m_modules(new QLineEdit(this))
    , m_mounts(new QLineEdit(this))
    , m_share(new QComboBox(this))
    , m_memory(new QSpinBox(this))
    , m_cpus(new QSpinBox(this))
    , m_arguments(new QLineEdit(this))
    , m_command(new QLineEdit(this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    build();
    recall();
    updateRoot();
    connect(m_kernel, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (!text.isEmpty())
            m_kernelRow.help->hide();
    });
    for (QLineEdit* const field :
         {m_kernel, m_rootFolder, m_modules, m_mounts, m_arguments, m_command})
        connect(field, &QLineEdit::textChanged, this, &KernelForm::changed);
    connect(m_root, &QComboBox::currentIndexChanged, this, [this] {
        updateRoot();
        Q_EMIT changed();
    });
    connect(m_share, &QComboBox::currentIndexChanged, this, &KernelForm::changed);
    connect(m_memory, &QSpinBox::valueChanged, this, &KernelForm::changed);
    connect(m_cpus, &QSpinBox::valueChanged, this, &KernelForm::changed);
    connect(m_command, &QLineEdit::returnPressed, this, &KernelForm::runWanted);
}

void KernelForm::build() {
    m_kernel->setPlaceholderText(tr("bzImage, vmlinux or Image"));
    m_kernelRow = m_form->addRow(tr("Kernel"), m_kernel);
    addChooser(m_kernelRow, m_kernel, tr("Choose a Kernel"), false);

    m_root->addItem(tr("This computer"));
    m_root->addItem(tr("A folder"));
    const Form::Row root =
        m_form->addRow(tr("Root"),
                       m_root,
                       tr("Read-only for the guest: its changes go to memory and are gone at the "
                          "end. Files that you cannot read stay unreadable."));
    m_rootFolder->setAccessibleName(tr("Folder that becomes the root file system"));
    m_rootFolder->setPlaceholderText(tr("Folder with a root file system"));
    root.controls->insertWidget(1, m_rootFolder, 1);
    m_chooseRoot =
        addChooser(root, m_rootFolder, tr("Choose a Folder with a Root File System"), true);

    m_modules->setPlaceholderText(tr("/lib/modules/VERSION of the root or of this computer"));
    const Form::Row modules = m_form->addRow(tr("Modules"), m_modules);
    addChooser(modules, m_modules, tr("Choose a Folder with Modules"), true);

    m_mounts->setPlaceholderText(
        tr("Further folders, such as /srv/data:/mnt:ro; more after a semicolon"));
    const Form::Row mounts = m_form->addRow(tr("Mounts"), m_mounts);
    mounts.controls->setStretch(0, 1);

    m_share->addItem(tr("Automatic"), autoWord);
    m_share->addItem(QStringLiteral("virtiofs"), QStringLiteral("virtiofs"));
    m_share->addItem(QStringLiteral("9P"), QStringLiteral("9p"));
    m_memory->setRange(leastMemory, mostMemory);
    m_memory->setSingleStep(256);
    m_memory->setValue(usualMemory);
    m_memory->setSuffix(QStringLiteral("\u00A0MiB"));
    m_memory->setAccessibleName(tr("Memory"));
    m_cpus->setRange(1, mostCpus);
    m_cpus->setAccessibleName(tr("CPUs"));
    const Form::Row share = m_form->addRow(tr("Files over"), m_share);
    auto* const memory = new TextLabel(tr("Memory"), TextSize::Body, TextTone::Text, this);
    memory->setBuddy(m_memory);
    auto* const cpus = new TextLabel(tr("CPUs"), TextSize::Body, TextTone::Text, this);
    cpus->setBuddy(m_cpus);
    int place = 1;
    for (QWidget* const widget : {static_cast<QWidget*>(memory),
                                  static_cast<QWidget*>(m_memory),
                                  static_cast<QWidget*>(cpus),
                                  static_cast<QWidget*>(m_cpus)})
        share.controls->insertWidget(place++, widget);

    m_arguments->setPlaceholderText(tr("Behind Vitrine's own, such as loglevel=7"));
    const Form::Row arguments = m_form->addRow(tr("Kernel arguments"), m_arguments);
    arguments.controls->setStretch(0, 1);
    m_command->setPlaceholderText(tr("A line for /bin/sh, such as uname -a"));
    const Form::Row command = m_form->addRow(tr("Command"), m_command);
    command.controls->setStretch(0, 1);
    for (QLineEdit* const field :
         {m_kernel, m_rootFolder, m_modules, m_mounts, m_arguments, m_command})
        field->setMinimumWidth(120);
}

QPushButton*
KernelForm::addChooser(const Form::Row& row, QLineEdit* field, const QString& what, bool folder) {
    QPushButton* const button = normalButton(tr("Choose…"), {}, this);
    button->setAccessibleName(what);
    const int place = row.controls->indexOf(field);
    row.controls->setStretch(place, 1);
    row.controls->insertWidget(place + 1, button);
    // What is left over is the field's.
    row.controls->setStretch(row.controls->count() - 1, 0);
    connect(button, &QPushButton::clicked, this, [this, field, what, folder] {
        choose(field, what, folder);
    });
    return button;
}

void KernelForm::choose(QLineEdit* field, const QString& title, bool folder) {
    auto* const dialog = new QFileDialog(this, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    if (folder)
        dialog->setOption(QFileDialog::ShowDirsOnly);
    if (!field->text().isEmpty())
        dialog->setDirectory(folder ? field->text() : QFileInfo(field->text()).path());
    connect(dialog, &QFileDialog::fileSelected, field, &QLineEdit::setText);
    dialog->open();
}

void KernelForm::updateRoot() {
    const bool folder = m_root->currentIndex() == 1;
    m_rootFolder->setVisible(folder);
    m_chooseRoot->setVisible(folder);
}

void KernelForm::proposeKernel(const QString& folder) {
    if (!m_kernel->text().isEmpty())
        return;
    inBackground(
        this,
        [folder] { return newestKernel(folder); },
        [this, folder](const QString& path) {
            if (m_kernel->text().isEmpty())
                m_kernel->setText(path);
            m_kernelRow.help->setText(
                tr("You can read no kernel in \"%1\". Choose a bzImage, a vmlinux with a PVH "
                   "entry or an Image for arm64.")
                    .arg(folder));
            m_kernelRow.help->setVisible(m_kernel->text().isEmpty());
            Q_EMIT changed();
        });
}

QStringList KernelForm::words() const {
    QStringList words{QStringLiteral("run"), QStringLiteral("--kernel=") + m_kernel->text()};
    if (m_root->currentIndex() == 1)
        words << QStringLiteral("--rootfs=") + m_rootFolder->text();
    if (!m_modules->text().isEmpty())
        words << QStringLiteral("--modules=") + m_modules->text();
    const QStringList mounts = m_mounts->text().split(QLatin1Char(';'), Qt::SkipEmptyParts);
    for (const QString& mount : mounts)
        if (!mount.trimmed().isEmpty())
            words << QStringLiteral("--mount=") + mount.trimmed();
    if (m_share->currentData().toString() != autoWord)
        words << QStringLiteral("--share=") + m_share->currentData().toString();
    if (m_memory->value() != usualMemory)
        words << QStringLiteral("--memory=%1").arg(m_memory->value());
    if (m_cpus->value() != 1)
        words << QStringLiteral("--cpus=%1").arg(m_cpus->value());
    if (!m_arguments->text().trimmed().isEmpty())
        words << QStringLiteral("--kernel-args=") + m_arguments->text().trimmed();
    if (m_command->text().startsWith(QLatin1Char('-')))
        words << QStringLiteral("--");
    words << m_command->text();
    return words;
}

QString KernelForm::whyNot() const {
    if (m_kernel->text().isEmpty())
        return tr("Choose a kernel first.");
    if (m_root->currentIndex() == 1 && m_rootFolder->text().isEmpty())
        return tr("Choose the folder that becomes the root file system.");
    const QString command = m_command->text().trimmed();
    if (command.isEmpty())
        return tr("Write the command that is to run.");
    if (command == QLatin1String("-"))
        return tr("A shell needs a terminal: copy the line below into one.");
    return {};
}

void KernelForm::setLocked(bool locked) {
    m_form->setEnabled(!locked);
}

void KernelForm::remember() const {
    QSettings settings;
    settings.setValue(keyOf("kernel"), m_kernel->text());
    settings.setValue(keyOf("rootIsFolder"), m_root->currentIndex() == 1);
    settings.setValue(keyOf("root"), m_rootFolder->text());
    settings.setValue(keyOf("modules"), m_modules->text());
    settings.setValue(keyOf("mounts"), m_mounts->text());
    settings.setValue(keyOf("share"), m_share->currentData());
    settings.setValue(keyOf("memory"), m_memory->value());
    settings.setValue(keyOf("cpus"), m_cpus->value());
}

void KernelForm::recall() {
    const QSettings settings;
    m_kernel->setText(settings.value(keyOf("kernel")).toString());
    m_root->setCurrentIndex(settings.value(keyOf("rootIsFolder")).toBool() ? 1 : 0);
    m_rootFolder->setText(settings.value(keyOf("root")).toString());
    m_modules->setText(settings.value(keyOf("modules")).toString());
    m_mounts->setText(settings.value(keyOf("mounts")).toString());
    m_share->setCurrentIndex(
        std::max(0, m_share->findData(settings.value(keyOf("share")).toString())));
    m_memory->setValue(settings.value(keyOf("memory"), usualMemory).toInt());
    m_cpus->setValue(settings.value(keyOf("cpus"), 1).toInt());
}

} // namespace vitrine::ui
