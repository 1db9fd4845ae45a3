// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/network_pane.h"

#include "core/softnet/softnet_presets.h"
#include "ui/settings/firewall_box.h"
#include "ui/theme/theme.h"
#include "ui/widgets/text_label.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTableWidget>

#include <algorithm>

namespace vitrine::ui {

namespace {

Feature featureOf(NetworkMode mode) {
    switch (mode) {
    case NetworkMode::Nat:
        break;
    case NetworkMode::Bridged:
        return Feature::Bridged;
    case NetworkMode::HostOnly:
        return Feature::HostOnly;
    case NetworkMode::Softnet:
        return Feature::Softnet;
    }
    return Feature::PortForwards;
}

QSpinBox* portBox(int minimum, const QString& name, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(minimum, 65535);
    box->setFixedWidth(110);
    box->setAccessibleName(name);
    return box;
}

QLineEdit* listField(const QString& hint, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setFixedWidth(320);
    field->setFont(Theme::fixed());
    field->setPlaceholderText(hint);
    return field;
}

void setText(QLineEdit* field, const QString& text) {
    if (!field->hasFocus() && field->text() != text)
        field->setText(text);
}

} // namespace

NetworkPane::NetworkPane(QWidget* parent)
    : SettingsPane(tr("Network"), parent)
    , m_mode(new QComboBox(this))
    , m_interfaces(listField(QStringLiteral("br0"), this))
    , m_bridges(new QComboBox(this))
    , m_preset(new QComboBox(this))
    , m_firewall(new FirewallBox(this))
    , m_address(new QLabel(this))
    , m_forwards(new QTableWidget(0, 2, this))
    , m_hostPort(portBox(0, tr("Port of this computer"), this))
    , m_guestPort(portBox(1, tr("Port of the guest"), this))
    , m_add(new QPushButton(themeIcon(u"plus"), tr("A&dd"), this))
    , m_remove(new QPushButton(themeIcon(u"minus"), tr("Re&move"), this)) {
    m_mode->addItem(tr("Own network behind this computer (NAT)"),
                    static_cast<int>(NetworkMode::Nat));
    m_mode->addItem(tr("Bridged: part of a network of this computer"),
                    static_cast<int>(NetworkMode::Bridged));
    m_mode->addItem(tr("Host only: reached from this computer"),
                    static_cast<int>(NetworkMode::HostOnly));
    m_mode->addItem(tr("Softnet: own network behind a firewall"),
                    static_cast<int>(NetworkMode::Softnet));
    m_mode->setMinimumWidth(320);
    m_address->setFont(Theme::fixed());
    m_address->setTextFormat(Qt::PlainText);
    m_address->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_modeField = addField(tr("&Attachment"), m_mode);
    m_bridges->setEditable(true);
    m_bridges->setInsertPolicy(QComboBox::NoInsert);
    m_bridges->setLineEdit(m_interfaces);
    m_bridges->setCompleter(nullptr);
    m_bridges->view()->setAccessibleName(tr("Interfaces"));
    m_bridges->setFixedWidth(320);
    m_interfaces->setMinimumWidth(0); // it leaves room for the arrow
    m_interfaces->setMaximumWidth(QWIDGETSIZE_MAX);
    m_interfaces->setAccessibleName(tr("Interfaces"));
    m_interfacesField = addField(tr("&Interfaces"), m_bridges);
    m_preset->setFixedWidth(320);
    m_presetField = addField(tr("&Preset"), m_preset);
    addWide(m_firewall);
    m_addressField = addField(tr("Address (MAC)"), m_address, tr("It is changed under General."));

    addHeading(tr("Port forwards"));
    m_forwards->setHorizontalHeaderLabels({tr("Port of this computer"), tr("Port of the guest")});
    m_forwards->verticalHeader()->hide();
    m_forwards->verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    m_forwards->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_forwards->horizontalHeader()->setHighlightSections(false);
    m_forwards->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_forwards->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_forwards->setSelectionMode(QAbstractItemView::SingleSelection);
    m_forwards->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_forwards->setShowGrid(false);
    m_forwards->setTabKeyNavigation(false);
    m_forwards->setFrameShape(QFrame::NoFrame);
    m_forwards->setAccessibleName(tr("Port forwards"));
    addWide(m_forwards);
    m_hostPort->setSpecialValueText(tr("any free"));
    m_guestPort->setValue(80);
    auto* leads = new TextLabel(tr("leads to"), TextSize::Body, TextTone::Secondary, this);
    m_forwardField =
        addField(tr("&New forward"), beside({m_hostPort, leads, m_guestPort, m_add, m_remove}));

    connect(m_mode, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.run.network.mode = static_cast<NetworkMode>(m_mode->currentData().toInt());
        });
    });
    connect(m_interfaces, &QLineEdit::textEdited, this, &NetworkPane::editInterfaces);
    connect(m_bridges, &QComboBox::activated, this, [this](int index) {
        m_interfaces->setText(m_bridges->itemData(index).toString());
        editInterfaces();
    });
    connect(m_firewall, &FirewallBox::edited, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.run.network.allow = m_firewall->allow();
            settings.run.network.block = m_firewall->block();
            settings.run.network.expose = m_firewall->expose();
        });
    });
    connect(m_firewall, &FirewallBox::presetsChanged, this, &NetworkPane::edited);
    connect(m_preset, &QComboBox::activated, this, [this](int index) {
        m_firewall->fillWith(index - 1); // "Custom" is the first
    });
    connect(m_add, &QPushButton::clicked, this, &NetworkPane::addForward);
    connect(m_remove, &QPushButton::clicked, this, &NetworkPane::removeForward);
    connect(m_forwards, &QTableWidget::itemSelectionChanged, this, [this] {
        m_remove->setEnabled(m_forwards->currentRow() >= 0);
    });
}

