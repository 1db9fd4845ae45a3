// SPDX-License-Identifier: Apache-2.0
// Stands in for a file manager: a small window at X Y from which PATH can be dragged with the left
// button, as a copy. Says "ready" and, when a drag has begun and ended, "dragging" and "dropped" or
// "refused", a line each.
//   drag_source X Y PATH
#include <QApplication>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>
#include <QTimer>
#include <QUrl>
#include <QWidget>

#include <cstdio>
#include <utility>

namespace {

void say(const char* word) {
    std::printf("%s\n", word);
    std::fflush(stdout);
}

class DragSource final : public QWidget {
public:
    explicit DragSource(QString path)
        : m_path(std::move(path)) {}

protected:
    void mousePressEvent(QMouseEvent*) override { m_pressed = true; }
    void mouseMoveEvent(QMouseEvent*) override {
        if (!std::exchange(m_pressed, false))
            return;
        auto* dragged = new QMimeData;
        dragged->setUrls({QUrl::fromLocalFile(m_path)});
        auto* drag = new QDrag(this);
        drag->setMimeData(dragged);
        say("dragging");
        say(drag->exec(Qt::CopyAction) == Qt::CopyAction ? "dropped" : "refused");
    }

private:
    QString m_path;
    bool m_pressed = false;
};

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const QStringList words = QApplication::arguments();
    if (words.size() != 4)
        return 2;
    DragSource source(words.at(3));
    source.setGeometry(words.at(1).toInt(), words.at(2).toInt(), 160, 120);
    source.show();
    QTimer::singleShot(0, &source, [] { say("ready"); });
    return QApplication::exec();
}
