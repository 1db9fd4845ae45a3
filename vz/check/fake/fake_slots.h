// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

// Properties by name: clang makes none by itself for this runtime.
template <class T>
T& slot(id self, const char* key) {
    static std::map<std::pair<const void*, std::string>, T> store;
    return store[{static_cast<const void*>(self), key}];
}
template <class T>
T keepObject(T value) {
    return [value retain];
}

// clang-format off
#define READ(T, name) - (T)name { return slot<T>(self, #name); }
#define OBJECT(T, name, Name) - (T)name { return slot<T>(self, #name); } - (void)set##Name:(T)v { slot<T>(self, #name) = keepObject(v); }
#define VALUE(T, name, Name) - (T)name { return slot<T>(self, #name); } - (void)set##Name:(T)v { slot<T>(self, #name) = v; }
#define KEEP(T, name, v) slot<T>(self, #name) = keepObject(v)
#define SET(T, name, v) slot<T>(self, #name) = (v)
#define PLAIN(C) @implementation C @end
// clang-format on
