// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/softnet/softnet_rules.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QComboBox;
class QLineEdit;

namespace vitrine::ui {

class GlyphLabel;
class TextLabel;

// "Would this pass?": an address, a protocol, who begins; the verdict and the rule that decides.
// Asks while one types, and again when the rules change.
class PassTester final : public QWidget {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<SoftnetAnswer>)>;
    using Ask = std::function<void(const QJsonObject& question, Reply reply)>;

    explicit PassTester(Ask ask, QWidget* parent = nullptr);

    void testAgain(); // other rules hold
    void test(const SoftnetDestination& destination);
    void clear();
    [[nodiscard]] QString answer() const; // as it stands there
    // What `vitrinectl net NAME` needs to say the same; empty while nothing is tested.
    [[nodiscard]] QStringList commandWords() const;
    [[nodiscard]] QLineEdit* field() const { return m_where; }

Q_SIGNALS:
    void changed();

private:
    void ask();
    void show(const Result<SoftnetAnswer>& answer);
    void showText(const QString& strong, const QString& text);

    Ask m_ask;
    QLineEdit* m_where;
    QComboBox* m_protocol;
    QComboBox* m_direction;
    GlyphLabel* m_glyph;
    TextLabel* m_verdict;
    TextLabel* m_why;
    QTimer m_typing;
    int m_asked = 0; // an older answer than the last question does not count
};

} // namespace vitrine::ui
