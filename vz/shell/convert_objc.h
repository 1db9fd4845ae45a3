// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/vz_errors.h"

#include <QByteArray>
#include <QString>

#include <optional>

#import <Foundation/Foundation.h>

#if !defined(VZ_FAKE_RUN) && !__has_feature(objc_arc)
#error "vz/shell is built with -fobjc-arc"
#endif

namespace vitrine::vz {

// Plain values to Foundation's and back. Only for files of the shell; nothing here answers nil.
[[nodiscard]] NSString* _Nonnull ns(const QString& text);
[[nodiscard]] NSURL* _Nonnull fileUrl(const QString& path); // absolute
[[nodiscard]] NSData* _Nonnull data(const QByteArray& bytes);
[[nodiscard]] NSFileHandle* _Nonnull fileHandle(int descriptor); // which stays the caller's

[[nodiscard]] QString text(NSString* _Nullable text); // empty for nil
[[nodiscard]] QByteArray bytes(NSData* _Nullable data);

// A call that fails without an NSError is a failure as well.
[[nodiscard]] VzFailure failureOf(NSError* _Nullable error);
[[nodiscard]] std::optional<VzFailure> failureIf(NSError* _Nullable error); // nullopt for nil

// Failures that the shell finds itself. In the domain of the framework, so that one table has the
// sentences.
[[nodiscard]] VzFailure refused(VzCode code, const QString& description);
[[nodiscard]] VzFailure needsMacOs(int version, const QString& what);
[[nodiscard]] VzFailure needsAppleSilicon(const QString& what);
[[nodiscard]] VzFailure unknownModel(); // of a macOS machine's hardware

} // namespace vitrine::vz
