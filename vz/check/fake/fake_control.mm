// SPDX-License-Identifier: Apache-2.0
#include "vz/check/fake/fake_framework.h"
#include "vz/check/fake/fake_slots.h"

#include <QCoreApplication>
#include <QMetaObject>

#include <cstring>
#include <set>
#include <vector>

#import <CoreGraphics/CoreGraphics.h>
#import <Security/Security.h>
#include <sys/sysctl.h>

NSErrorDomain const VZErrorDomain = @"VZErrorDomain";

extern "C" dispatch_queue_t dispatch_get_main_queue(void) {
    static id queue = [NSObject new];
    return queue;
}
extern "C" void dispatch_async(dispatch_queue_t, dispatch_block_t block) {
    const dispatch_block_t copy = (dispatch_block_t)Block_copy(block);
    QMetaObject::invokeMethod(
        qApp, [copy] { copy(); }, Qt::QueuedConnection);
}

namespace vitrine::fake {

namespace {

struct State {
    std::map<std::string, NSError*> failures;
    std::map<std::string, int> calls;
    std::map<std::string, std::vector<dispatch_block_t>> held;
    std::set<std::string> holds;
    std::set<std::string> entitlements;
    bool usageText = false;
    VZVirtualMachineConfiguration* configuration = nil;
    VZVirtualMachine* machine = nil;
    NSProgress* progress = nil;
};
State& state() {
    static State value;
    return value;
}

} // namespace

void reset() {
    static NSAutoreleasePool* const pool = [NSAutoreleasePool new]; // never drained
    (void)pool;
    state() = State();
}

NSError* errorOf(int code, const std::string& text) {
    NSString* const description = [NSString stringWithUTF8String:text.c_str()];
    return [[NSError errorWithDomain:VZErrorDomain
                                code:code
                            userInfo:@{NSLocalizedDescriptionKey : description}] retain];
}

void failNext(const std::string& call, int code, const std::string& text) {
    state().failures[call] = errorOf(code, text);
}

NSError* takeFailure(const std::string& call) {
    ++state().calls[call];
    NSError* const failure = state().failures[call];
    state().failures[call] = nil;
    return failure;
}

int calls(const std::string& call) {
    return state().calls[call];
}
void hold(const std::string& call) {
    state().holds.insert(call);
}

void release(const std::string& call) {
    state().holds.erase(call);
    const auto waiting = std::move(state().held[call]);
    state().held[call].clear();
    for (const dispatch_block_t answer : waiting)
        dispatch_async(dispatch_get_main_queue(), answer);
}

void later(const std::string& call, void (^answer)(void)) {
    const dispatch_block_t copy = (dispatch_block_t)Block_copy(answer);
    if (state().holds.count(call) > 0)
        state().held[call].push_back(copy);
    else
        dispatch_async(dispatch_get_main_queue(), copy);
}

void entitle(const std::string& key) {
    state().entitlements.insert(key);
}
void setUsageText(bool there) {
    state().usageText = there;
}
VZVirtualMachineConfiguration* lastConfiguration() {
    return state().configuration;
}
VZVirtualMachine* lastMachine() {
    return state().machine;
}
void setLast(VZVirtualMachineConfiguration* configuration, VZVirtualMachine* machine) {
    state().configuration = configuration;
    state().machine = machine;
}
void setProgress(NSProgress* progress) {
    state().progress = progress;
}

void installProgress(double fraction) {
    NSProgress* const progress = state().progress;
    [progress willChangeValueForKey:@"fractionCompleted"];
    slot<double>(progress, "fractionCompleted") = fraction;
    [progress didChangeValueForKey:@"fractionCompleted"];
}

namespace {

bool hasEntitlement(const char* key) {
    return state().entitlements.count(key) > 0;
}
bool hasUsageText() {
    return state().usageText;
}

} // namespace

} // namespace vitrine::fake

using namespace vitrine::fake;

// ---- Security, CoreGraphics, the system

extern "C" SecTaskRef SecTaskCreateFromSelf(CFAllocatorRef) {
    return reinterpret_cast<SecTaskRef>([NSObject new]);
}
extern "C" CFTypeRef SecTaskCopyValueForEntitlement(SecTaskRef, CFStringRef key, CFErrorRef*) {
    return hasEntitlement([(NSString*)key UTF8String])
               ? (CFTypeRef)[[NSNumber alloc] initWithBool:YES]
               : nullptr;
}
extern "C" CFTypeID CFGetTypeID(CFTypeRef) {
    return 21;
}
extern "C" CFTypeID CFBooleanGetTypeID(void) {
    return 21;
}
extern "C" Boolean CFBooleanGetValue(CFBooleanRef) {
    return 1;
}
extern "C" void CFRelease(CFTypeRef) {}

// A Retina screen first, an ordinary one beside it.
extern "C" CGError CGGetActiveDisplayList(uint32_t, CGDirectDisplayID* displays, uint32_t* count) {
    displays[0] = 1;
    displays[1] = 2;
    *count = 2;
    return kCGErrorSuccess;
}
extern "C" CGRect CGDisplayBounds(CGDirectDisplayID display) {
    return display == 1 ? NSMakeRect(0, 0, 1512, 982) : NSMakeRect(1512, 0, 1920, 1080);
}
extern "C" CGDisplayModeRef CGDisplayCopyDisplayMode(CGDirectDisplayID display) {
    return reinterpret_cast<CGDisplayModeRef>(static_cast<uintptr_t>(display == 1 ? 3024 : 1920));
}
extern "C" size_t CGDisplayModeGetPixelWidth(CGDisplayModeRef mode) {
    return reinterpret_cast<size_t>(mode);
}
extern "C" void CGDisplayModeRelease(CGDisplayModeRef) {}

extern "C" int sysctlbyname(const char*, void* old, size_t* size, void*, size_t) {
    const char name[] = "Apple M3 Pro";
    *size = sizeof(name);
    std::memcpy(old, name, sizeof(name));
    return 0;
}

@implementation NSBundle (FakeUsageText)
- (id)objectForInfoDictionaryKey:(NSString*)key {
    return [key isEqualToString:@"NSMicrophoneUsageDescription"] && hasUsageText() ? @"why" : nil;
}
@end

@implementation NSProcessInfo (FakeSystem)
- (id)beginActivityWithOptions:(NSActivityOptions)options reason:(NSString*)reason {
    (void)options;
    (void)reason;
    (void)takeFailure("activity");
    return [NSObject new];
}
- (void)endActivity:(id<NSObject>)activity {
    if (activity != nil)
        (void)takeFailure("activityEnd");
}
- (NSTimeInterval)systemUptime {
    return 1;
}
- (NSOperatingSystemVersion)operatingSystemVersion {
    NSOperatingSystemVersion version;
    version.majorVersion = 15;
    version.minorVersion = 5;
    version.patchVersion = 1;
    return version;
}
@end
