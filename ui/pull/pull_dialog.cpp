// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_dialog.h"

#include "core/disk/disk_space.h"
#include "core/value/byte_count.h"
#include "ui/machines/machine_naming.h"
#include "ui/pull/http_choice.h"
#include "ui/pull/machine_choice.h"
#include "ui/pull/pull_job.h"
#include "ui/pull/pull_text.h"
#include "ui/pull/stacked_bar.h"
#include "ui/signin/sign_in_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/content_area.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int debounceMilliseconds = 500;
constexpr int dialogWidth = 648;

TextLabel*
wrappedLabel(QWidget* parent, TextSize size = TextSize::Body, TextTone tone = TextTone::Text) {
    auto* label = new TextLabel({}, size, tone, parent);
    label->setWordWrap(true);
    return label;
}

} // namespace

PullDialog::PullDialog(const Services& services, QWidget* parent)
    : QDialog(parent)
    , m_services(services)
    , m_scroll(new ContentArea(this))
    , m_content(new QWidget(m_scroll->viewport()))
    , m_reference(new QLineEdit(m_content))
    , m_foundGlyph(new GlyphLabel(m_content))
    , m_found(wrappedLabel(m_content))
    , m_signInText(wrappedLabel(m_content))
    , m_http(new HttpChoice(m_content))
    , m_message(new MessageBar(m_content))
    , m_fetchBar(new StackedBar(m_content))
    , m_fetchNote(wrappedLabel(m_content, TextSize::Small, TextTone::Secondary))
    , m_spaceBar(new StackedBar(m_content))
    , m_spaceNote(wrappedLabel(m_content, TextSize::Small, TextTone::Secondary))
    , m_machine(new MachineChoice(
          [this](const QString& name) {
              return isMachineNameTaken(*m_services.library, *m_services.jobs, name);
          },
          m_content))
    , m_connections(new QComboBox(m_content))
    , m_copy(normalButton(tr("&Copy Command"), u"copy", this))
    , m_pull(nullptr) {
    setWindowTitle(tr("Pull an Image"));
    setMinimumWidth(dialogWidth);
    setBackgroundRole(QPalette::Base);
    m_reference->setFont(Theme::fixed());
    m_reference->setMinimumHeight(spacing::control);
    m_reference->setPlaceholderText(QStringLiteral("ghcr.io/cirruslabs/ubuntu:latest"));
    m_reference->setAccessibleName(tr("Image to pull"));
    m_fetchBar->setAccessibleName(tr("What will be fetched"));
    m_spaceBar->setAccessibleName(tr("Space on this computer"));
    m_connections->setAccessibleName(tr("Connections"));
    m_connections->addItem(tr("4 (usual)"), 4);
    for (const int count : {1, 2, 8, 16})
        m_connections->addItem(QLocale().toString(count), count);
    m_copy->setToolTip(tr("Copies the vitrinectl line that does the same."));

    m_scroll->setContent(makeContent());

    auto* cancel = normalButton(tr("Cancel"), {}, this);
    m_pull = primaryButton(tr("Pull"), {}, this);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(spacing::pageHorizontal, 0, spacing::pageHorizontal, 0);
    buttons->setSpacing(spacing::grid);
    buttons->addWidget(m_copy);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_pull);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    layout->addWidget(m_scroll, 1);
    layout->addLayout(buttons);

    m_debounce.setSingleShot(true);
    m_debounce.setInterval(debounceMilliseconds);
    connect(&m_debounce, &QTimer::timeout, this, &PullDialog::startPlanning);
    connect(m_reference, &QLineEdit::textChanged, this, &PullDialog::edited);
    connect(m_http, &HttpChoice::changed, this, &PullDialog::edited);
    connect(m_machine, &MachineChoice::changed, this, &PullDialog::updateButtons);
    connect(m_services.library, &LibraryModel::loaded, m_machine, &MachineChoice::check);
    connect(m_copy, &QPushButton::clicked, this, &PullDialog::copyCommand);
    connect(m_pull, &QPushButton::clicked, this, &PullDialog::pull);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    edited();
}

PullDialog::~PullDialog() = default;

