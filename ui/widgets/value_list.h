// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QHash>
#include <QPointer>
#include <QStringList>
#include <QStringView>
#include <QWidget>

#include <functional>

class QLineEdit;
class QPushButton;
class QTableWidget;
class QToolButton;

namespace vitrine::ui {

class GlyphLabel;
class ReasonLabel;
class TextLabel;

// A list of short texts that are added, edited in place and removed, each checked while one types.
// Below it stands what is wrong with the row, with the button that mends it. Several at once, with
// commas or lines between them, become rows. F2 or Return edits, Insert adds, Delete removes.
class ValueList final : public QWidget {
    Q_OBJECT
public:
    struct Setup {
        QString title; // "Allow"
        QString help;  // beside the title; may be empty
        QString example;
        QString none; // stands there while the list is empty: "No rules"
        QStringView icon;
        std::function<Result<>(const QString&)> check;
        std::function<QString(const QString&)> fix;    // what is right instead, or empty
        std::function<QString(const QString&)> normal; // two that give the same are duplicates
    };
    struct Note {
        QString text;
        bool isProblem = false;
        friend bool operator==(const Note&, const Note&) = default;
    };
    static constexpr int mostRowsShown = 8; // then it scrolls

    explicit ValueList(Setup setup, QWidget* parent = nullptr);
    ~ValueList() override;

    // As they stand there, also the wrong ones and what is being typed; without empty ones.
    [[nodiscard]] QStringList values() const;
    void setValues(const QStringList& values);        // emits nothing; waits for the end of an edit
    void setNotes(const QHash<QString, Note>& notes); // beside rows, by value
    void setFixed(const QStringList& values);         // that cannot be edited or removed
    // What else is to be said of a row that is right in itself; empty for nothing.
    void setRemark(std::function<QString(const QString&)> remark);
    void setReason(const QString& reason); // greys it, see ReasonLabel; empty: available
    void judge();                          // what setRemark() says may have changed

    [[nodiscard]] bool isValid() const { return problem().isEmpty(); }
    [[nodiscard]] QString problem() const; // of the first wrong row
    [[nodiscard]] QString message() const; // as it stands below
    void add();                            // an empty row, being edited
    void addValues(const QStringList& values);
    void removeCurrent();
    [[nodiscard]] QTableWidget* table() const { return m_table; }

Q_SIGNALS:
    void edited();    // with every key
    void committed(); // a row was finished, added or removed

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    friend class ValueListDelegate;
    struct Judgement {
        QString problem;
        QString fix;
        QString normal;
    };
    [[nodiscard]] const Judgement& judgementOf(const QString& value) const;
    [[nodiscard]] QString textAt(int row) const; // with what is being typed
    [[nodiscard]] bool isFixed(int row) const;
    void begun(int row, QLineEdit* editor);
    void typed(const QString& text);
    void finished(int row, const QString& text);
    void closed(const QWidget* editor);
    void split(int row, const QStringList& parts);
    void setRow(int row, const QString& text);
    void fill(const QStringList& values);
    void layOut();
    void sizeNotes();
    void updateButtons();
    void paste();

    Setup m_setup;
    QTableWidget* m_table;
    TextLabel* m_none;
    QToolButton* m_add;
    QToolButton* m_remove;
    ReasonLabel* m_reason;
    GlyphLabel* m_glyph;
    TextLabel* m_message;
    QPushButton* m_fix;
    QPointer<QLineEdit> m_editor;
    int m_editedRow = -1;
    QString m_typed;
    bool m_filling = false;
    bool m_pendingSet = false;
    QStringList m_pending; // setValues() during an edit
    QStringList m_fixedValues;
    QHash<QString, Note> m_notes;
    std::function<QString(const QString&)> m_remark;
    mutable QHash<QString, Judgement> m_known;
};

} // namespace vitrine::ui
