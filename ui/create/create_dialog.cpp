// SPDX-License-Identifier: Apache-2.0
#include "ui/create/create_dialog.h"

#include "core/machine/machine_name.h"
#include "core/machine/run_command.h"
#include "ui/machines/background.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_naming.h"
#include "ui/pull/stacked_bar.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/content_area.h"
#include "ui/widgets/copy_button.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QRadioButton>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <unistd.h>

namespace vitrine::ui {

namespace {

using Kind = CreationChoice::Kind;

constexpr int debounceMilliseconds = 200;
constexpr int dialogWidth = 648;
constexpr int leastHeight = 400;
constexpr int labelWidth = 104;
constexpr int usualProcessors = 4;
constexpr int usualDisk = 50; // GB
constexpr int smallestMacDisk = 30;
constexpr int largestDisk = 65535;
constexpr int usualMemory = 4096; // MB
constexpr int mostMemory = 16 << 20;
constexpr int memoryStep = 256;

int hostMemory() { // MB
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0)
        return 0;
    const auto bytes = static_cast<quint64>(pages) * static_cast<quint64>(size);
    return static_cast<int>(ByteCount::fromBytes(bytes).wholeMiB());
}

// Tart's 4 GB, or half of a computer that has less than twice of it.
int firstMemory() {
    const int half = hostMemory() / 2 / memoryStep * memoryStep;
    return half > 0 ? std::clamp(half, memoryStep, usualMemory) : usualMemory;
}

QSpinBox* spinBox(int least, int most, int width, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(least, most);
    box->setFixedWidth(width);
    box->setMinimumHeight(spacing::control);
    return box;
}

int wholeGB(ByteCount size) { // rounded up
    constexpr quint64 gigabyte = 1000ULL * 1000 * 1000;
    return static_cast<int>(
        std::clamp<quint64>((size.bytes() + gigabyte - 1) / gigabyte, 1, largestDisk));
}

} // namespace

CreateDialog::CreateDialog(const Services& services, QWidget* parent)
    : QDialog(parent)
    , m_services(services)
    , m_disc(new QRadioButton(tr("&Linux, installed from a disc (.iso)")))
    , m_image(new QRadioButton(tr("Linux, from a disk &image (raw)")))
    , m_mac(new QRadioButton(tr("mac&OS, installed from a restore image (.ipsw)")))
    , m_macReason(new ReasonLabel)
    , m_latest(new QCheckBox(tr("The latest for this Mac, from Apple")))
    , m_file(new QLineEdit)
    , m_chooseFile(normalButton(tr("C&hoose…")))
    , m_name(new QLineEdit)
    , m_architecture(new QComboBox)
    , m_cpus(spinBox(1, 255, 120, nullptr))
    , m_memory(spinBox(64, mostMemory, 160, nullptr))
    , m_disk(spinBox(1, largestDisk, 120, nullptr))
    , m_space(new StackedBar)
    , m_spaceNote(helpLabel({}))
    , m_copy(normalButton(tr("Co&py Command"), u"copy", this))
    , m_create(nullptr)
    , m_form(new Form(labelWidth))
    , m_memoryOf(new TextLabel({}, TextSize::Small, TextTone::Secondary)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(tr("New Machine"));
    setMinimumWidth(dialogWidth);
    if (parent != nullptr) // it stays within its window, also the smallest one
        setMaximumHeight(std::max(parent->window()->height(), leastHeight));
    setBackgroundRole(QPalette::Base);
    auto* area = new ContentArea(this);
    area->setShrinks(true); // kinds have more and fewer rows
    area->setContent(makeContent());

    auto* cancel = normalButton(tr("Cancel"), {}, this);
    m_create = primaryButton(tr("Create"), {}, this);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(spacing::pageHorizontal, 0, spacing::pageHorizontal, 0);
    buttons->setSpacing(spacing::grid);
    buttons->addWidget(m_copy);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_create);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    layout->addWidget(area, 1);
    layout->addLayout(buttons);
    setTabOrder(m_disk, m_copy);
    setTabOrder(m_copy, cancel);
    setTabOrder(cancel, m_create);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);

    connectControls();
    m_disc->setChecked(true);
    showHost();
    kindChanged();
    m_file->setFocus();
}