QWidget* PullDialog::makeContent() {
    auto* found = new QWidget(m_content);
    auto* foundLayout = new QHBoxLayout(found);
    foundLayout->setContentsMargins(0, 0, 0, 0);
    foundLayout->setSpacing(spacing::grid);
    foundLayout->addWidget(m_foundGlyph);
    foundLayout->addWidget(m_found, 1);

    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setHorizontalSpacing(spacing::block);
    form->setVerticalSpacing(spacing::grid);
    form->addRow(tr("&Image"), m_reference);
    form->addRow(tr("Found"), found);
    form->addRow(tr("Sign-in"), m_signInText);
    form->addRow(QString(), m_http);

    auto* options = new QHBoxLayout;
    options->setSpacing(spacing::grid);
    options->addWidget(m_machine, 1);
    options->addSpacing(spacing::block);
    auto* connectionsLabel = new QLabel(tr("C&onnections"), m_content);
    connectionsLabel->setBuddy(m_connections);
    connectionsLabel->setMinimumHeight(spacing::control);
    options->addWidget(connectionsLabel, 0, Qt::AlignTop);
    options->addWidget(m_connections, 0, Qt::AlignTop);

    auto* layout = new QVBoxLayout(m_content);
    layout->setContentsMargins(
        spacing::pageHorizontal, spacing::pageVertical, spacing::pageHorizontal, spacing::grid);
    layout->setSpacing(spacing::grid);
    layout->addLayout(form);
    layout->addWidget(m_message);
    layout->addSpacing(spacing::grid);
    layout->addWidget(sectionHeading(tr("What will be fetched"), m_content));
    layout->addWidget(m_fetchBar);
    layout->addWidget(m_fetchNote);
    layout->addSpacing(spacing::grid);
    layout->addWidget(sectionHeading(tr("Space on this computer"), m_content));
    layout->addWidget(m_spaceBar);
    layout->addWidget(m_spaceNote);
    layout->addSpacing(spacing::grid);
    layout->addLayout(options);
    layout->addStretch();
    m_message->hide();
    return m_content;
}

void PullDialog::setReference(const QString& text) {
    m_reference->setText(text);
}

void PullDialog::setInsecure(bool insecure) {
    m_http->setInsecure(insecure);
}

void PullDialog::setMakeMachine(const QString& name) {
    m_machine->setName(name);
    m_machine->setWanted(!name.isEmpty());
}

void PullDialog::wantMachine() {
    m_machine->setWanted(true);
}

void PullDialog::edited() {
    m_job.reset();
    m_plan.reset();
    m_message->hide();
    m_foundGlyph->hide();
    m_signInText->setText(QStringLiteral("–"));
    const QString text = m_reference->text().trimmed();
    if (text.isEmpty()) {
        m_found->setText(tr(
            "Nothing yet. Type the name of an image, such as ghcr.io/cirruslabs/ubuntu:latest."));
        m_debounce.stop();
    } else {
        m_found->setText(tr("Looking…"));
        m_debounce.start();
    }
    showPlan();
    updateButtons();
}

PullRequest PullDialog::request(const ImageReference& reference) const {
    PullRequest request{reference,
                        registryOptions(m_http->isInsecure(), parentWidget()),
                        m_connections->currentData().toInt()};
    return request;
}

void PullDialog::startPlanning() {
    const auto reference = ImageReference::fromText(m_reference->text().trimmed());
    if (!reference) {
        showError(reference.error());
        updateButtons();
        return;
    }
    m_http->setHost(reference->host());
    m_machine->suggest(reference->repository().section(QLatin1Char('/'), -1));
    m_result = std::make_shared<Planned>();
    m_job = std::make_unique<Job>(QStringLiteral("plan"),
                                  QString(),
                                  QString(),
                                  [library = m_services.library->library(),
                                   request = request(*reference),
                                   result = m_result](const JobContext& context) -> Result<> {
                                      auto plan = planPull(library, request, context);
                                      if (!plan)
                                          return fail(plan.error());
                                      result->plan = *std::move(plan);
                                      if (const auto space = volumeSpace(library.home()))
                                          result->volume = space->total;
                                      return {};
                                  });
    connect(m_job.get(), &Job::finished, this, &PullDialog::planFinished, Qt::QueuedConnection);
    m_job->start();
    updateButtons();
}

void PullDialog::planFinished() {
    if (!m_job || sender() != m_job.get())
        return;
    const std::unique_ptr<Job> job = std::move(m_job);
    if (job->state() == Job::State::Succeeded) {
        m_plan = m_result->plan;
        m_volume = m_result->volume;
        showPlan();
    } else if (job->state() == Job::State::Failed) {
        showError(job->error());
    }
    updateButtons();
    Q_EMIT planned();
}

