// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/network_options.h"
#include "core/softnet/softnet_presets.h"

#include <QWidget>

#include <functional>

class QBoxLayout;

namespace vitrine::ui {

class ValueList;

// The lists of a machine behind Softnet, and what fills them: presets.
class FirewallBox final : public QWidget {
    Q_OBJECT
public:
    // The private networks of this computer; called off the window's thread.
    using Networks = std::function<QStringList()>;

    explicit FirewallBox(QWidget* parent = nullptr);

    void showLists(const NetworkOptions& network); // emits nothing
    // As vitrine.json holds them, also what is wrong in them.
    [[nodiscard]] QString allow() const;
    [[nodiscard]] QString block() const;
    [[nodiscard]] QString expose() const;
    [[nodiscard]] ValueList* allowed() const { return m_allow; }
    [[nodiscard]] ValueList* blocked() const { return m_block; }
    [[nodiscard]] ValueList* exposed() const { return m_expose; }

    [[nodiscard]] const QList<SoftnetPreset>& presets() const { return m_presets; }
    [[nodiscard]] int current() const;   // that the lists are; -1: none
    void fillWith(int preset);           // allow and block; nothing for one that cannot be chosen
    void setNetworks(Networks networks); // instead of hostNetworks()
    void askNetworks();                  // once

Q_SIGNALS:
    void edited();         // by the user, with every key
    void presetsChanged(); // or the choice of one came to nothing

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    Networks m_networks;
    bool m_asked = false;
    int m_question = 0; // an older answer than the last question does not count
    QList<SoftnetPreset> m_presets;
    ValueList* m_allow;
    ValueList* m_block;
    ValueList* m_expose;
    QBoxLayout* m_pair; // allow beside block where there is room
};

} // namespace vitrine::ui
