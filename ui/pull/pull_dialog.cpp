// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_dialog.h"

#include "core/disk/disk_space.h"
#include "core/value/byte_count.h"
#include "ui/pull/pull_job.h"
#include "ui/pull/stacked_bar.h"
#include "ui/signin/sign_in_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
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
    , m_reference(new QLineEdit(this))
    , m_foundGlyph(new GlyphLabel(this))
    , m_found(wrappedLabel(this))
    , m_signInText(wrappedLabel(this))
    , m_message(new MessageBar(this))
    , m_fetchNote(wrappedLabel(this, TextSize::Small, TextTone::Secondary))
    , m_fetchBar(new StackedBar(this))
    , m_spaceBar(new StackedBar(this))
    , m_spaceNote(wrappedLabel(this, TextSize::Small, TextTone::Secondary))
    , m_insecure(new QCheckBox(tr("Without encryption (http)"), this))
    , m_makeMachine(new QCheckBox(tr("Then make a &machine named"), this))
    , m_machineName(new QLineEdit(this))
    , m_connections(new QComboBox(this))
    , m_copy(normalButton(tr("&Copy Command"), u"copy", this))
    , m_pull(primaryButton(tr("Pull"), {}, this)) {
    setWindowTitle(tr("Pull an Image"));
    setMinimumWidth(648);
    setBackgroundRole(QPalette::Base);
    m_reference->setFont(Theme::fixed());
    m_reference->setMinimumHeight(spacing::control);
    m_reference->setPlaceholderText(QStringLiteral("ghcr.io/cirruslabs/ubuntu:latest"));
    m_reference->setAccessibleName(tr("Image to pull"));
    m_fetchBar->setAccessibleName(tr("What will be fetched"));
    m_spaceBar->setAccessibleName(tr("Space on this computer"));
    m_machineName->setAccessibleName(tr("Name of the machine"));
    m_machineName->setEnabled(false);
    m_connections->setAccessibleName(tr("Connections"));
    m_connections->addItem(tr("Automatic"), 4);
    for (const int count : {1, 2, 8, 16})
        m_connections->addItem(QLocale().toString(count), count);
    m_copy->setToolTip(tr("Copies the vitrinectl line that does the same."));
    m_pull->setDefault(true);

    auto* found = new QWidget(this);
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
    form->addRow(QString(), m_insecure);

    auto* options = new QHBoxLayout;
    options->setSpacing(spacing::grid);
    options->addWidget(m_makeMachine);
    options->addWidget(m_machineName, 1);
    options->addSpacing(spacing::block);
    auto* connectionsLabel = new QLabel(tr("C&onnections"), this);
    connectionsLabel->setBuddy(m_connections);
    options->addWidget(connectionsLabel);
    options->addWidget(m_connections);

    auto* cancel = normalButton(tr("Cancel"), {}, this);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(spacing::grid);
    buttons->addWidget(m_copy);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_pull);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    layout->addLayout(form);
    layout->addWidget(m_message);
    layout->addSpacing(spacing::grid);
    layout->addWidget(sectionHeading(tr("What will be fetched"), this));
    layout->addWidget(m_fetchBar);
    layout->addWidget(m_fetchNote);
    layout->addSpacing(spacing::grid);
    layout->addWidget(sectionHeading(tr("Space on this computer"), this));
    layout->addWidget(m_spaceBar);
    layout->addWidget(m_spaceNote);
    layout->addSpacing(spacing::grid);
    layout->addLayout(options);
    layout->addStretch();
    layout->addSpacing(spacing::grid);
    layout->addLayout(buttons);
    m_message->hide();

    m_debounce.setSingleShot(true);
    m_debounce.setInterval(debounceMilliseconds);
    connect(&m_debounce, &QTimer::timeout, this, &PullDialog::startPlanning);
    connect(m_reference, &QLineEdit::textChanged, this, &PullDialog::edited);
    connect(m_insecure, &QCheckBox::toggled, this, &PullDialog::edited);
    connect(m_makeMachine, &QCheckBox::toggled, this, [this](bool on) {
        m_machineName->setEnabled(on);
        updateButtons();
    });
    connect(m_machineName, &QLineEdit::textChanged, this, &PullDialog::updateButtons);
    connect(m_copy, &QPushButton::clicked, this, &PullDialog::copyCommand);
    connect(m_pull, &QPushButton::clicked, this, &PullDialog::pull);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    edited();
}

PullDialog::~PullDialog() = default;

void PullDialog::setReference(const QString& text) {
    m_reference->setText(text);
}

void PullDialog::setInsecure(bool insecure) {
    m_insecure->setChecked(insecure);
}

void PullDialog::setMakeMachine(const QString& name) {
    m_machineName->setText(name);
    m_makeMachine->setChecked(!name.isEmpty());
}

void PullDialog::edited() {
    m_job.reset();
    m_plan.reset();
    m_message->hide();
    m_foundGlyph->hide();
    m_signInText->setText(QStringLiteral("–"));
    const QString text = m_reference->text().trimmed();
    if (text.isEmpty()) {
        m_found->setText(tr("Name an image, such as ghcr.io/cirruslabs/ubuntu:latest."));
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
                        registryOptions(m_insecure->isChecked(), parentWidget()),
                        m_connections->currentData().toInt()};
    return request;
}

