// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme_controller.h"

#include "ui/theme/desktop_scheme.h"
#include "ui/theme/vitrine_style.h"

#include <QApplication>
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
    if (choice == SchemeChoice::Automatic && !m_desktopAsked) {
        m_desktopAsked = true;
        QTimer::singleShot(0, this, &ThemeController::askDesktop);
    }
}

bool ThemeController::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_choice == SchemeChoice::Automatic)
        apply();
    return QObject::eventFilter(watched, event);
}

// Qt 6.4 knows no colour scheme: the palette that Fusion makes of the platform's says it.
Scheme ThemeController::systemScheme() const {
    if (m_desktopScheme)
        return *m_desktopScheme;
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

void ThemeController::askDesktop() {
    watchDesktopScheme(this, [this](std::optional<Scheme> scheme) {
        m_desktopScheme = scheme;
        apply();
    });
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
