// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/general_pane.h"

#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"

#include <QDesktopServices>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QUrl>

namespace vitrine::ui {

namespace {

QLabel* fact(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    return label;
}

QString systemText(const MachineInfo& info) {
    if (!info.config)
        return {};
    const QString system =
        info.config->system == GuestSystem::Linux ? Tr::tr("Linux") : Tr::tr("macOS");
    return system + QStringLiteral(" · ") + toText(info.config->architecture);
}

} // namespace

GeneralPane::GeneralPane(QWidget* parent)
    : SettingsPane(tr("General"), parent)
    , m_name(new QLineEdit(this))
    , m_notes(new QPlainTextEdit(this))
    , m_mac(new QLineEdit(this))
    , m_system(fact(this))
    , m_source(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Body, TextTone::Text, this))
    , m_folder(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Body, TextTone::Text, this)) {
    m_name->setFixedWidth(320);
    m_name->setMaxLength(255);
    m_notes->setFixedHeight(96);
    m_notes->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_notes->setTabChangesFocus(true);
    m_mac->setFont(Theme::fixed());
    m_mac->setFixedWidth(200);
    m_mac->setAccessibleName(tr("MAC address"));
    auto* random = new QPushButton(tr("New MAC Address"), this);
    auto* open = new QPushButton(tr("Open Folder"), this);

    m_nameField = addField(tr("&Name"), m_name);
    addField(tr("System"), m_system);
    m_macField = addField(tr("MAC &address"),
                          beside({m_mac, random}),
                          tr("Two running machines never share one: a second one gets a new "
                             "address when it starts."));
    m_sourceField = addField(tr("Made from"), m_source);
    addField(tr("Folder"), beside({m_folder, open}));
    m_notesField = addField(tr("N&otes"), m_notes);

    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        edit([&](MachineSettings& settings) { settings.name = text; });
    });
    connect(m_notes, &QPlainTextEdit::textChanged, this, [this] {
        edit([this](MachineSettings& settings) { settings.notes = m_notes->toPlainText(); });
    });
    connect(m_mac, &QLineEdit::textEdited, this, [this](const QString& text) {
        const auto mac = MacAddress::fromText(text.trimmed());
        m_macProblem =
            mac ? QString()
                : tr("Write six groups of two hexadecimal digits, such as 6a:3e:f1:99:18:c1.");
        edit([&](MachineSettings& settings) {
            if (mac)
                settings.macAddress = *mac;
        });
    });
    connect(random, &QPushButton::clicked, this, [this] {
        const MacAddress mac = MacAddress::random();
        m_macProblem.clear();
        edit([&](MachineSettings& settings) { settings.macAddress = mac; });
    });
    connect(open, &QPushButton::clicked, this, [this] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder->text()));
    });
}

void GeneralPane::display(const PaneContext& context) {
    begin(context);
    const MachineSettings& settings = context.draft.value();
    const MachineSettings& saved = context.draft.saved();
    const auto set = [](QLineEdit* field, const QString& text) {
        if (field->text() != text)
            field->setText(text);
    };
    set(m_name, settings.name);
    if (m_notes->toPlainText() != settings.notes)
        m_notes->setPlainText(settings.notes);
    // What is being typed stays.
    if (m_macProblem.isEmpty() &&
        MacAddress::fromText(m_mac->text().trimmed()) != settings.macAddress)
        m_mac->setText(settings.macAddress.toText());
    m_macField->setReason(context.fixedHardware());
    m_macField->setProblem(m_macProblem);
    m_system->setText(systemText(context.info));
    m_source->setText(context.sidecar.sourceImage);
    setFieldVisible(m_sourceField, !context.sidecar.sourceImage.isEmpty());
    m_folder->setText(context.info.directory);
    m_nameField->setReason(context.running
                               ? tr("A running machine keeps its name. Shut it down to rename it.")
                               : QString());
    using Effect = SettingsChange::Effect;
    const auto effect = [&](bool differs, Effect when) {
        return differs ? std::optional(when) : std::nullopt;
    };
    m_nameField->setEffect(effect(settings.name != saved.name, Effect::Now));
    m_notesField->setEffect(effect(settings.notes != saved.notes, Effect::Now));
    m_macField->setEffect(effect(settings.macAddress != saved.macAddress,
                                 context.running ? Effect::NextStart : Effect::Now));
    end();
}

} // namespace vitrine::ui