void NetworkPane::editInterfaces() {
    edit([this](MachineSettings& settings) {
        QStringList names = m_interfaces->text().split(QLatin1Char(','), Qt::SkipEmptyParts);
        for (QString& name : names)
            name = name.trimmed();
        names.removeAll(QString());
        settings.run.network.interfaces = names;
    });
}

void NetworkPane::addForward() {
    const PortForward forward{static_cast<quint16>(m_hostPort->value()),
                              static_cast<quint16>(m_guestPort->value())};
    edit([forward](MachineSettings& settings) {
        if (forward.hostPort != 0)
            settings.run.forwards.removeIf([&forward](const PortForward& other) {
                return other.hostPort == forward.hostPort;
            });
        settings.run.forwards.append(forward);
    });
    m_forwards->selectRow(m_forwards->rowCount() - 1);
}

void NetworkPane::removeForward() {
    const int row = m_forwards->currentRow();
    edit([row](MachineSettings& settings) {
        if (row >= 0 && row < settings.run.forwards.size())
            settings.run.forwards.removeAt(row);
    });
}

void NetworkPane::display(const PaneContext& context) {
    begin(context);
    fillMode(context);
    fillFirewall(context);
    fillForwards(context);
    end();
}

void NetworkPane::fillMode(const PaneContext& context) {
    const NetworkOptions& network = context.draft.value().run.network;
    const NetworkOptions& saved = context.draft.saved().run.network;
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(network.mode)));
    fillBridges(context);
    setText(m_interfaces, network.interfaces.join(QLatin1String(", ")));
    m_address->setText(context.draft.value().macAddress.toText());
    QString help;
    switch (network.mode) {
    case NetworkMode::Nat:
        help =
            tr("The guest reaches what this computer reaches, without services on its 127.0.0.1. "
               "Others reach the guest only through the forwards below.");
        break;
    case NetworkMode::Bridged:
        help = tr("The guest gets an address of its own in that network and is reached there.");
        break;
    case NetworkMode::HostOnly:
        help = tr("The guest reaches nothing by itself. This computer reaches it through the "
                  "forwards below.");
        break;
    case NetworkMode::Softnet:
        help =
            tr("Public addresses and names pass, private ones and this computer do not, unless a "
               "rule below says otherwise.");
        break;
    }
    m_modeField->setHelp(help);
    // The choice stays possible: it is stored, and refused at start with the reason that stands
    // here.
    const FeatureStatus status =
        context.host ? context.host->status(featureOf(network.mode)) : FeatureStatus{true, {}};
    m_modeField->setProblem(
        status.available || network.mode == NetworkMode::Nat
            ? QString()
            : tr("The machine cannot start like this here. %1").arg(status.reason));
    const QString onlyBridged =
        network.mode == NetworkMode::Bridged ? QString() : tr("Only a bridged machine has them.");
    m_interfacesField->setReason(onlyBridged);
    m_interfacesField->setHelp(tr("A bridge of this computer, or an interface that is part of one. "
                                  "One network card for each, with commas between them."));
    m_modeField->setEffect(network.mode != saved.mode || network.interfaces != saved.interfaces
                               ? std::optional(context.runEffect())
                               : std::nullopt);
}