void PullDialog::startPlanning() {
    const auto reference = ImageReference::fromText(m_reference->text().trimmed());
    if (!reference) {
        showError(reference.error());
        return;
    }
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
    QStringList facts;
    if (plan.manifest) {
        facts << (plan.layers == 1 ? tr("1 layer") : tr("%1 layers").arg(plan.layers));
        facts << tr("disk of %1").arg(ByteCount::fromBytes(plan.manifest->diskSize()).toText());
        const QDateTime pushed = QDateTime::fromString(plan.manifest->uploadTime(), Qt::ISODate);
        if (pushed.isValid())
            facts << tr("pushed %1")
                         .arg(QLocale().toString(pushed.toLocalTime().date(), QLocale::LongFormat));
    }
    m_foundGlyph->setGlyph(Glyph::Done);
    m_foundGlyph->show();
    m_found->setText(facts.join(QStringLiteral(" · ")));
    m_signInText->setText(plan.credentialsSource.isEmpty()
                              ? tr("Not needed")
                              : tr("From %1").arg(plan.credentialsSource));
    m_fetchBar->setShares({{tr("Already here"), plan.bytesHere, running},
                           {tr("To fetch"), plan.bytesToFetch, accent}});
    if (plan.alreadyHere)
        m_fetchNote->setText(tr("This image is here already. Nothing will be fetched."));
    else if (plan.layersHere > 0)
        m_fetchNote->setText(tr("%1 of %2 layers are here, from other images or from a pull that "
                                "was stopped. They are checked again.")
                                 .arg(plan.layersHere)
                                 .arg(plan.layers));
    else
        m_fetchNote->setText(
            tr("Every byte is checked. A pull that is stopped goes on where it was."));
    const quint64 total = std::max(m_volume.bytes(), plan.spaceAvailable);
    const quint64 after =
        plan.spaceAvailable > plan.spaceNeeded ? plan.spaceAvailable - plan.spaceNeeded : 0;
    m_spaceBar->setShares(
        {{tr("Used"), total > plan.spaceAvailable ? total - plan.spaceAvailable : 0, used},
         {tr("This image"), plan.spaceNeeded, accent},
         {tr("Free afterwards"), after, free}});
    m_spaceNote->setText(tr("At most. Blocks of zeros take no space."));
    if (plan.spaceNeeded > plan.spaceAvailable) {
        Error error;
        error.kind = Error::Kind::DiskFull;
        error.message = tr("There may not be enough space: the image takes up to %1 and %2 are "
                           "free. Free some space first.")
                            .arg(ByteCount::fromBytes(plan.spaceNeeded).toText(),
                                 ByteCount::fromBytes(plan.spaceAvailable).toText());
        m_message->showMessage(MessageBar::Kind::Warning, {}, error.message);
    }
}

void PullDialog::showError(const Error& error) {
    m_foundGlyph->setGlyph(Glyph::Broken);
    m_foundGlyph->show();
    switch (error.kind) {
    case Error::Kind::InvalidInput:
        m_found->setText(tr("This is no image name"));
        break;
    case Error::Kind::Network:
    case Error::Kind::Timeout:
        m_found->setText(tr("The registry cannot be reached"));
        break;
    case Error::Kind::Unauthorized:
        m_found->setText(tr("The registry wants you to sign in"));
        break;
    case Error::Kind::NotFound:
        m_found->setText(tr("Not found"));
        break;
    default:
        m_found->setText(tr("This image cannot be pulled"));
        break;
    }
    m_message->showError(error);
    if (error.kind == Error::Kind::Unauthorized)
        m_message->addAction(tr("Sign In…"), [this] { signIn(); });
    else if (error.kind == Error::Kind::Network || error.kind == Error::Kind::Timeout)
        m_message->addAction(tr("Try Again"), [this] { edited(); });
    growToFit();
}

void PullDialog::growToFit() {
    layout()->activate();
    if (const QSize needed = layout()->totalMinimumSize(); needed.height() > height())
        resize(width(), needed.height());
}

void PullDialog::signIn() {
    const auto reference = ImageReference::fromText(m_reference->text().trimmed());
    if (!reference)
        return;
    auto* dialog = new SignInDialog(reference->host(), m_insecure->isChecked(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, &PullDialog::edited);
    dialog->open();
}

void PullDialog::updateButtons() {
    const bool nameGood =
        !m_makeMachine->isChecked() || MachineName::fromText(m_machineName->text()).has_value();
    m_pull->setEnabled(m_plan.has_value() && nameGood);
    m_pull->setText(m_plan && m_plan->bytesToFetch > 0
                        ? tr("Pull %1").arg(ByteCount::fromBytes(m_plan->bytesToFetch).toText())
                        : tr("Pull"));
    m_copy->setEnabled(ImageReference::isReference(m_reference->text().trimmed()));
    m_machineName->setToolTip(nameGood ? QString() : tr("Give the machine a name without \"/\"."));
}

void PullDialog::pull() {
    if (!m_plan)
        return;
    auto job = makePullJob(m_services.library->library(),
                           request(m_plan->reference),
                           m_makeMachine->isChecked() ? m_machineName->text() : QString());
    Job* started = m_services.jobs->add(std::move(job));
    Q_EMIT pullStarted(started);
    accept();
}

void PullDialog::copyCommand() {
    QStringList line{
        QStringLiteral("vitrinectl"), QStringLiteral("pull"), m_reference->text().trimmed()};
    if (m_insecure->isChecked())
        line << QStringLiteral("--insecure");
    if (const int count = m_connections->currentData().toInt(); m_connections->currentIndex() > 0)
        line << QStringLiteral("--concurrency") << QString::number(count);
    QString text = line.join(QLatin1Char(' '));
    if (m_makeMachine->isChecked())
        text += QStringLiteral(" && vitrinectl clone %1 '%2'")
                    .arg(m_reference->text().trimmed(),
                         QString(m_machineName->text())
                             .replace(QLatin1Char('\''), QLatin1String("'\\''")));
    QGuiApplication::clipboard()->setText(text);
}

} // namespace vitrine::ui
