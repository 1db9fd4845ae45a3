// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

#include <functional>

class QCheckBox;
class QLineEdit;

namespace vitrine::ui {

class TextLabel;

// "Then make a machine named …": suggests a free name until the user types one, and says below the
// field why a name cannot be used.
class MachineChoice final : public QWidget {
    Q_OBJECT
public:
    explicit MachineChoice(std::function<bool(const QString&)> isTaken, QWidget* parent = nullptr);

    void setWanted(bool wanted);
    [[nodiscard]] bool isWanted() const;
    void setName(const QString& name); // as if typed
    // The name that is taken, or one like it that is free; empty: nothing to suggest yet.
    void suggest(const QString& base);
    void check();                          // the machines have changed
    [[nodiscard]] QString name() const;    // empty when no machine is wanted
    [[nodiscard]] QString problem() const; // why there can be no such machine; empty: all is well

Q_SIGNALS:
    void changed();

private:
    void fill();

    std::function<bool(const QString&)> m_isTaken;
    QString m_base;
    bool m_typed = false;
    QCheckBox* m_wanted;
    QLineEdit* m_name;
    TextLabel* m_problem;
};

} // namespace vitrine::ui
