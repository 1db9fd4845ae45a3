// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/transfers_page.h"

#include "core/job/job_list_model.h"
#include "ui/pull/pull_job.h"
#include "ui/signin/sign_in_dialog.h"
#include "ui/theme/theme.h"
#include "ui/transfers/transfer_row.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/hairline.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QToolButton>

namespace vitrine::ui {

namespace {

QString logSizesKey() {
    return QStringLiteral("transfers/logSplitter");
}

} // namespace

TransfersPage::TransfersPage(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_summary(new QLabel(this))
    , m_filter(new QLineEdit(this))
    , m_clear(normalButton(tr("Clear Finished"), {}, this))
    , m_list(new QWidget(this))
    , m_listLayout(new QVBoxLayout(m_list))
    , m_empty(new QWidget(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_logPane(new QWidget(this))
    , m_logTitle(new QLabel(this))
    , m_log(new QPlainTextEdit(this)) {
    auto* title = new QLabel(tr("Transfers"), this);
    title->setFont(Theme::pageTitle());
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter transfers"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(180);
    m_clear->setToolTip(tr("Removes finished transfers from this list. Nothing on disk changes."));

    auto* header = new QHBoxLayout;
    header->setContentsMargins(spacing::pageHorizontal, 0, spacing::block, 0);
    header->setSpacing(spacing::grid);
    header->addWidget(title);
    header->addSpacing(spacing::grid);
    header->addWidget(m_summary, 1);
    header->addWidget(m_filter);
    header->addWidget(m_clear);
    auto* headerBox = new QWidget(this);
    headerBox->setLayout(header);
    headerBox->setFixedHeight(spacing::headerHeight);
    auto* line = new Hairline(Qt::Horizontal, this);

    m_listLayout->setContentsMargins(spacing::block, 0, spacing::block, spacing::block);
    m_listLayout->setSpacing(0);
    m_listLayout->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_list);
    m_list->setBackgroundRole(QPalette::Base);
    m_list->setAutoFillBackground(true);

    auto* emptyLayout = new QVBoxLayout(m_empty);
    auto* emptyTitle = new QLabel(tr("No transfers yet"), m_empty);
    emptyTitle->setFont(Theme::heading());
    auto* emptyText =
        new QLabel(tr("Pulls and clones show here with their parts, speed and log."), m_empty);
    auto* pull = primaryButton(tr("Pull an Image…"), u"pull", m_empty);
    connect(pull, &QPushButton::clicked, this, &TransfersPage::pullRequested);
    emptyLayout->setContentsMargins(spacing::pageHorizontal,
                                    spacing::pageVertical,
                                    spacing::pageHorizontal,
                                    spacing::pageVertical);
    emptyLayout->addWidget(emptyTitle);
    emptyLayout->addWidget(emptyText);
    emptyLayout->addSpacing(spacing::grid);
    emptyLayout->addWidget(pull, 0, Qt::AlignLeft);
    emptyLayout->addStretch();

    connect(m_splitter, &QSplitter::splitterMoved, this, [this] {
        QSettings().setValue(logSizesKey(), m_splitter->saveState());
    });
    m_logTitle->setTextFormat(Qt::PlainText);
    m_logTitle->setFont(Theme::heading());
    m_log->setReadOnly(true);
    m_log->setFont(Theme::fixed());
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setMaximumBlockCount(5000);
    m_log->setAccessibleName(tr("Log of the transfer"));
    auto* copy = new QToolButton(m_logPane);
    copy->setIcon(themeIcon(u"copy"));
    copy->setText(tr("Copy"));
    copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    copy->setAutoRaise(true);
    copy->setFocusPolicy(Qt::StrongFocus);
    copy->setAccessibleName(tr("Copy the log"));
    auto* close = new QToolButton(m_logPane);
    close->setIcon(themeIcon(u"close"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::StrongFocus);
    close->setAccessibleName(tr("Close the log"));
    close->setToolTip(close->accessibleName());
    auto* logHead = new QHBoxLayout;
    logHead->addWidget(m_logTitle, 1);
    logHead->addWidget(copy);
    logHead->addWidget(close);
    auto* logLayout = new QVBoxLayout(m_logPane);
    logLayout->setContentsMargins(
        spacing::pageHorizontal, spacing::grid, spacing::block, spacing::grid);
    logLayout->setSpacing(spacing::tight);
    logLayout->addLayout(logHead);
    logLayout->addWidget(m_log, 1);
    m_logPane->hide();
    connect(copy, &QToolButton::clicked, this, [this, copy] {
        QGuiApplication::clipboard()->setText(m_log->toPlainText());
        showCopied(copy);
    });
    connect(close, &QToolButton::clicked, this, &TransfersPage::hideLog);

    m_splitter->addWidget(scroll);
    m_splitter->addWidget(m_logPane);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(headerBox);
    layout->addWidget(line);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_splitter, 1);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);

    JobListModel* jobs = services.jobs;
    connect(jobs,
            &QAbstractItemModel::rowsInserted,
            this,
            [this](const QModelIndex&, int first, int last) { insertRows(first, last); });
    connect(jobs,
            &QAbstractItemModel::rowsAboutToBeRemoved,
            this,
            [this](const QModelIndex&, int first, int last) { removeRows(first, last); });
    connect(jobs, &QAbstractItemModel::rowsRemoved, this, &TransfersPage::updateSummary);
    connect(jobs, &JobListModel::jobChanged, this, &TransfersPage::updateSummary);
    connect(m_clear, &QPushButton::clicked, jobs, &JobListModel::clearFinished);
    connect(m_filter, &QLineEdit::textChanged, this, &TransfersPage::applyFilter);
    if (jobs->rowCount() > 0)
        insertRows(0, jobs->rowCount() - 1);
    updateSummary();
}

QList<TransferRow*> TransfersPage::rows() const {
    return m_rows;
}

void TransfersPage::insertRows(int first, int last) {
    for (int row = first; row <= last; ++row) {
        auto* widget = new TransferRow(m_services.jobs->jobAt(row), m_list);
        widget->setExpanded(row == 0);
        m_rows.insert(row, widget);
        m_listLayout->insertWidget(row, widget);
        connect(widget, &TransferRow::logRequested, this, &TransfersPage::showLogOf);
        connect(widget, &TransferRow::retryRequested, this, &TransfersPage::retry);
        connect(widget, &TransferRow::signInRequested, this, &TransfersPage::signIn);
        connect(widget, &TransferRow::machineRequested, this, [this](Job* job) {
            if (const auto info = pullJobInfo(*job))
                Q_EMIT machineRequested(info->reference.toText());
        });
    }
    applyFilter();
    updateSummary();
}

void TransfersPage::removeRows(int first, int last) {
    for (int row = last; row >= first; --row) {
        TransferRow* widget = m_rows.takeAt(row);
        if (widget->job() == m_logJob)
            hideLog();
        delete widget;
    }
}

void TransfersPage::updateSummary() {
    int running = 0;
    int failed = 0;
    int done = 0;
    for (const TransferRow* row : std::as_const(m_rows)) {
        const Job::State state = row->job()->state();
        running += !row->job()->isFinished();
        failed += state == Job::State::Failed;
        done += state == Job::State::Succeeded;
    }
    QStringList parts;
    if (running > 0)
        parts << tr("%1 running").arg(running);
    if (failed > 0)
        parts << tr("%1 failed").arg(failed);
    if (done > 0)
        parts << tr("%1 finished").arg(done);
    m_summary->setText(parts.join(QStringLiteral(" · ")));
    m_clear->setEnabled(running < m_rows.size());
    m_empty->setVisible(m_rows.isEmpty());
    m_splitter->setVisible(!m_rows.isEmpty());
}

void TransfersPage::applyFilter() {
    const QString text = m_filter->text().trimmed();
    for (TransferRow* row : std::as_const(m_rows))
        row->setVisible(text.isEmpty() || row->job()->title().contains(text, Qt::CaseInsensitive) ||
                        row->job()->subtitle().contains(text, Qt::CaseInsensitive));
}

void TransfersPage::showLogOf(Job* job) {
    disconnect(m_logConnection);
    m_logJob = job;
    m_logTitle->setText(tr("Log of %1").arg(job->title()));
    m_log->setPlainText(job->logLines().join(QLatin1Char('\n')));
    m_log->moveCursor(QTextCursor::End);
    m_logConnection = connect(
        job, &Job::logged, this, [this](const QString& line) { m_log->appendPlainText(line); });
    if (m_logPane->isHidden()) {
        m_logPane->show();
        if (!m_splitter->restoreState(QSettings().value(logSizesKey()).toByteArray()))
            m_splitter->setSizes({height() * 2 / 3, height() / 3});
    }
}

void TransfersPage::hideLog() {
    disconnect(m_logConnection);
    m_logJob = nullptr;
    m_logPane->hide();
}

void TransfersPage::retry(Job* job) {
    job->retry();
}

void TransfersPage::signIn(Job* job) {
    const auto info = pullJobInfo(*job);
    if (!info)
        return;
    auto* dialog = new SignInDialog(info->reference.host(), info->insecure, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, job, &Job::retry);
    dialog->open();
}

} // namespace vitrine::ui