void PullDialog::showPlan() {
    const auto running = [] { return Theme::current().running; };
    const auto accent = [] { return Theme::current().accent; };
    const auto used = [] { return Theme::current().stopped; };
    const auto free = [] { return Theme::current().separator; };
    if (!m_plan) {
        m_fetchBar->setShares({{tr("Already here"), {}, running}, {tr("To fetch"), {}, accent}});
        m_spaceBar->setShares({{tr("Used"), {}, used},
                               {tr("This image"), {}, accent},
                               {tr("Free afterwards"), {}, free}});
        m_fetchNote->setText(QString());
        m_spaceNote->setText(QString());
        return;
    }
    const PullPlan& plan = *m_plan;
    m_foundGlyph->setGlyph(Glyph::Done);
    m_foundGlyph->show();
    m_found->setText(foundText(plan));
    m_signInText->setText(plan.credentialsSource.isEmpty()
                              ? tr("Not needed")
                              : tr("From %1").arg(plan.credentialsSource));
    m_fetchBar->setShares({{tr("Already here"), plan.bytesHere, running},
                           {tr("To fetch"), plan.bytesToFetch, accent}});
    m_fetchNote->setText(fetchNote(plan));
    const quint64 total = std::max(m_volume.bytes(), plan.spaceAvailable);
    const quint64 after =
        plan.spaceAvailable > plan.spaceNeeded ? plan.spaceAvailable - plan.spaceNeeded : 0;
    m_spaceBar->setShares(
        {{tr("Used"), total > plan.spaceAvailable ? total - plan.spaceAvailable : 0, used},
         {tr("This image"), plan.spaceNeeded, accent},
         {tr("Free afterwards"), after, free}});
    m_spaceNote->setText(
        plan.alreadyHere
            ? QString()
            : tr("The image takes this much at most, because blocks of zeros take no space."));
    if (!plan.alreadyHere && plan.spaceNeeded + plan.spaceReserve > plan.spaceAvailable) {
        Error error;
        error.kind = Error::Kind::DiskFull;
        error.message = tr("There is not enough space: the image takes up to %1, %2 more must stay "
                           "free, and %3 are free. Free some space first.")
                            .arg(ByteCount::fromBytes(plan.spaceNeeded).toText(),
                                 ByteCount::fromBytes(plan.spaceReserve).toText(),
                                 ByteCount::fromBytes(plan.spaceAvailable).toText());
        m_message->showMessage(MessageBar::Kind::Warning, {}, error.message);
    }
}

void PullDialog::showError(const Error& error) {
    m_foundGlyph->setGlyph(Glyph::Broken);
    m_foundGlyph->show();
    m_found->setText(notFoundText(error));
    m_message->showError(error);
    if (error.kind == Error::Kind::Unauthorized)
        m_message->addAction(tr("Sign In…"), [this] { signIn(); });
    else if (error.kind == Error::Kind::Network || error.kind == Error::Kind::Timeout)
        m_message->addAction(tr("Try Again"), [this] { edited(); });
    if (isVisible())
        m_scroll->fitWindow();
    m_scroll->ensureWidgetVisible(m_message);
}

void PullDialog::signIn() {
    const auto reference = ImageReference::fromText(m_reference->text().trimmed());
    if (!reference)
        return;
    auto* dialog = new SignInDialog(reference->host(), m_http->isInsecure(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, &PullDialog::edited);
    dialog->open();
}

QString PullDialog::reasonAgainstPull() const {
    if (m_reference->text().trimmed().isEmpty())
        return tr("Type the name of an image first.");
    if (m_debounce.isActive() || m_job)
        return tr("The image is being looked up.");
    if (!m_plan)
        return tr("This image cannot be pulled; the reason is above.");
    return m_machine->problem();
}

void PullDialog::updateButtons() {
    const QString reason = reasonAgainstPull();
    m_pull->setEnabled(reason.isEmpty());
    m_pull->setToolTip(reason);
    m_pull->setAccessibleDescription(reason);
    m_pull->setText(m_plan && m_plan->bytesToFetch > 0
                        ? tr("Pull %1").arg(ByteCount::fromBytes(m_plan->bytesToFetch).toText())
                        : tr("Pull"));
    const bool named = ImageReference::isReference(m_reference->text().trimmed());
    m_copy->setEnabled(named);
    m_copy->setToolTip(named ? tr("Copies the vitrinectl line that does the same.")
                             : tr("Type the name of an image first."));
}

void PullDialog::pull() {
    if (!m_plan || !reasonAgainstPull().isEmpty())
        return;
    PullJobOptions options;
    options.machine = m_machine->name();
    options.keepHttp = m_http->isToBeKept();
    Job* started = m_services.jobs->add(
        makePullJob(m_services.library->library(), request(m_plan->reference), options));
    Q_EMIT pullStarted(started);
    accept();
}

void PullDialog::copyCommand() {
    QStringList line{
        QStringLiteral("vitrinectl"), QStringLiteral("pull"), m_reference->text().trimmed()};
    if (m_http->isInsecure())
        line << QStringLiteral("--insecure");
    if (const int count = m_connections->currentData().toInt(); m_connections->currentIndex() > 0)
        line << QStringLiteral("--concurrency") << QString::number(count);
    QString text = line.join(QLatin1Char(' '));
    if (m_machine->isWanted())
        text += QStringLiteral(" && vitrinectl clone %1 '%2'")
                    .arg(m_reference->text().trimmed(),
                         m_machine->name().replace(QLatin1Char('\''), QLatin1String("'\\''")));
    QGuiApplication::clipboard()->setText(text);
    showCopied(m_copy);
}

} // namespace vitrine::ui
