// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

class QCheckBox;

namespace vitrine::ui {

class TextLabel;

// "Without encryption (http)" for one registry. When the settings of registries say http for it,
// the box is ticked, greyed and says so; "Always use http for HOST" below it keeps the choice or,
// unticked, takes it back. The settings' file is read and written in the background.
class HttpChoice final : public QWidget {
    Q_OBJECT
public:
    explicit HttpChoice(QWidget* parent = nullptr);

    void setHost(const QString& host); // empty: none yet
    void setInsecure(bool insecure);   // as if the box were ticked by hand
    [[nodiscard]] bool isInsecure() const;
    // The choice is to be stored once it has worked.
    [[nodiscard]] bool isToBeKept() const;

Q_SIGNALS:
    void changed(); // by the user: what was found out with the other choice is void

private:
    void readSettings();
    void forget();
    void refresh();

    QString m_host;
    bool m_kept = false;   // the settings say http
    bool m_byHand = false; // the user's own tick, kept while the settings decide
    QString m_problem;     // why the settings could not be changed
    QCheckBox* m_box;
    TextLabel* m_reason;
    QCheckBox* m_always;
};

} // namespace vitrine::ui
