// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

#include <QDialog>

class QCheckBox;
class QTreeWidget;

namespace vitrine::ui {

class TextLabel;

// The tightest rules for what was seen while learning, with a tick for each, and what they replace.
// Deletes itself when it is closed.
class LearnDialog final : public QDialog {
    Q_OBJECT
public:
    struct Facts {
        QString machine;
        QList<SoftnetDestination> seen;
        SoftnetPolicy inForce; // what the proposal replaces
        bool keep = true;      // from now on, else until the machine stops
    };
    LearnDialog(const Facts& facts, QWidget* parent);

    [[nodiscard]] SoftnetPolicy chosen() const; // what is ticked
    [[nodiscard]] QTreeWidget* list() const { return m_list; }
    [[nodiscard]] QString replaces() const; // as it stands there

Q_SIGNALS:
    void applied(const vitrine::SoftnetPolicy& policy);

private:
    void fill(const Facts& facts);
    void updateCount();

    SoftnetPolicy m_proposal;
    QTreeWidget* m_list;
    QCheckBox* m_rest; // block everything else
    TextLabel* m_count;
    TextLabel* m_replaces;
};

} // namespace vitrine::ui
