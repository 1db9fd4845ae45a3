// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/machine_objc.h"
#include "vz/shell/shell.h"

#include <QObject>
#include <QPointer>

#include <algorithm>
#include <utility>

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

namespace {

using Progress = std::function<void(double)>;
using Finished = std::function<void(std::optional<VzFailure>)>;

// Blocks hold it by QPointer.
class Report final : public QObject {
public:
    Report(Progress progress, Finished finished)
        : m_progress(std::move(progress))
        , m_finished(std::move(finished)) {}
    void progressed(double fraction) {
        if (!m_over && m_progress)
            m_progress(std::clamp(fraction, 0.0, 1.0));
    }
    void finish(const std::optional<VzFailure>& failure) {
        if (!std::exchange(m_over, true) && m_finished)
            m_finished(failure);
    }
    [[nodiscard]] bool isOver() const { return m_over; }

private:
    Progress m_progress;
    Finished m_finished;
    bool m_over = false;
};

} // namespace

} // namespace vitrine::vz

using vitrine::vz::Report;

// The observer of the progress, which is told on any thread.
@interface VitrineProgressObserver : NSObject {
@public
    QPointer<Report> report;
}
@end

@implementation VitrineProgressObserver

- (void)observeValueForKeyPath:(NSString*)keyPath
                      ofObject:(id)object
                        change:(NSDictionary<NSKeyValueChangeKey, id>*)change
                       context:(void*)context {
    (void)keyPath;
    (void)change;
    (void)context;
    const double fraction = static_cast<NSProgress*>(object).fractionCompleted;
    const QPointer<Report> target = report;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (target)
          target->progressed(fraction);
    });
}

@end

namespace vitrine::vz {

namespace {

class VzInstaller final : public Installer {
public:
    VzInstaller() = default;
    ~VzInstaller() override;
    VzInstaller(const VzInstaller&) = delete;
    VzInstaller& operator=(const VzInstaller&) = delete;

    void start(const MachinePlan& plan,
               const QString& restoreImage,
               std::function<void(double)> progress,
               std::function<void(std::optional<VzFailure>)> done) override;
    void cancel() override {
        if (m_progress != nil && !m_report->isOver())
            [m_progress cancel];
    }

private:
    void finishLater(const VzFailure& failure);

    std::unique_ptr<Report> m_report;
    std::unique_ptr<VzMachine> m_machine;
    VitrineProgressObserver* m_observer = nil;
    NSProgress* m_progress = nil;
    [[maybe_unused]] id m_installer = nil; // VZMacOSInstaller, which Intel does not have
};

VzInstaller::~VzInstaller() {
    if (m_progress == nil)
        return;
    [m_progress removeObserver:m_observer
                    forKeyPath:NSStringFromSelector(@selector(fractionCompleted))];
    if (!m_report->isOver())
        [m_progress cancel];
}

void VzInstaller::finishLater(const VzFailure& failure) {
    const QPointer<Report> report = m_report.get();
    const VzFailure value = failure;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (report)
          report->finish(value);
    });
}

void VzInstaller::start(const MachinePlan& plan,
                        const QString& restoreImage,
                        std::function<void(double)> progress,
                        std::function<void(std::optional<VzFailure>)> done) {
    m_report = std::make_unique<Report>(std::move(progress), std::move(done));
#if VZ_ARM64
    if (!plan.isMac()) {
        finishLater(refused(VzInvalidConfiguration, Tr::tr("It is not a macOS machine.")));
        return;
    }
    auto machine = VzMachine::make(plan);
    if (!machine) {
        finishLater(machine.error());
        return;
    }
    m_machine = *std::move(machine);
    VZMacOSInstaller* const installer =
        [[VZMacOSInstaller alloc] initWithVirtualMachine:m_machine->native()
                                         restoreImageURL:fileUrl(restoreImage)];
    m_installer = installer;
    m_progress = installer.progress;
    m_observer = [[VitrineProgressObserver alloc] init];
    m_observer->report = m_report.get();
    [m_progress addObserver:m_observer
                 forKeyPath:NSStringFromSelector(@selector(fractionCompleted))
                    options:NSKeyValueObservingOptionNew
                    context:nullptr];
    const QPointer<Report> report = m_report.get();
    [installer installWithCompletionHandler:^(NSError* error) {
      if (report)
          report->finish(failureIf(error));
    }];
#else
    (void)plan;
    (void)restoreImage;
    finishLater(needsAppleSilicon(Tr::tr("A macOS machine")));
#endif
}

} // namespace

std::unique_ptr<Installer> makeInstaller() {
    return std::make_unique<VzInstaller>();
}

} // namespace vitrine::vz