QWidget* CreateDialog::makeKinds() {
    auto* kinds = new QWidget;
    auto* layout = new QVBoxLayout(kinds);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    for (QRadioButton* kind : {m_disc, m_image, m_mac}) {
        kind->setMinimumHeight(20); // the dialogue is to fit into a window of 900×600
        layout->addWidget(kind);
    }
    layout->addWidget(m_macReason);
    return kinds;
}

QWidget* CreateDialog::makeContent() {
    m_latest->setChecked(true);
    m_cpus->setValue(std::clamp(QThread::idealThreadCount(), 1, usualProcessors));
    m_memory->setSingleStep(memoryStep);
    m_memory->setSuffix(QChar(0x00A0) + tr("MB"));
    m_memory->setValue(firstMemory());
    m_disk->setSuffix(QChar(0x00A0) + tr("GB"));
    m_disk->setValue(usualDisk);
    m_file->setMinimumHeight(spacing::control);
    m_file->setMinimumWidth(320);
    m_name->setMinimumHeight(spacing::control);
    m_name->setMinimumWidth(320);
    m_architecture->setMinimumWidth(120);
    m_space->setAccessibleName(tr("Space on this computer"));
    m_file->setAccessibleName(tr("File"));
    m_name->setAccessibleName(tr("Name of the machine"));
    m_architecture->setAccessibleName(tr("Architecture"));
    m_cpus->setAccessibleName(tr("Processors"));
    m_memory->setAccessibleName(tr("Memory"));
    m_disk->setAccessibleName(tr("Size of the disk"));

    auto* kinds = makeKinds();
    kinds->setAccessibleName(tr("System"));
    m_form->addRow(tr("System"), kinds).controls->setStretch(0, 1);
    m_latestRow = m_form->addRow({}, m_latest);
    m_fileRow = m_form->addRow(tr("&File"), m_file);
    m_fileRow.controls->setStretch(0, 1);
    m_fileRow.controls->insertWidget(1, m_chooseFile);
    m_nameRow = m_form->addRow(tr("&Name"), m_name);
    m_nameRow.controls->setStretch(0, 1);
    m_architectureRow = m_form->addRow(tr("&Architecture"), m_architecture);
    m_cpuRow = m_form->addRow(tr("P&rocessors"), m_cpus);
    m_cpuRow.controls->insertWidget(
        1,
        new TextLabel(
            tr("of %1 on this computer").arg(QLocale().toString(QThread::idealThreadCount())),
            TextSize::Small,
            TextTone::Secondary));
    m_memoryRow = m_form->addRow(tr("&Memory"), m_memory);
    m_memoryRow.controls->insertWidget(1, m_memoryOf);
    m_diskRow = m_form->addRow(tr("&Disk"), m_disk);

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(
        spacing::pageHorizontal, spacing::pageVertical, spacing::pageHorizontal, spacing::grid);
    layout->setSpacing(spacing::grid);
    layout->addWidget(m_form);
    layout->addWidget(sectionHeading(tr("Space on this computer"), content));
    layout->addWidget(m_space);
    layout->addWidget(m_spaceNote);
    layout->addStretch();
    return content;
}

void CreateDialog::connectControls() {
    for (QRadioButton* kind : {m_disc, m_image, m_mac})
        connect(kind, &QRadioButton::toggled, this, [this](bool on) {
            if (on)
                kindChanged();
        });
    connect(m_latest, &QCheckBox::toggled, this, &CreateDialog::kindChanged);
    connect(m_chooseFile, &QPushButton::clicked, this, &CreateDialog::chooseFile);
    connect(m_file, &QLineEdit::textChanged, this, &CreateDialog::fileEdited);
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_nameTyped = !text.isEmpty();
    });
    connect(m_name, &QLineEdit::textChanged, this, &CreateDialog::showName);
    connect(m_disk, &QSpinBox::valueChanged, this, [this] {
        m_diskTyped = true;
        showSpace();
        m_debounce.start();
    });
    connect(m_memory, &QSpinBox::valueChanged, this, &CreateDialog::showSpace);
    connect(m_cpus, &QSpinBox::valueChanged, this, &CreateDialog::showSpace);
    connect(m_architecture, &QComboBox::currentIndexChanged, this, &CreateDialog::showHost);
    connect(m_services.library, &LibraryModel::loaded, this, &CreateDialog::showName);
    connect(m_services.host, &HostReport::changed, this, &CreateDialog::showHost);
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(debounceMilliseconds);
    connect(&m_debounce, &QTimer::timeout, this, &CreateDialog::look);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(QStringLiteral("vitrinectl ") +
                                              quotedForShell(choice().words()));
        showCopied(m_copy);
    });
    connect(m_create, &QPushButton::clicked, this, [this] {
        if (!reasonAgainst().isEmpty())
            return;
        Q_EMIT chosen(choice());
        accept();
    });
}

