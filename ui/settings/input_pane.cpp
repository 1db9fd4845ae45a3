// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/input_pane.h"

#include <QCheckBox>

namespace vitrine::ui {

InputPane::InputPane(QWidget* parent)
    : SettingsPane(tr("Input and Sound"), parent)
    , m_trackpad(new QCheckBox(tr("The pointing device is a &trackpad"), this))
    , m_capture(new QCheckBox(tr("Keys of macOS go to the &guest"), this)) {
    addSwitch(tr("Keyboard"),
              tr("The machine has a &keyboard"),
              tr("Without one, keys typed into the console go nowhere."),
              &RunOptions::keyboard,
              Feature::LinuxGuests);
    m_captureField = addField(tr("System keys"),
                              m_capture,
                              tr("Command-Tab and the like, while the console has the keyboard. "
                                 "A click elsewhere gives the keyboard back."));
    connect(m_capture, &QCheckBox::toggled, this, [this](bool on) {
        edit([on](MachineSettings& settings) {
            MacOptions mac = MacOptions::of(settings.run);
            mac.captureSystemKeys = on;
            mac.storeIn(settings.run);
        });
    });
    addSwitch(tr("Pointer"),
              tr("The machine has a &pointing device"),
              tr("A tablet: the guest's pointer stays where yours is."),
              &RunOptions::pointer,
              Feature::LinuxGuests);
    m_trackpadField = addField(tr("Trackpad"), m_trackpad);
    connect(m_trackpad, &QCheckBox::toggled, this, [this](bool on) {
        edit([on](MachineSettings& settings) {
            MacOptions mac = MacOptions::of(settings.run);
            mac.trackpad = on;
            mac.storeIn(settings.run);
        });
    });
    addSwitch(tr("Clipboard"),
              tr("Text is shared with this computer's &clipboard"),
              {},
              &RunOptions::clipboard,
              Feature::Clipboard);
    addSwitch(
        tr("Sound"), tr("The machine has a &sound card"), {}, &RunOptions::audio, Feature::Audio);
    addHeading(tr("Other viewers"));
    addSwitch(
        tr("VNC server"),
        tr("Show the screen to &VNC viewers of this computer"),
        tr("On 127.0.0.1 only, with a new password at each start. While the machine runs, the "
           "Overview has the address, and \"vitrinectl run\" prints it."),
        &RunOptions::vncServer,
        Feature::VncServer);
}

void InputPane::addSwitch(const QString& label,
                          const QString& text,
                          const QString& help,
                          bool RunOptions::*member,
                          Feature feature) {
    auto* box = new QCheckBox(text, this);
    SettingsField* field = addField(label, box, help);
    m_switches.append({box, field, member, feature});
    connect(box, &QCheckBox::toggled, this, [this, member](bool on) {
        edit([=](MachineSettings& settings) { settings.run.*member = on; });
    });
}

void InputPane::display(const PaneContext& context) {
    begin(context);
    const RunOptions& run = context.draft.value().run;
    for (const Switch& entry : std::as_const(m_switches)) {
        entry.box->setChecked(run.*entry.member);
        const bool differs = run.*entry.member != context.draft.saved().run.*entry.member;
        entry.field->setEffect(differs ? std::optional(entry.member == &RunOptions::clipboard
                                                           ? context.liveEffect()
                                                           : context.runEffect())
                                       : std::nullopt);
        if (!context.host) {
            entry.field->setReason(tr("Finding out what this computer can do…"));
            continue;
        }
        const FeatureStatus status = context.host->status(entry.feature);
        entry.field->setReason(status.available ? QString() : status.reason);
        // What can be had, but not as one would think.
        if (entry.feature == Feature::Audio)
            entry.field->setHelp(status.reason);
    }
    const MacOptions mac = MacOptions::of(run);
    const MacOptions macSaved = MacOptions::of(context.draft.saved().run);
    // Elsewhere the console takes all keys that it can get, without being told to.
    const QString ownConsole =
        context.hosted ? QString() : tr("On this computer the console takes all keys by itself.");
    m_capture->setChecked(mac.captureSystemKeys);
    m_captureField->setReason(mac.captureSystemKeys ? QString() : ownConsole);
    m_captureField->setProblem(mac.captureSystemKeys ? ownConsole : QString());
    m_captureField->setEffect(mac.captureSystemKeys != macSaved.captureSystemKeys
                                  ? std::optional(context.runEffect())
                                  : std::nullopt);
    setFieldVisible(m_captureField, context.hosted || context.isMac() || mac.captureSystemKeys);
    // Of macOS guests.
    const bool trackpad = mac.trackpad;
    m_trackpad->setChecked(trackpad);
    setFieldVisible(m_trackpadField, context.isMac());
    m_trackpadField->setReason(context.whyNot(Feature::TrackpadChoice));
    m_trackpadField->setEffect(trackpad != macSaved.trackpad ? std::optional(context.runEffect())
                                                             : std::nullopt);
    end();
}

} // namespace vitrine::ui
