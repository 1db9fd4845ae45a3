// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme_controller.h"

#include "ui/theme/vitrine_style.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QEvent>
#include <QPointer>
#include <QStyleFactory>
#include <QTimer>

#include <memory>

// Outside every namespace, as the macro wants it; also keeps the resource object in the program.
static void initializeResources() {
    Q_INIT_RESOURCE(vitrine);
}

namespace vitrine::ui {

namespace {

const QString portalService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portalInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearanceSpace = QStringLiteral("org.freedesktop.appearance");
const QString schemeKey = QStringLiteral("color-scheme");

// 0 no preference, 1 dark, 2 light; the value may be wrapped in variants.
std::optional<Scheme> schemeFromPortal(QVariant value) {
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    if (value.toUInt() == 1)
        return Scheme::Dark;
    if (value.toUInt() == 2)
        return Scheme::Light;
    return std::nullopt;
}

// A desktop that names no font hands out the alias "Sans Serif" at 9 points: there the fonts of the
// design are tried first, at its size.
void installFonts() {
    QFont font = QApplication::font();
    const QString family = font.family();
    if (family != QLatin1String("Sans Serif") && family != QLatin1String("Sans"))
        return;
    font.setFamilies({QStringLiteral("Inter"), family});
    font.setPointSizeF(10);
    QApplication::setFont(font);
}

} // namespace

ThemeController::ThemeController(QObject* application)
    : QObject(application) {
    initializeResources();
    QApplication::setStyle(new VitrineStyle);
    installFonts();
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/vitrine/vitrine.svg")));
    application->installEventFilter(this);
}

void ThemeController::setChoice(SchemeChoice choice) {
    m_choice = choice;
    apply();
    if (choice == SchemeChoice::Automatic && !m_portalAsked) {
        m_portalAsked = true;
        QTimer::singleShot(0, this, &ThemeController::askPortal);
    }
}

bool ThemeController::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_choice == SchemeChoice::Automatic)
        apply();
    return QObject::eventFilter(watched, event);
}

// Qt 6.4 knows no colour scheme: the palette that Fusion makes of the platform's says it.
Scheme ThemeController::systemScheme() const {
    if (m_portalScheme)
        return *m_portalScheme;
    const std::unique_ptr<QStyle> fusion(QStyleFactory::create(QStringLiteral("Fusion")));
    const QPalette platform = fusion != nullptr ? fusion->standardPalette() : QPalette();
    const bool dark = platform.color(QPalette::Window).lightness() <
                      platform.color(QPalette::WindowText).lightness();
    return dark ? Scheme::Dark : Scheme::Light;
}

void ThemeController::apply() {
    const Scheme scheme = m_choice == SchemeChoice::Dark    ? Scheme::Dark
                          : m_choice == SchemeChoice::Light ? Scheme::Light
                                                            : systemScheme();
    if (m_applied == scheme)
        return;
    m_applied = scheme;
    Theme::setCurrent(scheme);
    QApplication::setPalette(Theme::current().palette());
}

void ThemeController::askPortal() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(portalService,
                portalPath,
                portalInterface,
                QStringLiteral("SettingChanged"),
                this,
                SLOT(portalChanged(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(
        portalService, portalPath, portalInterface, QStringLiteral("Read"));
    question << appearanceSpace << schemeKey;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question, 2000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (reply.isError())
            return;
        m_portalScheme = schemeFromPortal(QVariant::fromValue(reply.value()));
        apply();
    });
}

void ThemeController::portalChanged(const QString& space,
                                    const QString& key,
                                    const QDBusVariant& value) {
    if (space != appearanceSpace || key != schemeKey)
        return;
    m_portalScheme = schemeFromPortal(value.variant());
    apply();
}

namespace {

QPointer<ThemeController>& theController() {
    static QPointer<ThemeController> controller;
    return controller;
}

} // namespace

void applyTheme(SchemeChoice choice) {
    if (theController().isNull())
        theController() = new ThemeController(QCoreApplication::instance());
    theController()->setChoice(choice);
}

SchemeChoice schemeChoice() {
    return theController().isNull() ? SchemeChoice::Automatic : theController()->choice();
}

} // namespace vitrine::ui