void CreateDialog::setKind(CreationChoice::Kind kind) {
    (kind == Kind::Disc ? m_disc : kind == Kind::DiskImage ? m_image : m_mac)->setChecked(true);
}

void CreateDialog::setFile(const QString& path) {
    m_file->setText(path);
}

void CreateDialog::makeFrom(const QString& path) {
    if (const auto kind = CreationChoice::kindOfFile(path))
        setKind(*kind);
    m_latest->setChecked(false);
    setFile(path);
    m_name->setFocus();
    m_name->selectAll();
}

CreationChoice CreateDialog::choice() const {
    CreationChoice choice;
    choice.kind = m_mac->isChecked()     ? Kind::MacOs
                  : m_image->isChecked() ? Kind::DiskImage
                                         : Kind::Disc;
    choice.name = m_name->text().trimmed();
    const QString typed = m_file->text().trimmed();
    if (needsFile() && !typed.isEmpty()) {
        const bool isHome = typed == QLatin1String("~") || typed.startsWith(QLatin1String("~/"));
        choice.file = QDir::cleanPath(
            QDir::home().absoluteFilePath(isHome ? QDir::homePath() + typed.mid(1) : typed));
    }
    if (choice.kind != Kind::MacOs && m_architecture->currentIndex() >= 0)
        choice.architecture = static_cast<Architecture>(m_architecture->currentData().toInt());
    choice.cpuCount = m_cpus->value();
    choice.memory = ByteCount::fromMiB(static_cast<quint64>(m_memory->value()));
    // A disk image keeps its size, which may be no whole number of GB, until a larger one is asked
    // for.
    if (choice.kind != Kind::DiskImage || (m_diskTyped && m_disk->value() > m_disk->minimum()))
        choice.diskSize = static_cast<unsigned>(m_disk->value());
    return choice;
}

bool CreateDialog::needsFile() const {
    return !m_mac->isChecked() || !m_latest->isChecked();
}

