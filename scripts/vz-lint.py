#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a compiler does not tell about Objective-C++.

    scripts/vz-lint.py --declarations FOLDER… --sources FILE…

Every method of an @implementation must be declared: in an @interface of its class, in a protocol that the class
adopts, or in a class above it. All delegate methods of the frameworks are optional, so a misspelt one compiles and is
never called. Besides, the rules of the shell (docs/macos.md) that a search can tell. Prints what breaks them.
"""
import re
import sys
from pathlib import Path

FORBIDDEN = [
    (re.compile(r"\b__weak\b"), "__weak does not exist without ARC: use QPointer"),
    (re.compile(r"\bdispatch_sync\b"), "dispatch_sync to the main queue never returns"),
    (re.compile(r"[fF]orKeyPath:\s*@\""), "a key path is NSStringFromSelector(@selector(…)), which the compiler reads"),
    (re.compile(r"\bobjectAtIndex(edSubscript)?:|@throw\b"), "raises instead of answering with an error"),
]
APPLE = re.compile(r"^\s*#\s*(?:import|include)\s+<(Foundation|AppKit|Cocoa|Virtualization|Security|dispatch)/", re.M)


def plain(text):
    """Comments and texts blanked, lines kept."""
    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"@" else re.sub(r"[^\n]", " ", found)
    return re.sub(r"//[^\n]*|/\*.*?\*/|@?\"(?:\\.|[^\"\\\n])*\"", blank, text, flags=re.S)


def selector(declaration):
    """The name of a method: 'listener:shouldAccept:'."""
    text = declaration
    while True:
        shorter = re.sub(r"\([^()]*\)", " ", text)
        if shorter == text:
            break
        text = shorter
    text = re.sub(r"\b(NS_[A-Z_]+|API_[A-Z_]+|VZSTUB_[A-Z_]+)\b", " ", text)
    parts = re.findall(r"([A-Za-z_]\w*)?\s*:", text)
    if parts:
        return ":".join(parts) + ":"
    word = re.search(r"[A-Za-z_]\w*", text)
    return word.group(0) if word else ""


METHOD = re.compile(r"^[ \t]*([-+])[ \t]*(\([^;{]*?)\s*[;{]", re.M)
PROPERTY = re.compile(r"^[ \t]*@property\b([^;]*);", re.M)


def members(body):
    found = {(sign, selector(declaration)) for sign, declaration in METHOD.findall(body)}
    for declaration in PROPERTY.findall(body):
        attributes = re.match(r"\s*\(([^)]*)\)", declaration)
        words = attributes.group(1) if attributes else ""
        rest = declaration[attributes.end():] if attributes else declaration
        rest = re.sub(r"\bAPI_AVAILABLE\(.*|\b__attribute__.*", "", rest, flags=re.S).rstrip()
        name = re.search(r"([A-Za-z_]\w*)\s*$", rest)
        if not name:
            continue
        sign = "+" if re.search(r"\bclass\b", words) else "-"
        getter = re.search(r"getter\s*=\s*(\w+)", words)
        found.add((sign, getter.group(1) if getter else name.group(1)))
        if not re.search(r"\breadonly\b", words):
            found.add((sign, "set" + name.group(1)[0].upper() + name.group(1)[1:] + ":"))
    return found


def names(text):
    return [word.strip() for word in (text or "").split(",") if word.strip()]


class Declarations:
    INTERFACE = re.compile(r"@interface\s+(\w+)(?:\s*<[^>]*>)?\s*(?::\s*(\w+)|(\(\w*\)))?\s*(?:<([^>]*)>\s*)?(.*?)@end", re.S)
    PROTOCOL = re.compile(r"@protocol\s+(\w+)\s*(?:<([^>]*)>)?(?!\s*[;,])(.*?)@end", re.S)

    def __init__(self):
        self.above, self.adopted, self.own, self.protocols = {}, {}, {}, {}

    def read(self, text):
        text = re.sub(r"@protocol\s+[\w\s,]+;|@class[^;]*;", "", text)
        for name, above, _, adopted, body in self.INTERFACE.findall(text):
            if above:
                # "@interface NSMutableArray<T> : NSArray <T>" adopts nothing; such a name is no protocol and is passed over
                self.above[name] = above
            self.adopted.setdefault(name, []).extend(names(adopted))
            self.own.setdefault(name, set()).update(members(body))
        for name, adopted, body in self.PROTOCOL.findall(text):
            self.protocols[name] = (names(adopted), members(body))

    def of_protocol(self, name):
        adopted, found = self.protocols.get(name, ([], set()))
        return found.union(*(self.of_protocol(other) for other in adopted if other != name))

    def of_class(self, name):
        found = set(self.own.get(name, ()))
        for protocol in self.adopted.get(name, ()):
            found |= self.of_protocol(protocol)
        above = self.above.get(name)
        return found | self.of_class(above) if above else found


def main(words):
    if "--declarations" not in words or "--sources" not in words:
        sys.exit(__doc__)
    middle = words.index("--sources")
    folders, sources = words[words.index("--declarations") + 1:middle], [Path(word) for word in words[middle + 1:]]
    if not sources:
        sys.exit("vz-lint: no sources were named, so nothing was looked at")
    declared = Declarations()
    for folder in folders:
        for file in sorted(Path(folder).rglob("*.h")):
            declared.read(plain(file.read_text(encoding="utf-8")))
    texts = {source: plain(source.read_text(encoding="utf-8")) for source in sources}
    for text in texts.values():
        declared.read(text)
    broken, seen = [], 0
    for source, text in texts.items():
        def line(position, text=text):
            return text.count("\n", 0, position) + 1
        for match in re.finditer(r"@implementation\s+(\w+)\s*(?:\(\w*\))?(.*?)@end", text, re.S):
            known = declared.of_class(match.group(1))
            for method in METHOD.finditer(match.group(2)):
                seen += 1
                name = selector(method.group(2))
                if (method.group(1), name) not in known:
                    broken.append(f"{source}:{line(match.start(2) + method.start())}: {method.group(1)}[{match.group(1)} {name}] is declared "
                                  "nowhere: misspelt, or missing in vz/check/stubs")
        for pattern, reason in FORBIDDEN:
            for match in pattern.finditer(text):
                broken.append(f"{source}:{line(match.start())}: {reason}")
        if source.suffix == ".h" and not source.stem.endswith("_objc"):
            for match in APPLE.finditer(text):
                broken.append(f"{source}:{line(match.start())}: a header with types of Apple's is named …_objc.h and is for the shell alone")
    print("\n".join(broken) if broken else f"vz-lint: {seen} methods in {len(texts)} files are declared.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
