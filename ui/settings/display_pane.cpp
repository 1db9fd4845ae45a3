// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/display_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QSpinBox>

namespace vitrine::ui {

namespace {

QString scaleText(DisplayScale scale) {
    return scale == automaticDisplayScale
               ? DisplayPane::tr("Automatic")
               : DisplayPane::tr("%1 ×").arg(QLocale().toString(scale / 100.0, 'g', 3));
}

} // namespace

DisplayPane::DisplayPane(QWidget* parent)
    : SettingsPane(tr("Display"), parent)
    , m_width(new QSpinBox(this))
    , m_height(new QSpinBox(this))
    , m_unit(new QComboBox(this))
    , m_refit(new QComboBox(this))
    , m_scale(new QComboBox(this)) {
    for (QSpinBox* box : {m_width, m_height}) {
        box->setRange(1, 16384);
        box->setGroupSeparatorShown(false);
        box->setFixedWidth(104);
    }
    m_width->setAccessibleName(tr("Width"));
    m_height->setAccessibleName(tr("Height"));
    QWidget* size = beside({m_width, new QLabel(QStringLiteral("×"), this), m_height});
    m_unit->addItem(tr("Default of the guest's system"),
                    static_cast<int>(DisplaySize::Unit::Unset));
    m_unit->addItem(tr("Points"), static_cast<int>(DisplaySize::Unit::Points));
    m_unit->addItem(tr("Pixels"), static_cast<int>(DisplaySize::Unit::Pixels));
    m_unit->setMinimumWidth(240);
    m_refit->addItem(tr("Automatic"), static_cast<int>(Refit::Automatic));
    m_refit->addItem(tr("On"), static_cast<int>(Refit::On));
    m_refit->addItem(tr("Off"), static_cast<int>(Refit::Off));
    m_refit->setMinimumWidth(160);

    m_sizeField = addField(tr("&Size"), size, tr("What the guest finds when it starts."));
    m_unitField = addField(tr("&Unit"), m_unit);
    m_refitField = addField(tr("&Refit"), m_refit);
    for (const DisplayScale scale : {automaticDisplayScale, 100, 150, 200, 300})
        m_scale->addItem(scaleText(scale), scale);
    m_scale->setMinimumWidth(160);
    m_scaleField =
        addField(tr("Sc&ale"),
                 m_scale,
                 tr("Pixels of the guest for one point of this computer's screen, where the guest "
                    "follows the window and at 1:1. Automatic: as many as the screen has, which is "
                    "sharp. Fewer: everything is larger, and the guest draws less."));

    connect(m_width, &QSpinBox::valueChanged, this, [this](int value) {
        edit([=](MachineSettings& settings) { settings.display.width = value; });
    });
    connect(m_height, &QSpinBox::valueChanged, this, [this](int value) {
        edit([=](MachineSettings& settings) { settings.display.height = value; });
    });
    connect(m_unit, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.display.unit = static_cast<DisplaySize::Unit>(m_unit->currentData().toInt());
        });
    });
    connect(m_refit, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.refit = static_cast<Refit>(m_refit->currentData().toInt());
        });
    });
    connect(m_scale, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.displayScale = m_scale->currentData().toInt();
        });
    });
}

// One that was stored by "vitrinectl set" keeps its place.
void DisplayPane::fillScale(DisplayScale scale) {
    if (m_scale->findData(scale) < 0)
        m_scale->addItem(scaleText(scale), scale);
    m_scale->setCurrentIndex(m_scale->findData(scale));
}

void DisplayPane::display(const PaneContext& context) {
    begin(context);
    const MachineSettings& settings = context.draft.value();
    const MachineSettings& saved = context.draft.saved();
    const bool linuxGuest =
        !context.info.config || context.info.config->system == GuestSystem::Linux;
    m_width->setValue(settings.display.width);
    m_height->setValue(settings.display.height);
    m_unit->setCurrentIndex(m_unit->findData(static_cast<int>(settings.display.unit)));
    m_refit->setCurrentIndex(m_refit->findData(static_cast<int>(settings.refit)));
    fillScale(settings.displayScale);
    // In force: the three states of Tart; automatic is on for every guest but Linux.
    const bool automaticOn = !linuxGuest;
    const bool on =
        settings.refit == Refit::On || (settings.refit == Refit::Automatic && automaticOn);
    m_sizeField->setReason(context.fixedHardware());
    m_sizeField->setHelp(!context.running ? tr("What the guest finds when it starts.")
                         : on ? tr("What the guest finds when it starts. While it runs, its "
                                   "resolution follows the window.")
                              : tr("What the guest finds when it starts. One that can "
                                   "change its resolution takes the size at once."));
    m_unitField->setReason(context.fixedHardware());
    m_sizeField->setSuffix(linuxGuest || settings.display.unit == DisplaySize::Unit::Pixels
                               ? tr("pixels")
                               : tr("points"));
    m_unitField->setHelp(linuxGuest
                             ? tr("Linux guests always count pixels; the unit is kept for a Mac "
                                  "that opens this library.")
                             : tr("Points follow the density of the Mac's screen; pixels do not."));
    m_refitField->setReason(context.whyNot(Feature::DisplayRefit));
    m_refitField->setSuffix(on ? tr("in force: on") : tr("in force: off"));
    m_refitField->setHelp(tr("On: the guest's resolution follows the window. Automatic is off for "
                             "Linux guests, whose text "
                             "console cannot follow, and on for others."));
    using Effect = SettingsChange::Effect;
    const Effect when = context.running ? Effect::NextStart : Effect::Now;
    const auto effect = [&](bool differs) { return differs ? std::optional(when) : std::nullopt; };
    m_sizeField->setEffect(effect(settings.display.width != saved.display.width ||
                                  settings.display.height != saved.display.height));
    m_unitField->setEffect(effect(settings.display.unit != saved.display.unit));
    m_refitField->setEffect(settings.refit != saved.refit ? std::optional(Effect::Now)
                                                          : std::nullopt);
    const qreal own = devicePixelRatioF();
    m_scaleField->setSuffix(settings.displayScale == automaticDisplayScale
                                ? tr("in force: %1 ×").arg(QLocale().toString(own, 'g', 3))
                                : tr("this screen: %1 ×").arg(QLocale().toString(own, 'g', 3)));
    m_scaleField->setEffect(settings.displayScale != saved.displayScale ? std::optional(Effect::Now)
                                                                        : std::nullopt);
    end();
}

} // namespace vitrine::ui