void NetworkPane::fillFirewall(const PaneContext& context) {
    const NetworkOptions& network = context.draft.value().run.network;
    const NetworkOptions& saved = context.draft.saved().run.network;
    const bool softnet = network.mode == NetworkMode::Softnet;
    setFieldVisible(m_presetField, softnet);
    m_firewall->setVisible(softnet);
    m_firewall->showLists(network);
    if (softnet)
        m_firewall->askNetworks();
    const QList<SoftnetPreset> presets = m_firewall->presets();
    if (m_preset->count() != presets.size() + 1) {
        m_preset->clear();
        m_preset->addItem(tr("Custom"));
        for (const SoftnetPreset& preset : presets)
            m_preset->addItem(preset.name);
    }
    auto* items = qobject_cast<QStandardItemModel*>(m_preset->model());
    for (int i = 0; i < presets.size(); ++i) {
        const SoftnetPreset& preset = presets.at(i);
        const QString words = preset.whyNot.isEmpty() ? preset.what : preset.whyNot;
        m_preset->setItemData(i + 1, words.toHtmlEscaped(), Qt::ToolTipRole);
        m_preset->setItemData(i + 1, words, Qt::AccessibleDescriptionRole);
        if (items != nullptr)
            items->item(i + 1)->setEnabled(preset.whyNot.isEmpty());
    }
    const int current = m_firewall->current();
    m_preset->setCurrentIndex(current + 1);
    m_presetField->setHelp(
        current >= 0 ? presets.at(current).what
                     : tr("Rules of your own. A rule with a port goes before one without, then the "
                          "longest prefix, then block before allow."));
    const bool live = context.running && rulesReload(saved, network);
    m_presetField->setEffect(
        network.allow != saved.allow || network.block != saved.block ||
                network.expose != saved.expose
            ? std::optional(live ? SettingsChange::Effect::Now : context.runEffect())
            : std::nullopt);
}

// The bridges of this computer to choose from; what stands in the field stays, as it may be a list.
void NetworkPane::fillBridges(const PaneContext& context) {
    const QList<HostBridge> bridges = context.host ? context.host->bridges : QList<HostBridge>();
    QStringList items;
    for (const HostBridge& bridge : bridges)
        items << (bridge.reason.isEmpty() ? bridge.name : tr("%1 (not usable)").arg(bridge.name));
    QStringList shown;
    for (int index = 0; index < m_bridges->count(); ++index)
        shown << m_bridges->itemText(index);
    if (items != shown) {
        const QString text = m_interfaces->text();
        m_bridges->clear();
        for (qsizetype index = 0; index < bridges.size(); ++index) {
            m_bridges->addItem(items.at(index), bridges.at(index).name);
            m_bridges->setItemData(
                static_cast<int>(index), bridges.at(index).reason, Qt::ToolTipRole);
        }
        m_bridges->setCurrentIndex(-1);
        m_interfaces->setText(text);
    }
    QStringList problems;
    const NetworkOptions& network = context.draft.value().run.network;
    if (network.mode == NetworkMode::Bridged)
        for (const HostBridge& bridge : bridges)
            if (network.interfaces.contains(bridge.name) && !bridge.reason.isEmpty())
                problems << QStringLiteral("%1: %2").arg(bridge.name, bridge.reason);
    m_interfacesField->setProblem(problems.join(QLatin1Char('\n')));
}

void NetworkPane::fillForwards(const PaneContext& context) {
    const RunOptions& run = context.draft.value().run;
    const QList<PortForward> ports = portsInUse(run.forwards, context.liveForwards);
    const int selected = m_forwards->currentRow();
    const int rows = static_cast<int>(run.forwards.size());
    m_forwards->setRowCount(rows);
    for (int row = 0; row < rows; ++row) {
        const PortForward& forward = run.forwards.at(row);
        const QString address = QStringLiteral("127.0.0.1:%1").arg(ports.at(row).hostPort);
        const QString host = forward.hostPort != 0         ? address
                             : ports.at(row).hostPort != 0 ? tr("any free, now %1").arg(address)
                                                           : tr("any free");
        int column = 0;
        for (const QString& text : {host, QString::number(forward.guestPort)}) {
            auto* item = new QTableWidgetItem(text);
            item->setFont(Theme::fixed());
            m_forwards->setItem(row, column++, item);
        }
    }
    m_forwards->setFixedHeight(m_forwards->horizontalHeader()->sizeHint().height() +
                               std::max(rows, 1) * spacing::tableRow + 2);
    if (rows > 0)
        m_forwards->selectRow(std::clamp(selected, 0, rows - 1));
    const bool bridged = run.network.mode == NetworkMode::Bridged;
    m_forwardField->setReason(bridged ? tr("A bridged machine has an address of its own: reach its "
                                           "ports there.")
                                      : QString());
    m_remove->setEnabled(m_forwards->currentRow() >= 0);
    if (!bridged)
        m_remove->setToolTip(m_forwards->currentRow() >= 0 ? QString()
                                                           : tr("Choose a forward first."));
    m_forwardField->setHelp(tr("Only programs of this computer reach the port. Every machine also "
                               "gets a free one that leads to port 22."));
    m_forwardField->setEffect(
        run.forwards != context.draft.saved().run.forwards
            ? std::optional(context.running ? SettingsChange::Effect::Now : context.runEffect())
            : std::nullopt);
}

} // namespace vitrine::ui
