// SPDX-License-Identifier: Apache-2.0
#include "ui/console/guest_keyboard.h"

#include "ui/console/scan_codes.h"

#include <QKeyEvent>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr GuestKey rightCtrl{0xffe4, qnum::rightCtrl};

} // namespace

GuestKeyboard::GuestKeyboard(Send send)
    : m_send(std::move(send)) {}

GuestKey GuestKeyboard::keyOf(const QKeyEvent& event) {
    GuestKey key;
    key.keysym = event.nativeVirtualKey();
    key.qnum = qnumOfNativeScanCode(event.nativeScanCode());
    if (key.qnum == 0) {
        key.qnum = qnumOfKey(event.key(), event.modifiers().testFlag(Qt::KeypadModifier));
    }
    return key;
}

// The same for press and release of one key, whatever the modifiers do to its character.
quint64 GuestKeyboard::identity(const QKeyEvent& event) {
    if (event.nativeScanCode() != 0) {
        return event.nativeScanCode();
    }
    return (quint64{1} << 32U) | keyOf(event).qnum;
}

void GuestKeyboard::press(const QKeyEvent& event) {
    const GuestKey key = keyOf(event);
    if (key.qnum == 0 && key.keysym == 0) {
        return;
    }
    if (key.qnum == qnum::rightCtrl) {
        if (!event.isAutoRepeat() && !m_hostKeyHeld) {
            m_hostKeyHeld = true;
        }
        return;
    }
    const quint64 id = identity(event);
    const bool known = std::any_of(
        m_down.cbegin(), m_down.cend(), [id](const Down& down) { return down.identity == id; });
    if (m_hostKeyHeld && !known) {
        m_hostKeyHeld = false;
        m_down.append({~quint64{0}, rightCtrl});
        m_send(rightCtrl, true);
    }
    if (!known) {
        m_down.append({id, key});
    }
    m_send(key, true); // repeats as well: old guests do not repeat by themselves
}

GuestKeyboard::Outcome GuestKeyboard::release(const QKeyEvent& event) {
    if (event.isAutoRepeat()) {
        return Outcome::Taken;
    }
    const bool hostKey = keyOf(event).qnum == qnum::rightCtrl;
    if (hostKey && m_hostKeyHeld) {
        m_hostKeyHeld = false;
        return Outcome::GiveBack;
    }
    const quint64 id = hostKey ? ~quint64{0} : identity(event);
    const auto found = std::find_if(
        m_down.begin(), m_down.end(), [id](const Down& down) { return down.identity == id; });
    if (found != m_down.end()) {
        const GuestKey key = found->key;
        m_down.erase(found);
        m_send(key, false);
    }
    return Outcome::Taken;
}

void GuestKeyboard::releaseAll() {
    m_hostKeyHeld = false;
    while (!m_down.isEmpty()) {
        m_send(m_down.takeLast().key, false);
    }
}

void GuestKeyboard::sendCombination(const KeyCombination& combination) {
    releaseAll(); // what is held now is not part of it
    for (const GuestKey& key : combination.keys) {
        m_send(key, true);
    }
    for (auto key = combination.keys.crbegin(); key != combination.keys.crend(); ++key) {
        m_send(*key, false);
    }
}

} // namespace vitrine::ui
