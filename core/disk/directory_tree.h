// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Removes a file, link or whole folder. Links are removed, never followed, also when somebody
// swaps a folder for a link meanwhile. Goes on after an error and returns the first one. A path
// that does not exist is a success.
Result<> removeTree(const QString& path);

// Removes everything inside a folder, not the folder.
Result<> emptyDirectory(const QString& path);

// A rename that can never replace anything: AlreadyExists when `to` exists. Where the file system
// knows no such rename, a folder is moved over an empty folder made for it. Internal with
// EXDEV in the detail when both are on different volumes: ask isOtherVolume().
Result<> renameWithoutReplacing(const QString& from, const QString& to);
[[nodiscard]] bool isOtherVolume(const Error& error);

// Makes a folder and its parents one level at a time; the error names the first level that
// failed. Existing folders, also behind links, are fine.
Result<> makeDirectories(const QString& path, unsigned int mode = 0777);

} // namespace vitrine