void CreateDialog::chooseFile() {
    const bool mac = m_mac->isChecked();
    const bool disc = m_disc->isChecked();
    auto* dialog = new QFileDialog(this,
                                   mac    ? tr("Choose a Restore Image")
                                   : disc ? tr("Choose an Installation Disc")
                                          : tr("Choose a Disk Image"),
                                   choice().file.isEmpty() ? QDir::homePath()
                                                           : QFileInfo(choice().file).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({mac    ? tr("Restore images (*.ipsw)")
                            : disc ? tr("Installation discs (*.iso)")
                                   : tr("Raw disk images (*.img *.raw)"),
                            tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    dialog->open();
}

void CreateDialog::kindChanged() {
    const bool mac = m_mac->isChecked();
    m_form->setRowVisible(m_latestRow, mac);
    m_form->setRowVisible(m_architectureRow, !mac);
    m_form->setRowVisible(m_cpuRow, !mac);
    m_form->setRowVisible(m_memoryRow, !mac);
    m_form->setRowVisible(m_fileRow, needsFile());
    m_file->setPlaceholderText(mac                    ? tr("A file whose name ends in .ipsw")
                               : m_image->isChecked() ? tr("A raw disk image")
                                                      : tr("A file whose name ends in .iso"));
    const QSignalBlocker quiet(m_disk);
    m_disk->setMinimum(mac ? smallestMacDisk : 1);
    if (!m_diskTyped)
        m_disk->setValue(usualDisk);
    fileEdited();
}

void CreateDialog::fileEdited() {
    m_outlook.reset();
    m_debounce.start();
    suggestName();
    showSpace();
}

// As the file is called, until a name is typed.
void CreateDialog::suggestName() {
    if (m_nameTyped) {
        showName();
        return;
    }
    QString base = needsFile() ? QFileInfo(m_file->text().trimmed()).completeBaseName() : QString();
    if (!MachineName::forNewMachine(base))
        base = m_mac->isChecked() ? QStringLiteral("macos") : QStringLiteral("linux");
    m_name->setText(freeName(base, [this](const QString& name) {
        return isMachineNameTaken(*m_services.library, *m_services.jobs, name);
    }));
    showName();
}

QString CreateDialog::nameProblem() const {
    return machineNameProblem(m_name->text().trimmed(), [this](const QString& name) {
        return isMachineNameTaken(*m_services.library, *m_services.jobs, name);
    });
}

void CreateDialog::showName() {
    const QString problem = nameProblem();
    m_nameRow.help->setText(problem);
    m_nameRow.help->setTone(TextTone::Error);
    m_nameRow.help->setVisible(!problem.isEmpty());
    m_name->setProperty(property::invalid, !problem.isEmpty());
    m_name->setAccessibleDescription(problem);
    m_name->update();
    updateButtons();
}

void CreateDialog::look() {
    inBackground(
        this,
        [choice = choice(), home = m_services.library->library().home()] {
            return lookAhead(choice, home);
        },
        [this, number = ++m_looks](const CreationOutlook& outlook) {
            if (number == m_looks && !m_debounce.isActive())
                showOutlook(outlook);
        });
}

void CreateDialog::showOutlook(const CreationOutlook& outlook) {
    m_outlook = outlook;
    const bool image = m_image->isChecked();
    if (image && outlook.fileSize) {
        const QSignalBlocker quiet(m_disk);
        const int before = m_disk->value();
        m_disk->setMinimum(wholeGB(*outlook.fileSize));
        if (m_diskTyped && m_disk->value() != before)
            m_debounce.start(); // what was asked for was too small
        if (!m_diskTyped)
            m_disk->setValue(m_disk->minimum());
    }
    const QString problem = outlook.problem ? outlook.problem->message : QString();
    m_fileRow.help->setTone(problem.isEmpty() ? TextTone::Secondary : TextTone::Error);
    m_fileRow.help->setText(
        !problem.isEmpty()  ? problem
        : !outlook.fileSize ? QString()
        : image             ? tr("A disk of %1. It is copied; the file stays as it is.")
                      .arg(outlook.fileSize->toText())
        : m_disc->isChecked()
            ? tr("%1. The machine starts from it until something is installed on its disk; take "
                 "it out in Settings, Disks.")
                  .arg(outlook.fileSize->toText())
            : outlook.fileSize->toText());
    m_fileRow.help->setVisible(!m_fileRow.help->text().isEmpty());
    m_file->setProperty(property::invalid, !problem.isEmpty());
    m_file->setAccessibleDescription(m_fileRow.help->text());
    m_file->update();
    showSpace();
    Q_EMIT looked();
}

void CreateDialog::showHost() {
    const HypervisorInfo* host = m_services.host->info();
    const QString wait = tr("Finding out what this computer can do…");
    const FeatureStatus mac =
        host != nullptr ? host->status(Feature::DarwinGuests) : FeatureStatus{false, wait};
    setAvailable(m_mac, m_macReason, mac.available, mac.reason);
    if (m_architecture->count() == 0 && host != nullptr) {
        const QSignalBlocker quiet(m_architecture);
        for (const Architecture one :
             {hostArchitecture(),
              hostArchitecture() == Architecture::Arm64 ? Architecture::Amd64
                                                        : Architecture::Arm64})
            m_architecture->addItem(toText(one), static_cast<int>(one));
    }
    m_architectureRow.help->hide();
    if (host != nullptr) {
        const FeatureStatus status =
            host->status(choice().architecture == Architecture::Arm64 ? Feature::Arm64Guests
                                                                      : Feature::Amd64Guests);
        m_architectureRow.help->setText(status.reason);
        m_architectureRow.help->setTone(status.available ? TextTone::Secondary : TextTone::Error);
        m_architectureRow.help->setVisible(!status.reason.isEmpty());
        m_architecture->setAccessibleDescription(status.reason);
    }
    updateButtons();
}

void CreateDialog::showSpace() {
    const int host = hostMemory();
    m_memoryOf->setText(tr("%1 of %2 on this computer")
                            .arg(choice().memory.toMemoryText(),
                                 ByteCount::fromMiB(static_cast<quint64>(host)).toMemoryText()));
    const bool tooMuch = host > 0 && m_memory->value() > host;
    m_memoryRow.help->setText(tr("More than this computer has: the machine will not start here."));
    m_memoryRow.help->setTone(TextTone::Warning);
    m_memoryRow.help->setVisible(tooMuch);
    m_cpuRow.help->setText(tr("More than this computer has: the machine gets slower, not faster."));
    m_cpuRow.help->setVisible(m_cpus->value() > QThread::idealThreadCount());

    const auto used = [] { return Theme::current().stopped; };
    const auto accent = [] { return Theme::current().accent; };
    const auto free = [] { return Theme::current().separator; };
    if (!m_outlook) {
        m_space->setShares({{tr("Used"), {}, used},
                            {tr("This machine at first"), {}, accent},
                            {tr("Free afterwards"), {}, free}});
        updateButtons();
        return;
    }
    const quint64 available = m_outlook->available.bytes();
    const quint64 first = m_outlook->atFirst.bytes();
    // How large macOS will be is known when it is there.
    const std::optional<quint64> known =
        m_mac->isChecked() ? std::nullopt : std::optional<quint64>(first);
    const quint64 total = std::max(m_outlook->volume.bytes(), available);
    m_space->setShares({{tr("Used"), total - available, used},
                        {tr("This machine at first"), known, accent},
                        {tr("Free afterwards"), available > first ? available - first : 0, free}});
    const auto size = choice().diskSize;
    const ByteCount whole =
        size ? ByteCount::fromGB(*size) : m_outlook->fileSize.value_or(ByteCount());
    m_spaceNote->setText(
        m_mac->isChecked() && !needsFile()
            ? tr("The restore image, which is fetched and kept, and macOS take about 40 GB. The "
                 "disk grows to %1 at most.")
                  .arg(whole.toText())
        : whole.bytes() > available
            ? tr("The disk takes room only as it is filled. All of its %1 would not fit.")
                  .arg(whole.toText())
            : tr("The disk takes room only as it is filled, up to %1.").arg(whole.toText()));
    updateButtons();
}

QString CreateDialog::reasonAgainst() const {
    if (needsFile() && m_file->text().trimmed().isEmpty())
        return tr("Choose a file first.");
    if (const QString problem = nameProblem(); !problem.isEmpty())
        return problem;
    const HypervisorInfo* host = m_services.host->info();
    if (host == nullptr)
        return tr("Finding out what this computer can do…");
    const CreationChoice now = choice();
    const FeatureStatus status =
        host->status(now.kind == Kind::MacOs                   ? Feature::DarwinGuests
                     : now.architecture == Architecture::Arm64 ? Feature::Arm64Guests
                                                               : Feature::Amd64Guests);
    if (!status.available)
        return status.reason;
    if (!m_outlook)
        return tr("Looking at the file…");
    if (m_outlook->problem)
        return m_outlook->problem->message;
    if (m_outlook->atFirst > m_outlook->available)
        return tr("It takes %1 and only %2 are free. Free some space first.")
            .arg(m_outlook->atFirst.toText(), m_outlook->available.toText());
    return {};
}

void CreateDialog::updateButtons() {
    if (m_create == nullptr)
        return; // not all is made yet
    const QString reason = reasonAgainst();
    m_create->setEnabled(reason.isEmpty());
    m_create->setToolTip(reason);
    m_create->setAccessibleDescription(reason);
    const bool whole =
        nameProblem().isEmpty() && (!needsFile() || !m_file->text().trimmed().isEmpty());
    m_copy->setEnabled(whole);
    m_copy->setToolTip(whole ? tr("Copies the vitrinectl line that does the same.")
                             : tr("Choose a file and a name first."));
}

} // namespace vitrine::ui
