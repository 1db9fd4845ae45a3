// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#import <Virtualization/Virtualization.h>

// A recording stand-in for Apple's frameworks, enough to run vz/shell and vz/view on Linux with
// GNUstep's Foundation. What is asynchronous there is answered from Qt's event loop here. Nothing
// is ever released: the processes of tests are short.
namespace vitrine::fake {

void reset(); // as after the start of the process
// The next call of that name ("start", "pause", "resume", "stop", "requestStop", "save", "restore",
// "install", "rosetta", "load", "latest", "validate", "validateSave", "resize", "connect",
// "auxiliary", "efi", "nbd", "cancel") fails with this code of VZErrorDomain.
void failNext(const std::string& call, int code, const std::string& text);
// Calls of that name are not answered before release().
void hold(const std::string& call);
void release(const std::string& call);
// Since reset(); also "activity" and "activityEnd", the wishes not to be put to sleep.
[[nodiscard]] int calls(const std::string& call);

// What the guest and the network do.
void guestStops();
void stopsWithError(int code, const std::string& text);
void dropNetwork(unsigned card, const std::string& text);
void loseDisk(unsigned disk, const std::string& text);   // of the last configuration
void reconfigured();                                     // the screen, by the guest
bool connectsTo(uint32_t port, const std::string& says); // to the host; false: not let in
void installProgress(double fraction);

// This Mac.
void entitle(const std::string& key);
void setUsageText(bool there);
void setScreens(bool mainThere, bool anyThere); // NSScreen's; CoreGraphics has them all the same

[[nodiscard]] VZVirtualMachineConfiguration* lastConfiguration();
[[nodiscard]] VZVirtualMachine* lastMachine();
// The view that was made last, in a window of its own, and the keys it got: kind, code, flags
// >> 17.
[[nodiscard]] VZVirtualMachineView* lastView();
[[nodiscard]] std::vector<std::string> keysOfView();
// How its pictures are laid out, until the next view; only the first, 0, is drawn into.
void setBitmapFormat(NSBitmapFormat format);
[[nodiscard]] NSBitmapFormat bitmapFormat();

// Used by the parts of the stand-in.
[[nodiscard]] NSError* takeFailure(const std::string& call); // nil: succeeds
[[nodiscard]] NSError* errorOf(int code, const std::string& text);
void later(const std::string& call, void (^answer)(void)); // from the event loop, unless held
void setLast(VZVirtualMachineConfiguration* configuration, VZVirtualMachine* machine);
void setProgress(NSProgress* progress);
void setView(VZVirtualMachineView* view);
void noteKey(const char* kind, NSEvent* event);

} // namespace vitrine::fake
