// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "core/result/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace vitrine {
namespace {

Error of(int errorNumber) {
    return Error::fromErrno(QStringLiteral("Cannot write \"/x\"."), errorNumber);
}

TEST(Error, TheSystemsNumbersHaveTheirKinds) {
    const std::pair<int, Error::Kind> rows[] = {{ENOSPC, Error::Kind::DiskFull},
                                                {EDQUOT, Error::Kind::DiskFull},
                                                {EACCES, Error::Kind::Permission},
                                                {EPERM, Error::Kind::Permission},
                                                {EROFS, Error::Kind::Unsupported},
                                                {ENOENT, Error::Kind::NotFound},
                                                {ENOTDIR, Error::Kind::NotFound},
                                                {EEXIST, Error::Kind::AlreadyExists},
                                                {ENOTEMPTY, Error::Kind::AlreadyExists},
                                                {EAGAIN, Error::Kind::Busy},
                                                {EIO, Error::Kind::Internal},
                                                {99999, Error::Kind::Internal}};
    for (const auto& [number, kind] : rows)
        EXPECT_EQ(of(number).kind, kind) << number;
}

TEST(Error, AMessageIsWholeSentencesAndTheNumberIsForTheLog) {
    for (const int number : {ENOSPC, EACCES, EROFS, EFBIG, ENOENT, EEXIST, EBUSY, EIO}) {
        const Error error = of(number);
        EXPECT_TRUE(error.message.startsWith(QStringLiteral("Cannot write \"/x\". ")));
        EXPECT_TRUE(error.message.endsWith(QLatin1Char('.')));
        EXPECT_TRUE(error.detail.contains(QString::number(number)));
        EXPECT_FALSE(error.message.contains(QStringLiteral("errno")));
    }
}

TEST(Error, WhatNoRightCouldChangeIsNotToldAsAMissingRight) {
    const QString readOnly = of(EROFS).message;
    EXPECT_TRUE(readOnly.contains(QStringLiteral("read-only"))) << readOnly.toStdString();
    EXPECT_FALSE(readOnly.contains(QStringLiteral("ermission")));
    const QString large = of(EFBIG).message;
    EXPECT_TRUE(large.contains(QStringLiteral("file system"))) << large.toStdString();
    EXPECT_EQ(of(EFBIG).kind, Error::Kind::Unsupported);
}

TEST(Error, ExitCodesAreTarts) {
    const auto code = [](Error::Kind kind) { return exitCode(Error{kind, {}, {}}); };
    EXPECT_EQ(code(Error::Kind::NotFound), 2);
    EXPECT_EQ(code(Error::Kind::NotRunning), 2);
    EXPECT_EQ(code(Error::Kind::AlreadyRunning), 2);
    EXPECT_EQ(code(Error::Kind::InvalidInput), 64);
    EXPECT_EQ(code(Error::Kind::DiskFull), 1);
    EXPECT_EQ(code(Error::Kind::Internal), 1);
    EXPECT_EQ(exitCode(Error::cancelled()), 130);
}

TEST(Error, CancellingIsToldFromFailing) {
    EXPECT_TRUE(Error::cancelled().isCancelled());
    EXPECT_FALSE(of(EIO).isCancelled());
    const Result<int> failed = fail(Error::Kind::Timeout, QStringLiteral("Late."));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(failed.error().detail.isEmpty());
}

} // namespace
} // namespace vitrine
