// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace vitrine::ui {

class TransferRow;

// The page of running and finished work: pulls, clones. Newest first, with filter, log and retry.
class TransfersPage final : public QWidget {
    Q_OBJECT
public:
    explicit TransfersPage(const Services& services, QWidget* parent = nullptr);

    void showLogOf(Job* job);
    [[nodiscard]] QList<TransferRow*> rows() const;

Q_SIGNALS:
    void pullRequested();                            // the empty page's button
    void machineRequested(const QString& reference); // of an image that is here

private:
    void insertRows(int first, int last);
    void removeRows(int first, int last);
    void updateSummary();
    void applyFilter();
    void retry(Job* job);
    void signIn(Job* job);
    void hideLog();

    Services m_services;
    QLabel* m_summary;
    QLineEdit* m_filter;
    QPushButton* m_clear;
    QWidget* m_list;
    QVBoxLayout* m_listLayout;
    QWidget* m_empty;
    QSplitter* m_splitter;
    QWidget* m_logPane;
    QLabel* m_logTitle;
    QPlainTextEdit* m_log;
    QPointer<Job> m_logJob;
    QMetaObject::Connection m_logConnection;
    QList<TransferRow*> m_rows; // in the model's order
};

} // namespace vitrine::ui
