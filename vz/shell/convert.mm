// SPDX-License-Identifier: Apache-2.0
#include "vz/shell/convert_objc.h"

#include "core/result/error.h"

namespace vitrine::vz {

NSString* ns(const QString& text) {
    NSString* const result = [NSString stringWithUTF8String:text.toUtf8().constData()];
    return result != nil ? result : @""; // half a surrogate pair
}

NSURL* fileUrl(const QString& path) {
    return [NSURL fileURLWithPath:ns(path)];
}

NSData* data(const QByteArray& bytes) {
    return [NSData dataWithBytes:bytes.constData() length:static_cast<NSUInteger>(bytes.size())];
}

NSFileHandle* fileHandle(int descriptor) {
    return [[NSFileHandle alloc] initWithFileDescriptor:descriptor closeOnDealloc:NO];
}

QString text(NSString* text) {
    return text != nil ? QString::fromUtf8(text.UTF8String) : QString();
}

QByteArray bytes(NSData* data) {
    return data != nil ? QByteArray(static_cast<const char*>(data.bytes),
                                    static_cast<qsizetype>(data.length))
                       : QByteArray();
}

VzFailure failureOf(NSError* error) {
    if (error == nil)
        return refused(VzInternal, Tr::tr("The framework gave no reason."));
    return {text(error.domain),
            static_cast<int>(error.code),
            text(error.localizedDescription),
            text(error.localizedFailureReason)};
}

std::optional<VzFailure> failureIf(NSError* error) {
    return error != nil ? std::optional(failureOf(error)) : std::nullopt;
}

VzFailure refused(VzCode code, const QString& description) {
    return {QLatin1String(vzErrorDomain), code, description, {}};
}

VzFailure needsMacOs(int version, const QString& what) {
    return refused(VzNotSupported,
                   Tr::tr("%1 needs macOS %2 or newer.").arg(what, QString::number(version)));
}

VzFailure needsAppleSilicon(const QString& what) {
    return refused(VzNotSupported, Tr::tr("%1 needs a Mac with Apple silicon.").arg(what));
}

VzFailure unknownModel() {
    return refused(VzInvalidConfiguration,
                   Tr::tr("This Mac does not know the hardware model of the machine."));
}

} // namespace vitrine::vz
